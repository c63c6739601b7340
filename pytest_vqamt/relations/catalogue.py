"""The catalogue: built-in relations in the order of the papers, then those of plugins, then those of the session."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias, cast

from pytest_vqamt.core.case import (
    Case,
    Fact,
    NotApplicable,
    PairKind,
    RelationInfo,
    RelationSetting,
    Verdict,
    item_name,
)
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.entry_points import entry_points
from pytest_vqamt.core.errors import OptionError, VqamtError, cut_to_user_code, did_you_mean, location
from pytest_vqamt.core.identity import families_of, matches
from pytest_vqamt.core.meaning import Annotated, Describe, Label, groups_of
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Answer, Query, Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.core.spelling import option, setting
from pytest_vqamt.imaging.inpainting import method_of
from pytest_vqamt.language.answers.reading import plain_meaning
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.relations.base import PublishedRelation, Relation, resources_of
from pytest_vqamt.relations.expectations import Expectation
from pytest_vqamt.sampling.chooser import Chooser

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

TABLE: dict[str, str] = {
    "metavqa.partition": "pytest_vqamt.relations.metavqa.partition:Partition",
    "metavqa.reorder": "pytest_vqamt.relations.metavqa.reorder:Reorder",
    "metavqa.reversion": "pytest_vqamt.relations.metavqa.reversion:Reversion",
    "metavqa.cutting": "pytest_vqamt.relations.metavqa.cutting:Cutting",
    "metavqa.insertion": "pytest_vqamt.relations.metavqa.insertion:Insertion",
    "metavqa.insertion_plus": "pytest_vqamt.relations.metavqa.insertion_plus:InsertionPlus",
    "metavqa.removal": "pytest_vqamt.relations.metavqa.removal:Removal",
    "metavqa.removal_plus": "pytest_vqamt.relations.metavqa.removal_plus:RemovalPlus",
    "carets.rephrase": "pytest_vqamt.relations.carets.rephrase:Rephrase",
    "carets.ontological": "pytest_vqamt.relations.carets.ontological:Ontological",
    "carets.order": "pytest_vqamt.relations.carets.order:Order",
    "carets.visual": "pytest_vqamt.relations.carets.visual:Visual",
    "carets.negation": "pytest_vqamt.relations.carets.negation:Negation",
    "carets.antonym": "pytest_vqamt.relations.carets.antonym:Antonym",
    "carets.published": "pytest_vqamt.relations.published:PublishedPairs",
    "veglue.vqa_mr1": "pytest_vqamt.relations.veglue.vqa_mr1:VqaMr1",
    "veglue.vqa_mr2": "pytest_vqamt.relations.veglue.vqa_mr2:VqaMr2",
    "veglue.vqa_mr3": "pytest_vqamt.relations.veglue.vqa_mr3:VqaMr3",
    "veglue.mr1_joint_erase": "pytest_vqamt.relations.veglue.mr1_joint_erase:JointErase",
    "veglue.mr2_linked_erase": "pytest_vqamt.relations.veglue.mr2_linked_erase:LinkedErase",
    "veglue.mr3_unlinked_erase": "pytest_vqamt.relations.veglue.mr3_unlinked_erase:UnlinkedErase",
    "veglue.corruption": "pytest_vqamt.relations.veglue.corruption:HypothesisCorruption",
    "text.antonym_swap": "pytest_vqamt.relations.text.antonym_swap:AntonymSwap",
    "text.word_substitution": "pytest_vqamt.relations.text.word_substitution:WordSubstitution",
    "metaic.object_appearance": "pytest_vqamt.relations.metaic.object_appearance:ObjectAppearance",
    "metaic.singular_plural": "pytest_vqamt.relations.metaic.singular_plural:SingularPlural",
    "metaic.deeptest": "pytest_vqamt.relations.metaic.deeptest:Deeptest",
    "caption.removal": "pytest_vqamt.relations.caption.removal:CaptionRemoval",
    "caption.layout": "pytest_vqamt.relations.caption.layout:CaptionLayout",
    "basic_questions.noise": "pytest_vqamt.relations.basic_questions.noise:Noise",
    "corruption": "pytest_vqamt.relations.corruption:PictureCorruption",
    "spatial.mirror": "pytest_vqamt.relations.spatial:Mirror",
    "spatial.inverse": "pytest_vqamt.relations.spatial:Inverse",
    "spatial.antisymmetric": "pytest_vqamt.relations.spatial:Antisymmetric",
    "spatial.transitive": "pytest_vqamt.relations.spatial:Transitive",
    "count.part_of_whole": "pytest_vqamt.relations.count:PartOfWhole",
    "control.repeat": "pytest_vqamt.relations.control:Repeat",
    "control.reencode": "pytest_vqamt.relations.control:Reencode",
}

ON_REQUEST: dict[str, str] = {
    "serving.another_picture": "pytest_vqamt.relations.serving:AnotherPicture",
    "serving.another_text": "pytest_vqamt.relations.serving:AnotherText",
    "serving.colours": "pytest_vqamt.relations.serving:Colours",
    "serving.size": "pytest_vqamt.relations.serving:Size",
    "serving.file_form": "pytest_vqamt.relations.serving:StoredForm",
    "serving.long_text": "pytest_vqamt.relations.serving:LongText",
    "view.shift": "pytest_vqamt.relations.view:Shift",
    "view.pad": "pytest_vqamt.relations.view:Pad",
    "view.rescale": "pytest_vqamt.relations.view:Rescale",
    "view.jpeg": "pytest_vqamt.relations.view:Jpeg",
    "view.recolour": "pytest_vqamt.relations.recolour:Recolour",
    "spatial.rotate": "pytest_vqamt.relations.spatial:Rotate",
    "count.compose": "pytest_vqamt.relations.count:Compose",
    "count.prior": "pytest_vqamt.relations.count:Prior",
    "lang.switch": "pytest_vqamt.relations.lang:Switch",
    "agree.form": "pytest_vqamt.relations.agree:Form",
    "think.on_off": "pytest_vqamt.relations.control:OnOff",
    "lead.belief": "pytest_vqamt.relations.lead:Belief",
    "lead.authority": "pytest_vqamt.relations.lead:Authority",
    "absent.premise": "pytest_vqamt.relations.presence:Premise",
    "negation.scope": "pytest_vqamt.relations.presence:Scope",
    "choice.rotate": "pytest_vqamt.relations.choice:Rotate",
    "choice.labels": "pytest_vqamt.relations.choice:Labelled",
    "choice.none": "pytest_vqamt.relations.choice:NoneOfThese",
    "overlay.text": "pytest_vqamt.relations.overlay:Text",
    "overlay.question": "pytest_vqamt.relations.overlay:DrawnQuestion",
    "question.frame": "pytest_vqamt.relations.question:Frame",
    "question.spelling": "pytest_vqamt.relations.question:Spelling",
    "question.mirror": "pytest_vqamt.relations.question:Mirror",
    "question.tilt": "pytest_vqamt.relations.question:Tilt",
}
"""Built-in relations that run only where a pattern, or one of a preset, begins with their prefix ("serving")."""

BUILT_IN = {**TABLE, **ON_REQUEST}
"""All relations of the package."""

KINDS: Mapping[str, tuple[str, ...]] = {
    "counts that do not add up": ("metavqa.partition", "metavqa.cutting", "count.*"),
    "overlooked changes": (
        "metavqa.insertion_plus", "metavqa.removal_plus", "veglue.vqa_mr[12]", "veglue.mr[12]_*",
        "metaic.object_appearance", "metaic.singular_plural", "caption.removal", "view.recolour",
    ),
    "answers that change with what does not matter": (
        "metavqa.insertion", "metavqa.removal", "carets.visual", "veglue.vqa_mr3", "veglue.mr3_*", "veglue.corruption",
        "corruption", "metaic.deeptest", "caption.layout", "view.*", "overlay.*", "question.mirror", "question.tilt",
    ),
    "answers that change with the wording": (
        "metavqa.reorder", "carets.rephrase", "carets.order", "text.word_substitution", "basic_questions.*", "lang.*",
        "question.*",
    ),
    "answers that change with the options": ("choice.*",),
    "contradictions": (
        "metavqa.reversion", "carets.negation", "carets.antonym", "carets.ontological", "carets.published",
        "text.antonym_swap", "negation.*", "agree.*", "think.*",
    ),
    "wrong places": ("spatial.*",),
    "answers that follow the asker": ("lead.*", "absent.*"),
    "noise and faults of the deployment": ("control.*", "serving.*"),
}  # fmt: skip
"""The kinds of failure that relations find, with the names of relations as globs; the first that matches counts."""

_NO_SETTINGS: Mapping[str, str] = MappingProxyType({})

_registered: dict[str, Relation] = {}


def register(relation: Relation) -> None:
    """Adds a relation to this session, as ``@vqamt.relation`` does, replacing one of the same name.

    Raises:
        OptionError: a built-in relation has the name.
    """
    _check_is_free(relation.info.name)
    _registered[relation.info.name] = relation


def check_new_name(name: str) -> None:
    """Checks a name for a relation of a user's.

    Raises:
        VqamtError: it is not a prefix and a name, or a built-in relation has it.
    """
    if name.count(".") != 1 or not all(part.replace("_", "").isalnum() for part in name.split(".")):
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
    found = (kind for kind, globs in KINDS.items() if any(fnmatchcase(name, glob) for glob in globs))
    return next(found, OTHER) if name in BUILT_IN else OTHER


OTHER = "other"


def get(name: str, settings: Mapping[str, str] = _NO_SETTINGS) -> Relation:
    """Returns the relation of this name, with those of ``settings`` that it has.

    Raises:
        OptionError: the relation or a setting's value is unknown, or what a setting names cannot be read.
    """
    if name in BUILT_IN:
        module, _, attribute = BUILT_IN[name].partition(":")
        return _instantiate(getattr(import_module(module), attribute), settings)
    if name in _registered:
        return _registered[name]
    for point in entry_points(group=ENTRY_POINTS, name=name):
        loaded = point.load()
        return _instantiate(loaded, settings) if isinstance(loaded, type) else cast("Relation", loaded)
    raise OptionError(f"Expected the name of a relation, but got {name!r}; {did_you_mean(name, names())}")


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


def _nearest(pattern: str) -> str:
    """The end of a message about a pattern that matches nothing: the nearest name, or all families."""
    if pattern in PRESETS:
        return f"it is a preset: {option('preset')}={pattern}"
    if "[" in pattern:
        known = [item for item, _, _ in _items(names())]
    else:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """Relations, as globs, and their settings other than the defaults.

    ``contrasts`` says whether some cases have a contrast by default; a paper's preset asks what its paper asked.
    """

    relations: tuple[str, ...]
    settings: Mapping[str, str] = field(default_factory=dict)
    contrasts: bool = False


# "quick" has one relation or two of each kind that anyone understands, all of them with contrasts, and needs no extra.
# "today" has the relations to gate a chat model on: of each kind of failure those that find the most planted faults for
# their queries (tests/soundness/graded_faults.json), 3,000 distinct queries in all at 100 cases each.
# "questions" has all that need no scene graph: what runs on photos with questions.
PRESETS: Mapping[str, Preset] = {
    "metavqa": Preset(relations=("metavqa.*",), settings={"erase": "white"}),
    "carets": Preset(relations=("carets.*",)),
    "veglue": Preset(
        relations=("veglue.mr*", "veglue.corruption*", "text.antonym_swap", "text.word_substitution"),
        settings={"erase": "inpaint", "overlap": "iou"},
    ),
    "basic-questions": Preset(relations=("basic_questions.*",), settings={"ranking": "lasso"}),
    "metaic": Preset(relations=("metaic.*",), settings={"metaic": "strict"}),
    "quick": Preset(
        relations=(
            "metavqa.partition[object]",
            "metavqa.removal_plus",
            "carets.rephrase",
            "carets.negation",
            "carets.antonym",
            "carets.visual[blur6]",
            "spatial.mirror[opposite]",
            "metaic.object_appearance[0]",
        ),
        contrasts=True,
    ),
    "today": Preset(
        relations=(
            "metavqa.partition[object]",
            "metavqa.removal_plus",
            "count.prior[more]",
            "carets.visual[mask]",
            "view.shift",
            "overlay.text[contradicting]",
            "carets.rephrase",
            "choice.none",
            "carets.negation",
            "spatial.mirror[opposite]",
            "lead.belief",
            "absent.premise",
        ),
        contrasts=True,
    ),
    "questions": Preset(
        relations=(
            "corruption[*-global]",
            "metaic.deeptest*",
            "control.*",
            "view.shift",
            "view.pad",
            "view.rescale*",
            "view.jpeg",
            "lead.*",
            "choice.*",
            "overlay.question",
            "question.*",
        ),
        contrasts=True,
    ),
}


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


def preset(name: str) -> Preset:
    """Returns the preset of this name.

    Raises:
        OptionError: there is no such preset.
    """
    if name not in PRESETS:
        raise OptionError(f"Expected a preset, but got {option('preset')}={name!r}; {did_you_mean(name, PRESETS)}")
    return PRESETS[name]


Input: TypeAlias = "tuple[Picture, Question | str]"
"""A picture, and what is asked about it."""

FollowUp: TypeAlias = "Input | Picture | Question | str"
"""An input, or what is new in it: another picture with the same question, or another question on the same picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What a user's relation returns, made by ``case``.

    Attributes:
        inputs: the source input first.
        expected: how the answers relate, in words; "" for the claim of the relation.
        facts: names and values by which the report can be read.
    """

    inputs: tuple[Input, ...]
    expected: str
    facts: tuple[tuple[str, Fact], ...] = ()


Derive: TypeAlias = Callable[[Scene, Corpus, Chooser], "Draft | NotApplicable"]


def case(
    picture: Picture,
    question: Question | str,
    *,
    follow_up: FollowUp | Sequence[FollowUp],
    expected: str = "",
    facts: Mapping[str, Fact] | tuple[tuple[str, Fact], ...] = (),
) -> Draft:
    """A case of one source input and one follow-up or several, which a relation returns.

    Args:
        picture: the picture of the source input.
        question: a plain text, or a ``Question`` of ``vqamt.ask`` or ``vqamt.Question.free``. The text decides whether
            the answer is yes or no, or a number. Where it just names things that the data annotate ("Is there a
            dog?"), the right answer is known, so that the oracle can answer and the case can have a contrast.
        follow_up: ``(picture, question)``, just a picture with the same question, just a question about the same
            picture, or a list of these.
        expected: describes how the answers relate; by default the report shows the claim.
        facts: names and values for the report and ``cases.jsonl``.
    """
    several = (follow_up,) if _is_one(follow_up) else tuple(cast("Sequence[FollowUp]", follow_up))
    inputs = ((picture, question), *(_input(each, picture, question) for each in several))
    for place, (each, text) in enumerate(cast("tuple[tuple[object, object], ...]", inputs)):
        if not isinstance(each, Picture) or not isinstance(text, Question | str):
            raise VqamtError(
                f"Expected a picture and a question in input {place + 1} of vqamt.case, but got {each!r} and {text!r}: "
                "give scene.picture or an edit of it, and a text or a vqamt.Question"
            )
    return Draft(inputs=inputs, expected=expected, facts=tuple(facts.items() if isinstance(facts, Mapping) else facts))


def _is_one(follow_up: object) -> bool:
    if isinstance(follow_up, Picture | Question | str) or not isinstance(follow_up, Sequence):
        return True
    return len(follow_up) == 2 and isinstance(follow_up[0], Picture) and isinstance(follow_up[1], Question | str)


def _input(follow_up: object, picture: Picture, question: Question | str) -> Input:
    if isinstance(follow_up, Picture):
        return follow_up, question
    if isinstance(follow_up, Question | str):
        return picture, follow_up
    if not isinstance(follow_up, Sequence) or len(follow_up) != 2:
        raise VqamtError(
            f"Expected a follow-up to be (picture, question), a picture, or a question, but got follow_up={follow_up!r}"
        )
    return follow_up[0], follow_up[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class UserRelation:
    """A relation made of a function that drafts cases, and an expectation."""

    info: RelationInfo
    draft: Derive
    expect: Expectation

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        draft = self.draft(scene, corpus, choose)
        if isinstance(draft, NotApplicable):
            return draft
        if not isinstance(draft, Draft):
            raise VqamtError(
                f"Expected relation {self.info.name!r} ({location(self.draft)}) to return vqamt.case(...) or "
                f"vqamt.NotApplicable(reason=...), but got {draft!r}"
            )
        return Case(
            relation=self.info.name,
            variant=variant,
            scene=scene.id,
            queries=tuple(
                Query(picture=picture, text=question.text, meaning=question.meaning, task=self.info.task)
                for picture, question in self._asked(draft.inputs, scene, corpus)
            ),
            expected=draft.expected or self.info.claim,
            facts=draft.facts,
        )

    def _asked(self, inputs: Sequence[Input], scene: Scene, corpus: Corpus) -> Iterator[tuple[Picture, Question]]:
        for picture, question in inputs:
            if isinstance(question, Question):
                yield picture, question
                continue
            try:
                yield picture, _question_of(question, self.info.task, scene, corpus)
            except VqamtError as error:
                raise VqamtError(f"{error} (in relation {self.info.name!r}, {location(self.draft)})") from None

    def judge(self, case: Case, answers: Sequence[Answer]) -> Verdict:
        try:
            verdict = self.expect(case, answers)
        except VqamtError as error:
            if cut_to_user_code(error.__traceback__) is None:  # no line of the user's is in its traceback
                raise VqamtError(f"{error} ({location(self.draft)})") from error
            raise
        if not isinstance(verdict, Verdict):
            raise VqamtError(
                f"Expected the expectation of relation {self.info.name!r} ({location(self.expect)}) to return a "
                f"vqamt.Verdict, but got {verdict!r}: put @vqamt.expectation on a function that returns True or False"
            )
        return verdict


def _question_of(text: str, task: Task, scene: Scene, corpus: Corpus) -> Question:
    """Returns the question of a plain text: one whose truth is known where it just names things of the data."""
    if task is Task.CAPTIONING:
        return Question(text, Describe())
    if task is Task.ENTAILMENT:
        return Question(text, Annotated(answers=(), options=tuple(label.value for label in Label)))
    meaning = plain_meaning(text)
    if meaning is None:
        return Question.free(text)
    here = {thing.name for thing in scene.objects}
    known = all(
        (group.name in corpus.frequency or group.name in here)
        and set(group.attributes) <= {attribute for attribute, _ in corpus.attributes.get(group.name, ())}
        for group in groups_of(meaning)
    )
    return Question(text, meaning) if known else Question.free(text)


def relation(
    name: str,
    *,
    expect: Expectation,
    task: str = "vqa",
    version: int = 1,
    tags: tuple[str, ...] = (),
    contrast: bool | int = True,
    directional: bool = False,
    pairs: str | None = None,
    breakdown: tuple[str, ...] = (),
) -> Callable[[Derive], UserRelation]:
    """Makes a relation of a function ``(scene, corpus, choose) -> vqamt.case(...)`` and adds it to the session.

    Args:
        name: a prefix and a name, "ours.mirror".
        expect: how the answers relate: ``vqamt.same_answer``, ``vqamt.opposite_answer``, ``vqamt.sum_of_parts``, or any
            function of a case and its answers that returns a Verdict.
        task: "vqa", "entailment" or "captioning".
        version: raise it when the function's wording or sampling changes.
        tags: "baseline" keeps it out of gates that do not name it.
        contrast: False if its cases get no contrast, or the number of the question, from 0, that gets it. By default
            it is the first for which another picture has another right answer.
        directional: whether only a model that looks at the picture can satisfy it; then a case is its own contrast.
        pairs: "same", "opposite" or "implied" (``vqamt.PairKind``) adds the metrics of pairs, ACC, CONS and C-ACC, for
            cases of two questions whose right answers are known.
        breakdown: the names of facts of ``vqamt.case`` by which the report breaks verdicts down.

    Raises:
        VqamtError: the name, the task, the expectation or the kind of pairs cannot be used.
    """
    check_new_name(name)
    if task not in tuple(Task):
        raise VqamtError(f"Expected a task, but got task={task!r}; {did_you_mean(task, tuple(Task))}")
    if not callable(expect):
        raise VqamtError(f"Expected a function such as vqamt.same_answer, but got expect={expect!r}")
    if pairs is not None and pairs not in tuple(PairKind):
        raise VqamtError(f"Expected a kind of pairs, but got pairs={pairs!r}; {did_you_mean(pairs, tuple(PairKind))}")

    def declare(draft: Derive) -> UserRelation:
        claim = (draft.__doc__ or expect.__doc__ or name).strip().splitlines()[0]
        made = UserRelation(
            info=RelationInfo(
                name=name,
                task=Task(task),
                claim=claim,
                source=f"{draft.__module__}",
                version=version,
                tags=tags,
                contrast=contrast,
                directional=("",) if directional else (),
                pairs=None if pairs is None else PairKind(pairs),
                breakdown=breakdown,
            ),
            draft=draft,
            expect=expect,
        )
        register(made)
        return made

    return declare
