"""Scene graphs made of WordNet, drawn by Hypothesis, and what a person who knows its hierarchy sees in them.

Annotators name one thing by any word of its kind or of a kind above it, sometimes in the plural; they annotate some
parts and garments, some attributes and some relations, and ask some questions, of which some are wrong. Nothing here
uses the package's own rules of kinds, parts and classes: only WordNet's pointers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from hypothesis import strategies as st

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.corpus import Corpus, gather_corpus
from pytest_vqamt.core.scene import Photo, PublishedQuestion, Relationship, Scene, Thing
from pytest_vqamt.language.english.nouns import is_mass, plural
from pytest_vqamt.language.tables import toml_table
from pytest_vqamt.language.wordnet.senses import Synsets
from pytest_vqamt.language.wordnet.words import find_wordnet

ROOTS = (
    "person.n.01",
    "animal.n.01",
    "clothing.n.01",
    "vehicle.n.01",
    "furniture.n.01",
    "tool.n.01",
    "picture.n.01",
)
USUAL = (
    "man.n.01", "woman.n.01", "lady.n.01", "guy.n.01", "girl.n.01", "coat.n.01", "jacket.n.01", "shirt.n.01",
    "painting.n.01", "dog.n.01", "puppy.n.01", "cat.n.01", "bird.n.01", "car.n.01", "truck.n.01", "wheel.n.01",
    "chair.n.01", "table.n.02", "cup.n.01", "bottle.n.01", "bear.n.01", "wing.n.01",
)  # fmt: skip
"""Kinds that annotators of photos name most, so that names of one thing meet in a few scenes."""

COLOURS = ("red", "black", "white", "blue")
OTHER_WORDS = ("small", "wooden", "standing", "sitting", "open", "wet")
PREDICATES = ("on", "near", "holding", "to the left of")
_PARTS, _WHOLES = ("%p", "%s", "%m"), ("#p", "#s", "#m")
_WIDTH = 24


@cache
def synsets() -> Synsets:
    return Synsets(find_wordnet("bundled"))


@cache
def at_or_above(synset: str) -> tuple[str, ...]:
    """The synset and what is above it on the ways up to a root; above it on other ways a car is a container."""
    if synset in ROOTS:
        return (synset,)
    ways = [at_or_above(up) for up in synsets().related(synset, ("@",))]
    return tuple(dict.fromkeys((synset, *(each for way in ways if way[-1] in ROOTS for each in way))))


@cache
def names_of(synset: str) -> tuple[str, ...]:
    """The words that a photo's annotator would use for the synset: those that mean it before anything else.

    A word that means something else in a photo (a speaker is a loudspeaker) is none of them.
    """
    elsewhere = toml_table("wordnet/senses.toml")["sense"]
    return tuple(
        word
        for word in synsets().words(synset)
        if word.replace(" ", "").isalpha()
        and word.islower()
        and word not in elsewhere
        and synsets().of(word)[:1] == (synset,)
    )


@cache
def shown_by(synset: str) -> frozenset[str]:
    """Every word for a thing of the synset, and for what comes with it: its parts, what it is a part of, clothes."""
    own = at_or_above(synset)
    near = [*own]
    for each in own:
        near += synsets().related(each, (*_PARTS, *_WHOLES))
    words = {word for each in near for word in synsets().words(each)}
    return frozenset(words)


def is_worn(synset: str) -> bool:
    return "clothing.n.01" in at_or_above(synset)


def is_person(synset: str) -> bool:
    return "person.n.01" in at_or_above(synset)


@dataclass(frozen=True, slots=True, kw_only=True)
class WordScenes:
    """A source of some scenes.

    Attributes:
        kinds: of each scene, by the id of the thing, the synset that it is of, whatever its annotator called it.
    """

    scenes: tuple[Scene, ...]
    kinds: tuple[dict[str, str], ...]
    corpus: Corpus

    def is_shown(self, index: int, name: str) -> bool:
        """Whether something in the scene may go by the name, or comes with what does."""
        there = self.kinds[index].values()
        if any(name in shown_by(synset) for synset in there):
            return True
        meant = synsets().of(name)[:1]
        asked_worn, asked_person = any(map(is_worn, meant)), any(map(is_person, meant))
        return (asked_worn and any(map(is_person, there))) or (asked_person and any(map(is_worn, there)))


@st.composite
def _kinds(draw: st.DrawFn) -> str:
    """A synset: a usual one, or one on a way down from a root."""
    if draw(st.booleans()):
        return draw(st.sampled_from(USUAL))
    synset = draw(st.sampled_from(ROOTS))
    for _ in range(draw(st.integers(0, 4))):
        below = [each for each in synsets().related(synset, ("~",)) if names_of(each)]
        if not below:
            break
        synset = draw(st.sampled_from(below))
    return synset


@st.composite
def _scene(draw: st.DrawFn, name: str, pool: Sequence[str]) -> tuple[Scene, dict[str, str]]:
    kinds: dict[str, str] = {}
    things: list[Thing] = []
    for number, synset in enumerate(draw(st.lists(st.sampled_from(pool), min_size=1, max_size=5))):
        words = [word for each in at_or_above(synset)[:4] for word in names_of(each)]
        if not words:
            continue
        word = draw(st.sampled_from(words))
        if draw(st.integers(0, 9)) == 0 and not is_mass(word):
            word = plural(word)
        said = draw(st.lists(st.sampled_from((*COLOURS, *OTHER_WORDS)), max_size=2, unique=True))
        if draw(st.integers(0, 9)) == 0 and said and " " not in word:
            word = f"{said[0]} {word}"  # "black bear": the annotator took the attribute into the name
        kinds[str(number)] = synset
        things.append(Thing(id=str(number), name=word, box=Box(number * _WIDTH, 10, 20, 30), attributes=tuple(said)))
    ids = st.sampled_from([thing.id for thing in things] or [""])
    relations = draw(
        st.lists(st.builds(Relationship, subject=ids, predicate=st.sampled_from(PREDICATES), object=ids), max_size=3)
    )
    return (
        Scene(
            id=name,
            photo=Photo(id=f"{name}.jpg", digest=f"digest of {name}"),
            width=5 * _WIDTH,
            height=60,
            objects=tuple(things),
            relationships=tuple(each for each in relations if each.subject != each.object),
            questions=tuple(draw(_questions([thing.name for thing in things]))),
        ),
        kinds,
    )


@st.composite
def _questions(draw: st.DrawFn, names: Sequence[str]) -> list[PublishedQuestion]:
    """Up to three questions, at times in the words of the package's own, at times with a wrong answer."""
    some = draw(st.lists(st.tuples(st.sampled_from(names or ["dog"]), st.sampled_from(("yes", "no"))), max_size=3))
    return [
        PublishedQuestion(
            id=str(number), text=f"Can you see {_article(name)} {name} in the picture?", answers=(answer,)
        )
        for number, (name, answer) in enumerate(some if draw(st.integers(0, 3)) == 0 else [])
    ]


def _article(name: str) -> str:
    return "an" if name[0] in "aeiou" else "a"


@st.composite
def word_scenes(draw: st.DrawFn) -> WordScenes:
    """Four scenes of one source; at times two of them show one picture."""
    pool = draw(st.lists(_kinds(), min_size=3, max_size=8, unique=True))
    pool += [each for synset in pool for each in at_or_above(synset)[1:3] if each not in pool]
    drawn = [draw(_scene(name, pool)) for name in "abcd"]
    scenes, kinds = [scene for scene, _ in drawn], [kind for _, kind in drawn]
    same: dict[str, tuple[int, ...]] = {}
    if draw(st.integers(0, 3)) == 0:
        scenes[1] = replace(scenes[1], photo=replace(scenes[1].photo, digest=scenes[0].photo.digest))
        same = {"a.jpg": (1,), "b.jpg": (0,)}
    corpus = gather_corpus(scenes, scene=scenes.__getitem__)
    return WordScenes(scenes=tuple(scenes), kinds=tuple(kinds), corpus=replace(corpus, same_picture=same))
