"""Hypotheses parsed by rules: clauses with their subjects, and the other noun phrases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pytest_vqamt.core.lazy_pattern import pattern_of
from pytest_vqamt.language.english.nouns import is_person, is_plural, singular
from pytest_vqamt.language.units.lexicon import VERBS, Tag, plural_form, third_person, verb_forms, words_of
from pytest_vqamt.language.units.tagger import LIKE_SUBORDINATORS, tag_words
from pytest_vqamt.language.units.unit import (
    DescriptionUnit,
    NounPhrase,
    Sentence,
    SentenceToken,
    is_living,
    is_named,
    is_object,
)

_NONE = frozenset({"neither", "no", "nobody", "none", "nothing"})

_TOKEN = pattern_of(
    r"\d+(?:[.,:]\d+)*|\w+(?=n['\u2019]t\b)|n['\u2019]t\b|['\u2019](?:d|ll|m|re|s|ve)\b|\w+(?:-\w+)*|[^\w\s]"
)

_FINITE = frozenset({Tag.FINITE, Tag.BE})
_JOINTS = frozenset({Tag.AND, Tag.SUBORDINATOR, Tag.MARK})
_SAYS_WHAT_AS = frozenset({"dressed", "disguised", "posing", "acting", "working", "used", "known"})
"""After these, "as" begins no clause."""

_MOST_NESTED = 8
"""Phrases within phrases: "one of a group of ..."."""

_BEFORE_THE_NOUN = frozenset({Tag.DETERMINER, Tag.POSSESSIVE, Tag.NUMBER})
_IN_A_PHRASE = _BEFORE_THE_NOUN | {Tag.ADJECTIVE, Tag.NOUN}


def units_of(hypothesis: str) -> tuple[DescriptionUnit, ...]:
    """Returns the object description units of a hypothesis, in the order of their objects (VEglue section 3.2).

    An object is a thing of its own in a picture: people, animals, things; no garments, parts of bodies, stuff, ground,
    sky or activities. A clause is the property of each of its subjects. Other objects have an empty property, except
    for those who do something that another watches, helps or stands by.

    >>> [(unit.object, unit.property) for unit in units_of("The man is aiming his rifle at something.")]
    [('man', 'is aiming his rifle at something'), ('rifle', '')]

    **Deviation**: the authors ask a language model; these are rules.
    """
    sentence = parse(hypothesis)
    found: list[tuple[NounPhrase, str]] = []
    for clause in find_clauses(sentence):
        subjects = {it.phrase: it.property for it in clause.subjects}
        for phrase in sentence.phrases:
            if _is_absent(sentence, clause, phrase):
                continue
            if phrase in subjects:
                found.append((phrase, subjects[phrase]))
            # Subjects are kept even if they were named: each has a property of its own.
            elif _is_again(sentence, phrase, [it for it, _ in found]):
                continue
            elif clause.start <= phrase.start and phrase.end <= clause.end and _is_named(sentence, clause, phrase):
                found.append((phrase, _aside(sentence, clause, phrase)))
    return tuple(
        DescriptionUnit(
            object=sentence.words(phrase.name, phrase.end), property=said, is_plural=sentence.is_plural(phrase)
        )
        for phrase, said in found
    )


def _is_absent(sentence: Sentence, clause: ParsedClause, phrase: NounPhrase) -> bool:
    """True if its absence or doubt is stated: "no dog", "nobody has a ball", "not a ball"."""
    if _is_none(sentence, phrase):
        return True
    if any(it.phrase == phrase for it in clause.subjects) and _is_one_of_two(sentence, clause):
        return True
    # "Nobody has a ball", "he does not throw a ball": what the clause denies need not be there.
    before = range(clause.start, phrase.start)
    is_of_nobody = any(_is_none(sentence, it.phrase) for it in clause.subjects)
    return is_of_nobody or any(sentence.tag(place) is Tag.NOT or sentence.word(place) == "never" for place in before)


def _is_none(sentence: Sentence, phrase: NounPhrase) -> bool:
    return sentence.word(phrase.start) in _NONE


def _is_one_of_two(sentence: Sentence, clause: ParsedClause) -> bool:
    """True if the clause is about one of two subjects: "a man or a woman is singing"."""
    first, *_, last = clause.subjects[0].phrase, clause.subjects[-1].phrase
    return any(sentence.word(place) in ("nor", "or") for place in range(first.end, last.start))


def _is_again(sentence: Sentence, phrase: NounPhrase, found: Sequence[NounPhrase]) -> bool:
    """True if "the woman" is one that has been named."""
    # "A goat" is another one, and "goats" may be.
    if sentence.word(phrase.start) not in ("the", "that", "this") or phrase.name == phrase.start:
        return False
    return sentence.words(phrase.name, phrase.end).lower() in {sentence.words(it.name, it.end).lower() for it in found}


def _is_named(sentence: Sentence, clause: ParsedClause, phrase: NounPhrase) -> bool:
    """True if a phrase that is no subject names an object."""
    name = sentence.words(phrase.name, phrase.head + 1).lower()
    has_determiner = phrase.name > phrase.start
    is_activity = sentence.tag(phrase.end) is Tag.ING and sentence.tag(phrase.start - 1) is not Tag.PREPOSITION
    if is_activity and not has_determiner and not is_living(sentence.word(phrase.head)):
        return False  # "ice fishing", not "at desk working"
    before = _governor(sentence, phrase)
    if before is None:
        return is_named(name, has_determiner=has_determiner)
    word, tag = sentence.word(before), sentence.tag(before)
    # "It is a sunny day" says what something is, "there is a goat" that it is there.
    if tag is Tag.BE:
        return sentence.tag(clause.start) is Tag.THERE and is_named(name, has_determiner=has_determiner)
    if tag is Tag.PREPOSITION:
        return is_named(name, has_determiner=has_determiner, preposition=word)
    return is_named(name, has_determiner=has_determiner, verb=verb_forms(word)[0])


def _aside(sentence: Sentence, clause: ParsedClause, phrase: NounPhrase) -> str:
    """Returns the property of such an object: "who is asleep", and the action that another watches or helps."""
    after = sentence.tag(phrase.end)
    said = sentence.words(phrase.end, clause.end)
    if after is Tag.RELATIVE:
        return said
    before = _governor(sentence, phrase)
    if before is None or not is_living(sentence.word(phrase.head)):
        return ""
    is_beside = sentence.word(before) in ("beside", "behind", "by", "near", "to", "with")
    lets = verb_forms(sentence.word(before))[0] in words_of("lets")
    # "Beside a man reading": the man reads; in "pets a dog smiling" either may smile.
    if after is Tag.ING and (is_beside or lets):
        return said
    return said if lets and after in (Tag.FINITE, Tag.BASE) else ""


def _governor(sentence: Sentence, phrase: NounPhrase) -> int | None:
    """Returns the place of the verb or preposition of a phrase, before "and", adverbs and other phrases."""
    for place in range(phrase.start - 1, -1, -1):
        if sentence.tag(place) in VERBS | {Tag.PREPOSITION}:
            return place
    return None


def parse(text: str) -> Sentence:
    """Returns the sentence with tags and phrases.

    >>> sentence = parse("A group of men ride two brown horses.")
    >>> [sentence.words(phrase.name, phrase.end) for phrase in sentence.phrases]
    ['group of men', 'brown horses']
    """
    found = tuple(_TOKEN.finditer(text))
    tags = tag_words([each[0].lower().replace("\u2019", "'") for each in found])
    tokens = tuple(
        SentenceToken(text=each[0], start=each.start(), end=each.end(), tag=tag)
        for each, tag in zip(found, tags, strict=True)
    )
    sentence = Sentence(text=text, tokens=tokens)
    return replace(sentence, phrases=tuple(find_noun_phrases(sentence)))


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedClause:
    """A part of a sentence with a verb of its own, or the whole."""

    start: int
    """The place of its first word among the tokens."""
    end: int
    """The place after its last word."""
    subjects: tuple[Subject, ...]
    """Empty if they are unclear, as in "this is a wedding"."""


def find_clauses(sentence: Sentence) -> Iterator[ParsedClause]:
    """Yields the clauses: "while", "as" and "and" separate those with subjects of their own."""
    starts = [0, *(place + 1 for place in _joints(sentence))]
    for start, end in zip(starts, [*starts[1:], len(sentence.tokens) + 1], strict=True):
        first, last = _trimmed(sentence, start, end - 1)
        if first < last:
            yield ParsedClause(start=first, end=last, subjects=tuple(find_subjects(sentence, first, last)))


def _joints(sentence: Sentence) -> Iterator[int]:
    """Yields the places of the words that separate clauses."""
    begun = 0
    for place in range(1, len(sentence.tokens)):
        tag = sentence.tag(place)
        is_joint = tag in _JOINTS or sentence.word(place) in LIKE_SUBORDINATORS
        if is_joint and _parts(sentence, begun, place):
            begun = place + 1
            yield place


def _parts(sentence: Sentence, begun: int, joint: int) -> bool:
    """True if the word at ``joint`` separates two clauses, each with a subject and a verb."""
    follows = next((it for it in sentence.phrases if it.start == joint + 1), None)
    # "And they", "while he": the clause goes on about the same subject.
    if follows is None or sentence.word(follows.head) in words_of("personal"):
        return False
    is_subordinate = sentence.tag(joint) is Tag.SUBORDINATOR or sentence.word(joint) in LIKE_SUBORDINATORS
    if sentence.word(joint) == "as" and sentence.word(joint - 1) in _SAYS_WHAT_AS:
        return False
    verb = first_verb(sentence, follows.end)
    if verb is None:
        return False
    before = [sentence.tag(place) for place in range(begun, joint)]
    if sentence.tag(verb) in _FINITE:
        return not _FINITE.isdisjoint(_main(before)) or (is_subordinate and not VERBS.isdisjoint(before))
    if sentence.tag(verb) is not Tag.ING:
        return False
    # "A man reading and a boy singing": without finite verbs, forms in -ing make two clauses.
    is_like_before = Tag.ING in before and _FINITE.isdisjoint(before) and verb == follows.end
    is_like_before = is_like_before and is_living(sentence.word(follows.head))
    return is_subordinate or (is_like_before and sentence.tag(joint) is Tag.AND)


def _main(tags: Sequence[Tag]) -> Sequence[Tag]:
    """Returns the tags without a relative clause, up to its first verb: "who is asleep"."""
    if Tag.RELATIVE not in tags:
        return tags
    relative = tags.index(Tag.RELATIVE)
    # The first finite verb behind "who" is that of the relative clause.
    own = next((place for place, tag in enumerate(tags) if place > relative and tag in _FINITE), relative)
    return [*tags[:relative], *tags[own + 1 :]]


def _trimmed(sentence: Sentence, start: int, end: int) -> tuple[int, int]:
    loose = (Tag.AND, Tag.MARK, Tag.SUBORDINATOR)
    while start < end and sentence.tag(start) in loose:
        start += 1
    while start < end and sentence.tag(end - 1) in loose:
        end -= 1
    return start, end


def find_noun_phrases(sentence: Sentence) -> Iterator[NounPhrase]:
    """Yields the phrases in order, without overlaps."""
    place = 0
    while place < len(sentence.tokens):
        phrase = _phrase_at(sentence, place)
        if phrase is not None:
            yield phrase
        # Where there is none, none begins in the words that it could have had either.
        place = phrase.end if phrase else max(place + 1, _end(sentence, place))


def _phrase_at(sentence: Sentence, start: int, nested: int = 0) -> NounPhrase | None:
    """Returns the noun phrase that begins there, with the one after "of" where this names the thing."""
    if sentence.tag(start) is Tag.PRONOUN:
        phrase = NounPhrase(start=start, name=start, head=start, end=start + 1)
    else:
        end = _end(sentence, start)
        # A phrase ends with its noun: an adverb or adjective behind it is said of it.
        while end > start and sentence.tag(end - 1) not in (Tag.NOUN, Tag.NUMBER):
            end -= 1
        if end == start:
            return None
        if _is_activity(sentence, start, end):
            end -= 1
        name = start
        while name < end - 1 and (sentence.tag(name) in _BEFORE_THE_NOUN or sentence.tag(name) is Tag.ADVERB):
            name += 1
        phrase = NounPhrase(start=start, name=name, head=end - 1, end=end)
    return _with_of(sentence, phrase, nested) if nested < _MOST_NESTED else phrase


def _end(sentence: Sentence, start: int) -> int:
    end = start
    while _goes_on(sentence, start, end):
        end += 1
    return end


def _goes_on(sentence: Sentence, start: int, place: int) -> bool:
    """True if the noun phrase from ``start`` goes on with the word at ``place``."""
    tag, before = sentence.tag(place), sentence.tag(place - 1)
    if tag in _BEFORE_THE_NOUN and place > start and sentence.word(place) != "'s":
        # An article begins another phrase, and so does what follows a noun, but for "the man's two dogs".
        return before in _BEFORE_THE_NOUN or (before is Tag.ADJECTIVE and tag is Tag.NUMBER)
    if tag is Tag.ADVERB:
        return sentence.tag(place + 1) is Tag.ADJECTIVE and sentence.tag(place + 2) in _IN_A_PHRASE
    # "A black and white dog", "a tall, thin man".
    if tag is Tag.AND or sentence.word(place) == ",":
        return before is Tag.ADJECTIVE and sentence.tag(place + 1) is Tag.ADJECTIVE
    return tag in _IN_A_PHRASE


def _is_activity(sentence: Sentence, start: int, end: int) -> bool:
    """True if the last noun belongs to the verb in -ing after it: "people rock climbing"."""
    if end - start < 2 or sentence.tag(end) is not Tag.ING or sentence.tag(end - 2) is not Tag.NOUN:
        return False
    one, other = sentence.word(end - 2), sentence.word(end - 1)
    return (is_plural(one) or is_person(one)) and not (is_plural(other) or is_person(other))


def _with_of(sentence: Sentence, phrase: NounPhrase, nested: int) -> NounPhrase:
    """The phrase together with "of" and what follows, where both make one name."""
    if sentence.word(phrase.end) != "of":
        return phrase
    inner = _phrase_at(sentence, phrase.end + 1, nested + 1)
    if inner is None:
        return phrase
    noun = singular(sentence.word(phrase.head))
    # "Two of the men" are men, "a lot of fans" fans; "a group of men" and "one of the men" keep their first word.
    is_number = sentence.tag(phrase.head) is Tag.NUMBER and noun not in ("one", "1")
    if is_number or noun in words_of("quantities_dropped") or noun in words_of("determiner"):
        return NounPhrase(start=phrase.start, name=inner.name, head=inner.head, end=inner.end)
    if noun in words_of("quantities_kept") or noun in ("one", "1"):
        return NounPhrase(start=phrase.start, name=phrase.name, head=inner.head, end=inner.end)
    # "A glass of milk" is one name, "the wheel of a wagon" has two.
    is_stuff = not is_object(sentence.words(inner.name, inner.end).lower())
    return replace(phrase, end=inner.end) if is_stuff else phrase


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A subject of a clause, and what the clause says of it."""

    phrase: NounPhrase
    """Its noun phrase."""
    property: str
    """As written: "is aiming his rifle at something"; words that several subjects share are each one's."""


