"""Names made from content."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.identity import canonical_json, digest


def test_a_digest_is_the_beginning_of_a_sha_256() -> None:
    # printf 'a\x1fb' | sha256sum
    assert digest("a", "b") == "f04cdced9736a69d"


@pytest.mark.parametrize("other", [("ab",), ("a", "b", ""), ("", "a", "b"), ("b", "a"), ("a b",)])
def test_parts_are_kept_apart_and_in_order(other: tuple[str, ...]) -> None:
    assert digest(*other) != digest("a", "b")


def test_canonical_json_is_equal_for_equal_values() -> None:
    assert canonical_json({"b": [1, "ü"], "a": None}) == '{"a":null,"b":[1,"ü"]}'
    assert canonical_json({"x": 1, "y": 2}) == canonical_json({"y": 2, "x": 1})
