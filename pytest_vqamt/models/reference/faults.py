"""``fault:NAME``: the oracle with one planted fault; ``fault:NAME@0.05`` has it in that share of the queries.

Each relation must catch the faults it is made for, which shows that its passes mean something.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from math import nan
from types import MappingProxyType
from typing import assert_never, cast

from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.edits import (
    BESIDE,
    Beside,
    Blur,
    Crop,
    Cut,
    Edit,
    Erase,
    FileForm,
    Insert,
    Jpeg,
    Mask,
    Mirror,
    Pad,
    Recolour,
    Reencode,
    Rescale,
    Rotate,
    Shift,
    Store,
    with_objects,
)
from pytest_vqamt.core.errors import OptionError, did_you_mean
from pytest_vqamt.core.meaning import (
    NO_SUCH_THING,
    NONE_OF_THESE,
    Absent,
    Annotated,
    Both,
    Choice,
    Count,
    Describe,
    Either,
    Entails,
    Exists,
    Group,
    Happens,
    Has,
    InAll,
    InPicture,
    Inventory,
    Label,
    Located,
    Meaning,
    MovesFirst,
    Neither,
    NotBoth,
    PartCount,
    Property,
    ShowSame,
    Side,
    Truth,
    WhichPicture,
    WhichThere,
    Written,
    members,
    truth,
    what_is_asked,
)
from pytest_vqamt.core.query import Query
from pytest_vqamt.core.scene import Photo, Scene
from pytest_vqamt.core.text import number_of
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.language.ontology import ontology
from pytest_vqamt.language.questions.lettered import has_letters, is_led
from pytest_vqamt.language.questions.simple import is_drawn
from pytest_vqamt.language.translations.translated import ANSWER_IN_ENGLISH
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.reference.conversation_faults import CONVERSATION_FAULTS
from pytest_vqamt.models.reference.oracle import (
    Responder,
    ScriptedModel,
    answer_text,
    answer_to,
    off_by,
    true_answer,
    wrong_answer,
)
from pytest_vqamt.models.reference.other_scenes import (
    BUCKETS,
    GradedModel,
    OtherSceneModel,
    answer_about,
    first_scene,
    is_unseen,
    prior_model,
    scene_by_bucket,
    scene_by_text,
    scene_instead,
    scene_without_specks,
)

INSERTED = "inserted-"
"""The prefix of the ids of inserted objects."""

_WRONG_NAMES = ("zebra", "toaster", "kite", "surfboard")
"""The first of these that names nothing in the picture is the wrong name."""

_OFTEN_SEEN = (
    "cat", "dog", "bird", "horse", "car", "bus", "truck", "boat", "chair", "bed", "bottle", "book", "bowl", "clock",
    "umbrella", "bicycle", "train", "airplane", "bear", "sheep", "cake", "pizza", "apple", "banana",
)  # fmt: skip
"""What ``caption-hallucinates`` names though it is not there."""

_SATURATED = 1
"""The highest count of ``saturates``. With 2, too few things of one name and property would show the fault."""

_MANY = 2
"""The lowest count that ``quantifies`` calls many."""

_SWAPPED_COLORS = MappingProxyType({"red": "blue", "blue": "red"})

_AS_STORED: Mapping[int, tuple[Edit, ...]] = MappingProxyType(
    {
        2: (Mirror(),),
        3: (Rotate(degrees=180),),
        4: (Rotate(degrees=180), Mirror()),
        5: (Rotate(degrees=90), Mirror()),
        6: (Rotate(degrees=270),),
        7: (Rotate(degrees=270), Mirror()),
        8: (Rotate(degrees=90),),
    }
)
"""What makes a picture to the pixels in its file, by the orientation of EXIF."""

FAULTS: dict[str, Fault] = {}
"""Every planted fault by its name."""

_SWAPPED: Mapping[Truth, Label] = MappingProxyType(
    {Label.ENTAILMENT: Label.CONTRADICTION, Label.CONTRADICTION: Label.ENTAILMENT}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A planted fault."""

    description: str
    """One line, as `vqamt list` and docs/reference/faults.md have it."""
    replies: Callable[[], Responder]
    """Makes the responder of one model, which may keep state."""
    each_trial: bool = False
    """True if a share of it is one of the single answers, so that a query asked again may get another."""


