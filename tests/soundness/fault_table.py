"""Which relation catches which planted fault, worked out from what each asks and what each fault says to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tests.soundness.captioning_faults import CAPTIONING
from tests.soundness.carets_faults import CARETS
from tests.soundness.conversation_faults import CONVERSATIONS
from tests.soundness.entailment_faults import ENTAILMENT
from tests.soundness.fault_effects import (
    NEGATION,
    NO_ANSWER,
    NOT_A_COUNT,
    OF_CONTROLS,
    OF_COUNTS,
    OF_EDITS,
    OF_FAMILIES,
    OF_OTHER_TEXTS,
    OF_PLACES,
    OF_WORDS,
    Row,
    named,
)
from tests.soundness.file_faults import FILES
from tests.soundness.form_faults import FORMS
from tests.soundness.language_faults import LANGUAGES
from tests.soundness.noise_faults import NOISE
from tests.soundness.parts_faults import PARTS
from tests.soundness.place_faults import PLACES
from tests.soundness.today_faults import TODAY
from tests.soundness.view_faults import VIEWS

# Of two groups the total says "no" or "0", and so does each part: no sum is broken, and nothing is shown.
_NOTHING_COUNTED = named("always-no always-zero")
# Counts are right in any number of words.
_OF_WORDING = OF_WORDS | named("template-sensitive")
_OF_OTHER_EDITS_THAN_CUTTING = OF_EDITS - named("counts-pieces-wrong")

_PARTITION = (
    # The total of A and B is A's alone, so it falls short wherever there is a B.
    named("first-group-only")
    # Half of the totals name the later word first and are one too many; a part names one group and is right.
    | named("order-sensitive")
    # Every total is one too many, every part is right.
    | named("adds-wrong")
    # One too many in the total, two in the parts.
    | named("off-by-one")
    # 1 against 1 + 1, wherever both groups are there.
    | named("saturates")
    # The total is right, and a part that is not there counts 1.
    | named("sees-absent")
    # "many" + 1 must be "many", and is a number, wherever there are two of a group.
    | named("quantifies")
    | NOT_A_COUNT
)
# Of 2 cars, "red cars and blue cars" counts 2, "red cars" 2 and "blue cars" 2. One more in all is two in the parts.
_OF_PROPERTIES = named("ignores-attributes overcounts-described")

_REORDER = (
    # A's count in one order, B's in the other.
    named("first-group-only")
    # Just one of the two orders is that of the alphabet.
    | named("order-sensitive")
    | NOT_A_COUNT
)
_BOTH_ORDERS_ALIKE = (
    # Both totals are wrong in the same way.
    named("adds-wrong off-by-one saturates ignores-attributes overcounts-described")
    # It asks for no single group, which is all that these are wrong about.
    | named("sees-absent quantifies")
    | _OF_WORDING
    | NEGATION
    | OF_CONTROLS
    | OF_EDITS
)

_REVERSION = Row(
    caught=(
        # The same to both questions.
        named("always-yes always-no ignores-negation")
        # A number is no yes and no no; nor is a refusal.
        | named("always-zero refuses")
        # "yes, there is" and "yes, there is none" of what is not there.
        | named("sees-absent")
        # "Is there a dog?" is wrong and "Is there no dog?" is right, wherever one has a word more than the other.
        | named("template-sensitive")
    ),
    quiet=(
        # No counts are asked, and one group at a time.
        OF_COUNTS
        | named("order-sensitive")
        | OF_WORDS
        # "Is there a red car?" and "Is there no red car?" are both answered about cars: wrongly, but one yes, one no.
        | named("ignores-attributes")
        | OF_CONTROLS
        | OF_EDITS
    ),
)

_CUTTING_COUNT = Row(
    caught=(
        # One too many in the whole, and in each of two pieces or more.
        named("off-by-one order-sensitive adds-wrong overcounts-described")
        # One too many in each piece alone.
        | named("counts-pieces-wrong")
        # 1 against 1 + 1, wherever the things asked about lie in several pieces.
        | named("saturates")
        # A piece without any counts 1.
        | named("sees-absent")
        | NOT_A_COUNT
    ),
    vacuous=_NOTHING_COUNTED,
    quiet=(
        # What is counted instead is counted in the pieces, too.
        named("ignores-attributes first-group-only")
        # "many" is "many" and 0, and "many" against 1 + 1 is left undecided.
        | named("quantifies")
        | _OF_WORDING
        | NEGATION
        | OF_CONTROLS
        | _OF_OTHER_EDITS_THAN_CUTTING
    ),
)

# "no" to the whole and to each piece, or "yes": it is as it should be.
_ALIKE_IN_PIECES = (
    named("always-yes always-no ignores-attributes order-sensitive")
    | OF_COUNTS
    | OF_WORDS
    | OF_CONTROLS
    | _OF_OTHER_EDITS_THAN_CUTTING
)
# Wrong about the whole and about each piece: "no" where there is one, and "yes" of the piece that has none.
_WRONG_IN_PIECES = named("template-sensitive")
_CUTTING_EXISTS = Row(
    caught=NO_ANSWER | _WRONG_IN_PIECES,
    # Counts are not asked, be it in pieces; what is seen where it is not is in the whole as well.
    quiet=_ALIKE_IN_PIECES | NEGATION | named("counts-pieces-wrong sees-absent"),
)
_CUTTING_ABSENT = Row(
    # "yes" of the whole, where there is one, and "no" of each piece that has none.
    caught=NO_ANSWER | NEGATION | _WRONG_IN_PIECES,
    # It is wrong about "is there any" alone.
    quiet=_ALIKE_IN_PIECES | named("counts-pieces-wrong sees-absent"),
)

# What is asked about is in both pictures alike, so whoever is wrong about it is wrong twice in the same way: what is
# inserted or erased is something else, be it seen or not.
_COUNTED_ALIKE = Row(
    caught=NOT_A_COUNT,
    vacuous=_NOTHING_COUNTED,
    quiet=(
        named("ignores-attributes first-group-only order-sensitive adds-wrong off-by-one saturates sees-absent")
        | named("quantifies overcounts-described")
        | _OF_WORDING
        | NEGATION
        | OF_CONTROLS
        | OF_EDITS
    ),
)
_SEEN_ALIKE = Row(
    caught=NO_ANSWER,
    quiet=(
        named("always-yes always-no ignores-attributes sees-absent order-sensitive template-sensitive")
        | NEGATION
        | OF_COUNTS
        | OF_WORDS
        | OF_CONTROLS
        | OF_EDITS
    ),
)

_ONE_MORE_OR_LESS = (
    # 0 is not one more than 0: this is what the authors made the relation for.
    _NOTHING_COUNTED
    # Where the thing is of the second group, the first has as many in both pictures.
    | named("first-group-only")
    # 1 before and 1 after, wherever there is one of them in either.
    | named("saturates")
    # 0 is called 1, and the other is 1: of a property that nothing else has, or of the only thing of its name.
    | named("sees-absent")
    | NOT_A_COUNT
)
_ONE_MORE_OR_LESS_ALL_THE_SAME = (
    # One too many in both pictures.
    named("off-by-one order-sensitive adds-wrong overcounts-described")
    # The thing is a car, be it red or not.
    | named("ignores-attributes")
    # "many" against 1 or "many" is left undecided.
    | named("quantifies")
    | _OF_WORDING
    | NEGATION
    | OF_CONTROLS
)

# All that is asked about is there, before and after.
_STILL_THERE = Row(
    # "Are there cups and apples?" is wrong, be it for the order or for the number of words; "Are there cups?" is right.
    caught=NO_ANSWER | named("order-sensitive template-sensitive"),
    quiet=_SEEN_ALIKE.quiet - named("order-sensitive template-sensitive"),
)
_NO_LONGER_THERE = Row(
    # "yes" although it is gone: always, wherever one thing is asked about, and by whoever still sees it.
    caught=named("always-yes sees-absent sees-erased")
    # "no" while it is there and "yes" when it is gone, in so many words or in this order.
    | named("order-sensitive template-sensitive")
    | NO_ANSWER,
    # "no" from the start.
    vacuous=named("always-no counts-but-denies"),
    # Bare names, no counts and no negation.
    quiet=(
        named("ignores-attributes") | NEGATION | OF_COUNTS | OF_WORDS | OF_CONTROLS | OF_EDITS - named("sees-erased")
    ),
)

# What is there is there behind the noise. Half of the questions are counts.
_CORRUPTED = Row(
    caught=named("always-yes") | NO_ANSWER,
    quiet=_SEEN_ALIKE.quiet - named("always-yes"),
)

# The controls ask one thing twice, so a model that is wrong in the same way both times does all that they demand, be
# it that it says "0" or nothing of use. Their holds are never vacuous: what they show is that nothing has changed.
_WRONG_ALIKE = (
    named("always-yes always-no always-zero refuses ignores-attributes order-sensitive template-sensitive sees-absent")
    | NEGATION
    | OF_COUNTS
    | OF_WORDS
)

_QUESTIONS: Mapping[str, Row] = {
    "metavqa.partition[object]": Row(
        caught=_PARTITION,
        vacuous=_NOTHING_COUNTED,
        # It asks for bare names, so there are no attributes.
        quiet=_OF_WORDING | NEGATION | OF_CONTROLS | OF_EDITS | _OF_PROPERTIES,
    ),
    "metavqa.partition[property]": Row(
        caught=_PARTITION | _OF_PROPERTIES,
        vacuous=_NOTHING_COUNTED,
        quiet=_OF_WORDING | NEGATION | OF_CONTROLS | OF_EDITS,
    ),
    "metavqa.reorder[object]": Row(caught=_REORDER, vacuous=_NOTHING_COUNTED, quiet=_BOTH_ORDERS_ALIKE),
    "metavqa.reorder[property]": Row(caught=_REORDER, vacuous=_NOTHING_COUNTED, quiet=_BOTH_ORDERS_ALIKE),
    "metavqa.reversion[object]": _REVERSION,
    "metavqa.reversion[property]": _REVERSION,
    "metavqa.cutting[count]": _CUTTING_COUNT,
    "metavqa.cutting[exists]": _CUTTING_EXISTS,
    "metavqa.cutting[absent]": _CUTTING_ABSENT,
    "metavqa.insertion[count]": _COUNTED_ALIKE,
    "metavqa.insertion[exists]": _SEEN_ALIKE,
    "metavqa.insertion[absent]": _SEEN_ALIKE,
    "metavqa.insertion_plus": Row(
        caught=_ONE_MORE_OR_LESS | named("omits-inserted"),
        quiet=_ONE_MORE_OR_LESS_ALL_THE_SAME | OF_EDITS - named("omits-inserted"),
    ),
    "metavqa.removal[count]": _COUNTED_ALIKE,
    "metavqa.removal[exists]": _SEEN_ALIKE,
    "metavqa.removal[absent]": _SEEN_ALIKE,
    "metavqa.removal_plus": Row(
        caught=_ONE_MORE_OR_LESS | named("sees-erased"),
        quiet=_ONE_MORE_OR_LESS_ALL_THE_SAME | OF_EDITS - named("sees-erased"),
    ),
    **CARETS,
    "veglue.vqa_mr1": _STILL_THERE,
    "veglue.vqa_mr2": _NO_LONGER_THERE,
    "veglue.vqa_mr3": _SEEN_ALIKE,
}

_CORRUPTIONS: Mapping[str, Row] = {
    f"corruption[{kind}-{where}]": _CORRUPTED
    for kind in ("impulse", "zoom", "snow", "contrast")
    for where in ("object", "global")
}

_CONTROLS: Mapping[str, Row] = {
    "control.repeat": Row(
        caught=named("inconsistent"),
        # The text is the same, to the letter.
        quiet=_WRONG_ALIKE | OF_EDITS | named("spacing-sensitive encoding-sensitive"),
    ),
    "control.reencode": Row(
        caught=named("encoding-sensitive"),
        # Another picture, so neither query is asked again; the text is the same, to the letter.
        quiet=_WRONG_ALIKE | OF_EDITS | named("inconsistent spacing-sensitive"),
    ),
    "control.reencode[spaces]": Row(
        caught=named("encoding-sensitive spacing-sensitive"),
        # Another picture and another text.
        quiet=_WRONG_ALIKE | OF_EDITS | named("inconsistent"),
    ),
}


def _of_questions(rows: Mapping[str, Row]) -> dict[str, Row]:
    """Rows of items that put single questions: they show nothing of what is wrong about hypotheses and captions."""
    return {item: replace(row, quiet=row.quiet | OF_OTHER_TEXTS) for item, row in rows.items()}


def _of_no_place(rows: Mapping[str, Row]) -> dict[str, Row]:
    """Rows of items that ask about no place."""
    return {item: replace(row, quiet=row.quiet | OF_PLACES) for item, row in rows.items()}


def _of_no_family(rows: Mapping[str, Row]) -> dict[str, Row]:
    """Rows with the faults that concern one family of relations alone, where they are not named."""
    return {item: replace(row, quiet=row.quiet | OF_FAMILIES - row.caught - row.vacuous) for item, row in rows.items()}


_BY_DEFAULT: Mapping[str, Row] = {
    **_of_no_place({**_of_questions(_QUESTIONS), **ENTAILMENT, **CAPTIONING, **NOISE, **_of_questions(_CORRUPTIONS)}),
    **PLACES,
    **_of_no_place(_of_questions(_CONTROLS)),
}

_ON_REQUEST: Mapping[str, Row] = {**VIEWS, **PARTS, **LANGUAGES, **FORMS, **TODAY, **CONVERSATIONS, **FILES}
"""The rows of ``relations.catalogue.ON_REQUEST``: join the mappings of the ``*_faults.py`` of its families here."""

TABLE: Mapping[str, Row] = _of_no_family({**_BY_DEFAULT, **_ON_REQUEST})
"""By item, in the order of the catalogue."""
