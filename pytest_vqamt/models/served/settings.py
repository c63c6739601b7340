"""How a served model is asked: what ``--vqamt-option`` gives, checked."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.models.http.numbers import number_of
from pytest_vqamt.models.protocol import ModelOptions

SETTINGS = ("send", "timeout-s", "retries-s")
"""The names of the settings."""

_LONGEST_S = 86_400


class Send(StrEnum):
    """As what pictures travel: as recipes, and as PNG where the server has not the photo; or always as one of them."""

    AUTO = "auto"
    RECIPE = "recipe"
    PNG = "png"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How a server is asked.

    Attributes:
        send: as what pictures travel.
        timeout_s: how long one request, of a batch, may take.
        retries_s: how long one may be tried again and again after its first failure.
    """

    send: Send = Send.AUTO
    timeout_s: float = 600
    retries_s: float = 120


def settings_of(options: ModelOptions) -> Settings:
    """The settings that the user gives.

    Raises:
        OptionError: a value cannot be used.
    """
    given = options.settings
    send = given.get("send", Send.AUTO)
    if send not in set(Send):
        raise OptionError(f"Expected one of {', '.join(Send)}, but got send={send!r}")
    return Settings(
        send=Send(send),
        timeout_s=number_of(given.get("timeout-s", "600"), "timeout-s", at_least=0.1, most=_LONGEST_S),
        retries_s=number_of(given.get("retries-s", "120"), "retries-s", at_least=0, most=_LONGEST_S),
    )
