"""Requests without a picture, later turns, odd answers: sane servers are not accused, and faults are named once."""

from __future__ import annotations

import pytest

from pytest_vqamt.models.catalogue import ModelCatalogue
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.probing.checks.replies import is_void
from pytest_vqamt.probing.kinds import FindingKind
from pytest_vqamt.probing.probe import probe
from tests.probing.imitations_four import LaterPicturesIgnored
from tests.probing.test_other_servers import Words, kinds, probed
from tools.faulty_server import FaultyServer, RefusedError, perception
from tools.faulty_server.requests import Chat, Shown, Turn, pictures_in
from tools.faulty_server.stages import Stages


def _without_pictures(turn: Turn) -> Turn:
    return Turn(turn.role, [part for part in turn.parts if isinstance(part, str)])


def _is_talk(chat: Chat) -> bool:
    return any(turn.role == "assistant" for turn in chat.turns)


# Sane servers


class TextElsewhere(Stages):
    """A gateway that sends requests without a picture to a text model, and says so."""

    def report(self, reply: dict[str, object], chat: Chat) -> dict[str, object]:
        return reply if chat.pictures else {**reply, "model": "llama-3.1-8b-instruct"}


@pytest.mark.full
def test_requests_of_text_may_be_answered_by_a_text_model() -> None:
    assert kinds(probed(TextElsewhere())) == []


class EveryFourthRefused(Stages):
    """A limit of three requests a window: the fourth is refused, and taken when it is sent again."""

    def __init__(self, before: int) -> None:
        super().__init__()
        self._seen = before

    def admit(self, chat: Chat) -> None:
        with self.lock:
            self._seen += 1
            if self._seen % 4 == 0:
                raise RefusedError(429, "Rate limit: 3 requests")


@pytest.mark.full
@pytest.mark.parametrize("before", [0, 2])
def test_a_limit_of_requests_is_nothing_that_a_text_left_behind(before: int) -> None:
    assert kinds(probed(EveryFourthRefused(before))) == []


class SwapsModels(Stages):
    """Loads a text model for text; the model of pictures is loaded again for the next picture, and 503 until then."""

    def __init__(self, status: int) -> None:
        super().__init__()
        self._status = status
        self._is_unloaded = False

    def admit(self, chat: Chat) -> None:
        was_unloaded, self._is_unloaded = self._is_unloaded, not chat.pictures
        if chat.pictures and was_unloaded:
            raise RefusedError(self._status, "Loading model")


def _over_http(stages: Stages) -> list[FindingKind]:
    with FaultyServer() as server:
        server._stages = stages
        spec = f"openai:cards@{server.url}"
        return kinds(probe(ModelCatalogue().load(spec, ModelOptions(settings={"retries-s": "6"}))))


@pytest.mark.full
def test_a_model_that_is_loaded_again_after_text_is_not_called_unseen() -> None:
    assert FindingKind.AFTER_TEXT not in _over_http(SwapsModels(503))


@pytest.mark.full
def test_a_server_that_restarts_after_text_is_found_by_its_real_adapter_too() -> None:
    assert _over_http(SwapsModels(500)) == [FindingKind.AFTER_TEXT]


class BlackByDefault(Stages):
    """Reads no numbers, and light grounds alone; all else, also no picture at all, is black."""

    def finish(self, answer: str, chat: Chat) -> str:
        if not chat.pictures or answer in {"red", "green", "blue"}:
            return "black"
        return "7" if len(answer) == 3 and answer.isdecimal() else answer


@pytest.mark.full
def test_an_answer_that_is_always_given_is_no_kept_picture() -> None:
    assert kinds(probed(BlackByDefault())) == []


