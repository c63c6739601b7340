"""Hypothesis strategies for a user's own ``@given`` tests: scenes, what is in them, questions about them, and cases.

All shrink towards scenes of few objects. A source that is given as a spec is opened when a test first needs it, once
for all strategies. Its corpus is gathered then as well, for which every scene is read: ``pictures:50`` takes a moment,
``pictures`` (500 scenes) some seconds. Hypothesis does not count this as a slow example, unless the strategy is first
drawn from within a composite strategy or ``st.data()``: name few scenes there.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TypeVar, cast
from weakref import WeakKeyDictionary

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.meaning import Group
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.data import catalogue as sources
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.language.english.lexical_relations import exclusive_pool
from pytest_vqamt.language.english.nouns import is_countable, plural, singular
from pytest_vqamt.language.questions import simple as wordings
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.relations import catalogue
from pytest_vqamt.relations.base import Relation
from pytest_vqamt.relations.contradictions import derive_case
from pytest_vqamt.sampling.hypothesis import HypothesisChooser

__all__ = ["cases", "objects", "properties", "questions", "scenes"]

T = TypeVar("T")


def __dir__() -> list[str]:
    return __all__  # what completion offers: the strategies, and none of what this module imports


_source_of: WeakKeyDictionary[SearchStrategy[Scene], SceneSource | str] = WeakKeyDictionary()
"""What each strategy that ``scenes`` gave draws from, for ``cases``: a relation wants to know the whole source."""


def scenes(source: SceneSource | str = "pictures") -> SearchStrategy[Scene]:
    """Scenes of a source, simpler ones first: shrinking ends at a scene of few objects.

    >>> from hypothesis import given, settings
    >>> @given(scenes("pictures:20"))
    ... @settings(max_examples=20)
    ... def test_objects_lie_inside_the_picture(scene):
    ...     assert all(thing.box.share_inside(scene.frame) == 1 for thing in scene.objects)
    >>> test_objects_lie_inside_the_picture()

    Args:
        source: a spec as in ``--vqamt-data``, or a scene source.

    Raises:
        OptionError: the spec names no source.
    """
    named = _checked(source)

    def drawn() -> SearchStrategy[Scene]:
        opened = _opened(named)
        return st.sampled_from(opened.corpus.simplest_first).map(opened.scene)

    # Deferred, so that the corpus is gathered when a test starts, neither at import nor within the first example.
    strategy = st.deferred(drawn)
    # Weakly, so that a strategy and its source can be collected after the test.
    _source_of[strategy] = named
    return strategy


def objects(scene: Scene) -> SearchStrategy[Thing]:
    """The objects of a scene; an example whose scene has none is passed over.

    >>> from hypothesis import given, settings
    >>> @given(scenes("pictures:20").flatmap(objects))
    ... @settings(max_examples=20)
    ... def test_objects_have_an_area(thing):
    ...     assert thing.box.area > 0
    >>> test_objects_have_an_area()

    Raises:
        OptionError: ``scene`` is none.
    """
    _check_scene(scene)
    return _any_of(scene.objects)


def properties(scene: Scene, thing: Thing) -> SearchStrategy[str]:
    """The attributes of an object of the scene, first those of which it bears one at most (its colour, its posture).

    An example whose object has none is passed over.

    >>> from hypothesis import given, settings, strategies as st
    >>> from pytest_vqamt.core.meaning import Exists, Group
    >>> from pytest_vqamt.core.meaning import truth
    >>> @given(st.data())
    ... @settings(max_examples=20)
    ... def test_what_is_borne_is_there(data):
    ...     scene = data.draw(scenes("pictures:20"))
    ...     thing = data.draw(objects(scene))
    ...     group = Group(name=thing.name, attributes=(data.draw(properties(scene, thing)),))
    ...     assert truth(Exists(group=group), scene)
    >>> test_what_is_borne_is_there()

    Raises:
        OptionError: ``scene`` is none, or ``thing`` is not one of its objects.
    """
    _check_scene(scene)
    if thing not in scene.objects:
        raise OptionError(
            f"Expected an object of scene {scene.id!r}, but got thing={thing!r}: draw it from objects(scene)"
        )
    # False sorts before True: exclusive attributes first, to which examples shrink.
    pool = exclusive_pool(thing.name)
    return _any_of(sorted(thing.attributes, key=lambda word: word not in pool))


def questions(scene: Scene) -> SearchStrategy[Question]:
    """Questions about a scene whose right answer is known: whether there is any, whether there is none, how many.

    They are about the names in the scene and, as often, about names that are surely absent: those that the scene
    annotates exhaustively. Counts leave out names without a number, crowds, and names whose plural is annotated too.

    >>> from hypothesis import given, settings, strategies as st
    >>> from pytest_vqamt.core.meaning import truth
    >>> @given(st.data())
    ... @settings(max_examples=20)
    ... def test_questions_have_an_answer(data):
    ...     scene = data.draw(scenes("pictures:20"))
    ...     assert truth(data.draw(questions(scene)).meaning, scene) is not None
    >>> test_questions_have_an_answer()

    Raises:
        OptionError: ``scene`` is none.
    """
    _check_scene(scene)
    crowds = {region.name for region in scene.regions}
    here = tuple(dict.fromkeys(thing.name for thing in scene.objects))
    # Neither the name nor its other number may be annotated: "dogs" as a crowd means that dogs are there.
    annotated = crowds.union(here)
    absent = tuple(
        name for name in sorted(scene.exhaustive) if annotated.isdisjoint({name, plural(name), singular(name)})
    )

    def counted(names: Sequence[str]) -> list[str]:
        return [name for name in names if is_countable(name) and plural(name) not in annotated and name not in crowds]

    # One of two, so that half of the questions are about what is absent, however many names there are.
    asked = _any_of(here) | _any_of(absent)
    asked_for_number = _any_of(counted(here)) | _any_of(counted(absent))
    return st.one_of(
        st.builds(wordings.exists, asked.map(_group), st.integers(0, wordings.EXISTS_WORDINGS - 1)),
        st.builds(wordings.absent, asked.map(_group), st.integers(0, wordings.ABSENT_WORDINGS - 1)),
        st.builds(wordings.count, asked_for_number.map(_group), st.integers(0, wordings.COUNT_WORDINGS - 1)),
    )


def cases(
    relation: Relation | str, scenes: SceneSource | SearchStrategy[Scene] | str = "pictures"
) -> SearchStrategy[Case]:
    """Cases of a relation, drawn as a run draws them: a scene, then the relation's own choices. Shrinks to few objects.

    A scene to which the relation does not apply is passed over.

    >>> from hypothesis import given, settings
    >>> @given(cases("metavqa.reorder[object]", "pictures:20"))
    ... @settings(max_examples=20)
    ... def test_both_questions_name_the_same_groups(case):
    ...     first, second = (query.meaning for query in case.queries)
    ...     assert first.groups == second.groups[::-1]
    >>> test_both_questions_name_the_same_groups()

    Args:
        relation: a name as in ``--vqamt-relations``, "metavqa.reorder[object]", or a relation, such as one that
            ``@vqamt.relation`` made. Without a variant all variants are drawn from.
        scenes: where from: a spec, a scene source, or what ``scenes()`` gave. Draw from fewer scenes by
            ``cases(...).filter(...)``; ``case.queries[0].picture.scene`` is the scene.

    Raises:
        OptionError: there is no such relation, variant or source.
    """
    rule, variants = _parsed(relation)
    source = _checked(scenes)

    def drawn() -> SearchStrategy[Case]:
        opened = _opened(source)
        corpus = opened.corpus

        @st.composite
        def outcomes(draw: DrawFn) -> Case | NotApplicable:
            choose = HypothesisChooser(draw)
            # Drawn first, so that shrinking ends at the first variant.
            variant = choose.one(variants)
            return derive_case(rule, opened.scene(choose.one(corpus.simplest_first)), corpus, choose, variant)

        # A filter tries again a few times, and then gives up the example, by Hypothesis's own rules.
        return cast("SearchStrategy[Case]", outcomes().filter(lambda outcome: isinstance(outcome, Case)))

    return st.deferred(drawn)


def _any_of(values: Sequence[T]) -> SearchStrategy[T]:
    return st.sampled_from(values) if values else st.nothing()


def _group(name: str) -> Group:
    return Group(name=name)


def _parsed(relation: Relation | str) -> tuple[Relation, tuple[str, ...]]:
    """The relation that is meant, and the variants to draw from."""
    if not isinstance(relation, str):
        if not isinstance(getattr(relation, "info", None), RelationInfo):
            raise OptionError(
                f"Expected relation to be a name such as 'metavqa.reorder[object]', or a relation, "
                f"but got relation={relation!r}"
            )
        return relation, relation.info.variants
    name, bracket, _ = relation.partition("[")
    rule = catalogue.get(name)
    if not bracket:
        return rule, rule.info.variants
    by_item = {rule.info.item(variant): variant for variant in rule.info.variants}
    if relation not in by_item:
        raise OptionError(f"Expected a variant of {name}, but got relation={relation!r}; known: {', '.join(by_item)}")
    return rule, (by_item[relation],)


def _check_scene(scene: Scene) -> None:
    if not isinstance(scene, Scene):
        raise OptionError(f"Expected a scene, as drawn from scenes(), but got scene={scene!r}")


def _checked(source: SceneSource | SearchStrategy[Scene] | str) -> SceneSource | str:
    """The source that is meant, not opened yet."""
    if isinstance(source, SearchStrategy):
        # A relation needs the corpus, which a strategy does not have.
        if source in _source_of:
            return _source_of[source]
    elif isinstance(source, str):
        sources.check(source)
        return source
    elif callable(getattr(source, "scene", None)):
        # By its method: SceneSource is no protocol for isinstance.
        return source
    raise OptionError(
        "Expected a spec as in --vqamt-data such as 'pictures:50', a scene source, or what scenes() gave, "
        f"but got {source!r}"
    )


def _opened(source: SceneSource | str) -> SceneSource:
    return _loaded(source) if isinstance(source, str) else source


@lru_cache(maxsize=8)
def _loaded(spec: str) -> SceneSource:
    """One source for each spec, so that its corpus is gathered once."""
    return sources.load(spec)
