"""The gloss of a text: its words as marks that German, French and Spanish share, and the others as they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from itertools import product
from typing import Any
from unicodedata import combining, normalize

from pytest_vqamt.core.lazy_pattern import pattern_of
from pytest_vqamt.language.tables import toml_table
from pytest_vqamt.language.translations.translated import LANGUAGES
from pytest_vqamt.language.translations.translated import language as translated

_SHARED = "answers/foreign/shared.toml"
ONE = "#1?"
"""The mark of an indefinite article, which is the number one as well."""
ARTICLE = "ARTICLE"
FILLER = "FILLER"
LOOK = "LOOK"
"""The mark of a second look, which corrects what was said before."""

_COMPARES = frozenset({"als", "plus", "moins", "aussi", "tan", "menos", "igual", "mayor", "menor", "mejor", "peor"})

_PART = pattern_of(r"(?:[^.,;:!?()\n\u2013\u2014\u2026\u00bf\u00a1\"-]|(?<=\S)-(?=\S)|(?<=\d)[.,](?=\d))+")
_WORD = pattern_of(r"\d+(?:[.,]\d+)?|[^\W\d_]+")

_SHORTEST_STEM = 3


class AnswerLanguage(StrEnum):
    """A language with a table of its own."""

    GERMAN = "german"
    FRENCH = "french"
    SPANISH = "spanish"

    @property
    def table(self) -> Mapping[str, Any]:
        """The words of the language."""
        return toml_table(f"answers/foreign/{self}.toml")


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a text between two marks of punctuation, or between words such as "but" and "because"."""

    words: tuple[str, ...]
    """The words as they stand, in lower case."""
    marks: tuple[str, ...]
    """What they say, such as "NOT", "#3", "@left" (a preposition), "=red", "~sit"; or the word without accents."""
    firsts: tuple[str, ...]
    """The word at which each of the marks begins."""

    @property
    def said(self) -> str:
        """The words in a row."""
        return " ".join(self.words)

    def followed_by(self, other: Clause) -> Clause:
        """Both clauses as one."""
        return Clause(self.words + other.words, self.marks + other.marks, self.firsts + other.firsts)


@lru_cache(maxsize=4096)
def glossed(language: AnswerLanguage, text: str, question: str = "") -> tuple[Clause, ...]:
    """The clauses of a text; words of the question have its forms in an answer.

    >>> [clause.marks for clause in glossed(AnswerLanguage.GERMAN, "Nein, rechts vom Sofa steht keine Lampe.")]
    [('NO',), ('@right', 'sofa', '~stand', 'NONE', 'lampe')]
    >>> glossed(AnswerLanguage.FRENCH, "Elle porte un casque.", "Portent-ils des casques ?")[0].marks
    ('portent', '#1?', 'casques')
    """
    known = _vocabulary(language, question) if question else {}
    found: list[Clause] = []
    for part in _PART.findall(plain(text)):
        for clause in _clauses(language, _WORD.findall(part), known):
            clause = _with_que(clause)
            # Commas that end no claim: "I do not think, that ..."; "above the basin, there is a mirror".
            if found and clause.words and (clause.marks[:1] == ("THAT",) or _is_place(language, found[-1])):
                found.append(found.pop().followed_by(clause))
            elif clause.marks[:1] == ("IS",) and len(found) > 1 and _is_subject(found[-2]):
                found[-2] = found[-2].followed_by(clause)  # "the shirt, which the man wears, is white"
            elif clause.words:
                found.append(clause)
    return tuple(found)


def _is_place(language: AnswerLanguage, clause: Clause) -> bool:
    """True if a clause is just a preposition with its noun, and no "in fact"."""
    rest = [mark for mark in clause.marks if mark[0] != "@" and mark not in (ARTICLE, ONE)]
    is_bound = clause.marks != () and clause.marks[0][0] == "@" and len(rest) == 1 and not rest[0].isupper()
    return is_bound and clause.said not in lexicon_of(language).clauses


