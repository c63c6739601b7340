"""Units from a parse of spaCy's, written down by hand as its English models would label it."""

from __future__ import annotations

from importlib.machinery import ModuleSpec
from typing import TYPE_CHECKING, Any

import pytest

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.language.units import units_of
from pytest_vqamt.language.units.spacy_backend import load
from tests.rows import each_row

if TYPE_CHECKING:
    from pytest_vqamt.language.units.spacy_backend import SpacyDoc


# A word a line: the word, its tag, its label, and the word that it hangs on.
PARSES = {
    "The man is aiming his rifle at something": (
        """
        The DT det 1
        man NN nsubj 3
        is VBZ aux 3
        aiming VBG ROOT 3
        his PRP$ poss 5
        rifle NN dobj 3
        at IN prep 3
        something NN pobj 6
        """,
        "man: is aiming his rifle at something | rifle:",
    ),
    "A man and two boys fly a kite": (
        """
        A DT det 1
        man NN nsubj 5
        and CC cc 1
        two CD nummod 4
        boys NNS conj 1
        fly VBP ROOT 5
        a DT det 7
        kite NN dobj 5
        """,
        "man: fly a kite | boys: fly a kite | kite:",
    ),
    "There is a group of nuns singing": (
        """
        There EX expl 1
        is VBZ ROOT 1
        a DT det 3
        group NN attr 1
        of IN prep 3
        nuns NNS pobj 4
        singing VBG acl 5
        """,
        "group of nuns: singing",
    ),
    "A clown juggles while two kids watch": (
        """
        A DT det 1
        clown NN nsubj 2
        juggles VBZ ROOT 2
        while IN mark 6
        two CD nummod 5
        kids NNS nsubj 6
        watch VBP advcl 2
        """,
        "clown: juggles | kids: watch",
    ),
    "A clown juggles while he sings": (
        """
        A DT det 1
        clown NN nsubj 2
        juggles VBZ ROOT 2
        while IN mark 5
        he PRP nsubj 5
        sings VBZ advcl 2
        """,
        "clown: juggles while he sings",
    ),
    "A woman talks to a boy who is asleep": (
        """
        A DT det 1
        woman NN nsubj 2
        talks VBZ ROOT 2
        to IN prep 2
        a DT det 5
        boy NN pobj 3
        who WP nsubj 7
        is VBZ relcl 5
        asleep JJ acomp 7
        """,
        "woman: talks to a boy who is asleep | boy: who is asleep",
    ),
    "One of the men wears a hat": (
        """
        One CD nsubj 4
        of IN prep 0
        the DT det 3
        men NNS pobj 1
        wears VBZ ROOT 4
        a DT det 6
        hat NN dobj 4
        """,
        "One of the men: wears a hat",
    ),
    "A boy on a sled": (
        """
        A DT det 1
        boy NN ROOT 1
        on IN prep 1
        a DT det 4
        sled NN pobj 2
        """,
        "boy: on a sled | sled:",
    ),
}


@each_row(("parse", "units"), PARSES.values())
def test_units_follow_the_parse(parse: str, units: str) -> None:
    spacy = pytest.importorskip("spacy")
    from pytest_vqamt.language.units.spacy_backend import units_of_doc

    found = units_of_doc(_doc(spacy, parse))
    assert " | ".join(f"{unit.object}: {unit.property}".strip() for unit in found) == units


def test_plurals_are_told() -> None:
    spacy = pytest.importorskip("spacy")
    from pytest_vqamt.language.units.spacy_backend import units_of_doc

    found = units_of_doc(_doc(spacy, PARSES["A man and two boys fly a kite"][0]))
    assert [unit.is_plural for unit in found] == [False, True, False]


def test_a_model_that_is_not_there_is_one_line() -> None:
    pytest.importorskip("spacy")
    with pytest.raises(OptionError, match=r"model='no_such_model'.*python -m spacy download no_such_model$"):
        units_of("A dog barks.", by="spacy:no_such_model")


def test_without_spacy_the_way_to_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def find_spec(name: str) -> ModuleSpec | None:
        assert name == "spacy"
        return None

    monkeypatch.setattr("pytest_vqamt.language.units.spacy_backend.find_spec", find_spec)
    load.cache_clear()
    with pytest.raises(OptionError, match=r"pip install spacy && python -m spacy download en_core_web_sm") as refused:
        units_of("A dog barks.", by="spacy")
    assert "\n" not in str(refused.value)


def _doc(spacy: Any, parse: str) -> SpacyDoc:  # spaCy's own types are there only where it is
    words, tags, labels, heads = zip(*(line.split() for line in parse.strip().splitlines()), strict=True)
    kinds = {
        "NN": "NOUN",
        "NNS": "NOUN",
        "PRP": "PRON",
        "WP": "PRON",
        "EX": "PRON",
        "CD": "NUM",
        "DT": "DET",
        "JJ": "ADJ",
    }
    doc: SpacyDoc = spacy.tokens.Doc(
        spacy.blank("en").vocab,
        words=words,
        tags=tags,
        pos=[kinds.get(tag, "VERB" if tag.startswith("V") else "X") for tag in tags],
        deps=labels,
        heads=[int(head) for head in heads],
        lemmas=[{"wears": "wear", "aiming": "aim"}.get(word, word) for word in words],
    )
    return doc
