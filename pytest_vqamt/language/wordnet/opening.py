"""The WordNet that a setting names, opened once a process."""

from __future__ import annotations

from functools import cache

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.identity import global_random_kept
from pytest_vqamt.language.wordnet.sources import BUNDLED, find
from pytest_vqamt.language.wordnet.words import WordNet


def wordnet(setting: str = BUNDLED) -> WordNet:
    """WordNet as the setting has it: "bundled" (ours), "full" (this machine's), or a folder with WordNet's files.

    >>> wordnet().sense("mouse"), wordnet().hypernyms("dog")[:2]
    ('mouse.n.04', ('domestic animal', 'domesticated animal'))

    Raises:
        OptionError: there is none, files are missing, or they are not in WordNet's format.
    """
    return _opened(setting)


@cache
def _opened(setting: str) -> WordNet:
    files = find(setting)
    # nltk takes a second to import, so that only who looks a word up waits for it.
    with global_random_kept():
        from pytest_vqamt.language.wordnet.reader import Synsets

    try:
        synsets = Synsets(files)
    except (ValueError, OSError) as error:
        raise OptionError(
            f"wordnet={setting!r}: expected files in WordNet's own format, and they could not be read ({error}); "
            "install them again, or leave the option out for the WordNet that comes with this package"
        ) from error
    return WordNet(source=files.source, digest=files.digest, synsets=synsets)
