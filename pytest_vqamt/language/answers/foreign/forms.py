"""The language and the form of a question, and the part of an answer in that language that is read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from pytest_vqamt.core.lazy_pattern import pattern_of
from pytest_vqamt.language.answers.answer_text import MAX_CHARS, Prepared, Unreadable, UnreadableAnswer, prepare
from pytest_vqamt.language.answers.final import final_part, first_reply, read_json
from pytest_vqamt.language.answers.foreign.gloss import LOOK, AnswerLanguage, Clause, glossed, lexicon_of, listed, plain
from pytest_vqamt.language.english.nouns import NUMBER_WORDS
from pytest_vqamt.language.questions.free import QuestionForm, begins_as_question
from pytest_vqamt.language.tables import toml_table
from pytest_vqamt.language.translations.translated import ANSWER_IN_ENGLISH

_WORD = pattern_of(r"[^\W\d_]+")
_INVERTED = pattern_of(r"\b(?:est-ce\b|\w+-(?:t-)?(?:il|elle|ils|elles|on|vous|tu)\b)")
"""A French question by the place of its pronoun: "pleut-il ?"."""

_MARKUP = pattern_of(r"[*`#\"\u201e\u201c\u201d\u00ab\u00bb\[\]{}$\\]")
"""Signs of Markdown, LaTeX and quotes: "ich bin mir *nicht* sicher"."""

_BUT = pattern_of(r"\b(?:aber|jedoch|allerdings|mais|cependant|toutefois|pero|sin embargo)\b")
"""Takes a refusal back: "schwer zu sagen, aber es gibt einen Hund"."""

_NO_ANSWER = (Unreadable.SEES_NOTHING, Unreadable.REFUSAL, Unreadable.UNSURE)
_LETTERS = "ABCDEFGH"
_LETTER = pattern_of(r"(?<![\w'])\(?([A-H])(?:\)|(?![\w'-]| (?:la|el|los|las|un|una|mi|su|lo|simple)\b))")
"""No letter is the preposition of "A la derecha"."""
_FIRST = 9001
"""The number that stands for the first letter in a gloss."""


@lru_cache(maxsize=4096)
def language_of(question: str) -> AnswerLanguage | None:
    """The language of a question, by its function words; None for English and all others.

    >>> language_of("Brennt die Kerze?"), language_of("Does the candle burn?"), language_of("A vela est\u00e1 acesa?")
    (<AnswerLanguage.GERMAN: 'german'>, None, None)
    """
    asked = plain(question.partition("\n")[0])
    # Questions of lang.switch want their answer in English, and English readers read it.
    if "?" not in question or question.endswith(ANSWER_IN_ENGLISH) or begins_as_question(asked):
        return None
    words = _WORD.findall(asked)
    # Words of English questions that these languages do not have ("there", "what").
    if not _english("words").isdisjoint(words):
        return None
    # Only Spanish has the mark, and short questions have too few function words to count.
    if asked.lstrip("\"' ").startswith("\u00bf"):
        return AnswerLanguage.SPANISH
    if _INVERTED.search(asked):
        return AnswerLanguage.FRENCH
    scores = {language: sum(word in each for word in words) for language, each in _function_words().items()}
    best = max(scores.values())
    likely = [language for language, score in scores.items() if score == best]
    known = [language for language in likely if isinstance(language, AnswerLanguage)]
    # Languages share function words ("la", "un"), so the words of their tables decide a tie.
    if len(likely) > 1 and known:
        scores = {language: sum(word in lexicon_of(language).phrases for word in words) for language in known}
        likely = [language for language in known if scores[language] == max(scores.values()) > best]
    return likely[0] if best and len(likely) == 1 and isinstance(likely[0], AnswerLanguage) else None


@cache
def _function_words() -> dict[AnswerLanguage | str, frozenset[str]]:
    """Function words by language; of Portuguese and Italian, too, which share many with Spanish and French."""
    others = toml_table("answers/foreign/shared.toml")["other_languages"]
    texts = {**others, **{language: language.table["function_words"] for language in AnswerLanguage}}
    return {language: frozenset(plain(text).split()) for language, text in texts.items()}


@lru_cache(maxsize=4096)
def form_of(language: AnswerLanguage, question: str) -> QuestionForm | None:
    """The form of a question that is for yes or no, or for a number; None of any other.

    >>> form_of(AnswerLanguage.FRENCH, "Y a-t-il plus de tasses que d'assiettes ?").name
    'YES_NO'
    >>> form_of(AnswerLanguage.GERMAN, "Ist der Hund braun oder weiss?") is None
    True
    """
    first_line = question.partition("\n")[0]
    asked = " ".join(_WORD.findall(plain(first_line.partition("?")[0])))
    table = language.table
    if any(f" {way} " in f" {asked} " for way in listed(table["how_many"])):
        return QuestionForm.COUNT
    if _asks_for_more(language).search(asked) or "?" not in first_line:
        return None
    # "Is there a dog or a cat?" is for yes or no, "is it brown or white?" for one of both.
    offers = any("OR" in clause.marks for clause in glossed(language, first_line))
    return None if offers and not asks_for_presence(language, question) else QuestionForm.YES_NO


@cache
def _asks_for_more(language: AnswerLanguage) -> re.Pattern[str]:
    table = language.table
    ways, before = ("|".join(map(re.escape, listed(table[key]))) for key in ("open", "prepositions_before_open"))
    # "Was" and "que" ask at the beginning only; "\u00bfD\u00f3nde?" and requests to describe something do so anywhere.
    anywhere = [way for way in listed(table["open"]) if not way.isascii() or way.startswith(("quel", "welch"))]
    certain = "|".join(map(re.escape, [*anywhere, *listed(table["requests"])]))
    return re.compile(rf"^(?:(?:y|et|und) )?(?:(?:{before}) )?(?:{ways})\b|\b(?:{certain})\b")


def asks_for_presence(language: AnswerLanguage, question: str) -> bool:
    """True of a question that asks whether something is there, or can be seen."""
    asked = f" {' '.join(_WORD.findall(plain(question)))} "
    return any(f" {way} " in asked for way in listed(language.table["presence"]))


def is_english(language: AnswerLanguage, answer: str | Prepared) -> bool:
    """True if the words of an answer are English ones: models answer foreign questions in English, too.

    >>> is_english(AnswerLanguage.GERMAN, "No, two dogs."), is_english(AnswerLanguage.SPANISH, "No, dos perros.")
    (True, False)
    """
    words = _WORD.findall(prepare(answer).said.casefold())
    known = _english("words") | _english("answers") | {*NUMBER_WORDS} - {"six"}  # the French have "six" as well
    # "No" begins answers in Spanish as well, so there it decides nothing.
    return not known.isdisjoint(words) or (language is not AnswerLanguage.SPANISH and words[:1] == ["no"])


@cache
def _english(kind: str) -> frozenset[str]:
    return frozenset(toml_table("answers/foreign/shared.toml")["english"][kind].split())


def answer_proper(language: AnswerLanguage, answer: str | Prepared, question: str = "") -> str | UnreadableAnswer:
    r"""The part of an answer that is read, behind a repeated question and the last heading; or why there is none.

    >>> answer_proper(AnswerLanguage.SPANISH, "Veo dos.\n**Respuesta final:** dos")
    'dos'
    >>> answer_proper(AnswerLanguage.SPANISH, "Lo siento, no puedo ver la imagen.").reason.value
    'sees nothing'
    """
    prepared = prepare(answer)
    if not prepared.said and prepared.unreadable:
        return prepared.unreadable
    said = prepared.said.lstrip()
    if question and said.startswith(question) and _WORD.search(said, len(question)):
        said = said[len(question) :]
    # The parser of completions knows English headings only.
    reply = first_reply(_heading(language).sub(_in_english, said))
    if reply.is_question:
        return UnreadableAnswer(Unreadable.QUESTION)
    text = reply.text
    field = read_json(text, tuple(listed(language.table["headings"]["answer"]))) if "{" in text else None
    text = _MARKUP.sub("", final_part(text) if field is None else field).strip()[:MAX_CHARS]
    if not _WORD.search(text) and not any(map(str.isdecimal, text)):
        return UnreadableAnswer(Unreadable.EMPTY)
    said = plain(text)
    for reason, pattern in _no_answer(language).items():
        if found := pattern.search(said):
            # "It is hard to say, but there is a dog" answers behind the "but".
            rest = _BUT.split(said[found.end() :], maxsplit=1)
            if len(rest) < 2 or pattern.search(rest[1]):
                return UnreadableAnswer(reason)
            return rest[1]
    return text


@cache
def _heading(language: AnswerLanguage) -> re.Pattern[str]:
    ways = {
        kind: "|".join(map(re.escape, sorted(listed(each), key=len, reverse=True)))
        for kind, each in language.table["headings"].items()
    }
    either = "|".join(f"(?P<{kind}>{each})" for kind, each in ways.items())
    return re.compile(
        rf"(?:(?<=^)|(?<=[\n.!?*#])|(?<=[\n.!?*#] ))(?:{either})(?P<end>\*{{0,3}} ?[:\uff1a]|\*{{0,3}}\n)",
        re.IGNORECASE,
    )


def _in_english(found: re.Match[str]) -> str:
    kind = next(kind for kind in ("question", "answer", "conclusion", "explanation") if found[kind])
    return f"{kind.capitalize()}{found['end'].replace(' ', '')}"


@cache
def _no_answer(language: AnswerLanguage) -> dict[Unreadable, re.Pattern[str]]:
    table = language.table["no_answer"]
    kinds = {"sees_nothing": Unreadable.SEES_NOTHING, "refusal": Unreadable.REFUSAL, "unsure": Unreadable.UNSURE}
    return {reason: re.compile("|".join(table[kind])) for kind, reason in kinds.items()}


def after_corrections(language: AnswerLanguage, clauses: Sequence[Clause]) -> list[Clause]:
    """The clauses that the answer does not take back ("wait, ..."); "ah, no" is an answer as well."""
    known, corrections = lexicon_of(language).clauses, _corrections(language)
    kept: list[Clause] = []
    before: list[Clause] = []
    corrected = False
    for clause in clauses:
        corrects = clause.said in corrections or LOOK in clause.marks
        # Several words of correction in a row ("wait, no") take back once.
        if corrects and not corrected:
            before, kept = kept or before, []
        corrected = corrects
        # "No" both corrects and answers, and stays as an answer.
        if not corrects or known.get(clause.said, "CORRECT") != "CORRECT":
            kept.append(clause)
    return kept or before


@cache
def _corrections(language: AnswerLanguage) -> frozenset[str]:
    return frozenset(listed(language.table["clauses"]["CORRECT"]))


def read_choice(
    language: AnswerLanguage, answer: str | Prepared, options: tuple[str, ...]
) -> str | UnreadableAnswer | None:
    """The one option that the answer affirms and does not deny; None if it names none, or several.

    >>> options = ("arroz", "pescado", "fruta")
    >>> read_choice(AnswerLanguage.SPANISH, "No es ni A ni C; la respuesta correcta es la B.", options)
    'pescado'
    >>> read_choice(AnswerLanguage.GERMAN, "Sie ist nicht leer, sondern voll.", ("leer", "voll"))
    'voll'
    """
    text = answer_proper(language, answer)
    if isinstance(text, UnreadableAnswer):
        return text if text.reason in _NO_ANSWER else None
    # Letters are written as numbers that no answer counts, since a gloss keeps numbers apart from words.
    letters = {f"#{_FIRST + place}": place for place in range(min(len(options), len(_LETTERS)))}
    offered = ", ".join(options)
    by_letter = _affirmed(language, _LETTER.sub(_numbered, text), letters, offered)
    names = {name: place for place, option in enumerate(options) if (name := _name(language, option))}
    # If one option has no name, an answer may mean it by words that look like another.
    by_name = _affirmed(language, text, names, offered) if len(names) == len(options) else None
    if by_letter is not None and by_name not in (None, by_letter):
        return UnreadableAnswer(Unreadable.SEVERAL_OPTIONS)
    chosen = by_name if by_letter is None else by_letter
    return None if chosen is None else options[chosen]


def _numbered(found: re.Match[str]) -> str:
    return f" {_FIRST + _LETTERS.index(found[1])} "


def _name(language: AnswerLanguage, option: str) -> str:
    """The only mark of the option that says something, "" if it has others."""
    marks = [
        mark for clause in glossed(language, option) for mark in clause.marks if not mark.isupper() and mark != "#1?"
    ]
    return marks[0] if len(marks) == 1 else ""


def _affirmed(language: AnswerLanguage, text: str, names: dict[str, int], offered: str) -> int | None:
    """The only option that a clause names and none denies; a doubt chooses none."""
    affirmed: set[int] = set()
    denied: set[int] = set()
    for clause in after_corrections(language, glossed(language, text, offered)):
        named = {names[mark] for mark in clause.marks if mark in names}
        if named and {"MAYBE", "IF", "OR"} & set(clause.marks):
            return None
        (denied if {"NOT", "NONE", "NO", "NEITHER"} & set(clause.marks) else affirmed).update(named)
    affirmed -= denied
    return affirmed.pop() if len(affirmed) == 1 else None
