"""The state of a probe: the reference cards, what is measured of the model, and how a difference becomes a finding.

Comparisons speak of "the same" and never of "right": a request about the same content must get the reference answer of
its card. A difference counts where it is seen twice in a row, and a finding needs as many cards in a row as chance does
not give (``findings``). So a sane deployment pays for one request of a comparison, and a faulty one for all of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from enum import IntEnum
from itertools import cycle, islice
from random import Random

from pytest_vqamt.core.conversation import Ability
from pytest_vqamt.models.wrapped import LoadedModel
from pytest_vqamt.probing.asking import Request, RequestSender, Said, SentRequest
from pytest_vqamt.probing.cards import COLOURS, CORNER, CORNERS, DOTS, GRAY, NUMBER, Card, says
from pytest_vqamt.probing.findings import FLIPS, ProbeFinding, chance_of, is_finding, is_undecided, repeated_difference
from pytest_vqamt.probing.kinds import FindingKind
from pytest_vqamt.probing.results import Fact, Figure, ProbeResult, Undecided
from pytest_vqamt.stats.binomial import exact_test

CARDS = 6
"""Cards that every check uses, the first six of ``COLOURS`` as grounds; ordinary cards are squares of 224 px."""

TOGETHER = "together"
"""The check that tells if requests may be sent together."""

ROUNDS = 3
"""How often a check that is undecided goes over all cards."""

_ROUNDS_BEFORE = 3
"""Rounds over all cards before the first finding, which measure how often answers are random."""

_OF_STATE = {FindingKind.STATE, FindingKind.NON_DETERMINISTIC}
"""Findings for which no card is asked again: they are about just that."""

_CHANGED = 0.6
"""The share of reference cards that are answered otherwise than at first, where it is state and no noise."""

_USUAL_REQUESTS = 330
"""What a probe of a sane deployment takes; what may be sent beyond is for what is undecided."""

_SHARED = 4
"""Fresh texts that are sent with two pictures each."""

_IN_FLIGHT = 16
"""Requests of ``at_once``; a server that mixes up more has its finding from the ladder."""

_LARGEST_PLAIN_PX = 448

_READS_SOMETHING = 0.5
"""The share of reference cards that are read below which a model's answers about changed cards mean nothing."""

READS = 0.8
"""The share of reference cards that a model must read for checks that need it."""


class Salted(IntEnum):
    """Where requests have a number of their own, which makes each another one to a cache by text."""

    NOWHERE = 0
    IN_TEXT = 1
    """Before the question."""
    BEFORE_PICTURE = 2
    """There, too: a cache of prefixes knows prompts by how they begin."""


