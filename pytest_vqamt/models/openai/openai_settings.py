"""The address, the settings and the key of an OpenAI-compatible server."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from math import isfinite
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.input_files import expanded, parse_toml, read_text
from pytest_vqamt.models.chat_settings import ChatSettings, chat_settings
from pytest_vqamt.models.http.http_settings import ApiKey, key_from_environment, parse_number, parse_seconds, split_url
from pytest_vqamt.models.http.picture_files import FileEncoder, ImageFormat
from pytest_vqamt.models.protocol import ModelOptions

_LIMITS = ("max_tokens", "max_completion_tokens")
_DETAILS = ("auto", "low", "high")
_RESPONSES = ("text", "json")
_MOST_IN_FLIGHT = 512

_HEADER = "header."
# Headers that the client sets itself.
_OWN_HEADERS = frozenset({"host", "content-type", "content-length", "accept", "user-agent", "transfer-encoding"})
_VARIABLE = re.compile(r"[A-Za-z_]\w*", re.ASCII)

KEY_VARIABLE = "VQAMT_OPENAI_KEY"
"""The environment variable that may hold the key."""

_FORM = re.compile(r"(?P<model>.+)@(?P<url>https?://.*)", re.IGNORECASE | re.DOTALL)
_EXAMPLE = "such as openai:llama3.2-vision:11b@http://127.0.0.1:11434/v1"
_ENDPOINT = "/chat/completions"
_OTHER_ENDPOINTS = ("completions", "completion", "responses", "models", "messages", "embeddings", "chat", "generate")
"""The ends of paths of other endpoints, or of half of ours."""

_PER = 1_000_000
"""Prices are for so many tokens."""

_FIELDS = ("in", "out", "cached-in", "request")
_NEEDED = ("in", "out")
"""What a price must have, unless it is for requests alone: a field that is forgotten would cost nothing."""

_EXAMPLE_PRICES = '["gpt-4o-mini"] with in = 0.15 and out = 0.60, for a million tokens'


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAISettings:
    """The settings of requests."""

    timeout_s: float = 120
    """Of one request."""
    in_flight: int = 32
    """The most concurrent requests of this process."""
    retries_s: float = 120
    """How long a query may be retried after its first failure."""
    temperature: float | None = 0
    """0 for greedy decoding; None leaves it out, for models that reject it."""
    seed: int | None = None
    """For servers that sample; None leaves it out."""
    detail: str = ""
    """The resolution at which OpenAI's models see a picture; empty leaves it out."""
    token_limit: str = "max_tokens"
    """The request's name for the most tokens to generate."""
    revision: str = ""
    """The user's name for the state of a model that may change under its name."""
    is_json: bool = False
    """True if answers are structured output by a JSON schema."""
    headers: tuple[tuple[str, str], ...] = ()
    """The environment variables that further headers take their values from, by header."""
    chat: ChatSettings = field(default_factory=ChatSettings)
    """The settings of the chat."""
    format: ImageFormat = field(default_factory=ImageFormat)
    """The files that pictures are sent as."""

    @property
    def encoder(self) -> FileEncoder:
        """Makes the files of pictures."""
        return FileEncoder(format=self.format, min_pixels=self.chat.min_pixels, max_pixels=self.chat.max_pixels)

    @property
    def digest(self) -> str:
        """A digest of the settings that can change an answer, but for ``format``."""
        # The order is that of the first version: another one would be another fingerprint, and no cached answer would
        # be found.
        named = [str(self.temperature), str(self.seed), self.detail, self.token_limit, self.revision]
        # Settings that were added later count only where they are set, so answers cached before are still found.
        later = {"json": str(self.is_json or ""), "chat": self.chat.fingerprint}
        later |= {f"header {name}": variable for name, variable in self.headers}
        return digest(*named, *(f"{name}={value}" for name, value in later.items() if value))


