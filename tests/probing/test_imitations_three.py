"""The second set of imitations: a plain request, and one that shows the bug, through the server alone."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from io import BytesIO
from typing import Any, TypeAlias

import pytest
from PIL import Image

from pytest_vqamt.probing.cards import COLOURS, Card, render_card
from tests.probing.imitations_three import IMITATIONS
from tools.faulty_server import BUGS, Bug, FaultyServer, RefusedError, Stage

Part: TypeAlias = dict[str, Any]
Ask: TypeAlias = Callable[..., dict[str, Any]]

_NUMBER = "Which number is written in this picture?"
_COLOUR = "What colour is the background?"
_LONG = "The day was long and nothing at all happened there. " * 100
_WRONG_WHEN_PLAIN = {"luminance-in-steps": "black"}
"""Known to answer a plain request about a colour wrongly, and how."""


def _picture(number: int, colour: str = "blue", size: tuple[int, int] = (224, 224), form: str = "PNG") -> Part:
    image: Image.Image = render_card(Card(number=number, ground=COLOURS[colour], size=size))
    file = BytesIO()
    (image.convert("L") if form == "JPEG" else image).save(file, form)
    content = base64.b64encode(file.getvalue()).decode()
    return {"type": "image_url", "image_url": {"url": f"data:image/{form.lower()};base64,{content}"}}


def _user(*parts: Part | str) -> dict[str, Any]:
    return {
        "role": "user",
        "content": [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts],
    }


def _said(reply: dict[str, Any]) -> str:
    return str(reply["choices"][0]["message"]["content"])


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Ask]]:
    stack = ExitStack()

    def made(name: str) -> Ask:
        imitation = IMITATIONS[name]
        bug = Bug(
            name=name,
            stage=Stage.BATCH,
            thread=imitation.thread,
            does=imitation.symptom,
            condition="",
            share=1.0,
            make=imitation.stages,
        )
        monkeypatch.setitem(BUGS, name, bug)
        server = stack.enter_context(FaultyServer(name))
        return lambda *turns: server.complete({"model": "cards", "messages": list(turns)})

    with stack:
        yield made


@pytest.mark.parametrize("name", IMITATIONS)
def test_answers_a_plain_request_rightly_or_is_known_not_to(name: str, serve: Callable[[str], Ask]) -> None:
    ask = serve(name)

    assert _said(ask(_user(_picture(417), _NUMBER))) == "417"
    assert _said(ask(_user(_picture(417), _COLOUR))) == _WRONG_WHEN_PLAIN.get(name, "blue")


def _refused(ask: Ask, *turns: dict[str, Any]) -> int:
    with pytest.raises(RefusedError) as caught:
        ask(*turns)
    return caught.value.status


def test_a_short_hash_splices_some_pictures_of_one_text(serve: Callable[[str], Ask]) -> None:
    ask = serve("short-hash-splices")

    said = [_said(ask(_user(_picture(number), _NUMBER))) for number in range(100, 180)]

    wrong = sum(answer != str(number) for number, answer in enumerate(said, start=100))
    # The first 16 keys or so are new; a found one is another's but shows the same where the digits are alike.
    assert 20 < wrong < 75


def test_a_text_seeds_a_prefix_for_pictures_behind_it(serve: Callable[[str], Ask]) -> None:
    ask = serve("text-seeds-prefix")
    before = "You read signs for a living, and answer with one word alone."
    shown = _user(before, _picture(417), _NUMBER)

    assert _said(ask(shown)) == "417"
    ask(_user(before, "What is 3 plus 4?"))

    assert _said(ask(shown)) == "none"
    assert _said(ask(_user(_picture(417), before, _NUMBER))) == "417"


def test_a_text_between_pictures_crashes_once(serve: Callable[[str], Ask]) -> None:
    ask = serve("crash-after-text")
    shown, text = _user(_picture(417), _NUMBER), _user("What is 3 plus 4?")
    ask(text)
    ask(shown)
    ask(shown)
    ask(text)

    assert _refused(ask, shown) == 502
    assert _said(ask(shown)) == "417"


def test_equal_sizes_are_paired_unless_text_stands_between(serve: Callable[[str], Ask]) -> None:
    ask = serve("equal-sizes-paired")
    second = "Which number is written in the second picture?"
    one, two, wide = _picture(417), _picture(582), _picture(582, size=(320, 224))

    assert _said(ask(_user(one, two, second))) == "417"
    assert _said(ask(_user(one, "And:", two, second))) == "582"
    assert _said(ask(_user(one, wide, second))) == "582"


def test_marks_move_to_the_last_turn(serve: Callable[[str], Ask]) -> None:
    ask = serve("marks-in-last-turn")
    first = _user(_picture(417), "Look at this.")
    asked = _user(_picture(582), "Which number is written in the picture of my first message?")

    assert _said(ask(first, {"role": "assistant", "content": "Yes."}, asked)) == "582"
    with FaultyServer() as right:
        assert _said(right.complete({"messages": [first, asked]})) == "417"


def test_tokens_are_expanded_again_with_each_turn(serve: Callable[[str], Ask]) -> None:
    first, more = _user(_picture(417), _NUMBER), _user(_COLOUR)
    turns = [first, {"role": "assistant", "content": "417"}, more]

    spoilt = serve("expanded-again")(*turns)["usage"]["prompt_tokens"]

    with FaultyServer() as right:
        usage = right.complete({"messages": turns})["usage"]
    assert isinstance(usage, dict)
    # 224 x 224 pixels are 64 tokens, and become 127.
    assert spoilt - usage["prompt_tokens"] == 63


def test_a_text_in_front_gets_a_caption(serve: Callable[[str], Ask]) -> None:
    assert "blue wall" in _said(serve("captions-if-text-first")(_user(_NUMBER, _picture(417))))


def test_a_gray_jpeg_is_refused_beside_colour_alone(serve: Callable[[str], Ask]) -> None:
    ask = serve("gray-jpeg-beside-colour")
    gray, colour = _picture(417, form="JPEG"), _picture(582)

    assert _said(ask(_user(gray, _NUMBER))) == "417"
    assert _said(ask(_user(gray, gray, _NUMBER))) == "417"
    assert _refused(ask, _user(gray, colour, _NUMBER)) == 500


def test_all_pictures_have_256_tokens_and_long_ones_are_squashed(serve: Callable[[str], Ask]) -> None:
    ask = serve("fixed-tokens")
    small, large = (ask(_user(_picture(417, size=(px, px)), _NUMBER)) for px in (224, 1024))

    assert small["usage"] == large["usage"]
    assert _said(ask(_user(_picture(417, size=(800, 224)), _NUMBER))) != "417"


def test_tiles_are_dropped_of_large_pictures_alone(serve: Callable[[str], Ask]) -> None:
    ask = serve("tiles-dropped")

    assert _said(ask(_user(_picture(417, size=(640, 1200)), _NUMBER))) == "417"
    assert _said(ask(_user(_picture(417, size=(1200, 1200)), _NUMBER))) != "417"


def test_a_chunk_restarts_a_picture_behind_a_long_text(serve: Callable[[str], Ask]) -> None:
    ask = serve("chunk-restarts")
    picture = _picture(417, size=(896, 896))

    assert _said(ask(_user(picture, _LONG, _NUMBER))) == "417"
    # 1,000 words are 1,333 tokens, and 1,227 are left of the second chunk; behind 620 words, 454 of the first.
    assert _said(ask(_user(_LONG, picture, _NUMBER))) == "417"
    assert _said(ask(_user(" ".join(_LONG.split()[:620]), picture, _NUMBER))) != "417"


def test_later_large_pictures_do_not_fit(serve: Callable[[str], Ask]) -> None:
    ask = serve("first-pictures-fit")
    large = [_picture(number, size=(728, 728)) for number in (417, 582, 639)]

    assert _said(ask(_user(*large, _NUMBER))) == "417"
    assert _said(ask(_user(_picture(417), _picture(582), _NUMBER))) == "582"


def test_a_batch_is_mixed_under_load_alone(serve: Callable[[str], Ask]) -> None:
    ask = serve("batch-mixed")
    numbers = range(100, 900, 37)

    def is_right(number: int) -> bool:
        return _said(ask(_user(_picture(number), _NUMBER))) == str(number)

    assert all(map(is_right, numbers))
    with ThreadPoolExecutor(8) as pool:
        rightly = list(pool.map(is_right, numbers))
    assert 0 < rightly.count(False) < len(rightly)


def test_some_sizes_are_refused(serve: Callable[[str], Ask]) -> None:
    ask = serve("rounded-twice")

    assert _said(ask(_user(_picture(417, size=(320, 224)), _NUMBER))) == "417"
    assert _refused(ask, _user(_picture(417, size=(224, 300)), _NUMBER)) == 500


def test_no_colour_is_left(serve: Callable[[str], Ask]) -> None:
    ask = serve("luminance-in-steps")
    shown = [_picture(417, colour) for colour in ("red", "green", "blue", "yellow", "orange", "purple")]

    assert {_said(ask(_user(picture, _COLOUR))) for picture in shown} <= {"gray", "black", "white"}
    assert {_said(ask(_user(picture, _NUMBER))) for picture in shown} == {"417"}
