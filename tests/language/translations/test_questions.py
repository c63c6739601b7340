"""Questions in other languages: each is read back by a reader with a dictionary and grammar of its own."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import pytest

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.meaning import Choice, Count, Exists
from pytest_vqamt.data.coco import COCO_CLASSES
from pytest_vqamt.language.english.nouns import is_countable
from pytest_vqamt.language.questions.free import QuestionForm, form_of
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.language.translations.translated import ANSWER_IN_ENGLISH, LANGUAGES, language
from pytest_vqamt.picture_world.looks import NAMES
from tests.language.translations.reader import Reading, names, read

COUNTABLE = {name for name in {*COCO_CLASSES, *NAMES} if is_countable(name)}
each_language = pytest.mark.parametrize("code", LANGUAGES)


def questions(code: str) -> Iterator[tuple[str, str, tuple[str, ...], Question]]:
    """Every wording with every noun: kind, name, colours, question. Of colours each is there with the next two."""
    other = language(code)
    colours = [
        pair for pair in combinations(other.colours, 2) if abs(_place(pair[0], code) - _place(pair[1], code)) < 3
    ]
    for name in other.nouns:
        for wording in range(len(other.wordings["exists"])):
            yield "exists", name, (), other.exists(name, wording)
        for wording in range(len(other.wordings["count"])):
            yield "count", name, (), other.count(name, wording)
        for wording in range(len(other.wordings["choice"])):
            pair = colours[(len(name) + wording) % len(colours)]
            yield "choice", name, pair, other.choice(name, pair, wording)


def _place(colour: str, code: str) -> int:
    return list(language(code).colours).index(colour)


@each_language
def test_every_question_is_read_back(code: str) -> None:
    for kind, name, colours, question in questions(code):
        found = read(question.text, code)
        assert (found.kind, found.colours) == (kind, colours), question.text
        assert name in found.names, question.text
        assert len(found.names) == 1 or found.names == {"tv", "television"}, question.text


@each_language
def test_the_meaning_is_what_is_asked(code: str) -> None:
    for kind, name, colours, question in questions(code):
        match question.meaning:
            case Exists(group=group):
                assert (kind, group.name) == ("exists", name)
            case Count(groups=(group,)):
                assert (kind, group.name) == ("count", name)
            case Choice(what=group, options=options):
                assert (kind, group.name, options) == ("choice", name, colours)
            case other:
                pytest.fail(str(other))


@each_language
def test_the_dictionary_of_the_reader_has_the_same_names(code: str) -> None:
    assert names(code) == set(language(code).nouns)


@each_language
def test_every_countable_name_has_a_noun_or_a_reason_to_have_none(code: str) -> None:
    other = language(code)
    assert {*other.nouns, *other.left_out} == COUNTABLE
    assert not {*other.nouns} & {*other.left_out}
    assert all(other.left_out.values())
    assert {*other.beside} <= {*other.nouns}


@each_language
def test_no_text_asks_two_things(code: str) -> None:
    texts: dict[str, tuple[str, str, tuple[str, ...]]] = {}
    for kind, name, colours, question in questions(code):
        asked = (kind, name.replace("television", "tv"), colours)
        assert texts.setdefault(question.text, asked) == asked, question.text


@each_language
def test_there_are_four_wordings_or_more_of_each_kind(code: str) -> None:
    for kind, texts in language(code).wordings.items():
        assert len({*texts}) == len(texts) >= 4, kind


@each_language
def test_the_form_of_the_answer_is_known(code: str) -> None:
    forms = {"exists": QuestionForm.YES_NO, "count": QuestionForm.COUNT, "choice": QuestionForm.CHOICE}
    for kind, _, _, question in questions(code):
        assert question.text.endswith(f" {ANSWER_IN_ENGLISH}")
        assert form_of(question.text) is forms[kind], question.text


@each_language
def test_colours_are_those_of_the_english_questions(code: str) -> None:
    assert list(language(code).colours) == [
        "red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "black", "white", "gray"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("de", "Gibt es auf dem Bild ein Hund? Answer in English."),
        ("de", "Gibt es auf dem Bild einen Elefant? Answer in English."),
        ("de", "Wie viele Hund zeigt das Bild? Answer in English."),
        ("de", "Gibt es auf dem Bild einen Hund?"),
        ("fr", "Combien de éléphants y a-t-il sur l'image ? Answer in English."),
        ("fr", "La voiture sur l'image est-il bleu ou vert ? Answer in English."),
        ("fr", "La voiture sur l'image est-elle bleu ou vert ? Answer in English."),
        ("es", "¿Cuántos personas hay en la imagen? Answer in English."),
        ("es", "¿Hay una ave en la imagen? Answer in English."),
        ("pt", "Quantos pessoas há na imagem? Answer in English."),
        ("pt", "Quantas pessoas podem ser vistos na imagem? Answer in English."),
        ("zh", "图中有几个狗\uff1f Answer in English."),
        ("ja", "画像の中に犬は何匹ありますか。 Answer in English."),
        ("ja", "画像の中に犬は何台いますか。 Answer in English."),
    ],
)
def test_the_reader_takes_no_wrong_form(code: str, text: str) -> None:
    with pytest.raises(ValueError, match="expected a question with one reading"):
        read(text, code)


def test_the_reader_takes_the_right_forms() -> None:
    assert read("¿Hay un ave en la imagen? Answer in English.", "es") == Reading("exists", frozenset({"bird"}))
    assert read("图中有几只狗\uff1f Answer in English.", "zh") == Reading("count", frozenset({"dog"}))


@pytest.mark.parametrize(
    ("code", "name", "others", "clear"),
    [
        ("zh", "horse", {"zebra"}, False),
        ("zh", "zebra", {"horse"}, True),
        ("zh", "person", {"robot"}, False),
        ("ja", "table", {"dining table"}, False),
        ("de", "bear", {"teddy bear"}, False),
        ("de", "tv", {"television"}, False),
        ("de", "dog", {"cat", "dog", "spaceship"}, True),
        ("de", "chair", set(), False),
        ("de", "car", {"truck"}, False),  # a pickup is an Auto
        ("ja", "car", {"truck"}, True),
    ],
)
def test_a_name_is_clear_where_nothing_else_goes_by_its_noun(
    code: str, name: str, others: set[str], clear: bool
) -> None:
    assert language(code).is_clear(name, others) is clear


def test_what_cannot_be_asked_is_one_line() -> None:
    with pytest.raises(VqamtError, match="Expected a language of de, fr, es, zh, ja, pt, but got code='it'"):
        language("it")
    with pytest.raises(VqamtError, match="Expected a name with a noun in this language, but got name='chair'"):
        language("de").count("chair")
    with pytest.raises(VqamtError, match="Expected a wording from 0 to 4, but got wording=5"):
        language("de").exists("dog", 5)
    for colours in (("red",), ("red", "beige"), ("red", "blue", "green")):
        with pytest.raises(VqamtError, match="Expected two colours, each of red, "):
            language("de").choice("dog", colours)
