"""What the model reads: the question of the comparisons, the references of the cards, and how many are right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pytest_vqamt.core.conversation import Ability
from pytest_vqamt.core.text import quoted
from pytest_vqamt.probing.asking import Request, SentRequest
from pytest_vqamt.probing.cards import COLOUR, COLOURS, NUMBER, Card
from pytest_vqamt.probing.checks.replies import is_void
from pytest_vqamt.probing.findings import FLIPS, MOST_CHANCE
from pytest_vqamt.probing.kinds import CACHES, FindingKind
from pytest_vqamt.probing.probing import CARDS, ROUNDS, Probing, Salted, is_plain, reading_cards
from pytest_vqamt.stats.binomial import exact_test

FRESH = "with a number of its own before it, each text gets the answer to its own picture"
"""The detail of a cache by text."""

_MOST_AGAIN = 20
"""Numbers that were misread once are asked about again, so many at most."""
_LEAST_MISREAD = 2
"""So many misread numbers are a fact of the result."""

EMPTY = {
    "white": Card(ground=COLOURS["white"]),
    "black": Card(ground=COLOURS["black"]),
    "noise": Card(ground=COLOURS["white"], is_noise=True, nonce=1),
    "other noise": Card(ground=COLOURS["white"], is_noise=True, nonce=2),
}
"""Pictures of one colour, and noise: they show no number."""


def calibrate(probing: Probing) -> bool:
    """Finds a question whose answers depend on the card, and the reference of each card; False where none does."""
    if _find_subject(probing):
        return True
    # All cards got the same answer to the same text. With a number before each text a cache by text shows itself.
    unsalted = probing.sender.log[: 2 * CARDS]
    probing.salted = Salted.IN_TEXT
    if _find_subject(probing) and _is_repeated(probing):
        _add_text_keyed(probing, unsalted)
        return True
    is_seen_behind_texts = False
    if not probing.lacks(Ability.INTERLEAVED):
        probing.salted = Salted.BEFORE_PICTURE
        is_seen_behind_texts = _find_subject(probing) and _is_repeated(probing)
        # A template may lose a picture that has no text before it, so the cache must show itself.
        if is_seen_behind_texts and probing.mixes_up_shared_texts(dict(probing.plain(range(CARDS)))):
            _add_text_keyed(probing, unsalted)
            return True
    probing.salted = Salted.NOWHERE
    probing.result.subject = ""
    _add_unseen(probing, unsalted[0], "; behind a text they are seen" if is_seen_behind_texts else "")
    return False


def measure_reading(probing: Probing) -> None:
    """How many of the reference cards are read rightly, of the answers that are there."""
    read = probing.result.read
    for name, question in (("numbers", NUMBER), ("colours", COLOUR)):
        asked = [each for _, said, each in probing.repeats if said == question]
        read[name] = sum(each.is_right for each in asked), len(asked)


def look_at_fresh_texts(probing: Probing) -> None:
    """Where few numbers are read: texts of their own may be answered rightly, where the first of a text is kept."""
    right, tries = probing.result.read["numbers"]
    if probing.salted or not tries or right >= 0.5 * tries:
        return
    # With its text the first card was new; the others were not.
    probing.salted = Salted.IN_TEXT
    # Three rounds: half of six may be read by luck.
    for _ in range(ROUNDS):
        fresh = [probing.send(card, NUMBER) for card in probing.cards]
        if sum(each.is_right for each in fresh) < CARDS - 1:
            probing.salted = Salted.NOWHERE
            return
    wrong = [each for _, asked, each in probing.repeats if asked == NUMBER and not each.is_right]
    probing.add_finding(FindingKind.TEXT_KEYED, wrong, tries, detail=FRESH, rate=probing.flips)
    if _find_subject(probing):
        measure_reading(probing)


def is_by_text(probing: Probing, other: int, tries: int) -> bool:
    """True if answers that differ do so no more with texts of their own; references are taken from these then."""
    if probing.salted:
        return False
    before = probing.repeats, dict(probing.reference), probing.result.subject, probing.flips, probing.result.flips
    probing.salted, is_found = Salted.IN_TEXT, False
    try:
        if _find_subject(probing):
            # What the cache does is no noise.
            probing.flips = FLIPS
            fresh, asked = probing.repeat_cards(1)
            cards = {place: each.request for place, question, each in probing.repeats if question == probing.subject}
            is_rarer = exact_test((other, tries), (len(fresh), asked)) <= MOST_CHANCE
            is_found = is_rarer and probing.mixes_up_shared_texts(cards)
    finally:
        if not is_found:
            probing.salted = Salted.NOWHERE
            probing.repeats, probing.reference, probing.result.subject, probing.flips, probing.result.flips = before
    if is_found:
        measure_reading(probing)
    return is_found


def measure_sides(probing: Probing) -> None:
    """How many corners and counts are read rightly."""
    read = probing.result.read
    cards = reading_cards(probing.random)
    seen = probing.at_once([Request(card=card, text=question) for _, card, question in cards])
    for (name, *_), each in zip(cards, seen, strict=True):
        right, tries = read.get(name, (0, 0))
        read[name] = right + each.is_right, tries + 1


def count_numbers(probing: Probing) -> None:
    """Counts all clear numbers as read or not, where the checks went by those of the reference cards: so it is last.

    Those that are misread each time are the model's own weakness, or a subtle fault of its encoder.
    """
    # What a cache or a batch mixes up, or chance does, is not misread.
    mixed = FindingKind.BATCH, FindingKind.BATCH_PADDING, FindingKind.SWAPPED_ANSWERS, FindingKind.NON_DETERMINISTIC
    if not probing.reads or probing.result.found(*mixed, *CACHES):
        return
    given: dict[int, list[SentRequest]] = {}
    for each in probing.sender.log:
        if not each.failure and is_plain(each) and each.card.size == probing.cards[0].size:
            given.setdefault(each.card.number or 0, []).append(each)
    wrong = {number: some for number, some in given.items() if not any(each.is_right for each in some)}
    # Twice: a random answer is another matter.
    for number, some in list(wrong.items())[: min(_MOST_AGAIN, probing.sender.left)]:
        if len(some) == 1 and probing.send(some[0].card, NUMBER).is_right:
            del wrong[number]
    probing.result.read["numbers"] = len(given) - len(wrong), len(given)
    if len(wrong) >= _LEAST_MISREAD:
        shown = ", ".join(f"{number} as {quoted(some[0].answer, 12)}" for number, some in [*wrong.items()][:2])
        whose = "--against another server of the same weights tells whose fault that is"
        probing.note("clear numbers misread", f"{len(wrong)} of {len(given)} ({shown}): {whose}")


def _add_text_keyed(probing: Probing, unsalted: Sequence[SentRequest]) -> None:
    first = unsalted[0]
    # The first answer to each text was about the first card.
    given = {each.text: each.reading for each in reversed(unsalted)}
    others = [each for each in unsalted if each.card != first.card and each.text in (NUMBER, COLOUR)]
    repeated = [each for each in others if each.reading == given[each.text]]
    probing.add(FindingKind.TEXT_KEYED, repeated, len(others), detail=FRESH)


def _add_unseen(probing: Probing, first: SentRequest, behind_texts: str) -> None:
    if not any(each.reading and not is_void(each.answer) for each in probing.sender.log):
        # Nothing was answered, so nothing is known of pictures; what was given instead has findings of its own.
        is_endless = any(each.answer.strip() and is_void(each.answer) for each in probing.sender.log)
        probing.note("answers", "one sign again and again" if is_endless else "none, once reasoning is taken away")
        return
    # The number of the first card in the answer: that card was seen, and stays for all others.
    stuck = str(probing.cards[0].number) in first.reading
    kind = FindingKind.FIRST_PICTURE if stuck else FindingKind.PICTURE_UNUSED
    # The requests about other cards, which got the same answer, are the evidence.
    same = [each for each in probing.sender.log if each.card.number != probing.cards[0].number][:CARDS]
    empty = [probing.send(card, first.text) for card in EMPTY.values()]
    alike = [each for each in empty if each.reading == first.reading]
    if not stuck and _tells_from_cards(probing, first, empty):
        probing.note("cards", f"{quoted(first.answer, 40)} is the answer to most, and not to blank pictures")
        return
    of_empty = f"{len(alike)} of {len(empty)} blank or noise pictures"
    detail = f'"{first.reading}" is the answer to most cards, and to {of_empty}{behind_texts}'
    probing.add(kind, [*same, *alike], len(same) + len(empty), detail=detail)


def _tells_from_cards(probing: Probing, first: SentRequest, empty: Sequence[SentRequest]) -> bool:
    """True if most pictures without a number get another answer than the cards, each twice: pictures arrive."""
    other = [each for each in empty if not each.failure and each.reading and each.reading != first.reading]
    again = [probing.send(each.card, first.text) for each in other] if len(other) > len(empty) / 2 else []
    return len(again) > 0 and all(a.reading == b.reading for a, b in zip(other, again, strict=True))


def _find_subject(probing: Probing) -> bool:
    """Sends both questions about each card three times, in three orders; True if answers depend on the card."""
    probing.repeats = []
    # Three orders, so that an answer that depends on the request before it differs from itself.
    orders = (range(CARDS), reversed(range(CARDS)), probing.random.sample(range(CARDS), CARDS))
    answers: dict[tuple[int, str], list[str]] = {}
    for turn, order in enumerate(orders):
        # Where numbers are told apart they are compared, and two answers about colours are enough.
        is_enough = turn == 2 and distinct(answers, NUMBER) >= CARDS - 1
        questions = (NUMBER, COLOUR) if turn != 1 else (COLOUR, NUMBER)
        for place in order:
            for question in questions[:1] if is_enough and _agree(answers[place, COLOUR]) else questions:
                seen = probing.send(probing.cards[place], question)
                probing.repeats.append((place, question, seen))
                answers.setdefault((place, question), []).append(seen.reading)
        # Two distinct answers of six may be a flip; without a third nothing depends on the card.
        if turn == 0 and all(distinct(answers, question) < 3 for question in (NUMBER, COLOUR)):
            return False
    probing.reference = {key: Counter(given).most_common(1)[0][0] for key, given in answers.items()}
    majorities = {key: [answer] for key, answer in probing.reference.items()}
    # Numbers first, as they say more than colours: all but one card told apart, else three colours, else three
    # numbers.
    for question, least in ((NUMBER, CARDS - 1), (COLOUR, 3), (NUMBER, 3)):
        if distinct(majorities, question) >= least:
            probing.result.subject = question
            return True
    return False


def _is_repeated(probing: Probing) -> bool:
    """True if most cards get an answer again with another number before the text: not about that number, say."""
    given: dict[int, list[str]] = {}
    for place, question, each in probing.repeats:
        if question == probing.subject:
            given.setdefault(place, []).append(each.reading)
    return sum(len(set(some)) < len(some) for some in given.values()) >= CARDS - 1


def _agree(answers: Sequence[str]) -> bool:
    return len(set(answers)) == 1


def distinct(answers: dict[tuple[int, str], list[str]], question: str) -> int:
    """How many answers to a question differ, of the first about each card."""
    return len({given[0] for (_, asked), given in answers.items() if asked == question})
