"""The first reply of a completion that runs on: what a model invents behind its answer is no part of it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pytest_vqamt.language.answers.final import SOMETHING

CHAT_MARK = re.compile(
    r"<\|(?:im_end|im_start|eot_id|eom_id|end|endoftext|end_of_turn|start_header_id|user|assistant|system|return)\|>"
    r"|</?s>|<(?:end_of_turn|start_of_turn|eos|pad|end_of_utterance|endofchunk)>|<\uff5c[^>]{1,40}\uff5c>|\[/?INST\]"
)
"""The marks between the turns of chat templates, where an adapter left them in."""

_ASKS = r"(?:questions?|q|user|human|input|instructions?|prompt|request|customer|query)"
_REPLIES = r"(?:assistant|ai|bot|chatbot|model|gpt|output|response)"
_NUMBERED = r"[ ]?(?:no\.?[ ]?|\#)?\d{0,3}"

_AT_A_LINE = re.compile(
    rf"^[ \t*#>_-]{{0,8}}(?:the[ ])?(?:(?:next|new|second|another|following|follow-?up)[ ])?"
    rf"(?P<role>{_ASKS}|{_REPLIES}){_NUMBERED}[ ]?[*_]{{0,3}}[:\uff1a]",
    re.IGNORECASE | re.MULTILINE,
)
"""A line that names who speaks: "Question: ...", "**User:** ...", "### Assistant: ..."."""

_NEXT_ROW = re.compile(
    r"^[ \t*#>_-]{0,8}(?:statement|premise|hypothesis|sentence|example|context|image|picture|caption|label|text)"
    rf"{_NUMBERED}[ ]?[*_]{{0,3}}[:\uff1a]",
    re.IGNORECASE | re.MULTILINE,
)
"""A line of the next example of a list, behind an answer of a few words: "neutral\\nStatement: a man sells fish"."""
_FEW_WORDS = re.compile(r"\W*+\w++(?:\W++\w++){0,3}+\W*+")
"""An answer by itself, behind which a list may go on."""

_IN_A_LINE = re.compile(
    r"(?<=\s)(?:\#{2,4}[ ]?)?(?P<role>Questions?|Q|User|USER|Human|HUMAN|Input|Instruction|Assistant|ASSISTANT|Output"
    r"|OUTPUT|Response)" + _NUMBERED + r"[ ]?[:\uff1a]"
    rf"|(?<=\s)\#{{3,4}}[ ]?(?P<heading>(?i:{_ASKS}|{_REPLIES}))[ ]?[:\uff1a]?(?=\s)"
    r"|(?:(?<=\s)|^)[Aa]nswer[ ](?:the|this)[ ](?:next|following)[ ]question\b"
)
"""The same behind other words. In capitals, as "to the question: yes" is a part of a sentence."""

_FILLER = re.compile(
    r"\W*+(?>(?>well|hmm+|ok(?:ay)?|sure|certainly|so|oh|let me (?:see|look|think|check|count)[^.!?\n]*+|let us see"
    r"|(?:looking at|in|from|judging by) (?:the|this|that|your) (?:given |provided |attached |above )?\w++"
    r"|thanks?(?: you)?[^.!?\n]*+|good question|hello|hi"
    r"|the user (?:asks|is asking|wants)[^.!?\n]*+)\W*+)*+",
    re.IGNORECASE,
)
"""What may stand before a question without being an answer. Nothing is tried twice: answers can be long."""

_SENTENCE = re.compile(r"[^.!?\n\u3002\uff1f\uff01]*[.!?\n\u3002\uff1f\uff01]+|[^.!?\n\u3002\uff1f\uff01]+$")
_ASKING = re.compile(
    r"(?:^|[,;:-])\s*(?:(?:and|but|so|now|also|then)\s+)?(?:is|are|was|were|does|do|did|has|have|can|could|would|will"
    r"|should|how|what|which|who|whose|where|when|why|(?:in|on|at|of|to|for|with)\s+(?:which|what|whose|how))\b",
    re.IGNORECASE,
)
"""A question, which nobody answers with one: "is there a cat?". "Two?" is an answer."""
_QUESTION_MARKS = ("?", "\uff1f")


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
        is_question = any(mark in text for mark in _QUESTION_MARKS) and SOMETHING.search(text) is not None
        return FirstReply("" if is_question else text.strip(), is_question=is_question)
    return FirstReply(reply, text[ends:].strip() if SOMETHING.search(text, ends) else "")


def _between_marks(text: str) -> tuple[int, int]:
    """The part between the first two chat marks that holds something."""
    start = 0
    for mark in CHAT_MARK.finditer(text):
        if SOMETHING.search(text, start, mark.start()) and not _NAME.fullmatch(text, start, mark.start()):
            return start, mark.start()
        start = mark.end()
    return start, len(text)


_NAME = re.compile(r"\s*(?:assistant|user|system|model)\s*")
"""Who speaks, between marks of a chat."""


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
        elif answered or not _FILLER.fullmatch(sentence[0], 0, asking.start()):
            is_answered = begins == start and SOMETHING.search(text, sentence.end(), ends)
            return begins, sentence.start() + asking.start() if is_answered else ends
        else:
            begins = sentence.end()
    return begins, ends
