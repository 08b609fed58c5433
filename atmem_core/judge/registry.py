"""The judge that ships, one in the process."""

from functools import cache

from atmem_core.embedding.installed import missing
from atmem_core.judge.checked import CheckedJudge
from atmem_core.judge.encoder import MODEL, RUNTIME, EncoderJudge


@cache
def _bundled() -> CheckedJudge:
    return CheckedJudge(EncoderJudge())


def bundled_judge() -> CheckedJudge | None:
    """The bundled judge; None when what runs it isn't installed. Loads no model."""
    return None if missing(RUNTIME) or not MODEL.is_file() else _bundled()
