"""Bugs in the list of pictures, turns and texts: chat templates, markers of pictures, and the length of the context."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import chain

import numpy as np

from tools.faulty_server.requests import Chat, Shown, Turn, count_tokens, pictures_in
from tools.faulty_server.stages import Stage, Stages, bug, parts_bug

CONTEXT = 2048
"""Tokens of the context of the servers that cut prompts."""

# Pictures


@parts_bug("image-dropped", "all pictures", thread="sglang PR 33509")
def dropped(turns: list[Turn]) -> list[Turn]:
    """The model gets no picture."""
    return _keeping(turns, lambda _: False)


@parts_bug("image-dropped-with-system-message", "conversations with a system message")
def dropped_with_system(turns: list[Turn]) -> list[Turn]:
    """With a system message the template writes no marks for pictures, and the model gets none."""
    return dropped(turns) if _has_system(turns) else turns


@parts_bug("system-message-breaks-pictures", "conversations with a system message")
def broken_by_system(turns: list[Turn]) -> list[Turn]:
    """The patches of pictures are off by the length of the system message."""
    if _has_system(turns):
        for shown in pictures_in(turns):
            if shown.pixels is not None:
                height, width = shown.pixels.shape[:2]
                shown.pixels = np.roll(shown.pixels, (height // 2, width // 2), axis=(0, 1))
    return turns


@parts_bug("second-picture-dropped", "conversations with two pictures and more", thread="ollama #8844")
def second_dropped(turns: list[Turn]) -> list[Turn]:
    """Of several pictures the model gets the first alone."""
    first = next(pictures_in(turns), None)
    return _keeping(turns, lambda shown: shown is first)


@parts_bug("only-the-last-picture", "conversations with two pictures and more", thread="ollama #6229")
def last_only(turns: list[Turn]) -> list[Turn]:
    """Of several pictures the model gets the last alone."""
    *_, last = [None, *pictures_in(turns)]
    return _keeping(turns, lambda shown: shown is last)


@parts_bug("equal-sizes-merged", "two pictures of equal size, one after the other", thread="ollama #17321")
def equal_sizes_merged(turns: list[Turn]) -> list[Turn]:
    """Two pictures of equal size are taken for the frames of a film, and merged."""
    kept: list[Shown] = []
    for shown in pictures_in(turns):
        before = kept[-1] if kept else None
        if before is None or before.pixels is None or shown.pixels is None or before.pixels.shape != shown.pixels.shape:
            kept.append(shown)
        else:
            mean = (before.pixels.astype(np.uint16) + shown.pixels) // 2
            before.pixels = mean.astype(np.uint8)
    return _keeping(turns, lambda shown: any(shown is each for each in kept))


@parts_bug("pictures-permuted", "conversations with three pictures and more", thread="LM Studio #1675")
def permuted(turns: list[Turn]) -> list[Turn]:
    """Of three pictures and more the last comes first."""
    pictures = list(pictures_in(turns))
    return turns if len(pictures) < 3 else _with_pictures(turns, [pictures[-1], *pictures[:-1]])


@parts_bug(
    "later-picture-replaces-earlier",
    "conversations with two pictures and more",
    thread="react-native-executorch PR 1229",
)
def later_replaces(turns: list[Turn]) -> list[Turn]:
    """Every mark of a picture stands for the last one."""
    pictures = list(pictures_in(turns))
    return _with_pictures(turns, pictures[-1:] * len(pictures))


@parts_bug("markers-in-the-last-turn", "conversations with a picture in an earlier turn", thread="mlx-vlm #2211")
def markers_moved(turns: list[Turn]) -> list[Turn]:
    """The marks of all pictures stand in the last turn."""
    pictures = list(pictures_in(turns))
    *earlier, last = _keeping(turns, lambda _: False)
    return [*earlier, Turn(last.role, [*pictures, *last.parts])]


@parts_bug(
    "earlier-pictures-lost",
    "conversations with a picture in an earlier turn",
    thread="LM Studio #2401",
)
def earlier_lost(turns: list[Turn]) -> list[Turn]:
    """The pictures of earlier turns are not kept."""
    return [*_keeping(turns[:-1], lambda _: False), turns[-1]]


# Texts and roles


@parts_bug("text-before-picture-lost", "turns with a text before a picture", thread="app-bricks-py PR 430")
def text_first_lost(turns: list[Turn]) -> list[Turn]:
    """The text before the last picture of a turn is lost."""
    made = []
    for turn in turns:
        places = [place for place, part in enumerate(turn.parts) if isinstance(part, Shown)]
        last = max(places, default=0)
        parts = [part for place, part in enumerate(turn.parts) if place >= last or isinstance(part, Shown)]
        made.append(Turn(turn.role, parts))
    return made


@parts_bug("system-message-ignored", "conversations with a system message")
def system_ignored(turns: list[Turn]) -> list[Turn]:
    """System messages are not in the prompt."""
    return [turn for turn in turns if turn.role != "system"]


@parts_bug("assistant-turns-dropped", "conversations with a turn of the model")
def assistant_dropped(turns: list[Turn]) -> list[Turn]:
    """The model's turns are not in the prompt, so that it answers the first question, which stands unanswered."""
    if all(turn.role != "assistant" for turn in turns):
        return turns
    users = [turn for turn in turns if turn.role == "user"]
    first = next((turn for turn in users if "?" in turn.text), users[-1])
    pictures = [part for turn in users for part in turn.parts if isinstance(part, Shown)]
    systems = [turn for turn in turns if turn.role == "system"]
    return [*systems, Turn("user", [*pictures, first.text])]


