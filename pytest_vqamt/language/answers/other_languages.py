"""Answers in other languages: their language, what they say is there, and how many."""

from __future__ import annotations

import re
from functools import cache
from unicodedata import normalize

from pytest_vqamt.core.lazy_pattern import pattern_of
from pytest_vqamt.language.answers.foreign.forms import form_of, language_of
from pytest_vqamt.language.questions.free import QuestionForm, begins_as_question
from pytest_vqamt.language.tables import toml_table

_ONE_SENTENCE = pattern_of(r"\W*[^.!?;\n\u3002\u0964]+[.!\u3002\u0964]*\s*")
"""A sentence without another behind it, which might be about something else."""
_ENGLISH = pattern_of(r"\b(?:is|are|was|were|do|does|can|the|there)\b")
"""A word of an English question: "is there hay?"."""

_HAN = pattern_of("[\u3040-\u30ff\u4e00-\u9fff]")
"""Kana and Han characters."""
_NOT_NAMES = pattern_of(
    "[\u3040-\u309f\u5417\u55ce\u56fe\u7247\u4e2d\u91cc\u8fd9\u5f20\u753b\u50cf\u9762\u662f\u4e0d\u4e00\u53ea\u4e2a\u7684\u7167]|\\W|\\d"
)
"""Characters that name no thing: those for "picture", "is", "one" and the like."""
_PICTURES = pattern_of(
    r"(?<!\w)(?:imagen|foto\w*|imag\w*|bild\w*|gambar|photo|\u0438\u0437\u043e\u0431\u0440\u0430\u0436\w*"
    r"|\u043a\u0430\u0440\u0442\u0438\u043d\w*"
    r"|\u0627\u0644\u0635\u0648\u0631\u0629|\u0924\u0938\u094d\u0935\u0940\u0930|\u091b\u0935\u093f"
    r"|\u099b\u09ac\u09bf\S*|\u062a\u0635\u0648\u06cc\u0631)(?!\w)"
)
"""The picture: "en la imagen"."""
_DETERMINERS = pattern_of(
    r"(?:apak|eine|kein|irge|algu|alg\u00fa|ning|nenh|aucu|quel|sehe|visi|saya|\u0915\u094d\u092f\u093e"
    r"|\u092e\u0947\u0902|\u06a9\u06cc\u0627|\u0645\u06cc\u06ba|\u0987\u0932|(?:cette|diese[mnrs]?|esta|este"
    r"|solo|s\u00f3lo|genau|seulement|exactement)$)"
)
"""Beginnings of words that name no thing: "quelque", "diese"."""
_STEM = 4
"""The letters by which a word is the same in all its endings: "perro" and "perros"."""

_LAST_LATIN = "\u024f"
"""The end of Latin Extended-B: letters behind it are of another script."""
_ENGLISH_WORDS = frozenset(
    ["the", "is", "are", "was", "of", "this", "that", "it", "its", "and", "there", "i", "you", "see", "at"]
)
_FUNCTION_WORDS = tuple(
    frozenset(words.split())
    for words in (
        "el la los las un una hay est\u00e1 est\u00e1n imagen foto en del con que y es",
        "le la les un une des est sont dans du et avec sur il c l image",
        "der die das ist sind ein eine einen im auf und nicht mit bild auf dem",
        "o os a as um uma h\u00e1 s\u00e3o est\u00e1 est\u00e3o na no imagem foto com n\u00e3o em e",
        "il lo gli la un una \u00e8 sono nell della con immagine foto nella e",
        "ada di yang dan gambar foto ini dalam tidak sebuah",
        "bir ve bu resimde var yok g\u00f6r\u00fcn\u00fcyor de",
    )
)
"""Of Spanish, French, German, Portuguese, Italian, Indonesian and Turkish."""

_NO_NUMBER = pattern_of(r"\b(?:um|null)\b")
"""Numbers that English has as other words."""

_HOW_MANY = pattern_of("\u51e0|\u591a\u5c11")
"""Asks for a number in Mandarin."""
_YES_NO = pattern_of("[\u5417\u55ce]|\u6709\u6ca1\u6709|\u662f\u5426|\u662f\u4e0d\u662f")
"""Asks for yes or no in Mandarin."""

