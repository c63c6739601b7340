"""Sane deployments whose models answer in other ways, or take less, than the faulty server's: nothing is found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha256
from random import Random

import pytest

from pytest_vqamt.commands.main import ExitStatus, run_command
from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.wrapped import LoadedModel, wrap_model
from pytest_vqamt.probing.cards import says
from pytest_vqamt.probing.kinds import FindingKind
from pytest_vqamt.probing.probe import probe
from pytest_vqamt.probing.results import ProbeResult
from tests.probing.direct import SPEC, DirectModel
from tests.probing.simulation import FlippingModel
from tools.faulty_server import FaultyServer, RefusedError, perception
from tools.faulty_server.requests import Chat, Pixels, Turn
from tools.faulty_server.stages import Stages

_DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_GERMAN = {
    "red": "Rot", "green": "Grün", "blue": "Blau", "yellow": "Gelb", "orange": "Orange", "purple": "Lila",
    "black": "Schwarz", "white": "Weiß",
}  # fmt: skip


class _Says(Stages):
    """Says the right answer in its own way."""

    def __init__(self, words: Callable[[str], str]) -> None:
        super().__init__()
        self._words = words

    def generate(self, turns: list[Turn], chat: Chat) -> str:
        return self._words(super().generate(turns, chat))


class _Refuses(Stages):
    """Takes one picture a request, none below 112 px, and none of more than 512 px."""

    def admit(self, chat: Chat) -> None:
        if len(chat.pictures) > 1:
            raise RefusedError(400, "At most 1 image may be provided in one prompt")

    def preprocess(self, pixels: Pixels, chat: Chat) -> Pixels | None:
        if min(pixels.shape[:2]) < 112 or max(pixels.shape[:2]) > 512:
            raise RefusedError(400, "Expected an image of 112 to 512 px")
        return pixels


class _TakesOneInWords(Stages):
    def generate(self, turns: list[Turn], chat: Chat) -> str:
        one = len(chat.pictures) == 1
        return super().generate(turns, chat) if one else "Sorry, I can only process one image at a time."


class _Counts(Stages):
    """Counts one token for any answer."""

    def report(self, reply: dict[str, object], chat: Chat) -> dict[str, object]:
        return {**reply, "usage": {"prompt_tokens": 300, "completion_tokens": 1, "total_tokens": 301}}


def _served(stages: Stages) -> LoadedModel:
    server = FaultyServer()
    server.server_close()
    server._stages = stages
    return replace(wrap_model("direct", DirectModel(server), ModelOptions()), spec=SPEC)


def _kinds(result: ProbeResult) -> list[FindingKind]:
    return [each.kind for each in result.findings]


def _spelt(answer: str) -> str:
    return " ".join(_DIGITS[int(digit)] for digit in answer) if answer.isdecimal() else answer


@pytest.mark.full
@pytest.mark.parametrize(
    "words",
    [
        pytest.param(lambda answer: _GERMAN.get(answer, answer), id="german"),
        pytest.param(lambda answer: " ".join(answer) if answer.isdecimal() else answer, id="digit by digit"),
        pytest.param(_spelt, id="digits as words"),
        pytest.param(lambda answer: answer if answer.isdecimal() else "I am not sure.", id="numbers alone"),
    ],
)
def test_a_model_that_says_it_in_its_own_words_is_sane(words: Callable[[str], str]) -> None:
    result = probe(_served(_Says(words)))

    assert _kinds(result) == []
    right, tries = result.read["numbers"]
    assert right == tries


@pytest.mark.full
def test_a_server_of_one_small_picture_is_sane_and_its_bounds_are_told() -> None:
    result = probe(_served(_Refuses()))

    assert _kinds(result) == []
    assert "At most 1 image" in dict(result.skipped)["several pictures"]
    facts = {each.name: each.value for each in result.facts}
    assert "112 to 512 px" in facts["pictures of 96 x 96 px"]
    assert "112 to 512 px" in facts["pictures of 1024 x 1024 px"]


@pytest.mark.full
def test_a_model_that_says_that_it_takes_one_picture_is_sane() -> None:
    result = probe(_served(_TakesOneInWords()))

    assert _kinds(result) == []
    assert "one image at a time" in dict(result.skipped)["several pictures"]


@pytest.mark.full
def test_a_wrong_count_of_tokens_is_no_answer_that_ends_early() -> None:
    assert FindingKind.LIMIT_EARLY not in _kinds(probe(_served(_Counts())))


@pytest.mark.full
def test_a_model_that_describes_has_one_finding_and_it_is_no_cache() -> None:
    class Describes(Stages):
        def generate(self, turns: list[Turn], chat: Chat) -> str:
            if not chat.pictures:
                return perception.BLIND
            number, ground = perception.read_card(chat.pictures[-1].pixels)  # type: ignore[arg-type]  # all are there
            return f"A {ground} card with the number {number or 'of nobody'}."

    result = probe(_served(Describes()))

    assert _kinds(result) == [FindingKind.TEXT_IGNORED]
    assert result.findings[0].ruled_out[0].startswith("a cache:")


class _Misreads(Stages):
    """Misreads a digit of some pictures, always the same ones."""

    def __init__(self, share: float) -> None:
        super().__init__()
        self._share = share

    def generate(self, turns: list[Turn], chat: Chat) -> str:
        answer = super().generate(turns, chat)
        shown = b"".join(each.pixels.tobytes() for each in chat.pictures if each.pixels is not None)
        chosen = Random(sha256(shown + turns[-1].text.encode()).digest())
        if not answer.isdecimal() or chosen.random() >= self._share:
            return answer
        place = chosen.randrange(len(answer))
        return answer[:place] + str((int(answer[place]) + chosen.randint(1, 9)) % 10) + answer[place + 1 :]


@pytest.mark.full
@pytest.mark.parametrize(("share", "seed"), [(0.1, 0), (0.1, 3), (0.25, 0), (0.25, 3), (0.5, 3)])
def test_a_model_that_misreads_some_pictures_is_weak_and_its_server_sane(share: float, seed: int) -> None:
    assert _kinds(probe(_served(_Misreads(share)), seed=seed)) == []


def test_thoughts_that_fill_the_answer_say_nothing_of_pictures() -> None:
    result = probe(_served(_Says(lambda answer: f"<think>Let me look at it. It may say {answer}</think>\n{answer}")))

    # Sixteen tokens end before the thoughts do.
    assert _kinds(result) == [FindingKind.REASONING]


class _YesOrNo(FlippingModel):
    """Says if there is a number."""

    def __init__(self) -> None:
        super().__init__(0.0, 0)

    def answer(self, batch: Sequence[ModelInput]) -> list[str]:
        return ["no" if each == "none" else "yes" for each in super().answer(batch)]


def test_a_model_that_tells_blank_pictures_alone_is_not_accused() -> None:
    result = probe(wrap_model("yes or no", _YesOrNo(), ModelOptions()))

    assert _kinds(result) == []
    assert result.checked == []
    assert "not to blank pictures" in {each.name: each.value for each in result.facts}["cards"]


class OneWord:
    """Tells pictures of one colour, and noise, from all others."""

    def answer(self, batch: Sequence[ModelInput]) -> list[str]:
        return ["blank" if len(item.pixels.getcolors(9) or ()) != 2 else "a card" for item in batch]


def test_a_probe_that_could_check_nothing_does_not_pass(capsys: pytest.CaptureFixture[str]) -> None:
    status = run_command(["probe", f"python:{__name__}:OneWord"])

    assert status == ExitStatus.USAGE
    assert capsys.readouterr().out.startswith("nothing was checked")


@pytest.mark.parametrize(
    ("reading", "right", "said"),
    [
        ("4 1 7", "417", True),
        ("four one seven", "417", True),
        ("4, 1, 7", "417", True),
        ("\N{FULLWIDTH DIGIT FOUR}\N{FULLWIDTH DIGIT ONE}\N{FULLWIDTH DIGIT SEVEN}", "417", True),
        ("4 1 7 9", "417", False),
        ("4 and 1 and 7", "417", False),
        ("1 2 3", "12", False),
    ],
)
def test_numbers_are_read_digit_by_digit(reading: str, right: str, said: bool) -> None:
    assert says(reading, right) == said
