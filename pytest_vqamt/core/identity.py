"""Digests, seeds and patterns of names: the same on every machine, worker and run."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from hashlib import sha256

from pytest_vqamt.core.errors import OptionError, did_you_mean

_SEPARATOR = "\x1f"
"""The unit separator of ASCII, between the parts of a digest."""
_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)
"""Made once: ``json.dumps`` with such settings makes an encoder for every call."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


def digest(*parts: str) -> str:
    """SHA-256 of the parts in order, as 16 hexadecimal digits (64 bits).

    >>> digest("a", "b") == digest("a", "b")
    True
    >>> digest("ab", "") == digest("a", "b")
    False
    """
    # A path whose name is not UTF-8 has lone surrogates in Python.
    return sha256(_SEPARATOR.join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def canonical_json(value: object) -> str:
    """JSON with sorted keys and no spaces, the same for equal values."""
    return _CANONICAL.encode(value)


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    # Not fnmatch, for which the brackets of relation[variant] are a set of characters.
    return re.compile(".*".join(re.escape(part) for part in pattern.split("*")))


def matches(pattern: str, item: str) -> bool:
    """True if ``pattern`` matches the item ``relation[variant]``; without a variant it matches all of them.

    The bare name of a family matches all its relations: "metavqa" is "metavqa.*".

    >>> matches("metavqa.*", "metavqa.partition[object]"), matches("metavqa.partition", "metavqa.partition[object]")
    (True, True)
    >>> matches("metavqa", "metavqa.partition[object]"), matches("meta", "metavqa.partition[object]")
    (True, False)
    >>> matches("metavqa.partition[property]", "metavqa.partition[object]")
    False
    """
    glob, relation = _compiled(pattern), item.partition("[")[0]
    family, dot, _ = relation.partition(".")
    return bool(glob.fullmatch(item) or glob.fullmatch(relation) or (dot and pattern == family))


def split_name(text: str) -> tuple[str, str]:
    """Splits ``NAME=SPEC``, a spec of a model or of data with a short name; the name is "" without one.

    A name stands before the first colon: after it, a spec may contain "=".

    >>> split_name("ours=hf:org/model"), split_name("openai:m@http://host/v1?a=b")
    (('ours', 'hf:org/model'), ('', 'openai:m@http://host/v1?a=b'))

    Raises:
        OptionError: the name has other characters than letters, digits, "_" and "-", or the spec is missing.
    """
    name, equals, spec = text.partition("=")
    if not equals or ":" in name:  # the "=" is part of the spec, as in an address with a query
        return "", text
    if not _NAME.fullmatch(name):
        raise OptionError(
            f"Expected NAME=SPEC, with a letter and then letters, digits, '_' and '-' as the name, but got {text!r}, "
            f"whose name would be {name!r}"
        )
    if not spec:
        raise OptionError(f"Expected NAME=SPEC, but got {text!r}, with nothing after '=': say what {name!r} stands for")
    return name, spec


def name_of(text: str) -> str:
    """The name of a spec: its short name, or the whole spec without one.

    >>> name_of("ours=hf:org/model"), name_of("tiny")
    ('ours', 'tiny')
    """
    name, spec = split_name(text)
    return name or spec


def families_of(names: Iterable[str]) -> tuple[str, ...]:
    """The families of relations or items, each once: what stands before the dot.

    >>> families_of(["metavqa.partition[object]", "metavqa.reorder", "corruption[blur-global]"])
    ('metavqa',)
    """
    relations = (name.partition("[")[0] for name in names)
    return tuple(dict.fromkeys(name.partition(".")[0] for name in relations if "." in name))


def check_patterns(patterns: Sequence[str], items: Collection[str], spelt: str = "--relations") -> None:
    """Checks that each pattern of the option ``spelt`` matches an item of a report.

    Raises:
        OptionError: a pattern matches nothing.
    """
    for pattern in patterns:
        if not any(matches(pattern, item) for item in items):
            raise OptionError(
                f"Expected {spelt} to name relations of the report, but {pattern!r} names none; "
                f"{did_you_mean(pattern, dict.fromkeys((*families_of(items), *items)))}"
            )


def seed_for(relation: str, variant: str, user_seed: int, part: int = 0) -> int:
    """A 64-bit seed from SHA-256 of (relation, variant, user seed, part).

    ``part`` numbers the parts of a long sampling run, each of which has its own seed.
    """
    text = f"{relation}\x1f{variant}\x1f{user_seed}\x1f{part}"
    return int.from_bytes(sha256(text.encode()).digest()[:8], "big")


@contextmanager
def preserve_random_state() -> Iterator[None]:
    """Restores the state of ``random``, which some packages change when they are imported.

    Hypothesis warns if that happens while it draws.
    """
    state = random.getstate()
    try:
        yield
    finally:
        random.setstate(state)
