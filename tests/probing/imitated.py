"""Servers with imitations of public bugs: four sets, by four authors who knew neither the probe nor other sets."""

from __future__ import annotations

from collections.abc import Mapping

from tests.probing import imitations, imitations_four, imitations_three, imitations_two
from tests.probing.imitations import Imitation
from tools.faulty_server import FaultyServer

IMITATIONS: Mapping[str, Imitation] = {
    **imitations.IMITATIONS,
    **imitations_two.IMITATIONS,
    **imitations_three.IMITATIONS,
    **imitations_four.IMITATIONS,
}
"""All imitations by name."""


class Imitated(FaultyServer):
    """A server with an imitated bug."""

    def __init__(self, name: str, *, port: int = 0, seed: int = 0) -> None:
        super().__init__(port=port, seed=seed)
        clock = self._stages.clock
        self._stages = IMITATIONS[name].stages()
        self._stages.clock = clock
