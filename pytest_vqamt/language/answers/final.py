"""The part of a completion that is its answer: without reasoning, and without the turns it runs on with."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.lazy_pattern import pattern_of
from pytest_vqamt.core.text import one_line, readable

ANSWER_FIELDS = (
    "final_answer", "final answer", "finalanswer", "answer", "response", "result", "output", "prediction", "label",
    "choice", "option", "selected_option", "selected", "value", "count", "number", "total",
)  # fmt: skip
"""Fields of JSON that hold an answer, the surest first."""

_FENCE = pattern_of(r"```[ \t]*+[\w+-]*+[ \t]*+\r?\n?((?:(?!```).)*+)```", re.DOTALL)
"""JSON in a block of code, with words around it."""
_MOST_JSON = 20_000

SOMETHING = pattern_of(r"\w")
"""A letter or a digit: what has none says nothing."""
_TAGGED = pattern_of(
    r"<\|?(?:begin_of_|start_)?(answer|final_answer|final|conclusion|solution|box|response|output)\|?>(.*?)"
    r"(?=<\|?(?:/|end_of_|end_)?(?:answer|final_answer|final|conclusion|solution|box|response|output)\|?>|$)",
    re.DOTALL | re.IGNORECASE,
)
"""The answer between tags, whatever stands in others: "<caption>Yes ...</caption> <conclusion>No</conclusion>"."""
_WORDS = r"(?:(?:my|the|your|so|therefore|thus|hence)[ ,]+)*(?:(?:final|correct|short|right|best|direct)[ ]+)?"
_MARKS = ("answer", "conclusion", "verdict", "#", "a:", " :")
"""One of them is in each marker."""
_LONGEST_LEAD = 100
"""The characters of a marker before that."""
_MARKER = pattern_of(
    rf"(?:^|(?<=[\s.,;:*_(>\[#\-]))[*_#>\s\[-]{{0,6}}\b{_WORDS}(?:answer|conclusion|verdict)\b(?:[ ]+is)?[*_\]]*[ ]*"
    r"(?:[:=\uff1a][ ]*[*_]*|(?<=[*\]])[ ]*\n|[ ]*[*_]*\n(?<=answer\n))"
    r"|^[ ]*\#{1,6}[ ]*(?:final[ ]+)?(?:answer|conclusion|results?|total|count|verdict)[ ]*[:.]?[ ]*$"
    r"|^[ ]*(?:\#{4})(?=[ ]*[\w-]+[ .]*$)"  # GSM8K's
    r"|^[ ]*A[ ]*:(?=[ ])"
    r"|\banswer(?:[ ]to[ ](?:the|your|this)[ ]question)?[ ]is\b(?![ ](?:not|that|because|in|on|at|based)\b)[ ]*[:*_]*",
    re.IGNORECASE | re.MULTILINE,
)
"""Words before the answer: "Final answer:", "## Answer". In "2 dogs answer the call" there is none."""
_EXPLANATION = pattern_of(
    r"(?:^|\n|(?<=[.!)])\s)[ \t*_#>-]{0,6}(?:explanations?|reason(?:ing|s)?|rationale|justification|notes?|evidence"
    r"|because|details?)[*_]*[ ]*:",
    re.IGNORECASE,
)
"""A reason behind the answer: "No" above "Reason: yes signs are missing"."""

_BRACE = pattern_of(r"[{}]")
_BOX = pattern_of(r"\\(?:boxed|fbox|framebox)\s*\{")
"""A box of LaTeX, in which the answer stands."""
_FONT = pattern_of(r"\\(?:text\w*|math\w*|operatorname|bf|rm|it|displaystyle)\b")
"""Commands of LaTeX for fonts in a box: "\\text{down}"."""

CHAT_MARK = pattern_of(
    r"<\|(?:im_end|im_start|eot_id|eom_id|end|endoftext|end_of_turn|start_header_id|user|assistant|system|return)\|>"
    r"|</?s>|<(?:end_of_turn|start_of_turn|eos|pad|end_of_utterance|endofchunk)>|<\uff5c[^>]{1,40}\uff5c>|\[/?INST\]"
)
"""The marks between the turns of chat templates, where an adapter left them in."""

_ASKS = r"(?:questions?|q|user|human|input|instructions?|prompt|request|customer|query)"
_REPLIES = r"(?:assistant|ai|bot|chatbot|model|gpt|output|response)"
_NUMBERED = r"[ ]?(?:no\.?[ ]?|\#)?\d{0,3}"

_AT_A_LINE = pattern_of(
    rf"^[ \t*#>_-]{{0,8}}(?:the[ ])?(?:(?:next|new|second|another|following|follow-?up)[ ])?"
    rf"(?P<role>{_ASKS}|{_REPLIES}){_NUMBERED}[ ]?[*_]{{0,3}}[:\uff1a]",
    re.IGNORECASE | re.MULTILINE,
)
"""A line that names who speaks: "Question: ...", "**User:** ...", "### Assistant: ..."."""

_NEXT_ROW = pattern_of(
    r"^[ \t*#>_-]{0,8}(?:statement|premise|hypothesis|sentence|example|context|image|picture|caption|label|text)"
    rf"{_NUMBERED}[ ]?[*_]{{0,3}}[:\uff1a]",
    re.IGNORECASE | re.MULTILINE,
)
"""A line of the next example of a list, behind an answer of a few words: "neutral\\nStatement: a man sells fish"."""
_FEW_WORDS = pattern_of(r"\W*+\w++(?:\W++\w++){0,3}+\W*+")
"""An answer by itself, behind which a list may go on."""

_IN_A_LINE = pattern_of(
    r"(?<=\s)(?:\#{2,4}[ ]?)?(?P<role>Questions?|Q|User|USER|Human|HUMAN|Input|Instruction|Assistant|ASSISTANT|Output"
    r"|OUTPUT|Response)" + _NUMBERED + r"[ ]?[:\uff1a]"
    rf"|(?<=\s)\#{{3,4}}[ ]?(?P<heading>(?i:{_ASKS}|{_REPLIES}))[ ]?[:\uff1a]?(?=\s)"
    r"|(?:(?<=\s)|^)[Aa]nswer[ ](?:the|this)[ ](?:next|following)[ ]question\b"
)
"""The same behind other words. In capitals, as "to the question: yes" is a part of a sentence."""

_FILLER = pattern_of(
    r"\W*+(?>(?>well|hmm+|ok(?:ay)?|sure|certainly|so|oh|let me (?:see|look|think|check|count)[^.!?\n]*+|let us see"
    r"|(?:looking at|in|from|judging by) (?:the|this|that|your) (?:given |provided |attached |above )?\w++"
    r"|thanks?(?: you)?[^.!?\n]*+|good question|hello|hi"
    r"|the user (?:asks|is asking|wants)[^.!?\n]*+)\W*+)*+",
    re.IGNORECASE,
)
"""What may stand before a question without being an answer. Nothing is tried twice: answers can be long."""

_SENTENCE = pattern_of(r"[^.!?\n\u3002\uff1f\uff01]*[.!?\n\u3002\uff1f\uff01]+|[^.!?\n\u3002\uff1f\uff01]+$")
_ASKING = pattern_of(
    r"(?:^|[,;:-])\s*(?:(?:and|but|so|now|also|then)\s+)?(?:is|are|was|were|does|do|did|has|have|can|could|would|will"
    r"|should|how|what|which|who|whose|where|when|why|(?:in|on|at|of|to|for|with)\s+(?:which|what|whose|how))\b",
    re.IGNORECASE,
)
"""A question, which nobody answers with one: "is there a cat?". "Two?" is an answer."""
_QUESTION_MARKS = ("?", "\uff1f")

_NAME = pattern_of(r"\s*(?:assistant|user|system|model)\s*")
"""Who speaks, between marks of a chat."""

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

_LONGEST_MARK = 120
_HARMONY_TOKENS = frozenset(["<|channel|>", "<|message|>", "<|constrain|>"])
"""Those that it ends a message with are tokens of others, too."""

_HARMONY = pattern_of(r"<\|channel\|>\s*+(\w++)[^<]*+(?:<\|constrain\|>[^<]*+)?<\|message\|>")
"""The head of a message: its channel, of which only the final one answers."""
_HARMONY_END = pattern_of(r"<\|(?:end|return|call|start|channel)\|>")
"""The end of a message, or the beginning of the next one."""
_HARMONY_BARE = pattern_of(r"\s*+(?:analysis|commentary).*assistant\s?final", re.DOTALL)
"""What is left of harmony where the special tokens were removed."""


def read_json(text: str, names: tuple[str, ...] = ()) -> str | None:
    r"""The answer in a completion of JSON, fenced or bare; None if it is none, or several fields may be the answer.

    Truths become yes and no. ``names`` are further fields, such as the noun that is counted.

    >>> read_json('```json\n{"reasoning": "two of them", "answer": 2}\n```'), read_json('{"present": true}')
    ('2', 'yes')
    >>> read_json('{"dogs": 2, "cats": 3}') is None
    True
    """
    for candidate in _candidates(text):
        found = _parsed(candidate)
        if found is not None:
            return _answer_of(found, names)
    return None


def is_json(text: str) -> bool:
    """True if the completion is JSON, fenced or bare."""
    return any(_parsed(candidate) is not None for candidate in _candidates(text))


def _candidates(text: str) -> list[str]:
    fenced = [found[1].strip() for found in _FENCE.finditer(text)]
    bare = text.strip().removeprefix("```json").removeprefix("```").removesuffix("```").strip()
    start, end = bare.find("{"), bare.rfind("}")
    inside = [bare[start : end + 1]] if 0 <= start < end else []
    # The last block of code is the result where earlier ones are drafts.
    return [each for each in (*reversed(fenced), bare, *inside) if each[:1] in ("{", "[") and len(each) < _MOST_JSON]


def _parsed(text: str) -> Json:
    """The object or list in a text of JSON, or of Python; None if there is none."""
    found: object
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        try:
            # Models write Python's {'answer': True} for JSON, too.
            found = ast.literal_eval(text)
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            return None
    return found if isinstance(found, dict | list) else None


def _answer_of(found: Json, names: tuple[str, ...]) -> str | None:
    """The answer in parsed JSON; "" for null, None where it is unclear which field answers."""
    if isinstance(found, bool):
        return "yes" if found else "no"
    if isinstance(found, str | int | float):
        return str(found)
    if isinstance(found, list):
        return _answer_of(found[0], names) if len(found) == 1 else None
    if isinstance(found, Mapping):
        fields = {str(name).casefold().strip(): value for name, value in found.items()}
        for name in (*ANSWER_FIELDS, *names):
            if name in fields:
                return _answer_of(fields[name], names)
        if len(fields) == 1:
            return _answer_of(next(iter(fields.values())), names)
    # Null answers nothing, which is known; of several fields it is unknown which answers.
    return "" if found is None else None


def final_part(text: str) -> str:
    r"""The part behind the last marker of an answer, in lower case or not; all of the text without one.

    Markers are tags (``<answer>``), boxes of LaTeX, and words with a colon or as a heading ("Final answer:",
    "## Answer"). An explanation behind the answer is left out.

    >>> final_part("Two dogs, as I see. Final answer: 3"), final_part(r"So \boxed{\text{Yes}}.")
    ('3', 'Yes')
    >>> final_part("Answer: B\n\nExplanation: the dog is not a cat.")
    'B'
    """
    text = text.strip()
    if "\\" in text and (boxes := _boxes(text)):
        return boxes[-1]
    if "<" in text and (tagged := [found for found in _TAGGED.finditer(text) if SOMETHING.search(found[2])]):
        return tagged[-1][2].strip()
    lower = text.lower()
    # A search for plain words first: the pattern of markers is slow, and few answers have one.
    first = min((place for mark in _MARKS if (place := lower.find(mark)) >= 0), default=-1)
    if first < 0:
        return _without_explanation(text)
    begins = max(0, first - _LONGEST_LEAD)
    marked = [found for found in _MARKER.finditer(text, begins) if SOMETHING.search(text, found.end())]
    # "Short answer: yes. Long answer: ..." answers between the two.
    if short := [found for found in marked if "short" in found[0].lower()]:
        following = [found for found in marked if found.start() > short[0].start()]
        return text[short[0].end() : following[0].start() if following else len(text)].strip()
    if marked:
        after = text[marked[-1].end() :].strip()
        return _without_explanation(after)
    return _without_explanation(text)


def _without_explanation(text: str) -> str:
    found = _EXPLANATION.search(text) if ":" in text else None
    # "Reason: ... Answer: yes" has its reason first, and nothing before it.
    if found and SOMETHING.search(text[: found.start()]):
        return text[: found.start()].strip()
    return text


def _boxes(text: str) -> list[str]:
    """The contents of LaTeX's boxes, without commands for fonts."""
    found: dict[int, str] = {}
    opened: list[int] = []  # the beginnings of the braces that are open
    ends = {match.end() for match in _BOX.finditer(text)}
    for brace in _BRACE.finditer(text):
        if brace[0] == "{":
            opened.append(brace.end())
        elif opened and (start := opened.pop()) in ends:
            found[start] = text[start : brace.start()]
    # A box without its closing brace was cut off, and holds the answer so far.
    found |= {start: text[start:] for start in [each for each in opened if each in ends][-1:]}
    insides = (inside for _, inside in sorted(found.items()) if SOMETHING.search(inside))
    return [_FONT.sub(" ", each).replace("{", "").replace("}", "").replace("\\", "").strip() for each in insides]


