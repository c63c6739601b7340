"""Servers that are sane and unlike most: other words, other limits, or no answers; none may be accused of a fault."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from pytest_vqamt.commands.main import ExitStatus, run_command
from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.wrapped import LoadedModel, wrap_model
from pytest_vqamt.probing.against.comparison import compare
from pytest_vqamt.probing.cards import says
from pytest_vqamt.probing.kinds import FindingKind
from pytest_vqamt.probing.probe import MOST_REQUESTS, probe
from pytest_vqamt.probing.probing import CARDS
from pytest_vqamt.probing.results import ProbeResult
from tests.probing.direct import SPEC, DirectModel, direct
from tools.faulty_server import FaultyServer, RefusedError
from tools.faulty_server.perception import BLIND, read_card
from tools.faulty_server.requests import Chat, Pixels, Shown, Turn, decoded
from tools.faulty_server.stages import Stages

GERMAN = {"red": "Rot", "green": "Grün", "blue": "Blau", "yellow": "Gelb", "purple": "Lila", "gray": "Grau"}
"""Orange is the same word."""


class Words(Stages):
    """Says the right answer in its own way."""

    def __init__(self, say: Callable[[str, Chat], str]) -> None:
        super().__init__()
        self._say = say

    def finish(self, answer: str, chat: Chat) -> str:
        return self._say(answer, chat)


class Refusing(Stages):
    """Refuses some requests."""

    def __init__(self, refuses: Callable[[Chat], bool], status: int = 400) -> None:
        super().__init__()
        self._refuses = refuses
        self._status = status

    def admit(self, chat: Chat) -> None:
        if self._refuses(chat):
            raise RefusedError(self._status, "this is not supported")


class Blind(Stages):
    """Answers from the text alone."""

    def __init__(self, say: Callable[[str], str]) -> None:
        super().__init__()
        self._say = say

    def generate(self, turns: list[Turn], chat: Chat) -> str:
        return self._say(turns[-1].text)


class WithoutPicture(Stages):
    """Refuses a request without a picture, or makes a number up."""

    def __init__(self, status: int) -> None:
        super().__init__()
        self._status = status

    def generate(self, turns: list[Turn], chat: Chat) -> str:
        if chat.pictures:
            return super().generate(turns, chat)
        if self._status:
            raise RefusedError(self._status, "a picture is missing")
        return "417"


class LargeUnseen(Stages):
    """Large pictures are lost."""

    def preprocess(self, pixels: Pixels, chat: Chat) -> Pixels | None:
        return np.zeros_like(pixels) if max(pixels.shape[:2]) >= 1000 else pixels


def model(stages: Stages) -> LoadedModel:
    server = FaultyServer()
    server.server_close()
    server._stages = stages
    return replace(wrap_model("other", DirectModel(server), ModelOptions()), spec=SPEC)


def probed(stages: Stages) -> ProbeResult:
    return probe(model(stages))


def kinds(result: ProbeResult) -> list[FindingKind]:
    return [each.kind for each in result.findings]


def _sent(chat: Chat) -> list[Shown]:
    """The pictures whose files are in the request."""
    return [each for each in chat.pictures if not each.file.url]


def _caption(answer: str, chat: Chat) -> str:
    if not chat.pictures:
        return BLIND
    shown = chat.pictures[-1].pixels
    assert shown is not None
    number, ground = read_card(shown)
    return f"The number {number or 'nothing'} on {ground}"


def _in_a_sentence(answer: str, chat: Chat) -> str:
    return f"It is {answer}." if len(answer) > 1 and answer.isalnum() else answer


def _in_german(answer: str, chat: Chat) -> str:
    return GERMAN.get(answer, answer)


def _with_thousands(answer: str, chat: Chat) -> str:
    return f"{int(answer):,}".replace(",", " ") if answer.isdecimal() else answer


def _as_json(answer: str, chat: Chat) -> str:
    return json.dumps({"answer": answer})


def _digits_alone(answer: str, chat: Chat) -> str:
    return answer if answer.isdecimal() else "I see a number."


def _three_digits(answer: str, chat: Chat) -> str:
    return answer[:3] if answer.isdecimal() else answer


@pytest.mark.parametrize("say", [_in_german, _with_thousands, _as_json, _digits_alone, _three_digits])
def test_other_words_are_no_fault(say: Callable[[str, Chat], str]) -> None:
    result = probed(Words(say))

    assert kinds(result) == []
    right, tries = result.read["numbers"]
    # Who says three digits reads numbers of three alone, the six of the reference cards.
    assert right == (CARDS if say is _three_digits else tries)


@pytest.mark.full
def test_colours_in_another_language_are_told_as_such() -> None:
    facts = {each.name: each.value for each in probed(Words(_in_german)).facts}

    assert facts["colours named"].startswith("in words of the model's own: red as 'rot'")


@pytest.mark.full
@pytest.mark.parametrize("status", [400, 500])
def test_a_model_of_one_picture_refuses_two(status: int) -> None:
    result = probed(Refusing(lambda chat: len(chat.pictures) > 1, status))

    assert kinds(result) == []
    assert "this is not supported" in dict(result.skipped)["several pictures"]


@pytest.mark.full
def test_small_pictures_may_be_refused() -> None:
    result = probed(Refusing(lambda chat: any(min(decoded(each.file).shape[:2]) < 112 for each in _sent(chat))))

    assert kinds(result) == []
    assert any("this is not supported" in each.value for each in result.facts)


@pytest.mark.full
def test_small_pictures_on_which_a_server_breaks_off_are_failures() -> None:
    small = Refusing(lambda chat: any(min(decoded(each.file).shape[:2]) < 112 for each in _sent(chat)), status=500)

    assert FindingKind.FAILURES in kinds(probed(small))


@pytest.mark.full
def test_files_that_are_refused_under_their_own_name_are_told_once() -> None:
    result = probed(Refusing(lambda chat: any(each.file.found_type != "image/png" for each in _sent(chat))))

    assert kinds(result) == [FindingKind.FILE_REFUSED]


@pytest.mark.parametrize(
    "say",
    [
        lambda text: (re.findall(r"\d+", text) or ["There is no picture."])[0],
        lambda text: f'"{text}" - of which picture?',
        lambda text: f"I see no picture for {' '.join(text.split()[:2])}",
    ],
    ids=["number of the text", "echo", "beginning of the text"],
)
def test_a_model_without_pictures_that_repeats_the_text_is_no_cache(say: Callable[[str], str]) -> None:
    assert kinds(probed(Blind(say))) == [FindingKind.PICTURE_UNUSED]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("", FindingKind.EMPTY_ANSWERS),
        ("!!!!!!!!", FindingKind.ENDLESS_ANSWERS),
        ("<think>A card, I think. Let me look closer", FindingKind.REASONING),
    ],
)
def test_answers_that_say_nothing_are_not_called_blind(answer: str, kind: FindingKind) -> None:
    assert kinds(probed(Words(lambda _answer, _chat: answer))) == [kind]


@pytest.mark.full
def test_answers_at_random_are_no_state() -> None:
    said = ["I cannot see images.", "I am a text-based AI.", "There is no picture here."]

    assert kinds(probed(Words(lambda _answer, chat: chat.random.choice(said)))) == [FindingKind.NON_DETERMINISTIC]


@pytest.mark.full
def test_a_captioner_ignores_the_text_and_nothing_else() -> None:
    result = probed(Words(_caption))

    assert kinds(result) == [FindingKind.TEXT_IGNORED]
    assert dict(result.skipped)["several pictures"] == "the answers do not depend on the text"


@pytest.mark.full
@pytest.mark.parametrize("status", [0, 400, 500])
def test_a_request_without_a_picture_may_be_refused_or_answered_by_a_guess(status: int) -> None:
    result = probed(WithoutPicture(status))

    assert kinds(result) == []
    told = {each.name: each.value for each in result.facts}.get("requests without a picture", "")
    assert told == ("refused: 400 (a picture is missing)" if status == 400 else "")


@pytest.mark.full
def test_large_pictures_that_are_lost_are_no_tiles() -> None:
    assert FindingKind.TILES not in kinds(probed(LargeUnseen()))


def test_numbers_are_read_in_other_ways_of_writing() -> None:
    written = [
        "6,451",
        "6.451",
        "6 451",
        "6'451",
        "6\u202f451",
        "\uff16\uff14\uff15\uff11",
        "6 4 5 1",
        "6-4-5-1",
        "**6451**",
    ]

    assert [says(each, "6451") for each in written] == [True] * len(written)
    assert not any(says(each, "6451") for each in ("6 45", "64 51", "16,451", "6,4510"))


def test_the_request_that_a_server_dies_of_is_named() -> None:
    class Dying:
        def __init__(self) -> None:
            self.seen = 0

        def answer(self, batch: Sequence[ModelInput]) -> list[str]:
            self.seen += len(batch)
            if self.seen > 3:
                raise ModelError("Expected an answer, but got no connection")
            return ["417"] * len(batch)

    with pytest.raises(ModelError, match=r"no connection \(request 4, which was not answered: 876 on green, 224 x 224"):
        probe(wrap_model("dying", Dying(), ModelOptions()))


def test_a_folder_that_cannot_be_written_is_told_before_any_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    status = run_command(["probe", "tiny", "--out", str(tmp_path / "file" / "out")])

    printed = capsys.readouterr()
    assert status == ExitStatus.USAGE
    assert printed.out == ""
    assert printed.err.startswith("vqamt: Expected a folder that can be written to")


def test_equal_photos_are_counted_where_too_few_are_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in "abcde":
        Image.new("RGB", (64, 64), (9, 9, 9)).save(tmp_path / f"{name}.png")
    status = run_command(["probe", "tiny", "--data", f"photos:{tmp_path}"])

    assert status == ExitStatus.USAGE
    assert "got 1 of --data=" in (error := capsys.readouterr().err)
    assert "and 4 photos equal to one of them" in error


@pytest.mark.full
def test_two_deployments_that_word_the_same_otherwise_do_not_part_at_pixels() -> None:
    result = compare(model(Words(_in_a_sentence)), model(Stages()), limit=MOST_REQUESTS)

    assert result.parted.startswith("text: the same is read, and said in other words")
    assert result.explanation is None


@pytest.mark.full
@pytest.mark.parametrize("share", [0.3, 0.5])
def test_colours_that_are_exchanged_now_and_then_are_no_deterministic_answers(share: float) -> None:
    result = probe(direct("colour-channels-swapped", share=share))

    assert kinds(result) == [FindingKind.NON_DETERMINISTIC]
    assert result.findings[0].detail == "of colours"
