"""Lexical knowledge of relations: WordNet, the ontology, and how they relate pairs of names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from pytest_vqamt.core.case import RelationSetting
from pytest_vqamt.core.meaning import Group
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.english.families import family, is_kind_either_way, is_no_visible_thing
from pytest_vqamt.language.english.nouns import head, singular
from pytest_vqamt.language.ontology import NounClass, Ontology, ontology
from pytest_vqamt.language.wordnet import WordNet, wordnet
from pytest_vqamt.relations.base import BuiltInRelation, Relation
from pytest_vqamt.relations.soundness import are_disjoint, are_unrelated

WORDNET = RelationSetting(
    name="wordnet",
    values=("bundled", "full", "PATH"),
    default="bundled",
    meaning="which WordNet: the extract that comes with the plugin, all of it (nltk's data or Debian's), or a folder",
)
ONTOLOGY = RelationSetting(
    name="ontology",
    values=("bundled", "PATH"),
    default="bundled",
    meaning="which attributes exclude each other, are antonyms, belong together: ours, or a file that adds to it",
)

_DIGEST_DIGITS = 12


@dataclass(frozen=True, slots=True, eq=False)
class LexicalKnowledge:
    """WordNet and an ontology. Compared by identity, so that results can be cached."""

    wordnet: WordNet
    """Senses, hypernyms and parts of nouns."""
    ontology: Ontology
    """Classes of nouns, and attributes with their categories, antonyms and exclusions; curated."""

    def is_named(self, name: str) -> bool:
        """True if the name means a physical, visible thing."""
        return self.wordnet.sense(name) is not None and not is_no_visible_thing(name)

    def classes_of(self, name: str) -> tuple[NounClass, ...]:
        """Returns the classes of the name, the nearest first."""
        return _classes_of(self, name)

    def is_meant(self, name: str, synset: str, word: str) -> bool:
        """True if the data set's synset of the thing belongs to the class ``word``, too."""
        return _is_meant(self, name, synset, word)

    def is_absent(self, name: str, here: frozenset[str], exhaustive: frozenset[str]) -> bool:
        """True if no name in ``here`` could mean a thing of this name, or a part or garment of one.

        That the annotations may lack an instance is another matter (``soundness.presumed``).
        """
        # A class list settles a pair only if it has both names.
        listed = name in exhaustive
        return name not in here and all(
            _none_beside(self, name, other, listed and other in exhaustive) for other in here
        )

    def is_apart(self, name: str, other: str, scene: Scene) -> bool:
        """True if no thing goes by both names."""
        return _named_apart(self, name, other, {name, other} <= scene.exhaustive)

    def is_never(self, name: str, word: str) -> bool:
        """True if no thing of this name is of the class ``word``."""
        return _never(self, name, word)

    def class_group(self, word: str, names: Iterable[str], attributes: tuple[str, ...] = ()) -> Group:
        """Returns the group of a class; it covers those of ``names`` that belong to the class."""
        covered = (name for name in names if _is_of(self, name, word))
        return Group(name=word, covers=(word, *(name for name in covered if name != word)), attributes=attributes)


@dataclass(frozen=True, slots=True)
class LexicalRelation(BuiltInRelation):
    """Base class of the relations that use WordNet and the ontology, which two settings name."""

    wordnet: str = WORDNET.default
    """The setting ``wordnet``: "bundled", "full" or a folder."""
    ontology: str = ONTOLOGY.default
    """The setting ``ontology``: "bundled" or the path of a file that adds to it."""

    @property
    def known(self) -> LexicalKnowledge:
        """The knowledge that the settings name.

        Raises:
            OptionError: there is no such WordNet or ontology.
        """
        return load_knowledge(self.wordnet, self.ontology)

    @property
    def resources(self) -> tuple[tuple[str, str], ...]:
        words = self.known.wordnet
        return (
            ("wordnet", f"WordNet {words.version} ({words.source}, {words.digest[:_DIGEST_DIGITS]})"),
            *((("ontology", self.ontology),) if self.ontology != ONTOLOGY.default else ()),
        )