def openai_settings(options: ModelOptions, address: ModelAddress) -> OpenAISettings:
    """The user's settings, with defaults that suit the server.

    Raises:
        OptionError: a value is invalid.
    """
    given = options.settings
    in_flight = int(
        parse_number(given.get("in-flight", "32"), "in-flight", at_least=1, most=_MOST_IN_FLIGHT, whole=True)
    )
    # OpenAI's newer models refuse max_tokens; most other servers know no other name.
    limit = "max_completion_tokens" if address.is_of_openai else "max_tokens"
    temperature, seed = given.get("temperature", "0"), given.get("seed", "none")
    return OpenAISettings(
        timeout_s=parse_seconds(given, "timeout-s", "120", at_least=0.1),
        # The user's limit is for the whole run, and each worker of xdist has a process of its own.
        in_flight=max(1, in_flight // options.workers),
        retries_s=parse_seconds(given, "retries-s", "120", at_least=0),
        temperature=None if temperature == "none" else parse_number(temperature, "temperature", at_least=0, most=2),
        seed=None if seed == "none" else int(parse_number(seed, "seed", at_least=0, most=2**31 - 1, whole=True)),
        detail=_one_of(_DETAILS, given["detail"], "detail") if "detail" in given else "",
        token_limit=_one_of(_LIMITS, given.get("token-limit", limit), "token-limit"),
        revision=given.get("revision", ""),
        is_json=_one_of(_RESPONSES, given.get("response", "text"), "response") == "json",
        headers=tuple(sorted(_header(name, value) for name, value in given.items() if name.startswith(_HEADER))),
        chat=chat_settings(options),
        format=ImageFormat.of(given),
    )


def _header(name: str, value: str) -> tuple[str, str]:
    """A header and the environment variable that holds its value."""
    header = name.removeprefix(_HEADER)
    # The characters of a token in RFC 9110, section 5.6.2.
    if not re.fullmatch(r"[\w!#$%&'*+.^`|~-]+", header, re.ASCII) or header.lower() in _OWN_HEADERS:
        raise OptionError(f"Expected header.NAME=VARIABLE with a header that is not sent anyway, but got {name!r}")
    if not _VARIABLE.fullmatch(value):
        raise OptionError(
            f"Expected header.{header}=VARIABLE with the name of the environment variable that holds the value, but "
            "got what is no such name (not shown: it may be a secret)"
        )
    return header.lower(), value


def _one_of(known: tuple[str, ...], value: str, name: str) -> str:
    if value not in known:
        raise OptionError(f"Expected one of {', '.join(known)}, but got {name}={value!r}")
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAddress:
    """The address of a model at a server."""

    model: str
    """The name that the server knows it by: "llama3.2-vision:11b"."""
    url: str
    """The whole URL of its chat completions, the host in lower case."""

    @classmethod
    def parse(cls, argument: str) -> ModelAddress:
        """The address in ``MODEL@URL``.

        The URL begins after the last ``@`` that http:// or https:// follows, so a model's name may hold slashes,
        colons and ``@``. A URL without a path gets ``/v1/chat/completions``; one with a path gets
        ``/chat/completions``, unless it ends so.

        >>> ModelAddress.parse("org/model:7b@http://127.0.0.1:8000")
        ModelAddress(model='org/model:7b', url='http://127.0.0.1:8000/v1/chat/completions')
        >>> ModelAddress.parse("m@https://host/api/v1/").url
        'https://host/api/v1/chat/completions'

        Raises:
            OptionError: it has another form, the URL is another endpoint's, or it holds what might be a secret, which
                no message repeats.
        """
        found = _FORM.fullmatch(argument)
        # The name would hold a URL where the spec has two of them.
        if found is None or "://" in found["model"]:
            raise OptionError(
                f"Expected openai:MODEL@URL with an http:// or https:// URL, {_EXAMPLE}, but got "
                f"model={f'openai:{_without_url(argument)}'!r}"
            )
        parts = split_url(found["url"], example=_EXAMPLE, variable=KEY_VARIABLE)
        path = parts.path.rstrip("/")
        # A URL that was copied from a log is whole already.
        if not path.endswith(_ENDPOINT):
            _check_is_base(parts, path)
            path = f"{path or '/v1'}{_ENDPOINT}"
        return cls(model=found["model"], url=f"{parts.scheme}://{parts.netloc.lower()}{path}")

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""

    @property
    def is_of_openai(self) -> bool:
        """True for OpenAI's own server over https."""
        return self.host == "api.openai.com" and self.url.startswith("https:")


def _check_is_base(parts: SplitResult, path: str) -> None:
    base, _, last = path.rpartition("/")
    if last.lower() in _OTHER_ENDPOINTS:
        server = f"{parts.scheme}://{parts.netloc}"
        raise OptionError(
            f"Expected the URL that an API begins at, {_EXAMPLE}, but got one of another endpoint, {server}{path}: "
            f"give {server}{'/v1' if base in ('', '/api') else base}, or the whole URL of its chat completions"
        )


def _without_url(argument: str) -> str:
    """The part before the URL: a password may follow an @."""
    before, at, _ = argument.partition("@")
    return f"{before.partition('://')[0]}@..." if at else before.partition("://")[0]


def key_variables(address: ModelAddress) -> tuple[str, ...]:
    """The environment variables that may hold the key for a server; the first one that is set counts.

    OPENAI_API_KEY was made for OpenAI, and goes nowhere else.
    """
    # A run may name servers of several owners, and must not send one's key to another.
    own = f"{KEY_VARIABLE}_{re.sub(r'[^A-Z0-9]', '_', address.host.upper())}"
    return (own, KEY_VARIABLE, "OPENAI_API_KEY") if address.is_of_openai else (own, KEY_VARIABLE)


def api_key_for(
    address: ModelAddress, environment: Mapping[str, str], headers: tuple[tuple[str, str], ...] = ()
) -> ApiKey:
    """Reads the key for a server, perhaps an empty one, and the values of ``headers`` from their variables.

    Raises:
        OptionError: it holds what no header can hold, which the message does not repeat, or a variable is not set.
    """
    values: dict[str, str] = {}
    for header, variable in headers:
        value = environment.get(variable, "").strip()
        if not value or re.search(r"[^\x20-\x7e]", value):
            what = "one with characters that no header can hold (not shown)" if value else "none"
            raise OptionError(
                f"Expected the value of the header {header} in the environment variable {variable}, but got {what}: "
                f"set it, or leave header.{header} off"
            )
        values[header] = value
    return key_from_environment(environment, key_variables(address), values)


_HIGHEST_PRICE = 1e9


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """The prices of a model, in any currency."""

    tokens_in: float = 0.0
    """For a million tokens of requests."""
    tokens_out: float = 0.0
    """For a million tokens of answers."""
    cached_in: float | None = None
    """For a million tokens of requests that the server had cached; None for those of other tokens."""
    request: float = 0.0
    """For each request."""

    def cost(self, tokens_in: float, tokens_out: float, cached: float = 0, *, requests: int = 1) -> float:
        """The cost of requests with so many tokens in all; the server had cached ``cached`` of those in.

        >>> Prices(tokens_in=2, tokens_out=10).cost(500_000, 100_000)
        2.0
        """
        cached_price = self.tokens_in if self.cached_in is None else self.cached_in
        # prompt_tokens includes the cached ones; a server that counts them apart would give less than nothing.
        fresh = max(0.0, tokens_in - cached)
        return (
            fresh * self.tokens_in + cached * cached_price + tokens_out * self.tokens_out
        ) / _PER + requests * self.request


def prices_from(options: ModelOptions, model: str) -> Prices | None:
    """The user's prices of a model; None without any.

    Raises:
        OptionError: a price is invalid, the file cannot be read, or does not have the model.
    """
    given = options.settings
    named = {name: given[f"price-{name}"] for name in _NEEDED if f"price-{name}" in given}
    if "price" in given:
        if named:
            raise OptionError(
                f"Expected price=FILE, or price-in and price-out, but got price={given['price']!r} and both"
            )
        return _prices_in(expanded(given["price"]), model)
    if not named:
        return None
    prices = {
        name: parse_number(text, f"price-{name}", at_least=0, most=_HIGHEST_PRICE) for name, text in named.items()
    }
    if len(named) < len(_NEEDED):
        ((name, text),) = named.items()
        raise OptionError(
            f"Expected both price-in and price-out, 0 for what is free, but got price-{name}={text} alone"
        )
    return Prices(tokens_in=prices["in"], tokens_out=prices["out"])


def _prices_in(file: Path, model: str) -> Prices:
    try:
        table = parse_toml(read_text(file))
    except (OSError, ValueError) as error:
        raise OptionError(f"Expected a TOML file of prices, but got price={str(file)!r} ({error})") from error
    # The model's own name wins over globs, and the longest glob over shorter ones: "gpt-4o-mini*" over "gpt-4o*".
    fitting = [name for name in table if name == model or fnmatchcase(model, name)]
    if not fitting:
        known = ", ".join(table) or "none"
        raise OptionError(
            f"Expected prices of {model!r}, but price={str(file)!r} has {known}: add a table such as {_EXAMPLE_PRICES}"
        )
    name = max(fitting, key=lambda each: (each == model, len(each)))
    found = table[name]
    where = f"[{name!r}] in price={str(file)!r}"
    if not isinstance(found, Mapping):
        raise OptionError(f"Expected a table such as {_EXAMPLE_PRICES}, but got {found!r} as {where}")
    for entry, value in found.items():
        is_price = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value) and value >= 0
        if entry not in _FIELDS or not is_price:
            raise OptionError(
                f"Expected prices from 0 up for {', '.join(_FIELDS)}, but got {entry} = {value!r} of {where}"
            )
    lacking = [field for field in _NEEDED if field not in found]
    # A price for requests alone needs none for tokens.
    if lacking and set(found) != {"request"}:
        raise OptionError(
            f"Expected {' and '.join(_NEEDED)}, 0 for what is free, but got no {' and '.join(lacking)} of {where}"
        )
    return Prices(
        tokens_in=found.get("in", 0.0),
        tokens_out=found.get("out", 0.0),
        cached_in=found.get("cached-in"),
        request=found.get("request", 0.0),
    )


