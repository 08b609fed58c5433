"""The port to a judge."""

from collections.abc import Sequence
from typing import Protocol


class Judge(Protocol):
    """Reads a question beside a record. One instance serves all threads."""

    @property
    def version(self) -> str:
        """Which judge: what a calibration is made for. Reading it loads nothing."""
        ...

    def answered(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """How sure the judge is that each text states the answer; 0 to 1, one a text.

        Raises:
            JudgeUnavailable: It can't say.
        """
        ...
