"""The page of a real run in a real browser: filters, pictures, keyboard, light and dark, phone and desktop."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlencode

import pytest

from pytest_vqamt.reporting.files import write_pages
from pytest_vqamt.reporting.html.case_cards import PageCases
from pytest_vqamt.reporting.html.case_selection import Images
from tests.reporting.html.browser import Opened, axe_violations, browser, opened
from tests.reporting.html.made import card, page_cases, result
from tests.reporting.html.made import page as page_of
from tests.reporting.html.made_run import run_with_everything
from tests.reporting.reported import cases_in
from tests.reporting.running import run_into, world

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


Rows = list[dict[str, Any]]

BATCH = 24


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Rows]:
    """The page, and the rows of its cards in their order."""
    folder = tmp_path_factory.mktemp("run")
    run_with_everything(folder)
    file = folder / "report.html"
    (inside,) = re.findall(r'id="cases">(.*?)</script>', file.read_text(encoding="utf-8"), re.DOTALL)
    rows = {(row["case_id"], row["model"], row["data"]): row for row in cases_in(folder)}
    return file, [rows[card["id"], card["model"], card["data"]] for card in json.loads(inside)["cards"]]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as started:
        yield started


@pytest.fixture
def shown(chromium: Browser, run: tuple[Path, Rows]) -> Iterator[Opened]:
    """The page as it opens; nothing of what a test does with it may make it complain, or ask for anything."""
    with opened(chromium, run[0]) as made:
        yield made
        assert made.complaints == []
        assert [url for url in made.requests if not url.startswith("data:image/")] == [run[0].as_uri()]


def ids(page: Page) -> list[str]:
    """The cases whose cards are built, all of them after "Show all"."""
    for button in (page.locator("#rest"), page.locator("#next")):
        if button.is_visible():
            button.evaluate("it => it.click()")  # a real click may miss it while pictures above it move it
            break
    labels = page.locator(".card").evaluate_all("cards => cards.map(card => card.getAttribute('aria-label'))")
    return [label.rpartition(" ")[2] for label in labels]


def of(rows: Rows, **wanted: str) -> list[str]:
    return [row["case_id"] for row in rows if all(row[name] == value for name, value in wanted.items())]


def said(row: dict[str, Any]) -> str:
    return "\n".join([*(query["text"] for query in row["queries"]), *row["answers"], row["reason"]]).lower()


@pytest.mark.full
def test_cards_come_in_batches_in_the_order_of_the_cases(shown: Opened, run: tuple[Path, Rows]) -> None:
    rows = run[1]
    assert len(rows) > 2 * BATCH
    page = shown.page
    assert page.locator(".card").count() == BATCH
    assert page.locator("#shown").inner_text() == f"{len(rows)} cases, {BATCH} shown"
    page.locator("#next").click()
    assert page.locator(".card").count() == 2 * BATCH
    assert ids(page) == [row["case_id"] for row in rows]
    assert page.locator("#more").is_hidden()


@pytest.mark.full
@pytest.mark.parametrize("facet", ["relation", "verdict", "model", "data"])
def test_each_filter_shows_the_cases_with_its_value(shown: Opened, run: tuple[Path, Rows], facet: str) -> None:
    rows = run[1]
    values = Counter(row[facet] for row in rows)
    value, count = values.most_common()[-1]
    assert len(values) > 1
    shown.page.select_option(f"select[name={facet}]", value)
    assert shown.page.locator("#shown").inner_text().startswith(f"{count} of {len(rows)} cases")
    assert ids(shown.page) == of(rows, **{facet: value})
    assert shown.page.url.endswith(f"#{urlencode({facet: value})}")


@pytest.mark.full
def test_cases_are_found_by_what_became_of_them_since_the_baseline(shown: Opened, run: tuple[Path, Rows]) -> None:
    for value, before in {"regressed": "holds", "still": "violated", "new": None}.items():
        shown.page.select_option("select[name=change]", value)
        wanted = [row for row in run[1] if row.get("before") == before and (row["verdict"] != "holds" or not before)]
        assert ids(shown.page) == [row["case_id"] for row in wanted] != []


@pytest.mark.full
def test_cases_are_found_by_object_answer_and_fact(shown: Opened, run: tuple[Path, Rows]) -> None:
    rows, page = run[1], shown.page
    row = next(row for row in rows if row["relation"] == "metavqa.partition[object]")
    name = row["queries"][1]["meaning"]["groups"][0]["name"]
    page.select_option("select[name=object]", name)
    assert row["case_id"] in ids(page)
    assert 0 < page.locator(".card").count() < len(rows)
    page.locator("#clear").click()
    page.select_option("select[name=answer]", "3")
    assert ids(page) == [row["case_id"] for row in rows if "3" in row["readings"]] != []
    page.locator("#clear").click()
    page.select_option("select[name=fact]", "present groups: 2")
    assert ids(page) == [row["case_id"] for row in rows if row["facts"].get("present_groups") == 2] != []


@pytest.mark.full
def test_words_are_looked_for_in_all_that_a_card_says(shown: Opened, run: tuple[Path, Rows]) -> None:
    rows, page = run[1], shown.page
    page.locator("input[name=text]").press_sequentially("How MANY see", delay=0)
    wanted = [row["case_id"] for row in rows if all(word in said(row) for word in ("how", "many", "see"))]
    assert 0 < len(wanted) < len(rows)
    page.locator("#shown").get_by_text(f"{len(wanted)} of").wait_for()
    assert ids(page) == wanted
    page.locator("input[name=text]").fill(rows[0]["case_id"])
    page.locator("#shown").get_by_text(f"{len(of(rows, case_id=rows[0]['case_id']))} of").wait_for()
    assert set(ids(page)) == {rows[0]["case_id"]}
    page.locator("input[name=text]").fill("no case says this")
    page.get_by_text("No case fits all of this.").wait_for()
    assert page.locator("#csv").is_disabled()


def test_filters_together_and_the_address_that_brings_them_back(
    shown: Opened, chromium: Browser, run: tuple[Path, Rows]
) -> None:
    file, rows = run
    wanted = {"relation": "metavqa.partition[object]", "data": "pictures:8"}
    for facet, value in wanted.items():
        shown.page.select_option(f"select[name={facet}]", value)
    expected = of(rows, **wanted)
    assert ids(shown.page) == expected != []
    # What a filter offers are the cases that the others leave.
    offered = shown.page.locator("select[name=data] option").all_inner_texts()
    others = of(rows, relation=wanted["relation"], data="pictures:20")
    every = of(cases_in(file.parent), relation=wanted["relation"], data="pictures:20")
    both = of(cases_in(file.parent), **wanted)
    assert len(both) > len(expected)
    assert offered == [
        "all",
        f"pictures:20 ({len(others)} of {len(every)})",
        f"pictures:8 ({len(expected)} of {len(both)})",
    ]
    part = shown.page.url.removeprefix(file.as_uri())
    with opened(chromium, file, part=part) as again:
        assert ids(again.page) == expected
        assert again.page.locator("select[name=data]").input_value() == "pictures:8"
        again.page.locator("#clear").click()
        assert again.page.locator("#shown").inner_text() == f"{len(rows)} cases, {BATCH} shown"
        assert again.page.url.rstrip("#") == file.as_uri()
        again.page.evaluate("part => { location.hash = part; }", part)
        again.page.locator("#shown").get_by_text(f"{len(expected)} of").wait_for()
        assert ids(again.page) == expected


def test_filters_tell_how_many_cases_the_report_has(chromium: Browser, run: tuple[Path, Rows]) -> None:
    """Only violations all have a card; the totals of the others are counted from the file of cases."""
    file, rows = run
    every = cases_in(file.parent)
    assert len(rows) < len(every)
    with opened(chromium, file) as made:
        note = made.page.locator("#violations > .fine").first.inner_text()
        assert note.startswith(
            f"{len(rows)} of {len(every)} cases are here: all violations, and a sample of the others"
        )
        for name, value, label in (
            ("verdict", "holds", "holds"),
            ("verdict", "unparsed", "unread"),
            ("verdict", "violated", "violated"),
        ):
            here, total = len(of(rows, **{name: value})), len(of(every, **{name: value}))
            count = f"{here}" if here == total else f"{here} of {total}"
            option = made.page.locator(f"select[name={name}] option[value={value}]")
            assert option.inner_text() == f"{label} ({count})"
        fixed = [row for row in every if row.get("before") not in (None, "holds") and row["verdict"] == "holds"]
        shown = [row for row in fixed if row in rows]
        option = made.page.locator("select[name=change] option[value=fixed]")
        assert option.inner_text() == f"fixed: holds now, not before ({len(shown)} of {len(fixed)})"
        assert 0 < len(shown) < len(fixed)
        # Of an object, an answer or a word the report has no total.
        made.page.locator("input[name=text]").fill("how many")
        made.page.locator("#shown").get_by_text("of").wait_for()
        assert " of " not in " ".join(made.page.locator("select[name=verdict] option").all_inner_texts())
        assert "unparsed" not in made.page.locator("#violations").inner_text()


@pytest.mark.full
def test_a_row_of_the_chart_chooses_its_cases(shown: Opened, run: tuple[Path, Rows]) -> None:
    page = shown.page
    row = page.locator("li.row").filter(has_text="metavqa.insertion[count]").first
    row.scroll_into_view_if_needed()
    box = row.locator("svg.lanes").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 200, box["y"] + 5)
    assert page.locator("select[name=relation]").input_value() == "metavqa.insertion[count]"
    assert ids(page) == of(run[1], relation="metavqa.insertion[count]", data="pictures:20")
    page.locator("nav").get_by_text("The run").click()
    assert "relation=" in page.url  # a place on the page is gone to without losing what was chosen
    page.get_by_role("link", name="regression").click()
    regressed = [row for row in run[1] if row.get("before") == "holds" and row["verdict"] != "holds"]
    assert ids(page) == [row["case_id"] for row in regressed]


@pytest.mark.full
def test_a_pair_of_pictures_is_seen_side_by_side(shown: Opened) -> None:
    page = shown.page
    page.select_option("select[name=relation]", "metavqa.insertion[count]")
    images = page.locator(".card").first.locator("img")
    assert images.count() == 2
    images.first.scroll_into_view_if_needed()
    decoded = "all => Promise.all(all.map(image => image.decode().then(() => image.naturalWidth)))"
    assert images.evaluate_all(decoded) == [224, 224]
    boxes = [image.bounding_box() for image in images.all()]
    assert all(box and box["x"] >= 0 and box["x"] + box["width"] <= 1280 and 0 <= box["y"] < 800 for box in boxes)
    first, second = (box for box in boxes if box)
    assert first["y"] == second["y"]
    assert first["x"] + first["width"] <= second["x"]


@pytest.mark.full
def test_what_was_edited_is_outlined_where_it_is(shown: Opened, run: tuple[Path, Rows]) -> None:
    page = shown.page
    page.select_option("select[name=relation]", "metavqa.insertion[count]")
    row = next(row for row in run[1] if row["relation"] == "metavqa.insertion[count]")
    box = row["queries"][1]["picture"]["edits"][0]["box"]
    second = page.locator(".card").first.locator("figure").nth(1)
    image, rect = second.locator("img").bounding_box(), second.locator("rect.edit").bounding_box()
    assert image is not None
    assert rect is not None
    # A picture of the picture world is 224 pixels wide and high; the outline is at most 2 pixels wide.
    assert rect["x"] - image["x"] == pytest.approx(box["x"] / 224 * image["width"], abs=2.5)
    assert rect["y"] - image["y"] == pytest.approx(box["y"] / 224 * image["height"], abs=2.5)
    assert rect["width"] == pytest.approx(min(box["w"], 224 - box["x"]) / 224 * image["width"], abs=4.5)
    page.locator("#outlines").click()
    assert second.locator("rect.edit").is_hidden()
    assert page.locator("#outlines").get_attribute("aria-pressed") == "false"


@pytest.mark.full
def test_pictures_are_enlarged_and_gone_through_with_the_keyboard(shown: Opened) -> None:
    page = shown.page
    page.select_option("select[name=relation]", "metavqa.insertion[count]")
    opener = page.locator(".picture").first
    opener.focus()
    page.keyboard.press("Enter")
    dialog = page.locator("dialog")
    assert dialog.is_visible()
    assert page.locator("#enlarged-title").inner_text() == "metavqa.insertion[count], picture A: original"
    page.keyboard.press("ArrowRight")
    assert "picture B: inserted" in page.locator("#enlarged-title").inner_text()
    assert page.locator("dialog img").evaluate("image => image.decode().then(() => image.width)") > 300
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    count = re.findall(r"\d+", page.locator("#enlarged-text p").last.inner_text())
    assert count[0] == count[1] != "1"  # before the first stands the last
    page.keyboard.press("Escape")
    assert dialog.is_hidden()
    assert opener.evaluate("opener => document.activeElement === opener")


@pytest.mark.full
def test_all_can_be_reached_and_used_with_the_keyboard(shown: Opened) -> None:
    page = shown.page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "start"
    for _ in range(200):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.name") == "verdict":
            break
    assert page.evaluate("document.activeElement.matches(':focus-visible')")
    page.keyboard.press("u")
    assert page.locator("select[name=verdict]").input_value() == "unparsed"
    assert page.evaluate("document.activeElement.name") == "verdict"
    unnamed = """() => [...document.querySelectorAll('button, select, input, a[href], summary')]
        .filter(each => each.checkVisibility())
        .filter(each => !(each.textContent.trim() || each.ariaLabel || each.labels?.length)).length"""
    assert page.evaluate(unnamed) == 0


@pytest.mark.full
def test_the_table_is_sorted_by_any_column(shown: Opened) -> None:
    page = shown.page
    table = page.locator("table.sortable").first
    heads = table.locator("thead th").all_inner_texts()
    column = heads.index("pass rate")

    def rates() -> list[float]:
        cells = table.locator(f"tbody tr > :nth-child({column + 1})").all_inner_texts()
        return [float(cell.split()[0]) for cell in cells]

    assert rates() != sorted(rates())
    head = table.locator("thead th").nth(column)
    head.locator("button").click()
    assert rates() == sorted(rates())
    assert head.get_attribute("aria-sort") == "ascending"
    head.locator("button").click()
    assert rates() == sorted(rates(), reverse=True)
    table.locator("thead button").first.click()
    assert head.get_attribute("aria-sort") is None


@pytest.mark.full
def test_the_commands_that_replay_a_case(shown: Opened, run: tuple[Path, Rows]) -> None:
    page, row = shown.page, run[1][0]
    card = page.locator(".card").first
    card.locator("summary").click()
    assert card.locator("code").all_inner_texts() == [
        f"vqamt replay {row['case_id']}",
        f"pytest --vqamt-model={row['model']} --vqamt-data={row['data']} --vqamt-replay={row['case_id']}",
    ]
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    card.get_by_role("button", name="Copy").first.click()
    card.get_by_text("Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == f"vqamt replay {row['case_id']}"


@pytest.mark.full
def test_two_pictures_are_compared_in_one_place(shown: Opened) -> None:
    page = shown.page
    page.select_option("select[name=relation]", "metavqa.insertion[count]")
    page.get_by_role("button", name="Compare A and B in one place").first.click()
    under, over = page.locator(".overlaid .frame").all()
    assert under.locator("img").bounding_box() == over.locator("img").bounding_box()
    assert over.locator("rect.edit").count() == 1
    slider = page.locator("dialog input[type=range]")
    for value, inset in (("50", "50%"), ("100", "100%"), ("0", "0%")):
        slider.fill(value)
        assert over.evaluate("it => it.style.clipPath").endswith(f" {inset})")
    asked = page.locator("#enlarged-text p:not(.slide)").all_inner_texts()
    assert [text[:3] for text in asked] == ["A: ", "B: "]
    page.get_by_role("button", name="Flip").click()
    assert slider.input_value() == "100"
    page.keyboard.press("Escape")


@pytest.mark.full
def test_cases_are_sorted_saved_and_copied(shown: Opened, run: tuple[Path, Rows]) -> None:
    page, rows = shown.page, run[1]
    page.select_option("select[name=relation]", "metavqa.partition[object]")
    wanted = [row for row in rows if row["relation"] == "metavqa.partition[object]"]
    page.select_option("select[name=sort]", "scene")
    assert page.url.endswith("&sort=scene")
    number = re.compile(r"(\d+)$")
    scenes = [int(number.search(row["scene"])[1]) for row in wanted]  # type: ignore[index]  # each ends in a number
    by_scene = [row["case_id"] for _, row in sorted(zip(scenes, wanted, strict=True), key=lambda pair: pair[0])]
    assert ids(page) == by_scene
    with page.expect_download() as saved:
        page.locator("#csv").click()
    table = list(csv.DictReader(saved.value.path().read_text(encoding="utf-8-sig").splitlines()))
    assert [row["case_id"] for row in table] == by_scene
    assert {row["relation"] for row in table} == {"metavqa.partition[object]"}
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    card = page.locator(".card").first
    card.locator("summary").click()
    card.get_by_role("button", name="Copy as Markdown").click()
    card.get_by_text("Copied").wait_for()
    text = page.evaluate("navigator.clipboard.readText()")
    assert text.startswith("**metavqa.partition[object]** on ")
    assert f"`vqamt replay {by_scene[0]}`" in text


@pytest.mark.full
def test_the_answers_of_two_models_stand_side_by_side(shown: Opened, run: tuple[Path, Rows]) -> None:
    page = shown.page
    row = next(row for row in run[1] if row["relation"] == "metavqa.partition[object]")
    others = [
        each for each in cases_in(run[0].parent) if (each["case_id"], each["data"]) == (row["case_id"], row["data"])
    ]
    card = page.locator(f".card[aria-label*='{row['case_id']}']").first
    heads = card.locator(".asked-of thead th").all_text_contents()
    models = [row["model"], *(each["model"] for each in others if each["model"] != row["model"])]
    assert [head.split()[0] for head in heads[3:]] == models
    first = card.locator(".asked-of tbody tr").first.locator("td.said").all_text_contents()
    by_model = {each["model"]: each["answers"][0] for each in others}
    assert [text.split(" ")[0] for text in first] == [by_model[model].split(" ")[0] for model in models]


@pytest.mark.full
def test_on_a_phone_the_table_is_a_list_of_cards(chromium: Browser, run: tuple[Path, Rows]) -> None:
    with opened(chromium, run[0], width=390) as made:
        page = made.page
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        cell = page.locator("table.stacked tbody tr").first.locator("td").first
        assert cell.evaluate("it => getComputedStyle(it, '::before').content") == '"model"'
        assert cell.evaluate("it => getComputedStyle(it).display") == "grid"


@pytest.mark.full
def test_light_and_dark_as_the_system_has_it_or_as_it_was_chosen(chromium: Browser, run: tuple[Path, Rows]) -> None:
    def ground(page: Page) -> int:
        colour: str = page.evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(map(int, re.findall(r"\d+", colour)[:3]))

    with opened(chromium, run[0], scheme="dark") as made:
        page, button = made.page, made.page.locator("#theme")
        assert ground(page) < 150
        button.click()
        assert (button.inner_text(), ground(page)) == ("Theme: light", 3 * 255)
        page.reload()
        assert (button.inner_text(), ground(page)) == ("Theme: light", 3 * 255)
        button.click()
        assert (button.inner_text(), ground(page) < 150) == ("Theme: dark", True)
        button.click()
        assert button.inner_text() == "Theme: auto"
        assert made.complaints == []
    with opened(chromium, run[0]) as made:
        assert ground(made.page) == 3 * 255


@pytest.mark.full
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1440])
def test_axe_finds_nothing_serious(
    chromium: Browser, run: tuple[Path, Rows], width: int, scheme: Literal["light", "dark"]
) -> None:
    with opened(chromium, run[0], width=width, scheme=scheme) as made:
        page = made.page
        # What the browser leaves unrendered and what is folded would not be looked at.
        page.evaluate(
            """() => {
                for (const each of document.querySelectorAll("details")) each.open = true;
                for (const each of document.querySelectorAll(".card")) each.style.contentVisibility = "visible";
            }"""
        )
        assert axe_violations(page) == []
        page.locator(".picture").first.evaluate("it => it.click()")
        assert axe_violations(page) == []
        page.keyboard.press("Escape")
        page.locator(".compare button").first.evaluate("it => it.click()")
        assert axe_violations(page) == []


@pytest.mark.full
@pytest.mark.parametrize("width", [360, 768, 1201, 1280])
def test_nothing_is_wider_than_the_screen(chromium: Browser, run: tuple[Path, Rows], width: int) -> None:
    with opened(chromium, run[0], width=width) as made:
        assert made.page.evaluate("document.documentElement.scrollWidth") <= width
        made.page.locator(".card summary").first.click()
        assert made.page.evaluate("document.documentElement.scrollWidth") <= width
        made.page.locator(".picture").first.click()
        box = made.page.locator("dialog").bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width


@pytest.mark.full
def test_without_scripts_chart_and_tables_are_there(chromium: Browser, run: tuple[Path, Rows]) -> None:
    with opened(chromium, run[0], scripts=False) as made:
        page = made.page
        assert page.locator("h1").is_visible()
        assert page.locator("svg.lanes").first.is_visible()
        assert page.locator("table.sortable tbody tr").first.is_visible()
        assert page.get_by_text("are made by a script").is_visible()
        assert page.locator("#filters").is_hidden()
        assert page.locator("#theme").is_hidden()


@pytest.mark.full
def test_it_prints_its_figures_without_its_controls(shown: Opened) -> None:
    page = shown.page
    page.emulate_media(media="print")
    assert page.locator("#filters").is_hidden()
    assert page.locator("header.bar").is_hidden()
    assert page.locator("svg.lanes").first.is_visible()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open])").count() == 0


@pytest.mark.full
def test_without_pictures_there_is_no_button_for_outlines(chromium: Browser, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    told = json.dumps({"cards": [card("a")], "pictures": {}})
    file.write_text(page_of(result(), cases=PageCases(json=told, shown=1, left_out=0)), encoding="utf-8")
    with opened(chromium, file) as made:
        assert made.page.locator("#csv").is_enabled()
        assert made.page.locator("#outlines").is_hidden()
        assert made.page.locator(".key").is_hidden()


@pytest.mark.full
def test_pictures_of_far_cards_load_when_they_come_near_or_are_printed(chromium: Browser, tmp_path: Path) -> None:
    file, cards = tmp_path / "report.html", [card(f"{number:016x}") for number in range(200)]
    file.write_text(page_of(result(), cases=page_cases(cards)), encoding="utf-8")
    with opened(chromium, file) as made:
        page = made.page
        page.locator("#rest").click()
        images, waiting = page.locator(".card img"), page.locator(".card img:not([src])")
        assert images.count() == 200
        assert images.last.get_attribute("src") is None
        images.last.scroll_into_view_if_needed()
        page.locator(".card img[src]").and_(images.last).wait_for(state="attached")
        assert waiting.count() > 0
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert waiting.count() == 0
        assert page.locator(".card .command").count() == 2 * 200
        assert made.complaints == []


@pytest.mark.full
def test_a_contrast_has_both_pictures_side_by_side(chromium: Browser, tmp_path: Path) -> None:
    run_into(tmp_path, model="fault:always-yes", relations=("metavqa.insertion[exists]",), max_cases=8, contrast=1.0)
    write_pages(tmp_path, source_of=world, images=Images.VIOLATIONS)
    row = next(row for row in cases_in(tmp_path) if row.get("contrast", {}).get("verdict") == "violated")
    with opened(chromium, tmp_path / "report.html") as made:
        page = made.page
        assert page.locator("#grounding .mosaic .consistent_unchanged").count() > 1, "the square, and its legend"
        page.select_option("select[name=verdict]", "contrast violated")
        assert row["case_id"] in ids(page)
        card = page.locator(f".card[aria-label*='{row['case_id']}']")
        digests = {query["picture"]["digest"] for query in (*row["queries"], row["contrast"]["query"])}
        assert card.locator("figure").count() == len(digests) == 3
        assert card.locator("figcaption").last.inner_text().startswith("C: contrast: ")
        assert card.locator("tbody tr").count() == 3
        assert "Contrast: the last text is text 1 about another picture" in card.inner_text()
        assert "but got yes" in card.inner_text()
        card.locator(".picture").last.click()
        assert row["queries"][0]["text"] in page.locator("#enlarged-text").inner_text()
        assert made.complaints == []