_DENIES = pattern_of("(?<!\u6709)\u6ca1|\u4e0d(?!\u662f)")
"""Denies in Mandarin."""

_NOT_EXACT = pattern_of(
    r"\d[.,:]\d|\d ?(?:m|cm|km|kg|%|h)\b"
    r"|\u5927\u7ea6|\u53ef\u80fd|\u81f3\u5c11|\u8d85\u8fc7|\u6216|\u7b2c|\u591a\u4e2a|\u51e0"
    r"|\u8bb8\u591a|\u5341[\u4e00-\u4e5d]"
)
"""Hedges, bounds, amounts, measures, and numbers above ten, which the table does not have."""
_IN_TOTAL = pattern_of("[\u5171\u603b]")
"""The last number is the sum in Mandarin."""


def there_in_another_language(question: str, answer: str) -> bool | None:
    """True if an answer says that what the question names is there, both in one language of ``yes_no_words.toml``.

    "Hay un perro" is no answer to "\u00bfHay un gato?". None if the question is English or denies, or the answer has
    several sentences.

    >>> there_in_another_language("\u00bfHay un perro?", "No veo ning\u00fan perro.")
    False
    """
    question, answer = (normalize("NFC", text).casefold().replace("\u2019", "'") for text in (question, answer))
    statement = _ONE_SENTENCE.fullmatch(answer)
    # A second sentence may take the first back or be about another thing.
    if statement is None or (question.isascii() and _ENGLISH.search(question)):
        return None
    said = set()
    # Several languages share words ("no", "in"), so all must say the same that say anything.
    for there, not_there in _phrases():
        asked = there.search(question)
        if asked is None or not_there.search(question):
            continue
        denied = not_there.search(answer) is not None
        if denied or there.search(answer):
            names = _names(there.sub(" ", question))
            named = _names(there.sub(" ", not_there.sub(" ", answer)))
            # A yes must name all that is asked for; a denial may name less, but nothing else.
            covers = bool(names and named) and (named <= names if denied else names <= named)
            said.add(not denied if covers else None)
    return said.pop() if len(said) == 1 else None


@cache
def _phrases() -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    rows = [row for row in toml_table("answers/yes_no_words.toml").values() if "there" in row]
    return tuple((_any_of(row["there"]), _any_of(row["not_there"])) for row in rows)


def _any_of(words: list[str]) -> re.Pattern[str]:
    """Finds the words; Han and kana are written without spaces, so they have no borders."""
    longest = sorted((normalize("NFC", word) for word in words), key=len, reverse=True)
    return re.compile(
        "|".join(re.escape(word) if _HAN.match(word) else rf"(?<!\w){re.escape(word)}(?!\w)" for word in longest)
    )


def _names(text: str) -> set[str]:
    """The words for things up to their endings, or their Han characters and kana.

    A yes must have all of the question's, and a denial none besides them.
    """
    text = _PICTURES.sub(" ", text)
    if _HAN.search(text):
        return set(_NOT_NAMES.sub("", text))
    words = re.split(r"[\s.,;:!?\u00bf\u00a1\u061f\u0964]+", text)
    return {
        word[:_STEM] for word in words if len(word) >= _STEM - (not word.isascii()) and not _DETERMINERS.match(word)
    }


def is_in_another_language(answer: str) -> bool:
    """True if an answer is not in English: by its script, or by two of the function words of one other language.

    >>> is_in_another_language("En la imagen hay un animal."), is_in_another_language("There is a chihuahua.")
    (True, False)
    """
    letters = [each for each in answer if each.isalpha()]
    if sum(each > _LAST_LATIN for each in letters) * 2 > len(letters):
        return True
    words = set(re.findall(r"[^\W\d_]+", normalize("NFC", answer).casefold()))
    return words.isdisjoint(_ENGLISH_WORDS) and any(len(words & each) > 1 for each in _FUNCTION_WORDS)


