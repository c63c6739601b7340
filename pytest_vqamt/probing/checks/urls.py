"""Pictures that the server fetches itself, and the resolution that a request asks for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from pytest_vqamt.probing.asking import SentRequest
from pytest_vqamt.probing.cards import LARGE_PX, NUMBER, Card, CardFile
from pytest_vqamt.probing.findings import FLIPS
from pytest_vqamt.probing.kinds import FindingKind
from pytest_vqamt.probing.model_names import address_of
from pytest_vqamt.probing.picture_server import PictureServer, is_loopback
from pytest_vqamt.probing.probing import CARDS, ROUNDS, Probing

NAME = "pictures by URL"
_LINKED = CardFile(is_linked=True)
_IN_REQUEST = "the cards: sent in the request they are answered as always"


def urls(probing: Probing) -> None:
    """Cards as http URLs of a server of ours: each must be fetched, and be answered as the same card in the request."""
    address = address_of(probing.model)
    if not probing.sender.takes_files or address is None:
        probing.skip(NAME, "the model's adapter sends no URLs")
        return
    host = probing.url_host or ("127.0.0.1" if is_loopback(address.host) else "")
    if not host:
        probing.skip(NAME, "the model is on another machine: --url-host HOST is this one's name there")
        return
    try:
        with _served(probing, host) as server:
            _linked(probing, server)
    except OSError as error:
        probing.skip(NAME, f"no port could be opened here ({error.strerror})")


@contextmanager
def _served(probing: Probing, host: str) -> Iterator[PictureServer]:
    with PictureServer(host) as server:
        probing.sender.served = server
        try:
            yield server
        finally:
            probing.sender.served = None


def _linked(probing: Probing, server: PictureServer) -> None:
    def asked(place: int) -> SentRequest:
        return probing.send(replace(probing.cards[place], file=_LINKED), probing.subject)

    # Two in a row: the first may be answered from what the server held before.
    seen = [(place, asked(place), server.is_last_fetched) for place in range(2)]
    if any(each.failure for _, each, _ in seen):
        failure = next(each.failure for _, each, _ in seen if each.failure)
        fetched = "fetched, and " if any(was_fetched for *_, was_fetched in seen) else ""
        probing.note(NAME, f"{fetched}refused: {failure}")
        return
    if not all(was_fetched for *_, was_fetched in seen):
        unread = probing.until_right(((asked(place), server.is_last_fetched) for place in range(CARDS)), FLIPS)
        probing.add(FindingKind.URL_NOT_FETCHED, unread, rate=FLIPS, ruled_out=(_IN_REQUEST,))
        return
    if all(probing.agrees(each, place) for place, each, _ in seen):
        probing.note(NAME, "fetched, and answered as those in a request")
        return
    # Each time another card than before: a server that is one picture late is right about the same one again.
    again = ((place, asked(place)) for place in [*range(CARDS)] * ROUNDS)
    wrong = probing.until_right(((each, probing.agrees(each, place)) for place, each in again), probing.flips)
    probing.add(
        FindingKind.URL_PICTURE, wrong, rate=probing.flips, ruled_out=(_IN_REQUEST, "fetching: the file was asked for")
    )


def details(probing: Probing) -> None:
    """A large card with small digits at each ``detail``: high and auto must be read as without, low need not."""
    if not probing.sender.takes_files or address_of(probing.model) is None:
        probing.skip("detail of pictures", "the model's adapter sends no detail")
        return
    if "small digits" in dict(probing.result.skipped):
        probing.skip("detail of pictures", "the check of small digits was not made")
        return
    if not probing.small_digits_px:
        probing.skip("detail of pictures", f"no digits are read at {LARGE_PX:,} px that a smaller picture would lose")
        return

    def card(place: int, detail: str) -> Card:
        return Card(
            number=probing.spare[place],
            ground=(245, 245, 245),
            size=(LARGE_PX, LARGE_PX),
            digit_px=probing.small_digits_px,
            file=CardFile(detail=detail) if detail else None,
        )

    for detail in ("high", "auto"):
        wrong: list[SentRequest] = []
        for place in range(CARDS):
            seen = probing.send(card(place, detail), NUMBER)
            if seen.failure:
                probing.note(f"detail {detail}", f"refused: {seen.failure}")
                break
            # The same digits without: what is read there is lost by the detail alone.
            if seen.is_right or not probing.send(card(place, ""), NUMBER).is_right:
                break
            wrong.append(seen)
            if probing.is_finding(len(wrong), len(wrong), probing.flips):
                about = f"digits of {probing.small_digits_px} px at {LARGE_PX:,} px, detail {detail}"
                probing.add(
                    FindingKind.DETAIL_LOST,
                    wrong,
                    detail=about,
                    rate=probing.flips,
                    ruled_out=("the digits: without detail they are read",),
                )
                return
    low = probing.send(card(0, "low"), NUMBER)
    reads = low.is_right or probing.send(card(1, "low"), NUMBER).is_right
    said = f"digits of {probing.small_digits_px} px at {LARGE_PX:,} px are {'read' if reads else 'not read'}"
    probing.note("detail low", f"refused: {low.failure}" if low.failure else said)
