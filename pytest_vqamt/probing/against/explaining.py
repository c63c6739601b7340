"""What explains the differences of two deployments: what A does to a picture, done to it before B is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from statistics import fmean
from types import MappingProxyType

from pytest_vqamt.core.conversation import Role
from pytest_vqamt.probing.against.schedule import Stage
from pytest_vqamt.probing.asking import Request, RequestSender, RequestsSpentError, Said, SentRequest
from pytest_vqamt.probing.cards import COLOURS, Card, CardFile
from pytest_vqamt.probing.changes import FAULTS, HALVES
from pytest_vqamt.probing.outputs import distance, first_distance

SAME_ANSWER = "the same answer"
"""The end of what is said of caches."""

_SHOWN = 4
"""Differing requests that an explanation must hold for."""
_EXPLAINS = 0.4
"""An explanation leaves at most so much of the differences, on the mean: what 16 bits do is left."""
_STUCK = 0.05
"""Answers of A are the same where they are apart by at most so much of what those of B are."""
_MOST_HALVES = 6
"""How often a photo is halved."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why two deployments differ."""

    words: str
    """What A does, as far as it is known: "A answers as B does to the picture mirrored"; "" for nothing known."""
    left: float = 1.0
    """The share of the differences that this leaves."""
    smallest: str = ""
    """The smallest picture that separates them, in words; "" where none was found."""
    requests: int = 0
    """Sent to each for this."""


def _of_pictures(change: Callable[[list[Card]], list[Card]], request: Request) -> Request | None:
    """The request with its pictures in another order or number; None where that changes nothing."""
    cards = list(request.cards)
    if len(cards) < 2:
        return None
    put = iter(change(cards))
    turns = tuple(
        replace(turn, parts=tuple(next(put) if isinstance(part, Card) else part for part in turn.parts))
        for turn in request.turns
    )
    return replace(request, turns=turns)


def _alone(which: int, request: Request) -> Request | None:
    """The request with one of its pictures alone; None where it has one."""
    cards = list(request.cards)
    if len(cards) < 2:
        return None
    kept = cards[which]
    turns = tuple(
        Said(tuple(part for part in turn.parts if not isinstance(part, Card) or part is kept), turn.role)
        for turn in request.turns
    )
    return replace(request, turns=tuple(turn for turn in turns if turn.parts))


def _reversed(cards: list[Card]) -> list[Card]:
    return cards[::-1]


def _repeated(which: int, cards: list[Card]) -> list[Card]:
    return [cards[which]] * len(cards)


def _last_turn(request: Request) -> Request | None:
    """The last turn, with the pictures of all; None where there is one turn."""
    said = [turn for turn in request.turns if turn.role is Role.USER]
    if len(said) < 2:
        return None
    return replace(request, turns=(Said((*request.cards, request.text)),))


def _unguided(request: Request) -> Request | None:
    """The request without its system message; None where there is none."""
    turns = tuple(turn for turn in request.turns if turn.role is not Role.SYSTEM)
    return replace(request, turns=turns) if len(turns) < len(request.turns) else None


def _changed(name: str, request: Request) -> Request:
    """The request with a change made to all its pictures, as EXIF turns them first."""

    def changed(card: Card) -> Card:
        return replace(card, changes=(*card.changes, name))

    turns = tuple(
        replace(turn, parts=tuple(changed(part) if isinstance(part, Card) else part for part in turn.parts))
        for turn in request.turns
    )
    return replace(request, card=changed(request.card), turns=turns)


HYPOTHESES: Mapping[str, Callable[[Request], Request | None]] = MappingProxyType(
    {
        **{f"the picture {name}": partial(_changed, name) for name in FAULTS},
        "the pictures in reverse order": partial(_of_pictures, _reversed),
        "the first picture, twice": partial(_of_pictures, partial(_repeated, 0)),
        "the last picture, twice": partial(_of_pictures, partial(_repeated, -1)),
        "the first picture alone": partial(_alone, 0),
        "the last picture alone": partial(_alone, -1),
        "the last turn alone": _last_turn,
        "the conversation without its system message": _unguided,
    }
)
"""What B is asked instead, by the words for it."""


