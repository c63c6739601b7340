"""Several pictures, turns, the order of parts, and system messages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from pytest_vqamt.core.conversation import Ability, Role
from pytest_vqamt.probing.asking import Request, Said, SentRequest
from pytest_vqamt.probing.cards import CODE_WORD, LARGE_PX, NUMBER, OF_MESSAGE, OF_PICTURE, SIDE_PX, Card, says
from pytest_vqamt.probing.kinds import CUT_TEXTS, FindingKind
from pytest_vqamt.probing.probing import CARDS, ROUNDS, Probing

SEVERAL_NAME = "several pictures"
_TAKES_ONE = re.compile(
    r"\b(?:one|single)\b.*\b(?:image|picture|photo)|\bmultiple (?:images|pictures|photos)"
    r"|\bfirst message|\bnew (?:chat|conversation)"
)
"""An answer in words in place of a number: "I can only process one image at a time"."""
_PAIRS = ((0, 1), (2, 3), (4, 5), (1, 2), (3, 4), (5, 0))
"""The places of two cards of one message."""
_PAIRS_RIGHT = 3
"""Pairs in a row whose questions are all answered rightly end the check."""
_REFUSED = 2
"""Pairs in a row that are refused end it, too."""
_OTHER_SIZE = (224, 288)
LARGE_NAME = "several large pictures"
_LARGE, _SMALL = (LARGE_PX, LARGE_PX), (SIDE_PX, SIDE_PX)
_OF_TWO_SIZES = "several pictures as such: two of different sizes are told apart"
_OF_ONE_SIZE = "the sizes: two pictures of different ones give the same"
_WISH, _WORD = "Answer briefly.", "lamp"
_GREETING, _REPLY = "Here is a picture.", "Thank you. What would you like to know?"
_TALK = "I will show you a picture."


@dataclass(frozen=True, slots=True)
class Seen:
    """An answer about one of several pictures."""

    sent: SentRequest
    asked: int
    """The place of the picture that was asked about."""
    named: int
    """The place of the picture that the answer is about; -1 for none."""

    @property
    def is_right(self) -> bool:
        return self.asked == self.named

    @property
    def is_refused(self) -> bool:
        """True if the server, or the model in words, does not take several pictures, which is honest."""
        return bool(self.sent.failure) or _is_one_taken(self.sent)

    @property
    def is_garbled(self) -> bool:
        """True if it is neither number, and none with a digit misread, as weak models misread cards alone."""
        numbers = [str(card.number) for card in self.sent.request.cards]
        return self.named == -1 and not any(_is_near(self.sent.reading, number) for number in numbers)


def _is_one_taken(sent: SentRequest) -> bool:
    """True if the model says in words that it takes one picture, and names the number of none."""
    return _TAKES_ONE.search(sent.reading) is not None and _named(sent, sent.request.cards) == -1


def _is_near(reading: str, number: str) -> bool:
    """True if a number in the answer has at most one other digit."""
    return any(
        len(said) == len(number) and sum(a != b for a, b in zip(said, number, strict=True)) <= 1
        for said in re.findall(r"\d+", reading)
    )


def pictures(probing: Probing) -> None:
    """Two and three cards in one message, with a question about each."""
    if why := probing.lacks(Ability.PICTURES):
        probing.skip(SEVERAL_NAME, why)
        return
    if probing.result.found(FindingKind.TEXT_IGNORED):
        probing.skip(SEVERAL_NAME, "the question, which says of which picture, is ignored")
        return
    same = _of_pairs(probing)
    if same and all(each.is_refused for each in same):
        probing.skip(SEVERAL_NAME, f"refused: {same[0].sent.failure or same[0].sent.answer}")
        return
    if not same:
        probing.tells_apart = 2
        _three(probing)
        return
    same = [each for each in same if not each.is_refused]
    # Again with another size for the second: pictures of one size are what engines merge.
    others = [each for each in _of_pairs(probing, _OTHER_SIZE) if not each.is_refused]
    wrong = [each.sent for each in same if not each.is_right]
    kind = pattern_of([*same] if not others else [*same, *others])
    garbled = [each.sent for each in (*same, *others) if each.is_garbled]
    if not others:
        probing.add(FindingKind.MERGED, wrong, len(same), rate=probing.flips, ruled_out=(_OF_TWO_SIZES,))
    elif kind is not None:
        probing.add(kind, wrong, len(same), rate=probing.flips, ruled_out=(_OF_ONE_SIZE,))
    elif probing.is_finding(len(garbled), len(same) + len(others), probing.flips):
        # Neither number, of cards that are read alone: to take one for the other may be the model's own.
        alone = ("the cards: alone they are read",)
        probing.add(FindingKind.MIXED, garbled, len(same) + len(others), rate=probing.flips, ruled_out=alone)
    else:
        right = sum(each.is_right for each in (*same, *others))
        probing.note(SEVERAL_NAME, f"{right} of {len(same) + len(others)} questions are answered rightly")


def _of_pairs(probing: Probing, size: tuple[int, int] | None = None) -> list[Seen]:
    """Asks about both cards of pairs until all of a few pairs are right: nothing then, else all that was seen.

    ``size`` is that of the second card, where it is another.
    """
    seen: list[Seen] = []
    all_right = refused = 0
    for first, second in _PAIRS:
        other = probing.cards[second]
        now = list(_asked(probing, (probing.cards[first], replace(other, size=size) if size else other)))
        seen += now
        refused = refused + 1 if all(each.sent.failure for each in now) else 0
        if refused == _REFUSED:
            return seen
        all_right = all_right + 1 if all(each.is_right for each in now) else 0
        # More than one: a server may lose either picture at random.
        if all_right == _PAIRS_RIGHT:
            return []
        answered = [each for each in seen if not each.sent.failure]
        wrong = sum(not each.is_right for each in answered)
        if probing.is_finding(wrong, len(answered), probing.flips):
            return seen
    return seen


def _asked(probing: Probing, cards: tuple[Card, ...]) -> Iterator[Seen]:
    for place, ordinal in zip(range(len(cards)), ("first", "second", "third"), strict=False):
        text = OF_PICTURE.format(ordinal, NUMBER)
        turn = Said((*cards, text))
        sent = probing.sender.send_alone(Request(card=cards[place], text=text, turns=(turn,)))
        yield Seen(sent, place, _named(sent, cards))


def _named(sent: SentRequest, cards: tuple[Card, ...]) -> int:
    return next((place for place, card in enumerate(cards) if says(sent.reading, str(card.number))), -1)


def pattern_of(seen: list[Seen]) -> FindingKind | None:
    """The pattern of wrong answers, where all of them show it."""
    named = {(each.asked, each.named) for each in seen}
    last = max(each.asked for each in seen)
    if all(answer in (0, -1) for _, answer in named) and (0, 0) in named:
        return FindingKind.FIRST_ONLY
    if all(answer in (last, -1) for _, answer in named) and (last, last) in named:
        return FindingKind.LAST_ONLY
    if all(answer != -1 for _, answer in named) and len({asked for asked, _ in named}) == len(named):
        return FindingKind.PERMUTED
    return None


def _three(probing: Probing) -> None:
    seen: list[Seen] = []
    for places in ((0, 1, 2), (3, 4, 5), (1, 3, 5)):
        now = list(_asked(probing, tuple(probing.cards[place] for place in places)))
        if all(each.is_right for each in now):
            probing.tells_apart = 2 if seen else 3
            return
        if any(each.sent.failure for each in now):
            return
        if any(each.is_refused for each in now):
            probing.note("three pictures", f"refused: {now[0].sent.failure or now[0].sent.answer}")
            return
        seen += now
    wrong = [each.sent for each in seen if not each.is_right]
    kind = pattern_of(seen)
    if kind is not None:
        ruled_out = ("several pictures as such: two are told apart",)
        probing.add(kind, wrong, len(seen), detail="of three pictures", rate=probing.flips, ruled_out=ruled_out)


def large_pictures(probing: Probing) -> None:
    """Three large cards in one message, where three small ones are told apart, and one large one is read."""
    spoilt = (FindingKind.LARGE_PICTURE, FindingKind.SIZE, FindingKind.CHUNKS, *CUT_TEXTS)
    if probing.tells_apart < 3 or probing.result.found(*spoilt):
        probing.skip(LARGE_NAME, "three small ones, or a large one alone, are not all seen")
        return

    def asked(place: int, which: int, ordinal: str, size: tuple[int, int]) -> SentRequest:
        cards = tuple(replace(probing.cards[(place + step) % CARDS], size=size) for step in range(3))
        text = OF_PICTURE.format(ordinal, NUMBER)
        return probing.sender.send_alone(Request(card=cards[which], text=text, turns=(Said((*cards, text)),)))

    # Either end may be cut off.
    for which, ordinal in ((2, "third"), (0, "first")):
        wrong: list[SentRequest] = []
        for place in range(CARDS):
            sent = asked(place, which, ordinal, _LARGE)
            # The very question about small ones must be answered: three of any size may be too many for a model.
            if sent.is_right or sent.failure or not asked(place, which, ordinal, _SMALL).is_right:
                break
            wrong.append(sent)
        if not wrong or not probing.send(replace(probing.cards[0], size=_LARGE), NUMBER).is_right:
            continue
        tokens = max((each.tokens_in or 0 for each in wrong), default=0)
        told = f", {tokens:,} tokens" if tokens else ""
        detail = f"the {ordinal} of three of {_LARGE[0]:,} x {_LARGE[1]:,} px{told}"
        ruled_out = ("their number: three small ones are told apart",)
        if probing.add(FindingKind.MANY_TOKENS, wrong, detail=detail, rate=probing.flips, ruled_out=ruled_out):
            return


def text_first(probing: Probing) -> None:
    """The question before its picture."""
    if why := probing.lacks(Ability.INTERLEAVED):
        probing.skip("text before a picture", why)
        return
    found = probing.confirmed(
        (place, Request(card=card, text=probing.subject, turns=(Said((probing.subject, card)),)))
        for place, card in enumerate(probing.cards)
    )
    if found:
        probing.add(FindingKind.TEXT_FIRST, found, ruled_out=("the question: with the picture first it is answered",))


def system(probing: Probing) -> None:
    """A system message before the question."""
    if why := probing.lacks(Ability.SYSTEM):
        probing.skip("system messages", why)
        return
    if probing.result.found(FindingKind.LATER_IGNORED):
        probing.skip("system messages", "the picture of a later turn is not seen")
        return
    found = probing.confirmed(
        (
            place,
            Request(
                card=card,
                text=probing.subject,
                turns=(Said((_WISH,), Role.SYSTEM), Said((card, probing.subject))),
            ),
        )
        for place, card in enumerate(probing.cards)
    )
    if found:
        # As words of the user they must be harmless, or it is the model that any words confuse.
        texts = (
            (place, Request(card=card, text=f"{_WISH} {probing.subject}")) for place, card in enumerate(probing.cards)
        )
        if probing.confirmed(texts):
            probing.note("system messages", f'the model is confused by "{_WISH}" in the text, too')
            return
        ruled_out = ("the picture: without a system message it is seen",)
        probing.add(FindingKind.SYSTEM, found, ruled_out=ruled_out)
        return
    # What it knows from the user's text it must know from here. To obey a system message is another matter.
    told = f"The code word is {_WORD}."
    if _WORD not in probing.send(probing.cards[0], f"{told} {CODE_WORD}").reading:
        return
    sent = (
        probing.sender.send_alone(
            Request(card=card, text=CODE_WORD, turns=(Said((told,), Role.SYSTEM), Said((card, CODE_WORD))))
        )
        for card in probing.cards * ROUNDS
    )
    ignored = probing.until_right((each, _WORD in each.reading) for each in sent)
    ruled_out = ("the words: in the user's text they are known",)
    probing.add(FindingKind.SYSTEM_IGNORED, ignored, rate=probing.flips, ruled_out=ruled_out)


def turns(probing: Probing) -> None:
    """A card in an earlier turn, alone, and with another card in the turn behind it; and a card in a later turn."""
    if why := probing.lacks(Ability.TURNS):
        probing.skip("turns", why)
        return
    text = OF_MESSAGE.format("first", NUMBER)
    alone = (
        probing.sender.send_alone(
            Request(
                card=card,
                text=text,
                turns=(Said((card, _GREETING)), Said((_REPLY,), Role.ASSISTANT), Said((text,))),
            )
        )
        for card in probing.cards * ROUNDS
    )
    if lost := probing.until_right((each, each.is_right) for each in alone):
        ruled_out = ("the picture: in the turn of the question it is seen",)
        probing.add(FindingKind.EARLIER_LOST, lost, rate=probing.flips, ruled_out=ruled_out)
        return
    late = (_in_second_turn(probing, place % CARDS, _TALK) for place in range(ROUNDS * CARDS))
    if ignored := probing.until_right((each, each.is_right) for each in late):
        ruled_out = ("the picture: in the first turn it is seen",)
        probing.add(FindingKind.LATER_IGNORED, ignored, rate=probing.flips, ruled_out=ruled_out)
        return
    # Refused in one message, two pictures are no fault of turns.
    is_refused = SEVERAL_NAME in dict(probing.result.skipped)
    if is_refused or probing.result.found(FindingKind.FIRST_ONLY, FindingKind.LAST_ONLY):
        return
    later = (
        _in_second_turn(probing, place % CARDS, _behind(probing, place % CARDS)) for place in range(ROUNDS * CARDS)
    )
    if ignored := probing.until_right((each, each.is_right or _is_one_taken(each)) for each in later):
        ruled_out = ("a later turn as such: the first picture of a conversation is seen there",)
        probing.add(FindingKind.LATER_IGNORED, ignored, rate=probing.flips, ruled_out=ruled_out)
        return
    both = (_in_two_turns(probing, place % CARDS, text) for place in range(ROUNDS * CARDS))
    wrong = probing.until_right((each, each.is_right or _is_one_taken(each)) for each in both)
    if not wrong:
        return
    replaced = sum(says(each.reading, str(_behind(probing, place % CARDS).number)) for place, each in enumerate(wrong))
    if replaced < len(wrong):
        kind = FindingKind.EARLIER_LOST
    else:
        # By its number the first picture is found where both have only moved to one turn.
        text = OF_PICTURE.format("first", NUMBER)
        moved = [_in_two_turns(probing, place, text) for place in range(3)]
        kind = FindingKind.MOVED if all(each.is_right for each in moved) else FindingKind.EARLIER_REPLACED
    ruled_out = ("an earlier turn as such: one picture there is seen",)
    probing.add(kind, wrong, rate=probing.flips, ruled_out=ruled_out)


def _behind(probing: Probing, place: int) -> Card:
    """The card of the second turn, of another size than the first's."""
    return replace(probing.cards[place - 1], size=_OTHER_SIZE)


