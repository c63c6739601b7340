"""How a server is asked: what ``--vqamt-option`` gives, checked."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.identity import digest
from pytest_vqamt.models.http.numbers import number_of
from pytest_vqamt.models.openai.address import Address
from pytest_vqamt.models.protocol import ModelOptions

SETTINGS = ("timeout-s", "in-flight", "retries-s", "temperature", "seed", "detail", "token-limit", "revision")
"""The names of the settings, besides those of the prompts."""

_LIMITS = ("max_tokens", "max_completion_tokens")
_DETAILS = ("auto", "low", "high")
_MOST_IN_FLIGHT = 512
_LONGEST_S = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How a server is asked.

    Attributes:
        timeout_s: how long one request may take.
        in_flight: how many requests are on their way at once, in this process.
        retries_s: how long one query may be asked again and again after its first failure.
        temperature: 0 for the likeliest answer; None leaves it to the server, for models that refuse to be told.
        seed: for servers that sample; None leaves it out.
        detail: how closely OpenAI's models look at a picture; empty leaves it to the server.
        token_limit: what the request calls the number of tokens that may be generated.
        revision: the user's own name for the state of a model that may change under its name.
    """

    timeout_s: float = 120
    in_flight: int = 32
    retries_s: float = 120
    temperature: float | None = 0
    seed: int | None = None
    detail: str = ""
    token_limit: str = "max_tokens"
    revision: str = ""

    @property
    def digest(self) -> str:
        """Names what can change an answer."""
        return digest(str(self.temperature), str(self.seed), self.detail, self.token_limit, self.revision)


def settings_of(options: ModelOptions, address: Address) -> Settings:
    """The settings that the user gives, and else what suits the server.

    Raises:
        OptionError: a value cannot be used.
    """
    given = options.settings
    in_flight = int(number_of(given.get("in-flight", "32"), "in-flight", at_least=1, most=_MOST_IN_FLIGHT, whole=True))
    limit = "max_completion_tokens" if address.is_of_openai else "max_tokens"
    temperature, seed = given.get("temperature", "0"), given.get("seed", "none")
    return Settings(
        timeout_s=number_of(given.get("timeout-s", "120"), "timeout-s", at_least=0.1, most=_LONGEST_S),
        in_flight=max(1, in_flight // options.workers),
        retries_s=number_of(given.get("retries-s", "120"), "retries-s", at_least=0, most=_LONGEST_S),
        temperature=None if temperature == "none" else number_of(temperature, "temperature", at_least=0, most=2),
        seed=None if seed == "none" else int(number_of(seed, "seed", at_least=0, most=2**31 - 1, whole=True)),
        detail=_one_of(_DETAILS, given["detail"], "detail") if "detail" in given else "",
        token_limit=_one_of(_LIMITS, given.get("token-limit", limit), "token-limit"),
        revision=given.get("revision", ""),
    )


def _one_of(known: tuple[str, ...], value: str, name: str) -> str:
    if value not in known:
        raise OptionError(f"Expected one of {', '.join(known)}, but got {name}={value!r}")
    return value
