"""Settings from a file, the environment and a caller, the later winning; and where each came from.

A program that is started, such as the command line, asks here. ``Memory.open`` doesn't: a library that looks
around in its host's folder or environment surprises it.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_type_hints

from atmem_core.config import Config
from atmem_core.errors import InvalidInput
from atmem_core.key import Key

FILE = "atmem.toml"
"""Read from the folder that the program was started in, when no other file is named."""
_FILE_VARIABLE = "ATMEM_CONFIG"
_PREFIX = "ATMEM_"
_OTHERS = frozenset(
    {
        _FILE_VARIABLE,
        "ATMEM_SUBJECT",
        "ATMEM_KEY",
        "ATMEM_KEY_FILE",
        "ATMEM_EMBEDDING_KEY",
        "ATMEM_MCP_TOKEN",
        "ATMEM_DB",
        "ATMEM_IDENTITY",
    }
)
"""Variables that are no settings."""
_DOTTED = {
    "memory.embeddings.backfill": "backfill",
    "memory.embeddings.brute_force_ceiling": "brute_force_ceiling",
}
"""Names that a file may use besides those of the fields."""
_NOT_WRITTEN = ("key", "token_counter")
_TRUE, _FALSE, _NONE = frozenset({"true", "yes", "on", "1"}), frozenset({"false", "no", "off", "0"}), "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The effective settings."""

    config: Config
    origins: Mapping[str, str]
    """Field to where its value came from: ``default``, a file, a variable, or ``argument``."""


def load_settings(
    path: str | Path | None = None, *, environment: Mapping[str, str] | None = None, **arguments: object
) -> Settings:
    """All settings, and where each came from.

    Args:
        path: A TOML file; else the one that ``ATMEM_CONFIG`` names, else ``atmem.toml`` in the current folder
            if there is one.
        environment: Variables ``ATMEM_`` and a field's name in capitals; the process's own when None.
        arguments: Fields of ``Config``; they win.

    Raises:
        InvalidInput: An unknown key or variable, or a value of the wrong kind; the message says where.
    """
    variables = os.environ if environment is None else environment
    values: dict[str, object] = {}
    origins = dict.fromkeys((one.name for one in fields(Config)), "default")
    for where, name, value in (*_of_file(path, variables), *_of_environment(variables)):
        values[name] = value
        origins[name] = where
    for name, value in arguments.items():
        if name not in origins:
            raise InvalidInput(name, f"is no setting; known are {', '.join(sorted(origins))}")
        values[name] = value
        origins[name] = "argument"
    try:
        return Settings(config=Config(**values), origins=origins)  # type: ignore[arg-type]  # checked above
    except InvalidInput as error:
        said = str(error).removeprefix(f"{error.field}: ")
        raise InvalidInput(error.field, f"{said} (from {origins.get(error.field)})") from None


_Found = Iterator[tuple[str, str, object]]
"""Where it stands, the field, its value."""


def _of_file(path: str | Path | None, variables: Mapping[str, str]) -> _Found:
    named = path or variables.get(_FILE_VARIABLE)
    file = Path(named or FILE)
    if named is None and not file.is_file():
        return
    import tomllib  # noqa: PLC0415 - only a file of settings needs it

    try:
        read = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidInput("config", f"can't read {file}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidInput("config", f"{file} isn't TOML: {error}") from None
    for key, value in _flat(read):
        name = _DOTTED.get(key, key)
        yield str(file), name, _typed(name, value, f"{key} in {file}")


def _flat(table: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, object]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", value


def _of_environment(variables: Mapping[str, str]) -> _Found:
    for variable in sorted(variables):
        if variable.startswith(_PREFIX) and variable not in _OTHERS:
            name = variable.removeprefix(_PREFIX).lower()
            yield variable, name, _typed(name, _plain(variables[variable]), variable)
    if file := variables.get("ATMEM_KEY_FILE"):
        yield "ATMEM_KEY_FILE", "key", Key.from_file(file)
    elif variables.get("ATMEM_KEY"):
        yield "ATMEM_KEY", "key", Key.from_environment()


def _plain(text: str) -> object:
    """What a variable's text says: a truth, a number, nothing, or itself."""
    said = text.strip().lower()
    if said in _TRUE | _FALSE and said not in {"1", "0"}:
        return said in _TRUE
    if said == _NONE:
        return None
    return int(said) if said.lstrip("-").isdecimal() else text.strip()


def _typed(name: str, value: object, where: str) -> object:
    """The value as the field wants it.

    Raises:
        InvalidInput: There is no such field, or it wants another kind.
    """
    kinds = _kinds()
    if name not in kinds:
        raise InvalidInput(name, f"is no setting ({where}); known are {', '.join(sorted(kinds))}")
    for kind in kinds[name]:
        if isinstance(kind, type) and issubclass(kind, StrEnum) and value in set(kind):
            return kind(str(value))
        if kind is bool and value in (0, 1):
            return bool(value)
        if type(value) is kind:
            return value
    wanted = " or ".join(_shown(kind) for kind in kinds[name])
    raise InvalidInput(name, f"must be {wanted}, got {value!r} ({where})")


def _kinds() -> dict[str, tuple[Any, ...]]:
    """Field to the types that it takes. A key stands in no settings file, and a function can't."""
    hints = get_type_hints(Config)
    return {
        name: get_args(hint) if isinstance(hint, UnionType) else (hint,)
        for name, hint in hints.items()
        if name not in _NOT_WRITTEN
    }


def _shown(kind: Any) -> str:  # noqa: ANN401 - a type, or None's
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return " or ".join(repr(one.value) for one in kind)
    return {bool: "true or false", int: "a whole number", type(None): "none"}.get(kind, str(kind))
