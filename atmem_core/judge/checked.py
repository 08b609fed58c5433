"""Any judge, held to its port: right answers come through, all else is one counted error."""

import math
import threading
from collections import Counter
from collections.abc import Mapping, Sequence

from atmem_core.errors import JudgeUnavailable
from atmem_core.judge.protocol import Judge


class CheckedJudge:
    """Wraps a judge. A wrong answer or an exception is a JudgeUnavailable with a reason.

    The reasons: ``wrong_length`` (not one number a text), ``not_a_share`` (not from 0 to 1), ``failed`` (any
    other exception), or the judge's own.
    """

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()

    @property
    def version(self) -> str:
        """Which judge."""
        return self._judge.version

    @property
    def counts(self) -> Mapping[str, int]:
        """Calls since this was made: ``ok``, and failures by reason. A copy."""
        with self._lock:
            return dict(self._counts)

    def answered(self, question: str, texts: Sequence[str]) -> list[float]:
        """How sure the judge is that each text states the answer; 0 to 1, one a text.

        Raises:
            JudgeUnavailable: For every fault of the judge.
        """
        try:
            found = self._asked(question, texts)
        except JudgeUnavailable as error:
            self._count(error.reason)
            raise
        self._count("ok")
        return found

    def _asked(self, question: str, texts: Sequence[str]) -> list[float]:
        try:
            found = [float(one) for one in self._judge.answered(question, texts)]
        except JudgeUnavailable:
            raise
        except Exception as error:  # noqa: BLE001 - the decision goes on without a judge
            # The type alone, and no chain: a library's message may quote the text.
            raise JudgeUnavailable("failed", f"{type(error).__name__} in the judge") from None
        if len(found) != len(texts):
            raise JudgeUnavailable("wrong_length", f"{len(found)} numbers for {len(texts)} texts")
        if not all(math.isfinite(one) and 0.0 <= one <= 1.0 for one in found):
            raise JudgeUnavailable("not_a_share", "a number isn't from 0 to 1")
        return found

    def _count(self, outcome: str) -> None:
        with self._lock:
            self._counts[outcome] += 1