@dataclass(frozen=True, slots=True)
class FirstReply:
    """The reply, and what the model went on with."""

    text: str
    """Without the name of the speaker before it; the whole completion where nothing was invented."""

    ran_on: str = ""
    """The first invented turn and all behind it; empty if there is none."""

    is_question: bool = False
    """True of a completion that only asks: it says the question back, or asks one itself."""


def first_reply(text: str) -> FirstReply:
    r"""Cuts a completion, without its reasoning, where the model begins to talk to itself.

    >>> first_reply("Yes, there is.\n\nQuestion: Is there a cat?\nAnswer: no")
    FirstReply(text='Yes, there is.', ran_on='Question: Is there a cat?\nAnswer: no', is_question=False)
    >>> first_reply("Assistant: two").text, first_reply("Is there a dog?").is_question
    ('two', True)
    """
    start = 0
    ends = len(text)
    if "<" in text or "[" in text:
        start, ends = _between_marks(text)
    # One of these is in each name of a speaker, and most answers have none of them.
    if ":" in text or "\uff1a" in text or "#" in text or "nswer th" in text:
        for found in sorted(
            (*_AT_A_LINE.finditer(text, start, ends), *_IN_A_LINE.finditer(text, start, ends)),
            key=lambda mark: mark.start(),
        ):
            if _FILLER.fullmatch(text, start, found.start()):
                # The model names itself, or says the question back behind its name.
                start = max(start, found.end() if _is_reply(found) else _end_of_line(text, found.end(), ends))
            elif found.start() >= start:
                ends = found.start()
                break
    if "\n" in text and (row := _NEXT_ROW.search(text, start, ends)) and _FEW_WORDS.fullmatch(text, start, row.start()):
        ends = row.start()
    if any(mark in text for mark in _QUESTION_MARKS):
        start, ends = _without_questions(text, start, ends)
    reply = text[start:ends].strip()
    if not SOMETHING.search(reply):
        # Nothing is left: the completion says the question back, or is only marks and spaces.
        is_question = any(mark in text for mark in _QUESTION_MARKS) and SOMETHING.search(text) is not None
        return FirstReply("" if is_question else text.strip(), is_question=is_question)
    return FirstReply(reply, text[ends:].strip() if SOMETHING.search(text, ends) else "")


