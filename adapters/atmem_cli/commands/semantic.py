"""``atmem semantic``: which model serves whom, looked at, put to use, verified, rolled back."""

import os
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Annotated

import typer

from atmem_cli import options
from atmem_cli.failures import CommandGroup, Problems
from atmem_cli.listing import pairs, plain_table
from atmem_cli.opening import existing, existing_or_new
from atmem_cli.output import console, plain, print_json
from atmem_cli.progress import bar
from atmem_core import EmbeddingIdentity, Epoch, ModelOffer, ProfileSet, ProfileVerified, SemanticStatus

app = typer.Typer(cls=CommandGroup, no_args_is_help=True, help="Models: which one serves whom.")

Owner = Annotated[
    str | None,
    typer.Option("--subject", metavar="S", envvar="ATMEM_SUBJECT", help="Whose model."),
]
FileDefault = Annotated[
    bool,
    typer.Option("--file-default", help="The model of every subject without one of its own."),
]
Provider = Annotated[
    str | None,
    typer.Option("--provider", metavar="P", help="Kind of embedder; without it models are listed."),
]
Model = Annotated[str | None, typer.Option("--model", metavar="M", help="The provider's model.")]
ModelVersion = Annotated[
    str | None, typer.Option("--model-version", metavar="V", help="Revision or digest it must have.")
]
Dimensions = Annotated[
    int | None, typer.Option("--dimensions", metavar="N", min=1, help="What it must give.")
]
BaseUrl = Annotated[str | None, typer.Option("--base-url", metavar="URL", help="Of a server.")]
AllowDownload = Annotated[bool, typer.Option("--allow-download", help="Fetch a model that is missing.")]
HostTest = Annotated[
    str | None,
    typer.Option("--host-test", metavar="CMD", help="Run before the switch; must end with status 0."),
]


@app.command()
def status(
    database: options.Database,
    *,
    subject: Owner = None,
    file_default: FileDefault = False,
    json: options.Json = False,
) -> None:
    """Which model serves, how it is, and what to do next. Changes nothing."""
    owner = _owner(subject, file_default=file_default)
    with existing(database) as memory:
        found = memory.semantic.status(subject=owner)
    if json:
        print_json(found)
    else:
        _print_status(found)


@app.command()
def setup(
    database: options.Database,
    *,
    subject: Owner = None,
    file_default: FileDefault = False,
    provider: Provider = None,
    model: Model = None,
    model_version: ModelVersion = None,
    dimensions: Dimensions = None,
    base_url: BaseUrl = None,
    allow_download: AllowDownload = False,
    host_test: HostTest = None,
    json: options.Json = False,
) -> None:
    """Build a model's vectors beside those in use; switch when gate and host agree.

    Without --provider: which models there are, and which is recommended. Changes nothing then.
    """
    owner = _owner(subject, file_default=file_default)
    if provider is None:
        _recommend(database, owner, json=json)
        return
    with existing_or_new(database) as memory, bar("embedding", quiet=json) as tell:
        done = memory.semantic.setup(
            subject=owner,
            provider=provider,
            model=model,
            model_version=model_version,
            dimensions=dimensions,
            base_url=base_url,
            allow_download=allow_download,
            host_test=_HostTest(host_test, database, owner) if host_test is not None else None,
            progress=tell,
        )
    _print_set(done, json=json)


@app.command()
def verify(
    database: options.Database,
    *,
    subject: Owner = None,
    file_default: FileDefault = False,
    json: options.Json = False,
) -> None:
    """Run the gate on the model in use; exit status 1 when it doesn't pass."""
    owner = _owner(subject, file_default=file_default)
    with existing(database) as memory:
        found = memory.semantic.verify(subject=owner)
    if json:
        print_json(found)
    else:
        _print_verified(found)
    if not found.passed:
        raise Problems("the model doesn't pass")


@app.command()
def rebuild(
    database: options.Database,
    *,
    subject: Owner = None,
    file_default: FileDefault = False,
    host_test: HostTest = None,
    json: options.Json = False,
) -> None:
    """Set the model in use up again, as its provider has it now."""
    owner = _owner(subject, file_default=file_default)
    with existing(database) as memory, bar("embedding", quiet=json) as tell:
        done = memory.semantic.rebuild(
            subject=owner,
            host_test=_HostTest(host_test, database, owner) if host_test is not None else None,
            progress=tell,
        )
    _print_set(done, json=json)


