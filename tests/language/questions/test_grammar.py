"""Every template with every kind of thing, checked against the slips that people notice first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import pytest

from pytest_vqamt.core.meaning import Both, Choice, Either, Exists, groups_of
from pytest_vqamt.language.questions.templates import QuestionType, count, question
from tests.language.questions.filled import NAMED, Filled, fillings

FILLINGS = tuple(fillings())
NEGATABLE = (QuestionType.OBJECT, QuestionType.CONJUNCTION, QuestionType.DISJUNCTION)

VOWEL_BUT_A = ("uniform", "unicorn", "utensil", "european", "one")
CONSONANT_BUT_AN = ("hour", "SUV", "x-ray")

ABOUT_THE_PICTURE = re.compile(
    r"\bis it true\b|\bdo you\b|\bdoes it (?:look like|seem)\b|\bdoes (?:the|this) (?:picture|photo|image)(?: have)?\b"
    r"|\bwhat is the (?:\w+) of\b",
    re.IGNORECASE,
)
OF_ANY_NUMBER = re.compile(r"^are there (?:any|no) [^?]* visible in the image\?$", re.IGNORECASE)
"""The one frame whose verb is in the plural of a thing that is named in the singular."""


def asked(filled: Filled) -> Iterator[str]:
    """The question in each template, and its negated partner in each."""
    type_ = filled.asking.type
    for template in range(count(type_, related=bool(groups_of(filled.asking.meaning)[0].related))):
        yield question(filled.asking, template).text
        if type_ in NEGATABLE:
            yield question(filled.asking, template, negated=True).text


QUESTIONS = tuple((filled, tuple(asked(filled))) for filled in FILLINGS)
TEXTS = tuple(text for _, texts in QUESTIONS for text in texts)


def test_there_are_many() -> None:
    assert len(TEXTS) > 10_000


def test_a_question_is_one_sentence() -> None:
    wrong = [text for text in TEXTS if not re.fullmatch(r"[A-Z][^?.!]*[^\s,:]\?", text) or "  " in text or " ," in text]
    assert wrong == []


def test_no_word_is_said_twice() -> None:
    assert [text for text in TEXTS if re.search(r"\b([\w-]+) \1\b", text, re.IGNORECASE)] == []


def test_no_slot_is_left() -> None:
    assert [text for text in TEXTS if re.search(r"[{}_]", text)] == []


def test_articles_go_by_sound() -> None:
    wrong = []
    for text in TEXTS:
        for article, word in re.findall(r"\b(an?) ([\w-]+)", text):
            by_letter = "an" if word[0].lower() in "aeiou" else "a"
            expected = "a" if word in VOWEL_BUT_A else "an" if word in CONSONANT_BUT_AN else by_letter
            if article != expected:
                wrong.append(text)
    assert wrong == []


def test_plurals_and_masses_have_no_article() -> None:
    bare = "|".join(re.escape(named.one) for named in NAMED if not named.one.startswith(("a ", "an ")))
    slip = re.compile(rf"\b(?:an?|one) (?:{bare})\b(?! hand| glass| bus)")
    assert [text for text in TEXTS if slip.search(text)] == []


def test_no_article_follows_another_or_a_negator() -> None:
    slip = re.compile(r"\b(?:an?|the|any|no|this) (?:an?|the|any|no|this)\b")
    assert [text for text in TEXTS if slip.search(text)] == []


def test_verbs_agree() -> None:
    wrong = []
    for filled, texts in QUESTIONS:
        slips = re.compile(r"\b(?:is|does|has|belongs)\b" if filled.many else r"\b(?:are|do|have|belong)\b", re.I)
        wrong += [
            text for text in texts if slips.search(ABOUT_THE_PICTURE.sub(" ", text)) and not OF_ANY_NUMBER.match(text)
        ]
    assert wrong == []


def test_who_is_for_people_and_that_for_things() -> None:
    people = r"(?:man|people|children|person)(?: playing tennis)?"
    person = re.compile(rf"\b{people} who\b|\bwho (?:is|has|belongs)\b(?=.*, a man or a woman)", re.IGNORECASE)
    wrong = [text for text in TEXTS if re.search(rf"\b{people} that (?:is|are|has|have)\b", text)]
    wrong += [text for text in TEXTS if re.search(r"\bwho\b", text, re.IGNORECASE) and not person.search(text)]
    assert wrong == []
    assert any(" who is " in text for text in TEXTS)
    assert any(" that is " in text for text in TEXTS)


def test_either_is_said_once_and_comes_with_or() -> None:
    assert [text for text in TEXTS if text.count("either") > 1 or text.count("both") > 1] == []
    assert [text for text in TEXTS if "either" in text and " or " not in text] == []
    assert [text for text in TEXTS if "both" in text and " and " not in text] == []


@pytest.mark.parametrize("negated", [False, True])
def test_each_thing_is_named_once(negated: bool) -> None:
    words = {named.group: named.one for named in NAMED}
    for filled in FILLINGS:
        match filled.asking.meaning:
            case Both(groups=groups) | Either(groups=groups):
                pass
            case Exists(group=group) if group in words:
                groups = (group,)
            case _:
                continue
        for template in range(count(filled.asking.type, related=False)):
            text = question(filled.asking, template, negated=negated).text
            for group in groups:
                named = words[group].removeprefix("an ").removeprefix("a ")
                others = named.replace(group.name, _plural(group.name))
                assert len(re.findall(rf"\b(?:{named}|{others})\b", text, re.IGNORECASE)) == 1, text
            assert text.count(" no ") == (len(groups) if negated else 0), text


def _plural(name: str) -> str:
    irregular = {"man": "men", "glass of water": "glasses of water", "wine glass": "wine glasses", "bus": "buses"}
    return irregular.get(name, f"{name}s")


def test_a_choice_names_all_its_options_last() -> None:
    for filled, texts in QUESTIONS:
        if not isinstance(filled.asking.meaning, Choice):
            continue
        options = [re.escape(option) for option in filled.asking.meaning.options]
        article = "(?:an? )?"
        listed = rf"{f', {article}'.join(options[:-1])} or {article}{options[-1]}\?$"
        assert [text for text in texts if not re.search(listed, text)] == []


def test_no_two_templates_give_the_same_text() -> None:
    for _, texts in QUESTIONS:
        positive = Counter(texts)
        assert [text for text, times in positive.items() if times > 1] == []