def _between_marks(text: str) -> tuple[int, int]:
    """The part between the first two chat marks that holds something."""
    start = 0
    for mark in CHAT_MARK.finditer(text):
        # Between two marks may stand only who speaks: "<|im_start|>assistant".
        if SOMETHING.search(text, start, mark.start()) and not _NAME.fullmatch(text, start, mark.start()):
            return start, mark.start()
        start = mark.end()
    return start, len(text)


def _is_reply(found: re.Match[str]) -> bool:
    named = found.groupdict()
    return re.fullmatch(_REPLIES, (named.get("role") or named.get("heading") or "").lower()) is not None


def _end_of_line(text: str, place: int, ends: int) -> int:
    """Behind the line, or behind its question mark: "Question: Is there a dog? Yes"."""
    line = text.find("\n", place, ends)
    stop = ends if line < 0 else line
    mark = max(text.rfind(each, place, stop) for each in _QUESTION_MARKS)
    return stop if mark < 0 else mark + 1


def _without_questions(text: str, start: int, ends: int) -> tuple[int, int]:
    """Without questions said before the answer; one behind it ends the reply where it is answered, too.

    A short one such as "Two?" is an answer by itself. Several questions before answers are a plan, and stay.
    """
    answered, begins = False, start
    for sentence in _SENTENCE.finditer(text, start, ends):
        if not sentence[0].rstrip().endswith(_QUESTION_MARKS):
            answered = answered or not _FILLER.fullmatch(sentence[0])
            continue
        asking = _ASKING.search(sentence[0])
        if asking is None:
            answered = True
        # A question behind the answer is a new one, which the model then answers itself.
        elif answered or not _FILLER.fullmatch(sentence[0], 0, asking.start()):
            is_answered = begins == start and SOMETHING.search(text, sentence.end(), ends)
            return begins, sentence.start() + asking.start() if is_answered else ends
        else:
            begins = sentence.end()
    return begins, ends


