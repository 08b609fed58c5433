"""Every error that atmem raises, drawn as a tree.

AtmemError
├── InvalidInput              an argument is wrong; nothing was read or written
├── WriteRefused              a record was not stored; ``code`` says why
├── NotFound                  this subject has no such record
├── MissingExtra              an optional package is not installed; the message holds the pip line
├── EmbeddingUnavailable      an embedder failed, for whatever reason
├── JudgeUnavailable          an answerability judge failed, for whatever reason
├── ChatUnavailable           a chat model gave no reply, for whatever reason
├── ProfileRefused            a semantic profile isn't put to use; ``code`` says why
├── ExtractionFailed          a turn couldn't be read for facts; it waits, or is given up
└── StoreError
    ├── NotADatabase          the file exists and is something else
    │   └── WrongKey          it can't be read with the key that was given
    ├── EncryptionUnavailable a key was given, and the driver can't encrypt
    ├── SchemaTooNew          a newer atmem-core wrote this file
    ├── StoreReadOnly         the file or its folder can't be written
    ├── StoreBusy             another process held the write lock too long
    ├── StoreFull             the disk is full; the transaction is gone, earlier ones stand
    └── StoreCorrupt          the file is damaged

A message says what happened, with the values, and what to do next. "Nothing useful" is a decision,
never an error.
"""


class AtmemError(Exception):
    """Base of everything that atmem raises on purpose."""


class InvalidInput(AtmemError, ValueError):
    """An argument is wrong. ``field`` names it; nothing was read or written."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field


class WriteRefused(AtmemError):
    """A record was not stored. ``code`` is stable and made for programs, the message for people."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"not stored ({code}): {message}")
        self.code = code


class NotFound(AtmemError, LookupError):
    """This subject has no such record. A foreign record answers the same way as a missing one."""


class MissingExtra(AtmemError, ImportError):
    """An optional package is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is not installed; install it with: pip install 'atmem-core[{extra}]'")
        self.extra = extra


class EmbeddingUnavailable(AtmemError):
    """An embedder failed: transport, time, shape, dimension or non-finite numbers.

    ``reason`` is one word for counters, such as ``timeout`` or ``wrong_dimensions``.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(f"no embedding ({reason}): {message}")
        self.reason = reason


class JudgeUnavailable(AtmemError):
    """An answerability judge failed. Decisions go on without it and abstain more.

    ``reason`` is one word for counters, such as ``failed`` or ``wrong_length``.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(f"no judgement ({reason}): {message}")
        self.reason = reason


class ChatUnavailable(AtmemError):
    """A chat model gave no reply: transport, time, status or shape.

    ``reason`` is one word for counters, such as ``timeout`` or ``status_503``. Neither prompt nor reply
    nor key stands in the message.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(f"no reply ({reason}): {message}")
        self.reason = reason
        self.retry_after = ""
        """What the server said of when to come again, as it said it."""


class ExtractionFailed(AtmemError):
    """A turn couldn't be read for facts. ``reason`` is one word, such as ``extractor_invalid_args``."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(f"no facts from this turn ({reason}): {message}")
        self.reason = reason


class ProfileRefused(AtmemError):
    """A semantic profile isn't put to use; what served before still serves. ``code`` is for programs."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"refused ({code}): {message}")
        self.code = code


class StoreError(AtmemError):
    """The database file can't be used as asked."""


class NotADatabase(StoreError):
    """The path is a folder or a file that SQLite doesn't know."""


class WrongKey(NotADatabase):
    """The file has another key, or isn't encrypted. It was left as it is; the key is never in the message."""


class EncryptionUnavailable(StoreError):
    """A key was given and the SQLite driver can't encrypt; the message holds the pip line."""


class SchemaTooNew(StoreError):
    """A newer atmem-core wrote this file; it was left as it is."""


class StoreReadOnly(StoreError):
    """The file or its folder can't be written. Reading still works."""


class StoreBusy(StoreError):
    """Another process held the write lock for longer than ``write_timeout_ms``."""


class StoreFull(StoreError):
    """The disk is full. The transaction is gone, earlier ones stand, reading works."""


class StoreCorrupt(StoreError):
    """The file is damaged."""
