"""Asking a replica that may die: the chunk goes to another, or to the one that Ray starts in its place."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_vqamt.core.query import Failure
from pytest_vqamt.serving.messages import Chunk, Outcome

if TYPE_CHECKING:
    from ray.serve.handle import DeploymentHandle


_PAUSE_S = 0.5

_DEATHS = 3
"""A query at which so many replicas have died, the last of them asked nothing else, has an error."""


class Patient:
    """Asks through a handle of Ray Serve, which waits as long as no replica is there."""

    def __init__(self, handle: DeploymentHandle[Any]) -> None:
        self._handle = handle

    async def ask(self, chunk: Chunk, deaths: int = 0) -> Outcome:
        """What became of the chunk.

        A replica that dies takes with it whatever it was asked, and any of that may be what it died of. So a chunk is
        asked whole once more, and then in halves: what is harmless is answered, and what is not is found.
        """
        from ray.exceptions import RayActorError

        try:
            outcome: Outcome = await self._handle.ask.remote(chunk)
        except RayActorError:
            await asyncio.sleep(_PAUSE_S)
        else:
            return outcome
        deaths += 1
        if len(chunk.queries) == 1 and deaths >= _DEATHS:
            reason = f"Expected an answer, but the replica ended {deaths} times while it was asked this"
            return Outcome(told=(Failure(reason=reason),))
        if len(chunk.queries) == 1 or deaths < _DEATHS - 1:
            return await self.ask(chunk, deaths)
        middle = len(chunk.queries) // 2
        first = await self.ask(replace(chunk, queries=chunk.queries[:middle]), deaths - 1)
        second = await self.ask(replace(chunk, queries=chunk.queries[middle:]), deaths - 1)
        return Outcome(
            told=first.told + second.told,
            given_up=first.given_up or second.given_up,
            busy_s=first.busy_s + second.busy_s,
            batch_size=second.batch_size,
        )