def find_subjects(sentence: Sentence, start: int, end: int) -> Iterator[Subject]:
    """Yields the subjects of the clause between two places; none without a clause or with an elided subject."""
    start = _there(sentence, start, end) or start
    phrases = [it for it in sentence.phrases if start <= it.start and it.end <= end]
    first = next((it for it in phrases if _is_free(sentence, it, start)), None)
    if first is None:
        return
    # "Wearing a hat, a man sings": what stands before the subject is said of it as well.
    lead = sentence.words(start, first.start) if not _begins_with_there(sentence, start) else ""
    lead = lead.strip(" ,") if sentence.tag(start) in (Tag.PREPOSITION, Tag.ING, Tag.PARTICIPLE) else ""
    members = [(first, "")]
    last = first
    while (joined := _joined(sentence, phrases, last, end)) is not None:
        own, last = joined
        members[-1] = (members[-1][0], own)
        members.append((last, ""))
    # "A priest and a nun pray": all have what follows the last; what follows each of them is its own.
    shared_from = last.end
    # "A man with a beard and a woman in a hat are dancing": the hat is only the last one's.
    if any(own for _, own in members):
        shared_from = _after_phrases(sentence, phrases, last.end, end)
        members[-1] = (last, sentence.words(last.end, shared_from))
    shared = sentence.words(_after_they(sentence, shared_from), end).lstrip(" ,")
    for phrase, own in members:
        yield Subject(phrase=phrase, property=" ".join(filter(None, (own, shared, lead))))


