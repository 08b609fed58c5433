"""What a host puts before the model, rendered from records."""

from atmem_core.recall.render import RenderedNotes, estimate_tokens, render_notes

__all__ = ["RenderedNotes", "estimate_tokens", "render_notes"]
