"""Counts the words and the lengths of sentences of the documents, page by page.

    python -m tools.prose [-v] [PAGE...]    with -v: prints every sentence of more than 25 words

Code, tables, quoted output, headings and pictures are no sentences; code within a sentence is one word.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
LONGEST = 25
"""The most words of a sentence in a page for newcomers."""
GENERATED = ("reference/options.md", "reference/commands.md", "reference/relations/index.md", "reference/applies.md",
             "reference/faults.md")  # fmt: skip
"""The pages of ``docs`` that tools and tests write."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prose:
    """The sentences of a page, and the number of its words, those of tables included."""

    words: int
    sentences: tuple[str, ...]

    @property
    def long(self) -> tuple[str, ...]:
        """The sentences of more than 25 words."""
        return tuple(each for each in self.sentences if len(each.split()) > LONGEST)

    @property
    def mean_length(self) -> float:
        """Words in a sentence, on average."""
        return sum(len(each.split()) for each in self.sentences) / max(1, len(self.sentences))


def pages() -> list[Path]:
    """README and the pages of ``docs`` that people write."""
    docs = ROOT / "docs"
    written = (each for each in docs.rglob("*.md") if each.relative_to(docs).as_posix() not in GENERATED)
    return [ROOT / "README.md", *sorted(written)]


def read(page: Path) -> Prose:
    """Reads the prose of a page."""
    text = page.read_text(encoding="utf-8")
    return Prose(words=len(_without_code(text).split()), sentences=tuple(_sentences(text)))


def _without_code(text: str) -> str:
    text = re.sub(r"^<!--.*?-->$", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"^( *)```.*?^\1```$", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"(?<=\n\n)(?: {4}.*\n|\n)+", "\n", text)


def _sentences(text: str) -> Iterator[str]:
    text = re.sub(r"^(#|\||!\[|:::|>).*$", "", _without_code(text), flags=re.MULTILINE)
    text = re.sub(r"``?[^`]+``?", "CODE", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"^ *(?:[-*]|\d+\.) +", "\n", text, flags=re.MULTILINE)
    for paragraph in re.split(r"\n\s*\n", text):
        for sentence in re.split(r"(?<=[.!?])[*_\")]*\s+(?=[\"(*_]*[A-Z0-9-])", " ".join(paragraph.split())):
            if re.search(r"\w", sentence):
                yield sentence


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", nargs="*", type=Path)
    parser.add_argument("-v", "--verbose", action="store_true")
    arguments = parser.parse_args()
    every: list[Prose] = []
    print(f"{'page':<44} words  sentences  average  over {LONGEST}")
    for page in arguments.page or pages():
        prose = read(page)
        every.append(prose)
        name = page.resolve().relative_to(ROOT).as_posix()
        print(
            f"{name:<44} {prose.words:>5}  {len(prose.sentences):>9}  {prose.mean_length:>7.1f}  {len(prose.long):>7}"
        )
        for sentence in prose.long if arguments.verbose else ():
            print(f"    {len(sentence.split())}: {sentence}")
    total = Prose(words=sum(each.words for each in every), sentences=tuple(s for each in every for s in each.sentences))
    print(f"{'all':<44} {total.words:>5}  {len(total.sentences):>9}  {total.mean_length:>7.1f}  {len(total.long):>7}")


if __name__ == "__main__":
    _main()