class TwoMisreadLarge(Stages):
    """Misreads two of six large numbers in black on white, each time alike."""

    def __init__(self) -> None:
        super().__init__()
        self._numbers: list[str] = []

    def generate(self, turns: list[Turn], chat: Chat) -> str:
        answer = super().generate(turns, chat)
        shown = next(pictures_in(turns), None)
        if shown is None or shown.pixels is None or shown.pixels.shape != (1536, 1536, 3) or len(answer) != 3:
            return answer
        if perception.read_ground(shown.pixels) != "white":
            return answer
        if answer not in self._numbers:
            self._numbers.append(answer)
        return str(int(answer) - 1) if answer in self._numbers[:2] else answer


@pytest.mark.full
def test_two_of_six_large_numbers_on_white_are_not_counted_as_four_of_four() -> None:
    assert kinds(probed(TwoMisreadLarge())) == []


@pytest.mark.full
@pytest.mark.parametrize("unread", [".....", "-----", "0 0 0 0 0"])
def test_dots_for_what_cannot_be_read_are_no_endless_answer(unread: str) -> None:
    assert kinds(probed(Words(lambda answer, _chat: unread if answer == "none" else answer))) == []


def _of_first_message(answer: str, chat: Chat) -> str:
    users = [turn for turn in chat.turns if turn.role == "user"]
    if any(pictures_in(users[:1])) and any(pictures_in(users[1:])):
        return "I can only look at one image in a conversation. Please start a new one."
    return answer


@pytest.mark.full
def test_a_second_picture_may_be_refused_in_words_in_a_later_turn_too() -> None:
    assert kinds(probed(Words(_of_first_message))) == []


class InASentence(LaterPicturesIgnored):
    """Describes the picture of the first message again, and says so."""

    def finish(self, answer: str, chat: Chat) -> str:
        return f"The number in your first message is {answer}." if answer.isdecimal() else answer


@pytest.mark.full
def test_a_number_in_a_sentence_about_the_first_message_is_no_refusal() -> None:
    assert kinds(probed(InASentence())) == [FindingKind.LATER_IGNORED]


class NoTalks(Stages):
    """Takes one turn."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__()
        self._status = status
        self._message = message

    def admit(self, chat: Chat) -> None:
        if _is_talk(chat):
            raise RefusedError(self._status, self._message)


@pytest.mark.full
@pytest.mark.parametrize("status", [405, 501])
def test_conversations_may_be_refused_by_other_statuses(status: int) -> None:
    assert kinds(probed(NoTalks(status, "conversations are not supported"))) == []


# Faults that have one name


@pytest.mark.full
def test_a_number_in_the_message_of_a_500_is_no_status() -> None:
    result = probed(NoTalks(500, "Error while rendering the template at line 400"))

    assert kinds(result) == [FindingKind.FAILURES]


class FirstMessageAlone(Stages):
    """Only the first message has a place for a picture, so a system message takes it."""

    def arrange(self, turns: list[Turn], chat: Chat) -> list[Turn]:
        return [*turns[:1], *map(_without_pictures, turns[1:])]


@pytest.mark.full
def test_a_template_of_the_first_message_is_one_fault() -> None:
    assert len(kinds(probed(FirstMessageAlone()))) == 1


class CountedAgain(Stages):
    """A picture of an earlier turn is counted again with each later turn of the user."""

    def report(self, reply: dict[str, object], chat: Chat) -> dict[str, object]:
        users = [turn for turn in chat.turns if turn.role == "user"]
        again = sum(
            shown.tokens * (len(users) - 1 - place) for place, turn in enumerate(users) for shown in pictures_in([turn])
        )
        usage = reply["usage"]
        assert isinstance(usage, dict)
        return {**reply, "usage": {**usage, "prompt_tokens": usage["prompt_tokens"] + again}}


@pytest.mark.full
def test_pictures_of_earlier_turns_that_are_counted_again_are_still_found() -> None:
    assert kinds(probed(CountedAgain())) == [FindingKind.USAGE]


class LostAtTheBeginning(Stages):
    """A picture at the beginning of a message is lost; behind a text it is seen."""

    def arrange(self, turns: list[Turn], chat: Chat) -> list[Turn]:
        return [_without_pictures(turn) if isinstance(turn.parts[0], Shown) else turn for turn in turns]


def test_pictures_that_are_seen_behind_a_text_are_not_called_unused() -> None:
    result = probed(LostAtTheBeginning())

    assert kinds(result) != [FindingKind.PICTURE_UNUSED] or "behind a text" in result.findings[0].detail


class WhiteUnread(Stages):
    """Numbers on white are misread at any size."""

    def generate(self, turns: list[Turn], chat: Chat) -> str:
        answer = super().generate(turns, chat)
        shown = next(pictures_in(turns), None)
        is_white = shown is not None and shown.pixels is not None and perception.read_ground(shown.pixels) == "white"
        return "1" if is_white and len(answer) == 3 and answer.isdecimal() else answer


@pytest.mark.full
def test_white_that_is_unread_at_any_size_is_neither_large_nor_a_cache() -> None:
    found = kinds(probed(WhiteUnread()))

    assert FindingKind.LARGE_PICTURE not in found
    assert FindingKind.BEGINNING_KEYED not in found


def test_the_padding_of_llama_is_an_endless_answer() -> None:
    assert is_void("<|finetune_right_pad_id|>" * 8)


class LostAfterText(Stages):
    """After a request of text so many pictures are lost."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most
        self._left = 0

    def arrange(self, turns: list[Turn], chat: Chat) -> list[Turn]:
        with self.lock:
            is_lost = bool(chat.pictures) and self._left > 0
            self._left = self._left - 1 if chat.pictures else self._most
        return [*map(_without_pictures, turns)] if is_lost else turns