def _is_subject(clause: Clause) -> bool:
    """True if a clause is just "the shirt of the man"."""
    return clause.marks[:1] == (ARTICLE,) and all(
        mark == ARTICLE or mark[0] in "@=" or is_noun(mark) for mark in clause.marks
    )


def _with_que(clause: Clause) -> Clause:
    """The clause with French and Spanish "que" as "than", as "only" in "ne ... que", or as nothing."""
    if "RATHER" in clause.marks:  # "rather white than yellow"
        rather, end = clause.marks.index("RATHER"), (*clause.marks, "THAN").index("THAN")
        marks, firsts = (each[:rather] + each[rather + 1 : end] for each in (clause.marks, clause.firsts))
        return Clause(clause.words, marks, firsts)
    # Spanish and French "que" is "than" in comparisons alone; elsewhere it is dropped, or "only" behind "ne".
    if "THAN" not in clause.marks or not {"MORE", "FEWER", "EQUAL"}.isdisjoint(clause.marks):
        return clause
    if not _COMPARES.isdisjoint(clause.words):
        return clause
    is_only = not {"ne", "n"}.isdisjoint(clause.words) and "NOT" not in clause.marks
    kept = [
        ("ONLY" if mark == "THAN" else mark, first)
        for mark, first in zip(clause.marks, clause.firsts, strict=True)
        if mark != "THAN" or is_only
    ]
    return Clause(clause.words, tuple(mark for mark, _ in kept), tuple(first for _, first in kept))


@lru_cache(maxsize=4096)
def _vocabulary(language: AnswerLanguage, question: str) -> dict[str, str]:
    """The words of a question by what they may be without an ending."""
    lexicon = lexicon_of(language)
    found: dict[str, str] = {}
    for clause in glossed(language, question):
        for mark, word in zip(clause.marks, clause.firsts, strict=True):
            # Words that the tables know have their mark already.
            if mark == _bare(word):
                found |= {form: mark for form in lexicon.forms(word) if form not in found}
    return found


def plain(text: str) -> str:
    """The text in lower case, with straight apostrophes."""
    return normalize("NFC", text).casefold().replace("\u2019", "'")


def _clauses(language: AnswerLanguage, words: list[str], known: Mapping[str, str]) -> Iterator[Clause]:
    """The clauses of the words between two marks of punctuation; they end before "but"."""
    lexicon = lexicon_of(language)
    begin, place = 0, 0
    # "Das Licht ist an" says that it is on; "sieht ... an" is a verb, and "an" alone is a preposition.
    last = "" if len(words) < 2 or "sieht" in words else lexicon.last_words.get(words[-1], "")
    marks: list[str] = []
    firsts: list[str] = []
    while place < len(words):
        length, mark = lexicon.mark_at(words, place, known)
        if last and place + length == len(words):
            mark = last
        if mark in ("BREAK", LOOK):
            yield Clause(tuple(words[begin:place]), tuple(marks), tuple(firsts))
            marks, firsts, begin = [], [], place + length
            if mark == LOOK:
                yield Clause(tuple(words[place:begin]), (LOOK,), (words[place],))
        elif mark != FILLER:
            each = mark.split()
            marks += each
            firsts += [words[place]] * len(each)
        place += length
    yield Clause(tuple(words[begin:]), tuple(marks), tuple(firsts))


