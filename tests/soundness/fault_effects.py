"""What a planted fault makes of a relation's cases, and the faults that many relations take alike."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from pytest_vqamt.models.reference.faults import FAULTS


class Effect(StrEnum):
    """What a model with a fault makes of a relation's cases."""

    CAUGHT = "caught"
    VACUOUS = "vacuous"
    QUIET = "quiet"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Every fault, by its effect on one item, each for a reason that the comment beside it gives.

    Attributes:
        caught: some case is violated, or its answer cannot be read.
        vacuous: every case holds, and none of them shows anything (0 = 0 + 0).
        quiet: every case holds, and some show something: the relation is not made for this fault.
    """

    caught: frozenset[str]
    vacuous: frozenset[str] = frozenset()
    quiet: frozenset[str]

    def effect(self, fault: str) -> Effect:
        """The effect of the fault.

        Raises:
            KeyError: the fault has no entry, or several.
        """
        listed = {Effect.CAUGHT: self.caught, Effect.VACUOUS: self.vacuous, Effect.QUIET: self.quiet}
        found = [effect for effect, faults in listed.items() if fault in faults]
        if len(found) != 1:
            raise KeyError(fault)
        return found[0]


def named(names: str) -> frozenset[str]:
    """The faults that the text names."""
    return frozenset(names.split())


OF_OTHER_SCENES = named("fixed-scene text-keyed-cache image-hash-8 prior-only half-blind")
"""The faults that are no rows' matter: what they do depends on which other scenes are there, so it is measured."""

OF_CHANCE = named("flips")
"""The fault that no row is about: what it does is chance, in whatever is asked. See tests/execution/test_repeats.py."""

HARMLESS = named("speck-blind")
"""The fault that nothing catches: who overlooks a speck is right. See test_specks.py."""

NOT_TABLED = OF_OTHER_SCENES | OF_CHANCE | HARMLESS

# What shows itself to who asks twice, with two spaces, or with the picture encoded anew; no other relation does that.
OF_CONTROLS = named("inconsistent spacing-sensitive encoding-sensitive")
# What shows itself to who puts hypotheses, or asks for descriptions; questions are answered right.
OF_OTHER_TASKS = named("entails-everything contradicts-everything label-swap wrong-class always-plural")
# What shows itself in edited pictures alone.
OF_EDITS = named("counts-pieces-wrong omits-inserted sees-erased background-dependent")
# Who is wrong about counts alone is right about yes and no, and about choices.
OF_COUNTS = named("first-group-only adds-wrong off-by-one saturates quantifies overcounts-described")
# Who is wrong about places alone is right where no place is asked about.
OF_PLACES = named("left-right-blind ignores-side mirror-blind near-sighted")
# Asks nothing in the negative.
NEGATION = named("ignores-negation")
# Asks neither about classes, antonyms or choices, nor whether things are not both there.
OF_WORDS = named("ignores-not-both hypernym-blind antonym-blind first-choice")
# Neither a number nor a refusal is a yes or a no, or a choice.
NO_ANSWER = named("always-zero refuses")
# What no question shows that is asked by itself.
OF_OTHER_TEXTS = OF_OTHER_TASKS | named("reads-last")
# No number.
NOT_A_COUNT = named("always-yes refuses")

# Who is wrong about another view of a picture alone: of such a picture nobody else asks.
OF_VIEWS = named("shift-sensitive padding-sensitive scale-sensitive jpeg-sensitive") | named(
    "rotation-blind quarter-turn-blind first-panel-only remembers-color color-bound"
)

# Questions that are not English.
OF_LANGUAGES = named("english-only counts-in-english-only")

# Who contradicts itself about one fact, or is misled by its own reasoning.
OF_FORMS = named("counts-but-denies caption-hallucinates thinks-itself-wrong")

# Who is wrong about a statement, a premise, a list of options or written words alone.
OF_TODAY = named(
    "follows-the-asker accepts-premises ignores-not letter-biased never-none reads-words-as-things cannot-read"
    " ignores-drawn-questions"
)
# Who is wrong where there are several pictures, or turns before the question.
OF_CONVERSATIONS = named(
    "first-picture-only last-picture-only merges-equal-sizes mixes-up-pictures order-by-content forgets-earlier-turns"
    " plays-backwards one-frame four-pictures"
    " latest-turn-pictures loses-late-pictures loses-text-before-pictures moves-markers caves-in tires"
)
# Who is wrong about another form of file alone.
OF_FILES = named("jpeg-swapped ignores-orientation")
OF_FAMILIES = (
    OF_VIEWS
    | OF_LANGUAGES
    | OF_FORMS
    | OF_TODAY
    | OF_CONVERSATIONS
    | OF_FILES
    | named("counts-by-prior omits-beside-erased")
)
"""The faults that each concern one family of relations on request, so that rows need name them only where caught."""


def row_of(*, caught: frozenset[str], vacuous: frozenset[str] = frozenset()) -> Row:
    """The row in which every other fault is quiet."""
    every = frozenset(FAULTS) - NOT_TABLED
    return Row(caught=caught, vacuous=vacuous, quiet=every - caught - vacuous)