@parts_bug("non-ascii-mangled", "texts with characters beyond ASCII")
def mangled(turns: list[Turn]) -> list[Turn]:
    """Texts of UTF-8 are read as Latin-1."""
    return _with_texts(turns, lambda text: text.encode().decode("latin-1"))


@parts_bug("non-ascii-dropped", "texts with characters beyond ASCII")
def non_ascii_dropped(turns: list[Turn]) -> list[Turn]:
    """Characters beyond ASCII are dropped."""
    return _with_texts(turns, lambda text: text.encode("ascii", "ignore").decode())


# The context


class _Cut(Stages):
    """Cuts what is longer than the context."""

    def kept(self, sizes: list[int], too_many: int) -> list[bool]:
        """Which pieces stay, where their tokens are ``too_many`` more than fit."""
        raise NotImplementedError

    def fit(self, turns: list[Turn], chat: Chat) -> list[Turn]:
        if not chat.acts or count_tokens(turns) <= CONTEXT:
            return turns
        pieces = [(place, piece) for place, turn in enumerate(turns) for piece in _pieces_of(turn)]
        # In thirds: a word has four thirds of a token.
        sizes = [3 * piece.tokens if isinstance(piece, Shown) else 4 for _, piece in pieces]
        keeps = self.kept(sizes, sum(sizes) - 3 * CONTEXT)
        left: list[Turn] = [Turn(turn.role, []) for turn in turns]
        for (place, piece), stays in zip(pieces, keeps, strict=True):
            if stays:
                left[place].parts.append(piece)
        return [Turn(turn.role, _joined(turn.parts)) for turn in left if turn.parts]


def _first_to_drop(sizes: list[int], too_many: int) -> list[bool]:
    keeps = []
    for size in sizes:
        keeps.append(too_many <= 0)
        too_many -= size
    return keeps


@bug("context-cut", Stage.PROMPT, "prompts of more than 2,048 tokens", thread="ollama #7484")
class CutAtTheFront(_Cut):
    """A prompt longer than the context loses its beginning, the picture."""

    def kept(self, sizes: list[int], too_many: int) -> list[bool]:
        return _first_to_drop(sizes, too_many)


@bug("context-cut-in-the-middle", Stage.PROMPT, "prompts of more than 2,048 tokens with a picture in the middle")
class CutInTheMiddle(_Cut):
    """A prompt longer than the context loses its middle."""

    def kept(self, sizes: list[int], too_many: int) -> list[bool]:
        before = (sum(sizes) - too_many) // 2
        keeps, seen = [], 0
        for size in sizes:
            seen += size
            keeps.append(seen <= before or seen - size >= before + too_many)
        return keeps


@bug("context-cut-at-the-end", Stage.PROMPT, "prompts of more than 2,048 tokens")
class CutAtTheEnd(_Cut):
    """A prompt longer than the context loses its end, the question."""

    def kept(self, sizes: list[int], too_many: int) -> list[bool]:
        return _first_to_drop(sizes[::-1], too_many)[::-1]


def _pieces_of(turn: Turn) -> list[str | Shown]:
    """Pictures and words; a word has the white space behind it."""
    return list(chain.from_iterable(map(_split, turn.parts)))


def _split(part: str | Shown) -> list[str | Shown]:
    if isinstance(part, Shown):
        return [part]
    lines = [[f"{word} " for word in line.split()] for line in part.split("\n")]
    for line in lines:
        if line:
            line[-1] = f"{line[-1].rstrip()}\n"
    return list(chain.from_iterable(lines))


def _joined(pieces: list[str | Shown]) -> list[str | Shown]:
    parts: list[str | Shown] = []
    for piece in pieces:
        if isinstance(piece, str) and parts and isinstance(parts[-1], str):
            parts[-1] += piece
        else:
            parts.append(piece)
    return [part.rstrip("\n") if isinstance(part, str) else part for part in parts]


def _has_system(turns: list[Turn]) -> bool:
    return any(turn.role == "system" for turn in turns)


def _keeping(turns: list[Turn], keeps: Callable[[Shown], bool]) -> list[Turn]:
    return [
        Turn(turn.role, [part for part in turn.parts if not isinstance(part, Shown) or keeps(part)]) for turn in turns
    ]


def _with_pictures(turns: list[Turn], pictures: list[Shown]) -> list[Turn]:
    given = iter(pictures)
    return [
        Turn(turn.role, [replace(next(given)) if isinstance(part, Shown) else part for part in turn.parts])
        for turn in turns
    ]


def _with_texts(turns: list[Turn], change: Callable[[str], str]) -> list[Turn]:
    return [Turn(turn.role, [change(part) if isinstance(part, str) else part for part in turn.parts]) for turn in turns]