def default_knowledge() -> LexicalKnowledge:
    """Returns the knowledge of relations without settings for it."""
    return load_knowledge(WORDNET.default, ONTOLOGY.default)


def knowledge_of(relation: Relation) -> LexicalKnowledge:
    """Returns the knowledge that the relation's settings name; the default where it has no such settings."""
    return relation.known if isinstance(relation, LexicalRelation) else default_knowledge()


@cache
def load_knowledge(wordnet_setting: str, ontology_setting: str) -> LexicalKnowledge:
    """Loads the knowledge that the settings name, once a process.

    Raises:
        OptionError: there is no such WordNet or ontology.
    """
    path = "" if ontology_setting == ONTOLOGY.default else ontology_setting
    return LexicalKnowledge(wordnet=wordnet(wordnet_setting), ontology=ontology(path))


@lru_cache(maxsize=65536)
def _classes_of(known: LexicalKnowledge, name: str) -> tuple[NounClass, ...]:
    classes = map(known.ontology.noun_class, known.ontology.classes_of(name, known.wordnet))
    return tuple(each for each in classes if each is not None)


@lru_cache(maxsize=65536)
def _is_meant(known: LexicalKnowledge, name: str, synset: str, word: str) -> bool:
    of, sense = known.ontology.noun_class(word), known.wordnet.sense(name, synset)
    # A curated name is of the class, whatever sense an annotator clicked; without a sense nothing speaks against it.
    if of is None or sense is None or name in of.names:
        return True
    return not known.wordnet.at_or_above(sense).isdisjoint(of.synsets)


@lru_cache(maxsize=262144)
def _is_of(known: LexicalKnowledge, name: str, word: str) -> bool:
    return name == word or any(each.word == word for each in _classes_of(known, name))


@lru_cache(maxsize=262144)
def _named_apart(known: LexicalKnowledge, a: str, b: str, listed: bool) -> bool:
    """True if no thing goes by both names, by the class list that has both, else by WordNet and curated lists.

    WordNet alone is not enough within a family: there boy and child, mug and cup, truck and van are unrelated. For a
    name without a family ("sack") the kinds that WordNet has it below stand in.
    """
    if listed:
        return are_disjoint(a, b, True)
    # "Teddy bear" and "bear", "couch" and "sofa", "bird" and "duck".
    if head(singular(a)) == head(singular(b)) or known.wordnet.may_name_the_same(a, b) or is_kind_either_way(a, b):
        return False
    # A statue may pass for a person; but a wheel, a part, is not taken for its car.
    if (_may_pass_for(known, a, b) or _may_pass_for(known, b, a)) and not known.wordnet.part_related(a, b):
        return False
    # Two families never share a thing; a name without one ("sack") needs WordNet's word besides.
    families = family(a), family(b)
    if families[0] != families[1] and not (None in families and known.wordnet.have_common_kind(a, b)):
        return True
    # Within a family only the curated choices of a class are apart (dog and cat).
    return any(b in each.others(a) for each in _classes_of(known, a))


def _may_pass_for(known: LexicalKnowledge, a: str, b: str) -> bool:
    """True if some people count things of ``a`` to a class of ``b``: a statue to the persons."""
    perhaps = known.ontology.perhaps_classes_of(a, known.wordnet)
    surely = known.ontology.classes_of(a, known.wordnet)
    return any(word in perhaps and word not in surely for word in (b, *known.ontology.classes_of(b, known.wordnet)))


@lru_cache(maxsize=262144)
def _none_beside(known: LexicalKnowledge, name: str, other: str, listed: bool) -> bool:
    """True if neither name can mean a thing of the other, or a part or garment of it."""
    if listed:
        return are_unrelated(name, other, True)
    return _named_apart(known, name, other, False) and not known.wordnet.part_related(name, other)


@lru_cache(maxsize=262144)
def _never(known: LexicalKnowledge, name: str, word: str) -> bool:
    return (
        known.is_named(name)
        and word not in known.ontology.perhaps_classes_of(name, known.wordnet)
        and not known.wordnet.may_name_the_same(name, word)
    )
