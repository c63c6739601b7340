"""Number and article of English nouns."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_vqamt.language.tables import toml_table, word_set

if TYPE_CHECKING:
    import inflect


_FILE = "english/nouns.toml"
_INFLECTIONS = Path(__file__).with_name("inflections.json")
ENDINGS: Mapping[str, Mapping[str, Callable[[str], str]]] = {
    "plural": {"s": lambda word: f"{word}s", "es": lambda word: f"{word}es"},
    "singular": {"none": lambda _: "", "s": lambda word: word[:-1], "es": lambda word: word[:-2]},
    "article": {"a": lambda _: "a", "an": lambda _: "an"},
}
"""How ``inflections.json`` shortens its rows: the form of a word that is listed under a name."""

_words = partial(word_set, _FILE)
_AFTER_THE_HEAD = frozenset({"of", "in", "on", "with", "for", "at", "from"})

_SMALL = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
NUMBER_WORDS: tuple[str, ...] = (
    *_SMALL,
    *(ten if one == 0 else f"{ten}-{_SMALL[one]}" for ten in _TENS for one in range(10)),
)


def number_word(n: int) -> str:
    """Returns the word for ``n``, or the digits below 0 and from 100 on.

    >>> number_word(3), number_word(21), number_word(250)
    ('three', 'twenty-one', '250')
    """
    return NUMBER_WORDS[n] if 0 <= n < len(NUMBER_WORDS) else str(n)


@cache
def plural(noun: str) -> str:
    """Returns the plural of a noun of one or more words; plurals and masses stay.

    >>> plural("teddy bear"), plural("mother-in-law"), plural("glass of water")
    ('teddy bears', 'mothers-in-law', 'glasses of water')
    >>> plural("people"), plural("pants"), plural("grass")
    ('people', 'pants', 'grass')
    """
    if is_plural(noun) or is_mass(noun):
        return noun
    before, word, after = _parts(noun)
    return f"{before}{_plural_word(word)}{after}"


@cache
def singular(noun: str) -> str:
    """Returns the singular of a plural; singulars and plurals without one stay.

    >>> singular("hot dogs"), singular("people"), singular("scissors"), singular("bus")
    ('hot dog', 'person', 'scissors', 'bus')
    """
    if lacks_singular(noun) or is_mass(noun):
        return noun
    before, word, after = _parts(noun)
    return f"{before}{_singular_word(word) or word}{after}"


@cache
def is_plural(noun: str) -> bool:
    """True if the noun is a plural ("leaves", "people", "skis"); "sheep" counts as singular.

    >>> is_plural("leaves"), is_plural("wine glasses"), is_plural("grass"), is_plural("bus")
    (True, True, False, False)
    """
    if lacks_singular(noun):
        return True
    return singular(noun) != noun


@cache
def lacks_singular(noun: str) -> bool:
    """True of a noun that has only a plural: scissors, pants, glasses (but not wine glasses).

    >>> lacks_singular("ski pants"), lacks_singular("glasses"), lacks_singular("wine glasses"), lacks_singular("dogs")
    (True, True, False, False)
    """
    if " ".join(noun.split(" ")[-2:]) in _words("has_singular"):
        return False
    return not _words("plural_only").isdisjoint((noun, noun.rpartition(" ")[2]))


@cache
def is_mass(noun: str) -> bool:
    """True of a noun that takes neither an article nor a number: water, grass, furniture, hair.

    >>> is_mass("ocean water"), is_mass("water bottle"), is_mass("glass of water")
    (True, False, False)
    """
    return noun in _words("mass") or (head(noun) in _words("mass") and noun not in _words("countable"))


@cache
def is_countable(noun: str) -> bool:
    """True if "how many" can be asked: the noun is a singular with a plural, and its things have edges.

    >>> is_countable("dog"), is_countable("dogs"), is_countable("water"), is_countable("scissors"), is_countable("sky")
    (True, False, False, False, False)
    """
    return not (is_plural(noun) or is_mass(noun) or noun in _words("not_counted"))


@cache
def is_person(noun: str) -> bool:
    """True if the noun names people, so that "who" follows it.

    >>> is_person("women"), is_person("tennis player"), is_person("cd player"), is_person("dog")
    (True, True, False, False)
    """
    return singular(noun) in _words("people")


@cache
def is_everywhere(noun: str) -> bool:
    """True if questions ask for "any" of it although it is no mass: "is there any sky", but "a blue sky".

    >>> is_everywhere("sky"), is_everywhere("sea")
    (True, False)
    """
    return noun in _words("everywhere")


@cache
def counting_noun(noun: str) -> str:
    """Returns the noun for one thing of a collection: "piece of furniture". Other nouns stay.

    >>> counting_noun("furniture"), counting_noun("animal"), counting_noun("food")
    ('piece of furniture', 'animal', 'food')
    """
    return f"piece of {noun}" if noun.rpartition(" ")[2] in _words("in_pieces") else noun


@cache
def head(noun: str) -> str:
    """Returns the head noun: the last word, or the last before "of", "in" and the like.

    >>> head("teddy bear"), head("slice of pizza"), head("dog")
    ('bear', 'slice', 'dog')
    """
    return _parts(noun)[1]


@cache
def with_article(phrase: str) -> str:
    """Returns the phrase with "a" or "an", by the sound of its first word.

    >>> with_article("apple"), with_article("uniform"), with_article("hour hand"), with_article("orange cat")
    ('an apple', 'a uniform', 'an hour hand', 'an orange cat')
    """
    # The sound of the first word decides: "an x-ray machine", "a one-way street".
    first = first_word(phrase)
    listed = toml_table(_FILE)["article"].get(first.lower()) or _known()["article"].get(first)
    if listed:
        return f"{listed} {phrase}"
    return f"{_engine().a(first).split(' ', 1)[0]} {phrase}"


def first_word(phrase: str) -> str:
    """Returns the word whose sound decides about the article.

    >>> first_word("x-ray machine")
    'x'
    """
    return phrase.split(" ", 1)[0].split("-", 1)[0]


@cache
def indefinite(noun: str) -> str:
    """Returns the noun with its article, or bare if it takes none.

    >>> indefinite("teddy bear"), indefinite("umbrella"), indefinite("water"), indefinite("pants")
    ('a teddy bear', 'an umbrella', 'water', 'pants')
    """
    return noun if is_mass(noun) or is_plural(noun) else with_article(noun)


@cache
def _irregular() -> tuple[dict[str, str], dict[str, str]]:
    plurals: dict[str, str] = toml_table(_FILE)["irregular"]
    return plurals, {**{many: one for one, many in plurals.items() if many != "glasses"}, "persons": "person"}


@cache
def _known() -> Mapping[str, Mapping[str, str]]:
    """What inflect says of the words of this package's tables (``tools.inflections``): to import it takes long."""
    rows = json.loads(_INFLECTIONS.read_text(encoding="utf-8"))
    return {
        kind: {word: formed(word) for name, formed in endings.items() for word in rows[kind][name].split()}
        | rows[kind]["others"]
        for kind, endings in ENDINGS.items()
    }


