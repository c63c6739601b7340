"""URLs and numbers in settings of models behind HTTP servers."""

from __future__ import annotations

import re
from ipaddress import ip_address
from math import isfinite
from urllib.parse import SplitResult, urlsplit

from pytest_vqamt.core.errors import OptionError


def split_url(url: str, *, example: str, variable: str) -> SplitResult:
    """The parts of a URL.

    Args:
        url: what the user typed.
        example: "such as ...", for messages.
        variable: the environment variable for the key.

    Raises:
        OptionError: it is invalid, or holds what might be a secret, which the message does not repeat.
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


def is_loopback(url: str) -> bool:
    """Whether the URL's host is this machine's loopback."""
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def parse_number(text: str, name: str, *, at_least: float, most: float, whole: bool = False) -> float:
    """The number in ``text``, within its bounds.

    Raises:
        OptionError: it is no such number.
    """
    try:
        value = float(int(text) if whole else text)
    except (ValueError, OverflowError):
        value = float("nan")
    if not (isfinite(value) and at_least <= value <= most):
        kind = "a whole number" if whole else "a number"
        raise OptionError(f"Expected {kind} from {at_least} to {most}, but got {name}={text!r}")
    return value