def load(argument: str, _options: ModelOptions) -> ScriptedModel:
    """The model with the fault ``NAME``, or with it in a share of the queries: ``NAME@SHARE``.

    Raises:
        OptionError: there is no such fault, or the share is not in (0, 1].
    """
    name, at, share = argument.partition("@")
    if name not in FAULTS:
        hint = did_you_mean(f"fault:{name}", (f"fault:{known_name}" for known_name in FAULTS))
        raise OptionError(f"Expected a planted fault, but got model='fault:{argument}'; {hint}")
    fault = FAULTS[name]
    reply = fault.replies()
    # "fault:NAME" without a share has the fault in every query.
    if not at:
        return ScriptedModel(reply)
    return ScriptedModel(GradedModel(reply, _share(share, argument), each_trial=fault.each_trial))


def check(argument: str, options: ModelOptions) -> None:
    """Checks the argument by loading the fault, which costs nothing."""
    load(argument, options)


def _share(text: str, argument: str) -> float:
    try:
        share = number_of(text)
    except ValueError:
        # Fails the comparison below, as "nan" itself does.
        share = nan
    if not 0 < share <= 1:
        raise OptionError(
            "Expected a share of the queries above 0 and at most 1 after the @, such as fault:always-yes@0.05, but got "
            f"model='fault:{argument}'"
        )
    return share


def _fault(
    name: str, description: str, *, each_trial: bool = False, of_conversations: bool = False
) -> Callable[[Callable[[Query], str | None]], Responder]:
    """Registers a function that gives the fault's answer, or None where the model is to answer rightly.

    Unless it is a fault ``of_conversations``, it is given a question about one picture without what stands around it.
    """

    def register(faulty: Callable[[Query], str | None]) -> Responder:
        @wraps(faulty)
        def reply(query: Query) -> str:
            text = faulty(query if of_conversations else _alone(query))
            return answer_text(true_answer(query)) if text is None else text

        FAULTS[name] = Fault(description=description, replies=lambda: reply, each_trial=each_trial)
        return reply

    return register


def _alone(query: Query) -> Query:
    """The question with the one picture that it is about; the query itself where it is about several."""
    meaning, pictures = query.meaning, query.pictures
    if not query.turns or (len(pictures) > 1 and not isinstance(meaning, InPicture)):
        return query
    which = meaning.which if isinstance(meaning, InPicture) else 0
    return replace(query, picture=pictures[which], meaning=what_is_asked(meaning), turns=())


_fault("always-yes", 'says "yes" whatever is asked')(lambda _query: "yes")
_fault("always-no", 'says "no" whatever is asked')(lambda _query: "no")
_fault("always-zero", 'says "0" whatever is asked')(lambda _query: "0")
_fault("refuses", "declines to answer")(lambda _query: "I cannot help with that.")


@_fault("ignores-negation", 'takes "Is there no dog?" for "Is there a dog?"')
def _ignores_negation(query: Query) -> str | None:
    match query.meaning:
        case Absent(group=group):
            return answer_to(query, Exists(group=group))
        case Neither(groups=groups):
            return answer_to(query, Either(groups=groups))
    # NotBoth is a negation, too.
    return _ignores_not_both(query)


@_fault("ignores-not-both", 'takes "either no dog or no cat" for "both a dog and a cat"')
def _ignores_not_both(query: Query) -> str | None:
    return answer_to(query, Both(groups=query.meaning.groups)) if isinstance(query.meaning, NotBoth) else None


