"""Probes of the faulty server in a process of its own, by the adapter ``openai:``, as a user would make them.

    python -m tests.probing.over_http mirrored exif-ignored     # these bugs
    python -m tests.probing.over_http --all --sane 10           # all bugs, and ten probes of the correct server
    python -m tests.probing.over_http --sane 1 --delay-ms 100   # with a server that takes 100 ms a request

The correct server is probed in turn plainly, with 3 % and with 10 % of answers at random, each without and with 429s
and 500s. A line for each probe has the findings, the requests and the seconds.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle, islice, product
from statistics import median

from pytest_vqamt.models.catalogue import ModelCatalogue
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.probing.probe import MOST_REQUESTS, probe
from pytest_vqamt.probing.results import ProbeResult
from tools.faulty_server import BUGS

_NOISE, _REFUSED = (0.0, 0.03, 0.1), (0.0, 0.05)
_SANE = "no bug"


@contextmanager
def served(*arguments: str) -> Iterator[str]:
    """The spec of a faulty server in another process."""
    command = [sys.executable, "-m", "tools.faulty_server", "--port", "0", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            # Its one line: "vqamt probe SPEC".
            yield process.stdout.readline().split()[-1]
        finally:
            process.terminate()


def probed(spec: str, *, seed: int, limit: int = MOST_REQUESTS) -> ProbeResult:
    """The probe of a model that is loaded anew."""
    return probe(ModelCatalogue().load(spec, ModelOptions()), limit=limit, seed=seed)


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.probing.over_http")
    parser.add_argument("bugs", nargs="*", choices=[*BUGS, []], metavar="BUG")
    parser.add_argument("--all", action="store_true", help="all bugs")
    parser.add_argument("--sane", type=int, default=0, metavar="N", help="so many probes of the correct server")
    parser.add_argument("--delay-ms", default="0", help="what each request takes beside its computation")
    given = parser.parse_args(argv)
    delay = ("--delay-ms", given.delay_ms)
    runs: list[tuple[str, tuple[str, ...]]] = [(bug, ("--bug", bug)) for bug in (BUGS if given.all else given.bugs)]
    for number, (noise, refused) in enumerate(islice(cycle(product(_NOISE, _REFUSED)), given.sane)):
        # Seeds of their own, so that no two probes are the same one.
        settings = ("--flips", str(noise), "--refused", str(refused), "--seed", str(number))
        runs.append((f"{_SANE}, {noise:.0%} noise, {refused:.0%} refused, seed {number}", settings))
    requests: list[int] = []
    seconds: list[float] = []
    for number, (name, arguments) in enumerate(runs):
        with served(*arguments, *delay) as spec:
            started = time.monotonic()
            result = probed(spec, seed=number)
            took = time.monotonic() - started
        found = ", ".join(each.kind.value for each in result.findings) or "nothing"
        print(f"{name}: {found}; {len(result.log)} requests, {took:.1f} s", flush=True)
        requests.append(len(result.log))
        seconds.append(took)
    if runs:
        print(f"{len(runs)} probes: median of {median(requests):g} requests and {median(seconds):.1f} s")


if __name__ == "__main__":
    main()
