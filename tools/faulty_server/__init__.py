"""A server of OpenAI's chat completions that reads the cards of ``vqamt probe`` rightly, or with one planted bug.

    python -m tools.faulty_server --list
    python -m tools.faulty_server --bug text-keyed-prefix-cache --share 0.3 --port 8123
    vqamt probe openai:cards@http://127.0.0.1:8123

It decodes what a request holds and answers from the pixels, the texts and the roles alone. Each bug is registered
where it is defined, in ``picture_bugs``, ``conversation_bugs`` and ``serving_bugs``, and acts at the stage where real
ones do; what a client sees is imitated, not the code. With ``--scenes cards`` there are cards as photos for runs, too:
the number of a card stands for a thing, and the ground for its colour. Of any other photo it names the mean colours.

    vqamt probe openai:cards@http://127.0.0.1:8123 --data pictures:60
"""

# All bugs are registered once these are imported.
from tools.faulty_server import conversation_bugs, picture_bugs, serving_bugs
from tools.faulty_server.perception import answer, read_card
from tools.faulty_server.scenes import write_scenes
from tools.faulty_server.server import FaultyServer
from tools.faulty_server.stages import ALLOWED, BUGS, Bug, RefusedError, Stage

__all__ = [
    "ALLOWED",
    "BUGS",
    "Bug",
    "FaultyServer",
    "RefusedError",
    "Stage",
    "answer",
    "conversation_bugs",
    "picture_bugs",
    "read_card",
    "serving_bugs",
    "write_scenes",
]
