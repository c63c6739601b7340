"""What was asked for last is kept, up to a bound."""

from __future__ import annotations

from collections import Counter

from pytest_vqamt.data.lru import Recent, RecentBySize


def test_the_last_ones_by_number() -> None:
    made: Counter[int] = Counter()

    def make(index: int) -> str:
        made[index] += 1
        return str(index)

    recent = Recent(2, make)
    assert [recent.get(index) for index in (0, 1, 0, 2, 0, 1)] == ["0", "1", "0", "2", "0", "1"]
    assert made == {0: 1, 1: 2, 2: 1}


def test_the_last_ones_by_size() -> None:
    made: list[str] = []

    def make(word: str) -> str:
        made.append(word)
        return word

    recent = RecentBySize(10, make, len)
    for word in ("four", "sixsix", "four", "three", "four", "sixsix"):
        recent.get(word)
    # 4 + 6 fit; three (5) drives out sixsix; sixsix drives out three, and four stays
    assert made == ["four", "sixsix", "three", "sixsix"]
    recent.get("far too long")
    assert made[-1] == "far too long"
    recent.get("four")
    recent.get("far too long")
    assert made[-3:] == ["far too long", "four", "far too long"]


def test_what_was_made_elsewhere_can_be_kept_and_found() -> None:
    recent = Recent(2, str)
    assert recent.find(7) is None
    recent.keep(7, "seven")
    assert (recent.find(7), recent.get(7)) == ("seven", "seven"), "and not made again"
    recent.get(1)
    recent.find(7)
    recent.get(2)
    assert recent.find(7) == "seven", "finding it has put it before the other"
    assert recent.find(1) is None
