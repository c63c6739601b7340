"""Which photos the server has: those that it has not travel as pixels."""

from __future__ import annotations

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.models.served.settings import Send

_UNKNOWN_AT_FIRST = 64
"""After so many photos that the server has not, with none that it has, it is not asked about any other."""


class Sending:
    """What the server was found to have of the photos of this run. Several threads may tell and ask at once."""

    def __init__(self, send: Send, *, model: str, url: str, needs_scenes: bool) -> None:
        self._send = send
        self._model = model
        self._url = url
        self._needs_scenes = needs_scenes
        self._lacking: set[str] = set()
        self._has_any = False

    def as_pixels(self, asked: ModelInput) -> bool:
        """Whether the picture of an input travels as PNG."""
        if self._send is not Send.AUTO:
            return self._send is Send.PNG
        lacks_all = not self._has_any and len(self._lacking) >= _UNKNOWN_AT_FIRST
        return lacks_all or asked.query.picture.photo.digest in self._lacking

    def has(self, *, as_pixels: bool) -> None:
        """Tells that the server has made a picture of what was sent."""
        self._has_any = self._has_any or not as_pixels

    def lacks(self, asked: ModelInput, reason: str) -> None:
        """Tells that it has not a photo that the picture of an input is made of.

        Raises:
            ModelError: it is not sent as pixels, either.
        """
        to_do = "start `vqamt serve` with the --vqamt-data of this run"
        if self._needs_scenes:
            raise ModelError(
                f"Expected {self._url} to have the scenes of this run, for model {self._model!r} looks at scenes and "
                f"not at pixels, but got: {reason}: {to_do}"
            )
        if self._send is Send.RECIPE:
            raise ModelError(
                f"Expected {self._url} to have the photos of this run, as send=recipe says, but got: {reason}: "
                f"{to_do}, or leave send=recipe off"
            )
        self._lacking.add(asked.query.picture.photo.digest)
