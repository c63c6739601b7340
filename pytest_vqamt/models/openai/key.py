"""The key for a server: which environment variables may hold it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pytest_vqamt.models.http.key import Key, key_in
from pytest_vqamt.models.openai.address import VARIABLE, Address


def variables(address: Address) -> tuple[str, ...]:
    """The environment variables that may hold the key for a server, the first that does first.

    OPENAI_API_KEY was made for OpenAI, and goes nowhere else.
    """
    own = f"{VARIABLE}_{re.sub(r'[^A-Z0-9]', '_', address.host.upper())}"
    return (own, VARIABLE, "OPENAI_API_KEY") if address.is_of_openai else (own, VARIABLE)


def key_for(address: Address, environment: Mapping[str, str]) -> Key:
    """The key for a server, or an empty one.

    Raises:
        OptionError: it holds what no header can hold; the message does not repeat it.
    """
    return key_in(environment, variables(address))