class ProbeState:
    """A probe under way: its cards, its requests and its result.

    Attributes:
        cards: the reference cards, of different numbers and grounds.
        spare: numbers that no answer about the reference cards can be.
        compared_with: of a request that was compared with another one, by number: the number of that one.
    """

    def __init__(self, sender: RequestSender, seed: int) -> None:
        self.sender = sender
        self.random = Random(seed)
        numbers = clear_numbers(self.random, 4 * CARDS)
        self.cards = [
            Card(number=number, ground=COLOURS[name])
            for number, name in zip(numbers, tuple(COLOURS)[:CARDS], strict=False)
        ]
        self.spare = numbers[CARDS:]
        self.result = ProbeResult(model=sender.model.name, log=sender.log)
        self.compared_with: dict[int, int] = {}

    @property
    def model(self) -> LoadedModel:
        return self.sender.model

    def lacks(self, *abilities: Ability) -> str:
        """Why conversations of this kind cannot be sent; "" where they can."""
        missing = [each.value for each in abilities if each not in self.model.takes]
        return f"the model does not say that it takes {' and '.join(missing)}" if missing else ""

    def add_finding(
        self,
        kind: FindingKind,
        differing: Sequence[SentRequest],
        compared: int = 0,
        *,
        rate: float,
        detail: str = "",
        ruled_out: Sequence[str] = (),
    ) -> bool:
        """Adds a finding, unless chance explains it; False then.

        Args:
            kind: what it is.
            differing: the requests that show it.
            compared: the number of comparisons; 0 if all differ.
            rate: the chance of one on a sane deployment.
            detail: at which sizes, lengths or forms.
            ruled_out: what was tried, and is not the cause.
        """
        tries = compared or len(differing)
        if not is_finding(len(differing), tries, rate):
            return False
        self.result.findings.append(
            ProbeFinding(
                kind=kind,
                differing=len(differing),
                compared=tries,
                p_value=chance_of(len(differing), tries, rate),
                detail=detail,
                ruled_out=tuple(ruled_out),
                requests=self._with_pairs(each.number for each in differing),
            )
        )
        return True

    def _with_pairs(self, numbers: Iterable[int]) -> tuple[int, ...]:
        """Requests, each behind the one that it was compared with, if any."""
        pairs = ((self.compared_with.get(number), number) for number in numbers)
        return tuple(dict.fromkeys(each for pair in pairs for each in pair if each is not None))

    def note(self, name: str, value: str, *, is_minor: bool = False) -> None:
        # A check that is made again says it anew.
        self.result.facts[:] = [each for each in self.result.facts if each.name != name]
        self.result.facts.append(Fact(name=name, value=value, is_minor=is_minor))

    def measure(self, figure: Figure) -> None:
        self.result.figures[:] = [each for each in self.result.figures if each.name != figure.name]
        self.result.figures.append(figure)

    def skip(self, name: str, reason: str) -> None:
        self.result.skipped.append((name, reason))


