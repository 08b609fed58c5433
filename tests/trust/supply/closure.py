"""What is installed for this project: each dependency, of each dependency, with its licence.

``python -m tests.trust.supply.closure`` writes the tables of docs/reference/dependencies.md.
"""

import importlib.metadata
from collections.abc import Iterable, Iterator

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.house.tree import ROOT, project

PAGE = ROOT / "docs" / "reference" / "dependencies.md"
OURSELVES = "atmem-core"
TOOLS = "dev"
"""The extra of what tests and checks need; nobody who installs the product gets it."""


def shipped() -> dict[str, str]:
    """Name to licence, of what the base and every extra bring to whoever installs them."""
    extras = project()["project"]["optional-dependencies"]
    product = [one for name, wanted in extras.items() if name != TOOLS for one in wanted]
    return _licences([*project()["project"]["dependencies"], *product])


def tools() -> dict[str, str]:
    """The same for what tests and checks bring beside that."""
    wanted = _licences(project()["project"]["optional-dependencies"][TOOLS])
    product = shipped()
    return {name: licence for name, licence in wanted.items() if name not in product}


def _licences(wanted: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    waiting = [(Requirement(one), "") for one in wanted]
    seen: set[tuple[str, str]] = set()
    while waiting:
        requirement, extra = waiting.pop()
        name = canonicalize_name(requirement.name)
        applies = requirement.marker is None or requirement.marker.evaluate({"extra": extra})
        if name == OURSELVES or not applies:
            continue
        try:
            package = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue  # an extra that isn't installed here
        found[name] = licence_of(package)
        for wish in {"", *requirement.extras}:
            if (name, wish) not in seen:
                seen.add((name, wish))
                waiting += [(Requirement(one), wish) for one in package.requires or ()]
    return dict(sorted(found.items()))


def licence_of(package: importlib.metadata.Distribution) -> str:
    """The expression, else the classifiers, else the first line of the licence."""
    metadata = package.metadata
    if "License-Expression" in metadata:
        return str(metadata["License-Expression"])
    classifiers = [
        one.split("::")[-1].strip()
        for one in metadata.get_all("Classifier") or ()
        if one.startswith("License :: OSI Approved ::")
    ]
    told = str(metadata["License"]) if "License" in metadata else "unknown"
    return "; ".join(classifiers) or told.split("\n")[0][:60]


def tables() -> Iterator[str]:
    """Both, as Markdown."""
    for title, packages in (("Shipped", shipped()), ("Tools", tools())):
        yield f"## {title}\n"
        yield "| package | licence |"
        yield "| --- | --- |"
        yield from (f"| `{name}` | {licence} |" for name, licence in packages.items())
        yield ""


if __name__ == "__main__":
    head = PAGE.read_text(encoding="utf-8").partition("## Shipped")[0]
    PAGE.write_text(head + "\n".join(tables()), encoding="utf-8")
