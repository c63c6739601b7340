"""Prompts that engines take apart wrongly: marks of pictures in the user's text, chunks that end within a picture."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_vqamt.core.conversation import Ability
from pytest_vqamt.probing.asking import Request, Said, SentRequest
from pytest_vqamt.probing.cards import CORNER, CORNER_COLOURS, CORNERS, GRAY, LARGE_PX, Card
from pytest_vqamt.probing.checks.replies import is_refused
from pytest_vqamt.probing.kinds import CUT_TEXTS, FindingKind
from pytest_vqamt.probing.probing import CARDS, Probing

MARKS_NAME, CHUNKS_NAME = "marks in the text", "chunks of a prompt"

_MARKS = (
    *("<image>", "<|image_pad|>", "<|image|>", "<|image_1|>", "<start_of_image>", "<image_soft_token>"),
    *("[IMG]", "<__media__>", "<|vision_start|>"),
)
"""What stands for a picture in the prompts of LLaVA, Qwen-VL, Llama, Phi, Gemma, Pixtral and llama.cpp."""
_TYPED = "The signs {} mark nothing here."
_OTHER_SIGNS = (
    *("<word>", "<|paper_sad|>", "<|paper|>", "<|paper_1|>", "<start_of_paper>", "<paper_soft_word>"),
    *("[ABC]", "<__stone__>", "<|stone_start|>"),
)

_LARGE = (LARGE_PX, LARGE_PX)
_PLACES = 12
_MOST_TOKENS = 4096
"""Behind so many tokens the last picture stands; prompts are often cut after 512 or 2,048."""
_MOST_TOLD = 2
_LEAST_A_WORD, _MOST_A_WORD = 0.5, 4
"""Tokens of a word, of any usual tokenizer."""
_SPOILT = (
    *(*CUT_TEXTS, FindingKind.LARGE_PICTURE, FindingKind.SIZE),
    *(FindingKind.TILES, FindingKind.PART_LOST, FindingKind.TEXT_FIRST),
)
_WORD = "word "
_LAST_CORNER = CORNER.format(CORNERS[-1])


def marks(probing: Probing) -> None:
    """The marks of pictures, typed by the user before the picture and behind it: they are text, and no pictures."""
    placed = (False, True) if not probing.lacks(Ability.INTERLEAVED) else (False,)
    for is_before in placed:
        found = _failing(probing, _MARKS, is_before=is_before)
        if not found:
            continue
        if all(is_refused(each) for each in found):
            # Honest, as of a server that guards its template.
            probing.note(MARKS_NAME, f"refused: {found[0].failure}")
            continue
        others = [_typed(probing, place, _OTHER_SIGNS, is_before=is_before) for place in range(len(found))]
        if not all(_is_read(probing, place, each) for place, each in enumerate(others)):
            probing.note(MARKS_NAME, "the model is confused by other signs, too")
            continue
        alone = [mark for mark in _MARKS if len(_failing(probing, (mark,), is_before=is_before)) > 1]
        where = "before" if is_before else "behind"
        detail = f"{', '.join(alone or _MARKS)} {where} the picture"
        other = f"signs as such: {', '.join(_OTHER_SIGNS[:3])} change nothing"
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
    if probing.result.found(*_SPOILT):
        probing.skip(CHUNKS_NAME, "long texts or large pictures are not read")
        return
    # The end of a picture is what is lost where a chunk ends within it, so its last corner is asked about.
    right, tries = probing.result.read.get("sides", (0, 0))
    if not tries or right < tries:
        probing.skip(CHUNKS_NAME, "the model does not tell the corners of a picture apart")
        return
    bare, one, more = (_behind(probing, 0, words) for words in (0, 100, 200))
    a_word = (more.tokens_in - one.tokens_in) / 100 if more.tokens_in and one.tokens_in else 0.0
    if bare.tokens_in is None or not _LEAST_A_WORD <= a_word <= _MOST_A_WORD:
        probing.skip(CHUNKS_NAME, "the server does not count all tokens of prompts")
        return
    if not (bare.is_right and _are_read(probing, 0)):
        probing.skip(CHUNKS_NAME, "the corners of a large picture are not read")
        return
    picture = max(1.0, bare.tokens_in - a_word * len(_LAST_CORNER.split()))
    # By half of the picture's tokens from place to place, so that wherever a chunk ends one picture is around it.
    places = [round(step * picture / 2 / a_word) for step in range(1, _PLACES)]
    words = [each for each in places if each * a_word < _MOST_TOKENS]
    first = probing.at_once([_asked(place, each) for place, each in enumerate(words)])
    found: list[SentRequest] = []
    tokens: list[int] = []
    for seen, each in zip(first, words, strict=True):
        if seen.is_right or (probing.is_finding(len(found), len(found), probing.flips) and len(tokens) >= _MOST_TOLD):
            continue
        wrong = _wrong(probing, each)
        # A chunk ends at one place: behind fewer and behind more words the picture is seen, which weak models do not.
        around = (max(0, each - round(picture / a_word)), each + round(picture / a_word))
        if wrong and all(_are_read(probing, other) for other in around):
            found += wrong
            tokens.append(round(each * a_word + picture / 2))
    if found:
        detail = f"pictures of {picture:.0f} tokens around token {' and '.join(f'{each:,}' for each in tokens)}"
        ruled_out = ("the text: behind fewer words the picture is seen as always",)
        probing.add(FindingKind.CHUNKS, found, detail=detail, rate=probing.flips, ruled_out=ruled_out)


def _are_read(probing: Probing, words: int) -> bool:
    return all(_behind(probing, place, words).is_right for place in range(1, len(CORNER_COLOURS)))


def _wrong(probing: Probing, words: int) -> list[SentRequest]:
    return probing.until_right(
        (sent, sent.is_right) for sent in (_behind(probing, place, words) for place in range(CARDS))
    )


def _behind(probing: Probing, place: int, words: int) -> SentRequest:
    return probing.sender.send_alone(_asked(place, words))


def _asked(place: int, words: int) -> Request:
    """The question for the last corner of a large picture behind so many words; each time another colour is there."""
    turned = place % len(CORNER_COLOURS)
    card = Card(ground=GRAY, corners=(*CORNER_COLOURS[turned:], *CORNER_COLOURS[:turned]), size=_LARGE)
    before = (_WORD * words,) if words else ()
    return Request(card=card, text=_LAST_CORNER, turns=(Said((*before, card, _LAST_CORNER)),))
