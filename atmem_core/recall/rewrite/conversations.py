"""What is kept of each conversation: the last message's rewriting, and how the last calls went."""

import threading
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from atmem_core.records import Rewriting

MOST = 256
"""Conversations that are kept; the one not used for longest gives way."""
FAILURES = 3
"""In a row, after which a conversation's calls rest."""
REST = timedelta(seconds=60)


@dataclass(slots=True)
class Conversation:
    """One session of one subject. Whoever reads or changes it holds ``turn``."""

    turn: threading.Lock = field(default_factory=threading.Lock)
    """Held while a message is rewritten, so that one asked about twice at once is sent once."""
    key: str = ""
    """Of the latest message and what it was read with."""
    rewriting: Rewriting | None = None
    failures: int = 0
    """In a row."""
    rests_until: datetime | None = None

    def remembered(self, key: str) -> Rewriting | None:
        """What became of this message; None when it isn't the latest one."""
        if self.rewriting is None or key != self.key:
            return None
        return replace(self.rewriting, remembered=True)

    def remember(self, key: str, rewriting: Rewriting) -> None:
        """Keep this in place of the message before."""
        self.key, self.rewriting = key, rewriting

    def rests(self, now: datetime) -> bool:
        """Is no call to be made?"""
        return self.rests_until is not None and now < self.rests_until

    def succeeded(self) -> None:
        """The call gave an answer."""
        self.failures, self.rests_until = 0, None

    def failed(self, now: datetime) -> bool:
        """The call gave none; was it the one that makes the conversation rest for the first time?"""
        self.failures += 1
        if self.failures >= FAILURES:
            self.rests_until = now + REST
        return self.failures == FAILURES


class Conversations:
    """The conversations in use. Safe for threads."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str | None], Conversation] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, subject: str, session: str | None) -> Conversation:
        """The one of this subject's session; a new one when it isn't kept."""
        name = (subject, session)
        with self._lock:
            found = self._kept.setdefault(name, Conversation())
            self._kept.move_to_end(name)
            if len(self._kept) > MOST:
                self._kept.popitem(last=False)
            return found

    def __len__(self) -> int:
        with self._lock:
            return len(self._kept)
