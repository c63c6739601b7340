"""The values that were used last are kept, up to a bound."""

from __future__ import annotations

from collections import Counter

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.lru import LruCache, cached_by_identity


def test_the_last_ones_by_number() -> None:
    made: Counter[int] = Counter()

    def make(index: int) -> str:
        made[index] += 1
        return str(index)

    recent: LruCache[int, str] = LruCache(2)
    assert [recent.get_or_make(index, make) for index in (0, 1, 0, 2, 0, 1)] == ["0", "1", "0", "2", "0", "1"]
    assert made == {0: 1, 1: 2, 2: 1}


def test_the_last_ones_by_size() -> None:
    made: list[str] = []

    def make(word: str) -> str:
        made.append(word)
        return word

    recent: LruCache[str, str] = LruCache(10, len)
    for word in ("four", "sixsix", "four", "three", "four", "sixsix"):
        recent.get_or_make(word, make)
    # 4 + 6 fit; three (5) drives out sixsix; sixsix drives out three, and four stays
    assert made == ["four", "sixsix", "three", "sixsix"]
    recent.get_or_make("far too long", make)
    assert made[-1] == "far too long"
    recent.get_or_make("four", make)
    recent.get_or_make("far too long", make)
    assert made[-3:] == ["far too long", "four", "far too long"]


def test_what_was_made_elsewhere_can_be_put_and_found() -> None:
    recent: LruCache[int, str] = LruCache(2)
    assert recent.get(7) is None
    recent.put(7, "seven")
    assert (recent.get(7), recent.get_or_make(7, str)) == ("seven", "seven"), "and not made again"
    recent.get_or_make(1, str)
    recent.get(7)
    recent.get_or_make(2, str)
    assert recent.get(7) == "seven", "finding it has put it before the other"
    assert recent.get(1) is None


def test_another_value_of_a_key_takes_the_place_and_the_size_of_the_first() -> None:
    recent: LruCache[str, str] = LruCache(10, len)
    recent.put("a", "123456")
    recent.put("a", "1234")
    recent.put("b", "123456")
    assert (recent.get("a"), recent.get("b")) == ("1234", "123456"), "10 in all"


def test_the_last_value_stays_however_large_it_is() -> None:
    recent: LruCache[str, str] = LruCache(3, len)
    recent.put("a", "1234")
    assert recent.get("a") == "1234"
    recent.put("b", "12")
    assert (recent.get("a"), recent.get("b")) == (None, "12")


def test_by_identity_equal_values_are_two() -> None:
    seen: list[Box] = []

    @cached_by_identity
    def area(box: Box) -> float:
        seen.append(box)
        return box.area

    one, other = Box(0, 0, 2, 3), Box(0, 0, 2, 3)
    assert [area(box) for box in (one, other, one, other)] == [6, 6, 6, 6]
    assert len(seen) == 2
    # What was cached is kept alive, so no later value is taken for it.
    assert [area(Box(0, 0, 1, width)) for width in range(10_000)] == list(range(10_000))


def test_half_as_much_is_kept_from_then_on_and_what_was_used_last_stays() -> None:
    recent: LruCache[str, str] = LruCache(8, len)
    for key in "abcd":
        recent.put(key, 2 * key)
    recent.halve()
    assert [recent.get(key) for key in "abcd"] == [None, None, "cc", "dd"]
    assert recent.clear()
    assert not recent.clear()
    for key in "abcd":
        recent.put(key, 2 * key)
    assert len(recent) == 2
