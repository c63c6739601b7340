"""The state of a probe by scores: how far equal requests are apart, how far others are, and what follows from it.

Other content must move the scores, and equal content must not, whatever the weights are: random ones do. So the noise
of equal requests is measured first. A check takes pairs until one is as it must be; a finding needs as many in a row
as chance does not give.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from statistics import median

from pytest_vqamt.probing.asking import Request, RequestSender, SentRequest
from pytest_vqamt.probing.cards import NUMBER, Card
from pytest_vqamt.probing.findings import FLIPS, is_finding
from pytest_vqamt.probing.kinds import FindingKind
from pytest_vqamt.probing.outputs import distance
from pytest_vqamt.probing.probing import CARDS, ProbeState

_NEAR = 0.05
"""Equal pixels may be apart by so much of what other pictures are: batches are computed in another order in 16 bits."""

_ABOVE_FLOOR = 1.5
"""Other content moves the scores by more than so many times what equal requests are apart."""

_LEAST_MOVED = 0.02
"""Other content also moves them by so much of what other pictures do, unless it is faint: a warm cache has no noise in
the requests that were sent before, and some in others (llama.cpp: 0 and 1 %)."""

_DECIDES = 20
"""Pictures must be apart so many times more than equal requests, or faint changes decide nothing."""

_OUTLIER = 0.25
"""Equal requests that are apart by so much of what other pictures are got random answers: that is no floor."""

_MOST_OUTLIERS = 0.4
"""Above this share all is noise. One random answer of three that a card gets is up to two of the comparisons."""

_ROUNDING = 1e-6
"""Scores that differ by less are equal: servers write them in decimals."""

Pair = tuple[SentRequest, SentRequest]


class Comparing(ProbeState):
    """A probe by scores under way, which every check gets.

    Attributes:
        reference: an answer about each card.
        floor: the largest distance of two answers to the same request, without a few random ones.
        far: the median distance of the answers about two cards.
        alike: the chance that the answers about two pictures are as near as those to equal requests.
        odd: the chance that equal requests are further apart than equal content may be.
    """

    def __init__(self, sender: RequestSender, seed: int) -> None:
        super().__init__(sender, seed)
        self.result.subject = NUMBER
        self.result.is_by_scores = True
        self.reference: list[SentRequest] = []
        self.floor = self.far = 0.0
        self.alike = self.odd = FLIPS
        self._canaries = 0

    @property
    def has_scores(self) -> bool:
        """True if the model gives log-probabilities; else whole answers are compared."""
        return any(each.steps for each in self.sender.log)

    @property
    def is_sensitive(self) -> bool:
        """True if any other content moves the answer: log-probabilities do, and whole answers of who reads nothing."""
        return self.has_scores or not any(each.is_right for each in self.reference)

    @property
    def is_decisive(self) -> bool:
        """True if a change much smaller than another picture can be told from noise."""
        return self.has_scores and self.far > _DECIDES * self.floor

    @property
    def why_not_decisive(self) -> str:
        return "equal requests get other scores" if self.has_scores else "there are no log-probabilities"

    # Requests

    def send(self, card: Card, question: str = NUMBER) -> SentRequest:
        return self.ask(Request(card=card, text=question))

    def ask(self, request: Request) -> SentRequest:
        return self.sender.send_alone(request)

    # Comparisons

    def is_moved(self, first: SentRequest, second: SentRequest) -> bool:
        """True if the answers are further apart than equal requests are. Failures are honest, and count as moved."""
        return self.is_faintly_moved(first, second) and (
            bool(first.failure or second.failure) or distance(first, second) > _LEAST_MOVED * self.far
        )

    def is_faintly_moved(self, first: SentRequest, second: SentRequest) -> bool:
        """As ``is_moved``, for content that moves the scores much less than other pictures do."""
        if first.failure or second.failure:
            return True
        return distance(first, second) > max(_ABOVE_FLOOR * self.floor, _ROUNDING)

    def is_same(self, first: SentRequest, second: SentRequest) -> bool:
        """True if the answers are as near as those to equal content may be. Failures are honest, and count as same."""
        if first.failure or second.failure:
            return True
        return distance(first, second) <= max(3 * self.floor, _NEAR * self.far, _ROUNDING)

    @property
    def scale(self) -> str:
        """The noise and the effect of another picture, in words."""
        if not self.has_scores:
            return "whole answers"
        return (
            f"log-probabilities: equal requests are apart by up to {self.floor:.2g}, other pictures by {self.far:.2g}"
        )

    def is_near(self, first: SentRequest, second: SentRequest, share: float) -> bool:
        """True if the answers are apart by less than a share of what another picture is."""
        return distance(first, second) < share * self.far

    def unmoved(self, pairs: Iterable[Pair], *, faint: bool = False) -> list[SentRequest]:
        """Takes pairs of other content until one has moved; the second ones once all that have not are a finding."""
        return self._until(pairs, self.is_faintly_moved if faint else self.is_moved, self.alike)

    def changed(self, pairs: Iterable[Pair]) -> list[SentRequest]:
        """Takes pairs of equal content until one is the same; the second ones once all that are not are a finding."""
        return self._until(pairs, self.is_same, self.odd)

    def _until(
        self, pairs: Iterable[Pair], is_right: Callable[[SentRequest, SentRequest], bool], rate: float
    ) -> list[SentRequest]:
        found: list[SentRequest] = []
        for first, second in pairs:
            if is_right(first, second) or second.truncated:
                return []
            found.append(second)
            self.compared_with[second.number] = first.number
            if is_finding(len(found), len(found), rate):
                return found
        return []

    # References

    def take_references(self, answers: Sequence[Sequence[SentRequest]]) -> None:
        """Takes the references and the noise from the answers to one question, some for each card."""
        # The answer that is nearest to the others of its card: the first one may be random.
        self.reference = [min(given, key=lambda one: sum(distance(one, each) for each in given)) for given in answers]
        repeated = [distance(*pair) for pair in self.repeats(answers)]
        others = [distance(first, second) for first, second in combinations(self.reference, 2)]
        self.far = median(others)
        usual = [each for each in repeated if each < _OUTLIER * self.far]
        # A few random answers are in the rate of odd ones; as the floor they would hide what other content moves.
        is_usual = len(usual) >= (1 - _MOST_OUTLIERS) * len(repeated)
        self.floor = max(usual if is_usual else repeated, default=0.0)
        # Laplace's rule: what was never seen in n tries has a chance of 1 in n + 2.
        near = [self.is_moved(first, second) for first, second in combinations(self.reference, 2)]
        self.alike = (near.count(False) + 1) / (len(near) + 2)
        odd = [not self.is_same(reference, each) for reference, each in self.repeats(answers)]
        self.odd = (odd.count(True) + 1) / (len(repeated) + 2)

    def repeats(self, answers: Sequence[Sequence[SentRequest]]) -> list[Pair]:
        """The reference of each card with each other answer to the same request."""
        return [
            (reference, each)
            for reference, given in zip(self.reference, answers, strict=True)
            for each in given
            if each is not reference
        ]

    def odd_repeats(self, answers: Sequence[Sequence[SentRequest]]) -> list[SentRequest]:
        """Answers that are further from another one to the same request than noise of 16 bits is."""
        return [
            each
            for reference, each in self.repeats(answers)
            if not self.is_same(reference, each) or not self.is_near(reference, each, _OUTLIER)
        ]

    def again(self, places: Iterable[int]) -> Iterator[Pair]:
        """The reference of cards, each with another answer to the same request."""
        for place in places:
            yield self.reference[place], self.send(self.cards[place])

    def canary(self, after: str) -> None:
        """Asks about a card again: another answer is state that the check before has left behind."""
        self._canaries += 1
        found = self.changed(self.again((self._canaries + step) % CARDS for step in range(CARDS)))
        if found and not self.result.found(FindingKind.STATE):
            self.add_finding(FindingKind.STATE, found, rate=self.odd, detail=f"since the check of {after}")
        if found:
            self.take_references([[self.send(card) for _ in range(2)] for card in self.cards])
