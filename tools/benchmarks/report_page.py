"""How fast a page of 1,000 cards is in Chromium. Aim: it opens, filters, sorts and shows all cards in 1.5 s each.

Needs playwright, and Chromium where playwright or the system has it.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING
from zlib import crc32

import pytest_vqamt as vqamt
from tools.benchmarks.measuring import show

if TYPE_CHECKING:
    from PIL.Image import Image
    from playwright.sync_api import Browser, Page

_RUNS = 3
_PAINTED = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))"
_CHOOSE = """([name, value]) => {
    const select = document.forms.filters.elements[name];
    select.value = value;
    select.dispatchEvent(new Event("change"));
}"""
_CLICK = "id => document.getElementById(id).click()"
_SCROLL = "() => scrollTo(0, document.body.scrollHeight)"
_STEPS: tuple[tuple[str, str, object], ...] = (
    ("show all cards", _CLICK, "rest"),
    ("scroll to the end", _SCROLL, None),
    ("sort by relation", _CHOOSE, ["sort", "relation"]),
    ("filter by verdict", _CHOOSE, ["verdict", "violated"]),
    ("clear the filters", _CLICK, "clear"),
)


def main() -> None:
    with TemporaryDirectory() as folder:
        vqamt.run(model=_wrong, data="pictures:500", relations="all", max_cases=40, sampler="random", report=folder)
        _measure(Path(folder) / "report.html")


def _wrong(image: Image, question: str) -> str:
    """Answers of the right form, most of them wrong and no two related."""
    number = crc32(question.encode() + image.resize((4, 4)).tobytes()) % 5
    return str(number) if question.startswith("How many") else "yes" if number > 1 else "no"


def _measure(file: Path) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # As root Chromium does not start with its sandbox, and a page of our own needs none.
        started = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        runs = [_visit(started, file) for _ in range(_RUNS)]
        started.close()
    cards = int(runs[0].pop("cards"))
    rows = [
        (step, f"{min(run[step] for run in runs):.2f}", f"{max(run[step] for run in runs):.2f}") for step in runs[0]
    ]
    size_mb = file.stat().st_size / 1e6
    show(f"The page of a report, {cards:,} cards, {size_mb:.1f} MB, until painted", ("", "least s", "most s"), rows)


def _visit(started: Browser, file: Path) -> dict[str, float]:
    page = started.new_page(viewport={"width": 1440, "height": 900})
    start = perf_counter()
    page.goto(file.as_uri())
    page.evaluate(_PAINTED)
    seconds = {"open": perf_counter() - start}
    for name, script, argument in _STEPS:
        seconds[name] = _painted_s(page, script, argument)
        if name == "show all cards":
            seconds["cards"] = page.locator(".card").count()
    page.close()
    return seconds


def _painted_s(page: Page, script: str, argument: object) -> float:
    start = perf_counter()
    page.evaluate(script, argument)
    page.evaluate(_PAINTED)
    return perf_counter() - start