@_fault("hypernym-blind", "does not know that a dog is an animal")
def _hypernym_blind(query: Query) -> str | None:
    match query.meaning:
        case Exists(group=group) | Absent(group=group):
            return answer_to(query, replace(query.meaning, group=_by_name(group)))
        case Both(groups=groups) | NotBoth(groups=groups) | Either(groups=groups) | Neither(groups=groups):
            return answer_to(query, replace(query.meaning, groups=tuple(map(_by_name, groups))))
        case Has(group=group):
            return answer_to(query, replace(query.meaning, group=_related_by_name(group)))
        case Choice(what=what):
            return answer_to(query, replace(query.meaning, what=_related_by_name(what)))
    return None


@_fault("antonym-blind", 'takes "closed" for "open"')
def _antonym_blind(query: Query) -> str | None:
    if not isinstance(query.meaning, Has):
        return None
    # Yes to "Is the door closed?" of an open door, as to "open".
    words = (query.meaning.attribute, *ontology().antonyms(query.meaning.attribute))
    seen = (answer_to(query, replace(query.meaning, attribute=word)) for word in words)
    return answer_text(answer_text(True) in seen)


@_fault("first-choice", "takes the first of the choices that a question names")
def _first_choice(query: Query) -> str | None:
    match query.meaning:
        case Choice(options=options):
            return options[0]
        case WhichThere(groups=groups):
            return groups[0].name
    return None


@_fault("template-sensitive", "is wrong about yes/no questions and choices that are put in an odd number of words")
def _template_sensitive(query: Query) -> str | None:
    is_short = isinstance(query.meaning, Exists | Absent | Both | NotBoth | Either | Neither | Has | Located | Choice)
    return _wrong_text(query) if is_short and len(query.text.split()) % 2 else None


@_fault("reads-last", "answers the last of several questions, which are about something else than the first")
def _reads_last(query: Query) -> str | None:
    return _wrong_text(query) if query.text.count("?") > 1 else None


@_fault("ignores-attributes", 'takes "red cars" for "cars"')
def _ignores_attributes(query: Query) -> str | None:
    return answer_to(query, _without_attributes(query.meaning))


@_fault("first-group-only", 'counts the dogs alone, asked for "dogs and cats"')
def _first_group_only(query: Query) -> str | None:
    return answer_to(query, Count(groups=query.meaning.groups[:1])) if isinstance(query.meaning, Count) else None


@_fault("order-sensitive", "is wrong where groups or choices are not named in the order of the alphabet")
def _order_sensitive(query: Query) -> str | None:
    match query.meaning:
        case Count(groups=groups) if _unsorted(groups):
            return off_by(query, 1)
        case Both(groups=groups) | NotBoth(groups=groups) | Either(groups=groups) | Neither(groups=groups):
            return _wrong_text(query) if _unsorted(groups) else None
        case Located(group=group, other=other):
            return _wrong_text(query) if _unsorted((group, other)) else None
        # What is named in order is answered rightly, so that a relation that changes the order finds the fault.
        case Choice(options=options) if list(options) != sorted(options):
            return _wrong_text(query)
    return None


@_fault("adds-wrong", "counts one too many where several groups are to be added up")
def _adds_wrong(query: Query) -> str | None:
    return off_by(query, 1) if isinstance(query.meaning, Count) and len(query.meaning.groups) > 1 else None


@_fault("counts-pieces-wrong", "counts one too many in a picture that was cut out of another")
def _counts_pieces_wrong(query: Query) -> str | None:
    edits = query.picture.edits
    return off_by(query, 1) if isinstance(query.meaning, Count) and edits and isinstance(edits[-1], Cut) else None


@_fault("off-by-one", "counts one too many, always")
def _off_by_one(query: Query) -> str | None:
    return off_by(query, 1) if isinstance(query.meaning, Count) else None


@_fault("saturates", f"never counts above {_SATURATED}")
def _saturates(query: Query) -> str | None:
    value = true_answer(query)
    return answer_text(min(value, _SATURATED)) if isinstance(query.meaning, Count) and isinstance(value, int) else None