@dataclass(slots=True)
class Spent:
    """Tokens and money that a request took."""

    tokens_in: float | None = None
    """Tokens of the request; None where the server counts none."""
    tokens_out: float | None = None
    """Tokens of the reply; None where the server counts none."""
    cost: float | None = None
    """In the currency of the prices; None where neither server nor prices give it."""

    def read(self, usage: object, prices: Prices | None) -> None:
        """Reads the ``usage`` of a reply.

        ``cost`` in it is what the server took (OpenRouter's is in its credits, US dollars); else the prices say it.
        """
        if not isinstance(usage, Mapping):
            return
        self.tokens_in, self.tokens_out, self.cost = (
            _amount(usage.get(name)) for name in ("prompt_tokens", "completion_tokens", "cost")
        )
        if self.cost is None and prices is not None and self.tokens_in is not None:
            details = usage.get("prompt_tokens_details")
            cached = _amount(details.get("cached_tokens")) if isinstance(details, Mapping) else None
            self.cost = prices.cost(self.tokens_in, self.tokens_out or 0, cached or 0)


_MOST_TOKENS = 2.0**53
"""Nothing takes as many tokens; a larger number fits in no column of the answer cache."""


def _amount(value: object) -> float | None:
    """A number of a reply that can be summed and cached; None for anything else."""
    # JSON's true would be an int, and NaN fails the comparison.
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _MOST_TOKENS:
        return value
    return None
