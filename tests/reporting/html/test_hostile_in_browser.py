"""In a browser, too, a text of data or a model is text: in cards, filters, the enlarged picture and the address."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest

from tests.reporting.html.browser import browser, opened
from tests.reporting.html.made import DOT, card, page, page_cases, query, result

if TYPE_CHECKING:
    from playwright.sync_api import Browser


HOSTILE = "<img src=x onerror=alert(1)> </script><script>alert(2)</script> ${alert(3)} {{ 7 * 7 }} \u2028 ' \" `"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as started:
        yield started


@pytest.fixture
def file(tmp_path: Path) -> Path:
    region = {"kind": "asked", "label": HOSTILE, "x": 0, "y": 0, "w": 1, "h": 1}
    asked = query(HOSTILE, HOSTILE, edits=HOSTILE, reading="no", asked=[region])
    shown = card(
        HOSTILE, item=HOSTILE, model=HOSTILE, data=HOSTILE, scene=HOSTILE, expected=HOSTILE, reason=HOSTILE,
        facts={HOSTILE: HOSTILE}, objects=[HOSTILE], queries=[asked],
    )  # fmt: skip
    outside = {"uri": "https://example.org/x.png", "width": 1, "height": 1, "regions": []}
    cases = page_cases(
        [shown, card("b"), card("c", queries=[query(picture="away")]), card("d", queries=[query(picture="p2")])]
    )
    cases = type(cases)(
        json=cases.json.replace('"pictures": {', f'"pictures": {{"p2": {str(outside).replace(chr(39), chr(34))}, '),
        shown=cases.shown,
        left_out=0,
    )
    written = tmp_path / "report.html"
    written.write_text(page(result(HOSTILE, claim=HOSTILE), cases=cases), encoding="utf-8")
    return written


def test_hostile_texts_stay_text(chromium: Browser, file: Path) -> None:
    with opened(chromium, file) as made:
        shown = made.page
        first = shown.locator(".card").first
        first.locator("summary").click()
        for place in ("h3", ".said", ".of", "figcaption", "dl", "p >> nth=0"):
            assert "<img src=x onerror=alert(1)>" in first.locator(place).first.inner_text()
        assert first.locator("img").count() == 1
        shown.select_option("select[name=answer]", "no")
        for facet in ("relation", "object", "fact"):
            shown.select_option(f"select[name={facet}]", index=1)
        assert shown.locator(".card").count() == 1
        first.locator(".picture").click()
        assert "<img src=x" in shown.locator("dialog .labelled").inner_text()
        assert shown.locator("dialog img").get_attribute("src") == DOT
        shown.keyboard.press("Escape")
        first.locator("summary").click()
        options = (f"--vqamt-model={HOSTILE}", f"--vqamt-data={HOSTILE}", f"--vqamt-replay={HOSTILE}")
        assert first.locator("code").last.text_content() == f"pytest {shlex.join(options)}"
        assert made.complaints == []
        assert [url for url in made.requests if not url.startswith("data:image/")] == [file.as_uri()]


@pytest.mark.full
def test_a_picture_that_is_not_in_the_page_is_not_asked_for(chromium: Browser, file: Path) -> None:
    with opened(chromium, file) as made:
        cards = made.page.locator(".card")
        assert cards.nth(2).get_by_text("no picture here").is_visible()
        assert cards.nth(3).locator("img").get_attribute("src") is None
        assert made.requests == [file.as_uri(), *[DOT] * made.requests.count(DOT)]


@pytest.mark.full
def test_an_address_is_text_as_well(chromium: Browser, file: Path) -> None:
    part = "#" + urlencode({"relation": HOSTILE + "2", "text": "<img src=x onerror=alert(1)>", "unknown": "x"})
    with opened(chromium, file, part=part) as made:
        shown = made.page
        assert shown.locator("input[name=text]").input_value() == "<img src=x onerror=alert(1)>"
        assert shown.locator("select[name=relation]").input_value().startswith("<img src=x")
        assert shown.get_by_text("No case fits all of this.").is_visible()
        assert made.complaints == []


@pytest.mark.full
def test_no_script_but_ours_runs(chromium: Browser, file: Path) -> None:
    with opened(chromium, file) as made:
        shown = made.page
        with shown.expect_event("requestfailed"), shown.expect_console_message():
            shown.evaluate(
                """() => {
                    const script = document.createElement("script");
                    script.textContent = "document.title = 'run'";
                    document.body.append(script);
                    const image = document.createElement("img");
                    image.setAttribute("onerror", "document.title = 'run'");
                    image.src = "https://example.org/x.png";
                    document.body.append(image);
                }"""
            )
        shown.wait_for_function("() => document.images[document.images.length - 1].complete")
        assert shown.title() != "run"
        assert any("Content Security Policy" in said for said in made.complaints)
        assert made.blocked == ["https://example.org/x.png"]


@pytest.mark.full
def test_what_runs_from_right_to_left_leaves_the_rest_in_its_place(chromium: Browser, tmp_path: Path) -> None:
    question = "\u05de\u05d4 \u05d4\u05e6\u05d1\u05e2?"
    shown = card("a" * 16, model="\u202eevil", queries=[query(question, question)])
    file = tmp_path / "report.html"
    file.write_text(page(result(), cases=page_cases([shown])), encoding="utf-8")
    with opened(chromium, file) as made:
        first = made.page.locator(".card").first
        # Without its own direction the override would turn round what stands behind the name, too.
        name = first.locator(".labels .of bdi")
        assert name.first.text_content() == "\u202eevil"
        assert name.nth(0).bounding_box()["x"] < name.nth(1).bounding_box()["x"]  # type: ignore[index]  # both are seen
        assert first.locator("td bdi").first.evaluate("cell => cell.matches(':dir(rtl)')")
