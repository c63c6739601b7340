"""Answers in other languages: whether an answer is in one, that something is there or not, and how many there are."""

from __future__ import annotations

import re
from functools import cache
from unicodedata import normalize

from pytest_vqamt.language.answers.foreign.forms import form_of, language_of
from pytest_vqamt.language.questions.form import QuestionForm, begins_as_question
from pytest_vqamt.language.tables import toml_table


def there_in_another_language(question: str, answer: str) -> bool | None:
    """Whether an answer says that what the question names is there, both in one language of ``yes_no_words.toml``.

    "Hay un perro" is no answer to "\u00bfHay un gato?". None if the question is English or denies, or the answer has
    several sentences.

    >>> there_in_another_language("\u00bfHay un perro?", "No veo ning\u00fan perro.")
    False
    """
    question, answer = (normalize("NFC", text).casefold().replace("\u2019", "'") for text in (question, answer))
    statement = _ONE_SENTENCE.fullmatch(answer)
    if statement is None or (question.isascii() and _ENGLISH.search(question)):
        return None
    said = set()
    for there, not_there in _phrases():
        asked = there.search(question)
        if asked is None or not_there.search(question):
            continue
        denied = not_there.search(answer) is not None
        if denied or there.search(answer):
            names = _names(there.sub(" ", question))
            named = _names(there.sub(" ", not_there.sub(" ", answer)))
            covers = bool(names and named) and (named <= names if denied else names <= named)
            said.add(not denied if covers else None)
    return said.pop() if len(said) == 1 else None


_ONE_SENTENCE = re.compile(r"\W*[^.!?;\n\u3002\u0964]+[.!\u3002\u0964]*\s*")
_ENGLISH = re.compile(r"\b(?:is|are|was|were|do|does|can|the|there)\b")


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


_HAN = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")
_NOT_NAMES = re.compile(
    "[\u3040-\u309f\u5417\u55ce\u56fe\u7247\u4e2d\u91cc\u8fd9\u5f20\u753b\u50cf\u9762\u662f\u4e0d\u4e00\u53ea\u4e2a\u7684\u7167]|\\W|\\d"
)
_PICTURES = re.compile(
    r"(?<!\w)(?:imagen|foto\w*|imag\w*|bild\w*|gambar|photo|\u0438\u0437\u043e\u0431\u0440\u0430\u0436\w*"
    r"|\u043a\u0430\u0440\u0442\u0438\u043d\w*"
    r"|\u0627\u0644\u0635\u0648\u0631\u0629|\u0924\u0938\u094d\u0935\u0940\u0930|\u091b\u0935\u093f"
    r"|\u099b\u09ac\u09bf\S*|\u062a\u0635\u0648\u06cc\u0631)(?!\w)"
)
_DETERMINERS = re.compile(
    r"(?:apak|eine|kein|irge|algu|alg\u00fa|ning|nenh|aucu|quel|sehe|visi|saya|\u0915\u094d\u092f\u093e"
    r"|\u092e\u0947\u0902|\u06a9\u06cc\u0627|\u0645\u06cc\u06ba|\u0987\u0932|(?:cette|diese[mnrs]?|esta|este"
    r"|solo|s\u00f3lo|genau|seulement|exactement)$)"
)
_STEM = 4


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
    """Whether an answer is not in English: by its script, or by two of the function words of one other language.

    >>> is_in_another_language("En la imagen hay un animal."), is_in_another_language("There is a chihuahua.")
    (True, False)
    """
    letters = [each for each in answer if each.isalpha()]
    if sum(each > _LAST_LATIN for each in letters) * 2 > len(letters):
        return True
    words = set(re.findall(r"[^\W\d_]+", normalize("NFC", answer).casefold()))
    return words.isdisjoint(_ENGLISH_WORDS) and any(len(words & each) > 1 for each in _FUNCTION_WORDS)


_LAST_LATIN = "\u024f"
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


def number_in_another_language(answer: str) -> int | None:
    """The only number of a short sentence in another language, if it is a word of 0 to 10.

    >>> number_in_another_language("hay tres perros"), number_in_another_language("tres perros y dos gatos")
    (3, None)
    """
    answer = normalize("NFC", answer)
    read = set()
    for numbers, there in _numbers():
        found = list(numbers.finditer(answer))
        short = len(answer.split()) <= 2 and not _NO_NUMBER.search(answer)
        if found and (short or there.search(answer) or _HAN.search(answer)):
            read.add(_value(found[0][0]) if len(found) == 1 else None)
    return read.pop() if len(read) == 1 else None


_NO_NUMBER = re.compile(r"\b(?:um|null)\b")
"""Numbers that English has as other words."""


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
    asked = normalize("NFC", question).casefold().replace("\u2019", "'").strip()
    if begins_as_question(asked) or asked[-1:] not in ("?", "\uff1f"):
        return None
    if language := language_of(question):
        return form_of(language, question)
    if _language_of_count(asked):
        return QuestionForm.COUNT
    return QuestionForm.YES_NO if _YES_NO.search(asked) and not _OPEN.search(asked) else None


