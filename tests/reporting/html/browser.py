"""A browser for the tests of the page, and what a page did that it should not have done."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NoReturn

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


_PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
_REQUIRED = os.environ.get("VQAMT_BROWSER") == "required"
"""Where it is, that there is no browser is a failure; elsewhere the tests are skipped."""


@contextmanager
def browser() -> Iterator[Browser]:
    """The system's Chromium, or playwright's own."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        _without("playwright is not installed")
    program = next(filter(None, map(shutil.which, _PROGRAMS)), None)
    with sync_playwright() as playwright:
        try:
            # As root Chromium does not start with its sandbox, and a page of our own needs none.
            started = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        except Error as error:
            _without(f"no browser starts: {error}")
        yield started
        started.close()


def _without(reason: str) -> NoReturn:
    if _REQUIRED:
        pytest.fail(f"VQAMT_BROWSER=required, but {reason}")
    pytest.skip(reason)


_AXE = Path(os.environ.get("VQAMT_AXE", "node_modules/axe-core/axe.min.js"))
"""Made by ``npm install --no-save axe-core``."""


def axe_violations(page: Page) -> list[str]:
    """What axe-core finds serious or critical on the page as it is."""
    if not _AXE.is_file():
        pytest.skip(f"no axe-core at {str(_AXE)!r}: `npm install --no-save axe-core`")
    page.evaluate(_AXE.read_text(encoding="utf-8"))
    found = page.evaluate("async () => (await axe.run(document, {resultTypes: ['violations']})).violations")
    return [
        f"{each['id']}: {node['html']}"
        for each in found
        if each["impact"] in ("serious", "critical")
        for node in each["nodes"]
    ]


@dataclass
class Opened:
    """A page, with what it said on the console, what it asked for, and what of that the browser did not let it have."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    blocked: list[str] = field(default_factory=list)


@contextmanager
def opened(
    started: Browser,
    file: Path,
    *,
    part: str = "",
    width: int = 1280,
    scheme: Literal["light", "dark"] = "light",
    scripts: bool = True,
) -> Iterator[Opened]:
    """The page of ``file`` from the disk, ``part`` being what stands behind it in the address."""
    context = started.new_context(
        viewport={"width": width, "height": 800}, color_scheme=scheme, java_script_enabled=scripts
    )
    made = Opened(context.new_page())
    made.page.on("console", lambda message: made.complaints.append(message.text))
    made.page.on("pageerror", lambda error: made.complaints.append(str(error)))
    made.page.on("request", lambda request: made.requests.append(request.url))
    made.page.on("requestfailed", lambda request: made.blocked.append(request.url))
    made.page.goto(f"{file.as_uri()}{part}")
    yield made
    context.close()
