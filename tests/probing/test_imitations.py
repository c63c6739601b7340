"""Each imitation answers a plain request rightly or is known not to, and shows its symptom where it should."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from io import BytesIO
from typing import Any, TypeAlias, cast

import pytest
from PIL import Image

from pytest_vqamt.probing.cards import COLOURS, Card, render_card
from tests.probing.imitated import Imitated
from tests.probing.imitations import IMITATIONS
from tools.faulty_server import BUGS

NUMBER = "Which number is written in this picture?"
COLOUR = "What colour is the background of this picture?"
LARGE = (448, 448)

Serve: TypeAlias = Callable[[str], Imitated]


def card(number: int, ground: str = "red", size: tuple[int, int] = (224, 224)) -> Image.Image:
    return render_card(Card(number=number, ground=COLOURS[ground], size=size))


def user(*parts: str | Image.Image | bytes) -> dict[str, Any]:
    return {"role": "user", "content": [_part(part) for part in parts]}


def _part(part: str | Image.Image | bytes) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    if isinstance(part, bytes):
        media_type, content = "image/jpeg", part
    else:
        stream = BytesIO()
        part.save(stream, "PNG")
        media_type, content = "image/png", stream.getvalue()
    url = f"data:{media_type};base64,{base64.b64encode(content).decode()}"
    return {"type": "image_url", "image_url": {"url": url}}


def completed(server: Imitated, *messages: dict[str, Any]) -> dict[str, Any]:
    return cast("dict[str, Any]", server.complete({"messages": list(messages), "max_tokens": 64}))


def answer(server: Imitated, *messages: dict[str, Any]) -> str:
    return cast(str, completed(server, *messages)["choices"][0]["message"]["content"])


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Makes servers, none of which listens; their sockets are closed at the end."""
    with ExitStack() as stack:

        def made(name: str) -> Imitated:
            server = Imitated(name)
            stack.callback(server.server_close)
            return server

        yield made


@pytest.mark.parametrize("name", IMITATIONS)
def test_a_plain_request_is_answered_rightly_or_known_not_to_be(name: str, serve: Serve) -> None:
    server = serve(name)
    assert answer(server, user(card(417), NUMBER)) == "417"
    assert (answer(server, user(card(417), COLOUR)) == "red") is IMITATIONS[name].is_plain_right


def test_imitations_are_of_different_threads_and_names() -> None:
    assert len(IMITATIONS) == 15
    assert len({each.thread for each in IMITATIONS.values()}) == 15
    assert not IMITATIONS.keys() & BUGS.keys()


def test_a_chunk_of_an_earlier_picture_is_spliced_in(serve: Serve) -> None:
    server = serve("spliced-kv-chunks")
    assert answer(server, user(card(417), NUMBER)) == "417"
    assert answer(server, user(card(582), NUMBER)) != "582"
    assert answer(server, user(card(582, size=LARGE), NUMBER)) == "582"


def test_a_larger_picture_spoils_smaller_ones(serve: Serve) -> None:
    server = serve("freed-rotary-workspace")
    assert answer(server, user(card(417), NUMBER)) == "417"
    assert answer(server, user(card(582, size=LARGE), NUMBER)) == "582"
    assert [answer(server, user(card(417), NUMBER)) for _ in range(20)].count("417") <= 4


def test_later_pictures_of_a_prefix_stand_one_token_off(serve: Serve) -> None:
    server = serve("same-prefix-off-by-one")
    corner = "What colour is the square in the top left corner?"
    places = ("green", "blue", "yellow", "green"), ("blue", "green", "green", "yellow")
    shown = [render_card(Card(number=417, ground=COLOURS["red"], corners=corners)) for corners in places]
    assert answer(server, user(shown[0], corner)) == "green"
    assert answer(server, user(shown[1], corner)) != "blue"
    assert answer(server, user(shown[0], corner)) == "green"


def test_one_of_two_pictures_of_a_size_is_lost(serve: Serve) -> None:
    server = serve("one-of-equal-sizes")
    asked = "Which number is written in the first picture?"
    equal = [completed(server, user(card(417), card(other), asked)) for other in range(500, 520)]
    assert 2 < sum(each["choices"][0]["message"]["content"] == "417" for each in equal) < 18
    different = completed(server, user(card(417), card(582, size=(252, 224)), asked))
    assert different["choices"][0]["message"]["content"] == "417"
    # A picture of 252 x 224 pixels has 72 tokens.
    assert {different["usage"]["prompt_tokens"] - each["usage"]["prompt_tokens"] for each in equal} == {72}