@pytest.mark.full
@pytest.mark.parametrize("most", [2, 10**6])
def test_what_a_text_leaves_behind_for_longer_than_one_picture_is_found(most: int) -> None:
    result = probed(LostAfterText(most))

    found = [*kinds(result), *(each.detail for each in result.findings)]
    assert FindingKind.AFTER_TEXT in found or "since the check of requests without a picture" in found


class FourSlots(Stages):
    """Requests go to four slots in turn; one without a picture sees that of its slot."""

    def __init__(self) -> None:
        super().__init__()
        self._seen = 0
        self._slots: list[Shown | None] = [None] * 4

    def arrange(self, turns: list[Turn], chat: Chat) -> list[Turn]:
        with self.lock:
            self._seen += 1
            slot = self._seen % len(self._slots)
            kept = self._slots[slot]
            self._slots[slot] = next(pictures_in(turns), kept)
        return turns if chat.pictures or kept is None else [Turn("user", [kept, *turns[0].parts]), *turns[1:]]


@pytest.mark.full
def test_a_picture_that_is_kept_in_one_of_several_slots_is_found() -> None:
    assert kinds(probed(FourSlots())) == [FindingKind.PICTURE_KEPT]


@pytest.mark.full
def test_the_evidence_of_a_kept_picture_names_the_request_that_had_it() -> None:
    class Kept(FourSlots):
        def __init__(self) -> None:
            super().__init__()
            self._slots = [None]

    result = probed(Kept())

    (finding,) = result.findings
    assert finding.kind is FindingKind.PICTURE_KEPT
    assert finding.requests[0] in {each.number for each in result.log if each.request.cards}


@pytest.mark.full
def test_the_evidence_of_what_a_text_left_behind_shows_what_went_wrong() -> None:
    result = probed(SwapsModels(429))

    for finding in result.findings:
        shown = [result.log[number - 1] for number in finding.requests]
        assert finding.detail or any(each.failure or not each.is_right for each in shown)


def _tenth_at_random(answer: str, chat: Chat) -> str:
    is_random = chat.random.random() < 0.1 and answer.isdecimal()
    return str(chat.random.randrange(100, 1000)) if is_random else answer


@pytest.mark.full
def test_numbers_that_a_noisy_server_was_asked_once_are_not_called_misread() -> None:
    result = probed(Words(_tenth_at_random))

    assert kinds(result) == [FindingKind.NON_DETERMINISTIC]
    assert "clear numbers misread" not in {each.name for each in result.facts}