@cache
def _engine() -> inflect.engine:
    from unittest.mock import patch

    # typeguard would rewrite each function of inflect to check its arguments, which takes far longer than the import.
    unchecked = patch("typeguard.typechecked", lambda function: function) if find_spec("typeguard") else nullcontext()
    with unchecked:
        import inflect  # a tenth of a second, so only once a noun is asked about

    return inflect.engine()


@cache
def _parts(noun: str) -> tuple[str, str, str]:
    """Returns the words before the head noun, the head noun, and the words after it, spaces included."""
    words = noun.split(" ")
    end = next((i for i, word in enumerate(words) if i > 0 and word in _AFTER_THE_HEAD), len(words))
    before, after = words[: end - 1], words[end:]
    return "".join(f"{word} " for word in before), words[end - 1], "".join(f" {word}" for word in after)


@cache
def _plural_word(word: str) -> str:
    if not word.strip():  # inflect fails on white space
        return word
    return _irregular()[0].get(word) or _known()["plural"].get(word) or str(_engine().plural_noun(word))


@cache
def _singular_word(word: str) -> str | None:
    """Returns the singular of one word that is a plural, else None.

    inflect removes every final s ("bus" to "bu"), so its answer must lead back to the word.
    """
    plurals, singulars = _irregular()
    if word in singulars:
        return singulars[word] if singulars[word] != word else None
    if word in _words("singular_in_s") or word in plurals or word.endswith(("ss", "us", "is")) or not word.strip():
        return None
    known = _known()["singular"].get(word)
    one = str(_engine().singular_noun(word) or "") if known is None else known
    return one if one and one != word and _plural_word(one) == word else None