@app.command()
def rollback(
    database: options.Database,
    *,
    subject: Owner = None,
    file_default: FileDefault = False,
    json: options.Json = False,
) -> None:
    """Return to the model before, at once: its vectors are still there."""
    owner = _owner(subject, file_default=file_default)
    with existing(database) as memory:
        epoch = memory.semantic.rollback(subject=owner)
    if json:
        print_json(epoch)
    else:
        console().print(plain(f"back to {epoch.identity.model}, epoch {epoch.number}"))


_STDERR = 2
"""The file itself: standard output is for what a program reads."""


class _HostTest:
    """Runs the host's command; what it prints goes to standard error."""

    def __init__(self, command: str, database: Path, owner: str | None) -> None:
        self._command = shlex.split(command)
        if not self._command:
            raise typer.BadParameter("is empty", param_hint="--host-test")
        if shutil.which(self._command[0]) is None:
            raise typer.BadParameter(f"there is no program {self._command[0]}", param_hint="--host-test")
        self._environment = {"ATMEM_DB": str(database), "ATMEM_SUBJECT": owner or ""}

    def __call__(self, identity: EmbeddingIdentity) -> int:
        environment = {**os.environ, **self._environment, "ATMEM_IDENTITY": identity.digest}
        done = subprocess.run(  # noqa: S603 - the command is what the person gave
            self._command, check=False, stdin=subprocess.DEVNULL, stdout=_STDERR, env=environment
        )
        return done.returncode


def _owner(subject: str | None, *, file_default: bool) -> str | None:
    if file_default:
        return None
    if subject is None:
        raise typer.BadParameter("give a subject, or --file-default", param_hint="--subject")
    return subject


def _recommend(database: Path, owner: str | None, *, json: bool) -> None:
    with existing(database) as memory:
        found = memory.semantic.status(subject=owner)
    if json:
        best = next((one.name for one in found.models if one.recommended), None)
        print_json({"changed": False, "recommended": best, "models": found.models, "health": found.health})
        return
    _print_models(found.models)
    advised = next(one for one in found.models if one.recommended)
    whose = "--file-default" if owner is None else f"--subject {shlex.quote(owner)}"
    command = f"atmem semantic setup {shlex.quote(str(database))} {whose} {advised.setup}"
    out = console()
    out.print()
    out.print(f"recommended: {advised.name}; nothing was changed. To use it:")
    out.print(plain(command), soft_wrap=True)


def _print_models(models: tuple[ModelOffer, ...]) -> None:
    table = plain_table("model", "provider", "MB", "licence", "installed", "languages")
    for one in models:
        megabytes, installed = f"{one.size_bytes / 1e6:.0f}", "yes" if one.installed else "no"
        table.add_row(one.name, one.provider, megabytes, one.licence, installed, " ".join(one.languages))
    console().print(table)


def _print_status(found: SemanticStatus) -> None:
    rows = [("health", found.health.value), ("found", found.detail)]
    if found.identity is not None:
        rows.append(("model", f"{found.identity.provider} {found.identity.model}"))
        rows.append(("identity", found.digest or ""))
    rows.append(("epoch", "none" if found.epoch is None else str(found.epoch)))
    rows.append(("next", found.next_action or "nothing has to be done"))
    out = console()
    out.print(pairs((name, plain(value)) for name, value in rows))
    if found.epochs:
        out.print(_epochs(found.epochs))
    out.print()
    _print_models(found.models)


def _epochs(epochs: tuple[Epoch, ...]) -> object:
    table = plain_table("epoch", "state", "from", "to", "model")
    for one in epochs:
        span = (one.active_from, one.active_to)
        times = ("" if moment is None else f"{moment:%Y-%m-%d %H:%M}" for moment in span)
        state = f"{one.state.value}, pruned" if one.pruned else one.state.value
        table.add_row(str(one.number), state, *times, plain(one.identity.model))
    return table


def _print_set(done: ProfileSet, *, json: bool) -> None:
    if json:
        print_json(done)
        return
    console().print(
        plain(
            f"{done.epoch.identity.model} serves, epoch {done.epoch.number}: "
            f"{done.embedded} records embedded, {done.reused} vectors used again"
        )
    )


def _print_verified(found: ProfileVerified) -> None:
    coverage = f"{found.coverage.vectors} of {found.coverage.records} records have a vector"
    rows = [
        ("passed", "yes" if found.passed else "no"),
        ("reasons", " ".join(found.reasons) or "none"),
        ("vectors", coverage),
    ]
    figures = ("mrr_at_5", "no_answer_accuracy", "threshold")
    measured = [(name, str(found.gate[name])) for name in figures if name in found.gate]
    console().print(pairs([*rows, *measured]))