class Probing(ProbeState):
    """A probe that compares answers, which every check gets.

    Attributes:
        reference: the majority of the answers about a card, by its place and the question.
        repeats: all answers that the references were taken from.
        salted: where requests have a number of their own, once a cache by text was found.
        flips: how often random answers are allowed for.
        misread: the share of plain cards that the model itself misreads, each time alike.
        is_measured: True once the rate of random answers was measured on more than the references.
        is_read_tried: True once that share was measured.
        is_spoilt: True once state has left the cards unread, so that nothing more can be compared.
        url_host: the name of this machine where the model is; "" for 127.0.0.1 where the model is here, too.
        undecided: what is neither a finding nor well explained by chance.
        is_second_look: True while a check is made again, whose differences are added to those of before.
        spare_requests: how many more requests than usual may be sent for what is undecided.
        spent_on_undecided: how many were.
        since: the checks since a reference card was asked again.
        tells_apart: how many pictures of one message, up to three, are all read.
        faintest_step: the faintest step of 255 between digits and gray grounds that is read; 0 for none.
        small_digits_px: the height of digits that are read on large cards and not on half as large ones; 0 for none.
    """

    def __init__(self, sender: RequestSender, seed: int, url_host: str = "") -> None:
        super().__init__(sender, seed)
        self.salted = Salted.NOWHERE
        self.reference: dict[tuple[int, str], str] = {}
        self.repeats: list[tuple[int, str, SentRequest]] = []
        self.flips = FLIPS
        self.url_host = url_host
        self.misread = 0.0
        self.is_read_tried = False
        self.is_measured = False
        self.is_spoilt = False
        self.undecided: dict[FindingKind, Undecided] = {}
        self.is_second_look = False
        self.spare_requests = max(0, sender.limit - _USUAL_REQUESTS)
        self.spent_on_undecided = 0
        self.small_digits_px = 0
        self.faintest_step = 0
        self.tells_apart = 0
        self.since: list[str] = []
        self._canaries = 0

    @property
    def subject(self) -> str:
        return self.result.subject

    @property
    def reads(self) -> bool:
        """True if the model reads the numbers on the reference cards."""
        right, tries = self.result.read.get("numbers", (0, 0))
        return self.subject == NUMBER and right >= READS * tries

    @property
    def reads_something(self) -> bool:
        """True if most answers to the question of the comparisons are right: others say nothing of changed cards."""
        right, tries = self.result.read.get("numbers" if self.subject == NUMBER else "colours", (0, 0))
        return right >= _READS_SOMETHING * tries

    @property
    def names_colours(self) -> bool:
        """True if the model names the grounds of the reference cards."""
        right, tries = self.result.read.get("colours", (0, 0))
        return right >= READS * tries

    # Requests

    def is_cured_by_fresh_texts(self, seen: Sequence[SentRequest]) -> bool:
        """True if requests that differ get the references' answers with texts that nobody has sent before.

        A cache that knows requests by their texts then is the cause; all later texts are fresh.
        """
        if self.salted:
            return False
        self.salted = Salted.IN_TEXT if self.lacks(Ability.INTERLEAVED) else Salted.BEFORE_PICTURE
        places = {card.number: place for place, card in enumerate(self.cards)}
        again = {place: each.request for each in seen if (place := places.get(each.card.number)) is not None}
        cured = [place for place, each in again.items() if self.agrees(self.sender.send_alone(self.fresh(each)), place)]
        is_cured = len(cured) >= max(2, len(again)) and self.mixes_up_shared_texts(again)
        if not is_cured:
            self.salted = Salted.NOWHERE
        return is_cured

    def mixes_up_shared_texts(self, requests: Mapping[int, Request]) -> bool:
        """True if fresh texts that were sent with another picture before get wrong answers about this one.

        Else it is the model that answers another prompt better.
        """
        for place, asked in islice(cycle(requests.items()), _SHARED):
            request = self.fresh(asked)
            other = self.cards[(place + 1) % CARDS]
            self.sender.send_alone(_with_card(request, replace(asked.card, number=other.number, ground=other.ground)))
            if self.agrees(self.sender.send_alone(request), place):
                return False
        return True

    def fresh(self, request: Request) -> Request:
        """The request; once a cache by text was found, with unique numbers, before its picture, too, where needed."""
        text = self.salted_text(request.text)
        if request.turns or self.salted is not Salted.BEFORE_PICTURE:
            return replace(request, text=text)
        before = self.salted_text("")
        return replace(request, text=text, turns=(Said((before, request.card, text)),))

    def salted_text(self, question: str) -> str:
        """The question; once a cache by text was found, with a unique number before it."""
        # A prefix before the question makes each request another one to a cache by text.
        if not self.salted:
            return question
        salt = self.random.randrange(10**6)
        return f"Request {salt:06}. {question}"

    def send(self, card: Card, question: str) -> SentRequest:
        return self.sender.send_alone(self.fresh(Request(card=card, text=question)))

    def at_once(self, requests: Sequence[Request]) -> list[SentRequest]:
        """Sends requests that do not depend on each other, several in flight where that changes no answer.

        What differs here is confirmed alone: this is the first look of a check.
        """
        salted = [self.fresh(each) for each in requests]
        if not self._may_be_together:
            return [self.sender.send_alone(each) for each in salted]
        batches = (salted[first : first + _IN_FLIGHT] for first in range(0, len(salted), _IN_FLIGHT))
        return [each for batch in batches for each in self.sender.send_together(batch)]

    @property
    def _may_be_together(self) -> bool:
        """True for a server whose answers were the same together as alone; a model here gains nothing by it."""
        mixed = FindingKind.BATCH, FindingKind.BATCH_PADDING, FindingKind.SWAPPED_ANSWERS
        return self.model.streamed is not None and TOGETHER in self.result.checked and not self.result.found(*mixed)

    def reference_of(self, place: int) -> str:
        return self.reference[place, self.subject]

    def agrees(self, seen: SentRequest, place: int) -> bool:
        """True if the answer is that to the reference card, or both name what its number is."""
        reference, number = self.reference_of(place), str(self.cards[place].number)
        return seen.reading == reference or (says(seen.reading, number) and says(reference, number))

    def card_of(self, seen: SentRequest) -> SentRequest | None:
        """The latest request before it about a card whose number it names; None if there is none."""
        before = self.sender.log[: seen.number - 1]
        shown = (each for each in reversed(before) if each.request.cards and each.card.number is not None)
        return next((each for each in shown if says(seen.reading, str(each.card.number))), None)

    def differs(self, place: int, request: Request) -> SentRequest | None:
        """Sends a request about the content of a reference card twice; None unless both answers are other ones."""
        last: SentRequest | None = None
        # Twice: one flip of a sane server must be no finding.
        for _ in range(2):
            last = self.sender.send_alone(self.fresh(request))
            # A refusal or a text that was cut with notice is honest.
            if last.failure or last.truncated or self.agrees(last, place):
                return None
        return last

    def confirmed(self, requests: Iterable[tuple[int, Request]]) -> list[SentRequest]:
        """Sends requests about the content of reference cards until one agrees; the others if they are a finding.

        A sane deployment agrees at the first. At least one more than chance gives must differ.
        """
        seen = ((place, self.differs(place, request)) for place, request in [*requests] * ROUNDS)
        return self.until_right(((sent, sent is None) for _, sent in seen), self.rate)

    def until_right(
        self, answers: Iterable[tuple[SentRequest | None, bool]], rate: float | None = None
    ) -> list[SentRequest]:
        """Takes answers, each with whether it is right, until one is; the wrong ones once they are a finding.

        A failure, or a text that was cut with notice, ends it, too: both are honest. More answers than there are cards
        are only taken while they are undecided.

        Args:
            answers: sends a request when the next is asked for.
            rate: the chance that a sane deployment gives a wrong one; that of a single answer by default.
        """
        found: list[SentRequest] = []
        chance = self.flips if rate is None else rate
        given = iter(answers)
        while len(found) < CARDS or self._goes_on(len(found), chance):
            before = len(self.sender.log)
            answer = next(given, None)
            if len(found) >= CARDS:
                self.spend(len(self.sender.log) - before)
            if answer is None:
                break
            sent, is_right = answer
            if is_right or sent is None or sent.failure or sent.truncated:
                return []
            found.append(sent)
            if self.is_finding(len(found), len(found), chance):
                return found
        # What stays undecided is told of, by whoever adds it.
        return found if is_undecided(len(found), len(found), chance) else []

    def _goes_on(self, found: int, chance: float) -> bool:
        return self.spare_requests > 0 and is_undecided(found, found, chance)

    def spend(self, requests: int) -> None:
        """Counts requests for what is undecided."""
        self.spare_requests -= requests
        self.spent_on_undecided += requests

    def plain(self, places: Iterable[int]) -> list[tuple[int, Request]]:
        """The requests about the reference cards at some places."""
        return [(place, Request(card=self.cards[place], text=self.subject)) for place in places]

    # Findings

    @property
    def rate(self) -> float:
        """The chance that a request differs twice in a row from its reference on a sane deployment."""
        # As measured by the check of repeats, so a server that is not deterministic has that one finding, and not one
        # for each check.
        # A card that is changed is another one to a model that misreads some.
        return min(0.9, max(repeated_difference(self.flips), self.misread))

    def add(
        self,
        kind: FindingKind,
        differing: Sequence[SentRequest],
        compared: int = 0,
        *,
        detail: str = "",
        rate: float | None = None,
        ruled_out: Sequence[str] = (),
    ) -> bool:
        """Adds a finding, unless chance explains it; False then.

        Args:
            kind: what it is.
            differing: the requests that show it.
            compared: the number of comparisons, if others agreed.
            detail: at which sizes, lengths or forms.
            rate: the chance of one on a sane deployment; that of two in a row by default, 0 for what none does.
            ruled_out: what was tried, and is not the cause, as after "it is not".
        """
        if self.is_spoilt and kind not in _OF_STATE:
            return False  # what was compared with is not answered any more
        of_flips = rate is not None and rate == self.flips
        tries, chance = compared or len(differing), self.rate if rate is None else rate
        open_before = self.undecided.pop(kind, None)
        if self.is_second_look and open_before is not None:
            differing, tries = [*open_before.differing, *differing], open_before.compared + tries
        if (rate is None or of_flips) and self.is_finding(len(differing), tries, chance) and kind not in _OF_STATE:
            self._measure_before_accusing()
            if self.is_spoilt:
                return False
            is_number = differing[0].request.right.isdecimal()
            if is_number:
                self._measure_misread()
            chance = self.rate if rate is None else max(self.flips, self.misread if is_number else 0.0)
        if self.add_finding(kind, differing, tries, rate=chance, detail=detail, ruled_out=ruled_out):
            return True
        if self.is_undecided(len(differing), tries, chance):
            self.undecided[kind] = Undecided(tuple(differing), tries, chance_of(len(differing), tries, chance))
        return False

    def repeat_cards(self, rounds: int) -> tuple[list[SentRequest], int]:
        """Asks about all cards again, and takes references and the rate of random answers from all repeats.

        Returns the answers that differ from the majority, and the number of all.
        """
        for _ in range(rounds):
            for place, card in enumerate(self.cards):
                self.repeats.append((place, self.subject, self.send(card, self.subject)))
        tries = [each for each in self.repeats if each[1] == self.subject]
        for place in range(CARDS):
            given = Counter(each.reading for at, _, each in tries if at == place)
            self.reference[place, self.subject] = given.most_common(1)[0][0]
        other = [each for place, _, each in tries if each.reading != self.reference_of(place)]
        self.result.flips = len(other) / len(tries)
        if len(other) > 1:
            # An upper bound, since the rate was measured on few requests: all later checks allow for it.
            self.flips = min(0.8, 1.5 * self.result.flips + 0.05)
        return other, len(tries)

    def chance_alone(self, wrong: int, tries: int) -> float:
        """The p-value of so many wrong answers if clear numbers on plain cards, sent alone, are misread as often."""
        plain = [each for each in self.sender.log if not each.batch and not each.failure and is_plain(each)]
        misread = sum(not each.is_right for each in plain)
        return exact_test((wrong, tries), (misread, len(plain)))

    def _measure_before_accusing(self) -> None:
        """Before the first finding: a server of 10 % random answers may have shown none among the references."""
        needed = _ROUNDS_BEFORE * CARDS
        if self.is_measured or (0, self.subject) not in self.reference or self.sender.left < needed:
            return
        self.is_measured = True
        # The references, as they were: other answers to all of them from now on are no noise.
        before, first = dict(self.reference), len(self.repeats)
        other, tries = self.repeat_cards(_ROUNDS_BEFORE)
        now = self.repeats[first:]
        changed = [each for place, _, each in now if not each.failure and each.reading != before[place, self.subject]]
        if len(changed) >= _CHANGED * len(now) and not self.result.found(FindingKind.STATE):
            self.flips = FLIPS
            detail = f"since the check of {' and '.join(self.since) or 'the cards'}"
            self.add_finding(FindingKind.STATE, changed, len(now), rate=self.flips, detail=detail)
            self.measure_again()
            return
        self.add(FindingKind.NON_DETERMINISTIC, other, tries, rate=FLIPS)

    def _measure_misread(self) -> None:
        """Before numbers that are answered otherwise are a finding: new plain cards, which a weak model may misread."""
        fresh = [
            Card(number=number, ground=self.cards[place % CARDS].ground) for place, number in enumerate(self.spare)
        ]
        if self.is_read_tried or not self.reads_something or self.subject != NUMBER or self.sender.left < len(fresh):
            return
        self.is_read_tried = True
        seen = self.at_once([Request(card=card, text=NUMBER) for card in fresh])
        # The number of another card is what a cache gives, and misread by nobody.
        known = {str(card.number) for card in (*self.cards, *fresh)}
        misread = [each for each in seen if not each.is_right and each.reading not in known]
        # Twice: a random answer is another matter.
        wrong = sum(not self.send(each.card, NUMBER).is_right for each in misread)
        references = [self.reference_of(at) for at in range(CARDS)]
        wrong += sum(
            not says(said, str(card.number)) and said not in known
            for said, card in zip(references, self.cards, strict=True)
        )
        if wrong:
            # An upper bound, as for random answers.
            self.misread = min(0.8, 1.5 * wrong / (len(fresh) + CARDS) + 0.05)

    def is_finding(self, differing: int, compared: int, rate: float | None = None) -> bool:
        """True if so many differences are unlikely on a sane deployment; ``rate`` as for ``add``."""
        return is_finding(differing, compared, self.rate if rate is None else rate)

    def is_undecided(self, differing: int, compared: int, rate: float) -> bool:
        """True if more requests would decide on a finding."""
        return is_undecided(differing, compared, rate)

    # State

    def canary(self) -> None:
        """Asks about a reference card again: another answer twice is state that the checks before have left behind."""
        after, self.since = " and ".join(self.since), []
        self._canaries += 1
        place = self._canaries % CARDS
        if found := self.confirmed(self.plain((place + step) % CARDS for step in range(CARDS))):
            if not self.is_measured:
                # The references themselves may show that answers are random.
                self.repeat_cards(0)
                if not self.is_finding(len(found), len(found)):
                    return
            if not self.result.found(FindingKind.STATE):
                self.add(FindingKind.STATE, found, detail=f"since the check of {after}")
            # What comes later is compared with what the server answers now.
            self.measure_again()

    def measure_again(self) -> None:
        """Takes the references of all cards anew."""
        # What was answered before is no measure of what is answered now.
        self.is_measured = True
        for place in range(CARDS):
            given = [self.send(self.cards[place], self.subject).reading for _ in range(3)]
            self.reference[place, self.subject] = Counter(given).most_common(1)[0][0]
        right = [says(self.reference_of(place), card.right(self.subject)) for place, card in enumerate(self.cards)]
        self.is_spoilt = self.reads_something and sum(right) < CARDS / 2


