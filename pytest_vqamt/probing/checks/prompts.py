"""Prompts that engines take apart wrongly: marks of pictures in the user's text, chunks that end within a picture."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_vqamt.core.conversation import Ability
from pytest_vqamt.probing.asking import Request, Said, SentRequest
from pytest_vqamt.probing.cards import CORNER, CORNERS, GRAY, Card
from pytest_vqamt.probing.kinds import FindingKind
from pytest_vqamt.probing.probing import CARDS, Probing

MARKS_NAME, CHUNKS_NAME = "marks in the text", "chunks of a prompt"

_MARKS = (
    *("<image>", "<|image_pad|>", "<|image|>", "<|image_1|>", "<start_of_image>", "<image_soft_token>"),
    *("[IMG]", "<__media__>", "<|vision_start|>"),
)
"""What stands for a picture in the prompts of LLaVA, Qwen-VL, Llama, Phi, Gemma, Pixtral and llama.cpp."""
_TYPED = "The signs {} mark nothing here."
_OTHER_SIGNS = ("<word>", "<|paper|>", "[ABC]")

_CHUNKS = (512, 1024, 2048, 4096)
"""Tokens after which prompts are cut for the prefill, by default or often: llama.cpp 512 and 2,048, vLLM 2,048."""
_WORD = "word "
_LAST_CORNER = CORNER.format(CORNERS[-1])
_COLOURS = ("red", "green", "blue", "yellow")


def marks(probing: Probing) -> None:
    """The marks of pictures, typed by the user before the picture and behind it: they are text, and no pictures."""
    placed = (False, True) if not probing.lacks(Ability.INTERLEAVED) else (False,)
    for is_before in placed:
        found = _failing(probing, _MARKS, is_before=is_before)
        if not found:
            continue
        if _failing(probing, _OTHER_SIGNS, is_before=is_before):
            probing.skip(MARKS_NAME, "the model is confused by other signs, too")
            return
        alone = [mark for mark in _MARKS if not _is_read(probing, 0, _typed(probing, 0, (mark,), is_before=is_before))]
        where = "before" if is_before else "behind"
        detail = f"{', '.join(alone or _MARKS)} {where} the picture"
        other = f"signs as such: {', '.join(_OTHER_SIGNS)} change nothing"
        probing.add(FindingKind.MARKS, found, detail=detail, rate=probing.flips, ruled_out=(other,))
        return


def _failing(probing: Probing, signs: Iterable[str], *, is_before: bool) -> list[SentRequest]:
    """The requests about cards until one is answered as ever; those that were not if they are a finding."""
    found: list[SentRequest] = []
    for place in range(CARDS):
        sent = _typed(probing, place, signs, is_before=is_before)
        if _is_read(probing, place, sent):
            return []
        found.append(sent)
        if probing.is_finding(len(found), len(found), probing.flips):
            return found
    return []


def _typed(probing: Probing, place: int, signs: Iterable[str], *, is_before: bool) -> SentRequest:
    card, said = probing.cards[place], _TYPED.format(" ".join(signs))
    parts = (said, card, probing.subject) if is_before else (card, f"{said} {probing.subject}")
    return probing.sender.send_alone(Request(card=card, text=probing.subject, turns=(Said(parts),)))


def _is_read(probing: Probing, place: int, sent: SentRequest) -> bool:
    # Here a refusal is no excuse: users type what they like.
    return not sent.failure and probing.agrees(sent, place)


def chunks(probing: Probing) -> None:
    """A picture behind a text of such a length that a chunk of the prompt ends within it."""
    if why := probing.lacks(Ability.INTERLEAVED):
        probing.skip(CHUNKS_NAME, why)
        return
    if probing.result.found(FindingKind.LONG_TEXT, FindingKind.CUT_AT_THE_END, FindingKind.CUT_IN_THE_MIDDLE):
        probing.skip(CHUNKS_NAME, "long texts are cut")
        return
    # The end of a picture is what is lost where a chunk ends within it, so its last corner is asked about.
    right, tries = probing.result.read.get("sides", (0, 0))
    if not tries or right < tries:
        probing.skip(CHUNKS_NAME, "the model does not tell the corners of a picture apart")
        return
    bare, one, more = (_behind(probing, 0, words) for words in (0, 100, 200))
    if bare.tokens_in is None or one.tokens_in is None or more.tokens_in is None or more.tokens_in <= one.tokens_in:
        probing.skip(CHUNKS_NAME, "the server does not count the tokens of prompts")
        return
    a_word = (more.tokens_in - one.tokens_in) / 100
    question = a_word * len(_LAST_CORNER.split())
    picture = max(8.0, bare.tokens_in - question)
    found: list[SentRequest] = []
    ends: list[int] = []
    for end in _CHUNKS:
        # So many words that the middle of the picture is at the end of the chunk.
        words = round((end + picture / 2 + question - (one.tokens_in - 100 * a_word)) / a_word)
        if words <= 0:
            continue
        wrong = _wrong(probing, words)
        # Behind fewer words all of the picture is in one chunk.
        if wrong and not _wrong(probing, max(0, words - round(1.5 * picture / a_word))):
            found += wrong
            ends.append(end)
    if found:
        detail = f"token {' and '.join(f'{each:,}' for each in ends)} of the prompt within the picture"
        ruled_out = ("the text: behind fewer words the picture is seen as always",)
        probing.add(FindingKind.CHUNKS, found, detail=detail, rate=probing.flips, ruled_out=ruled_out)


def _wrong(probing: Probing, words: int) -> list[SentRequest]:
    return probing.until_right(
        (sent, sent.is_right) for sent in (_behind(probing, place, words) for place in range(CARDS))
    )


def _behind(probing: Probing, place: int, words: int) -> SentRequest:
    """Asks for the last corner of a picture behind so many words; another colour stands there each time."""
    turned = place % len(_COLOURS)
    card = Card(ground=GRAY, corners=(*_COLOURS[turned:], *_COLOURS[:turned]))
    before = (_WORD * words,) if words else ()
    return probing.sender.send_alone(
        Request(card=card, text=_LAST_CORNER, turns=(Said((*before, card, _LAST_CORNER)),))
    )
