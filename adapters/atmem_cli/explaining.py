"""A decision that a person can follow: each record, each signal, each reason, and what would change it."""

import sys
from collections.abc import Mapping

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from atmem_cli.deciding import what_decided
from atmem_cli.listing import pairs, plain_table, told
from atmem_cli.output import console, one_line, plain, speaks_utf
from atmem_cli.sentences import CLASSES, COLOURS, REASONS, SIGNALS, headline
from atmem_core import Decision, JudgedCandidate, Note, ReasonCode, SignalContribution, SupportClass

_BAR_CELLS = 16
_PREVIEW_CHARS = 240


def print_decision(decision: Decision) -> None:
    """The short form: what it comes to and why; ids, no content."""
    out = console()
    out.print(_headline(decision))
    scores = {one.record_id: one.relevance_score for one in decision.candidates}
    for record_id in decision.ranked_record_ids:
        score = scores.get(record_id)
        relevance = "" if score is None else f"  relevance {score:.2f}"
        out.print(Text(f"  {record_id}{relevance}"))
    for sentence in _sentences(decision.reason_codes):
        out.print(Text(f"  {sentence}"))
    for sentence in _sentences(decision.degraded):
        out.print(Text(f"  {sentence}", style="yellow"))
    out.print(Text(f"  {withheld(decision)}"))


def print_explained(decision: Decision, notes: Mapping[str, Note], *, most: int) -> None:
    """The long form.

    Args:
        decision: What to explain.
        notes: Records to show beside their id; empty hides all text.
        most: Candidates to show, best first.
    """
    out = console()
    out.print(_headline(decision))
    for sentence in _sentences(decision.reason_codes):
        out.print(Text(sentence))
    for number, candidate in enumerate(decision.candidates[:most], start=1):
        out.print()
        out.print(_panel(number, candidate, decision, notes.get(candidate.record_id)))
    hidden = len(decision.candidates) - most
    if hidden > 0:
        out.print(Text(f"{hidden} more below these; --limit {len(decision.candidates)} shows all."))
    out.print()
    out.print(pairs(_circumstances(decision)))


def withheld(decision: Decision) -> str:
    """How many records were seen and kept back, by class."""
    seen = [f"{count} {CLASSES[SupportClass(name)]}" for name, count in decision.withheld.items() if count]
    return f"Seen and not released: {', '.join(seen) or 'none'}."


def _headline(decision: Decision) -> Text:
    support = decision.support_class
    line = headline(support, len(decision.ranked_record_ids))
    return Text(line, style=f"bold {COLOURS[support]}")


def _sentences(codes: tuple[ReasonCode, ...]) -> list[str]:
    return [f"{REASONS[code]} ({code.value})" for code in codes]


def _panel(number: int, candidate: JudgedCandidate, decision: Decision, note: Note | None) -> RenderableType:
    support = candidate.support_class
    released = candidate.record_id in decision.ranked_record_ids
    title = f"{number}  {CLASSES[support]}  {'released' if released else 'not released'}"
    why = [Text(f"Why: {sentence}") for sentence in _sentences(candidate.reason_codes)]
    parts: list[RenderableType] = [
        _record(candidate, note),
        Text(),
        _signals(candidate),
        Text(),
        *why,
        *(Text(sentence) for sentence in what_decided(candidate, decision)),
    ]
    return Panel(
        Group(*parts),
        title=Text(title, style=f"bold {COLOURS[support]}"),
        title_align="left",
        border_style=COLOURS[support],
    )


def _record(candidate: JudgedCandidate, note: Note | None) -> Text:
    scores = f"relevance {candidate.relevance_score:.3f}  rank {candidate.rank_score:.3f}"
    if note is None:
        return Text(f"{candidate.record_id}  {scores}")
    head = f"{note.id}  {scores}  {told(note)}  {plain(note.speaker)}"
    return Text(f"{head}\n“{one_line(note.text, _PREVIEW_CHARS)}”")


def _signals(candidate: JudgedCandidate) -> Table:
    table = plain_table("signal", "score", "", "may support", "measures")
    for part in candidate.contributions:
        support = "yes" if part.eligible_for_support else "no"
        number = f"{part.normalized_score:.2f}"
        table.add_row(part.name, _bar(part), number, support, SIGNALS.get(part.name, ""))
    return table


def _bar(part: SignalContribution) -> Text:
    """Cells filled by the score; dim when it can't support."""
    full, empty = ("█", "░") if speaks_utf(sys.stdout) else ("#", ".")
    cells = round(part.normalized_score * _BAR_CELLS)
    style = "green" if part.eligible_for_support else "bright_black"
    return Text(full * cells + empty * (_BAR_CELLS - cells), style=style)


def _circumstances(decision: Decision) -> list[tuple[str, str]]:
    """What judged, against what, and what was missing."""
    rows = [
        *_limits(decision.thresholds),
        ("withheld", withheld(decision)),
        (
            "judged by",
            f"policy {decision.policy_version}, calibration {decision.calibration_version}",
        ),
    ]
    if decision.semantic is not None:
        profile = decision.semantic
        rows.append(("semantic", f"profile {profile.identity}, {profile.health}"))
    missing = _sentences(decision.degraded)
    rows += [("degraded", sentence) for sentence in missing] or [("degraded", "no")]
    rows.append(("decision", f"{decision.decision_id}, {decision.decided_at.isoformat()}"))
    return rows


def _limits(limits: Mapping[str, float]) -> list[tuple[str, str]]:
    told = f"direct support from {limits['direct']:.3f}, background context from {limits['background']:.3f}"
    rows = [("thresholds", told)]
    if "judge_bar" in limits:
        bar, weight = limits["judge_bar"], limits["judge_weight"]
        rows.append(("judge", f"in log odds, {weight:.3f} of its answer and relevance must reach {bar:.3f}"))
    return rows