def _is_free(sentence: Sentence, phrase: NounPhrase, start: int) -> bool:
    """True if the phrase depends on no verb and no preposition; the man of "there is a man" does not."""
    if _begins_with_there(sentence, start):
        return all(sentence.tag(place) not in VERBS - {Tag.BE} for place in range(start, phrase.start))
    if phrase.start == start:
        return True
    before = sentence.tag(phrase.start - 1)
    return before in (Tag.MARK, Tag.ADVERB, Tag.SUBORDINATOR) and sentence.tag(start) not in (Tag.NOUN, Tag.DETERMINER)


def _there(sentence: Sentence, start: int, end: int) -> int | None:
    """Returns the place of the "there" that begins the clause, also after "in this picture" and the like."""
    for place in range(start, end):
        if sentence.tag(place) is Tag.THERE:
            return place
        if sentence.tag(place) in VERBS:
            return None
    return None


def _begins_with_there(sentence: Sentence, start: int) -> bool:
    return sentence.tag(start) is Tag.THERE


def _after_they(sentence: Sentence, place: int) -> int:
    """Returns the place after "and they", which goes on about the same subject."""
    is_again = sentence.tag(place) is Tag.AND and sentence.word(place + 1) in words_of("personal")
    return place + 2 if is_again else place


def _joined(sentence: Sentence, phrases: list[NounPhrase], last: NounPhrase, end: int) -> tuple[str, NounPhrase] | None:
    """Returns the words of one subject ("on a bike" of "a boy on a bike and a girl") and the next subject."""
    place = _after_phrases(sentence, phrases, last.end, end)
    after = place
    while after < end and (sentence.tag(after) is Tag.AND or sentence.word(after) == ","):
        after += 1
    other = next((it for it in phrases if it.start == after > place), None)
    if other is None or sentence.word(other.head) in words_of("personal"):
        return None
    # "Two boys, both wearing caps": a pronoun behind a comma is the same ones again.
    if sentence.word(other.start - 1) == "," and sentence.tag(other.head) is Tag.PRONOUN:
        return None
    if place > last.end and not _are_alike(sentence, last, other, end):
        return None
    return sentence.words(last.end, place), other


