"""Health of a memory: what a doctor says."""

from dataclasses import dataclass
from enum import StrEnum


class CheckStatus(StrEnum):
    """How one check went."""

    OK = "ok"
    WARN = "warn"
    """It works with less than it could."""
    FAIL = "fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was looked at."""

    name: str
    status: CheckStatus
    detail: str
    """What was found and, unless all is well, what to do. No content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorReport:
    """All checks, in a fixed order."""

    checks: tuple[Check, ...]

    @property
    def healthy(self) -> bool:
        """No check failed."""
        return all(check.status is not CheckStatus.FAIL for check in self.checks)
