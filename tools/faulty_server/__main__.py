"""The command line of the faulty server."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from tools.faulty_server import BUGS, FaultyServer, write_scenes


def main(argv: Sequence[str] | None = None) -> None:
    """Serves until it is interrupted, or prints the bugs."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.faulty_server",
        description="A server that reads the cards of `vqamt probe`, with one bug or none.",
    )
    parser.add_argument("--list", action="store_true", help="print the bugs with what each does and when, and end")
    parser.add_argument("--bug", choices=BUGS, metavar="NAME", help="the bug; --list prints all")
    parser.add_argument("--share", type=float, help="the share of the requests that meet its condition; 1 for most")
    parser.add_argument("--flips", type=float, default=0.0, help="the share of answers replaced by others at random")
    parser.add_argument("--refused", type=float, default=0.0, help="the share of requests that get 429 or 500")
    parser.add_argument("--delay-ms", type=float, default=0.0, help="what each request takes beside its computation")
    parser.add_argument("--seed", type=int, default=0, help="chooses the requests of both shares")
    parser.add_argument("--port", type=int, default=8123)
    parser.add_argument("--scenes", type=Path, metavar="DIR", help="write 200 cards as photos with graphs for runs")
    given = parser.parse_args(argv)
    if given.list:
        print(table())
        return
    if given.scenes:
        write_scenes(given.scenes, 200)
    server = FaultyServer(
        given.bug,
        share=given.share,
        port=given.port,
        flips=given.flips,
        refused=given.refused,
        delay_s=given.delay_ms / 1000,
        seed=given.seed,
    )
    print(f"vqamt probe openai:cards@{server.url}", flush=True)
    server.serve_forever()


def table() -> str:
    """All bugs, a row each."""
    rows = [("name", "stage", "thread", "acts in", "what it does")]
    rows += [(bug.name, bug.stage.value, bug.thread or "-", bug.condition, bug.does) for bug in BUGS.values()]
    widths = [max(len(row[place]) for row in rows) for place in range(4)]
    return "\n".join(
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]]) for row in rows
    )


if __name__ == "__main__":
    main()
