"""Q7, action choice: is the man standing or sitting? What sport is the man doing: surfing or skiing?

A colon keeps "doing" apart from the options, which have its form.
"""

from __future__ import annotations

from functools import lru_cache
from types import MappingProxyType

from pytest_vqamt.core.meaning import Choice, Group
from pytest_vqamt.language.english.phrases import in_a_row
from pytest_vqamt.language.questions.templates import Asking
from pytest_vqamt.language.templates.fillings import Fillings, the_one
from pytest_vqamt.language.templates.templates import Templates

_ACTION_PLAIN = (
    "{is} {the} {options}?",
    "{is} {the} in the picture {options}?",
    "in this photo, {is} {the} {options}?",
    "looking at the image, {is} {the} {options}?",
    "would you say {the} {is} {options}?",
    "would you say that {the} in the picture {is} {options}?",
    "do you think {the} {is} {options}?",
    "{does} {the} appear to be {options}?",
    "what {is} {the} doing: {options}?",
    "in the picture, what {is} {the} doing: {options}?",
    "what {does} {the} in the image appear to be doing: {options}?",
    "{what_pose} {is} {the} {in_it}: {options}?",
    "in this photo, {what_pose} {is} {the} {in_it}: {options}?",
    "{what_pose} would you say {the} {is} {in_it}: {options}?",
    "{what_pose} {does} {the} appear to be {in_it}: {options}?",
)

_ACTION_RELATED = (
    "{is} {the} {options}?",
    "{is} {the_that} {options}?",
    "in the picture, {is} {the} {options}?",
    "looking at the image, {is} {the_that} {options}?",
    "would you say that {the} {is} {options}?",
    "do you think that {the_that} {is} {options}?",
    "{does} {the} appear to be {options}?",
    "what {is} {the} doing: {options}?",
    "what {is} {the_that} doing: {options}?",
    "in the photo, what {is} {the} doing: {options}?",
    "what {does} {the_that} appear to be doing: {options}?",
    "{what_pose} {is} {the} {in_it}: {options}?",
    "{what_pose} {is} {the_that} {in_it}: {options}?",
    "{what_pose} would you say {the} {is} {in_it}: {options}?",
)

_ACTION_ASKED_FOR = {
    "pose": "in",
    "position": "in",
    "sport": "doing",
    "activity": "engaged in",
    "action": "performing",
    "gesture": "making",
}
"""Of each noun that can be asked for ("what pose is the man in"), what closes the question."""


def _fill_action(asking: Asking, wording: str, _: bool) -> str:
    meaning = asking.meaning
    assert isinstance(meaning, Choice)
    return wording.format_map(_action_fillings(meaning.what, meaning.options, asking.category))


@lru_cache(maxsize=65536)
def _action_fillings(what: Group, options: tuple[str, ...], category: str) -> Fillings:
    return MappingProxyType(
        {
            **the_one(what),
            "what_pose": f"what {category}" if category in _ACTION_ASKED_FOR else "which of these",
            "in_it": _ACTION_ASKED_FOR.get(category, "doing"),
            "options": in_a_row(options, "or"),
        }
    )


ACTION_CHOICE = Templates(asks=Choice, fill=_fill_action, plain=_ACTION_PLAIN, related=_ACTION_RELATED)
