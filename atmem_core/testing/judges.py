"""A judge for tests, with the opinions that a test gives it."""

from collections.abc import Callable, Sequence


class FakeJudge:
    """Says what it is told to say.

    Args:
        opinion: Question and text to an answer from 0 to 1; or raises.
        version: What a calibration is made for.
    """

    def __init__(
        self, opinion: Callable[[str, str], float] = lambda _question, _text: 1.0, *, version: str = "fake-1"
    ) -> None:
        self._opinion = opinion
        self._version = version
        self.calls: list[tuple[str, tuple[str, ...]]] = []
        """Every call, oldest first."""

    @property
    def version(self) -> str:
        """Which judge."""
        return self._version

    def answered(self, question: str, texts: Sequence[str]) -> list[float]:
        """One opinion a text."""
        self.calls.append((question, tuple(texts)))
        return [self._opinion(question, text) for text in texts]
