"""The text of a file, of a member of a ZIP archive or of a stream, chunk by chunk."""

import codecs
import os
import re
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from atmem_core.errors import InvalidInput

CHUNK_BYTES = 1024 * 1024
_CONVERSATIONS = re.compile(r"(?:.*/)?conversations(?:-\d+)?\.jsonl?")
_JSON = re.compile(r".*\.jsonl?")


@dataclass(slots=True, kw_only=True)
class Part:
    """One text: a file, or a member of an archive. ``done`` grows while it is read."""

    name: str
    """Of the member; empty for a file."""
    stream: IO[bytes]
    done: int = 0
    """Bytes."""

    def chunks(self) -> Iterator[str]:
        """The text, a mebibyte at a time, line ends as they are.

        Raises:
            InvalidInput: It isn't UTF-8.
        """
        decoder = codecs.getincrementaldecoder("utf-8-sig")()
        while data := self.stream.read(CHUNK_BYTES):
            yield self._decoded(decoder, data, final=False)
            self.done += len(data)
        yield self._decoded(decoder, b"", final=True)

    def _decoded(self, decoder: codecs.IncrementalDecoder, data: bytes, *, final: bool) -> str:
        try:
            return decoder.decode(data, final)
        except UnicodeDecodeError:
            raise InvalidInput(
                "source", f"{self.name or 'the file'} isn't UTF-8 behind byte {self.done}; convert it first"
            ) from None


class Feed:
    """What an import reads; closes what it opened."""

    def __init__(self, given: str | Path | IO[bytes]) -> None:
        self._stack = ExitStack()
        self.total: int | None = None
        """Bytes of all parts; None for a stream."""
        if isinstance(given, str | os.PathLike):
            self._parts = self._opened(Path(given))
        elif hasattr(given, "read"):
            self._parts = [Part(name="", stream=given)]
        else:
            raise InvalidInput("source", f"must be a path or a binary stream, got {type(given).__name__}")

    def parts(self) -> list[Part]:
        """What is to be read, in order."""
        return self._parts

    def close(self) -> None:
        """Close what was opened."""
        self._stack.close()

    def _opened(self, path: Path) -> list[Part]:
        stream = self._stack.enter_context(path.open("rb"))
        if not zipfile.is_zipfile(stream):
            self.total = path.stat().st_size
            stream.seek(0)
            return [Part(name="", stream=stream)]
        archive = self._stack.enter_context(zipfile.ZipFile(stream))
        members = _members(archive)
        if not members:
            self.close()
            raise InvalidInput("source", f"{path.name} holds no conversations.json and no single JSON file")
        self.total = sum(one.file_size for one in members)
        return [
            Part(name=one.filename, stream=self._stack.enter_context(archive.open(one))) for one in members
        ]


def _members(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """The conversations, by name; or the only JSON file that is there."""
    every = sorted(archive.infolist(), key=lambda one: one.filename)
    found = [one for one in every if _CONVERSATIONS.fullmatch(one.filename)]
    jsons = [one for one in every if _JSON.fullmatch(one.filename)]
    return found or (jsons if len(jsons) == 1 else [])
