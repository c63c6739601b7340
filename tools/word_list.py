"""Writes ``parts_of_speech.txt``: how often WordNet's words are verbs, adjectives, adverbs, and what its nouns name.

    python -m tools.word_list SOURCE TARGET

SOURCE is a folder with all files of WordNet 3.0 (Debian's package wordnet-base has them in /usr/share/wordnet). A line
is a word and what it is, the likeliest first: "feel v" is a verb alone, "wave i4v3n2" the name of something that is no
thing in 4 of 10 cases, a verb in 3, the name of a thing in 2. A share counts how often the word is tagged so in
WordNet's texts (``cntlist.rev``), and each sense once more, so that no sense has none. Left out are rare words that are
no verbs, and those that name a thing and are nothing else, which is what every word that is not listed is taken for,
but for what looks like a form of a verb or like an adverb ("ceiling n"). The same input gives the same bytes.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from pytest_vqamt.language.units.lexicon import ADJECTIVE, ADVERB, IDEA, THING, VERB

LEAST = 0.03
"""What a word is in fewer cases is left out: "man" as a verb."""

_WORD = re.compile(r"[a-z]{2,}")
_THINGS = frozenset({"03", "05", "06", "08", "13", "14", "15", "17", "18", "20", "21", "27"})
"""The lexicographers' files of what a picture can show: the tops (person, food), animal, artifact, body, food, group,
location, object, person, plant, possession, substance; lexnames(5WN)."""

_SUFFIXES = {"v": "verb", "a": "adj", "r": "adv"}
_OF_KEYS = {"2": VERB, "3": ADJECTIVE, "4": ADVERB, "5": ADJECTIVE}
"""The digit after the % of a sense key, as senseidx(5WN) has it; 5 is an adjective's satellite, 1 a noun."""

_LIKE_OTHERS = ("ing", "ed", "ly")
"""Endings that make a word look like a verb or an adverb: ceiling, shed, family."""

_HEAD = """\
# What words are, in tenths: names of things (n), other nouns (i), verbs (v), adjectives (a), adverbs (r).
# Derived from WordNet 3.0, Copyright 2006 by Princeton University, by tools.word_list.
# Its licence: pytest_vqamt/language/wordnet/files/LICENSE.
"""


def word_list(source: Path) -> str:
    """The text of the list."""
    senses: dict[str, Counter[str]] = defaultdict(Counter)
    tagged: dict[str, Counter[str]] = defaultdict(Counter)
    for part, suffix in _SUFFIXES.items():
        for fields in _rows(source / f"index.{suffix}"):
            senses[fields[0]][part] += int(fields[2])
    kinds = {fields[0]: fields[1] for fields in _rows(source / "data.noun")}
    for word, _, number, *rest in _rows(source / "index.noun"):
        senses[word].update(THING if kinds[offset] in _THINGS else IDEA for offset in rest[-int(number) :])
    for key, _, count in _rows(source / "cntlist.rev"):
        word, _, sense = key.partition("%")
        part = _OF_KEYS.get(sense[0]) or (THING if sense[2:4] in _THINGS else IDEA)
        tagged[word][part] += int(count)
    listed = (word for word in sorted(senses) if _WORD.fullmatch(word))
    lines = (f"{word} {parts}" for word in listed if (parts := _shares(word, senses[word], tagged[word])))
    return _HEAD + "\n".join(lines) + "\n"


def _rows(path: Path) -> Iterator[list[str]]:
    for line in path.read_text(encoding="ascii").splitlines():
        if not line.startswith("  "):  # the licence at the head
            yield line.partition(" | ")[0].split()


def _shares(word: str, senses: Counter[str], tagged: Counter[str]) -> str:
    """What the word is, with tenths; empty for a name of things, and for a rare word that is never a verb."""
    looks_like_another = word.endswith(_LIKE_OTHERS) and 2 * senses[THING] > senses.total()
    if not (tagged or senses[VERB] or looks_like_another):
        return ""
    counts = senses + tagged
    share = {part: count / counts.total() for part, count in counts.items() if count >= LEAST * counts.total()}
    ordered = sorted(share, key=lambda part: (-share[part], part))
    if ordered == [THING] and not looks_like_another:
        return ""
    if len(ordered) == 1:
        return ordered[0]
    return "".join(f"{part}{min(9, max(1, round(10 * share[part])))}" for part in ordered)


def main(arguments: Sequence[str]) -> int:
    """The command line."""
    if len(arguments) != 2:
        print("usage: python -m tools.word_list SOURCE TARGET", file=sys.stderr)
        return 2
    source, target = map(Path, arguments)
    target.write_text(word_list(source), encoding="ascii")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
