"""Two pictures of one message that differ in shape, in planes or in kind of file: each must be read as it is alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from pytest_vqamt.core.conversation import Ability
from pytest_vqamt.core.edits import FileForm
from pytest_vqamt.probing.asking import Request, Said, SentRequest
from pytest_vqamt.probing.cards import NUMBER, OF_PICTURE, CardFile
from pytest_vqamt.probing.kinds import FindingKind
from pytest_vqamt.probing.probing import Probing

NAME = "unlike pictures"

_SHAPE: Mapping[str, Any] = MappingProxyType({"size": (672, 224), "digit_px": 48})
_GRAY = MappingProxyType({"file": CardFile(form=FileForm.GRAYSCALE_JPEG, quality=95)})
_ALPHA = MappingProxyType({"file": CardFile(form=FileForm.ALPHA)})
_WEBP = MappingProxyType({"file": CardFile(form=FileForm.WEBP)})

_UNLIKE: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "of another shape": _SHAPE,
        "a gray JPEG": _GRAY,
        "a PNG with alpha": _ALPHA,
        "a WebP": _WEBP,
    }
)
"""What the second picture of a message is; the first is a plain card."""


def unlike(probing: Probing) -> None:
    """Pairs of a plain card and one of another shape or file, in both orders."""
    if why := probing.lacks(Ability.PICTURES):
        probing.skip(NAME, why)
        return
    if probing.tells_apart < 2:
        probing.skip(NAME, "two pictures of one kind are not both read")
        return
    found: list[SentRequest] = []
    names: list[str] = []
    for name, changes in _UNLIKE.items():
        if "file" in changes and not probing.sender.takes_files:
            continue
        if wrong := _wrong(probing, changes):
            found += wrong
            names.append(name)
    if found:
        alone = "either picture: alone, and beside one of its kind, it is read"
        probing.add(
            FindingKind.UNLIKE, found, detail=f"the other is {', '.join(names)}", rate=probing.flips, ruled_out=(alone,)
        )


def _wrong(probing: Probing, changes: Mapping[str, Any]) -> list[SentRequest]:
    """The answers about such pairs that are wrong or fail, if they are a finding."""
    # Engines take the first picture's shape or planes for all, so it is the second that is asked about.
    text = OF_PICTURE.format("second", NUMBER)
    for is_plain_first in (True, False):
        found: list[SentRequest] = []
        for place, plain in enumerate(probing.cards):
            other = replace(probing.cards[place - 1], **changes)
            pair = (plain, other) if is_plain_first else (other, plain)
            sent = probing.sender.send_alone(Request(card=pair[1], text=text, turns=(Said((*pair, text)),)))
            if sent.is_right:
                break
            found.append(sent)
            if probing.is_finding(len(found), len(found), probing.flips):
                return found if _is_read_alone(probing, changes) else []
    return []


def _is_read_alone(probing: Probing, changes: Mapping[str, Any]) -> bool:
    return all(probing.send(replace(card, **changes), NUMBER).is_right for card in probing.cards[:2])
