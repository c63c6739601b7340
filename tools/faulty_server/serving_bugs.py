"""Bugs of the server around the model: caches, batches, state between requests, answers, responses and HTTP."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass, field
from hashlib import sha256

import numpy as np
from PIL import Image

from tools.faulty_server.requests import Chat, Pixels, Shown, Turn, count_tokens, pictures_in
from tools.faulty_server.stages import RefusedError, Stage, Stages, answer_bug, bug

_BEGINNING = 64
_LARGE_PX = 1024
_CANVAS_PX = 2048
_IDLE_S = 2.0
_MOST_IN_BATCH = 16
_SAMPLED = 0.3
_CONSTANT_TOKENS = 300
_THOUGHT_TOKENS = 200
_NATURAL_RATE = 0.1
"""The share of requests that servers under load refuse or spoil."""

# Caches of encoded pictures


class _Cache(Stages):
    """Keeps the pixels of the first picture with a key for all others with it."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: dict[object, Pixels | None] = {}

    def key(self, shown: Shown, place: int, chat: Chat) -> object:
        raise NotImplementedError

    def encode(self, shown: Shown, place: int, chat: Chat) -> Pixels | None:
        if not chat.acts or shown.pixels is None:
            return shown.pixels
        with self.lock:
            return self.seen.setdefault(self.key(shown, place, chat), shown.pixels)


@bug("first-image-sticks", Stage.CACHE, "all pictures but the first", thread="ollama #7563")
class FirstSticks(_Cache):
    """Every answer is about the first picture that came."""

    def key(self, shown: Shown, place: int, chat: Chat) -> object:
        return "first"


@bug("text-keyed-prefix-cache", Stage.CACHE, "another picture with the same text", thread="vLLM #20261")
class ByText(_Cache):
    """The prefix cache knows requests by their text alone."""

    def key(self, shown: Shown, place: int, chat: Chat) -> object:
        return chat.text, place


@bug("16-bit-image-hash", Stage.CACHE, "pictures with the same 16 bits of their hash", thread="LMCache #4086")
class ByShortHash(_Cache):
    """Pictures are told apart by 16 bits of their hash."""

    def key(self, shown: Shown, place: int, chat: Chat) -> object:
        assert shown.pixels is not None
        # The last four hex digits, as hex_hash_to_int16 keeps them.
        return chat.text, sha256(shown.pixels.tobytes()).hexdigest()[-4:]


@bug("length-keyed-cache", Stage.CACHE, "files of the same length")
class ByLength(_Cache):
    """Pictures are told apart by the length of their file."""

    def key(self, shown: Shown, place: int, chat: Chat) -> object:
        return len(shown.file.content)


@bug("first-bytes-keyed-cache", Stage.CACHE, "files with the same first 64 bytes")
class ByBeginning(_Cache):
    """Pictures are told apart by the first 64 bytes of their file."""

    def key(self, shown: Shown, place: int, chat: Chat) -> object:
        return shown.file.content[:_BEGINNING]


@bug("average-hash-keyed-cache", Stage.CACHE, "pictures that look alike, as cards of one ground do")
class ByAverageHash(_Cache):
    """Pictures are told apart by an average hash of 64 bits, so that those that look alike are one."""

    def key(self, shown: Shown, place: int, chat: Chat) -> object:
        assert shown.pixels is not None
        image = Image.fromarray(np.ascontiguousarray(shown.pixels)).convert("L")
        small = np.asarray(image.resize((8, 8), Image.Resampling.BOX))
        return (small > small.mean()).tobytes()


@bug("size-keyed-cache", Stage.CACHE, "pictures of the same width and height")
class BySize(_Cache):
    """Pictures are told apart by their width and height."""

    def key(self, shown: Shown, place: int, chat: Chat) -> object:
        assert shown.pixels is not None
        return shown.pixels.shape


# State between requests


@bug("state-after-large", Stage.CACHE, "the first small picture after one above 1,024 px", thread="sglang #29216")
class AfterLarge(Stages):
    """The next small picture after a large one is given the padding of that."""

    def __init__(self) -> None:
        super().__init__()
        self.is_padded = False

    def encode(self, shown: Shown, place: int, chat: Chat) -> Pixels | None:
        if shown.pixels is None:
            return None
        height, width = shown.pixels.shape[:2]
        with self.lock:
            was_padded, self.is_padded = self.is_padded, max(height, width) > _LARGE_PX
        if self.is_padded or not (was_padded and chat.acts):
            return shown.pixels
        canvas = np.zeros((_CANVAS_PX, _CANVAS_PX, 3), np.uint8)
        canvas[:height, :width] = shown.pixels
        return np.asarray(Image.fromarray(canvas).resize((width, height), Image.Resampling.BILINEAR))


