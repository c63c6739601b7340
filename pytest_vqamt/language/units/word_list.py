"""Writes ``parts_of_speech.txt``: how often WordNet's words are verbs, nouns, adjectives and adverbs.

    python -m pytest_vqamt.language.units.word_list SOURCE TARGET

SOURCE is a folder with all files of WordNet 3.0 (Debian's package wordnet-base has them in /usr/share/wordnet). A line
is a word and its parts of speech, the likeliest first: "feel v" is a verb alone, "wave n7v3" a noun in 7 of 10. The
share counts how often the word is tagged so in WordNet's texts (``cntlist.rev``), and each sense once more, so that no
sense has none. Listed is what can be a verb, and the adjectives that the texts have; any other word is taken for a noun.
The same input gives the same bytes.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

LEAST = 0.03
"""What a word is in fewer cases is left out: "man" as a verb."""

_WORD = re.compile(r"[a-z]{2,}")
_SUFFIXES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
_OF_KEYS = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}
"""The digit after the % of a sense key, as senseidx(5WN) has it; 5 is an adjective's satellite."""

_HEAD = """\
# How often words are verbs (v), nouns (n), adjectives (a) and adverbs (r), in tenths; a lone letter is all ten of them.
# Derived from WordNet 3.0, Copyright 2006 by Princeton University, by pytest_vqamt.language.units.word_list.
# Its licence: pytest_vqamt/language/wordnet/files/LICENSE.
"""


def word_list(source: Path) -> str:
    """The text of the list."""
    senses: dict[str, Counter[str]] = defaultdict(Counter)
    tagged: dict[str, Counter[str]] = defaultdict(Counter)
    for part, suffix in _SUFFIXES.items():
        for fields in _rows(source / f"index.{suffix}"):
            senses[fields[0]][part] += int(fields[2])
    for key, _, count in _rows(source / "cntlist.rev"):
        word, _, sense = key.partition("%")
        tagged[word][_OF_KEYS[sense[0]]] += int(count)
    listed = [word for word in sorted(senses) if _WORD.fullmatch(word) and _is_wanted(senses[word], tagged[word])]
    lines = (f"{word} {parts}" for word in listed if (parts := _shares(senses[word] + tagged[word])))
    return _HEAD + "\n".join(lines) + "\n"


def _rows(path: Path) -> Iterator[list[str]]:
    for line in path.read_text(encoding="ascii").splitlines():
        if not line.startswith(" "):  # the licence at the head
            yield line.split()


def _is_wanted(senses: Counter[str], tagged: Counter[str]) -> bool:
    return senses["v"] > 0 or tagged["a"] > 0


def _shares(counts: Counter[str]) -> str:
    """The parts of speech with their tenths; empty where the word is hardly ever a verb or an adjective."""
    share = {part: count / counts.total() for part, count in counts.items() if count >= LEAST * counts.total()}
    if share.keys() <= {"n", "r"}:
        return ""
    ordered = sorted(share, key=lambda part: (-share[part], part))
    if len(ordered) == 1:
        return ordered[0]
    return "".join(f"{part}{min(9, max(1, round(10 * share[part])))}" for part in ordered)


def main(arguments: Sequence[str]) -> int:
    """The command line."""
    if len(arguments) != 2:
        print("usage: python -m pytest_vqamt.language.units.word_list SOURCE TARGET", file=sys.stderr)
        return 2
    source, target = map(Path, arguments)
    target.write_text(word_list(source), encoding="ascii")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