def _after_phrases(sentence: Sentence, phrases: Sequence[NounPhrase], place: int, end: int) -> int:
    """Returns the place after the prepositions there, each with its noun phrase."""
    while place < end and sentence.tag(place) is Tag.PREPOSITION:
        inner = next((it for it in phrases if it.start == place + 1), None)
        if inner is None:
            break
        place = inner.end
    return place


def _are_alike(sentence: Sentence, one: NounPhrase, other: NounPhrase, end: int) -> bool:
    """True if both are subjects, and the second is nothing that the first has with it."""
    are_living = is_living(sentence.word(one.head)) and is_living(sentence.word(other.head))
    verb = first_verb(sentence, other.end)
    # Without a verb: "a man on a bike and a woman on a horse".
    if verb is None or verb >= end:
        return are_living and sentence.tag(other.end) is Tag.PREPOSITION and other.end < end
    word = sentence.word(verb)
    # A verb in the plural has both as its subjects: "a man with a beard and a woman in a hat are dancing".
    is_of_many = sentence.tag(verb) in _FINITE and plural_form(word) == word != third_person(word)
    return is_of_many and (are_living or sentence.tag(verb) is Tag.BE) and not sentence.is_plural(one)


def first_verb(sentence: Sentence, start: int) -> int | None:
    """Returns the place of the first verb from ``start`` on, in the same clause."""
    for place in range(start, len(sentence.tokens)):
        if sentence.tag(place) in VERBS:
            return place
        if sentence.tag(place) in (Tag.SUBORDINATOR, Tag.MARK, Tag.RELATIVE):
            return None
    return None