@_fault("sees-absent", "sees one of whatever single group it is asked for, there or not; totals are right")
def _sees_absent(query: Query) -> str | None:
    match query.meaning:
        case Count(groups=(_,)) if true_answer(query) == 0:
            return answer_text(1)
        case Exists():
            return answer_text(True)
    return None


@_fault("quantifies", f'says "many" for {_MANY} or more of one group, and gives totals as numbers')
def _quantifies(query: Query) -> str | None:
    value = true_answer(query)
    match query.meaning:
        case Count(groups=(_,)) if isinstance(value, int) and value >= _MANY:
            return "many"
    return None


@_fault("overcounts-described", "counts one too many of what is described by an attribute")
def _overcounts_described(query: Query) -> str | None:
    is_described = isinstance(query.meaning, Count) and any(group.attributes for group in query.meaning.groups)
    return off_by(query, 1) if is_described else None


@_fault("counts-by-prior", "says how many legs a dog usually has, however many are drawn")
def _counts_by_prior(query: Query) -> str | None:
    if not isinstance(query.meaning, PartCount):
        return None
    # Only where the question is about that one thing: of two dogs the prior is no single number.
    ids = [thing.id for thing in members(query.meaning.group, query.picture.scene)]
    named = (each for each in query.picture.scene.parts if each.name == query.meaning.part)
    return next((answer_text(each.usual) for each in named if [each.thing] == ids), None)


@_fault("left-right-blind", "says that one thing is to the left of another, and to the right of it as well")
def _left_right_blind(query: Query) -> str | None:
    is_level = isinstance(query.meaning, Located) and query.meaning.side in (Side.LEFT, Side.RIGHT)
    return answer_text(True) if is_level else None


@_fault("ignores-side", 'takes "to the right of" for "to the left of", and "lower" for "higher"')
def _ignores_side(query: Query) -> str | None:
    match query.meaning:
        case Located(side=Side.RIGHT | Side.BELOW as side):
            return answer_to(query, replace(query.meaning, side=side.opposite))
    return None


@_fault("mirror-blind", "answers about a mirrored picture as if it were not mirrored")
def _mirror_blind(query: Query) -> str | None:
    # A picture that was mirrored twice is as it was.
    if not sum(isinstance(edit, Mirror) for edit in query.picture.edits) % 2:
        return None
    return answer_text(truth(query.meaning, Mirror().after(query.picture.scene)))


@_fault("near-sighted", "denies the places of two things with more than a third of the picture between them")
def _near_sighted(query: Query) -> str | None:
    if not isinstance(query.meaning, Located):
        return None
    scene = query.picture.scene
    boxes = [thing.box for group in (query.meaning.group, query.meaning.other) for thing in members(group, scene)]
    if not boxes:
        return None
    if query.meaning.side in (Side.LEFT, Side.RIGHT):
        # Between the two that are furthest apart.
        gap, size = max(box.x for box in boxes) - min(box.x1 for box in boxes), scene.width
    else:
        gap, size = max(box.y for box in boxes) - min(box.y1 for box in boxes), scene.height
    return answer_text(False) if gap > size / 3 else None


@_fault("english-only", 'guesses in other languages: "yes", "1", the first of the choices')
def _english_only(query: Query) -> str | None:
    if not _is_foreign(query):
        return None
    match query.meaning:
        case Choice(options=options):
            return options[0]
        case Count():
            return answer_text(1)
    return answer_text(True)


@_fault("counts-in-english-only", "counts one too many in other languages")
def _counts_in_english_only(query: Query) -> str | None:
    return off_by(query, 1) if isinstance(query.meaning, Count) and _is_foreign(query) else None


@_fault("follows-the-asker", "agrees with what is said about the picture before a question")
def _follows_the_asker(query: Query) -> str | None:
    return _wrong_text(query) if is_led(query.text) else None


@_fault("accepts-premises", "gives a property to a thing that is not there, where a question takes it for granted")
def _accepts_premises(query: Query) -> str | None:
    match query.meaning:
        case Property(values=values) if true_answer(query) == NO_SUCH_THING:
            return values[0]
    return None


