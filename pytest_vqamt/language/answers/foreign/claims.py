"""What a clause of an answer claims of what its question asks, over the gloss of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from pytest_vqamt.language.answers.foreign.gloss import (
    ARTICLE,
    ONE,
    AnswerLanguage,
    Clause,
    exclude,
    is_complement,
    materials,
)

DENIALS = frozenset({"NOT", "NONE", "NOBODY", "NEITHER"})
"""Marks that deny."""
_VAGUE = frozenset({"at", "of", "with", "out", "through", "to"})
"""Prepositions that say no place of their own where no noun follows."""
AT = frozenset({"at", "on", "in"})
"""Prepositions that may stand for each other."""


@dataclass(frozen=True, slots=True)
class Item:
    """A word that matters: a stem, "=red", "~sit", a number, or "@left" without a noun."""

    mark: str
    """As a gloss has it: "hund", "=red", "~sit", "#3", "@left"."""
    binder: str = ""
    """The preposition of a noun, "" without one."""
    article: str = ""
    """"the" or "a" if an article stands before it, else ""."""
    of: str = ""
    """The noun beside a colour or the like, "" of what is said of the subject: "the bus is red"."""

    @property
    def is_noun(self) -> bool:
        """True if it may be the subject: a word without a preposition."""
        return not self.binder and self.mark[0] not in "=~#@"


@dataclass(frozen=True, slots=True)
class GlossedStatement:
    """A clause as the items that it says something about."""

    items: tuple[Item, ...]
    """In the order of the clause."""
    flags: frozenset[str]
    """Its other marks: denials, "ONLY", "MAYBE" and the like."""
    denials: int
    """The number of those that deny; 1 for "neither ... nor" and for Spanish "no ... ning\u00fan"."""
    has_pronoun: bool
    """True if its subject may be a pronoun, or is left out, as Spanish does."""
    clause: Clause
    """The clause that they are of, for readers of its numbers."""


def statement_of(language: AnswerLanguage, clause: Clause) -> GlossedStatement:
    """The items and flags of a clause."""
    items: list[Item] = []
    flags: list[str] = []
    binder, article, last_binder = "", "", ""
    for place, mark in enumerate(clause.marks):
        if mark == "IS":
            last_binder = ""
        elif mark in (ARTICLE, ONE):
            article = "the" if mark == ARTICLE else "a"
        elif mark[0] == "@":
            if binder not in ("", *_VAGUE):
                items.append(Item(f"@{binder}"))
            binder = mark[1:]
        elif mark.isupper() and mark[0] != "#":
            # French "non" behind a word denies the next one: "gris et non bleu".
            flags.append("NOT" if mark == "NO" and items else mark)
            article = "the" if mark in ("ALL", "NOT_ALL") else "a" if mark == "NONE" else article
            if mark in ("NOBODY", "SOMEBODY"):
                items.append(Item("somebody", article="a"))
        elif mark[0] == "=":
            # A material is a thing as well: "on wood" is a place, "of wood" says what something is made of.
            if mark in materials() and binder not in ("of", "at", "out"):
                items.append(Item(mark[1:], binder, article))
                binder, article = "", ""
            else:
                # "Next to the red bus": the colour is of the bus. It stands before or, but in German, behind it.
                after = "" if language is AnswerLanguage.GERMAN else last_binder
                bound = "" if mark in materials() else after if binder in ("", *_VAGUE) else binder
                items.append(Item(mark, bound, of=_noun_beside(language, clause.marks, place)))
                binder = "" if mark in materials() else binder
        elif mark[0] in "~#":
            items.append(Item(mark))
            article = article or ("a" if mark[0] == "#" else "")
        else:
            items.append(Item(mark, binder, article))
            binder, article, last_binder = "", "", binder
    if binder not in ("", *_VAGUE):
        items.append(Item(f"@{binder}"))
    return GlossedStatement(
        tuple(items), frozenset(flags), _denials(language, flags), _has_pronoun(language, clause, items), clause
    )


def _denials(language: AnswerLanguage, flags: Sequence[str]) -> int:
    """The number of denials among the flags, each counted once however many words it takes."""
    denials = sum(flag in DENIALS for flag in flags)
    # "Neither red nor blue" denies once, and so does "no lleva ning\u00fan casco".
    if "NEITHER" in flags or (language is AnswerLanguage.SPANISH and denials > 1 and flags.count("NOT") < denials):
        denials = 1
    return denials


def _has_pronoun(language: AnswerLanguage, clause: Clause, items: Sequence[Item]) -> bool:
    """True if the subject may be a pronoun, or is left out, as Spanish does: "est\u00e1 mojado"."""
    pronouns = set(language.table["pronouns"].split())
    if language is not AnswerLanguage.SPANISH or not pronouns.isdisjoint(clause.words):
        return not pronouns.isdisjoint(clause.words)
    first = next((word for word in clause.words if word not in ("no", "s\u00ed", "que", "si")), "")
    return (
        first not in language.table["articles"].split()
        and clause.marks[:1] != ()
        and not (clause.marks[0][0] in "=@" and clause.firsts[0] == first)  # "but grey" is about what was named
        and clause.words[:1] != ("que",)
        and not any(item.is_noun and item.article for item in items[:1])
    )


def _noun_beside(language: AnswerLanguage, marks: Sequence[str], place: int) -> str:
    """The noun that an adjective belongs to: before it in French and Spanish, else behind it."""
    before = [mark for mark in marks[:place][::-1] if mark[0] != "="][:1]
    after = [mark for mark in marks[place + 1 :] if mark[0] != "="][:1]
    for each in after if language is AnswerLanguage.GERMAN else before + after:
        if each[0] not in "~#@" and not each.isupper():
            return each
    return ""


@dataclass(frozen=True, slots=True)
class YesNoQuestion:
    """What a question for yes or no asks."""

    items: tuple[Item, ...]
    """The items of the statement that says yes, without its denial."""
    flags: frozenset[str]
    """Its other marks: "ALL", "OR", "MORE" and the like."""
    subject: int
    """The place of the subject among the items, -1 without one."""
    denies: bool
    """True if it asks that something is not so."""
    starts_with_verb: bool
    """True if the first item may stand elsewhere in the answer."""
    is_presence: bool
    """True if it asks for something that is there or can be seen."""


def asked_by(language: AnswerLanguage, clauses: Sequence[Clause], *, is_presence: bool) -> YesNoQuestion:
    """What the clauses of a question ask together."""
    statement = statement_of(language, reduce(Clause.followed_by, clauses, Clause((), (), ())))
    items = statement.items
    nouns = [place for place, item in enumerate(items) if item.is_noun]
    with_article = [place for place in nouns if items[place].article]
    subject = (with_article or nouns or [-1])[0]
    denies = statement.denials % 2 == 1 or "FREE" in statement.flags
    return YesNoQuestion(
        items, statement.flags, subject, denies, not all(item.article for item in items[:1]), is_presence
    )


def claim(asked: YesNoQuestion, statement: GlossedStatement, *, is_alone: bool) -> bool | None:
    """True if a statement agrees with the question, its denial left aside; None if it may say nothing of it.

    ``is_alone``: the answer has no other statement, so that a fragment is about the subject.
    """
    # An answer must never be read as its opposite, so each step below gives up where a claim could be another one.
    if _is_beyond_reading(asked, statement):
        return None
    items = statement.items
    places = [_place_of(item, items, denied=statement.denials > 0) for item in asked.items]
    missing = [item for item, place in zip(asked.items, places, strict=True) if place is None]
    extra = [item for place, item in enumerate(items) if place not in places]
    # "The square is empty" to "is there anybody in the square?".
    if _is_empty(asked, items) and not statement.denials:
        return False
    subject = asked.items[asked.subject] if asked.subject >= 0 else None
    named = subject is None or subject not in missing
    if not named and not _stands_for_the_subject(asked, statement, extra, is_alone=is_alone):
        return _denied_part(asked, statement, missing, extra)
    if _describes(asked) and any(item.is_noun and item.article for item in extra):
        return None  # "it has a green roof" says nothing of the colour of the car
    rest = [item for item in missing if item != subject]
    if named and not any(item.binder == "of" or item.is_noun for item in extra):
        # "The shirt is blue" to "is the man's shirt blue?"
        rest = [item for item in rest if not _is_owner(asked, item)]
    # "The cat chases the dog" has the words of "does the dog chase the cat?", and says something else.
    if _bound_otherwise(asked.items, extra) or not _in_order(asked, places):
        rest_excludes = _excluded(asked, rest, extra) if not statement.denials else None
        return False if rest_excludes and _in_order(asked, places) else None
    # Of "dogs or cats" one is enough where it is there, and leaves the other open where it is not.
    if "OR" in asked.flags and rest:
        return True if not statement.denials and len(rest) == 1 and rest[0].is_noun and asked.is_presence else None
    said = [item for item in asked.items if item not in missing and item != subject]
    is_posture = all(item.mark[0] == "~" for item in rest)  # "the vase is on the table" leaves out how it stands
    if (not rest and (named or said)) or (said and is_posture):
        if statement.denials:
            return _denied(asked, statement, extra, named=named)
        return None if rest and any(item.mark[0] == "~" for item in extra) else True
    if not rest:
        return None
    if not statement.denials:
        return False if _excluded(asked, rest, extra) else None
    # "It is not closed" is a yes to "is it open?"; "not green" leaves all other colours.
    if len(rest) == 1 and len(extra) == 1 and is_complement(rest[0].mark, extra[0].mark):
        return True
    return _denied_part(asked, statement, missing, extra)


def _is_owner(asked: YesNoQuestion, item: Item) -> bool:
    """True if the question asks more of the subject than that it is of this one."""
    owner = asked.items[asked.subject + 1 : asked.subject + 2]
    others = [each for place, each in enumerate(asked.items) if place != asked.subject and each not in owner]
    # "Die Jacke der Frau": the German genitive has an article and no preposition.
    is_genitive = item.is_noun and item.article == "the" and all(other.mark[0] == "=" for other in others)
    return (
        asked.items[asked.subject].article == "the"
        and item in owner
        and others != []
        and (item.binder == "of" or is_genitive)
    )


def _is_beyond_reading(asked: YesNoQuestion, statement: GlossedStatement) -> bool:
    """True if the question asks nothing that words could repeat, or the statement leaves open what it says."""
    flags = statement.flags
    if len(asked.items) == 1 and asked.items[0].article == "the" and not asked.is_presence:
        return True  # "is the man alone?": what is asked of him is in none of the tables
    # Bounds and comparisons go by numbers, and a verb alone ("does it rain?") has nothing to compare.
    if all(item.mark[0] == "~" for item in asked.items) or asked.flags & {"BOUND", "ONLY", "MORE", "FEWER", "EQUAL"}:
        return True
    if not statement.items or statement.denials > 1 or flags & {"MORE", "FEWER", "THAN"} - asked.flags:
        return True
    return bool(flags & {"MAYBE", "IF", "FIRST", "ALMOST", "EXCEPT", "OTHER", "NOT_ALL"})


def _denied(asked: YesNoQuestion, statement: GlossedStatement, extra: Sequence[Item], *, named: bool) -> bool | None:
    """False for a denial of all that is asked, and of no more: "there is no dog in the garden" denies less."""
    listed = "NEITHER" in statement.flags  # "neither red nor blue"
    if any(item.mark[0] not in ("@=" if listed else "@") for item in extra):
        return None
    return None if not named and _is_of_a_certain_one(asked.items, statement.items) else False


def _stands_for_the_subject(
    asked: YesNoQuestion, statement: GlossedStatement, extra: Sequence[Item], *, is_alone: bool
) -> bool:
    """True if a statement without the subject is about it: by a pronoun, or as a fragment."""
    # What may not be there at all has no pronoun.
    if asked.is_presence or asked.items[asked.subject].article == "a":
        return False
    known = [place for place, item in enumerate(statement.items) if item not in extra]
    if any(item.is_noun for item in statement.items[: known[0] if known else len(statement.items)]):
        return False  # another subject
    return statement.has_pronoun or (is_alone and len(statement.items) == 1)


def _describes(asked: YesNoQuestion) -> bool:
    """True if a question asks for nothing but how a thing looks."""
    rest = [item for place, item in enumerate(asked.items) if place != asked.subject]
    return rest != [] and all(item.mark[0] == "=" for item in rest)


def _place_of(wanted: Item, items: Sequence[Item], *, denied: bool) -> int | None:
    for place, item in enumerate(items):
        if (
            item.mark == wanted.mark
            and item.of == wanted.of
            and _same_binder(wanted.binder, item.binder, denied=denied)
        ):
            return place
    return None


def _same_binder(wanted: str, said: str, *, denied: bool) -> bool:
    if wanted == said or {wanted, said} <= {"", "to"} or (denied and {wanted, said} <= {"", "of"}):
        return True
    # "At" is any of these in another language: "am Tisch" is at or on the table.
    return "at" in (wanted, said) and wanted in AT and said in AT


def _bound_otherwise(asked: Sequence[Item], extra: Sequence[Item]) -> bool:
    """True if a noun of the question stands in the answer with another preposition."""
    marks = {item.mark for item in asked if item.mark[0] not in "=~#@"}
    return any(item.mark in marks for item in extra)


def _in_order(asked: YesNoQuestion, places: Sequence[int | None]) -> bool:
    """True if the words come in the order of the question, but for its verb and what has a preposition."""
    found = [
        place
        for number, (item, place) in enumerate(zip(asked.items, places, strict=True))
        if place is not None
        and not item.binder
        and item.mark[0] not in "~@"
        and not (number == 0 and asked.starts_with_verb)
    ]
    return found == sorted(found)


def _excluded(asked: YesNoQuestion, rest: Sequence[Item], extra: Sequence[Item]) -> bool:
    """True if the one thing that is left out is replaced by one that it excludes; "a cushion" may be another one."""
    if asked.is_presence or (asked.subject >= 0 and asked.items[asked.subject].article == "a"):
        return False
    rest = [item for item in rest if item.mark[0] != "~"] or rest
    if len(rest) != 1 or any(item.is_noun for item in extra):
        return False
    wanted = rest[0]
    if wanted.binder:
        of_the_same = [item for item in extra if item.mark == wanted.mark]
        adverbs = [item for item in extra if item.mark[0] == "@"]
        return any(exclude(wanted.binder, item.binder) for item in of_the_same) or any(
            exclude(wanted.binder, item.mark[1:]) for item in adverbs
        )
    said = [
        item
        for item in extra
        if not item.binder and item.of == wanted.of and exclude(wanted.mark.lstrip("@"), item.mark.lstrip("@"))
    ]
    return len(said) == 1


def _is_empty(asked: YesNoQuestion, items: Sequence[Item]) -> bool:
    """True if the place is said to be empty at which something is asked for."""
    # Asked whether it is empty, "empty" is just the attribute.
    if any(item.mark in ("=empty", "=full") for item in asked.items) or Item("=empty") not in items:
        return False
    nouns = [item.mark for item in items if item.mark[0] not in "=~#@"]
    at = [item.mark for item in asked.items if item.binder in AT]
    return len(nouns) == 1 and nouns[0] in at


def _denied_part(
    asked: YesNoQuestion, statement: GlossedStatement, missing: Sequence[Item], extra: Sequence[Item]
) -> bool | None:
    """False for a denial of what is asked for that leaves out where: "there is no vase"; also "not under it"."""
    if statement.denials != 1 or "OR" in asked.flags:
        return None
    adverbs = [item.mark[1:] for item in extra if item.mark[0] == "@"]
    # "She does not lie under it": the preposition without its noun is denied of the subject.
    if len(adverbs) == 1 and all(item.mark[0] in "@~" for item in statement.items):
        return False if statement.has_pronoun and any(item.binder in adverbs for item in missing) else None
    if extra and "NEITHER" not in statement.flags:
        return None
    if any(item.mark[0] == "=" and not item.binder and not item.of for item in missing):
        return None  # "there is no dog" to "is the dog wet?"
    said = [item for item in asked.items if item not in missing]
    nouns = [
        item for number, item in enumerate(asked.items) if item.is_noun and not (number == 0 and asked.starts_with_verb)
    ]
    if not said or not nouns:
        return None
    # "No helmet" denies the last noun, which the others are said of; what has a preposition may be left out.
    # Of two that are asked for together, to lack one is enough.
    if nouns[-1] not in said:
        return False if "AND" in asked.flags else None
    return None if _is_of_a_certain_one(nouns[-1:], statement.items) else False


def _is_of_a_certain_one(wanted: Sequence[Item], items: Sequence[Item]) -> bool:
    """True if "the" is before what is asked for with "a": "her tail is not visible" does not say that she has none."""
    certain = {item.mark for item in items if item.article == "the"}
    return any(item.mark in certain and item.article != "the" and item.mark[0] not in "=~#@" for item in wanted)
