"""``vqamt check-answers``: shows how answers are read."""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from pytest_vqamt.commands.main import ExitStatus
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.text import count_noun, shown
from pytest_vqamt.data.json_io import read_records
from pytest_vqamt.language.answers.answer_text import UnreadableAnswer
from pytest_vqamt.language.answers.counts import Quantifier
from pytest_vqamt.language.answers.final import parse_tags, strip_traces
from pytest_vqamt.language.answers.reading import AnswerReading, read

UNREAD = "unread"
"""The expected reading of an answer that has none; "unread: refusal" names the reason, too."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    parser.epilog = (
        'A row is a JSON object with "question" and "answer", and if there are any "options" (a list) and "reading", '
        "the one that is expected: yes, no, a number, an option, or unread. Printed is each answer with its reading, "
        "or why it has none, and a summary. The exit status is 1 if a reading is not as expected."
    )
    parser.add_argument("file", metavar="ANSWERS.jsonl", help="one JSON object a line; - for standard input")
    parser.add_argument("--thought-tags", metavar="TAGS", default="", help="as --vqamt-option thought-tags=TAGS")
    parser.add_argument("--differing", action="store_true", help="print only readings that are not as expected")


def run(arguments: argparse.Namespace) -> int:
    """Prints each answer with its reading, and a summary."""
    tags = parse_tags(arguments.thought_tags)
    counts: Counter[str] = Counter()
    differing = 0
    for record in read_records(arguments.file):
        question, answer = record.text("question"), record.row.get("answer")
        if not isinstance(answer, str):
            raise record.wrong("answer", "a text")
        options = record.texts("options")
        # As a run does with thought-tags: the reading is that of the final answer.
        text = strip_traces(answer, tags)
        found = described_reading(read(question, "<think>" if text.is_cut_off else text.text, options))
        expected = record.row.get("reading")
        differs = expected is not None and not _agrees(str(expected), found)
        differing += differs
        # Readings differ by question: the summary counts why answers are unread.
        counts[found if found.startswith(UNREAD) else "read"] += 1
        if differs or not arguments.differing:
            wanted = f"  (expected {expected})" if differs else ""
            print(f"{shown(answer)}  ->  {found}{wanted}")
    # An empty file would pass as "all as expected" in a script.
    if not counts:
        raise DataError(f"Expected rows with a question and an answer, but {arguments.file!r} has none")
    print(
        f"{count_noun(counts.total(), 'answer')}: "
        + ", ".join(f"{name} {times}" for name, times in counts.most_common())
    )
    if differing:
        print(f"{differing} not as expected", file=sys.stderr)
    return ExitStatus.FINDING if differing else ExitStatus.OK


def described_reading(found: AnswerReading) -> str:
    """The reading in a word, or "unread: " and the reason.

    >>> described_reading(True), described_reading(read("Is there a dog?", "I can't help with that."))
    ('yes', 'unread: refusal')
    """
    if isinstance(found, UnreadableAnswer):
        return f"{UNREAD}: {found.reason.value}"
    if isinstance(found, bool):
        return "yes" if found else "no"
    return found.word if isinstance(found, Quantifier) else str(found)


def _agrees(expected: str, found: str) -> bool:
    # "unread" stands for any reason.
    return found.casefold() == expected.casefold() or (expected == UNREAD and found.startswith(UNREAD))