_YES_NO = re.compile(
    r"^(?:ist|sind|gibt es|gibt's|steh(?:t|en)|lieg(?:t|en)|sitz(?:t|en)|h\u00e4ng(?:t|en)|hat|haben|kann"
    r"|k\u00f6nnen|tr\u00e4gt"
    r"|tragen|siehst|sieht|sehen|zeigt|enth\u00e4lt|befinde[tn]|wird|werden|h\u00e4lt|spiel(?:t|en)) "
    r"|\b(?:y a-t-il|est-ce qu|\w+-(?:t-)?(?:il|elle|ils|elles|on|vous|tu|ce)\b)|^\u00bf|[\u5417\u55ce]"
    r"|\u6709\u6ca1\u6709|\u662f\u5426|\u662f\u4e0d\u662f"
)
_OPEN = re.compile(
    r"\b(?:oder|ou|o|wie|was|welche\w*|wer|wo|warum|quel\w*|que|qui|comment|o\u00f9|pourquoi|qu'est|qu\u00e9"
    r"|cu\u00e1l\w*|qui\u00e9n\w*"
    r"|c\u00f3mo|d\u00f3nde|cu\u00e1ndo)\b(?<!est-ce que)|\u8fd8\u662f|\u4ec0\u4e48|\u8c01|\u54ea"
)
"""What is asked for besides yes or no, and alternatives."""


def denies_in_another_language(question: str) -> bool:
    """Whether a question of one of these languages asks that something is not so."""
    asked = normalize("NFC", question).casefold()
    return form_in_another_language(question) is QuestionForm.YES_NO and _DENIES.search(asked) is not None


_DENIES = re.compile(
    r"\b(?:kein\w*|nicht|niemand|aucune?|pas|personne|ning[u\u00fa]n[oa]?|no|nadie)\b|(?<!\u6709)\u6ca1"
    r"|\u4e0d(?!\u662f)"
)
CONTRADICTS = re.compile(r"\W*(?:doch|si|mais si|que si)\b(?=\s*(?:[,.!;:]|$))", re.IGNORECASE)
"""Says that what a question denies is so."""


def count_in_another_language(question: str, answer: str) -> int | None:
    """The number that an answer to a question for one gives in its language; None where it is not sure.

    >>> count_in_another_language("Wie viele Schiffe liegen im Hafen?", "Im Hafen liegen drei Schiffe.")
    3
    >>> ask = "Combien de verres voyez-vous ?"
    >>> count_in_another_language(ask, "Deux verres \u00e0 gauche et deux \u00e0 droite, soit quatre verres au total.")
    4
    >>> count_in_another_language(ask, "Deux ou trois verres."), count_in_another_language(ask, "Je vois un chat.")
    (None, None)
    """
    question, answer = (normalize("NFC", text).casefold() for text in (question, answer))
    language = _language_of_count(question)
    if language is None or _NOT_EXACT.search(answer):
        return None
    values = [_number_of(language, found[0]) for found in _numbers_in(language).finditer(answer)]
    denied = _DENIES.search(answer) is not None
    if denied or not values:
        return 0 if denied and not values else None
    asked, named = _names(question), _names(answer)
    if len(values) == 1 and (values[0] > 1 or not named or asked & named):
        return values[0]
    return values[-1] if len(values) > 2 and values[-1] == sum(values[:-1]) and _IN_TOTAL.search(answer) else None


_LANGUAGES = {
    "german": (r"\bwie viele\b", "ein eine einen"),
    "french": (r"\bcombien\b", "un une"),
    "spanish": (r"\bcu[a\u00e1]nt[oa]s\b", "un una"),
    "mandarin": ("\u51e0|\u591a\u5c11", ""),
}
"""How each asks for a number, and its articles, which are the number one as well."""
_NOT_EXACT = re.compile(
    r"\d[.,:]\d|\d ?(?:m|cm|kg|%|h|uhr)\b|\b(?:vielleicht|etwa|ungef\u00e4hr|mindestens|h\u00f6chstens"
    r"|mehr als|weniger als|oder|\w+zehn"
    r"|elf|zw\u00f6lf|\w*zig|hundert|gruppe|paar|dutzend|viele|einige|mehrere|peut-\u00eatre|environ|au moins"
    r"|plus de|moins de|ou|onze|douze"
    r"|treize|quatorze|quinze|seize|vingt\w*|trente|groupe|paire|douzaine|plusieurs|quelques|beaucoup"
    r"|quiz\u00e1s?|tal vez|unos|unas"
    r"|al menos|m\u00e1s de|menos de|o|once|doce|trece|catorce|quince|veinti?\w*|treinta|grupo|par|docena"
    r"|varios|varias|muchos|muchas)\b"
    r"|\u5927\u7ea6|\u53ef\u80fd|\u81f3\u5c11|\u8d85\u8fc7|\u6216|\u7b2c|\u591a\u4e2a|\u51e0|\u8bb8\u591a"
    r"|\u5341[\u4e00-\u4e5d]"
)
"""Hedges, bounds, amounts, measures, and numbers above ten, which the table does not have."""
_IN_TOTAL = re.compile(r"\b(?:insgesamt|zusammen|also|au total|en tout|soit|donc|en total)\b|[\u5171\u603b]")


def _language_of_count(question: str) -> str | None:
    return next((name for name, (asks, _) in _LANGUAGES.items() if re.search(asks, question)), None)


@cache
def _numbers_in(language: str) -> re.Pattern[str]:
    words = toml_table("answers/yes_no_words.toml")[language]["numbers"]
    if _HAN.match(words[1]):
        return re.compile(rf"\d+|{_numbers_of(words).pattern}")
    each = "|".join(map(re.escape, [*words, *_LANGUAGES[language][1].split()]))
    return re.compile(rf"(?<![\w-])(?:\d+|{each})(?![\w-])")


def _number_of(language: str, word: str) -> int:
    if word.isdecimal():
        return int(word)
    return 1 if word in _LANGUAGES[language][1].split() else _value(word)
