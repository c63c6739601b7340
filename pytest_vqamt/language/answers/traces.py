"""Reasoning traces: what a model thinks before its answer, in the marks of the models of today."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from pytest_vqamt.core.text import one_line, readable

TAGS: tuple[str, ...] = (
    "think", "thinking", "thought", "thoughts", "reason", "reasoning", "reflection", "scratchpad", "analysis",
    "seed:think", "antthinking", "inner_monologue", "cot", "chain_of_thought", "deliberation",
)  # fmt: skip
"""Names between < and > or [ and ], as in ``<think> ... </think>`` and ``[THINK] ... [/THINK]``; case is ignored."""

PAIRS: tuple[tuple[str, str], ...] = (
    ("\u25c1think\u25b7", "\u25c1/think\u25b7"),  # Kimi-VL Thinking
    ("<|channel>thought", "<channel|>"),  # Gemma 4
    ("<unused94>thought", "<unused95>"),  # MedGemma
    ("<|begin_of_thought|>", "<|end_of_thought|>"),  # Sky-T1, OpenThinker
    ("<|START_THINKING|>", "<|END_THINKING|>"),  # Command A
    ("<|thinking|>", "<|/thinking|>"),
    ('<details type="reasoning"', "</details>"),  # Open WebUI
)
"""Marks with an opening and a closing text of their own."""


_KindOf: TypeAlias = Callable[[re.Match[str]], tuple[str, bool]]
"""Gives the kind of a mark, and whether it closes."""


@dataclass(frozen=True, slots=True)
class Stripped:
    """A completion without its reasoning.

    Attributes:
        text: what follows the reasoning; empty if the reasoning never ends.
        is_cut_off: whether the reasoning never ends.
    """

    text: str
    is_cut_off: bool = False


def strip_traces(text: str, more: tuple[str, ...] = ()) -> Stripped:
    """Removes the reasoning from a completion; nothing in it is an answer.

    Traces may be nested. A closing mark alone ends a trace that the prompt had opened. ``more`` are further marks, as
    ``parse_tags`` gives them. Of OpenAI's harmony format the last message of the final channel stays.

    >>> strip_traces("<think>Two dogs, so <reason>yes</reason>.</think> Yes")
    Stripped(text='Yes', is_cut_off=False)
    >>> strip_traces("Yes. <think>Let me see"), strip_traces("There are two.</think>2").text
    (Stripped(text='', is_cut_off=True), '2')
    """
    text = readable(text)
    if not more and not ("<" in text or "[" in text or "\u25c1" in text or "assistantfinal" in text):
        return Stripped(text.strip())
    harmony = _harmony(text)
    if harmony is not None:
        return harmony
    pattern, kinds = _marks(more)
    kept, start = "", 0
    open_kinds: list[str] = []
    for mark in pattern.finditer(text):
        kind, is_closing = kinds(mark)
        if mark[0].endswith("/>") or (mark[0][0] == "[" and _is_heading(text, kind)):
            continue
        if not is_closing:
            if not open_kinds:
                kept += f"{text[start : mark.start()]} "
            open_kinds.append(kind)
        elif kind in open_kinds:
            while open_kinds.pop() != kind:  # a trace inside ends with the one around it
                pass
            start = mark.end()
        elif not open_kinds:
            kept, start = "", mark.end()
    return Stripped("", is_cut_off=True) if open_kinds else Stripped(f"{kept}{text[start:]}".strip())


def open_mark_at_end(prompt: str) -> str:
    r"""The mark that opens a trace at the end of a prompt, with the white space behind it; "" without one.

    >>> open_mark_at_end("assistant\n<think>\n"), open_mark_at_end("assistant\n<think>\n\n</think>\n\n")
    ('<think>\n', '')
    """
    end = prompt[-_LONGEST_MARK:]
    pattern, kind_of = _marks(())
    return next(
        (
            end[mark.start() :]
            for mark in pattern.finditer(end)
            if not kind_of(mark)[1] and not end[mark.end() :].strip()
        ),
        "",
    )


def is_part_of_a_mark(token: str) -> bool:
    """Whether a token of a vocabulary is, or begins, a mark around a trace, or stands in OpenAI's harmony format.

    >>> is_part_of_a_mark("[THINK]"), is_part_of_a_mark("<|channel>"), is_part_of_a_mark("<|im_end|>")
    (True, True, False)
    """
    if token in _HARMONY_TOKENS or _marks(())[0].fullmatch(token):
        return True
    return len(token) > 1 and any(mark.startswith(token) for pair in PAIRS for mark in pair)


_LONGEST_MARK = 120
_HARMONY_TOKENS = frozenset(["<|channel|>", "<|message|>", "<|constrain|>"])
"""Those that it ends a message with are tokens of others, too."""


def _is_heading(text: str, kind: str) -> bool:
    """Whether "[reasoning]" is a heading rather than a mark; Mistral's [THINK] is a mark even without an end."""
    return not kind.startswith("think") and f"[/{kind}]" not in text.lower()


