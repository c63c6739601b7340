"""What a probe may find: each finding with its likely cause, and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from pytest_vqamt.stats.binomial import upper_tail

FLIPS = 0.02
"""The share of random answers that is taken for sane, such as those of ties in 16 bits."""

COMPARISONS = 60
"""The most comparisons of a probe that may end in a finding."""

MOST_CHANCE = 1e-3
"""The p-value up to which differences are a finding, for all comparisons of a probe together.

A deployment that gives another answer at random in 2 % of requests is taken for sane, or in as many as were measured.
The chance of each comparison is multiplied by ``COMPARISONS`` (Bonferroni), so that a probe of such a deployment has a
finding with less than 1 in 1,000. ``tests/probing/simulation.py`` measures it.
"""


MOST_UNDECIDED = 0.05
"""The p-value up to which differences that are no finding are looked at again, and told of if they stay so."""


class FindingKind(StrEnum):
    """The kinds of findings, in the order of the page; ``--allow`` takes these names."""

    PICTURE_UNUSED = "picture-unused"
    FIRST_PICTURE = "first-picture-sticks"
    TEXT_KEYED = "text-keyed-cache"
    TEXT_IGNORED = "text-ignored"
    EMPTY_PICTURE = "blank-picture"
    SHORT_HASH = "short-image-hash"
    LENGTH_KEYED = "length-keyed-cache"
    BEGINNING_KEYED = "first-bytes-keyed-cache"
    LOOK_KEYED = "average-hash-keyed-cache"
    NON_DETERMINISTIC = "non-determinism"
    STATE = "state-left-behind"
    IDLENESS = "after-idleness"
    LARGE_BEFORE = "after-a-large-picture"
    BATCH_PADDING = "batch-padding"
    BATCH = "batch"
    SWAPPED_ANSWERS = "swapped-answers"
    REASONING = "reasoning-in-content"
    LARGE_PICTURE = "large-picture"
    ASPECT_RATIO = "aspect-ratio"
    SIZE = "size"
    MIRRORED = "mirrored"
    TURNED = "turned"
    CROPPED = "cropped"
    TILES = "tiles"
    DETAIL = "detail-lost"
    FILE_FORM = "file-form"
    JPEG = "jpeg"
    JPEG_COLOURS = "jpeg-colours"
    WEBP = "webp"
    ALPHA = "alpha"
    TRANSPARENCY = "transparency"
    EXIF = "exif"
    MEDIA_TYPE = "media-type"
    SWAPPED_CHANNELS = "swapped-channels"
    COLOURS_LOST = "colours-lost"
    COLOURS_WRONG = "colours-wrong"
    COARSE_LEVELS = "coarse-levels"
    NOISY_DETAIL = "noisy-detail"
    LONG_TEXT = "long-text"
    CUT_IN_THE_MIDDLE = "cut-in-the-middle"
    CUT_AT_THE_END = "cut-at-the-end"
    CUT_ANSWER = "cut-answer"
    NON_ASCII = "non-ascii"
    FIRST_ONLY = "first-picture-only"
    LAST_ONLY = "last-picture-only"
    MERGED = "merged-pictures"
    PERMUTED = "permuted-pictures"
    EARLIER_LOST = "earlier-pictures-lost"
    EARLIER_REPLACED = "earlier-picture-replaced"
    TEXT_FIRST = "text-before-picture"
    MOVED = "moved-pictures"
    ASSISTANT_LOST = "assistant-turns-lost"
    SYSTEM = "system-message"
    SYSTEM_IGNORED = "system-message-ignored"
    REFUSALS = "refusals"
    USAGE = "usage"
    OTHER_MODEL = "another-model"
    LIMIT_IGNORED = "max-tokens-ignored"
    LIMIT_EARLY = "max-tokens-cut"
    URL_NOT_FETCHED = "url-not-fetched"
    URL_PICTURE = "url-picture"
    DETAIL_LOST = "detail-high"
    EMPTY_ANSWERS = "empty-answers"
    FAILURES = "failures"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """The meaning of a kind of finding."""

    title: str
    """What was observed."""
    cause: str
    """The likely cause."""
    advice: str
    """What to do first."""


CAUSES: Mapping[FindingKind, Cause] = MappingProxyType(
    {
        FindingKind.PICTURE_UNUSED: Cause(
            title="The answers do not depend on the picture",
            cause="The server drops the picture (no vision projector, a text-only template or endpoint), or the model "
            "cannot read the cards.",
            advice="Start the server with its projector (llama.cpp: --mmproj), look at the prompt tokens, and send one "
            "picture by hand.",
        ),
        FindingKind.FIRST_PICTURE: Cause(
            title="Every answer is about the first picture",
            cause="The server keeps the first picture of the process or slot (ollama #7563).",
            advice="Update the server; until then, restart it for each picture or turn off the reuse of its slots.",
        ),
        FindingKind.TEXT_KEYED: Cause(
            title="The same text with another picture gets the answer to the earlier picture",
            cause="A prefix or response cache knows requests by their text alone (vLLM #20261, vLLM PR 36708).",
            advice="Turn the cache off (vLLM: --no-enable-prefix-caching) and probe again.",
        ),
        FindingKind.TEXT_IGNORED: Cause(
            title="The same picture with another text gets the answer to the earlier text",
            cause="A cache knows requests by their picture alone.",
            advice="Turn off the cache of responses.",
        ),
        FindingKind.EMPTY_PICTURE: Cause(
            title="A blank picture or noise gets the number of another card",
            cause="A picture without content is dropped, and the features of an earlier one are used.",
            advice="Restart the server and send the blank picture first: another answer shows a mix-up.",
        ),
        FindingKind.SHORT_HASH: Cause(
            title="Two pictures whose hashes share 16 bits get the same answer",
            cause="A cache keeps 16 bits of the picture's hash (LMCache #4086, sglang #2151).",
            advice="Update the cache, or turn it off for requests with pictures.",
        ),
        FindingKind.NON_DETERMINISTIC: Cause(
            title="The same request gets other answers",
            cause="The server samples although temperature 0 was sent, or answers depend on what else it computes.",
            advice="Send a seed, check the server's default sampling parameters, and run with --vqamt-repeats.",
        ),
        FindingKind.BATCH_PADDING: Cause(
            title="Requests sent together with a longer one get other answers than alone",
            cause="Shorter prompts of a batch are decoded with their left padding (mlx-vlm PR 1542).",
            advice="Set the server's batch size to 1 and probe again; update the server.",
        ),
        FindingKind.BATCH: Cause(
            title="Requests sent together get other answers than alone",
            cause="Requests of a batch are mixed up, or their pictures are.",
            advice="Set the server's batch size, or --vqamt-option in-flight, to 1 and probe again.",
        ),
        FindingKind.REASONING: Cause(
            title="Reasoning stands in the answer",
            cause="The server does not separate the model's thoughts (vLLM: no --reasoning-parser).",
            advice="Start it with the model's reasoning parser, or turn thinking off.",
        ),
        FindingKind.LARGE_PICTURE: Cause(
            title="Large pictures get other answers than small ones",
            cause="A picture above a size is dropped or cut, or its tokens exceed the context (ollama #13549).",
            advice="Raise the context, or lower the pixels (max_pixels) so that the server resizes.",
        ),
        FindingKind.ASPECT_RATIO: Cause(
            title="Pictures that are not square get other answers",
            cause="Width and height are exchanged, or the picture is cropped, when it is resized (llama.cpp #17290).",
            advice="Update the server's image processor, or pad pictures to squares.",
        ),
        FindingKind.SIZE: Cause(
            title="The same card at another size gets other answers",
            cause="The picture is resized or cropped badly, or the model reads small pictures badly.",
            advice="Compare with the same weights elsewhere: `vqamt probe A --against B`.",
        ),
        FindingKind.FILE_FORM: Cause(
            title="The same pixels in another form of file get other answers",
            cause="Alpha channels, palettes or grayscale are not turned into RGB.",
            advice="Convert pictures to RGB before they are sent.",
        ),
        FindingKind.SWAPPED_CHANNELS: Cause(
            title="Red is called blue, and blue red",
            cause="The colour channels are exchanged: BGR for RGB.",
            advice="Update the server's image loader; compare with transformers.",
        ),
        FindingKind.COARSE_LEVELS: Cause(
            title="Near colours are told apart at some levels and not at others",
            cause="Pixels or the encoder are quantised to few levels.",
            advice="Use an encoder of 16 bits (llama.cpp: an mmproj file in F16).",
        ),
        FindingKind.NOISY_DETAIL: Cause(
            title="Faint digits are read otherwise each time, clear ones are not",
            cause="The encoder adds noise or is not deterministic, or sampling is on (vLLM #30167).",
            advice="Run the encoder in a higher precision, with deterministic kernels.",
        ),
        FindingKind.LONG_TEXT: Cause(
            title="A long text changes the answer",
            cause="The prompt exceeds the context and is cut without an error, often with its picture (ollama #7484).",
            advice="Raise the context (ollama: num_ctx), and have the server refuse what is too long.",
        ),
        FindingKind.LENGTH_KEYED: Cause(
            title="Two files of one length get the same answer",
            cause="A cache knows pictures by the length of their file.",
            advice="Turn the cache of pictures off, or update it.",
        ),
        FindingKind.BEGINNING_KEYED: Cause(
            title="Two files that begin alike get the same answer",
            cause="A cache knows pictures by the first bytes of their file.",
            advice="Turn the cache of pictures off, or update it.",
        ),
        FindingKind.LOOK_KEYED: Cause(
            title="Two pictures that look alike when they are small get the same answer",
            cause="A cache knows pictures by an average or perceptual hash, or small digits cannot be read.",
            advice="Turn the cache of pictures off; it must compare all bytes or pixels.",
        ),
        FindingKind.STATE: Cause(
            title="A card that was answered before gets another answer",
            cause="An earlier request left something behind: a cache, a buffer, or graphs for one size.",
            advice="Restart the server, probe again with another --seed, and look at what came before the first wrong "
            "answer.",
        ),
        FindingKind.IDLENESS: Cause(
            title="The first request after a pause gets another answer",
            cause="The server has unloaded the model or its projector, or answers from a stale buffer.",
            advice="Keep the model loaded (ollama: keep_alive), or send a request before the ones that count.",
        ),
        FindingKind.LARGE_BEFORE: Cause(
            title="A small picture behind a large one gets another answer",
            cause="The size, the padding or the graph of the large picture is used for the next one (sglang #29216).",
            advice="Turn graphs for the encoder off, or resize all pictures to one size.",
        ),
        FindingKind.SWAPPED_ANSWERS: Cause(
            title="Answers are those to other requests in flight",
            cause="Requests that are computed at the same time are mixed up.",
            advice="Send one request at a time (--vqamt-option in-flight=1), and report it: users may see each other's "
            "answers.",
        ),
        FindingKind.MIRRORED: Cause(
            title="Left and right, or top and bottom, are exchanged",
            cause="The picture is mirrored when it is decoded or resized.",
            advice="Compare the pixels behind the server's loader with those of transformers.",
        ),
        FindingKind.TURNED: Cause(
            title="The picture is turned",
            cause="Width and height are exchanged when the pixels are read.",
            advice="Compare the pixels behind the server's loader with those of transformers.",
        ),
        FindingKind.CROPPED: Cause(
            title="What is in the corners is not seen",
            cause="The picture is cropped to its centre.",
            advice="Turn cropping off in the image processor (do_center_crop), or pad pictures to squares.",
        ),
        FindingKind.TILES: Cause(
            title="Things are seen at other places",
            cause="The tiles of a picture are put together in another order.",
            advice="Update the server's image processor; limit pictures to one tile (max_pixels) until then.",
        ),
        FindingKind.DETAIL: Cause(
            title="Large pictures are seen as through few pixels",
            cause="The server scales pictures down without a word (ollama #17218), or the model has this resolution.",
            advice="If the model takes larger pictures, raise the server's limit of pixels; else --allow detail-lost.",
        ),
        FindingKind.JPEG: Cause(
            title="The same picture as JPEG gets other answers",
            cause="JPEG goes through another decoder: progressive scans, gray or CMYK (sglang #33464).",
            advice="Convert pictures to PNG or baseline JPEG in RGB before they are sent.",
        ),
        FindingKind.JPEG_COLOURS: Cause(
            title="The colours of JPEG are others than those of PNG",
            cause="The decoder of JPEG gives BGR, or takes CMYK inverted.",
            advice="Update the server's decoder; send PNG until then.",
        ),
        FindingKind.WEBP: Cause(
            title="The same picture as WebP gets other answers",
            cause="The server does not decode WebP, and drops it.",
            advice="Convert pictures to PNG or JPEG before they are sent.",
        ),
        FindingKind.ALPHA: Cause(
            title="What lies under transparent pixels is seen",
            cause="The alpha channel is dropped, so that hidden pixels show.",
            advice="Put transparent pictures on white before they are sent.",
        ),
        FindingKind.TRANSPARENCY: Cause(
            title="Transparent pixels are shown as black",
            cause="The server puts transparent pictures on black, where most viewers show white.",
            advice="Put them on white before they are sent, or --allow transparency.",
        ),
        FindingKind.EXIF: Cause(
            title="A picture that EXIF turns gets another answer",
            cause="The orientation is ignored, or applied twice (llama.cpp #20870).",
            advice="Turn pictures upright before they are sent, or --allow exif.",
        ),
        FindingKind.MEDIA_TYPE: Cause(
            title="A file with a wrong or without a media type gets another answer",
            cause="The server trusts the media type and not the file.",
            advice="Name the right type in the data URI, or --allow media-type.",
        ),
        FindingKind.COLOURS_LOST: Cause(
            title="No colour is seen",
            cause="Pictures are converted to grayscale (ollama #17872), or the model knows no colours.",
            advice="Compare the pixels behind the server's loader with those of transformers.",
        ),
        FindingKind.COLOURS_WRONG: Cause(
            title="Colours are named wrongly where numbers are read",
            cause="Pixels are normalised with other means, or their brightness is changed.",
            advice="Compare mean, standard deviation and range of the image processor with the checkpoint's.",
        ),
        FindingKind.CUT_IN_THE_MIDDLE: Cause(
            title="A long text after the question changes the answer",
            cause="The middle of a prompt that exceeds the context is cut out without an error.",
            advice="Raise the context, and have the server refuse what is too long.",
        ),
        FindingKind.CUT_AT_THE_END: Cause(
            title="The end of a long prompt is lost",
            cause="A prompt that exceeds the context loses its end, and so the question.",
            advice="Raise the context, and have the server refuse what is too long.",
        ),
        FindingKind.CUT_ANSWER: Cause(
            title="Answers end too early",
            cause="A stop sequence, or too low a limit of tokens, cuts answers.",
            advice="Look at the server's default stop sequences and max_tokens.",
        ),
        FindingKind.NON_ASCII: Cause(
            title="Letters beyond ASCII are lost",
            cause="Texts are decoded or encoded with another encoding than UTF-8.",
            advice="Look at the encoding of requests between you and the server.",
        ),
        FindingKind.FIRST_ONLY: Cause(
            title="Of several pictures only the first is seen",
            cause="The server keeps one picture a request (vLLM #10983), or the model takes one.",
            advice="Raise the limit of pictures a request, or send one.",
        ),
        FindingKind.LAST_ONLY: Cause(
            title="Of several pictures only the last is seen",
            cause="The server keeps the latest picture of a request, or the model takes one.",
            advice="Raise the limit of pictures a request, or send one.",
        ),
        FindingKind.MERGED: Cause(
            title="Two pictures of one size are taken for one, those of different sizes are not",
            cause="Pictures of equal size are merged into a batch or a film (llama.cpp #24303, ollama #17321).",
            advice="Update the server; give pictures different sizes until then.",
        ),
        FindingKind.PERMUTED: Cause(
            title="Several pictures are seen in another order",
            cause="The server sorts or reverses the pictures of a request (LM Studio #1675).",
            advice="Update the server; send one picture a request until then.",
        ),
        FindingKind.EARLIER_LOST: Cause(
            title="The picture of an earlier turn is not seen",
            cause="Pictures of earlier turns are dropped, or moved to the latest (mlx-vlm #2211).",
            advice="Repeat the picture in the latest turn.",
        ),
        FindingKind.EARLIER_REPLACED: Cause(
            title="A later picture replaces that of an earlier turn",
            cause="The server keeps one picture a conversation (react-native-executorch PR 1229).",
            advice="Start a new conversation for each picture.",
        ),
        FindingKind.TEXT_FIRST: Cause(
            title="A question before its picture is not answered",
            cause="Text before a picture is lost when the prompt is put together (vLLM #15125).",
            advice="Send the picture first, and compare the chat template with the checkpoint's.",
        ),
        FindingKind.SYSTEM: Cause(
            title="With a system message the picture is not seen",
            cause="The chat template knows either a system message or pictures.",
            advice="Put the system message into the user's text, or use the checkpoint's own template.",
        ),
        FindingKind.MOVED: Cause(
            title="A picture of an earlier turn is taken for one of a later turn",
            cause="The marks of all pictures are put into the latest turn (mlx-vlm #2211).",
            advice="Compare the prompt that the chat template makes with the checkpoint's.",
        ),
        FindingKind.ASSISTANT_LOST: Cause(
            title="What the model said before is not known to it",
            cause="Turns of the assistant are dropped from the prompt.",
            advice="Compare the prompt that the chat template makes with the checkpoint's.",
        ),
        FindingKind.SYSTEM_IGNORED: Cause(
            title="The system message is not followed, the same words of the user are",
            cause="The system message is dropped from the prompt.",
            advice="Compare the prompt with that of the checkpoint's chat template, or put it into the user's text.",
        ),
        FindingKind.REFUSALS: Cause(
            title="Some harmless questions are refused",
            cause="A filter in front of the model answers in its place.",
            advice="Look at the filters of the server or gateway.",
        ),
        FindingKind.USAGE: Cause(
            title="The counted tokens do not grow with the text",
            cause="The usage is a constant, or that of another request.",
            advice="Do not bill or limit by the usage of this server.",
        ),
        FindingKind.OTHER_MODEL: Cause(
            title="Another model answers than the one that was asked",
            cause="A gateway falls back to another model, or a name is routed to one.",
            advice="Turn fallbacks of the gateway off, and look at which model the name stands for.",
        ),
        FindingKind.LIMIT_IGNORED: Cause(
            title="Answers have more tokens than the request allows",
            cause="The server ignores max_tokens, or knows it by another name.",
            advice="Try token-limit=max_completion_tokens, and limit the length in the server.",
        ),
        FindingKind.LIMIT_EARLY: Cause(
            title="Answers are cut off before they have as many tokens as the request allows",
            cause="The server has a lower limit of its own, or counts one token more than it gives.",
            advice="Raise the server's limit of tokens; short answers may lose their last word until then.",
        ),
        FindingKind.URL_NOT_FETCHED: Cause(
            title="A picture by URL is not fetched, and the question is answered without it",
            cause="The server leaves out pictures by URL without an error.",
            advice="Send pictures in the request (data URIs), or allow the server to fetch.",
        ),
        FindingKind.URL_PICTURE: Cause(
            title="A picture by URL is fetched and gets another answer than in the request",
            cause="The answer is computed before the picture is there, or about another one.",
            advice="Send pictures in the request (data URIs) until the server is updated.",
        ),
        FindingKind.DETAIL_LOST: Cause(
            title="With detail high small digits are lost that are read without",
            cause="The server scales pictures down for high as for low, or exchanges the two.",
            advice="Leave detail off, or update the server.",
        ),
        FindingKind.EMPTY_ANSWERS: Cause(
            title="Some answers are empty",
            cause="The server drops answers, or puts them into another field (reasoning_content).",
            advice="Look at the whole response of a request by hand.",
        ),
        FindingKind.FAILURES: Cause(
            title="Requests failed",
            cause="The server refuses or breaks off some of the pictures or texts.",
            advice="See the messages of the requests.",
        ),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeFinding:
    """A fault of a deployment: more differences than chance explains."""

    kind: FindingKind
    differing: int
    """Comparisons that show it twice in a row."""
    compared: int
    """All comparisons of its check."""
    p_value: float
    """The probability of at least as many differences on a sane deployment."""
    detail: str
    """At which sizes, lengths or forms."""
    requests: tuple[int, ...]
    """The numbers of the requests that show it."""
    ruled_out: tuple[str, ...] = ()
    """What was tried, and is not the cause: "sent alone"."""

    @property
    def cause(self) -> Cause:
        return CAUSES[self.kind]


def repeated_difference(flips: float) -> float:
    """The chance that a request differs twice in a row from its reference, the majority of three answers.

    Both answers are flipped, or two of the three of the reference are.
    """
    # Three pairs of the three answers of a reference may be wrong alike; higher powers are left out.
    return flips**2 + 3 * flips**2


def chance_of(found: int, tries: int, rate: float, *, of: int = COMPARISONS) -> float:
    """The probability of so many differences on a sane deployment, in any of ``of`` comparisons (Bonferroni)."""
    return min(1.0, of * upper_tail(found, tries, rate))


def is_undecided(found: int, tries: int, rate: float, *, of: int = COMPARISONS) -> bool:
    """True if chance explains so many differences hardly, but well enough that they are no finding.

    >>> is_undecided(1, 1, 0.0016), is_undecided(2, 6, 0.005)
    (False, True)
    """
    return found > 0 and MOST_CHANCE < chance_of(found, tries, rate, of=of) <= MOST_UNDECIDED


def is_finding(found: int, tries: int, rate: float, *, of: int = COMPARISONS) -> bool:
    """True if so many differences are unlikely by chance, where ``of`` comparisons are made.

    >>> is_finding(1, 1, 0.0016), is_finding(2, 2, 0.0016)
    (False, True)
    """
    return found > 0 and chance_of(found, tries, rate, of=of) <= MOST_CHANCE
