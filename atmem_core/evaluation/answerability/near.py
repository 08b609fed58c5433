"""The notes that a search would bring for a question though they tell of something else."""

import random
from collections.abc import Sequence

import numpy as np

from atmem_core.embedding import Float32Array, MiniLmEmbedder
from atmem_core.evaluation.answerability.frames import Fillers, Frame, filled, slots_of
from atmem_core.records import EmbedPurpose

_NEAREST = 12
_SAME_THING = 0.5
"""Two frames with notes of this cosine may tell of one thing, so that one answers the other's questions."""


def nearest_notes(frames: Sequence[Frame], fillers: Fillers) -> dict[str, list[str]]:
    """Question to the notes of other frames nearest to it; slots are left open in both."""
    # One draw: what the slots stand for while texts are compared.
    values = fillers.draw(_every_slot(frames), random.Random(0))  # noqa: S311 - repeatable, nothing secret
    notes = [(at, note) for at, frame in enumerate(frames) for note in frame.notes]
    owners = np.array([at for at, _ in notes])
    embedder = MiniLmEmbedder()
    told = _vectors(embedder, [filled(note, values) for _, note in notes])
    alike = told @ told.T
    found: dict[str, list[str]] = {}
    for at, frame in enumerate(frames):
        own = owners == at
        same = set(owners[(alike[own] >= _SAME_THING).any(axis=0)].tolist())
        allowed = np.array([owner not in same for owner in owners])
        questions = (*frame.yes, *frame.no)
        scores = _vectors(embedder, [filled(question, values) for question in questions]) @ told.T
        for question, row in zip(questions, np.where(allowed, scores, -1.0), strict=True):
            found[question] = [notes[one][1] for one in np.argsort(-row, kind="stable")[:_NEAREST]]
    return found


def _every_slot(frames: Sequence[Frame]) -> set[str]:
    return slots_of(*(text for frame in frames for text in (*frame.notes, *frame.yes, *frame.no)))


def _vectors(embedder: MiniLmEmbedder, texts: Sequence[str]) -> Float32Array:
    return embedder.embed(texts, purpose=EmbedPurpose.SIMILARITY)