@_fault("ignores-not", 'takes "Which of these is not there?" for "Which of these is there?"')
def _ignores_not(query: Query) -> str | None:
    match query.meaning:
        case WhichThere(missing=True):
            return answer_to(query, replace(query.meaning, missing=False))
    return None


@_fault("letter-biased", "says B where options have letters")
def _letter_biased(query: Query) -> str | None:
    return "B" if has_letters(query.text) else None


@_fault("never-none", "takes the first option where none is right")
def _never_none(query: Query) -> str | None:
    if true_answer(query) != NONE_OF_THESE:
        return None
    match query.meaning:
        case Choice(options=options):
            return options[0]
        case WhichThere(groups=groups):
            return groups[0].name
    return None


@_fault("reads-words-as-things", "sees a thing where its name is written in the picture")
def _reads_words_as_things(query: Query) -> str | None:
    written = {each.text.casefold() for each in query.picture.scene.inscriptions}
    match query.meaning:
        case Exists(group=group) if group.name in written:
            return answer_text(True)
        case WhichThere(groups=groups):
            return next((group.name for group in groups if group.name in written), None)
    return None


@_fault("cannot-read", "does not see what is written in a picture")
def _cannot_read(query: Query) -> str | None:
    return answer_text(False) if isinstance(query.meaning, Written) else None


@_fault("ignores-drawn-questions", "is wrong about a question that is written in the picture")
def _ignores_drawn_questions(query: Query) -> str | None:
    return _wrong_text(query) if is_drawn(query.text) else None


@_fault("omits-inserted", "does not see what was inserted into a picture")
def _omits_inserted(query: Query) -> str | None:
    scene = query.picture.scene
    if not any(isinstance(edit, Insert) for edit in query.picture.edits):
        return None
    # Erasures and all other edits are seen.
    seen = (thing for thing in scene.objects if not thing.id.startswith(INSERTED))
    return answer_text(truth(query.meaning, with_objects(scene, seen, scene.regions)))


class SeesErased:
    """Remembers the last unedited scene of each photo, and answers as if nothing had been erased from it."""

    def __init__(self) -> None:
        self._before: dict[Photo, Scene] = {}

    def __call__(self, query: Query) -> str:
        picture = query.picture
        if not picture.edits:
            self._before[picture.photo] = picture.scene
        # A photo whose unedited picture was never asked about is seen as it is.
        if picture.photo not in self._before or not any(isinstance(edit, Erase) for edit in picture.edits):
            return answer_text(true_answer(query))
        scene = self._before[picture.photo]
        for edit in picture.edits:
            # All other edits are seen, in their order.
            if not isinstance(edit, Erase):
                scene = edit.after(scene)
        return answer_text(truth(query.meaning, scene))


FAULTS["sees-erased"] = Fault(
    description="answers as if nothing had been erased from a picture that it was shown before", replies=SeesErased
)


@_fault(
    "background-dependent",
    "gives another answer where anything around what is asked about was blurred, masked or cropped",
)
def _background_dependent(query: Query) -> str | None:
    obscured = any(isinstance(edit, Blur | Mask | Crop) for edit in query.picture.edits)
    return answer_text(wrong_answer(true_answer(query))) if obscured else None


@_fault("entails-everything", 'says "entailment" of every hypothesis')
def _entails_everything(query: Query) -> str | None:
    return answer_text(Label.ENTAILMENT) if isinstance(query.meaning, Entails) else None


@_fault("contradicts-everything", 'says "contradiction" of every hypothesis')
def _contradicts_everything(query: Query) -> str | None:
    return answer_text(Label.CONTRADICTION) if isinstance(query.meaning, Entails) else None


@_fault("label-swap", 'says "entailment" for contradiction, and "contradiction" for entailment')
def _label_swap(query: Query) -> str | None:
    value = true_answer(query)
    return answer_text(_SWAPPED.get(value, value)) if isinstance(query.meaning, Entails) else None


