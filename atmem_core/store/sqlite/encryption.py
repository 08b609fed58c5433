"""Encryption at rest, by a driver that can: ``apsw-sqlite3mc`` stands in the place of ``apsw``.

The plain driver takes a key without a word and writes in the clear, so it is asked first whether it can.
"""

import apsw

from atmem_core.errors import EncryptionUnavailable, WrongKey

COMMANDS = "pip uninstall -y apsw && pip install apsw-sqlite3mc"
"""What brings the driver. It replaces the plain one: the two can't stand side by side."""


def can_encrypt() -> bool:
    """Was this driver built with ciphers?"""
    return hasattr(apsw, "mc_version")


def require_ciphers(path: str) -> None:
    """Raises EncryptionUnavailable where a key would be taken and do nothing."""
    if not can_encrypt():
        raise EncryptionUnavailable(
            f"a key was given for {path} and this SQLite can't encrypt; run: {COMMANDS}"
        )


def unlock(connection: apsw.Connection, key: str, path: str) -> None:
    """Give a new connection its key, and see that it reads the file. Raises WrongKey."""
    connection.pragma("key", key)
    try:
        connection.execute("SELECT COUNT(*) FROM sqlite_schema").fetchall()
    except apsw.NotADBError:
        # No `from`: an error of the driver may hold the statement.
        raise WrongKey(
            f"{path} can't be read with this key; it has another one, or isn't encrypted"
        ) from None


def described(*, keyed: bool) -> str:
    """For a doctor."""
    if keyed:
        return f"on, {getattr(apsw, 'mc_version', 'unknown cipher')}"
    return "off" if can_encrypt() else f"off; this driver can't encrypt. To have one that can: {COMMANDS}"
