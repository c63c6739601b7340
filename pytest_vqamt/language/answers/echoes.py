"""Answers that repeat the words of their question: "the woman is not wearing glasses"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from pytest_vqamt.core.lazy_pattern import pattern_of
from pytest_vqamt.core.meaning import Group
from pytest_vqamt.language.answers.answer_text import (
    HEDGE,
    NEARLY,
    PICTURE,
    Prepared,
    claim_clauses,
    plain_question,
    prepare,
)
from pytest_vqamt.language.answers.content import POSTURES, content, content_word, exclude, plain_words
from pytest_vqamt.language.answers.counts import read_count
from pytest_vqamt.language.english.nouns import NUMBER_WORDS, singular
from pytest_vqamt.language.ontology import ontology
from pytest_vqamt.language.wordnet import wordnet

_BOUND_ASKED = pattern_of(r"\b(?:at least|at most|more than|fewer than|less than)\b")
"""A part of the question that a denial leaves open: "at least two are not sitting" may be said beside two who sit."""

_RATHER_THAN = pattern_of(r"^[^.;!?\n]*(?: rather than| instead of|, (?:and )?not) ([a-z]+(?: [a-z]+){0,4})\W*$")
"""Something else is done than asked: "a newspaper rather than a book". "A rather old book" is a book."""
_NOTHING = pattern_of(r"(?:no\W+)?(?:he|she|it|they) (?:is|are) not ([a-z]+ing) anything(?: at all)?\W*")
"""What is denied of all is denied of what is asked: "she is not holding anything"."""

_IS_THERE = pattern_of(r"(?:is|are|was|were) there\b")
"""Asks for presence, where a posture says no more than "is": "are there any cars parked on the street?"."""
_MORE_THAN = pattern_of(
    r"(?:are|is) there (more|fewer|less|as many) ([a-z ]{1,60}?) (?:than|as) ([a-z]+(?: [a-z]+)?)(?: (?:in|on|at"
    r"|visible)\b.*)?"
)
"""Asks to compare two numbers, which the answer may give: "3 dogs and only 1 cat"."""

_YES_NO = pattern_of(r"(?:is|are|was|were|does|do|did|has|have|can|could|would)\b")
"""How a question begins that a statement may answer: "Is it raining?" - "It is not raining"."""
ASKS_TO_SAY = pattern_of(
    r"^(?:would you say|do you think|would you call|can you (?:tell|say) (?:if|whether)|is it (?:true|correct"
    r"|right|the case)|does it (?:look|seem|appear))(?: that| like)? "
)
"""Adds nothing to the question behind it: "does it look like the turtle is large?"."""
_OR = pattern_of(r"\b(?:or|not|no|more|less|fewer|only|all|every|both)\b")
"""Questions that a statement about a part does not settle: "there is no cat" to "a dog or a cat?"."""
_COMMA = pattern_of(r",(?= )| and (?=not\b)")
"""A denial behind a comma is a clause by itself: "he is holding a cat, not a dog"."""
_OF_ALL = pattern_of(r"(?:is|are|do|does|has|have|was|were) (?:all|both|every|each)\b(?: of)?(?: the| these| those)?")
"""Asks about all of several: "are all the lights on?"."""
_ALL = pattern_of(
    r"(?:(?:yes|and|so)\W+)?(?:(?:they|these|those) (?:are )?)?(?:all|both|each|every|everyone|everybody)\b"
)
"""Speaks of all that are asked about; "almost all" are not all."""
_ALL_EXCEPT = pattern_of(
    r"\b(?:all|every\w*|each|both)\b[^.;!\n]{0,200}\b(?:except|apart from|save for|but (?:one|two|three|an?|the))\b"
)
"""All but some are not all: "every light is on except one"."""
_ALL_OF_THEM = pattern_of(
    r"(?:(?:yes|and|so)\W+)?(?:all|both|each|every)(?: single)?(?: one)?(?: of (?:them|these|those))?,? "
    r"(?:is|are|do|does|has|have|did|was|were)(?P<not> not)?"
)
"""Without the predicate of the question: "every single one of them does"."""
_NOT_ALL = pattern_of(
    r"\b(?:not (?:all|both|every|each|everyone)|(?:only|just) (?:one|some|the|a|two|three|half|part|\d+)|none|neither"
    r"|no one|nobody|except|all but|(?:almost|nearly) (?:all|every\w*|both)|most|half)\b"
)
"""Denies it of some: "only the left one is open". In "both, not just one" it is denied of none."""

_AMOUNTS = frozenset({*NUMBER_WORDS[1:], "several", "many", "few", "couple", "lots", "pair"})

_RESTING = frozenset({"stand", "sit", "lie", "kneel", "crouch"})
_MOVING = frozenset({"fly", "swim", "walk", "run"})
_ABOUT = {"outside": "inside", "inside": "outside"}

_SEES_NONE = pattern_of(
    r"\b(?:i|we|you) (?:can|do) not (?:see|find|spot|detect|identify|notice|locate) (?:any|an?|the)?"
)
"""Whoever sees none says that there is none: "I could not find any cars on the street"."""
_HAS_NONE = pattern_of(r"\b(?:has|have|with) no\b|\b(?:does|do) not have\b|\bnot wearing\b")
"""Denies a thing, whatever place follows: "the car has no license plate on the front"."""
_LEAD = pattern_of(
    r"^\W*(?:(?:yes|nope|and|so|well|then|actually|just|but|rather)\W+|no\s*[,.:;!-]\W*)*"
    r"(?:(?:i|we|you) (?:can |could |would )?(?:see|think|believe|say)(?: that)? )?"
    rf"(?:(?:in|on) (?:the|this) {PICTURE}\W+)?(?:an? {PICTURE} of )?"
)
"""Words before the statement: "I would say", "in the picture"."""
_DENIED_QUESTION = pattern_of(
    r"((?:is|are|was|were|does|do|did|has|have|can) (?!there\b)[^?]{1,80}?) not ((?!only\b)[^?]+)"
)
"""Asks that something is not so: "is the man not wearing a helmet"."""
_DENIALS = {"not": "", "no": "", "never": "", "neither": "", "none": "", "without": "", "hardly": ""}
_PRONOUNS = frozenset({"he", "she", "it", "they", "him", "them"})
_GOES_ON = frozenset((
    "in", "on", "at", "with", "near", "by", "next", "under", "behind", "beside", "above", "below", "while", "and",
    "as", "from", "along", "through", "around", "inside", "outside", "before", "atop", "because", "since", "of", "for",
    "across", "over", "into", "amid", "leftof", "rightof", "against", "right", "left",
))  # fmt: skip


def repeated(question: str, answer: str | Prepared) -> bool | None:
    """True if an answer repeats its question as a statement, False if it denies it or says the opposite.

    The words must come in the order of the question. A denial that goes on may deny the rest, and gives None; so does
    what leaves out a part of the question.

    >>> repeated("Is the woman wearing glasses?", "She isn't wearing any glasses.")
    False
    >>> repeated("Is the cup in front of the laptop?", "The cup is behind the laptop.")
    False
    >>> repeated("Is the man holding a dog?", "The man with a dog is holding a leash.") is None
    True
    """
    asked, prepared = plain_question(question), prepare(answer)
    if not prepared.text or prepared.text.endswith("?") or not _YES_NO.match(asked):
        return None
    if (of_counts := _compared_counts(asked, prepared)) is not None:
        return of_counts
    question = ASKS_TO_SAY.sub("", asked.partition("?")[0])
    # "Is the man not wearing a helmet?" is read as the question without "not", and turned round.
    if denied := _DENIED_QUESTION.fullmatch(question):
        so = repeated(f"{denied[1]} {denied[2]}?", prepared)
        return None if so is None else not so
    clauses = claim_clauses(_COMMA.sub(". ", prepared.statements))
    # Of all of several things "not" says less than "no": "not all lights are on".
    if found := _OF_ALL.match(question):
        if _ALL_EXCEPT.search(prepared.text):
            return False
        wanted = content(question[found.end() :])
        said = {_clause_says_of_all(wanted, clause) for clause in clauses} - {None}
        return said.pop() if len(said) == 1 else None
    asked_words = plain_words(question)
    wanted = [content_word(word) for word in asked_words]
    # "Are there any cars parked on the street?" is answered by "there are cars on the street".
    if _IS_THERE.match(question):
        kept = [place for place, form in enumerate(wanted) if form not in POSTURES]
        asked_words, wanted = [asked_words[place] for place in kept], [wanted[place] for place in kept]
    # With one word any clause that has it would agree; with "or" a part may settle the whole or not.
    if len(wanted) < 2 or _OR.search(question):
        return None
    said = {_clause_says(asked_words, wanted, clause) for clause in clauses} - {None}
    if len(said) != 1 or (False in said and _BOUND_ASKED.search(question)):
        return None
    return said.pop()


def as_asked(question: str, answer: str | Prepared) -> bool | None:
    """True if an answer repeats the whole question as a statement, False with one denial more or less.

    One word may be replaced by another that excludes it, which denies it. A "yes" or "no" before it is not read.

    >>> as_asked("Are there fewer chairs than cups?", "There are fewer chairs than cups.")
    True
    >>> as_asked("Are there any windows that are not open?", "There are no windows that are not open.")
    False
    >>> as_asked("Is the kettle on the right side?", "No, it is on the left side.")
    False
    """
    prepared = prepare(answer)
    # Fewer than three words repeat no question.
    if prepared.text.count(" ") < 2:
        return None
    wanted, denials = _wanted(question)
    if len(wanted) < 2:
        return None
    if not denials and _denies_the_object(question, prepared.statements, wanted):
        return False
    is_presence = _IS_THERE.match(plain_question(question)) is not None
    is_bound = _BOUND_ASKED.search(question.lower()) is not None
    said = {
        _says_as_asked(wanted, denials, clause, is_presence=is_presence)
        for clause in claim_clauses(_COMMA.sub(". ", prepared.statements))
        if not (HEDGE.search(clause) or NEARLY.search(clause))
    } - {None}
    if len(said) != 1 or (is_bound and False in said):
        return None  # "at least two are not sitting" leaves open how many are
    return said.pop()


def _denies_the_object(question: str, prepared: str, wanted: Sequence[str]) -> bool:
    """True of an answer that puts another thing in its place: "a newspaper rather than a book"."""
    if HEDGE.search(prepared) or " rather " in question or " instead " in question:
        return False
    if found := _RATHER_THAN.search(prepared):
        replaced = [word for word in content(found[1]) if word not in _PRONOUNS]
        return bool(replaced) and set(replaced) <= set(wanted)
    return (nothing := _NOTHING.fullmatch(prepared)) is not None and f" {nothing[1]} " in question


@lru_cache(maxsize=4096)
def _wanted(question: str) -> tuple[tuple[str, ...], int]:
    """The words of a statement that says yes, without its denials; none where the question is no yes/no question."""
    asked = plain_question(question)
    if not _YES_NO.match(asked):
        return (), 0
    wanted, denials = _denials_apart(ASKS_TO_SAY.sub("", asked.partition("?")[0]))
    return tuple(wanted), denials


def _denials_apart(text: str) -> tuple[list[str], int]:
    """The words that matter without those that deny, and how many these are."""
    words = content(_LEAD.sub("", _SEES_NONE.sub("no ", text)))
    kept = [word for word in words if word not in _DENIALS]
    return kept, len(words) - len(kept)


def _says_as_asked(wanted: Sequence[str], denials: int, clause: str, *, is_presence: bool) -> bool | None:
    """True if the clause has the words and denials of the question, False if it denies or excludes them."""
    words, denied = _denials_apart(clause)
    # A pronoun stands for the subject, of as many words as the answer then lacks.
    if len(words) > 1 and words[0] in _PRONOUNS and wanted[0] not in _PRONOUNS:
        words = words[1:]
        wanted = wanted[-len(words) :] if len(words) < len(wanted) else wanted
    if len(words) != len(wanted):
        return False if _is_of_another_size(wanted, words) and not denied else None
    differ = [pair for pair in zip(words, wanted, strict=True) if pair[0] != pair[1]]
    if not differ:
        # Two denials more cancel each other.
        return (denied - denials) % 2 == 0
    # "There is a white car" does not say that there is no red one.
    return False if len(differ) == 1 and denied == denials and not is_presence and exclude(*differ[0]) else None


def _is_of_another_size(wanted: Sequence[str], words: Sequence[str]) -> bool:
    """True if a thing is said to be larger, say, than another, where the question is for the same size."""
    # "The cup is larger than the jug" to "is the cup the same size as the jug?".
    if not words or "same" not in wanted or wanted[0] != words[0] or wanted[-1] != words[-1]:
        return False
    return "than" in words or "different" in words or "differ" in words


def _compared_counts(asked: str, answer: Prepared) -> bool | None:
    """Compares the numbers of two things: "3 dogs and 1 cat" are more dogs than cats."""
    found = _MORE_THAN.fullmatch(asked.partition("?")[0])
    if not found:
        return None
    numbers = numbers_of((found[2], found[3]), answer)
    if numbers is None:
        return None
    one, other = numbers
    return one > other if found[1] == "more" else one == other if found[1] == "as many" else one < other


def numbers_of(names: Sequence[str], answer: Prepared) -> tuple[int, int] | None:
    """Returns the numbers of two things if the answer names both and gives both."""
    said = answer.text
    if not all(re.search(rf"\b(?:{re.escape(singular(name))}|{re.escape(name)})", said) for name in names):
        return None
    one, other = (read_count(answer, (Group(name=singular(name)),)) for name in names)
    return (one, other) if isinstance(one, int) and isinstance(other, int) else None


def _clause_says_of_all(wanted: Sequence[str], clause: str) -> bool | None:
    """True if all of them are said to be so, as by "all three are"; False by "only the girl is"."""
    if ellipsis := _ALL_OF_THEM.fullmatch(clause):
        return ellipsis["not"] is None
    words = content(clause)
    if not wanted or HEDGE.search(clause):
        return None
    if wanted[-1] not in words:
        # "The one on the left is open": one is not as all are asked to be.
        return False if words and exclude(words[-1], wanted[-1]) and not _DENIALS.keys() & set(words) else None
    if _NOT_ALL.search(clause):
        return False
    return True if _ALL.match(clause) and not _DENIALS.keys() & set(words) else None


def _clause_says(asked: Sequence[str], wanted: Sequence[str], clause: str) -> bool | None:
    """True if the clause repeats the words of the question in their order, False if it denies or excludes them."""
    if HEDGE.search(clause) or NEARLY.search(clause):
        return None
    plain = plain_words(_LEAD.sub("", _SEES_NONE.sub("no ", clause)))
    denials = sum(word in _DENIALS for word in plain)
    has_none = _HAS_NONE.search(clause) is not None
    starts_denied = plain[:1] != [] and plain[0] in _DENIALS
    plain = [word for word in plain if word not in _DENIALS]
    words = [content_word(word) for word in plain]
    # "The cup is standing on the table" says no more than "is on the table"; at the end a posture is the predicate.
    if not POSTURES & set(wanted):
        kept = [place for place, form in enumerate(words) if form not in POSTURES or place == len(words) - 1]
        plain, words = [plain[place] for place in kept], [words[place] for place in kept]
    # "There is no seat that is not taken": what two denials say is left to other readers.
    if denials > 1 or not words:
        return None
    if starts_denied and words == list(wanted[-len(words) :]) and len(words) < len(wanted):
        return False  # "a buffalo, not a cow"
    if len(words) < 2:
        return None
    if words[0] in _PRONOUNS and words[0] != wanted[0]:
        verbs = (place for place, word in enumerate(asked) if word.endswith("ing"))
        # The pronoun replaces one to three words of the question, all of them before its verb in -ing.
        splits = range(1, min(4, len(wanted), next(verbs, 4) + 1))
        pairs = [(wanted[start:], words[1:], plain[1:]) for start in splits]
    else:
        pairs = [(wanted, words, plain)]
    # After "not wearing glasses" or "holding a dog" any more words leave the claim as it is.
    is_open = wanted[-1] == "something" or (has_none if denials else asked[-1].endswith("ing"))
    said = (_agrees(*each, denied=bool(denials), is_open=is_open) for each in pairs)
    return next((each for each in said if each is not None), None)


def _agrees(
    wanted: Sequence[str], words: Sequence[str], plain: Sequence[str], *, denied: bool, is_open: bool
) -> bool | None:
    """True if the words of a statement agree with those of the question, False if they exclude them."""
    verdict = _compared(wanted, words, denied=denied, is_open=is_open)
    if verdict is not None or denied:
        return verdict
    known = ontology()
    # Colours, numbers and the like that the question lacks add details: "holding a big red ball".
    bare = [
        form
        for place, (word, form) in enumerate(zip(plain, words, strict=True))
        if form in wanted or place == len(words) - 1 or (known.category_of(word) is None and word not in _AMOUNTS)
    ]
    return _compared(wanted, bare, denied=False, is_open=is_open) if bare != words else None


def _compared(wanted: Sequence[str], words: Sequence[str], *, denied: bool, is_open: bool) -> bool | None:
    """True if the words of the statement are those of the question, in order, False if they exclude or deny them."""
    rest = words[len(wanted) :]
    differ = [
        # A kind affirms ("a poodle" is a dog), but a denied kind leaves others; the subject may be a kind either way.
        pair
        for place, pair in enumerate(zip(words, wanted, strict=False))
        if not _fits(*pair, denied and place > 0)
    ]
    goes_on = not rest or rest[0] in _GOES_ON
    if not differ and len(words) >= len(wanted):
        if denied:
            return False if not rest or (is_open and (goes_on or wanted[-1] == "something")) else None
        return True if goes_on or is_open else None
    if not differ and denied and wanted[len(words)] in _GOES_ON:
        return False  # "nobody is sitting": who does not sit does not sit on the bench
    if denied or not differ:
        return None
    # One word of the whole is another one that excludes it: "the lid is on" to "is the lid off the pot?".
    is_whole = len(words) == len(wanted) or (len(words) > 1 and words == [*wanted[: len(words) - 1], words[-1]])
    if len(differ) == 1 and (is_whole or (len(words) > len(wanted) and goes_on)) and exclude(*differ[0]):
        return False
    if differ and _does_otherwise(words, wanted):
        return False
    if wanted[-1] in _ABOUT and words[: len(wanted) - 1] == list(wanted[:-1]) and _ABOUT[wanted[-1]] in words:
        return False
    return None


def _does_otherwise(words: Sequence[str], wanted: Sequence[str]) -> bool:
    """True if the same subject moves or rests in another way: "the bird flies over the water", and does not sit."""
    place = next((at for at, pair in enumerate(zip(words, wanted, strict=False)) if pair[0] != pair[1]), 0)
    pair = {words[place], wanted[place]}
    # Who walks may be said to stand, as opposed to sitting, so these two exclude nothing.
    return place > 0 and (pair <= _RESTING or (len(pair & _MOVING) == 1 and bool(pair & (_RESTING - {"stand"}))))


def _fits(word: str, wanted: str, exactly: bool) -> bool:
    return word == wanted or wanted == "something" or (not exactly and _is_kind(word, wanted))


@lru_cache(maxsize=65536)
def _is_kind(word: str, wanted: str) -> bool:
    return wordnet().is_kind_of(word, wanted)