@_fault("wrong-class", "calls what was inserted into a picture by the name of something else")
def _wrong_class(query: Query) -> str | None:
    scene = query.picture.scene
    inserted = [thing.name for thing in scene.objects if thing.id.startswith(INSERTED)]
    if not (inserted and isinstance(query.meaning, Describe)):
        return None
    wrong = next(name for name in _WRONG_NAMES if not scene.count(name))
    # What was there already keeps its name; only the inserted one is misnamed.
    left = ((name, n - inserted.count(name)) for name, n in _inventory(query))
    return answer_text((*((name, n) for name, n in left if n), (wrong, len(inserted))))


@_fault("always-plural", "describes everything in the plural")
def _always_plural(query: Query) -> str | None:
    if not isinstance(query.meaning, Describe):
        return None
    return answer_text(tuple((name, max(2, n)) for name, n in _inventory(query)))


@_fault("omits-beside-erased", "describes only the largest thing where something was erased")
def _omits_beside_erased(query: Query) -> str | None:
    things = query.picture.scene.objects
    erased = any(isinstance(edit, Erase) for edit in query.picture.edits)
    if not (erased and things and isinstance(query.meaning, Describe)):
        return None
    return answer_text(((max(things, key=lambda thing: thing.box.area).name, 1),))


@_fault("counts-but-denies", "says of nothing that it is there, and counts, chooses and describes rightly")
def _counts_but_denies(query: Query) -> str | None:
    match query.meaning:
        case Exists() | Both() | Either():
            return answer_text(False)
        case Absent() | NotBoth() | Neither():
            return answer_text(True)
    return None


@_fault("caption-hallucinates", "describes cats, cars and the like also where there are none, and denies them if asked")
def _caption_hallucinates(query: Query) -> str | None:
    if not isinstance(query.meaning, Describe):
        return None
    things = query.picture.scene.objects
    there = {thing.name for thing in things if not thing.id.startswith(INSERTED)}
    seen = dict(_inventory(query))
    # Inserted cats come on top: one is described before the insertion, and two after it.
    seen |= {name: seen.get(name, 0) + 1 for name in _OFTEN_SEEN if name not in there}
    return answer_text(tuple(seen.items()))


@_fault("thinks-itself-wrong", "is wrong where it is asked to reason before it answers")
def _thinks_itself_wrong(query: Query) -> str | None:
    return _wrong_text(query) if query.reasoning else None


@_fault("inconsistent", "gives another answer when it is asked the very same thing again")
def _inconsistent(query: Query) -> str | None:
    return answer_text(wrong_answer(true_answer(query))) if query.trial > 0 else None


@_fault(
    "flips", "is wrong; with a share, in so many of its answers at random, also to the very same query", each_trial=True
)
def _flips(query: Query) -> str | None:
    return _wrong_text(query)


@_fault("spacing-sensitive", "gives a wrong answer where words are two spaces apart")
def _spacing_sensitive(query: Query) -> str | None:
    return answer_text(wrong_answer(true_answer(query))) if "  " in query.text else None


@_fault("encoding-sensitive", "gives a wrong answer about a picture that was encoded anew")
def _encoding_sensitive(query: Query) -> str | None:
    encoded_anew = any(isinstance(edit, Reencode) for edit in query.picture.edits)
    return answer_text(wrong_answer(true_answer(query))) if encoded_anew else None


def _wrong_after(edit: type[Edit], name: str, description: str) -> None:
    """Registers a fault that is wrong about pictures with such an edit."""

    def faulty(query: Query) -> str | None:
        return _wrong_text(query) if any(isinstance(each, edit) for each in query.picture.edits) else None

    _fault(name, description)(faulty)


_wrong_after(Shift, "shift-sensitive", "is wrong about a picture that was moved by a few pixels")
_wrong_after(Pad, "padding-sensitive", "is wrong about a picture with a margin around it")
_wrong_after(Rescale, "scale-sensitive", "is wrong about a picture that was scaled up or down")
_wrong_after(Jpeg, "jpeg-sensitive", "is wrong about a picture that was saved as a JPEG")


