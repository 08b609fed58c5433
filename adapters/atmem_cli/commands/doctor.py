"""``atmem doctor``: is everything well, and what to do where it isn't."""

from collections.abc import Sequence
from pathlib import Path

from rich.text import Text

from atmem_cli import options
from atmem_cli.failures import Problems
from atmem_cli.file_system import network_file_system
from atmem_cli.listing import pairs, plain_table
from atmem_cli.opening import existing
from atmem_cli.output import console, plain, print_json
from atmem_core import Check, CheckStatus, DoctorReport, Memory, Settings, StoreStats, load_settings
from atmem_core.errors import AtmemError, StoreError

_COLOURS = {CheckStatus.OK: "green", CheckStatus.WARN: "yellow", CheckStatus.FAIL: "bold red"}
_SUBJECT = "doctor"
_STATEMENT = "The spare key hangs behind the door of the boiler room."
_QUESTION = "Where does the spare key hang?"


def doctor(
    database: options.Database,
    *,
    subject: options.SomeSubject = None,
    json: options.Json = False,
) -> None:
    """Look at file, driver and model; exit status 1 when something is broken."""
    try:
        with existing(database) as memory:
            checks, stats = memory.doctor().checks, memory.stats(subject)
    except StoreError as error:
        checks, stats = (Check(name="file", status=CheckStatus.FAIL, detail=str(error)),), None
    around = [_size(stats)] if stats is not None else []
    report = DoctorReport(checks=(*checks, *around, *_surroundings(database), round_trip()))
    settings = load_settings()
    if json:
        print_json(
            {
                "settings": {
                    name: {"value": _value(settings, name), "origin": origin}
                    for name, origin in settings.origins.items()
                },
                "database": str(database),
                "healthy": report.healthy,
                "checks": report.checks,
                "subject": subject,
                "stats": stats,
            }
        )
    else:
        _print_report(report.checks, stats, subject)
        _print_settings(settings)
    if not report.healthy:
        raise Problems("something is broken")


def round_trip() -> Check:
    """A statement of ours, stored, recalled and rendered in a memory that is gone afterwards."""
    try:
        with Memory.open(":memory:") as memory:
            note = memory.remember(_STATEMENT, subject=_SUBJECT)
            block = memory.context(_QUESTION, subject=_SUBJECT)
    except AtmemError as error:
        return Check(name="round trip", status=CheckStatus.FAIL, detail=str(error))
    if block.record_ids == (note.id,) and _STATEMENT in block.text:
        return Check(
            name="round trip",
            status=CheckStatus.OK,
            detail="a statement was stored, judged and put into a context block",
        )
    detail = f"a statement was stored and not released: {block.decision.support_class.value}"
    return Check(name="round trip", status=CheckStatus.FAIL, detail=detail)


def _size(stats: StoreStats) -> Check:
    detail = f"{stats.file_bytes} bytes, write-ahead log {stats.wal_bytes} bytes"
    return Check(name="size", status=CheckStatus.OK, detail=detail)


def _surroundings(database: Path) -> list[Check]:
    kind = network_file_system(database)
    if kind is None:
        return []
    detail = (
        f"{kind} is a network file system: several machines on one file can damage it; "
        "keep it on a local disk"
    )
    return [Check(name="file system", status=CheckStatus.WARN, detail=detail)]


def _value(settings: Settings, name: str) -> object:
    """As JSON has it; of a key, where it is read from."""
    value = getattr(settings.config, name)
    return value if value is None or isinstance(value, bool | int | str) else repr(value)


def _print_settings(settings: Settings) -> None:
    """What isn't as it comes, and where that was said."""
    out = console()
    changed = [(name, origin) for name, origin in settings.origins.items() if origin != "default"]
    out.print()
    if not changed:
        out.print("Settings: as they come.")
        return
    table = plain_table("setting", "value", "from")
    for name, origin in changed:
        table.add_row(name, Text(plain(str(_value(settings, name)))), Text(plain(origin)))
    out.print(table)


def _print_report(checks: Sequence[Check], stats: StoreStats | None, subject: str | None) -> None:
    out = console()
    table = plain_table("", "check", "what was found")
    for check in checks:
        status = Text(check.status.value, style=_COLOURS[check.status])
        table.add_row(status, check.name, Text(plain(check.detail)))
    out.print(table)
    if stats is not None and subject is not None:
        out.print()
        out.print(f"Records of {plain(subject)}:")
        counts = ("notes", "superseded", "forgotten", "archived", "vectors", "awaiting_vector")
        out.print(pairs((name.replace("_", " "), str(getattr(stats, name))) for name in counts))
