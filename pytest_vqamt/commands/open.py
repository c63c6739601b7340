"""``vqamt open``: opens the page of a report in the browser."""

from __future__ import annotations

import argparse
import os
import sys
import webbrowser
from pathlib import Path

from pytest_vqamt.commands.main import ExitStatus
from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.integration.replaying import newest_below
from pytest_vqamt.reporting.files import PAGE


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    parser.epilog = "Prints the path of the page. Without a display it is not opened."
    parser.add_argument(
        "folder",
        metavar="DIR",
        nargs="?",
        type=Path,
        help="what --vqamt-report named (default: the newest report at most two folders below this one)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Opens the page, and prints its path.

    Raises:
        OptionError: there is no page.
    """
    page = _newest() if arguments.folder is None else arguments.folder / PAGE
    if not page.is_file():
        raise OptionError(
            f"Expected a folder with {PAGE}, but got {str(page.parent)!r}, which has none: name what --vqamt-report "
            f"named, or write the page with `vqamt report {page.parent}`"
        )
    # First, so that the path is there even if opening a browser hangs.
    print(page.resolve(), flush=True)
    if not has_display():
        print("vqamt: the page is not opened, since there is no display", file=sys.stderr)
    elif not webbrowser.open(page.resolve().as_uri()):
        print("vqamt: the page is not opened, since no browser was found", file=sys.stderr)
    return ExitStatus.OK


def _newest() -> Path:
    pages = newest_below(PAGE)
    if not pages:
        raise OptionError(
            f"Expected a report at most two folders below {str(Path.cwd())!r}, but there is no {PAGE}: name the folder "
            "of the report"
        )
    return pages[0]


def has_display() -> bool:
    """True if a browser with a window can be opened; one in the terminal would take it over."""
    if sys.platform in ("darwin", "win32"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))
