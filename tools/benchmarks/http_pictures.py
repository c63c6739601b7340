"""What a picture costs that is sent over HTTP: milliseconds and bytes, and requests a second.

A server in a process of its own answers after 100 ms, so 32 requests in flight could be 320 a second.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from statistics import fmean, median
from subprocess import PIPE, Popen
from tempfile import TemporaryDirectory

from PIL import Image

from pytest_vqamt.core.meaning import Describe
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Query
from pytest_vqamt.data.catalogue import load as load_data
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.execution.answer_cache import AnswerStore
from pytest_vqamt.execution.inference import QueryRunner
from pytest_vqamt.execution.prefetch import InputPipeline
from pytest_vqamt.models.http.picture_files import FileEncoder, ImageFormat
from pytest_vqamt.models.openai.chat_model import load as load_model
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.wrapped import wrap_model
from pytest_vqamt.picture_world.source import PictureWorld
from tools.benchmarks.measuring import show, took

_PHOTOS = Path(__file__).parents[2] / "../shared/data/coco"
_ANSWER_S = 0.1
_IN_FLIGHT = 32
_REQUESTS = 2_000
_TO_BEGIN = 800
"""Requests before the measured ones."""
_OF_A_PICTURE = 5
"""Queries about each picture, as those of several relations."""

_SERVER = """
import asyncio, sys
wait = float(sys.argv[1])
body = b'{"choices": [{"finish_reason": "stop", "message": {"content": "yes"}}]}'
head = f"HTTP/1.1 200 OK\\r\\nContent-Type: application/json\\r\\nContent-Length: {len(body)}\\r\\n\\r\\n".encode()

async def serve(reader, writer):
    try:
        while request := await reader.readuntil(b"\\r\\n\\r\\n"):
            lines = request.lower().split(b"\\r\\n")
            (length,) = [line.split(b":")[1] for line in lines if line.startswith(b"content-length")]
            await reader.readexactly(int(length))
            await asyncio.sleep(wait)
            writer.write(head + body)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()

async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0, limit=1 << 22)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()

asyncio.run(main())
"""


def main() -> None:
    with TemporaryDirectory() as folder:
        photos = load_data(f"coco:{_PHOTOS}") if _PHOTOS.is_dir() else _made_photos(Path(folder))
        scenes = [photos.scene(index) for index in range(len(photos))]
        plain = [scene.picture for scene in scenes]
        edited = [picture.mirror() for picture in plain]
        rows = [
            ("a photo itself", _cost(photos, plain, "auto")),
            ("an edited photo", _cost(photos, edited, "auto")),
            ("the same as PNG", _cost(photos, edited, "png")),
            ("the same as WebP", _cost(photos, edited, "webp")),
        ]
        show(
            f"A distinct photo, of {len(photos)} of about 640 x 480 px, with what it takes to read it",
            ("what is sent", "ms (median)", "processor ms", "kB in base64 (mean)"),
            [(what, f"{ms:.1f}", f"{cpu_ms:.1f}", f"{size / 1000:.0f}") for what, (ms, cpu_ms, size) in rows],
        )
        world = PictureWorld(_REQUESTS // _OF_A_PICTURE, seed=7)
        drawn = [world.scene(index).picture for index in range(len(world))]
        show(
            f"{_IN_FLIGHT} requests in flight, answered after {1000 * _ANSWER_S:.0f} ms, {_OF_A_PICTURE} a picture",
            ("pictures", "requests/s", "share of the ideal", "processor ms a request"),
            [
                _throughput("drawn", world, drawn),
                _throughput("photos themselves", photos, plain),
                _throughput("edited photos", photos, edited),
            ],
        )


def _made_photos(folder: Path) -> SceneSource:
    """JPEG files of smooth colours with some noise, which makes them as long as photos."""
    lines = []
    for number in range(40):
        smooth = Image.effect_noise((16, 12), 100).resize((640, 480), Image.Resampling.BICUBIC)
        bands = [Image.blend(smooth, Image.effect_noise((640, 480), 60), 0.25) for _ in "RGB"]
        Image.merge("RGB", bands).save(folder / f"{number}.jpg", quality=85)
        lines.append(f'{{"image": "{number}.jpg", "question": "Is it gray?"}}')
    (folder / "questions.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return load_data(f"questions:{folder}")


def _cost(source: SceneSource, pictures: Sequence[Picture], given: str) -> tuple[float, float, float]:
    """Milliseconds from the disk to the file that is sent, those of processors, and the bytes of the latter."""
    encoder = FileEncoder(format=ImageFormat.of({"image-format": given}))
    times, sizes = [], []
    for picture in pictures:
        with closing(InputPipeline(source, batch_size=1)) as pipeline:
            (item,) = pipeline.inputs([Query(picture=picture, meaning=Describe())])
            times.append(took(partial(item.file, encoder)))
            sizes.append(len(item.file(encoder).base64))
    wall, cpu = (1000 * median(each) for each in zip(*((time.wall_s, time.cpu_s) for time in times), strict=True))
    return wall, cpu, fmean(sizes)


def _throughput(name: str, source: SceneSource, pictures: Sequence[Picture]) -> tuple[str, str, str, str]:
    of_picture = _REQUESTS // len(pictures)
    with _server() as url:
        model = load_model(f"m@{url}", ModelOptions(settings={"in-flight": str(_IN_FLIGHT)}))
        with closing(InputPipeline(source, batch_size=_IN_FLIGHT)) as pipeline:
            runner = QueryRunner(
                wrap_model("m", model, ModelOptions()), AnswerStore(None), pipeline, lambda _queries: None
            )
            # The pace begins with 32 requests a second, which double until the server refuses one.
            runner.run(_queries(pictures[:1], _TO_BEGIN))
            queries = _queries(pictures, of_picture)
            spent = took(lambda: runner.run(queries))
    rate = len(queries) / spent.wall_s
    ideal = _IN_FLIGHT / _ANSWER_S
    return name, f"{rate:.0f}", f"{rate / ideal:.2f}", f"{1000 * spent.cpu_s / len(queries):.2f}"


def _queries(pictures: Sequence[Picture], of_each: int) -> dict[str, Query]:
    queries = (
        Query(picture=picture, text=f"Is it {number} of {of_each}?", meaning=Describe())
        for picture in pictures
        for number in range(of_each)
    )
    return {query.id: query for query in queries}


@contextmanager
def _server() -> Iterator[str]:
    with Popen([sys.executable, "-c", _SERVER, str(_ANSWER_S)], stdout=PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}"
        finally:
            server.kill()