@dataclass(frozen=True, slots=True)
class Lexicon:
    """What the words of a language say."""

    phrases: Mapping[str, tuple[tuple[tuple[str, ...], str], ...]]
    """Phrases and their marks by the first word, the longest first."""
    attributes: Mapping[str, str]
    """The marks of colours, materials and the like by the stem."""
    clauses: Mapping[str, str]
    """The marks of whole clauses, such as "that is right"."""
    endings: tuple[str, ...]
    """What a word may lose to be found, such as "en" and "s"; without accents, the longest first."""
    shades: tuple[str, ...]
    """What a compound that is a colour may begin with."""
    last_words: Mapping[str, str]
    """The marks of words at the end of a clause: German "Das Licht ist an"."""

    def mark_at(self, words: list[str], place: int, known: Mapping[str, str]) -> tuple[int, str]:
        """The number of words that make one mark here, and the mark; ``known`` has the words of the question."""
        word = words[place]
        for phrase, mark in self.phrases.get(word, ()):
            if len(phrase) > 1 and tuple(words[place : place + len(phrase)]) != phrase:
                continue
            # "Line 38" counts nothing; without a number behind it "line" is a noun.
            if mark != "NUMBERED" or (words[place + 1 : place + 2] or [""])[0].isdecimal():
                return len(phrase), mark
        if word[0].isdecimal():
            return 1, f"#{word}"
        forms = self.forms(word)
        # Attributes first: a colour in the question is a colour in the answer, whatever ending it has.
        for table in (self.attributes, known):
            for form in forms:
                if form in table:
                    return 1, table[form]
        return 1, self._shade(forms) or forms[0]

    def forms(self, word: str) -> tuple[str, ...]:
        """The word without accents, and without each ending that it may have."""
        word = _bare(word)
        longest = len(word) - _SHORTEST_STEM
        return (word, *(word[: -len(each)] for each in self.endings if word.endswith(each) and len(each) <= longest))

    def _shade(self, forms: tuple[str, ...]) -> str | None:
        """The colour of a compound such as "hellblau"."""
        rests = (form.removeprefix(shade) for shade in self.shades for form in forms if form.startswith(shade))
        return next((self.attributes[rest] for rest in rests if rest in self.attributes), None)


@cache
def lexicon_of(language: AnswerLanguage) -> Lexicon:
    """Reads the table of a language once per process."""
    table = language.table
    endings = tuple(sorted(dict.fromkeys(map(_bare, table["endings"])), key=len, reverse=True))
    by_phrase: dict[tuple[str, ...], str] = {(word,): FILLER for word in table["pronouns"].split()}
    by_phrase |= {(word,): ARTICLE for word in table["articles"].split()}
    attributes: dict[str, str] = {}
    for mark, phrases in table["phrases"].items():
        for phrase in listed(phrases):
            words = tuple(phrase.split())
            # A place is more than a filler in "im Inneren", and a denial more than what it denies.
            by_phrase[words] = mark
            if mark[0] == "=" and len(words) == 1:
                attributes[_bare(phrase)] = mark
    by_phrase |= {(word,): ONE for word in listed(table["ones"])}
    by_phrase |= {words: f"#{value}" for words, value in _numbers(language)}
    by_first: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for words, mark in by_phrase.items():
        by_first.setdefault(words[0], []).append((words, mark))
    phrases_by_first = {first: tuple(sorted(rows, key=lambda row: -len(row[0]))) for first, rows in by_first.items()}
    clauses: dict[str, str] = {}
    for mark, ways in table["clauses"].items():
        for phrase in listed(ways):
            clauses.setdefault(phrase, mark)  # "ah non" is a no before it is a correction
    shades = tuple(map(_bare, listed(table.get("shades", ""))))
    return Lexicon(phrases_by_first, attributes, clauses, endings, shades, table.get("last_words", {}))


def listed(phrases: str) -> list[str]:
    """The phrases of an entry of a table."""
    return [plain(phrase).strip() for phrase in phrases.split(",") if phrase.strip()]


def _numbers(language: AnswerLanguage) -> Iterator[tuple[tuple[str, ...], int]]:
    """The words for the numbers up to 99."""
    table = language.table
    below_20, tens = listed(table["numbers"]), listed(table["tens"])
    for value, word in enumerate(below_20):
        # "Ein" and "un" are articles as well, and have a mark of their own.
        if value != 1 or word not in listed(table["ones"]):
            yield tuple(word.split()), value
    for ten, word in enumerate(tens, 2):
        yield tuple(word.split()), ten * 10
    for (ten, word), (one, unit) in product(enumerate(tens, 2), enumerate(below_20[1:10], 1)):
        value = ten * 10 + one
        match language:
            case AnswerLanguage.GERMAN:
                yield (f"{'ein' if one == 1 else unit}und{word}",), value
            case AnswerLanguage.SPANISH:
                yield tuple(f"{word} y {unit}".split()), value
            case AnswerLanguage.FRENCH:
                # 71 is "soixante onze", so 70 and 90 count on from the ten before.
                base, rest = (tens[ten - 3], below_20[10 + one]) if word.endswith(" dix") else (word, unit)
                yield tuple(f"{base} {rest}".split()), value
                yield tuple(f"{base} et {rest}".split()), value
    # Spanish writes 21 to 29 in one word: "veintiuno".
    for value, word in enumerate(listed(table.get("twenties", "")), 21):
        yield (word,), value


