"""The catalogue: built-in relations in the order of the papers, then those of plugins, then those of the session."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, cast

from pytest_vqamt.core.case import (
    RelationInfo,
    RelationSetting,
    item_name,
)
from pytest_vqamt.core.entry_points import entry_points
from pytest_vqamt.core.errors import OptionError, VqamtError, did_you_mean
from pytest_vqamt.core.identity import families_of, matches
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.spelling import option, setting
from pytest_vqamt.imaging.inpainting import method_of
from pytest_vqamt.relations.base import PublishedRelation, Relation, checked, resources_of
from pytest_vqamt.relations.presets import PRESETS

ENTRY_POINTS = "pytest_vqamt.relations"

THOUGHT_TAGS = RelationSetting(
    name="thought-tags",
    values=("PATH",),
    default="",
    meaning="further marks around reasoning: names, or opening and closing marks, separated by commas",
)
READER = RelationSetting(
    name="reader",
    values=("PATH",),
    default="",
    meaning="MODULE:FUNC that is given a question and an answer and returns the text to read, or None to leave it",
)
WORDINGS = RelationSetting(
    name="wordings",
    values=("PATH",),
    default="",
    meaning="a TOML file with wordings of your own for the questions of all relations (docs/how-to/words.md)",
)
RUN_SETTINGS = (THOUGHT_TAGS, READER, WORDINGS)
"""Settings of how all answers are read, and all questions worded."""

OTHER = "other"
"""The kind of relations that are not built in."""

_NO_SETTINGS: Mapping[str, str] = MappingProxyType({})


class Kind(StrEnum):
    """The kind of failure that a relation finds, in the words of ``vqamt list``."""

    COUNTS = "counts that do not add up"
    CHANGES = "overlooked changes"
    DISTRACTED = "answers that change with what does not matter"
    WORDING = "answers that change with the wording"
    OPTIONS = "answers that change with the options"
    CONTRADICTIONS = "contradictions"
    PLACES = "wrong places"
    ASKER = "answers that follow the asker"
    PICTURES = "pictures and turns that are lost or mixed up"
    NOISE = "noise and faults of the deployment"


KINDS: tuple[str, ...] = tuple(kind.value for kind in Kind)


class Row(NamedTuple):
    """Where a built-in relation is defined, and what it finds."""

    place: str
    """Module, below this package, and class."""
    kind: Kind


TABLE: dict[str, Row] = {
    "metavqa.partition": Row("metavqa:Partition", Kind.COUNTS),
    "metavqa.reorder": Row("metavqa:Reorder", Kind.WORDING),
    "metavqa.reversion": Row("metavqa:Reversion", Kind.CONTRADICTIONS),
    "metavqa.cutting": Row("metavqa:Cutting", Kind.COUNTS),
    "metavqa.insertion": Row("metavqa:Insertion", Kind.DISTRACTED),
    "metavqa.insertion_plus": Row("metavqa:InsertionPlus", Kind.CHANGES),
    "metavqa.removal": Row("metavqa:Removal", Kind.DISTRACTED),
    "metavqa.removal_plus": Row("metavqa:RemovalPlus", Kind.CHANGES),
    "carets.rephrase": Row("carets:Rephrase", Kind.WORDING),
    "carets.ontological": Row("carets:Ontological", Kind.CONTRADICTIONS),
    "carets.order": Row("carets:Order", Kind.WORDING),
    "carets.visual": Row("carets_visual:Visual", Kind.DISTRACTED),
    "carets.negation": Row("carets:Negation", Kind.CONTRADICTIONS),
    "carets.antonym": Row("carets:Antonym", Kind.CONTRADICTIONS),
    "carets.published": Row("published:PublishedPairs", Kind.CONTRADICTIONS),
    "veglue.vqa_mr1": Row("veglue:VqaMr1", Kind.CHANGES),
    "veglue.vqa_mr2": Row("veglue:VqaMr2", Kind.CHANGES),
    "veglue.vqa_mr3": Row("veglue:VqaMr3", Kind.DISTRACTED),
    "veglue.mr1_joint_erase": Row("veglue:JointErase", Kind.CHANGES),
    "veglue.mr2_linked_erase": Row("veglue:LinkedErase", Kind.CHANGES),
    "veglue.mr3_unlinked_erase": Row("veglue:UnlinkedErase", Kind.DISTRACTED),
    "veglue.corruption": Row("veglue:HypothesisCorruption", Kind.DISTRACTED),
    "text.antonym_swap": Row("text_edits:AntonymSwap", Kind.CONTRADICTIONS),
    "text.word_substitution": Row("text_edits:WordSubstitution", Kind.WORDING),
    "metaic.object_appearance": Row("metaic:ObjectAppearance", Kind.CHANGES),
    "metaic.singular_plural": Row("metaic:SingularPlural", Kind.CHANGES),
    "metaic.deeptest": Row("metaic:Deeptest", Kind.DISTRACTED),
    "caption.removal": Row("caption:CaptionRemoval", Kind.CHANGES),
    "caption.layout": Row("caption:CaptionLayout", Kind.DISTRACTED),
    "basic_questions.noise": Row("basic_questions:Noise", Kind.WORDING),
    "corruption": Row("corruption:PictureCorruption", Kind.DISTRACTED),
    "spatial.mirror": Row("spatial:Mirror", Kind.PLACES),
    "spatial.inverse": Row("spatial:Inverse", Kind.PLACES),
    "spatial.antisymmetric": Row("spatial:Antisymmetric", Kind.PLACES),
    "spatial.transitive": Row("spatial:Transitive", Kind.PLACES),
    "count.part_of_whole": Row("count:PartOfWhole", Kind.COUNTS),
    "control.repeat": Row("control:Repeat", Kind.NOISE),
    "control.reencode": Row("control:Reencode", Kind.NOISE),
}

ON_REQUEST: dict[str, Row] = {
    "view.shift": Row("view:Shift", Kind.DISTRACTED),
    "view.pad": Row("view:Pad", Kind.DISTRACTED),
    "view.rescale": Row("view:Rescale", Kind.DISTRACTED),
    "view.jpeg": Row("view:Jpeg", Kind.DISTRACTED),
    "view.recolour": Row("recolour:Recolour", Kind.CHANGES),
    "spatial.rotate": Row("spatial:Rotate", Kind.PLACES),
    "count.compose": Row("count:Compose", Kind.COUNTS),
    "count.prior": Row("count:Prior", Kind.COUNTS),
    "lang.switch": Row("lang:Switch", Kind.WORDING),
    "agree.form": Row("agree:Form", Kind.CONTRADICTIONS),
    "think.on_off": Row("control:OnOff", Kind.CONTRADICTIONS),
    "lead.belief": Row("lead:Belief", Kind.ASKER),
    "lead.authority": Row("lead:Authority", Kind.ASKER),
    "absent.premise": Row("presence:Premise", Kind.ASKER),
    "negation.scope": Row("presence:Scope", Kind.CONTRADICTIONS),
    "choice.rotate": Row("choice:Rotate", Kind.OPTIONS),
    "choice.labels": Row("choice:Labelled", Kind.OPTIONS),
    "choice.none": Row("choice:NoneOfThese", Kind.OPTIONS),
    "overlay.text": Row("overlay:Text", Kind.DISTRACTED),
    "overlay.question": Row("overlay:DrawnQuestion", Kind.DISTRACTED),
    "question.frame": Row("question:Frame", Kind.WORDING),
    "question.spelling": Row("question:Respelling", Kind.WORDING),
    "question.mirror": Row("question:Mirror", Kind.DISTRACTED),
    "question.tilt": Row("question:Tilt", Kind.DISTRACTED),
    "multi.which": Row("several:Which", Kind.PICTURES),
    "multi.order": Row("several:Order", Kind.PICTURES),
    "multi.sum": Row("several:Sum", Kind.PICTURES),
    "multi.same": Row("several:Same", Kind.PICTURES),
    "multi.distract": Row("several:Distract", Kind.PICTURES),
    "multi.interleave": Row("several:Interleave", Kind.PICTURES),
    "turn.repeat": Row("turns:Repeat", Kind.PICTURES),
    "turn.later": Row("turns:Later", Kind.PICTURES),
    "turn.last": Row("turns:Last", Kind.PICTURES),
    "film.reverse": Row("film:Reverse", Kind.PICTURES),
    "film.order": Row("film:Order", Kind.PICTURES),
    "film.repeat": Row("film:Repeat", Kind.PICTURES),
    "film.drop": Row("film:Drop", Kind.PICTURES),
    "lead.pushback": Row("turns:Pushback", Kind.ASKER),
    "form.jpeg": Row("file_forms:JpegFile", Kind.NOISE),
    "form.webp": Row("file_forms:WebPFile", Kind.NOISE),
    "form.png": Row("file_forms:PngFile", Kind.NOISE),
    "form.exif": Row("file_forms:ExifFile", Kind.NOISE),
}
"""Built-in relations that run only where a pattern, or one of a preset, begins with their prefix ("view")."""

_PROBED = "serving"
"""The prefix of relations that checked deployments until ``vqamt probe`` did."""

BUILT_IN = {**TABLE, **ON_REQUEST}
"""All relations of the package."""

_registered: dict[str, Relation] = {}


def register(relation: Relation) -> None:
    """Adds a relation to this session, as ``@vqamt.relation`` does, replacing one of the same name.

    Raises:
        OptionError: a built-in relation has the name.
        VqamtError: its ``derive`` does not take the draw alone.
    """
    _check_is_free(relation.info.name)
    _registered[relation.info.name] = checked(relation)


def check_new_name(name: object) -> None:
    """Checks a name for a relation of a user's.

    Raises:
        VqamtError: it is not a prefix and a name, or a built-in relation has it.
    """
    if (
        not isinstance(name, str)
        or name.count(".") != 1
        or not all(part.replace("_", "").isalnum() for part in name.split("."))
    ):
        raise VqamtError(f"Expected the name of a relation to look like 'ours.mirror', but got name={name!r}")
    _check_is_free(name)


def _check_is_free(name: str) -> None:
    if name in BUILT_IN:
        raise OptionError(
            f"Expected a name that no built-in relation has, but got name={name!r}: choose another prefix"
        )


def names() -> tuple[str, ...]:
    """Returns all names, without importing relations."""
    plugins = (point.name for point in entry_points(group=ENTRY_POINTS))
    return tuple(dict.fromkeys((*BUILT_IN, *plugins, *_registered)))


def kind_of(name: str) -> str:
    """Returns the kind of failure that a relation finds; "other" for one that is not built in."""
    return BUILT_IN[name].kind.value if name in BUILT_IN else OTHER


def get(name: str, settings: Mapping[str, str] = _NO_SETTINGS) -> Relation:
    """Returns the relation of this name, with those of ``settings`` that it has.

    Raises:
        OptionError: the relation or a setting's value is unknown, or what a setting names cannot be read.
    """
    if name in BUILT_IN:
        module, _, attribute = BUILT_IN[name].place.partition(":")
        return _instantiate(getattr(import_module(f"pytest_vqamt.relations.{module}"), attribute), settings)
    if name in _registered:
        return _registered[name]
    # After the session's own, so that a user's relation of the same name wins over a plugin's.
    for point in entry_points(group=ENTRY_POINTS, name=name):
        loaded = point.load()
        return checked(_instantiate(loaded, settings) if isinstance(loaded, type) else cast("Relation", loaded))
    raise OptionError(f"Expected the name of a relation, but got {name!r}; {_nearest(name)}")


def select(
    wanted: Sequence[str] = (), excluded: Sequence[str] = (), settings: Mapping[str, str] = _NO_SETTINGS
) -> tuple[tuple[Relation, str], ...]:
    """Returns relation variants in catalogue order: those that ``wanted`` matches, less ``excluded``.

    Those ``ON_REQUEST`` are chosen neither by default nor by "*".

    Raises:
        OptionError: a pattern matches nothing, or a setting cannot have its value.
    """
    check((*wanted, *excluded))
    reworded = _rewording(settings)

    def is_wanted(name: str) -> bool:
        return name not in ON_REQUEST or any(pattern.startswith(name.partition(".")[0]) for pattern in wanted)

    return tuple(
        (reworded(relation), variant)
        for item, relation, variant in _items(filter(is_wanted, _names_for(wanted) if wanted else names()), settings)
        if (not wanted or _matches_any(wanted, item)) and not _matches_any(excluded, item)
    )


def _rewording(settings: Mapping[str, str]) -> Callable[[Relation], Relation]:
    if not settings.get(WORDINGS.name):
        return lambda relation: relation
    from pytest_vqamt.relations.own_wordings import RewordedRelation, read_wordings

    wordings = read_wordings(Path(settings[WORDINGS.name]))

    def reworded(relation: Relation) -> Relation:
        # Published pairs are compared with the paper's figures, so their texts stay.
        is_asked_by_us = relation.info.task is Task.VQA and not isinstance(relation, PublishedRelation)
        return RewordedRelation(relation, wordings) if is_asked_by_us else relation

    return reworded


def check(patterns: Sequence[str], what: str = "a relation or a glob of relations") -> None:
    """Checks that each pattern matches a relation; ``what`` describes a pattern in the message.

    Raises:
        OptionError: a pattern matches nothing.
    """
    for pattern in patterns:
        if not any(matches(pattern, item) for item, _, _ in _items(_names_for((pattern,)))):
            raise OptionError(f"Expected {what}, but {pattern!r} names none; {_nearest(pattern)}")


def now_probed(name: str) -> str:
    """What does now what a relation of this name did in earlier versions; "" for all other names."""
    if name != _PROBED and not name.startswith(f"{_PROBED}."):
        return ""
    return "vqamt probe MODEL --data SPEC checks a deployment on your photos now (docs/how-to/probe.md)"


def _nearest(pattern: str) -> str:
    """The end of a message about a pattern that matches nothing: the nearest name, or all families."""
    if advice := now_probed(pattern):
        return advice
    if pattern in PRESETS:
        return f"it is a preset: {option('preset')}={pattern}"
    if "[" in pattern:
        known = [item for item, _, _ in _items(names())]
    else:
        # A user who types "partition" means "metavqa.partition".
        without_family = {name.partition(".")[2]: name for name in names()}
        if pattern in without_family:
            return f"did you mean {without_family[pattern]!r}?"
        known = list(names())
    families = families_of(names())
    globs = (f"{family}.*" for family in families)
    return did_you_mean(pattern, (*families, *globs, *known), listed=(*families, "and others (vqamt list)"))


def settings_known() -> tuple[RelationSetting, ...]:
    """Returns the settings of all relations, each name once, in catalogue order."""
    found: dict[str, RelationSetting] = {}
    for name in names():
        for each in get(name).info.settings:
            found.setdefault(each.name, each)
    return tuple(found.values())


def split_settings(
    given: Mapping[str, str], others: Collection[str] | None, what: str
) -> tuple[dict[str, str], dict[str, str]]:
    """Splits settings into those of relations and those of models.

    Args:
        given: values by name.
        others: the names that models take, where ``body.NAME`` stands for any name after the dot; None lets them take
            any.
        what: what gave the settings, for messages: "--vqamt-option".

    The inpainter is resolved here: from now on this process knows its checkpoint by the digest that recipes carry.

    Raises:
        OptionError: a name is unknown, or has a wrong value.
    """
    # Looking up the settings of relations imports every relation.
    known = {each.name: each for each in (*RUN_SETTINGS, *settings_known())} if given else {}
    of_relations: dict[str, str] = {}
    of_others: dict[str, str] = {}
    for name, value in given.items():
        if name not in known and others is not None and not {name, _any_name(name)} & set(others):
            hint = did_you_mean(name, (*known, *others))
            raise OptionError(f"Expected {what} to name a setting, but got '{name}={value}'; {hint}")
        if name not in known:
            of_others[name] = value
        elif known[name].takes(value):
            of_relations[name] = value
        else:
            values = ", ".join(known[name].values)
            raise OptionError(f"Expected {what} to give {name} one of {values}, but got '{name}={value}'")
    if of_relations:
        from pytest_vqamt.relations.edits import INPAINT

        if INPAINT.name in of_relations:
            method_of(of_relations[INPAINT.name])
    return of_relations, of_others


def _any_name(name: str) -> str:
    """The name of the group of settings that this one may belong to."""
    group, dot, rest = name.partition(".")
    return f"{group}.NAME" if dot and rest else ""


def _instantiate(relation: Callable[..., Relation], settings: Mapping[str, str]) -> Relation:
    info: RelationInfo | None = getattr(relation, "info", None)
    own = info.settings if isinstance(info, RelationInfo) else ()
    for each in own:
        value = settings.get(each.name, each.default)
        if not each.takes(value):
            raise OptionError(
                f"Expected {setting(each.name, 'VALUE')} with one of {', '.join(each.values)}, "
                f"but got {each.name}={value!r}"
            )
    given = {each.field: settings[each.name] for each in own if each.name in settings}
    made = relation(**given)
    if given:
        resources_of(made)  # opens what a setting names, so that errors are reported before a model is loaded
    return made


def _names_for(patterns: Sequence[str]) -> Iterator[str]:
    """Yields the names of relations whose items the patterns may match: a run imports no other relation."""
    stems = [_stem(pattern) for pattern in patterns]
    return (name for name in names() if _matches_any(stems, name))


def _stem(pattern: str) -> str:
    """Returns a pattern of the names of all relations that have an item which ``pattern`` matches."""
    if "[" in pattern:
        return pattern.partition("[")[0]
    before, star, _ = pattern.partition("*")  # the first star may reach into the variant: "*object*"
    return f"{before}*" if star else pattern


def _items(relations: Iterable[str], settings: Mapping[str, str] = _NO_SETTINGS) -> Iterator[tuple[str, Relation, str]]:
    for name in relations:
        relation = get(name, settings)
        for variant in relation.info.variants:
            yield item_name(name, variant), relation, variant


def _matches_any(patterns: Iterable[str], item: str) -> bool:
    return any(matches(pattern, item) for pattern in patterns)


def own_names() -> tuple[str, ...]:
    """Returns the names of the relations that users and plugins add, which run beside every default preset."""
    return tuple(name for name in names() if name not in BUILT_IN)


def globs_of(value: str | Sequence[str], spelt: str = "") -> tuple[str, ...]:
    """Returns comma-separated globs, or several, one by one; ``all`` is the glob ``*``.

    >>> globs_of("metavqa.*, control.*"), globs_of("all")
    (('metavqa.*', 'control.*'), ('*',))

    Raises:
        OptionError: there are commas and no name, which would mean all, in an option that is ``spelt`` so.
    """
    parts = value.split(",") if isinstance(value, str) else value
    globs = tuple("*" if part.strip() == "all" else part.strip() for part in parts if part.strip())
    if spelt and value and not globs:
        raise OptionError(f"Expected {spelt} to name relations, comma-separated, but got {value!r}")
    return globs