def number_in_another_language(answer: str) -> int | None:
    """The only number of a short sentence in another language, if it is a word of 0 to 10.

    >>> number_in_another_language("hay tres perros"), number_in_another_language("tres perros y dos gatos")
    (3, None)
    """
    answer = normalize("NFC", answer)
    read = set()
    for numbers, there in _numbers():
        found = list(numbers.finditer(answer))
        # In a sentence a number must stand beside a word for "there is"; one or two words are the number itself.
        short = len(answer.split()) <= 2 and not _NO_NUMBER.search(answer)
        if found and (short or there.search(answer) or _HAN.search(answer)):
            read.add(_value(found[0][0]) if len(found) == 1 else None)
    return read.pop() if len(read) == 1 else None


@cache
def _numbers() -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    rows = [row for row in toml_table("answers/yes_no_words.toml").values() if "numbers" in row]
    return tuple((_numbers_of(row["numbers"]), _any_of([*row["there"], *row["not_there"]])) for row in rows)


def _numbers_of(words: list[str]) -> re.Pattern[str]:
    if _HAN.match(words[1]):
        each = f"[{''.join(words)}\u4e24\u5169]"
        return re.compile(
            f"(?<![\u7b2c{each[1:-1]}]){each}(?=[\u53ea\u4e2a\u500b\u8f86\u53f0\u6761\u5f20\u628a\u5339\u5934\u4f4d\u540d\u672c\u68f5\u67b6\u8258\u6735\u5339\u982d\u4eba\u3064\u679a]|$)"
        )
    return _any_of(words)


def _value(word: str) -> int:
    # The two forms of "two" before a measure word; the table has the one for counting.
    if word in "\u4e24\u5169":
        return 2
    rows = (row.get("numbers", ()) for row in toml_table("answers/yes_no_words.toml").values())
    return next(value for row in rows for value, each in enumerate(row) if normalize("NFC", each) == word)


def form_in_another_language(question: str) -> QuestionForm | None:
    """The form of a German, French, Spanish or Chinese question for yes or no, or for a number; None of any other.

    >>> form_in_another_language("Wie viele Hunde gibt es?").name, form_in_another_language("Hat er einen Hut?").name
    ('COUNT', 'YES_NO')
    >>> form_in_another_language("Is there a dog?"), form_in_another_language("Ist der Hund braun oder weiss?")
    (None, None)
    """
    asked = normalize("NFC", question).strip()
    if begins_as_question(asked) or asked[-1:] not in ("?", "\uff1f"):
        return None
    if language := language_of(question):
        return form_of(language, question)
    if _HOW_MANY.search(asked):
        return QuestionForm.COUNT
    return QuestionForm.YES_NO if _YES_NO.search(asked) else None


def denies_in_mandarin(question: str) -> bool:
    """True of a question for yes or no in Mandarin that asks whether something is not so."""
    asked = normalize("NFC", question)
    return form_in_another_language(question) is QuestionForm.YES_NO and _DENIES.search(asked) is not None


def count_in_mandarin(question: str, answer: str) -> int | None:
    """The number that an answer in Mandarin gives to a question for one; None where it is not sure.

    >>> count_in_mandarin("\u56fe\u4e2d\u6709\u51e0\u53ea\u9e1f\uff1f", "\u56fe\u4e2d\u6709\u4e09\u53ea\u9e1f\u3002")
    3
    """
    question, answer = (normalize("NFC", text).casefold() for text in (question, answer))
    if _HOW_MANY.search(question) is None or _NOT_EXACT.search(answer):
        return None
    values = [
        int(word) if (word := found[0]).isdecimal() else _value(word)
        for found in _numbers_in_mandarin().finditer(answer)
    ]
    denied = _DENIES.search(answer) is not None
    if denied or not values:
        return 0 if denied and not values else None
    asked, named = _names(question), _names(answer)
    # The character for "one" is in many other words, so beside another name it counts nothing.
    if len(values) == 1 and (values[0] > 1 or not named or asked & named):
        return values[0]
    # Of several numbers only a sum that the answer calls one.
    return values[-1] if len(values) > 2 and values[-1] == sum(values[:-1]) and _IN_TOTAL.search(answer) else None


@cache
def _numbers_in_mandarin() -> re.Pattern[str]:
    words = toml_table("answers/yes_no_words.toml")["mandarin"]["numbers"]
    return re.compile(rf"\d+|{_numbers_of(words).pattern}")