def _bare(word: str) -> str:
    if word.isascii():
        return word
    return "".join(each for each in normalize("NFD", word.casefold()) if not combining(each))


@cache
def _kinds(language: AnswerLanguage) -> dict[str, str]:
    """The kinds of people, animals and the like by their nouns, most of which the translations give."""
    nouns = translated(next(code for code, name in LANGUAGES.items() if name.casefold() == language)).nouns
    found: dict[str, str] = {}
    for kind, names in toml_table(_SHARED)["kinds"].items():
        known = [noun for name, noun in nouns.items() if name in names.split()]
        words = [*(noun.one for noun in known), *(noun.many for noun in known)]
        found |= {_bare(plain(word)): kind for word in (kind, *words, *listed(language.table["kinds"].get(kind, "")))}
    return found


@lru_cache(maxsize=4096)
def kind_of(language: AnswerLanguage, noun: str) -> str:
    """The mark of what a noun is a kind of, "" if none is known.

    >>> kind_of(AnswerLanguage.SPANISH, "mujeres"), kind_of(AnswerLanguage.FRENCH, "banc")
    ('somebody', '')
    """
    kinds = _kinds(language)
    return next((kinds[form] for form in lexicon_of(language).forms(noun) if form in kinds), "") if noun else ""


def label_of(clause: Clause) -> str:
    """The noun of a clause that has only this, as the lines of a list begin: "Dogs: 2"; else ""."""
    marks = [mark for mark in clause.marks if mark not in (ARTICLE, ONE)]
    return marks[0] if len(marks) == 1 and is_noun(marks[0]) else ""


def with_labels(clauses: Sequence[Clause]) -> list[Clause]:
    """The clauses, "Dogs: 2" as "2 dogs"; no number is of the noun before one that is counted aloud."""
    found: list[Clause] = []
    # The last is followed by nothing.
    bare = [len(clause.marks) == 1 and clause.marks[0][0] == "#" for clause in clauses] + [False]
    for place, clause in enumerate(clauses):
        if bare[place] and not bare[place + 1] and found and (label := label_of(found[-1])):
            found[-1] = Clause(found[-1].words + clause.words, (*clause.marks, label), (*clause.firsts, label))
        else:
            found.append(clause)
    return found


def is_noun(mark: str) -> bool:
    """True of a mark that is a word as it is: a noun, or a verb that the tables do not have."""
    return mark[0] not in "=~#@" and not mark.isupper()


@cache
def _complements() -> frozenset[tuple[str, str]]:
    rows = [row.split() for row in toml_table(_SHARED)["complements"]]
    return frozenset(pair for one, other in rows for pair in ((one, other), (other, one)))


def is_complement(one: str, other: str) -> bool:
    """True if all is the one that is not the other, as open and closed."""
    return (one, other) in _complements()


@cache
def _exclusions() -> frozenset[tuple[str, str]]:
    table = toml_table(_SHARED)
    doubtful = {frozenset(pair.split()) for pair in table["doubtful"]}
    return frozenset(
        (one, other)
        for row in table["exclusive"]
        for one, other in product(row.split(), repeat=2)
        if one != other and frozenset((one, other)) not in doubtful
    )


def exclude(one: str, other: str) -> bool:
    """True if no thing is both, or is at both places.

    >>> exclude("=red", "=green"), exclude("left", "right"), exclude("=red", "=open")
    (True, True, False)
    """
    return (one, other) in _exclusions()


@cache
def materials() -> frozenset[str]:
    """The marks of what things are made of."""
    return frozenset(toml_table(_SHARED)["materials"].split())
