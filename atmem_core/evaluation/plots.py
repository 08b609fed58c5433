"""Plots of figures, with matplotlib, which only the extra ``eval`` brings."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from atmem_core.errors import MissingExtra
from atmem_core.evaluation.figures import Figures

EXTRA = "eval"
_SIZE_INCHES = (6.4, 4.4)
_DPI = 120
_HALF_BAR = 0.4


def draw(found: Figures, folder: Path) -> list[Path]:
    """Draw what there is something to draw of, as PNG files.

    Raises:
        MissingExtra: matplotlib isn't installed; nothing was written.
    """
    make = _canvas()
    plots: dict[str, tuple[bool, Callable[[Any, Figures], None]]] = {
        "sweep": (bool(found.sweeps), _sweep),
        "operating-point": (bool(found.separations), _operating_point),
        "reliability": (any(one.count for one in found.bins), _reliability),
        "retrieval": (found.retrieval.questions > 0, _retrieval),
    }
    written = []
    for name, (wanted, plot) in plots.items():
        if wanted:
            figure = make(figsize=_SIZE_INCHES, dpi=_DPI, layout="constrained")
            plot(figure.add_subplot(), found)
            path = folder / f"{name}.png"
            # No version of the library in the file: the same figures give the same bytes.
            figure.savefig(path, metadata={"Software": None})
            written.append(path)
    return written


def _canvas() -> Any:  # noqa: ANN401 - matplotlib is no dependency, so its types aren't either
    try:
        return import_module("matplotlib.figure").Figure
    except ImportError:
        raise MissingExtra("matplotlib", EXTRA) from None


def _sweep(axes: Any, found: Figures) -> None:  # noqa: ANN401
    for one in found.sweeps:
        if "together" not in one.name and one.curve:
            kept, injected = zip(*one.curve, strict=True)
            axes.plot(kept, injected, label=f"{_words(one.name)} ({one.questions})")
    axes.plot([0, 1], [0, 1], color="0.8", linewidth=1, linestyle="--")
    axes.set(
        title="Threshold on the top relevance score",
        xlabel="answerable questions kept",
        ylabel="negatives let through",
        xlim=(0, 1),
        ylim=(-0.02, 1.02),
    )
    axes.legend(fontsize="small")


def _operating_point(axes: Any, found: Figures) -> None:  # noqa: ANN401
    names = [_words(one.kind.value) for one in found.separations]
    places = range(len(names))
    kept = [one.kept or 0.0 for one in found.separations]
    rejected = [one.rejected or 0.0 for one in found.separations]
    axes.bar([at - _HALF_BAR / 2 for at in places], rejected, _HALF_BAR, label="negatives rejected")
    axes.bar([at + _HALF_BAR / 2 for at in places], kept, _HALF_BAR, label="answerable kept")
    axes.set_xticks(list(places), names)
    axes.set(title="Shipped operating point", ylabel="share", ylim=(0, 1.15))
    axes.legend(loc="upper center", ncols=2, fontsize="small")


def _reliability(axes: Any, found: Figures) -> None:  # noqa: ANN401
    bins = [one for one in found.bins if one.count]
    axes.plot([0, 1], [0, 1], color="0.8", linewidth=1, linestyle="--")
    axes.plot([one.relevance for one in bins], [one.right for one in bins], marker="o")
    for one in bins:
        axes.annotate(
            str(one.count), (one.relevance, one.right), textcoords="offset points", xytext=(4, 6), fontsize=7
        )
    axes.set(
        title="Relevance of the best candidate against how often it answers",
        xlabel="relevance",
        ylabel="answers",
        xlim=(0, 1),
        ylim=(-0.02, 1.05),
    )


def _retrieval(axes: Any, found: Figures) -> None:  # noqa: ANN401
    rows = {**found.retrieval_by_label, "all": found.retrieval}
    values = [one.recall_at_5 or 0.0 for one in rows.values()]
    axes.barh(list(rows), values)
    for place, value in enumerate(values):
        axes.text(value + 0.01, place, f"{100 * value:.1f}", va="center", fontsize=8)
    axes.set(title="Evidence among the first five", xlabel="recall@5", xlim=(0, 1.1))
    axes.invert_yaxis()


def _words(name: str) -> str:
    return name.replace("_", " ")