def _in_second_turn(probing: Probing, place: int, before: Card | str) -> SentRequest:
    """Asks about a card in the turn of the question, with another card or a text in the turn before it."""
    card = probing.cards[place]
    first = (before, _GREETING) if isinstance(before, Card) else (before,)
    told = (Said(first), Said((_REPLY,), Role.ASSISTANT), Said((card, NUMBER)))
    return probing.sender.send_alone(Request(card=card, text=NUMBER, turns=told))


def _in_two_turns(probing: Probing, place: int, text: str) -> SentRequest:
    """Asks about a card in the first turn, with another in the second."""
    first, second = probing.cards[place], _behind(probing, place)
    told = (
        *(Said((first, _GREETING)), Said((_REPLY,), Role.ASSISTANT)),
        *(Said((second, _GREETING)), Said((_REPLY,), Role.ASSISTANT), Said((text,))),
    )
    return probing.sender.send_alone(Request(card=first, text=text, turns=told))


def assistant(probing: Probing) -> None:
    """A word that the model is said to have said."""
    if why := probing.lacks(Ability.TURNS):
        probing.skip("the model's own turns", why)
        return
    card, word = probing.cards[0], _WORD
    said = probing.send(card, f"The code word is {word}. {CODE_WORD}")
    if word not in said.reading:
        probing.skip("the model's own turns", "the model does not say a word that it is told")
        return
    sent = (
        probing.sender.send_alone(
            Request(
                card=card,
                text=CODE_WORD,
                turns=(
                    *(Said((card, _GREETING)), Said((f"The code word is {word}.",), Role.ASSISTANT)),
                    Said((CODE_WORD,)),
                ),
            )
        )
        for card in probing.cards * ROUNDS
    )
    lost = probing.until_right((each, word in each.reading) for each in sent)
    probing.add(
        FindingKind.ASSISTANT_LOST, lost, rate=probing.flips, ruled_out=("the word: in the user's text it is known",)
    )
