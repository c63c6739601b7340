"""URLs that specs name: a host, a port perhaps and a path, and nothing that might be a secret."""

from __future__ import annotations

import re
from ipaddress import ip_address
from math import isfinite
from urllib.parse import SplitResult, urlsplit

from pytest_vqamt.core.errors import OptionError


def parts_of(url: str, *, example: str, variable: str) -> SplitResult:
    """The parts of a URL.

    Args:
        url: what the user typed.
        example: "such as ...", for messages.
        variable: the environment variable that a key belongs into.

    Raises:
        OptionError: it is none, or it holds what might be a secret, which the message does not repeat.
    """
    if re.search(r"[\s\x00-\x1f\x7f\\]", url):
        raise OptionError(f"Expected a URL without blanks and backslashes, {example}, but got one that has some")
    try:
        parts = urlsplit(url)
        named, _ = parts.hostname, parts.port
    except ValueError as error:
        raise OptionError(f"Expected a URL, {example}, but got one that cannot be read") from error
    for what, is_there in {
        "a user name or a password": "@" in parts.netloc,
        "a query": "?" in url,
        "a fragment": "#" in url,
    }.items():
        if is_there:
            raise OptionError(
                f"Expected a URL of a host and a path alone, {example}, but got one with {what}, which is not shown "
                f"here: specs are printed and reported; a key belongs into the environment variable {variable}"
            )
    if not named:
        raise OptionError(f"Expected a URL with a host, {example}, but got one without")
    return parts


def is_on_this_machine(url: str) -> bool:
    """Whether the host of a URL is this machine by its loopback."""
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def number_of(text: str, name: str, *, at_least: float, most: float, whole: bool = False) -> float:
    """The number that ``text`` says, within its bounds.

    Raises:
        OptionError: it says none.
    """
    try:
        value = float(int(text) if whole else text)
    except (ValueError, OverflowError):
        value = float("nan")
    if not (isfinite(value) and at_least <= value <= most):
        kind = "a whole number" if whole else "a number"
        raise OptionError(f"Expected {kind} from {at_least} to {most}, but got {name}={text!r}")
    return value
