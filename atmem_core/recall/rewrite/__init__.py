"""A message made whole from what was said before it, to find candidates that it wouldn't find alone."""

from atmem_core.recall.rewrite.exemplars import EXEMPLARS
from atmem_core.recall.rewrite.rewriter import QueryRewriter

__all__ = ["EXEMPLARS", "QueryRewriter"]
