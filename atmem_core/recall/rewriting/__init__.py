"""The query rewriter: a follow-up made whole, to find candidates by. It establishes no support."""

from atmem_core.recall.rewriting.gates import EXEMPLARS
from atmem_core.recall.rewriting.rewriter import QueryRewriter

__all__ = ["EXEMPLARS", "QueryRewriter"]