def parse_tags(value: str) -> tuple[str, ...]:
    """Parses ``--vqamt-option thought-tags=...``: names, or opening and closing marks, separated by commas.

    >>> parse_tags("plan, <<T>> <</T>>")
    ('plan', '<<T>> <</T>>')
    """
    return tuple(one_line(each) for each in value.split(",") if each.strip())


_HARMONY = re.compile(r"<\|channel\|>\s*+(\w++)[^<]*+(?:<\|constrain\|>[^<]*+)?<\|message\|>")
"""The head of a message: its channel, of which only the final one answers."""
_HARMONY_END = re.compile(r"<\|(?:end|return|call|start|channel)\|>")
"""The end of a message, or the beginning of the next one."""
_HARMONY_BARE = re.compile(r"\s*+(?:analysis|commentary).*assistant\s?final", re.DOTALL)
"""What is left of harmony where the special tokens were removed."""


def _harmony(text: str) -> Stripped | None:
    """The last final message of a completion in OpenAI's harmony format; None for other texts."""
    messages = list(_HARMONY.finditer(text))
    if messages:
        final = next((each for each in reversed(messages) if each[1].lower() == "final"), None)
        if final is None:
            return Stripped("", is_cut_off=True)
        end = _HARMONY_END.search(text, final.end())
        return Stripped(text[final.end() : end.start() if end else len(text)].strip())
    if bare := _HARMONY_BARE.match(text):
        return Stripped(text[bare.end() :].strip())
    return None


@lru_cache(maxsize=64)
def _marks(more: tuple[str, ...]) -> tuple[re.Pattern[str], _KindOf]:
    pairs = [*PAIRS, *(_pair(each) for each in more if " " in each)]
    names = [*TAGS, *(each for each in more if " " not in each)]
    parts = [rf"[<\[](?P<closing>/?)(?P<name>{_any_of(names)})\b[^<>\[\]]{{0,80}}[>\]]"]
    for number, (opens, closes) in enumerate(pairs):
        parts += [rf"(?P<open{number}>{_spelled(opens)})", rf"(?P<close{number}>{_spelled(closes)})"]

    def kind_of(mark: re.Match[str]) -> tuple[str, bool]:
        if mark["name"]:
            return mark["name"].lower(), bool(mark["closing"])
        group = str(mark.lastgroup)
        return group.removeprefix("open").removeprefix("close"), group.startswith("close")

    return re.compile("|".join(parts), re.IGNORECASE), kind_of


def _pair(marks: str) -> tuple[str, str]:
    opens, _, closes = marks.partition(" ")
    return opens, closes


def _any_of(names: Iterable[str]) -> str:
    return "|".join(re.escape(name) for name in sorted(set(names), key=len, reverse=True))


def _spelled(mark: str) -> str:
    return rf"{re.escape(mark)}[^>]*>" if mark.startswith("<details") else re.escape(mark)
