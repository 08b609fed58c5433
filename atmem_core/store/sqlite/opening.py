"""Opening a file: is it ours, which schema, may it be written; then the numbered migrations.

Nothing is written before the file is known to be ours and not newer than this code.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from urllib.parse import quote

import apsw

from atmem_core.config import Config
from atmem_core.errors import InvalidInput, NotADatabase, SchemaTooNew, StoreError, StoreReadOnly
from atmem_core.store.sqlite.asking import every, first
from atmem_core.store.sqlite.connections import MEMORY, Connections, retry
from atmem_core.store.sqlite.encryption import require_ciphers
from atmem_core.store.sqlite.turn_upkeep import add_checksums

APPLICATION_ID = 0x61746D6D
"""Stands in the file's header: "atmm"."""
SCHEMA_VERSION = 7


def connect(path: str | Path, *, config: Config, create: bool, read_only: bool) -> Connections:
    """Connections to the file at ``path``, its schema brought up to date.

    Raises:
        InvalidInput: ``path`` can't name a file.
        NotADatabase: A folder, or a file of another kind.
        SchemaTooNew: Written by a newer atmem-core.
        StoreError: There is none and ``create`` is off.
        StoreReadOnly: There is none and the folder can't be written.
        EncryptionUnavailable, WrongKey: A key was given, and the driver, or the file, doesn't go with it.
    """
    name = _name(path)
    if config.key is not None:
        require_ciphers(name)
    if name == MEMORY:
        uri = MEMORY
    else:
        _look(Path(name), create=create)
        read_only = read_only or not _writable(Path(name))
        uri = _uri(Path(name), read_only=read_only)
    key = None if config.key is None or name == MEMORY else config.key.read()
    connections = Connections(
        name, write_timeout_ms=config.write_timeout_ms, read_only=read_only, uri=uri, key=key
    )
    try:
        with connections.outside() as connection:
            # Another process that makes the file may hold a lock that no busy timeout waits for.
            retry(
                lambda: _prepare(connection, name, read_only=read_only),
                config.write_timeout_ms,
                name,
            )
    except BaseException:
        connections.close()
        raise
    return connections


def _name(path: object) -> str:
    if not isinstance(path, str | os.PathLike):
        raise InvalidInput("path", f"must be a text or a Path, got {type(path).__name__}")
    name = os.fspath(path)
    if "\0" in name:
        raise InvalidInput("path", "holds NUL; give the path of a file")
    try:
        if isinstance(name, str) and name and b"\0" not in os.fsencode(name):
            return name
    except UnicodeEncodeError:
        pass
    raise InvalidInput("path", "is empty, or holds NUL or a character that no file name can hold")


def _look(path: Path, *, create: bool) -> None:
    """What can be said without opening.

    Nothing but SQLite may open the file: the system drops all locks of a process on a file when the
    process closes any handle of it, those of a store that is open on it too.
    """
    try:
        path.lstat()
    except FileNotFoundError:
        pass
    except OSError as error:
        raise StoreError(f"{path} can't be used: {error.strerror}; give another path") from error
    if path.is_dir():
        raise NotADatabase(f"{path} is a folder; give the path of a file, such as {path / 'agent.db'}")
    if not path.exists():
        _look_for_room(path, create=create)
        return
    if not path.is_file():
        raise NotADatabase(f"{path} is no regular file; give another path")
    if not os.access(path, os.R_OK):
        raise StoreError(f"{path} can't be read; check its permissions")


def _look_for_room(path: Path, *, create: bool) -> None:
    if not create:
        raise StoreError(f"no database at {path}")
    if not path.parent.is_dir():
        raise StoreError(f"{path.parent} is no folder; make it first")
    if not os.access(path.parent, os.W_OK):
        raise StoreReadOnly(f"{path.parent} can't be written, so {path.name} can't be made")


def _writable(path: Path) -> bool:
    """May the file be written, and its folder, which must hold the log?"""
    return os.access(path.parent, os.W_OK) and (not path.exists() or os.access(path, os.W_OK))


def _uri(path: Path, *, read_only: bool) -> str:
    """A read-only file in a folder that can't hold a log is read as it stands, when no log is left."""
    uri = "file:" + quote(os.fsencode(path.absolute()))
    log = path.with_name(path.name + "-wal")
    alone = not log.exists() or log.stat().st_size == 0
    if read_only and alone and not os.access(path.parent, os.W_OK):
        return uri + "?immutable=1"
    return uri


def _prepare(connection: apsw.Connection, name: str, *, read_only: bool) -> None:
    with _transaction(connection, "BEGIN"):  # in one snapshot: half of a migration looks foreign
        version = _number(connection, "PRAGMA user_version")
        _refuse_strangers(connection, name, version)
    if version == SCHEMA_VERSION and (read_only or name == MEMORY):
        return
    if read_only:
        raise StoreReadOnly(f"{name} is empty or old and can't be written; make it writable once")
    if name != MEMORY:
        every(connection, "PRAGMA journal_mode = WAL")
    if version < SCHEMA_VERSION:
        with _transaction(connection, "BEGIN IMMEDIATE"):
            migrate(connection, _number(connection, "PRAGMA user_version"))


@contextmanager
def _transaction(connection: apsw.Connection, begin: str) -> Iterator[None]:
    connection.execute(begin)
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _refuse_strangers(connection: apsw.Connection, name: str, version: int) -> None:
    owner = _number(connection, "PRAGMA application_id")
    tables = _number(connection, "SELECT COUNT(*) FROM sqlite_schema")
    if owner not in (0, APPLICATION_ID) or (owner == 0 and tables > 0):
        raise NotADatabase(f"{name} belongs to another application; give another path")
    if version > SCHEMA_VERSION:
        raise SchemaTooNew(
            f"{name} has schema {version}, this atmem-core knows {SCHEMA_VERSION}; "
            "install a newer atmem-core. The file was left as it is."
        )


def migrate(connection: apsw.Connection, version: int) -> None:
    """Run every migration above ``version``, in order, inside the caller's transaction."""
    folder = resources.files("atmem_core.store.sqlite").joinpath("sql")
    scripts = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    for script in scripts:
        if int(script[:4]) > version:
            every(connection, folder.joinpath(script).read_text(encoding="utf-8"))
    if version < SCHEMA_VERSION:
        add_checksums(connection)
        connection.pragma("application_id", APPLICATION_ID)
        connection.pragma("user_version", SCHEMA_VERSION)


def _number(connection: apsw.Connection, sql: str) -> int:
    value = first(connection, sql)
    return int(value[0]) if value else 0
