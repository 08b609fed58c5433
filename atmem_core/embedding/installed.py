"""Whether the packages of an extra are there, without importing them."""

from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

from atmem_core.errors import MissingExtra

EXTRA = "local"
"""The extra that installs what embedding in this process needs."""


def missing(packages: Iterable[str]) -> list[str]:
    """Those import names that can't be found, in the given order."""
    return [package for package in packages if find_spec(package) is None]


def require(packages: Iterable[str]) -> None:
    """Raise MissingExtra, with the pip line, when one of these import names can't be found."""
    if absent := missing(packages):
        raise MissingExtra(", ".join(absent), EXTRA)


def data_file(package: str, name: str) -> Path | None:
    """A file in an installed package's folder; None when the package or the file isn't there."""
    spec = find_spec(package)
    folders = spec.submodule_search_locations if spec else None
    found = (Path(folder) / name for folder in folders or ())
    return next((path for path in found if path.is_file()), None)
