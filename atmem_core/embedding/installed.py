"""Whether the packages of an extra are there, without importing them."""

import hashlib
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

from atmem_core.errors import EmbeddingUnavailable, MissingExtra

EXTRA = "local"
"""The extra that installs what the bundled model needs."""


def missing(packages: Iterable[str]) -> list[str]:
    """Those import names that can't be found, in the given order."""
    return [package for package in packages if find_spec(package) is None]


def require(packages: Iterable[str], extra: str = EXTRA) -> None:
    """Raise MissingExtra, with the pip line, when one of these import names can't be found."""
    if absent := missing(packages):
        raise MissingExtra(", ".join(absent), extra)


def data_file(package: str, name: str) -> Path | None:
    """The first file of this name, in which ``*`` is any run of characters, in an installed package's folder.

    None when the package or the file isn't there.
    """
    spec = find_spec(package)
    folders = spec.submodule_search_locations if spec else None
    found = (path for folder in folders or () for path in sorted(Path(folder).glob(name)))
    return next((path for path in found if path.is_file()), None)


def sha256_of(path: Path) -> str:
    """Of a file's bytes, lower-case hex.

    Raises:
        EmbeddingUnavailable: The file can't be read.
    """
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise EmbeddingUnavailable("no_model_file", f"can't read {path}: {error}") from error
