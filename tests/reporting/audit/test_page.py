"""The page in a real browser: ticked by keys and by mouse, kept, downloaded, and nothing asked of any network."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PIL import Image

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.query import Task
from pytest_vqamt.reporting.audit.audit_page import audit_html
from pytest_vqamt.reporting.audit.judgements import Judgement, read_judgements
from pytest_vqamt.reporting.audit.sample import AuditCase, AuditTarget, Sample, SampleSettings
from pytest_vqamt.reporting.audit.sheet import EditBox, SheetCase, SheetPicture, SheetQuery, csv_text, sheet_row
from tests.reporting.audit.made_reports import row
from tests.reporting.html.browser import browser, opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


EVIL = "<img src=x onerror=\"document.title='run'\"></script><script>document.title='run'</script> & \u2028 'quoted'"
CASES = tuple(AuditCase(row=row(number), where="", item="ours.one", model="tiny") for number in range(5))


def picture(colour: tuple[int, int, int]) -> bytes:
    file = BytesIO()
    Image.new("RGB", (60, 30), colour).save(file, format="png")
    return file.getvalue()


def shown(drawn: AuditCase, of: AuditTarget) -> SheetCase:
    """All that may come from data or a model is evil."""
    answer = EVIL if of is AuditTarget.VIOLATIONS else None
    asked = tuple(SheetQuery(number=n, text=EVIL, task=Task.VQA, manner="", answer=answer) for n in range(2))
    edits = (EditBox(label=EVIL, box=Box(10, 5, 20, 10)),)
    photo, edited = (
        SheetPicture(
            digest=digest, image=picture(colour), kind="png", frame=(600, 300), edits=boxes, note=note, asked=(said,)
        )
        for digest, colour, boxes, note, said in (
            ("a", (0, 90, 200), (), "", asked[0]),
            ("b", (200, 90, 0), edits, EVIL, asked[1]),
        )
    )
    verdict = "violated" if answer else ""
    return SheetCase(
        drawn=drawn, claim=EVIL, expected=EVIL, verdict=verdict, reason=answer or "", pictures=(photo, edited)
    )


def made(of: AuditTarget = AuditTarget.VIOLATIONS) -> tuple[Sample, str, str]:
    """A sample, its page, and its sheet."""
    sample = Sample(draw=SampleSettings(of=of), cases=CASES, population={"ours.one": 9})
    cases = [shown(drawn, of) for drawn in CASES]
    rows = [sheet_row(each, sample) for each in cases]
    return sample, audit_html(sample, cases, rows), csv_text(rows)


class Elements(HTMLParser):
    """Collects the elements of a page with their attributes, and what stands in scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.inside: dict[str, list[str]] = {"script": [], "style": []}
        self._open = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self._open = tag

    def handle_data(self, data: str) -> None:
        if self._open in self.inside:
            self.inside[self._open].append(data)

    def handle_endtag(self, tag: str) -> None:
        self._open = ""


@pytest.mark.parametrize("of", AuditTarget)
def test_what_comes_from_data_or_a_model_is_text(of: AuditTarget) -> None:
    elements = Elements(made(of)[1]).found
    assert not [tag for tag, _ in elements if tag in ("img", "iframe", "object", "embed", "a", "form")]
    assert len([tag for tag, _ in elements if tag == "script"]) == 2
    assert not [name for _, attributes in elements for name in attributes if name.startswith("on") or name == "style"]


@pytest.mark.parametrize("of", AuditTarget)
def test_a_browser_may_run_this_script_alone_and_load_nothing(of: AuditTarget) -> None:
    page = Elements(made(of)[1])
    (policy,) = [str(each["content"]) for tag, each in page.found if tag == "meta" and "http-equiv" in each]
    of_script, of_style = (
        f"'sha256-{b64encode(sha256(page.inside[name][-1].encode()).digest()).decode()}'"
        for name in ("script", "style")
    )
    assert policy == (
        f"default-src 'none'; img-src data:; script-src {of_script}; style-src {of_style}; base-uri 'none'; "
        "form-action 'none'"
    )
    addresses = [each[name] for _, each in page.found for name in ("src", "href") if name in each]
    assert all(str(address).startswith("data:") for address in addresses)


def test_who_judges_a_test_finds_no_answer_in_the_page() -> None:
    for text in (made(AuditTarget.ALL)[1], made(AuditTarget.ALL)[2]):
        assert "violated" not in text
        assert "answer}" not in text
    assert 'class="answer"' in made(AuditTarget.VIOLATIONS)[1]
    assert 'class="answer"' not in made(AuditTarget.ALL)[1]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as started:
        yield started


@pytest.fixture
def file(tmp_path: Path) -> Path:
    page = tmp_path / "audit.html"
    page.write_text(made()[1], encoding="utf-8", newline="")
    return page


@contextmanager
def ticking(chromium: Browser, file: Path, *, width: int = 1280, keeps: bool = True) -> Iterator[Ticking]:
    """The page, of which nothing may complain or ask for anything; ``keeps`` says whether the browser has a memory."""
    with opened(chromium, file, width=width) as shown:
        if not keeps:
            shown.page.add_init_script("Object.defineProperty(window, 'localStorage', { get() { throw 'no'; } })")
            shown.page.reload()
        yield Ticking(shown.page)
        assert shown.complaints == []
        assert {url for url in shown.requests if not url.startswith(("data:", "blob:"))} == {file.as_uri()}