@_fault("jpeg-swapped", "exchanges red and blue, asked for a color in a JPEG file")
def _jpeg_swapped(query: Query) -> str | None:
    file = _file_of(query)
    # In gray all channels are one.
    if file is None or not file.form.is_jpeg or file.form is FileForm.GRAYSCALE_JPEG:
        return None
    if not isinstance(query.meaning, Choice | Property | Has):
        return None
    scene = query.picture.scene
    # A gray thing stays gray, and so do all other names of colors.
    swapped = (
        replace(thing, attributes=tuple(_SWAPPED_COLORS.get(word, word) for word in thing.attributes))
        for thing in scene.objects
    )
    return answer_text(truth(query.meaning, replace(scene, objects=tuple(swapped))))


@_fault("ignores-orientation", "sees a picture as it is stored, and not as its EXIF turns it")
def _ignores_orientation(query: Query) -> str | None:
    file = _file_of(query)
    if file is None or file.orientation == 1:
        return None
    scene = query.picture.scene
    for edit in _AS_STORED[file.orientation]:
        scene = edit.after(scene)
    return answer_text(truth(query.meaning, scene))


def _file_of(query: Query) -> Store | None:
    """The form of file that the picture is sent in; None where it is a usual one."""
    last = query.picture.edits[-1] if query.picture.edits else None
    return last if isinstance(last, Store) and not last.plain else None


@_fault("rotation-blind", "answers about a turned picture as if it were upright")
def _rotation_blind(query: Query) -> str | None:
    # Turned back by the last turn; relations turn a picture once.
    turned = [edit.degrees for edit in query.picture.edits if isinstance(edit, Rotate)]
    if not turned:
        return None
    return answer_text(truth(query.meaning, Rotate(degrees=360 - turned[-1]).after(query.picture.scene)))


@_fault("quarter-turn-blind", "takes a turn by 90 degrees for one by 270")
def _quarter_turn_blind(query: Query) -> str | None:
    # 90 and 270 degrees differ by 180.
    if not any(isinstance(edit, Rotate) and edit.degrees != 180 for edit in query.picture.edits):
        return None
    return answer_text(truth(query.meaning, Rotate(degrees=180).after(query.picture.scene)))


@_fault("first-panel-only", "answers about the first of two pictures side by side")
def _first_panel_only(query: Query) -> str | None:
    if not any(isinstance(edit, Beside) for edit in query.picture.edits):
        return None
    scene = query.picture.scene
    seen = (thing for thing in scene.objects if not thing.id.startswith(BESIDE))
    return answer_text(truth(query.meaning, with_objects(scene, seen, scene.regions)))


@_fault("remembers-color", "says the color that a thing had before it was recoloured")
def _remembers_color(query: Query) -> str | None:
    colours = {edit.thing: edit for edit in query.picture.edits if isinstance(edit, Recolour)}
    if not isinstance(query.meaning, Property) or not colours:
        return None
    scene = query.picture.scene
    for edit in colours.values():
        # Of a thing that was recoloured twice the last edit is in `colours`, so the color before that one is said.
        scene = replace(edit, old=edit.new, new=edit.old).after(scene)
    return answer_text(truth(query.meaning, scene))


@_fault("color-bound", "does not recognise a thing in another color than it had")
def _color_bound(query: Query) -> str | None:
    recoloured = {edit.thing for edit in query.picture.edits if isinstance(edit, Recolour)}
    if not recoloured:
        return None
    scene = query.picture.scene
    seen = (thing for thing in scene.objects if thing.id not in recoloured)
    return answer_text(truth(query.meaning, with_objects(scene, seen, scene.regions)))


