"""``atmem openclaw``: where the plugin for OpenClaw lies."""

from pathlib import Path

import typer

from atmem_core.errors import AtmemError

app = typer.Typer(help="The plugin for OpenClaw.", no_args_is_help=True)
_PACKAGE = Path(__file__).resolve().parents[1]
# In a wheel the folder is inside this package; in a source tree it stands beside it.
_PLACES = (_PACKAGE / "openclaw", _PACKAGE.parent / "openclaw")


class NoPlugin(AtmemError):
    """The plugin's files aren't in this installation."""

    def __init__(self) -> None:
        super().__init__("the plugin's folder isn't in this installation; install atmem-core's wheel anew")


@app.callback()
def _openclaw() -> None:
    """The plugin for OpenClaw."""


@app.command()
def path() -> None:
    """Print the folder of the plugin: `openclaw plugins install --link "$(atmem openclaw path)"`."""
    for place in _PLACES:
        if (place / "openclaw.plugin.json").is_file():
            print(place)
            return
    raise NoPlugin
