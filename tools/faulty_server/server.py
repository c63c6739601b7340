"""The server: reads requests, runs them through the stages of one bug or none, and writes responses."""

from __future__ import annotations

import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from hashlib import sha256
from random import Random
from typing import Any

from tests.models.openai.stub import LocalServer, Reply
from tools.faulty_server.requests import Chat, Shown, Turn, count_tokens, read_turns
from tools.faulty_server.serving_bugs import another_answer
from tools.faulty_server.stages import BUGS, InFlight, RefusedError, Stages

_TOKEN = re.compile(r"\d|[^\W\d]+|[^\w\s]|\n")
"""Each digit is a token, as with most models."""
_NO_LIMIT = 10**9
_BUSY = ((429, "Too many requests"), (500, "Internal server error"))


class FaultyServer(LocalServer):
    """A server of chat completions that reads cards rightly, or with a bug in a share of the requests that it concerns.

    Attributes:
        bug: the name of what is wrong with it; None for nothing.
        in_flight: how it batches requests, with a bug of batches.
        requests: how many there were.

    ``share`` None is the bug's own; ``flips`` is the share of answers replaced by another at random, ``refused``
    that of requests that get 429 or 500, and ``delay_s`` is how long each takes beside its computation. Which
    requests are spoilt depends on ``seed``, on the request, and on how often it came before, so also at once on
    nothing else.
    """

    def __init__(
        self,
        bug: str | None = None,
        *,
        share: float | None = None,
        port: int = 0,
        flips: float = 0.0,
        refused: float = 0.0,
        delay_s: float = 0.0,
        seed: int = 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(port)
        self.bug = bug
        self.requests = 0
        self._stages = BUGS[bug].make() if bug else Stages()
        self._stages.clock = clock
        self._share = (BUGS[bug].share if share is None else share) if bug else 0.0
        self._flips = flips
        self._refused = refused
        self._delay_s = delay_s
        self._seed = seed
        self._lock = threading.Lock()
        self._times: Counter[str] = Counter()

    @property
    def in_flight(self) -> InFlight:
        return self._stages.in_flight

    def reply(self, path: str, headers: Mapping[str, str], content: bytes) -> Reply:
        try:
            return Reply(body=json.dumps(self.complete(json.loads(content))).encode())
        except RefusedError as error:
            body = {"error": {"message": error.message, "type": "an_error", "code": None}}
            return Reply(status=error.status, body=json.dumps(body).encode())

    def complete(self, fields: dict[str, Any]) -> dict[str, object]:
        """The chat completion of a request's JSON.

        Raises:
            RefusedError: the answer is an HTTP error.
        """
        with self.in_flight.entered():
            return self._completion(fields)

    def _completion(self, fields: dict[str, Any]) -> dict[str, object]:
        stages = self._stages
        chat = self._chat(fields)
        is_flipped = chat.random.random() < self._flips
        other = chat.random.randrange(100, 1000)
        time.sleep(self._delay_s)
        if self._refused and chat.random.random() < self._refused:
            raise RefusedError(*chat.random.choice(_BUSY))
        stages.admit(chat)
        for shown in chat.pictures:
            file = stages.fetch(shown.file, chat)
            pixels = None if file is None else stages.decode(file, chat)
            pixels = None if pixels is None else stages.preprocess(pixels, chat)
            shown.pixels = None if pixels is None else stages.scale(pixels, shown.detail, chat)
        for place, shown in enumerate(chat.pictures):
            shown.pixels = stages.encode(shown, place, chat)
        seen = [Turn(turn.role, [part for part in turn.parts if not _is_lost(part)]) for turn in chat.turns]
        turns = stages.fit(stages.arrange(seen, chat), chat)
        answer = stages.generate(turns, chat)
        answer = stages.finish(another_answer(answer, other) if is_flipped else answer, chat)
        asked = fields.get("max_tokens") or fields.get("max_completion_tokens") or _NO_LIMIT
        answer, tokens, is_cut = _limited(answer, stages.most_tokens(int(asked), chat))
        prompt = count_tokens(turns)
        reply: dict[str, object] = {
            "object": "chat.completion",
            "model": fields.get("model", ""),
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "length" if is_cut else "stop",
                    "message": {"role": "assistant", "content": answer},
                }
            ],
            "usage": {"prompt_tokens": prompt, "completion_tokens": tokens, "total_tokens": prompt + tokens},
        }
        return stages.report(reply, chat)

    def _chat(self, fields: dict[str, Any]) -> Chat:
        digest = sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()
        with self._lock:
            self.requests += 1
            self._times[digest] += 1
            times = self._times[digest]
        # Not by the order of requests, which differs between runs where several are in flight.
        random = Random(f"{self._seed} {times} {digest}")
        return Chat(fields=fields, turns=read_turns(fields), acts=random.random() < self._share, random=random)


def _is_lost(part: str | Shown) -> bool:
    return isinstance(part, Shown) and part.pixels is None


def _limited(answer: str, most: int) -> tuple[str, int, bool]:
    """The answer up to so many tokens, how many it has, and if any were cut."""
    ends = [found.end() for found in _TOKEN.finditer(answer)]
    if len(ends) <= most:
        return answer, len(ends) + 1, False
    return answer[: ends[most - 1]] if most > 0 else "", most, True
