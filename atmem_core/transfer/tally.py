"""Counting what an import does, line by line."""

from collections import Counter

from atmem_core.records import (
    MAX_PROBLEMS,
    CopyOutcome,
    CopyRefused,
    ImportCode,
    ImportProblem,
    ImportReceipt,
    ReasonCode,
)


class Tally:
    """Grows to an ``ImportReceipt``."""

    def __init__(self) -> None:
        self._outcomes: Counter[CopyOutcome] = Counter()
        self._codes: Counter[ImportCode] = Counter()
        self._problems: list[ImportProblem] = []
        self.degraded = False
        """Did the embedder fail?"""

    def count(self, answer: CopyOutcome | CopyRefused, *, line: int, where: str = "") -> None:
        """What became of one copy."""
        if isinstance(answer, CopyRefused):
            self.problem(answer.code, answer.message, line=line, where=where)
        else:
            self._outcomes[answer] += 1

    def problem(self, code: ImportCode, message: str, *, line: int, where: str = "") -> None:
        """One thing that wasn't stored. The message holds no text of the file."""
        self._codes[code] += 1
        if len(self._problems) < MAX_PROBLEMS:
            self._problems.append(ImportProblem(line=line, code=code, message=message, where=where))

    def receipt(self, subject: str) -> ImportReceipt:
        """What it came to."""
        return ImportReceipt(
            subject=subject,
            created=self._outcomes[CopyOutcome.CREATED],
            updated=self._outcomes[CopyOutcome.UPDATED],
            unchanged=self._outcomes[CopyOutcome.UNCHANGED],
            refused={code.value: count for code, count in self._codes.items() if not code.by_rule},
            left_out={code.value: count for code, count in self._codes.items() if code.by_rule},
            problems=tuple(self._problems),
            degraded=(ReasonCode.EMBEDDING_UNAVAILABLE.value,) if self.degraded else (),
        )
