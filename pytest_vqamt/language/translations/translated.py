"""Questions for presence, number and one of two colours in another language.

Answers are asked for in English, so that they are read as those to English questions are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.meaning import Choice, Count, Exists, Group
from pytest_vqamt.language.questions.simple import Question, checked_wording
from pytest_vqamt.language.tables import toml_table

LANGUAGES: Mapping[str, str] = {
    "de": "German",
    "fr": "French",
    "es": "Spanish",
    "zh": "Chinese",
    "ja": "Japanese",
    "pt": "Portuguese",
}
"""The English name of each language, by its code of ISO 639-1."""

ANSWER_IN_ENGLISH = "Answer in English."
"""The end of each question that is not English, and of no other."""


@dataclass(frozen=True, slots=True)
class Noun:
    """The noun for an English name."""

    of: str
    """The nouns with the same articles, or with the same measure word, which is its name."""
    one: str
    """The singular."""
    many: str
    """The plural; the singular again where the language has none."""
    object: str
    """The accusative of the singular."""


@dataclass(frozen=True, slots=True, eq=False)
class Language:
    """The nouns and wordings of one language."""

    nouns: Mapping[str, Noun]
    """By English name."""
    beside: Mapping[str, Sequence[str]]
    """English names beside which a name is not clear, because some call their things by its noun, too."""
    left_out: Mapping[str, str]
    """English names whose things no noun covers as they do, with the reason."""
    colours: Mapping[str, Sequence[str]]
    """Words for English colours; where they agree with the noun, one for each gender."""
    forms: Mapping[str, Mapping[str, str | int]]
    """Articles and the like of each class of nouns."""
    wordings: Mapping[str, Sequence[str]]
    """Texts with braces by kind of question: "exists", "count", "choice"."""

    def exists(self, name: str, wording: int = 0) -> Question:
        """Asks whether there is any.

        >>> language("de").exists("dog", 1).text
        'Gibt es auf dem Bild einen Hund? Answer in English.'

        Raises:
            VqamtError: the language has no noun for the name, or no such wording.
        """
        return Question(_text(self, "exists", name, wording), Exists(group=Group(name=name)))

    def count(self, name: str, wording: int = 0) -> Question:
        """Asks how many there are.

        >>> language("fr").count("elephant").text
        "Combien d'éléphants y a-t-il sur l'image ? Answer in English."

        Raises:
            VqamtError: the language has no noun for the name, or no such wording.
        """
        return Question(_text(self, "count", name, wording), Count(groups=(Group(name=name),)))

    def choice(self, name: str, colours: Sequence[str], wording: int = 0) -> Question:
        """Asks which of two colours the one thing of the name has.

        >>> language("es").choice("car", ("red", "blue")).text
        '¿El coche de la imagen es rojo o azul? Answer in English.'

        Raises:
            VqamtError: the language has no noun for the name or no such wording, or there are not two known colours.
        """
        if len(colours) != 2 or not set(colours) <= self.colours.keys():
            raise VqamtError(f"Expected two colours, each of {', '.join(self.colours)}, but got {colours=!r}")
        options = tuple(colours)
        return Question(_text(self, "choice", name, wording, options), Choice(what=Group(name=name), options=options))

    def is_clear(self, name: str, others: Iterable[str]) -> bool:
        """True if there is a noun for the name that no thing of the ``others`` goes by, nor by a compound with it.

        >>> language("zh").is_clear("horse", ["dog"]), language("zh").is_clear("horse", ["zebra"])
        (True, False)
        """
        if name not in self.nouns:
            return False
        # A Chinese zebra is a "striped horse", so the noun must not be part of another one.
        noun = self.nouns[name].one.casefold()
        return not any(
            other in self.beside.get(name, ()) or (other in self.nouns and noun in self.nouns[other].one.casefold())
            for other in others
            if other != name
        )


@lru_cache(maxsize=65536)
def _text(language: Language, kind: str, name: str, wording: int, colours: tuple[str, ...] = ()) -> str:
    """The question with the noun and its articles filled in, and the request for English behind it."""
    texts = language.wordings[kind]
    text = texts[checked_wording(wording, len(texts))]
    if name not in language.nouns:
        raise VqamtError(f"Expected a name with a noun in this language, but got name={name!r}")
    noun = language.nouns[name]
    forms = language.forms.get(noun.of, {})
    fillings: dict[str, str | int] = {
        "class": noun.of,
        "one": noun.one,
        "many": noun.many,
        "object": noun.object,
        **forms,
    }
    for place, colour in zip(("first", "second"), colours, strict=False):
        words = language.colours[colour]
        # Some wordings give the colour itself a name ("is its colour red"), which agrees with nothing.
        fillings |= {place: words[int(forms.get("agreement", 0))], f"{place}_name": words[0]}
    return f"{text.format_map(fillings)} {ANSWER_IN_ENGLISH}"


@cache
def language(code: str) -> Language:
    """Reads the nouns and wordings of a language of ``LANGUAGES``, once a process.

    Raises:
        VqamtError: there is no such language.
    """
    if code not in LANGUAGES:
        raise VqamtError(f"Expected a language of {', '.join(LANGUAGES)}, but got code={code!r}")
    table = toml_table(f"translations/{code}.toml")
    return Language(
        nouns={name: _noun(*row) for name, row in table["nouns"].items()},
        beside=table.get("beside", {}),
        left_out=table["left_out"],
        colours=table["colours"],
        forms=table.get("forms", {}),
        wordings=table["wordings"],
    )


def _noun(of: str, one: str, many: str = "", object: str = "") -> Noun:  # noqa: A002 - the case of grammar
    return Noun(of=of, one=one, many=many or one, object=object or one)