@dataclass(frozen=True, slots=True)
class Stripped:
    """A completion without its reasoning."""

    text: str
    """What follows the reasoning; empty if the reasoning never ends."""
    is_cut_off: bool = False
    """True if the reasoning never ends."""


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
    # Nearly all completions end here; the marks below all have one of these.
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
        # A mark that closes itself holds nothing, and "[reasoning]" without an end is a heading.
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
            # A closing mark alone: the prompt had opened the trace, so all before it is one.
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
    """True of a token that is, or begins, a mark around a trace, or stands in OpenAI's harmony format.

    >>> is_part_of_a_mark("[THINK]"), is_part_of_a_mark("<|channel>"), is_part_of_a_mark("<|im_end|>")
    (True, True, False)
    """
    if token in _HARMONY_TOKENS or _marks(())[0].fullmatch(token):
        return True
    # Vocabularies split a mark that is no token of theirs; "<" alone begins too much.
    return len(token) > 1 and any(mark.startswith(token) for pair in PAIRS for mark in pair)


def _is_heading(text: str, kind: str) -> bool:
    """True if "[reasoning]" is a heading rather than a mark; Mistral's [THINK] is a mark even without an end."""
    return not kind.startswith("think") and f"[/{kind}]" not in text.lower()


def parse_tags(value: str) -> tuple[str, ...]:
    """Parses ``--vqamt-option thought-tags=...``: names, or opening and closing marks, separated by commas.

    >>> parse_tags("plan, <<T>> <</T>>")
    ('plan', '<<T>> <</T>>')
    """
    return tuple(one_line(each) for each in value.split(",") if each.strip())


def _harmony(text: str) -> Stripped | None:
    """The last final message of a completion in OpenAI's harmony format; None for other texts."""
    messages = list(_HARMONY.finditer(text))
    if messages:
        final = next((each for each in reversed(messages) if each[1].lower() == "final"), None)
        # Channels of analysis alone: the model was cut off before it answered.
        if final is None:
            return Stripped("", is_cut_off=True)
        end = _HARMONY_END.search(text, final.end())
        return Stripped(text[final.end() : end.start() if end else len(text)].strip())
    if bare := _HARMONY_BARE.match(text):
        return Stripped(text[bare.end() :].strip())
    return None


@lru_cache(maxsize=64)
def _marks(more: tuple[str, ...]) -> tuple[re.Pattern[str], _KindOf]:
    """The pattern of all marks around traces, and a function for the kind of a match and True where it closes."""
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
    # Open WebUI gives the tag further attributes, such as its duration.
    return rf"{re.escape(mark)}[^>]*>" if mark.startswith("<details") else re.escape(mark)