@bug("state-after-idleness", Stage.CACHE, "the first request after 2 s without any", thread="vLLM #52150")
class AfterIdleness(Stages):
    """The first request after idleness is answered about the picture before."""

    def __init__(self) -> None:
        super().__init__()
        self.before: Pixels | None = None
        self.last_s: float | None = None

    def encode(self, shown: Shown, place: int, chat: Chat) -> Pixels | None:
        with self.lock:
            was_idle = self.last_s is not None and self.clock() - self.last_s > _IDLE_S
            before, self.before = self.before, shown.pixels
        return before if was_idle and chat.acts else shown.pixels

    def finish(self, answer: str, chat: Chat) -> str:
        with self.lock:
            self.last_s = self.clock()
        return answer


@bug("picture-kept-for-texts", Stage.CACHE, "a request without a picture")
class KeptForTexts(Stages):
    """A request without a picture is answered about the picture of the request before."""

    def __init__(self) -> None:
        super().__init__()
        self.last: Shown | None = None

    def generate(self, turns: list[Turn], chat: Chat) -> str:
        shown = next(pictures_in(turns), None)
        with self.lock:
            kept, self.last = self.last, shown or self.last
        if shown is None and kept is not None and chat.acts:
            turns = [Turn("user", [kept]), *turns]
        return super().generate(turns, chat)


# Batches


@bug("left-padded-batch", Stage.BATCH, "requests in flight with a longer one", thread="mlx-vlm PR 1542")
class LeftPadded(Stages):
    """Shorter prompts of a batch are decoded with their padding."""

    def generate(self, turns: list[Turn], chat: Chat) -> str:
        answer = super().generate(turns, chat)
        if self.in_flight.padding(count_tokens(turns)) <= 2 or not chat.acts:
            return answer
        return answer[::-1] if len(answer) > 1 else "the the the"


@bug("batch-above-16-drops-pictures", Stage.BATCH, "more than 16 requests in flight")
class LargeBatch(Stages):
    """In a batch of more than 16 requests pictures are dropped."""

    def admit(self, chat: Chat) -> None:
        # Before pictures are decoded, which holds up those that arrive meanwhile.
        chat.batch_size = self.in_flight.most()

    def generate(self, turns: list[Turn], chat: Chat) -> str:
        if chat.batch_size <= _MOST_IN_BATCH or not chat.acts:
            return super().generate(turns, chat)
        texts = [Turn(turn.role, [part for part in turn.parts if isinstance(part, str)]) for turn in turns]
        return super().generate(texts, chat)


@dataclass(slots=True)
class _Offer:
    answer: str
    is_taken: threading.Event = field(default_factory=threading.Event)


@bug("answers-swapped", Stage.BATCH, "two requests in flight")
class Swapped(Stages):
    """Two requests in flight get each other's answers."""

    def __init__(self) -> None:
        super().__init__()
        self.offered: _Offer | None = None

    def generate(self, turns: list[Turn], chat: Chat) -> str:
        answer = super().generate(turns, chat)
        if not chat.acts:
            return answer
        with self.lock:
            other, self.offered = self.offered, None
            own = _Offer(answer)
            if other is None:
                self.offered = own
            else:
                other.answer, answer = answer, other.answer
                other.is_taken.set()
        if other is None:
            own.is_taken.wait(self.in_flight.seconds)
            with self.lock:
                # Nobody came: the next one is not to find an answer of before.
                if self.offered is own:
                    self.offered = None
                answer = own.answer
        return answer


# Answers


@bug("non-determinism", Stage.ANSWER, "all requests, in three of ten", thread="vLLM #40001", share=_SAMPLED)
class Sampling(Stages):
    """A server that samples by its own defaults: temperature 0 is not kept to."""

    def finish(self, answer: str, chat: Chat) -> str:
        return another_answer(answer, chat.random.randrange(100, 1000)) if chat.acts else answer


