"""The page: nothing that came from data or a model is markup, the same report gives the same bytes, and it is whole."""

from __future__ import annotations

import json
import re
from collections import Counter
from html.parser import HTMLParser
from typing import Any

import pytest

from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.results import DataUse, ModelUse
from pytest_vqamt.core.tallies import Tally, UnreadCount
from pytest_vqamt.reporting.html.case_cards import PageCases
from pytest_vqamt.reporting.html.page import report_html
from tests.reporting.html.made import (
    BASELINE,
    GQA,
    OTHER,
    TINY,
    card,
    change,
    gate,
    page,
    page_cases,
    query,
    report,
    result,
)

HOSTILE = "<img src=x onerror=alert(1)>\"'&</script>{{ 7 * 7 }}{% x %}\u2028`b`<!--"


class Elements(HTMLParser):
    """What a browser would make of a page: its elements, and the text beside scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: list[str] = []
        self.varying: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag in ("script", "style"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self.open and tag == self.open[-1]:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        if not self.open:
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())

    def ids(self) -> list[str]:
        return [told for _, attributes in self.found if (told := attributes.get("id"))]


def sections(text: str) -> list[str]:
    return [told for tag, attributes in Elements(text).found if tag == "section" and (told := attributes.get("id"))]


def hostile_page() -> str:
    """A page each of whose texts is hostile."""
    model = ModelUse(name=HOSTILE, fingerprint=HOSTILE, tasks=(HOSTILE,), usage=((HOSTILE, 1.0),))
    data = DataUse(spec=HOSTILE, scenes=1, digest=HOSTILE, bad_records=(HOSTILE,))
    told = result(
        HOSTILE,
        claim=HOSTILE,
        model=model,
        data=data,
        tags=(HOSTILE,),
        gate=gate(0.9, met=False),
        readings=Counter({HOSTILE: 1}),
        breakdown={HOSTILE: {HOSTILE: Tally(cases=1, holds=1), "other": Tally(cases=1, holds=1)}},
        not_applicable={HOSTILE: 1},
        scenes_not_applicable=1,
        resources=((HOSTILE, HOSTILE),),
        change=change(kept=5, lost=5, p=0.001),
    )
    shown = page_cases(
        [card(HOSTILE, item=HOSTILE, reason=HOSTILE, facts={HOSTILE: HOSTILE}, queries=[query(HOSTILE, HOSTILE)])],
        notes=(HOSTILE,),
    )
    baseline = replace(BASELINE, file=HOSTILE, models=((HOSTILE, HOSTILE),), missing=(HOSTILE,), new=(HOSTILE,))
    return report_html(
        report(told, settings=((HOSTILE, HOSTILE),), baseline=baseline, waived=((HOSTILE, HOSTILE),)),
        shown,
        audit={
            "of": "violations", "sheet": HOSTILE, "judged": 1, "valid": 1, "invalid": 0, "unsure": 0,
            "precision": 1.0, "precision_interval": [0.2, 1.0],
            "by_item": {HOSTILE: {"judged": 1, "valid": 1, "invalid": 0, "unsure": 0, "precision": None}},
        },
    )  # fmt: skip


def test_what_came_from_data_or_a_model_stays_text() -> None:
    text = hostile_page()
    made = Elements(text)
    tags = Counter(tag for tag, _ in made.found)
    assert tags["img"] == 0
    assert tags["script"] == 3
    assert not any(name.startswith("on") for _, attributes in made.found for name in attributes)
    # Each of the fields above is there as it is. Texts in prose have the part between backticks in an element.
    assert HOSTILE.replace("\u2028", "\\u2028") in made.text
    assert "49" not in re.sub(r"<(style|script).*?</\1>|base64\S*|sha256-\S*", "", text, flags=re.DOTALL)


def test_cards_are_data_that_cannot_end_their_element() -> None:
    plain = PageCases(
        json=json.dumps({"cards": [card("</script><b>", reason=HOSTILE)], "pictures": {}}), shown=1, left_out=0
    )
    text = page(result(), cases=plain)
    (inside,) = re.findall(r'<script type="application/json" id="cases">(.*?)</script>', text, re.DOTALL)
    assert "<" not in inside
    (shown,) = json.loads(inside)["cards"]
    assert (shown["id"], shown["reason"]) == ("</script><b>", HOSTILE)


def test_where_the_cards_are_a_sample_it_stands_above_them() -> None:
    told = result()
    some = Elements(page(told, cases=page_cases([card("a")], left_out=58_145, total=60_000))).text
    assert "1 of 60,000 cases are here: a sample, without 58,145 other violations." in some
    one = Elements(page(told, cases=page_cases([card("a")], left_out=1, total=2))).text
    assert "1 of 2 cases are here: a sample, without 1 other violation." in one
    others = Elements(page(told, cases=page_cases([card("a")], total=3))).text
    assert "1 of 3 cases are here: all violations, and a sample of the others." in others
    assert "a sample" not in Elements(page(told, cases=page_cases([card("a")], total=1))).text


def test_the_same_report_and_cases_give_the_same_page() -> None:
    shown = page_cases([card("a")])
    assert page(result(), cases=shown) == page(result(), cases=shown)


def test_times_and_queries_asked_differ_in_elements_of_their_own_alone() -> None:
    """Two runs that found the same differ in what ``varies``, so the rest of their pages is equal."""
    one = page(result())
    busy = replace(TINY, queries_asked=7, queries_cached=9, usage=(("tokens in", 5.0),))
    other = page(result(model=busy), started="2027-01-01T00:00:00+00:00", duration_s=99.0)
    assert one != other
    varies = r'<div class="varies">.*?</div>\n'
    assert re.sub(varies, "", one) == re.sub(varies, "", other)


def test_the_page_names_no_place_but_itself() -> None:
    text = page(result(), cases=page_cases([card("a")]))
    addresses = [
        told
        for _, attributes in Elements(text).found
        for name in ("src", "href", "action", "data", "srcset", "poster")
        if (told := attributes.get(name))
    ]
    assert addresses
    assert [told for told in addresses if not told.startswith("#")] == []
    assert set(re.findall(r"https?://[^\s\"'`)]*", text)) == {"http://www.w3.org/2000/svg"}


def test_every_link_into_the_page_has_its_place() -> None:
    made = Elements(page(result(), cases=page_cases([card("a")]), baseline=BASELINE))
    ids = made.ids()
    assert len(ids) == len(set(ids))
    links = {told for _, attributes in made.found if (told := attributes.get("href")) and "=" not in told}
    assert {link.removeprefix("#") for link in links} <= set(ids)


BARE = ["overview", "violations", "answers", "run", "glossary"]


@pytest.mark.parametrize(
    ("told", "further"),
    [
        (result(), []),
        (result(scenes_not_applicable=3, not_applicable={"no dog": 3}), ["applies"]),
        (result(breakdown={"n": {"1": Tally(cases=1, holds=1), "2": Tally(cases=2, holds=1)}}), ["breakdowns"]),
        (result(breakdown={"n": {"1": Tally(cases=1, holds=1)}}), []),  # the one value is the pass rate itself
        (result(data=replace(GQA, bad_records=("record 3: no box",))), ["left-out"]),
        (result(tally=Tally(cases=3, holds=2, waived=1)), ["left-out"]),
    ],
)
def test_a_section_is_there_where_it_has_something_to_say(told: Any, further: list[str]) -> None:
    text = page(told, cases=page_cases([card("a")]))
    assert set(sections(text)) == {*BARE, *further}
    links = [
        attributes["href"] for tag, attributes in Elements(text).found if tag == "a" and "=" not in str(attributes)
    ]
    assert set(sections(text)) <= {str(link).removeprefix("#") for link in links}


def test_a_report_without_violations_says_so() -> None:
    text = page(result(violated=0))
    assert "There is none." in Elements(text).text
    assert "filters" not in Elements(text).ids()


def test_a_report_without_any_case_says_so() -> None:
    empty = result(tally=Tally(), readings=Counter(), not_applicable={"no dog": 8}, scenes_not_applicable=8)
    made = Elements(page(empty))
    assert "No relation had a case." in made.text
    assert "no dog (8)" in made.text


def test_without_scripts_the_page_says_what_is_missing() -> None:
    assert (
        "The cards of 2 cases are made by a script"
        in Elements(page(result(), cases=page_cases([card("a"), card("b")]))).text
    )


def test_several_models_have_a_mark_and_a_lane_each() -> None:
    made = Elements(page(result(), result(model=OTHER)))
    lanes = [
        attributes["class"] for tag, attributes in made.found if tag == "g" and "lane" in str(attributes.get("class"))
    ]
    assert lanes == ["lane m0", "lane m1"]
    marks = [
        attributes["href"] for tag, attributes in made.found if tag == "use" and attributes.get("class") == "reached"
    ]
    assert marks == ["#mark-0", "#mark-1"] * 3  # above the tiles, in the legend and in the row


@pytest.mark.parametrize(
    ("cause", "banner"),
    [
        ("refusal", "other refused to answer in 50 % of its cases"),
        ("no number", "other could not be read in 50 % of its cases"),
    ],
)
def test_of_several_models_one_that_is_often_unread_has_a_banner(cause: str, banner: str) -> None:
    tally = Tally(cases=10, holds=5, unparsed=5, unread_cases=5)
    often = result(model=OTHER, tally=tally, unread={cause: UnreadCount(1, 4)})
    made = Elements(page(result(), often)).text
    assert banner in made
    assert "tiny refused" not in made
    assert "tiny could not be read" not in made


def test_tiles_without_cases_say_which_cases_there_are_none_of() -> None:
    made = Elements(page(result(tally=Tally(cases=3, errors=3), readings=Counter()))).text
    for told in ("no case was judged", "no judged case has a contrast", "no case was answered"):
        assert told in made


def test_tags_are_explained() -> None:
    made = Elements(page(result(tags=("control", "theirs")))).found
    told = {attributes["title"] for tag, attributes in made if tag == "abbr"}
    assert any(str(each).startswith("A relation that changes nothing") for each in told)


@pytest.mark.parametrize(
    ("left_out", "told"), [(1, "The only violation has no card"), (1200, "None of the 1,200 violations has a card")]
)
def test_violations_without_cards_are_counted(left_out: int, told: str) -> None:
    made = page(result(), cases=PageCases(json='{"cards":[],"pictures":{}}', shown=0, left_out=left_out))
    assert told in Elements(made).text
