"""The user's prices, and what a reply costs by them."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.models.openai.openai_settings import Prices, Spent, prices_from
from pytest_vqamt.models.protocol import ModelOptions
from tests.models.conftest import Ask
from tests.models.openai.conftest import Load, Serve
from tests.models.openai.stub import always, said
from tests.rows import each_row

TABLE = """
["gpt-4o-mini"]
in = 0.15
out = 0.60
cached-in = 0.075

["gpt-*"]
in = 9
out = 0

["Qwen/*"]
request = 0.001
"""


def test_the_name_itself_comes_before_globs(tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(TABLE)
    options = ModelOptions(settings={"price": str(file)})
    assert prices_from(options, "gpt-4o-mini") == Prices(tokens_in=0.15, tokens_out=0.6, cached_in=0.075)
    assert prices_from(options, "gpt-5") == Prices(tokens_in=9)
    assert prices_from(options, "Qwen/Qwen3-VL") == Prices(request=0.001)
    with pytest.raises(OptionError, match=r"prices of 'llava', but price='.*prices.toml' has gpt-4o-mini, gpt-\*"):
        prices_from(options, "llava")


@each_row(
    "text, told",
    [
        ("in = ", "a TOML file of prices"),
        ("m = 3", "a table such as"),
        ("[m]\nin = -1", "prices from 0 up for in, out, cached-in, request, but got in = -1"),
        ("[m]\ninput = 1", "but got input = 1 of"),
        ("[m]\nin = true", "but got in = True"),
        ("[m]\nin = 1", "Expected in and out, 0 for what is free, but got no out of"),
        ("[m]", "but got no in and out of"),
        ("[m]\nout = 1\nrequest = 1", "but got no in of"),
    ],
)
def test_a_table_of_another_form_is_refused(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(text)
    with pytest.raises(OptionError, match=told) as error:
        prices_from(ModelOptions(settings={"price": str(file)}), "m")
    assert "\n" not in str(error.value)


def test_one_price_alone_is_refused() -> None:
    with pytest.raises(OptionError, match="both price-in and price-out, 0 for what is free, but got price-in=2 alone"):
        prices_from(ModelOptions(settings={"price-in": "2"}), "m")


def test_a_file_that_is_not_there_and_two_prices_are_refused() -> None:
    with pytest.raises(OptionError, match=r"a TOML file of prices, but got price='nowhere.toml'"):
        prices_from(ModelOptions(settings={"price": "nowhere.toml"}), "m")
    with pytest.raises(OptionError, match="price=FILE, or price-in and price-out"):
        prices_from(ModelOptions(settings={"price": "a.toml", "price-in": "1"}), "m")
    with pytest.raises(OptionError, match="a number from 0 to"):
        prices_from(ModelOptions(settings={"price-out": "cheap"}), "m")


@each_row(
    "usage, cost",
    [
        ({"prompt_tokens": 1_000_000, "completion_tokens": 100_000}, 2 + 1),
        (
            {"prompt_tokens": 1_000_000, "completion_tokens": 0, "prompt_tokens_details": {"cached_tokens": 600_000}},
            1.1,
        ),
        ({"prompt_tokens": 1_000_000}, 2),
        ({"prompt_tokens": 1_000_000, "cost": 0.5}, 0.5),
        ({"prompt_tokens": True}, None),
        ({"prompt_tokens": 10**40, "completion_tokens": 10**400}, None),
        ({"completion_tokens": 5}, None),
        ("much", None),
    ],
)
def test_a_reply_costs_what_the_server_says_or_the_prices(usage: object, cost: float | None) -> None:
    spent = Spent()
    spent.read(usage, Prices(tokens_in=2, tokens_out=10, cached_in=0.5))
    assert spent.cost == (None if cost is None else pytest.approx(cost))


def test_an_answer_knows_what_it_took(serve: Serve, model: Load, ask: Ask) -> None:
    server = serve(always(said("yes", usage={"prompt_tokens": 500, "completion_tokens": 2})))
    stub = model(server, price_in="2", price_out="10")
    (answer,) = stub.answer([ask()])
    assert (answer.tokens_in, answer.tokens_out, answer.cost) == (500, 2, 0.00102)
    assert stub.usage == {"requests": 1, "tokens in": 500, "tokens out": 2, "cost": 0.00102}
    assert stub.fingerprint == model(server).fingerprint, "prices change no answer"