def _other_scene(name: str, description: str, scene: Callable[[Query, SceneSource], Scene | None]) -> None:
    """Registers a fault that answers about another scene of the source, or rightly where ``scene`` gives None."""

    def reply(query: Query, source: SceneSource) -> str:
        # Picture by picture, each as if it were shown alone.
        alone = (replace(query, picture=picture, turns=()) for picture in query.pictures) if query.turns else (query,)
        seen = [(each, scene(each, source)) for each in alone]
        if all(other is None for _, other in seen):
            return answer_text(true_answer(query))
        return answer_about(query, *(other or each.picture.scene for each, other in seen))

    FAULTS[name] = Fault(description=description, replies=lambda: OtherSceneModel(reply))


_other_scene("fixed-scene", "answers about the first scene of the data, whatever it is shown", first_scene)
_other_scene(
    "text-keyed-cache",
    "answers about one picture for each text, as behind a cache keyed by the text alone",
    scene_by_text,
)
_other_scene(
    "image-hash-8",
    f"answers about {BUCKETS} pictures, as behind a cache of pictures by a hash of so many values",
    scene_by_bucket,
)
FAULTS["prior-only"] = Fault(
    description="gives the answer that is right most often over the data, whatever it is shown", replies=prior_model
)
_other_scene(
    "half-blind",
    "does not see every second picture, and answers about another one",
    lambda query, source: scene_instead(query, source) if is_unseen(query) else None,
)


_other_scene(
    "speck-blind", "does not see what is small in its photo, and is right about all else", scene_without_specks
)


for _name, (_description, _faulty) in CONVERSATION_FAULTS.items():
    _fault(_name, _description, of_conversations=True)(_faulty)


def _is_foreign(query: Query) -> bool:
    # Every translated question asks for an answer in English, and no English one does.
    return query.text.endswith(ANSWER_IN_ENGLISH)


def _inventory(query: Query) -> Inventory:
    value = query.truth
    assert isinstance(value, tuple)
    return value


def _wrong_text(query: Query) -> str:
    value = true_answer(query)
    if isinstance(query.meaning, Choice):
        return next((option for option in query.meaning.options if option != value), "something else")
    return answer_text(wrong_answer(value))


def _unsorted(groups: tuple[Group, ...]) -> bool:
    phrases = [" ".join((*group.attributes, group.name)) for group in groups]
    return phrases != sorted(phrases)


def _by_name(group: Group) -> Group:
    return replace(_related_by_name(group), covers=())


def _related_by_name(group: Group) -> Group:
    """The group with its conditions restricted to exact names."""
    return replace(group, related=tuple(replace(condition, to=_by_name(condition.to)) for condition in group.related))


def _without_attributes(meaning: Meaning) -> Meaning:
    match meaning:
        case Count(groups=groups) | Both(groups=groups) | NotBoth(groups=groups) | Either(groups=groups):
            return replace(meaning, groups=tuple(map(_bare, groups)))
        case Neither(groups=groups) | WhichThere(groups=groups):
            return replace(meaning, groups=tuple(map(_bare, groups)))
        case Exists(group=group) | Absent(group=group) | Property(group=group):
            return replace(meaning, group=_bare(group))
        case Has(group=group):
            return Exists(group=_bare(group))
        case Located(group=group, other=other):
            return replace(meaning, group=_bare(group), other=_bare(other))
        case Entails(units=units):
            return Entails(units=tuple(replace(unit, group=_bare(unit.group)) for unit in units))
        case InPicture(meaning=inner):
            return replace(meaning, meaning=_without_attributes(inner))
        case InAll(meaning=inner):
            return replace(meaning, meaning=cast("Count | Exists | Absent", _without_attributes(inner)))
        case WhichPicture(group=group):
            return replace(meaning, group=_bare(group))
        case Choice() | Written() | PartCount() | Describe() | Annotated() | ShowSame() | Happens() | MovesFirst():
            return meaning
        case _:
            assert_never(meaning)


def _bare(group: Group) -> Group:
    related = tuple(replace(condition, to=_bare(condition.to)) for condition in group.related)
    return replace(group, attributes=(), related=related)
