"""The faulty server: without a bug it reads all cards; a bug spoils what meets its condition, and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.error
import urllib.request
from base64 import b64encode
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from io import BytesIO
from random import Random
from typing import Any, TypeAlias

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_vqamt.core.edits import FileForm
from pytest_vqamt.models.http.picture_files import png_bytes
from pytest_vqamt.probing.cards import (
    COLOUR,
    COLOURS,
    CORNER,
    CORNERS,
    DOTS,
    GRAY,
    NUMBER,
    Card,
    CardFile,
    Hidden,
    card_file,
    colliding_pairs,
    faint_card,
    render_card,
    says,
)
from pytest_vqamt.probing.picture_server import PictureServer
from tests.models.openai.stub import Reply, Stub, always
from tools.faulty_server import ALLOWED, BUGS, FaultyServer, RefusedError, Stage, read_card
from tools.faulty_server.perception import BLIND

Part: TypeAlias = Card | bytes | str
"""A card, a file of PNG, or a text."""
Turn: TypeAlias = tuple[str, tuple[Part, ...]]
"""A role and what it says."""


@dataclass(frozen=True)
class Ask:
    """A request: its turns, or a card with a question behind it."""

    right: str
    turns: tuple[Turn, ...]
    fields: Mapping[str, object] = field(default_factory=dict)

    @property
    def body(self) -> dict[str, Any]:
        messages = [
            {"role": role, "content": [_part(part) for part in parts] if role == "user" else "\n".join(map(str, parts))}
            for role, parts in self.turns
        ]
        return {"model": "cards", "messages": messages, **self.fields}


def _part(part: Part) -> dict[str, object]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    own = card_file(part) if isinstance(part, Card) else None
    content = png_bytes(render_card(part)) if isinstance(part, Card) else part
    uri = own.data_uri if own else f"data:image/png;base64,{b64encode(content).decode()}"
    detail = {"detail": own.detail} if own and own.detail else {}
    return {"type": "image_url", "image_url": {"url": uri, **detail}}


def about(card: Card, question: str = NUMBER, *, behind: str = "", **fields: object) -> Ask:
    return Ask(card.right(question), (("user", (card, question + behind)),), fields)


def user(*parts: Part, right: str) -> Ask:
    return Ask(right, (("user", parts),))


def told(server: FaultyServer, ask: Ask) -> str:
    choices = server.complete(ask.body)["choices"]
    assert isinstance(choices, list)
    return str(choices[0]["message"]["content"])


def is_right(server: FaultyServer, ask: Ask) -> bool:
    try:
        answer = told(server, ask)
        return says(answer, ask.right) if ask.right.isascii() else answer == ask.right
    except RefusedError:
        return False


def serve(bug: str | None, **settings: Any) -> FaultyServer:
    server = FaultyServer(bug, **settings)
    server.server_close()  # it is asked in this process
    return server


# A correct server

numbers = st.integers(100, 9999)
sizes = st.sampled_from([(224, 224), (96, 96), (64, 64), (448, 448), (320, 224), (672, 224), (224, 896), (1024, 600)])
colours = st.sampled_from(sorted(COLOURS))
qualities = st.integers(30, 95)
lossy = st.builds(CardFile, form=st.sampled_from([form for form in FileForm if form.is_lossy]), quality=qualities)
exact = st.builds(CardFile, form=st.sampled_from([form for form in FileForm if not form.is_lossy]))
turned = st.builds(
    CardFile,
    form=st.sampled_from([FileForm.PNG, FileForm.JPEG]),
    quality=qualities,
    orientation=st.integers(2, 8),
    media_type=st.sampled_from([None, "", "image/gif"]),
)
files = st.one_of(st.none(), lossy, exact, turned)
_GRAY_FORMS = (FileForm.GRAYSCALE, FileForm.GRAYSCALE_JPEG)


def in_colour(file: CardFile | None) -> bool:
    return file is None or file.form not in _GRAY_FORMS


@settings(max_examples=60)
@given(number=numbers, colour=colours, size=sizes, file=files, nonce=st.integers(0, 4000))
def test_numbers_and_grounds_are_read_from_all_files(
    number: int, colour: str, size: tuple[int, int], file: CardFile | None, nonce: int
) -> None:
    card = Card(number=number, ground=COLOURS[colour], size=size, file=file, nonce=nonce)

    assert told(serve(None), about(card)) == str(number)
    assert not in_colour(file) or told(serve(None), about(card, COLOUR)) == colour


@settings(max_examples=60)
@given(
    number=numbers,
    colour=colours,
    digit_px=st.integers(8, 40),
    size=st.sampled_from([(224, 224), (448, 224), (224, 448), (1024, 1024)]),
)
def test_small_digits_are_read(number: int, colour: str, digit_px: int, size: tuple[int, int]) -> None:
    card = Card(number=number, ground=COLOURS[colour], size=size, digit_px=digit_px)

    assert told(serve(None), about(card)) == str(number)


def test_the_smallest_digits_are_read_on_the_largest_card() -> None:
    card = Card(number=4172, ground=COLOURS["red"], size=(2048, 2048), digit_px=8)

    assert told(serve(None), about(card)) == "4172"


@settings(max_examples=30)
@given(number=numbers, level=st.integers(0, 190), step=st.integers(6, 60))
def test_faint_digits_are_read(number: int, level: int, step: int) -> None:
    assert told(serve(None), about(faint_card(number, level, step))) == str(number)


@settings(max_examples=40)
@given(
    names=st.lists(colours, min_size=4, max_size=4),
    number=st.one_of(st.none(), numbers),
    size=sizes,
    file=files.filter(in_colour),
)
def test_corners_are_read(names: list[str], number: int | None, size: tuple[int, int], file: CardFile | None) -> None:
    # Digits that fill an oblong card would touch the corners.
    card = Card(
        ground=GRAY, corners=tuple(names), number=number, digit_px=min(size) // 5 if number else 0, size=size, file=file
    )

    assert [told(serve(None), about(card, CORNER.format(corner))) for corner in CORNERS] == names
    assert told(serve(None), about(card)) == (str(number) if number else "none")
    with_dots = replace(card, number=None, dots=3)
    assert told(serve(None), about(with_dots, DOTS)) == "3"


@settings(max_examples=40)
@given(dots=st.integers(1, 5), colour=st.sampled_from(["white", "yellow", "orange", "green"]), size=sizes, file=files)
def test_dots_are_counted(dots: int, colour: str, size: tuple[int, int], file: CardFile | None) -> None:
    assert told(serve(None), about(Card(ground=COLOURS[colour], dots=dots, size=size, file=file), DOTS)) == str(dots)


@pytest.mark.parametrize("hidden", Hidden)
def test_what_is_transparent_is_seen_on_white(hidden: Hidden) -> None:
    card = Card(number=417, ground=COLOURS["yellow"], file=CardFile(hidden=hidden))

    assert told(serve(None), about(card)) == "417"
    assert told(serve(None), about(card, COLOUR)) == "white"


@pytest.mark.parametrize("card", [*(Card(ground=each) for each in COLOURS.values()), Card(ground=GRAY, is_noise=True)])
def test_there_is_nothing_to_read_on_blank_cards_and_noise(card: Card) -> None:
    assert told(serve(None), about(card)) == "none"
    assert told(serve(None), about(card, DOTS)) == "0"


A = Card(number=417, ground=COLOURS["red"])
B = Card(number=5283, ground=COLOURS["blue"])
C = Card(number=692, ground=COLOURS["green"])
SMALL_DIGITS = Card(number=417, ground=COLOURS["white"], size=(1024, 1024), digit_px=10)
FIRST = "Which number is written in the picture of my first message?"
LONG = "This line is filler and says nothing about the picture.\n" * 300
IN_NUMBER_FORM = ("system", ("Answer with the number behind the word NUMBER:",))
FILLER_BEHIND = f"\n{LONG}"


def in_turns(right: str, question: str) -> Ask:
    return Ask(right, (("user", (A, NUMBER)), ("assistant", ("417",)), ("user", (B, question))))


CONVERSATIONS = {
    "first": user(A, B, C, f"In the first picture: {NUMBER}", right="417"),
    "second": user(A, B, C, f"In the second picture: {NUMBER}", right="5283"),
    "third": user(A, B, C, f"In the third picture: {COLOUR}", right="green"),
    "1": user(A, B, C, f"In picture 1: {NUMBER}", right="417"),
    "picture number 2": user(A, B, C, f"In picture number 2: {COLOUR}", right="blue"),
    "last": user(A, B, f"In the last picture: {NUMBER}", right="5283"),
    "without a place": user(A, B, NUMBER, right="5283"),
    "text first": user(NUMBER, A, right="417"),
    "text between": user(A, "and", B, f"In the first picture: {NUMBER}", right="417"),
    "first message": in_turns("417", FIRST),
    "last message": in_turns("5283", NUMBER),
    "system": Ask("417", (("system", ("You are helpful.",)), ("user", (A, NUMBER)))),
    "long text in front": user(LONG, A, NUMBER, right="417"),
    "long text between": user(A, f"{LONG}{NUMBER}", right="417"),
    "long text behind": user(A, NUMBER, FILLER_BEHIND, right="417"),
    "a prompt around": user(A, f"{NUMBER}\nAnswer with a short phrase.", right="417"),
    "a number before": user(A, f"Request 000123. {NUMBER}", right="417"),
}


@pytest.mark.parametrize("ask", CONVERSATIONS.values(), ids=CONVERSATIONS)
def test_conversations_are_answered_rightly(ask: Ask) -> None:
    assert told(serve(None), ask) == ask.right


@pytest.mark.parametrize(
    ("turns", "wanted"),
    [
        ((("user", (NUMBER,)),), "I cannot see any picture."),
        ((("user", (A, "Why is the sky blue?")),), "I do not know."),
        ((("user", (A, "What is 3 plus 4?")),), "7"),
        ((IN_NUMBER_FORM, ("user", (A, NUMBER))), "NUMBER: 417"),
        ((("user", (A, f'{NUMBER} Answer in this form: "Größe:\n<number>."')),), "Größe:\n417."),
        ((("user", ("The code word is Möwe.", A, "What is the code word?")),), "Möwe"),
        ((("user", (A, NUMBER)), ("assistant", ("12",)), ("user", ("What did you answer?",))), "12"),
    ],
)
def test_other_questions_and_forms(turns: tuple[Turn, ...], wanted: str) -> None:
    assert told(serve(None), Ask("", turns)) == wanted


# What each bug spoils, and what it leaves


def of(card: Card, **file: Any) -> Card:
    return replace(card, file=CardFile(**file))


SIDES = Card(ground=GRAY, corners=("red", "blue", "green", "yellow"))
TOP_LEFT = CORNER.format("top left")
LARGE = replace(A, size=(1280, 1280))
WIDE = replace(B, size=(896, 224))
FINE = Card(number=417, ground=COLOURS["blue"], size=(1024, 1024), digit_px=10)
OTHER_SIZE = replace(B, size=(320, 224))
SYSTEM = Ask("417", (("system", ("You are helpful.",)), ("user", (A, NUMBER))))
NON_ASCII = user("The code word is Möwe.", A, "What is the code word?", right="Möwe")


def unpacked(card: Card) -> bytes:
    """A file of a length that depends on the size alone."""
    file = BytesIO()
    render_card(card).save(file, "PNG", compress_level=0)
    return file.getvalue()


@dataclass(frozen=True)
class Case:
    """Requests one after the other: the answer to the last is spoilt, those to ``left`` are right."""

    spoilt: tuple[Ask, ...]
    left: tuple[Ask, ...] = (about(A), about(A, COLOUR))


def case(*spoilt: Ask, left: Sequence[Ask] = (about(A), about(A, COLOUR))) -> Case:
    return Case(spoilt, tuple(left))


TWO = user(A, B, f"In the first picture: {NUMBER}", right="417")
SECOND = user(A, B, f"In the second picture: {NUMBER}", right="5283")
UNEQUAL = user(A, OTHER_SIZE, f"In the second picture: {NUMBER}", right="5283")
SHORT_HASH = colliding_pairs((A, C))["the last 16 bits of SHA-256 of the pixels"][0]

CASES = {
    "image-dropped": case(about(A), left=[user("What is 3 plus 4?", right="7")]),
    "image-dropped-with-system-message": case(SYSTEM),
    "system-message-breaks-pictures": case(SYSTEM),
    "second-picture-dropped": case(SECOND, left=[TWO, about(B)]),
    "only-the-last-picture": case(TWO, left=[SECOND, about(B)]),
    "equal-sizes-merged": case(SECOND, left=[UNEQUAL, about(A)]),
    "pictures-permuted": case(CONVERSATIONS["second"], left=[TWO, SECOND]),
    "later-picture-replaces-earlier": case(TWO, left=[SECOND, about(B)]),
    "markers-in-the-last-turn": case(in_turns("417", FIRST), left=[in_turns("5283", NUMBER), TWO]),
    "earlier-pictures-lost": case(in_turns("417", FIRST), left=[in_turns("5283", NUMBER), TWO]),
    "text-before-picture-lost": case(user(NUMBER, A, right="417")),
    "system-message-ignored": case(Ask("number", (IN_NUMBER_FORM, ("user", (A, NUMBER)))), left=[SYSTEM]),
    "assistant-turns-dropped": case(in_turns("blue", COLOUR), left=[SYSTEM, TWO]),
    "non-ascii-mangled": case(NON_ASCII),
    "non-ascii-dropped": case(NON_ASCII),
    "context-cut": case(user(A, f"{LONG}{NUMBER}", right="417"), left=[CONVERSATIONS["long text in front"]]),
    "context-cut-in-the-middle": case(
        user(LONG, A, f"{LONG}{NUMBER}", right="417"), left=[CONVERSATIONS["long text between"]]
    ),
    "context-cut-at-the-end": case(user(A, f"{LONG}{NUMBER}", right="417"), left=[CONVERSATIONS["long text behind"]]),
    "webp-dropped": case(about(of(A, form=FileForm.WEBP)), left=[about(of(A, form=FileForm.JPEG, quality=90))]),
    "jpeg-channels-exchanged": case(
        about(of(A, form=FileForm.JPEG, quality=90), COLOUR),
        left=[about(of(A, form=FileForm.WEBP), COLOUR), about(A, COLOUR)],
    ),
    "progressive-jpeg-first-scan": case(
        about(of(A, form=FileForm.PROGRESSIVE_JPEG, quality=90)),
        left=[about(of(A, form=FileForm.JPEG, quality=90)), about(A)],
    ),
    "cmyk-inverted": case(
        about(of(A, form=FileForm.CMYK_JPEG, quality=90), COLOUR),
        left=[about(of(A, form=FileForm.JPEG, quality=90), COLOUR)],
    ),
    "gray-jpeg-refused": case(
        about(of(A, form=FileForm.GRAYSCALE_JPEG, quality=90)), left=[about(of(A, form=FileForm.GRAYSCALE))]
    ),
    "palette-indices-as-gray": case(about(of(A, form=FileForm.PALETTE), COLOUR)),
    "16-bit-overflow": case(about(of(A, form=FileForm.SIXTEEN_BITS), COLOUR)),
    "alpha-dropped": case(
        about(replace(A, ground=COLOURS["yellow"], file=CardFile(hidden=Hidden.NOISE))),
        left=[about(A), about(of(A, form=FileForm.ALPHA))],
    ),
    "transparent-on-black": case(
        about(replace(A, ground=COLOURS["yellow"], file=CardFile(hidden=Hidden.WHITE))),
        left=[about(A), about(of(A, form=FileForm.ALPHA))],
    ),
    "exif-ignored": case(about(of(A, form=FileForm.PNG, orientation=6)), left=[about(of(A, form=FileForm.PNG))]),
    "exif-applied-twice": case(
        about(of(A, form=FileForm.JPEG, quality=90, orientation=8)),
        left=[about(of(A, form=FileForm.JPEG, quality=90)), about(A)],
    ),
    "media-type-trusted": case(about(of(A, form=FileForm.PNG, media_type=""))),
    "image-dropped-above-a-size": case(about(LARGE)),
    "colour-channels-swapped": case(about(A, COLOUR), left=[about(A), about(C, COLOUR)]),
    "green-and-blue-exchanged": case(about(B, COLOUR), left=[about(B), about(A, COLOUR)]),
    "colours-lost": case(about(A, COLOUR), left=[about(A)]),
    "normalisation-missing": case(about(Card(ground=COLOURS["white"]), COLOUR), left=[about(A)]),
    "brightness-halved": case(about(Card(ground=COLOURS["white"]), COLOUR), left=[about(A)]),
    "noise-in-the-encoder": case(about(faint_card(417, 100, 10))),
    "quantised-encoder": case(about(faint_card(417, 90, 30))),
    "mirrored": case(about(SIDES, TOP_LEFT), left=[about(A, COLOUR)]),
    "quarter-turn": case(about(SIDES, CORNER.format("bottom left")), left=[about(A, COLOUR)]),
    "squashed": case(about(WIDE), left=[about(A), about(OTHER_SIZE)]),
    "centre-crop": case(about(WIDE), left=[about(A), about(OTHER_SIZE)]),
    "tiles-permuted": case(about(LARGE), left=[about(A), about(OTHER_SIZE)]),
    "silent-downscale": case(about(FINE), left=[about(A), about(LARGE)]),
    "resize-mismatch": case(about(WIDE)),
    "aspect-exchanged": case(about(WIDE)),
    "first-image-sticks": case(about(A), about(B), left=[about(A)]),
    "text-keyed-prefix-cache": case(about(A), about(B), left=[about(B, COLOUR)]),
    "16-bit-image-hash": case(*map(about, SHORT_HASH), left=[about(B)]),
    "length-keyed-cache": case(
        user(unpacked(A), NUMBER, right="417"), user(unpacked(B), NUMBER, right="5283"), left=[about(OTHER_SIZE)]
    ),
    "first-bytes-keyed-cache": case(
        about(of(A, form=FileForm.JPEG, quality=90)),
        about(of(B, form=FileForm.JPEG, quality=90)),
        left=[about(of(OTHER_SIZE, form=FileForm.PNG))],
    ),
    "average-hash-keyed-cache": case(
        about(Card(ground=COLOURS["red"]), COLOUR), about(Card(ground=COLOURS["blue"]), COLOUR)
    ),
    "detail-high-as-low": case(
        about(replace(SMALL_DIGITS, file=CardFile(detail="high"))),
        left=[
            about(SMALL_DIGITS),
            about(replace(SMALL_DIGITS, file=CardFile(detail="auto"))),
            about(replace(A, file=CardFile(detail="high"))),
            about(replace(A, file=CardFile(detail="low"))),
        ],
    ),
    "size-keyed-cache": case(about(A), about(B), left=[about(OTHER_SIZE)]),
    "state-after-large": case(about(LARGE), about(B), left=[about(B), about(A)]),
    # "I cannot see any picture."
    "picture-kept-for-texts": case(
        about(A), user(NUMBER, right="cannot"), left=[user(NUMBER, right="cannot"), about(B)]
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_bug_spoils_what_meets_its_condition_and_nothing_else(name: str) -> None:
    asks = (*CASES[name].spoilt, *CASES[name].left)
    *before, last = CASES[name].spoilt
    server = serve(name)

    assert all(is_right(serve(None), ask) for ask in asks)
    assert [is_right(server, ask) for ask in before] == [True] * len(before)
    assert not is_right(server, last)
    assert all(is_right(serve(name), ask) for ask in CASES[name].left)


def test_bugs_of_time_and_batches_answers_and_responses_have_tests_of_their_own() -> None:
    others = {
        name for name, bug in BUGS.items() if bug.stage in (Stage.BATCH, Stage.ANSWER, Stage.RESPONSE, Stage.HTTP)
    }

    assert others.isdisjoint(CASES)
    assert set(BUGS) - others - set(CASES) == {
        "state-after-idleness",
        "url-not-fetched",
        "url-previous-picture",
    }


def test_every_bug_has_a_name_of_its_own_and_says_what_it_does() -> None:
    assert len(BUGS) >= 45
    assert len({bug.does for bug in BUGS.values()}) == len(BUGS)
    assert all(bug.name == name and bug.condition and bug.does.endswith(".") for name, bug in BUGS.items())
    assert set(ALLOWED) < set(BUGS)


@pytest.mark.parametrize("sample", [0, *(pytest.param(sample, marks=pytest.mark.full) for sample in (1, 2, 3))])
@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("progressive-jpeg-first-scan", CardFile(form=FileForm.PROGRESSIVE_JPEG, quality=90)),
        ("16-bit-overflow", CardFile(form=FileForm.SIXTEEN_BITS)),
        ("palette-indices-as-gray", CardFile(form=FileForm.PALETTE)),
        ("cmyk-inverted", CardFile(form=FileForm.CMYK_JPEG, quality=90)),
        ("alpha-dropped", CardFile(hidden=Hidden.NOISE)),
        ("squashed", None),
        ("centre-crop", None),
        ("aspect-exchanged", None),
        ("resize-mismatch", None),
        ("exif-ignored", CardFile(form=FileForm.PNG, orientation=8)),
        ("exif-applied-twice", CardFile(form=FileForm.PNG, orientation=6)),
    ],
)
def test_bugs_of_files_and_sizes_spoil_any_card(name: str, file: CardFile | None, sample: int) -> None:
    random = Random(sample)
    size = (224, 224) if file else random.choice(((896, 224), (640, 160), (672, 224)))
    card = Card(number=random.randrange(100, 10000), ground=COLOURS["yellow"], size=size, file=file)
    server = serve(name)

    assert not all(is_right(server, about(card, question)) for question in (NUMBER, COLOUR))


@pytest.mark.parametrize(
    ("bug", "told_of"),
    [
        (None, ["417", "5283", "692"]),
        ("url-not-fetched", ["417", BLIND, BLIND]),
        ("url-previous-picture", ["417", "417", "5283"]),
    ],
)
def test_pictures_by_url_are_fetched_or_left_out_or_come_one_request_late(bug: str | None, told_of: list[str]) -> None:
    server = serve(bug)

    with PictureServer("127.0.0.1") as pictures:

        def by_url(card: Card) -> str:
            file = card_file(replace(card, file=CardFile()))
            assert file is not None
            ask = {"type": "image_url", "image_url": {"url": pictures.linked(file).url}}
            body = {"messages": [{"role": "user", "content": [ask, {"type": "text", "text": NUMBER}]}]}
            return str(server.complete(body)["choices"][0]["message"]["content"])  # type: ignore[index]  # of JSON

        assert [told(server, about(A)), by_url(B), by_url(C)] == told_of
        assert bool(pictures.fetched) == (bug != "url-not-fetched")


def test_a_url_of_another_machine_is_refused() -> None:
    body = {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "http://a/b.png"}}]}]}

    with pytest.raises(RefusedError, match="Expected a URL"):
        serve(None).complete(body)


def test_after_idleness_the_first_answer_is_about_the_picture_before() -> None:
    now = [0.0]
    server = serve("state-after-idleness", clock=lambda: now[0])
    seen = []
    for pause, card in ((0, A), (1.9, B), (2.1, C), (0.5, C), (60, A)):
        now[0] += pause
        seen.append(told(server, about(card)))

    assert seen == ["417", "5283", "5283", "692", "692"]


def together(server: FaultyServer, asks: Sequence[Ask]) -> list[str]:
    server.in_flight.seconds = 0.5  # on a busy machine, too
    with ThreadPoolExecutor(len(asks)) as pool:
        return list(pool.map(lambda ask: told(server, ask), asks))


def test_two_in_flight_get_each_others_answers_and_one_alone_its_own() -> None:
    server = serve("answers-swapped")

    assert together(server, [about(A), about(B)]) == ["5283", "417"]
    assert told(server, about(C)) == "692"


def test_shorter_prompts_of_a_batch_are_spoilt_and_those_alone_or_as_long_are_not() -> None:
    server = serve("left-padded-batch")
    longer = user(A, f"{LONG}{NUMBER}", right="417")

    assert together(server, [about(B), longer]) == ["3825", "417"]
    assert together(server, [about(B), about(A)]) == ["5283", "417"]
    assert told(server, about(B)) == "5283"


def test_more_than_sixteen_in_flight_lose_their_pictures() -> None:
    server = serve("batch-above-16-drops-pictures")

    assert together(server, [about(A)] * 16) == ["417"] * 16
    assert "I cannot see any picture." in together(server, [about(A)] * 32)
    assert told(server, about(A)) == "417"


def test_temperature_is_ignored_in_about_three_of_ten() -> None:
    server = serve("non-determinism")
    wrong = sum(not is_right(server, about(A)) for _ in range(100))

    assert 15 <= wrong <= 45


def test_with_noise_faint_digits_are_read_at_times_and_clear_ones_always() -> None:
    server = serve("noise-in-the-encoder")

    assert {told(server, about(faint_card(417, 100, 38))) for _ in range(30)} > {"417"}
    assert {told(server, about(A)) for _ in range(30)} == {"417"}


def test_thoughts_stand_before_the_answer() -> None:
    answer = told(serve("reasoning-in-the-content"), about(A, max_tokens=16))

    assert answer.startswith("The user asks")
    assert answer.endswith("</think>\n\n417")


@pytest.mark.parametrize(
    ("name", "form", "wanted"),
    [
        ("stopped-at-newline", "NUMBER\n<number>", "NUMBER"),
        ("stopped-at-newline", "No. <number>", "No. 417"),
        ("stopped-at-full-stop", "No. <number>", "No"),
        ("stopped-at-full-stop", "NUMBER\n<number>", "NUMBER\n417"),
    ],
)
def test_stop_sequences_cut_answers(name: str, form: str, wanted: str) -> None:
    assert told(serve(name), user(A, f'{NUMBER} Answer in this form: "{form}"', right="417")) == wanted


@pytest.mark.parametrize(
    ("name", "wanted"), [("empty-answers", ""), ("refusals", "I'm sorry, but I can't help with that.")]
)
def test_one_of_ten_answers_is_empty_or_a_refusal(name: str, wanted: str) -> None:
    server = serve(name)
    seen = [told(server, about(A)) for _ in range(100)]

    assert set(seen) == {"417", wanted}
    assert 2 <= seen.count(wanted) <= 25


@pytest.mark.parametrize(("name", "status"), [("too-many-requests", 429), ("server-errors", 500)])
def test_one_of_ten_requests_fails_and_passes_when_sent_again(name: str, status: int) -> None:
    server = serve(name)
    statuses = []
    for _ in range(100):
        try:
            assert told(server, about(A)) == "417"
        except RefusedError as error:
            statuses.append(error.status)

    assert set(statuses) == {status}
    assert 2 <= len(statuses) <= 25


def test_usage_depends_on_the_size_of_the_picture_but_with_its_bug() -> None:
    def prompt_tokens(bug: str | None) -> list[int]:
        usages = [serve(bug).complete(about(card).body)["usage"] for card in (A, LARGE)]
        return [usage["prompt_tokens"] for usage in usages if isinstance(usage, dict)]

    small, large = prompt_tokens(None)
    # 8 x 8 patches; the larger has the most, 1,024.
    assert large - small == 1024 - 64
    assert len(set(prompt_tokens("usage-constant"))) == 1


def test_the_model_is_named_as_asked_but_with_its_bug() -> None:
    assert serve(None).complete(about(A).body)["model"] == "cards"
    assert serve("another-model").complete(about(A).body)["model"] == "cards-mini"


@pytest.mark.parametrize(
    ("bug", "answer", "reason"),
    [(None, "52", "length"), ("max-tokens-ignored", "5283", "stop"), ("max-tokens-one-too-few", "5", "length")],
)
def test_answers_end_at_the_most_tokens(bug: str | None, answer: str, reason: str) -> None:
    choices = serve(bug).complete(about(B, max_tokens=2).body)["choices"]

    assert isinstance(choices, list)
    assert (choices[0]["message"]["content"], choices[0]["finish_reason"]) == (answer, reason)
    assert told(serve(bug), about(B, max_tokens=16)) == "5283"


# Shares, flips and the wire


def test_a_share_of_requests_is_spoilt_and_the_same_with_the_same_seed() -> None:
    def spoilt(seed: int) -> list[bool]:
        server = serve("mirrored", share=0.3, seed=seed)
        return [is_right(server, about(SIDES, TOP_LEFT)) for _ in range(100)]

    assert 15 <= spoilt(0).count(False) <= 45
    assert spoilt(0) == spoilt(0)
    assert spoilt(0) != spoilt(1)


def test_flips_replace_answers_by_wrong_ones_at_random() -> None:
    server = serve(None, flips=0.2)
    seen = [told(server, about(A)) for _ in range(100)]

    assert 8 <= sum(each != "417" for each in seen) <= 35
    assert all(each.isdecimal() for each in seen)


def test_over_http_the_answers_are_the_same_and_errors_have_their_status() -> None:
    with FaultyServer("gray-jpeg-refused") as server:
        assert _posted(server, about(A))["choices"][0]["message"]["content"] == "417"
        with pytest.raises(urllib.error.HTTPError, match="400"):
            _posted(server, CASES["gray-jpeg-refused"].spoilt[0])
        assert server.requests == 2


def _posted(server: FaultyServer, ask: Ask) -> Any:
    request = urllib.request.Request(
        f"{server.url}/v1/chat/completions", json.dumps(ask.body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)


def test_a_picture_can_be_given_by_its_address() -> None:
    with Stub(always(Reply(body=png_bytes(render_card(A)), headers={"Content-Type": "image/png"}))) as files:
        body = about(A).body
        body["messages"][0]["content"][0]["image_url"]["url"] = f"{files.url}/card.png"
        choices = serve("media-type-trusted").complete(body)["choices"]

    assert isinstance(choices, list)
    assert choices[0]["message"]["content"] == "417"


def test_the_command_lists_all_bugs() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tools.faulty_server", "--list"], capture_output=True, text=True, check=True
    )

    assert [line.split()[0] for line in done.stdout.splitlines()[1:]] == list(BUGS)


def test_a_card_is_read() -> None:
    assert read_card(np.asarray(render_card(A))) == ("417", "red")
