"""What an edit did, in a few words for people."""

from __future__ import annotations

from pytest_vqamt.core.edits import (
    Blur,
    Brightness,
    Contrast,
    Corrupt,
    Crop,
    Cut,
    Edit,
    Erase,
    Fill,
    Insert,
    Mask,
    Mirror,
    Reencode,
    Shear,
)


def in_words(edit: Edit) -> str:
    """The edit as it would stand after "this picture was".

    >>> in_words(Cut(start=120, stop=320)), in_words(Blur(keep=(), sigma_px=6.0))
    ('cut x 120..320', 'blurred, sigma 6')
    """
    match edit:
        case Erase(fill=fill, method=method):
            return f"erased ({_filled(fill, method)})"
        case Cut(start=start, stop=stop, axis=axis):
            return f"cut {axis} {start}..{stop}"
        case Crop(box=box):
            return f"cropped to x {box.x:g}..{box.x1:g}, y {box.y:g}..{box.y1:g}"
        case Insert(cutout=cutout):
            return f"inserted {cutout.thing.name}"
        case Blur(keep=keep, sigma_px=sigma_px):
            return f"blurred{_but_for(len(keep))}, sigma {sigma_px:g}"
        case Mask(keep=keep):
            return f"masked{_but_for(len(keep))}"
        case Mirror():
            return "mirrored"
        case Corrupt(kind=kind, severity=severity, boxes=boxes):
            where = f" in {_boxes(len(boxes))}" if boxes else ""
            return f"corrupted{where} ({kind.value}, severity {severity})"
        case Brightness(offset=offset):
            return f"brightness {offset:+g}"
        case Contrast(gain=gain):
            return f"contrast x {gain:g}"
        case Shear(factor=factor):
            return f"sheared by {factor:g}"
        case Reencode():
            return "re-encoded"
    return type(edit).__name__.lower()


def _filled(fill: Fill, method: str) -> str:
    match fill:
        case Fill.WHITE:
            return "white"
        case Fill.MEAN:
            return "mean colour"
        case Fill.INPAINT:
            return f"inpainted by {method}" if method else "inpainted"


def _but_for(count: int) -> str:
    return f" but for {_boxes(count)}" if count else ""


def _boxes(count: int) -> str:
    return "1 box" if count == 1 else f"{count} boxes"
