"""Reads texts that are more than one plain question: what is said before it, its list of options, what is quoted."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from pytest_vqamt.core.meaning import (
    NONE_OF_THESE,
    Absent,
    Choice,
    Exists,
    Group,
    Has,
    Meaning,
    Property,
    WhichThere,
    Written,
)
from pytest_vqamt.core.scene import Scene
from tests.reader.lexicon import Lexicon
from tests.reader.questions import Unreadable, read

_SAID = re.compile(
    r"(?:(?:I (?:think|believe|would say|am quite sure)|My (?:impression is|professor says)|It seems to me"
    r"|I have no doubt|An expert has confirmed|The person who made this picture says|Three independent reviewers agree"
    r"|The archive states|The (?:label on the back|record of the data set) says|It has been verified by specialists)"
    r"(?: that)?|As far as I can tell,|If you ask me,|According to the official description,) (?P<claim>[^.?]+)\. "
)
_ASIDE = re.compile(
    r"(?:Apart from any writing|Leaving any writing aside|Not counting written words|Whatever may be written there"
    r"|Ignoring any text|If you ignore all writing|Setting aside any text"
    r"|Going by the things shown and not by any text), (?=[a-z])"
)
_QUOTED = re.compile(
    r"(?=.*\b(?:written|read|text|says)\b)(?:Is|Can|Does|In|Looking)\b[^\"]*\"(?P<quoted>[^\"]+)\"[^\"]*\?"
)
_DRAWN = re.compile(r"(?=.*\banswer\b)(?=.*\bquestion\b).*\b(?:in the|has a)\b.*[.?]", re.IGNORECASE)
_LISTED = re.compile(
    r"(?P<stem>[^?]+\?) ?(?:Answer with the (?P<before>letter|number): )?\n?(?P<list>\(?[A1][.)].*?)"
    r"(?:\nAnswer with the (?P<behind>letter|number)\.)?",
    re.DOTALL,
)
_ITEM = re.compile(r"(?:^|[ \n])(?:\((\w)\)|(\w)\)|(\w)\.) ([^()\n.]+?)(?=$|\n| \(?\w[.)] )")


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """What a text asks, and what it says before it asks.

    Attributes:
        claimed: a question and the answer that is claimed to it; None where nothing is said of what is to be seen.
        aside: whether writing is said not to count.
    """

    asks: Meaning
    claimed: tuple[Meaning, bool] | None = None
    aside: bool = False


def read_text(text: str, lexicon: Lexicon, scene: Scene) -> Text:
    """The one reading of a text about a picture, in which ``scene.inscriptions`` can be read.

    Raises:
        Unreadable: as ``tests.reader.questions.read``.
    """
    if said := _SAID.match(text):
        claimed = None if said["claim"].startswith("this picture ") else _claim(said["claim"], lexicon)
        return replace(read_text(text[said.end() :], lexicon, scene), claimed=claimed)
    if before := _ASIDE.match(text):
        rest = text[before.end() :]
        return Text(asks=read(rest[0].upper() + rest[1:], lexicon), aside=True)
    if quoted := _QUOTED.fullmatch(text):
        return Text(asks=Written(text=quoted["quoted"]))
    if _DRAWN.fullmatch(text):
        return Text(asks=read(" ".join(each.text for each in scene.inscriptions), lexicon))
    if listed := _LISTED.fullmatch(text):
        return Text(asks=_with_options(listed, lexicon))
    return Text(asks=read(text, lexicon))


def _claim(words: str, lexicon: Lexicon) -> tuple[Meaning, bool]:
    if shown := re.fullmatch(r"the picture shows (.+)", words):
        asked = read(f"Does the picture show {shown[1]}?", lexicon)
        return (Exists(group=asked.group), False) if isinstance(asked, Absent) else (asked, True)
    if said := re.fullmatch(r"(the .+) (is|are) (not )?(.+)", words):
        return read(f"{said[2].capitalize()} {said[1]} {said[4]}?", lexicon), not said[3]
    raise Unreadable(f"expected a claim but got {words!r}")


def _with_options(listed: re.Match[str], lexicon: Lexicon) -> Meaning:
    found = _ITEM.findall(listed["list"])
    labels, options = ["".join(each[:3]) for each in found], [each[3] for each in found]
    letters = labels == list("ABCDEFGH"[: len(labels)])
    if not letters and labels != list("12345678"[: len(labels)]):
        raise Unreadable(f"expected labels in their order but got {labels}")
    own = "letter" if letters else "number"
    if (listed["before"] or listed["behind"] or own) != own:
        raise Unreadable("expected to be asked for what the options have")
    stem = read(listed["stem"], lexicon)
    if isinstance(stem, Property):
        return Choice(what=stem.group, options=tuple(options))
    if not isinstance(stem, WhichThere) or stem.groups or stem.missing:
        raise Unreadable(f"expected a question without options but got {listed['stem']!r}")
    or_none = options[-1] == NONE_OF_THESE
    things = [read(f"Is there {each}?", lexicon) for each in (options[:-1] if or_none else options)]
    return WhichThere(groups=tuple(each.group for each in things if isinstance(each, Exists)), or_none=or_none)


def plain(meaning: Meaning) -> Meaning:
    """The same without what a text cannot tell."""

    def of(group: Group) -> Group:
        related = tuple(replace(each, to=of(each.to)) for each in group.related)
        return Group(name=group.name, attributes=tuple(sorted(group.attributes)), related=related)

    match meaning:
        case Exists(group=group) | Absent(group=group) | Has(group=group):
            return replace(meaning, group=of(group))
        case WhichThere(groups=groups):
            return replace(meaning, groups=tuple(map(of, groups)))
        case Choice(what=group):
            return replace(meaning, what=of(group))
        case Property(group=group):
            return replace(meaning, group=of(group), values=())
    return meaning