class Explainer:
    """Looks for what explains differences, and for the smallest picture that shows them."""

    def __init__(self, senders: tuple[RequestSender, RequestSender], threshold: float) -> None:
        """``threshold`` is the distance above which answers differ."""
        self._senders = senders
        self._threshold = threshold

    def explain(
        self,
        differing: Sequence[tuple[Stage, SentRequest, SentRequest]],
        pairs: Sequence[tuple[SentRequest, SentRequest]],
    ) -> Explanation:
        """The first hypothesis that leaves least of the differences, and the smallest picture.

        Args:
            differing: pairs that differ, with their stages.
            pairs: all pairs of answers.
        """
        before = max(len(sender.log) for sender in self._senders)
        words, left, smallest = self._of_caches(pairs), 0.0, ""
        try:
            if not words:
                found, left = self._best(_chosen(differing))
                words = f"A answers as B does to {found}" if found else ""
            smallest = self._smallest(differing)
        except RequestsSpentError:
            pass
        after = max(len(sender.log) for sender in self._senders)
        return Explanation(words=words, left=left, smallest=smallest, requests=after - before)

    def _of_caches(self, all_pairs: Sequence[tuple[SentRequest, SentRequest]]) -> str:
        """What the answers themselves show: one for all pictures of a text, or for all texts about a picture."""
        pairs = [(seen, other) for seen, other in all_pairs if not (seen.failure or other.failure)]
        for words, key, content in (
            ("all pictures with one text", _text, _card),
            ("all texts about one picture", _card, _text),
        ):
            stuck = told_apart = 0
            for (seen, other), (again, another) in combinations(pairs, 2):
                if key(seen) != key(again) or content(seen) == content(again):
                    continue
                # B tells them apart, so A should.
                if distance(other, another) > self._threshold:
                    told_apart += 1
                    stuck += distance(seen, again) < _STUCK * distance(other, another)
            if told_apart >= _SHOWN and stuck >= 0.9 * told_apart:
                return f"A gives {words} {SAME_ANSWER}"
        return ""

    def _best(self, pairs: Sequence[tuple[SentRequest, SentRequest]]) -> tuple[str, float]:
        best, least = "", 1.0
        for words, hypothesis in HYPOTHESES.items():
            shares: list[float] = []
            for seen, other in pairs:
                asked = hypothesis(seen.request)
                if asked is None:
                    continue
                share = first_distance(seen, self._ask_reference(asked)) / max(first_distance(seen, other), 1e-9)
                shares.append(share)
                # One that it does not explain at all is enough.
                if share > 2 * _EXPLAINS:
                    break
            # A change that leaves a picture as it is explains nothing, and leaves all of the difference.
            if shares and max(shares) <= 2 * _EXPLAINS and fmean(shares) <= min(least - 1e-9, _EXPLAINS):
                best, least = words, fmean(shares)
        return best, least

    def _ask_reference(self, request: Request) -> SentRequest:
        self._check_budget()
        return self._senders[1].send_alone(request)

    def _check_budget(self) -> None:
        if min(sender.left for sender in self._senders) < 2:
            raise RequestsSpentError

    def _smallest(self, differing: Sequence[tuple[Stage, SentRequest, SentRequest]]) -> str:
        """The first picture, from the simplest on, that the deployments answer otherwise; else a part of a photo."""
        if all(stage in (Stage.TEXT, Stage.PICTURES, Stage.TURNS, Stage.SYSTEM) for stage, _, _ in differing):
            return ""
        files = [each.card.file for _, each, _ in differing if each.card.file is not None]
        for request in _simplest(files[:3]):
            if self._differ(request):
                return request.card.look
        photo = next((seen.request for stage, seen, _ in differing if stage is Stage.PHOTOS), None)
        return "" if photo is None else self._shrunk(photo).card.look

    def _shrunk(self, request: Request) -> Request:
        """The request with the smallest part of its photo that is still answered otherwise, by halves."""
        for _ in range(_MOST_HALVES):
            parts = (_changed(name, request) for name in HALVES)
            smaller = next((part for part in parts if self._differ(part)), None)
            if smaller is None:
                break
            request = smaller
        return request

    def _differ(self, request: Request) -> bool:
        self._check_budget()
        return first_distance(*(sender.send_alone(request) for sender in self._senders)) > self._threshold


def _text(seen: SentRequest) -> object:
    return [(turn.role, [part for part in turn.parts if isinstance(part, str)]) for turn in seen.request.conversation]


def _card(seen: SentRequest) -> object:
    return seen.request.cards


def _chosen(differing: Sequence[tuple[Stage, SentRequest, SentRequest]]) -> list[tuple[SentRequest, SentRequest]]:
    """Pairs of the earliest stage that depends on pictures, of different cards and questions."""
    stages = [stage for stage, _, _ in differing]
    stage = next((each for each in Stage if each in stages and each is not Stage.TEXT), Stage.TEXT)
    of_stage = [(seen, other) for at, seen, other in differing if at is stage and not (seen.failure or other.failure)]
    # Of other looks first: one card may lack what a fault changes.
    step = max(1, len(of_stage) // _SHOWN)
    return of_stage[::step][:_SHOWN]


def _simplest(files: Sequence[CardFile]) -> Iterator[Request]:
    """Pictures from the simplest on: one colour, then a number, in each file, then larger and oblong ones."""
    text = "What is in this picture?"
    for px in (28, 56, 112, 224, 448, 1024):
        for name in ("black", "red", "blue"):
            yield Request(card=Card(ground=COLOURS[name], size=(px, px)), text=text)
        card = Card(number=417, ground=COLOURS["red"], size=(px, px))
        yield Request(card=card, text=text)
        yield from (Request(card=replace(card, file=file), text=text) for file in files)
    for size in ((448, 224), (224, 448)):
        yield Request(card=Card(number=417, ground=COLOURS["red"], size=size), text=text)
