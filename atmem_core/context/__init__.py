"""What a host puts before the model, rendered from records; and how a host takes it out again."""

from atmem_core.context.budgets import TokenCounter
from atmem_core.context.capture import worth_keeping
from atmem_core.context.provider import ContextProvider, Rewriter
from atmem_core.context.waiting import AsyncContextProvider
from atmem_core.recall.render import RenderedNotes, estimate_tokens, render_notes
from atmem_core.recall.rewrite import QueryRewriter
from atmem_core.records import RewriteGate, Spoken
from atmem_core.text import escape, without_fence

__all__ = [
    "AsyncContextProvider",
    "ContextProvider",
    "QueryRewriter",
    "RenderedNotes",
    "RewriteGate",
    "Rewriter",
    "Spoken",
    "TokenCounter",
    "escape",
    "estimate_tokens",
    "render_notes",
    "without_fence",
    "worth_keeping",
]
