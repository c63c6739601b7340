"""The comparison of two deployments as figures, Markdown, JUnit XML and a badge."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import pytest

from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.wrapped import wrap_model
from pytest_vqamt.probing.acuity import FAINT, faintest, faintest_read, resolutions, smallest_digits
from pytest_vqamt.probing.against.comparison import AgainstResult, ComparedFigure, compare
from pytest_vqamt.probing.against.files import against_badge, against_junit, against_markdown
from pytest_vqamt.probing.against.terminal import against_lines
from pytest_vqamt.probing.asking import Request, SentRequest
from pytest_vqamt.probing.cards import NUMBER, Card
from pytest_vqamt.probing.probe_terminal import MOST_LINES
from tests.probing.direct import direct
from tests.probing.simulation import FlippingModel


def read_from(least_px: int, step: int = 0, of_side: int = 0) -> ReadsFrom:
    return ReadsFrom(least_px, step, of_side)


class ReadsFrom:
    """Reads digits from a height on, or as through so many pixels a side, and steps from one on."""

    def __init__(self, least_px: int, step: int, of_side: int) -> None:
        self.least_px, self.step, self.of_side = least_px, step, of_side

    def __call__(self, card: Card) -> SentRequest:
        shown = card.digit_px * min(1.0, self.of_side / card.size[0]) if self.of_side else card.digit_px
        contrast = abs(card.ink[0] - card.ground[0]) if card.ink and not card.digit_px else 255
        is_read = contrast >= self.step and (not card.digit_px or shown >= self.least_px)
        return SentRequest(
            number=1, request=Request(card=card, text=NUMBER), answer=str(card.number) if is_read else "none"
        )


def test_the_effective_resolution_is_that_of_a_server_that_scales_down() -> None:
    least = smallest_digits(read_from(10, of_side=512), (417, 852))

    assert least == {224: 10, 448: 10, 1024: 22}
    assert [each.value for each in resolutions(least)] == [224, 448, round(1024 * 10 / 22)]


def test_a_server_that_makes_every_picture_small_shows_against_a_reference() -> None:
    least = smallest_digits(read_from(10, of_side=112), (417, 852))

    # By its own eyes the smallest card is seen whole.
    assert resolutions(least)[0].value == 224
    assert resolutions(least, own=10)[0].value < 128


@pytest.mark.parametrize("step", FAINT)
def test_the_faintest_step_is_the_first_that_is_read(step: int) -> None:
    assert faintest_read(read_from(10, step), (417, 852)) == step
    assert faintest_read(read_from(10, 200), (417, 852)) == 0


@pytest.mark.parametrize(
    ("first", "second", "has_dropped"),
    [(12, 12, False), (18, 12, False), (26, 12, True), (12, 56, False), (0, 12, True)],
)
def test_two_steps_of_a_ladder_are_a_drop(first: int, second: int, has_dropped: bool) -> None:
    compared = ComparedFigure(first=faintest(first), second=faintest(second))

    assert compared.has_dropped is has_dropped
    assert ("none" in str(compared)) is (first == 0)


@pytest.fixture(scope="module")
def coarse() -> AgainstResult:
    """A server that scales pictures down, against the same without."""
    return compare(direct("silent-downscale"), direct(None), limit=400)


def test_a_drop_of_the_resolution_is_a_finding(coarse: AgainstResult) -> None:
    assert coarse.parted.startswith("detail: effective resolution at 1,024 px: A ")
    assert [each.first.name for each in coarse.drops] == [
        "effective resolution at 1,024 px",
    ]


def test_files_tell_the_figures_that_dropped(coarse: AgainstResult) -> None:
    cases = ET.fromstring(against_junit(coarse)).iter("testcase")
    failed = [case.get("name") for case in cases if case.find("failure") is not None]
    markdown = against_markdown(coarse)

    assert failed == ["verdict", "effective resolution at 1,024 px"]
    assert markdown.startswith("**vqamt probe --against: they part at detail")
    assert "effective resolution at 1,024 px: A 228 px, B 1,024 px" in markdown
    assert json.loads(against_badge(coarse))["color"] == "red"


def test_files_of_two_that_differ_have_a_failure_for_each_stage() -> None:
    one, other = (wrap_model(f"flipping {seed}", FlippingModel(0.5, seed), ModelOptions()) for seed in (1, 2))
    result = compare(one, other, limit=400)

    suite = ET.fromstring(against_junit(result)).find("testsuite")
    assert suite is not None
    assert suite.get("tests") == str(1 + len(result.stages) + len(result.figures))
    assert int(suite.get("failures", "")) == 1 + sum(each.is_finding for each in result.stages) > 1
    assert len(against_lines(result)) < MOST_LINES
    assert "| stage | answers that differ | an example |" in against_markdown(result)


def test_files_of_two_that_agree_pass() -> None:
    result = compare(direct(None), direct(None), limit=400)

    assert result.parted == ""
    assert all(each.first == each.second for each in result.figures)
    assert len(result.figures) == 4
    assert "<failure" not in against_junit(result)
    assert json.loads(against_badge(result))["color"] == "brightgreen"