class Ticking:
    """What a person does with the page, and sees of it."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def press(self, keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    @property
    def told(self) -> str:
        return self.page.locator("#status").inner_text()

    @property
    def heading(self) -> str:
        return self.page.locator("article:visible h2 .number").inner_text()

    def downloaded(self, into: Path) -> Path:
        with self.page.expect_download() as started:
            self.page.get_by_role("button", name="Download the sheet").click()
        assert started.value.suggested_filename == "audit.csv"
        started.value.save_as(into)
        return into


@pytest.mark.full
def test_three_cases_are_ticked_by_keys_and_read_back(chromium: Browser, file: Path, tmp_path: Path) -> None:
    sample, _, untouched = made()
    with ticking(chromium, file) as seen:
        assert seen.heading == "1 of 5"
        seen.press("vji")
        seen.page.keyboard.press("n")
        seen.page.keyboard.type('=the "dog", cut off; j')
        seen.page.keyboard.press("Escape")
        seen.press("ju")
        assert (seen.heading, seen.told) == ("3 of 5", "3 of 5 judged: 1 valid, 1 invalid, 1 unsure")
        sheet = seen.downloaded(tmp_path / "audit.csv")
        read = read_judgements(sheet, sample, bool)
        words = [Judgement.VALID, Judgement.INVALID, Judgement.UNSURE]
        assert read.judgements == {drawn.key: word for drawn, word in zip(CASES, words, strict=False)}
        assert read.notes == {CASES[1].key: '=the "dog", cut off; j'}
        # But for what was ticked it is the sheet beside the page, byte by byte.
        lines, before = sheet.read_bytes().split(b"\r\n"), untouched.encode().split(b"\r\n")
        assert [lines[0], *lines[4:]] == [before[0], *before[4:]]
        assert lines[1] == before[1].replace(b'"","","violations"', b'"valid","","violations"')


@pytest.mark.full
def test_a_tick_is_taken_back_and_the_next_open_case_found(chromium: Browser, file: Path) -> None:
    with ticking(chromium, file) as seen:
        seen.press("vvujjvkkk")
        assert (seen.heading, seen.told) == ("1 of 5", "2 of 5 judged: 1 valid, 0 invalid, 1 unsure")
        seen.press("g")
        assert seen.heading == "2 of 5"
        seen.press("ig")
        assert seen.heading == "4 of 5"
        seen.press("jjj")
        assert seen.heading == "5 of 5"
        seen.press("ug")
        assert seen.heading == "4 of 5"


@pytest.mark.full
def test_what_was_ticked_is_there_when_the_page_is_opened_again(chromium: Browser, file: Path) -> None:
    with ticking(chromium, file) as seen:
        seen.press("vji")
        seen.page.locator("article:visible .why").fill("cut off")
        seen.page.reload()
        assert (seen.heading, seen.told) == ("3 of 5", "2 of 5 judged: 1 valid, 1 invalid, 0 unsure")
        seen.press("k")
        assert seen.page.locator("article:visible .why").input_value() == "cut off"
        assert seen.page.locator("article:visible [aria-pressed=true]").inner_text().startswith("invalid")
        assert seen.page.locator("#kept").is_hidden()


@pytest.mark.full
def test_a_browser_that_keeps_nothing_is_told_of_and_still_works(chromium: Browser, file: Path, tmp_path: Path) -> None:
    with ticking(chromium, file, keeps=False) as seen:
        assert seen.page.locator("#kept").is_visible()
        seen.press("v")
        sheet = seen.downloaded(tmp_path / "audit.csv")
        assert list(read_judgements(sheet, made()[0], bool).judgements.values()) == [Judgement.VALID]


@pytest.mark.full
@pytest.mark.parametrize("width", [390, 1280])
def test_it_is_ticked_by_mouse_at_any_width(width: int, chromium: Browser, file: Path) -> None:
    with ticking(chromium, file, width=width) as seen:
        seen.page.get_by_role("button", name=re.compile("^invalid")).click()
        seen.page.get_by_role("button", name="Next").click()
        assert (seen.heading, seen.told) == ("2 of 5", "1 of 5 judged: 0 valid, 1 invalid, 0 unsure")
        wide = seen.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, "no sideways scrolling"
        pictures = seen.page.locator("article:visible svg")
        boxes = [pictures.nth(place).bounding_box() for place in range(pictures.count())]
        assert len(boxes) == 2
        assert all(box and abs(box["width"] - 2 * box["height"]) < 4 and box["width"] > 300 for box in boxes)


@pytest.mark.full
def test_the_outlines_go_and_come_back(chromium: Browser, file: Path) -> None:
    with ticking(chromium, file) as seen:
        edit = seen.page.locator("article:visible .edit .line")
        assert edit.is_visible()
        seen.press("o")
        assert edit.is_hidden()
        seen.press("o")
        assert edit.is_visible()


@pytest.mark.full
def test_evil_text_stays_text(chromium: Browser, file: Path) -> None:
    with ticking(chromium, file) as seen:
        assert seen.page.title() == "Audit: 5 of 9 violations", "no script of the text has run"
        shown = EVIL.replace("\u2028", "\\u2028")  # what would begin a line is shown by its escape
        assert seen.page.locator("article:visible .claim").text_content() == shown