def _with_card(request: Request, card: Card) -> Request:
    """The request with another picture in place of its one."""
    turns = tuple(
        replace(turn, parts=tuple(card if part == request.card else part for part in turn.parts))
        for turn in request.turns
    )
    return replace(request, card=card, turns=turns)


def is_plain(sent: SentRequest) -> bool:
    """True for the number on a card that differs from an ordinary one at most in number, ground and size."""
    card = sent.card
    plain = Card(number=card.number, ground=card.ground, size=card.size)
    is_clear = card.number is not None and card == plain and max(card.size) <= _LARGEST_PLAIN_PX
    return is_clear and sent.text.endswith(NUMBER) and len(sent.text) < 2 * len(NUMBER) and not sent.request.turns


def reading_cards(random: Random) -> list[tuple[str, Card, str]]:
    """Cards with what is to be read, for the figure of how well a model reads: names of corners, and counts."""
    names = random.sample(("red", "green", "blue", "yellow"), 4)
    corners = Card(ground=GRAY, corners=tuple(names))
    dots = random.sample(range(2, 6), 3)
    return [
        *(("sides", corners, CORNER.format(corner)) for corner in CORNERS),
        *(("counts", Card(ground=COLOURS["white"], dots=number), DOTS) for number in dots),
    ]


def clear_numbers(random: Random, count: int, digits: int = 3) -> list[int]:
    """Numbers of different digits of which no two share more than one digit at its place."""
    found: list[int] = []
    while len(found) < count:
        number = random.randrange(10 ** (digits - 1), 10**digits)
        said = str(number)
        # Two misread digits are needed to turn one card into another.
        if len(set(said)) == digits and "0" not in said and all(_apart(said, str(each)) for each in found):
            found.append(number)
    return found


def _apart(digits: str, others: str) -> bool:
    return sum(a == b for a, b in zip(digits, others, strict=True)) <= len(digits) - 2