def test_pictures_of_earlier_turns_move_to_the_last(serve: Serve) -> None:
    begun = user(card(417), NUMBER), {"role": "assistant", "content": "417"}
    server = serve("markers-to-latest-turn")
    for ordinal, right in (("first", "417"), ("second", "582")):
        asked = f"Which number is written in the picture of my {ordinal} message?"
        assert answer(server, *begun, user(card(582), asked)) != right


def test_only_the_last_message_keeps_its_pictures(serve: Serve) -> None:
    server = serve("final-message-media")
    assert answer(server, user(card(417)), user(NUMBER)) != "417"


def test_a_question_before_the_picture_often_gets_a_caption(serve: Serve) -> None:
    server = serve("text-first-captions")
    said = [answer(server, user(NUMBER, card(number))) for number in range(400, 430)]
    assert 8 < sum("background" in each for each in said) < 28
    assert said == [answer(server, user(NUMBER, card(number))) for number in range(400, 430)]


def test_jpeg_photos_lie_on_their_side(serve: Serve) -> None:
    def saved(file_format: str) -> bytes:
        # Orientation 6 of tag 0x0112 asks a viewer to turn the picture by 90 degrees clockwise.
        stream, exif = BytesIO(), Image.Exif()
        exif[0x0112] = 6
        card(417).transpose(Image.Transpose.ROTATE_90).save(stream, file_format, exif=exif)
        return stream.getvalue()

    server = serve("jpeg-path-ignores-orientation")
    assert answer(server, user(saved("JPEG"), NUMBER)) != "417"
    assert answer(server, user(saved("PNG"), NUMBER)) == "417"


def test_pictures_above_336_px_lose_their_last_tile(serve: Serve) -> None:
    server = serve("thumbnail-before-tiles")
    assert answer(server, user(card(417, size=(336, 336)), NUMBER)) == "417"
    assert answer(server, user(card(417, size=(672, 672)), NUMBER)) != "417"


def test_several_pictures_bleed_into_each_other(serve: Serve) -> None:
    server = serve("attention-across-pictures")
    asked = [f"What colour is the background of the {each} picture?" for each in ("first", "second")]
    pairs = [(first, second) for first in COLOURS for second in COLOURS if first != second]
    said = [answer(server, user(card(417, first), card(582, second), asked[0])) for first, second in pairs]
    assert any(each != first for each, (first, _) in zip(said, pairs, strict=True))


def test_few_pictures_overflow_each_time(serve: Serve) -> None:
    server = serve("overflow-of-some-pictures")
    said = {number: answer(server, user(card(number), NUMBER)) for number in range(300, 400)}
    spoilt = [number for number, each in said.items() if each != str(number)]
    assert 1 <= len(spoilt) <= 12
    assert all(said[number] == "?" * 64 for number in spoilt)
    assert answer(server, user(card(spoilt[0]), NUMBER)) == "?" * 64


def test_neighbours_mix_only_under_load(serve: Serve) -> None:
    server = serve("fragments-of-neighbours")

    def ask(number: int) -> bool:
        return answer(server, user(card(number), NUMBER)) == str(number)

    assert all(map(ask, range(300, 310)))
    with ThreadPoolExecutor(8) as pool:
        right = list(pool.map(ask, range(300, 364)))
    assert 0 < right.count(False) < 40


def test_prompts_above_the_context_get_an_empty_answer(serve: Serve) -> None:
    server = serve("context-of-1024")
    assert answer(server, user(card(417), "word " * 900, NUMBER)) == ""
    assert answer(server, user("word " * 500, card(417), NUMBER)) == "417"


def test_pictures_are_not_counted(serve: Serve) -> None:
    server = serve("pictures-not-counted")
    counted = [completed(server, user(*parts))["usage"]["prompt_tokens"] for parts in ((NUMBER,), (card(417), NUMBER))]
    assert counted[0] == counted[1]
