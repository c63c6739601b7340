"""What answers cost: the user's prices, for servers that do not say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from math import isfinite
from pathlib import Path

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.input_files import expanded, parse_toml, read_text
from pytest_vqamt.models.http.settings import parse_number
from pytest_vqamt.models.protocol import ModelOptions

_PER = 1_000_000
"""Prices are for so many tokens."""

_MOST = 1e9
_FIELDS = ("in", "out", "cached-in", "request")
_NEEDED = ("in", "out")
"""What a price must have, unless it is for requests alone: a field that is forgotten would cost nothing."""

_EXAMPLE_PRICES = '["gpt-4o-mini"] with in = 0.15 and out = 0.60, for a million tokens'


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """The prices of a model, in any currency.

    Attributes:
        tokens_in, tokens_out: for a million tokens of requests and of answers.
        cached_in: for a million tokens of requests that the server had cached; None for those of other tokens.
        request: for each request.
    """

    tokens_in: float = 0.0
    tokens_out: float = 0.0
    cached_in: float | None = None
    request: float = 0.0

    def cost(self, tokens_in: float, tokens_out: float, cached: float = 0, *, requests: int = 1) -> float:
        """The cost of requests with so many tokens in all; the server had cached ``cached`` of those in.

        >>> Prices(tokens_in=2, tokens_out=10).cost(500_000, 100_000)
        2.0
        """
        cached_price = self.tokens_in if self.cached_in is None else self.cached_in
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
    prices = {name: parse_number(text, f"price-{name}", at_least=0, most=_MOST) for name, text in named.items()}
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
    # The model's own name comes before globs, and of these the longest.
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
    for field, value in found.items():
        is_price = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value) and value >= 0
        if field not in _FIELDS or not is_price:
            raise OptionError(
                f"Expected prices from 0 up for {', '.join(_FIELDS)}, but got {field} = {value!r} of {where}"
            )
    lacking = [field for field in _NEEDED if field not in found]
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
    """What a request took: tokens and money; None where it is not known."""

    tokens_in: float | None = None
    tokens_out: float | None = None
    cost: float | None = None

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


_MOST = 2.0**53
"""Nothing takes as many tokens; a larger number fits in no column of the answer cache."""


def _amount(value: object) -> float | None:
    """A number that can be summed and kept, whole numbers as they are."""
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _MOST:
        return value
    return None