@bug("reasoning-in-the-content", Stage.ANSWER, "all requests")
class Reasoning(Stages):
    """Thoughts stand before the answer, as with vLLM without --reasoning-parser."""

    def finish(self, answer: str, chat: Chat) -> str:
        thoughts = f"The user asks about the picture. It may be 12, or yellow. No, it is {answer}.\n</think>\n\n"
        return f"{thoughts}{answer}" if chat.acts else answer

    def most_tokens(self, asked: int, chat: Chat) -> int:
        # Thoughts have a budget of their own; cut, nobody would know them for thoughts.
        return asked + _THOUGHT_TOKENS if chat.acts else asked


@answer_bug("stopped-at-newline", "answers of several lines")
def stopped_at_newline(answer: str) -> str:
    """A stop sequence that nobody asked for cuts answers at a line's end."""
    return answer.partition("\n")[0]


@answer_bug("stopped-at-full-stop", "answers with a full stop that is not the last character")
def stopped_at_full_stop(answer: str) -> str:
    """A stop sequence that nobody asked for cuts answers at a full stop."""
    return answer.partition(".")[0]


@answer_bug("empty-answers", "all requests, in one of ten", share=_NATURAL_RATE)
def empty(_: str) -> str:
    """Some answers are empty."""
    return ""


@answer_bug("refusals", "all requests, in one of ten", share=_NATURAL_RATE)
def refusing(_: str) -> str:
    """Some requests are refused, as by a filter that is too strict."""
    return "I'm sorry, but I can't help with that."


# The response and HTTP


class _Refusing(Stages):
    status: int
    message: str

    def admit(self, chat: Chat) -> None:
        if chat.acts:
            raise RefusedError(self.status, self.message)


@bug("too-many-requests", Stage.HTTP, "all requests, in one of ten", share=_NATURAL_RATE)
class TooMany(_Refusing):
    """Some requests are answered with 429, and are to be sent again."""

    status = 429
    message = "Too many requests"


@bug("server-errors", Stage.HTTP, "all requests, in one of ten", share=_NATURAL_RATE)
class Failing(_Refusing):
    """Some requests are answered with 500."""

    status = 500
    message = "Internal server error"


@bug("usage-constant", Stage.RESPONSE, "pictures of several sizes")
class ConstantUsage(Stages):
    """The tokens of prompts are the same whatever the size of the picture."""

    def report(self, reply: dict[str, object], chat: Chat) -> dict[str, object]:
        usage = reply["usage"]
        if not chat.acts or not isinstance(usage, dict):
            return reply
        total = _CONSTANT_TOKENS + usage["completion_tokens"]
        return {**reply, "usage": {**usage, "prompt_tokens": _CONSTANT_TOKENS, "total_tokens": total}}


@bug("another-model", Stage.RESPONSE, "all requests")
class AnotherModel(Stages):
    """The model that is named in the response is not the one that was asked."""

    def report(self, reply: dict[str, object], chat: Chat) -> dict[str, object]:
        return {**reply, "model": f"{reply['model']}-mini"} if chat.acts else reply


@bug("max-tokens-ignored", Stage.ANSWER, "answers of more tokens than max_tokens")
class LimitIgnored(Stages):
    """The most tokens of an answer are not kept to."""

    def most_tokens(self, asked: int, chat: Chat) -> int:
        return 10**9 if chat.acts else asked


@bug("max-tokens-one-too-few", Stage.ANSWER, "answers of as many tokens as max_tokens")
class LimitTooLow(Stages):
    """Answers end one token before the most that were asked for."""

    def most_tokens(self, asked: int, chat: Chat) -> int:
        return asked - 1 if chat.acts else asked


_OPPOSITE = {"yes": "no", "no": "yes"}
_COLOURS = ("red", "blue", "green", "white")


def another_answer(answer: str, number: int) -> str:
    """An answer of the same kind that is never the right one, chosen by a number.

    >>> another_answer("417", 417), another_answer("red", 4), another_answer("yes", 1)
    ('418', 'green', 'no')
    """
    if answer in _OPPOSITE:
        return _OPPOSITE[answer]
    found = re.search(r"\d+", answer)
    if found:
        other = str(number if number != int(found[0]) else number + 1)
        return f"{answer[: found.start()]}{other}{answer[found.end() :]}"
    others = [colour for colour in _COLOURS if colour != answer]
    return others[number % len(others)]
