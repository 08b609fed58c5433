"""``atmem eval gate``: may the vectors of an embedding model support a decision?"""

from typing import TYPE_CHECKING

import typer

from atmem_cli.embedders import Choice, model
from atmem_cli.failures import Problems
from atmem_cli.listing import pairs
from atmem_cli.output import console, print_json

if TYPE_CHECKING:
    from atmem_core.evaluation.gate import GateReport

NAME = "gate"
"""What stands in the place of a data set."""
_TAKES = {"dataset", "embedder", "json"}


def gate(embedder: Choice, context: typer.Context, *, json: bool) -> None:
    """Run a model on the held-out questions of the gate; exit status 1 when it doesn't pass."""
    _refuse_more(context)
    from atmem_core.evaluation.gate import run_gate  # noqa: PLC0415 - see evaluate.LAYOUTS

    report = run_gate(model(embedder))
    if json:
        print_json(report)
    else:
        _print(report)
    if not report.passed:
        raise Problems("the model doesn't pass")


def _refuse_more(context: typer.Context) -> None:
    """An option that would have no effect is a mistake of whoever gave it."""
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if parameter.name not in _TAKES and source is not None and source.name == "COMMANDLINE":
            raise typer.BadParameter(
                "is for data sets; the gate takes --embedder and --json alone", param_hint=parameter.opts[0]
            )


def _print(report: "GateReport") -> None:
    figures = (
        ("passed", "yes" if report.passed else "no"),
        ("MRR@5", f"{report.mrr_at_5:.3f} of 1, over {report.paraphrases} paraphrases"),
        ("no answer", f"{report.no_answer_accuracy:.3f} of 1, over {report.unrelated} unrelated questions"),
        ("candidates", f"{report.notes} notes a question"),
        ("threshold", f"{report.threshold:.3f}, a cosine, from other questions on other notes"),
        ("failed cases", " ".join(report.failures) or "none"),
        ("answered", f"{report.answered:.3f}, paraphrases first and above the threshold; not required"),
        ("least lead", f"{report.lead:.3f}, of a right note over the best other one"),
        ("separation", f"{report.separation:.3f}, lowest right note less highest unrelated one"),
        ("medians", f"{report.median_right:.3f} right, {report.median_unrelated:.3f} unrelated"),
        ("identity", report.identity),
        ("cases", report.cases[:32]),
    )
    console().print(pairs(figures))
