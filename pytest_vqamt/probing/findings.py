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
    FILE_REFUSED = "file-refused"
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
    MIXED = "mixed-pictures"
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
    ENDLESS_ANSWERS = "endless-answers"
    FAILURES = "failures"


class FindingState(StrEnum):
    """What a finding does to the exit status."""

    FAILS = "fails"
    ALLOWED = "allowed"
    """``--allow`` names it."""
    KNOWN = "known"
    """The baseline has it, too."""


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
            cause="The server drops the picture (no vision projector, a text-only template or endpoint), or the "
            "model cannot read the cards.",
            advice="Start the server with its projector (llama.cpp: --mmproj FILE), send one picture by hand, and "
            "see if the prompt tokens grow with it.",
        ),
        FindingKind.FIRST_PICTURE: Cause(
            title="Every answer is about the first picture",
            cause="The server keeps the first picture of the process, slot or size (ollama #7563).",
            advice="Restart it and probe with --option in-flight=1; if it stays, update the server or turn the "
            "reuse of slots off (llama.cpp: --no-cache-prompt).",
        ),
        FindingKind.TEXT_KEYED: Cause(
            title="The same text with another picture gets the answer to the earlier picture",
            cause="A prefix or response cache knows requests by their text alone (vLLM #20261, vLLM PR 36708).",
            advice="Turn the cache off (vLLM: --no-enable-prefix-caching; sglang: --disable-radix-cache; a "
            "gateway's own) and probe again.",
        ),
        FindingKind.TEXT_IGNORED: Cause(
            title="The same picture with another text gets the answer to the earlier text",
            cause="A cache of responses knows requests by their picture alone; or the text is not in the prompt, or "
            "the model only describes.",
            advice="Turn off the cache of responses in the server, or in the gateway before it (LiteLLM: cache: "
            "false), and probe again with --seed 1. A model that only describes: --scores.",
        ),
        FindingKind.EMPTY_PICTURE: Cause(
            title="A blank picture or noise gets the number of another card",
            cause="A picture without content is dropped, and what was computed for an earlier one is used.",
            advice="Restart the server and send one blank picture by hand (curl): if it gets no number then, report "
            "a mix-up of requests to the server's authors.",
        ),
        FindingKind.SHORT_HASH: Cause(
            title="Two pictures whose hashes share 16 bits get the same answer",
            cause="A cache keeps 16 bits of the picture's hash (LMCache #4086, sglang #2151).",
            advice="Turn the cache off for pictures (vLLM: --mm-processor-cache-gb 0 --no-enable-prefix-caching; "
            "LMCache: leave it off) and probe again.",
        ),
        FindingKind.LENGTH_KEYED: Cause(
            title="Two files of one length get the same answer",
            cause="A cache knows pictures by the length of their file.",
            advice="Turn the cache of pictures off (vLLM: --mm-processor-cache-gb 0; a gateway's own) and probe again.",
        ),
        FindingKind.BEGINNING_KEYED: Cause(
            title="Two files that begin alike get the same answer",
            cause="A cache knows pictures by the first bytes of their file.",
            advice="Turn the cache of pictures off (vLLM: --mm-processor-cache-gb 0; a gateway's own) and probe again.",
        ),
        FindingKind.LOOK_KEYED: Cause(
            title="Two pictures that look alike when they are small get the same answer",
            cause="A cache knows pictures by an average or perceptual hash.",
            advice="Turn the cache of pictures off (vLLM: --mm-processor-cache-gb 0; a gateway's semantic cache, "
            "too) and probe again with --seed 1.",
        ),
        FindingKind.NON_DETERMINISTIC: Cause(
            title="The same request gets other answers",
            cause="The server samples although temperature 0 was sent, or answers depend on what else it computes.",
            advice="Probe with --option seed=1, then with --option in-flight=1; if it stays, look at the server's "
            "default sampling (vLLM: --generation-config vllm).",
        ),
        FindingKind.STATE: Cause(
            title="A card that was answered before gets another answer",
            cause="An earlier request left something behind: a cache, a buffer, or a graph for one size.",
            advice="Restart the server and probe with --seed 1: if the same check comes before it again, leave out "
            "what that check sends, and report it.",
        ),
        FindingKind.IDLENESS: Cause(
            title="The first request after a pause gets another answer",
            cause="The server unloads the model or its projector when idle, or answers from a stale buffer.",
            advice="Keep the model loaded (ollama: keep_alive=-1), or send one request that does not count after "
            "each pause.",
        ),
        FindingKind.LARGE_BEFORE: Cause(
            title="A small picture behind a large one gets another answer",
            cause="The size, the padding or the graph of the large picture is used for the next one (sglang #29216).",
            advice="Turn graphs of the encoder off (sglang: --disable-cuda-graph, vLLM: --enforce-eager) and probe "
            "again; else resize all pictures to one size.",
        ),
        FindingKind.BATCH_PADDING: Cause(
            title="Requests sent together with a longer one get other answers than alone",
            cause="Shorter prompts of a batch are decoded with their left padding (mlx-vlm PR 1542).",
            advice="Probe with --option in-flight=1: without the finding, send one at a time until the server is "
            "updated (vLLM: --max-num-seqs 1).",
        ),
        FindingKind.BATCH: Cause(
            title="Requests sent together get other answers than alone",
            cause="Requests of a batch are mixed up, or lose their pictures.",
            advice="Probe with --option in-flight=1; without the finding, lower the server's batch (vLLM: "
            "--max-num-seqs, sglang: --max-running-requests).",
        ),
        FindingKind.SWAPPED_ANSWERS: Cause(
            title="Answers are those to other requests in flight",
            cause="Requests that are computed at the same time are mixed up. Users may see each other's answers.",
            advice="Take the server out of use by several users, confirm with --option in-flight=1 that the finding "
            "goes, and report it to its authors.",
        ),
        FindingKind.REASONING: Cause(
            title="Reasoning stands in the answer",
            cause="The server does not separate the model's thoughts from its answers.",
            advice="Start it with the model's parser (vLLM and sglang: --reasoning-parser NAME), or turn thinking "
            "off in the chat template.",
        ),
        FindingKind.LARGE_PICTURE: Cause(
            title="Large pictures get other answers than small ones",
            cause="A picture above a size is dropped or cut, or its tokens exceed the context (ollama #13549).",
            advice="Raise the context (vLLM: --max-model-len, llama.cpp: -c, ollama: num_ctx); if that is no help, "
            "send less: --option max-pixels=1000000.",
        ),
        FindingKind.ASPECT_RATIO: Cause(
            title="Pictures that are not square get other answers",
            cause="Width and height are exchanged, or the picture is squashed or cropped, when it is resized "
            "(llama.cpp #17290).",
            advice="Compare with the checkpoint in transformers: `vqamt probe hf:REPO`. Without the finding there, "
            "update the server, or pad pictures to squares. With it: --allow aspect-ratio=REASON.",
        ),
        FindingKind.SIZE: Cause(
            title="The same card at another size gets other answers",
            cause="The picture is resized or cropped badly, or the model reads pictures of this size badly.",
            advice="Compare with the same weights elsewhere: `vqamt probe A --against B`. If both do it, it is the "
            "model: --allow size=REASON.",
        ),
        FindingKind.MIRRORED: Cause(
            title="Left and right, or top and bottom, are exchanged",
            cause="The picture is mirrored when it is decoded or resized.",
            advice="Compare with transformers: `vqamt probe hf:REPO`. Without the finding there, the server's image "
            "loader is at fault: update or replace it.",
        ),
        FindingKind.TURNED: Cause(
            title="The picture is turned by a quarter or a half",
            cause="Width and height are exchanged when the pixels are read, or an orientation is applied to files "
            "that have none.",
            advice="Compare with transformers: `vqamt probe hf:REPO`. Without the finding there, the server's image "
            "loader is at fault: update or replace it.",
        ),
        FindingKind.CROPPED: Cause(
            title="What is in the corners is not seen",
            cause="The picture is cropped to its centre.",
            advice="Set do_center_crop to false in the server's preprocessor_config.json if the checkpoint says false, "
            "or pad pictures to squares.",
        ),
        FindingKind.TILES: Cause(
            title="Things are seen at other places of the picture",
            cause="The tiles of a large picture are put together in another order.",
            advice="Send pictures of one tile and probe again (--option max-pixels=200000): without the finding, "
            "update the server's image processor.",
        ),
        FindingKind.DETAIL: Cause(
            title="Large pictures are seen as through few pixels",
            cause="The server scales pictures down without a word (ollama #17218), or the model has this resolution.",
            advice="Raise the server's limit (llama.cpp: --image-max-tokens; vLLM: --mm-processor-kwargs with "
            "max_pixels). If the model has no more: --allow detail-lost.",
        ),
        FindingKind.MIXED: Cause(
            title="Of two pictures neither is read, though each is read alone",
            cause="The pictures of a request run into each other: their attention or their tokens have no bounds "
            "(TensorRT-LLM #2183).",
            advice="Send one picture a request until the server is updated, and compare with `vqamt probe hf:REPO`.",
        ),
        FindingKind.ENDLESS_ANSWERS: Cause(
            title="Some answers are one sign, again and again",
            cause="Numbers overflow in 16 bits for some pictures or texts (llama.cpp #17534).",
            advice="Start the server with bfloat16 or float32 (vLLM: --dtype bfloat16), and without flash attention.",
        ),
        FindingKind.FILE_REFUSED: Cause(
            title="A form of file is refused",
            cause="The server takes no such files, and says so.",
            advice="Convert pictures before they are sent (Pillow: convert, save). If yours have no such form: "
            "--allow file-refused=REASON.",
        ),
        FindingKind.FILE_FORM: Cause(
            title="The same pixels in another form of PNG get other answers",
            cause="Palettes, gray levels, 16 bits, alpha or interlaced rows are not turned into RGB.",
            advice="Convert pictures to plain RGB before they are sent (Pillow: image.convert('RGB')), or update "
            "the server's decoder.",
        ),
        FindingKind.JPEG: Cause(
            title="The same picture as JPEG gets other answers",
            cause="JPEG goes through another decoder, which fails for progressive scans, gray or CMYK (sglang #33464).",
            advice="Convert pictures to PNG or baseline JPEG in RGB before they are sent (Pillow: "
            "image.convert('RGB')), or update the server's decoder.",
        ),
        FindingKind.JPEG_COLOURS: Cause(
            title="The colours of JPEG are others than those of PNG",
            cause="The decoder of JPEG gives BGR, or takes CMYK inverted.",
            advice="Send PNG (in runs: --vqamt-option image-format=png) until the server's decoder of JPEG is "
            "updated or replaced.",
        ),
        FindingKind.WEBP: Cause(
            title="The same picture as WebP gets other answers",
            cause="The server does not decode WebP, and drops it without an error.",
            advice="Convert pictures to PNG or JPEG before they are sent, or give the server a decoder of WebP "
            "(Pillow with libwebp).",
        ),
        FindingKind.ALPHA: Cause(
            title="What lies under transparent pixels is seen",
            cause="The alpha channel is dropped, so that hidden pixels show.",
            advice="Put transparent pictures on white before they are sent (Pillow: paste with the alpha as mask); "
            "image.convert('RGB') alone does the same wrong.",
        ),
        FindingKind.TRANSPARENCY: Cause(
            title="Transparent pixels are shown as black",
            cause="The server puts transparent pictures on black, where most viewers show white.",
            advice="Put them on white before they are sent. If no picture of yours is transparent: --allow "
            "transparency=REASON.",
        ),
        FindingKind.EXIF: Cause(
            title="A picture that EXIF turns gets another answer",
            cause="The orientation that phones write is ignored, or applied twice (llama.cpp #20870).",
            advice="Turn pictures upright before they are sent (Pillow: ImageOps.exif_transpose). If yours have no "
            "EXIF: --allow exif=REASON.",
        ),
        FindingKind.MEDIA_TYPE: Cause(
            title="A file with a wrong or without a media type gets another answer",
            cause="The server trusts the media type of the request and not the file.",
            advice="Name the file's own type in the data URI (data:image/jpeg;base64). If your client does so "
            "always: --allow media-type=REASON.",
        ),
        FindingKind.SWAPPED_CHANNELS: Cause(
            title="Colours are exchanged, such as red and blue",
            cause="The channels are read in another order: BGR for RGB, as OpenCV loads them, or by a faulty kernel.",
            advice="Compare with transformers: `vqamt probe hf:REPO`. Without the finding there, update the server "
            "or its image loader.",
        ),
        FindingKind.COLOURS_LOST: Cause(
            title="No colour is seen",
            cause="Pictures are converted to grayscale (ollama #17872), or the model knows no colours.",
            advice="Compare with transformers: `vqamt probe hf:REPO`. Without the finding there, the server's image "
            "loader is at fault: update or replace it.",
        ),
        FindingKind.COLOURS_WRONG: Cause(
            title="Colours are named wrongly where numbers are read",
            cause="Pixels are normalised with other means, or their brightness is changed.",
            advice="Compare image_mean, image_std and rescale_factor of the server with the checkpoint's "
            "preprocessor_config.json.",
        ),
        FindingKind.COARSE_LEVELS: Cause(
            title="Near colours are told apart at some levels and not at others",
            cause="Pixels or the vision encoder are quantised to few levels.",
            advice="Use an encoder of 16 bits (llama.cpp: --mmproj with a file in F16; else leave the vision tower "
            "out of quantisation) and probe again.",
        ),
        FindingKind.NOISY_DETAIL: Cause(
            title="Faint digits are read otherwise each time, clear ones are not",
            cause="The encoder adds noise or is not deterministic, or sampling is on (vLLM #30167).",
            advice="Probe with --option temperature=0 --option in-flight=1; if it stays, run the encoder in "
            "float32, or with deterministic kernels.",
        ),
        FindingKind.LONG_TEXT: Cause(
            title="A long text changes the answer",
            cause="The prompt exceeds the context and is cut without an error, often with its picture (ollama #7484).",
            advice="Raise the context (ollama: num_ctx, llama.cpp: -c, vLLM: --max-model-len), and have the server "
            "refuse what is too long.",
        ),
        FindingKind.CUT_IN_THE_MIDDLE: Cause(
            title="A long text after the question changes the answer",
            cause="The middle or the beginning of a prompt that exceeds the context is cut out without an error.",
            advice="Raise the context (ollama: num_ctx, vLLM: --max-model-len), turn context shift off (llama.cpp: "
            "--no-context-shift), and put questions last.",
        ),
        FindingKind.CUT_AT_THE_END: Cause(
            title="The end of a long prompt is lost",
            cause="A prompt that exceeds the context loses its end, and so the question.",
            advice="Raise the context (ollama: num_ctx, llama.cpp: -c, vLLM: --max-model-len), and have the server "
            "refuse what is too long.",
        ),
        FindingKind.CUT_ANSWER: Cause(
            title="Answers end too early",
            cause="A stop sequence of the server or its template cuts answers.",
            advice="Look at the stop sequences that the server adds (generation_config.json, ollama: PARAMETER "
            "stop) and remove line ends and full stops.",
        ),
        FindingKind.NON_ASCII: Cause(
            title="Letters beyond ASCII are lost",
            cause="Texts are decoded or encoded with another encoding than UTF-8, by the server or a proxy before it.",
            advice='Send one request with "Grüße" to the server itself, past every proxy: if it comes back whole, '
            "the proxy is at fault.",
        ),
        FindingKind.FIRST_ONLY: Cause(
            title="Of several pictures only the first is seen",
            cause="The server keeps one picture a request (vLLM #10983), or the model takes one.",
            advice="Raise the limit of pictures (vLLM: --limit-mm-per-prompt with image), or send one a request.",
        ),
        FindingKind.LAST_ONLY: Cause(
            title="Of several pictures only the last is seen",
            cause="The server keeps the latest picture of a request, or the model takes one.",
            advice="Raise the limit of pictures (vLLM: --limit-mm-per-prompt with image), or send one a request.",
        ),
        FindingKind.MERGED: Cause(
            title="Two pictures of one size are taken for one, those of different sizes are not",
            cause="Pictures of equal size are merged into a batch or a film (llama.cpp #24303, ollama #17321).",
            advice="Update the server. Until then give the pictures of a request different sizes: pad one by some "
            "pixels.",
        ),
        FindingKind.PERMUTED: Cause(
            title="Several pictures are seen in another order",
            cause="The server sorts or reverses the pictures of a request (LM Studio #1675).",
            advice="Update the server. Until then send one picture a request, or name each in the text before it "
            "and probe again.",
        ),
        FindingKind.EARLIER_LOST: Cause(
            title="The picture of an earlier turn is not seen",
            cause="Pictures of earlier turns are dropped, or moved to the latest (mlx-vlm #2211).",
            advice="Send the picture again in the turn of the question, or compare the server's chat template with "
            "the checkpoint's (vLLM: --chat-template FILE).",
        ),
        FindingKind.EARLIER_REPLACED: Cause(
            title="A later picture replaces that of an earlier turn",
            cause="The server keeps one picture a conversation (react-native-executorch PR 1229).",
            advice="Start a new conversation for each picture, or send all pictures again in the turn of the question.",
        ),
        FindingKind.TEXT_FIRST: Cause(
            title="A question before its picture is not answered",
            cause="Text before a picture is lost when the prompt is put together (vLLM #15125).",
            advice="Send the picture first. Then compare the server's chat template with the checkpoint's (vLLM: "
            "--chat-template FILE).",
        ),
        FindingKind.MOVED: Cause(
            title="A picture of an earlier turn is taken for one of a later turn",
            cause="The marks of all pictures are put into the latest turn (mlx-vlm #2211).",
            advice="Ask about one picture a conversation, or start the server with the checkpoint's own template "
            "(vLLM: --chat-template FILE).",
        ),
        FindingKind.ASSISTANT_LOST: Cause(
            title="What the model said before is not known to it",
            cause="Turns of the assistant are dropped from the prompt.",
            advice="Start the server with the checkpoint's own template (vLLM: --chat-template FILE; llama.cpp: "
            "--jinja) and probe again.",
        ),
        FindingKind.SYSTEM: Cause(
            title="With a system message the picture is not seen",
            cause="The chat template knows either a system message or pictures.",
            advice="Put the system message into the user's text, or start the server with the checkpoint's own "
            "template (vLLM: --chat-template FILE).",
        ),
        FindingKind.SYSTEM_IGNORED: Cause(
            title="The system message is not followed, the same words of the user are",
            cause="The system message is dropped from the prompt.",
            advice="Put it into the user's text, or start the server with the checkpoint's own template (vLLM: "
            "--chat-template FILE; llama.cpp: --jinja).",
        ),
        FindingKind.REFUSALS: Cause(
            title="Some harmless questions are refused",
            cause="A filter in front of the model answers in its place.",
            advice="Send the request below past the gateway, to the server itself: if it is answered, turn down or "
            "leave out the gateway's filter.",
        ),
        FindingKind.USAGE: Cause(
            title="The counted tokens do not grow with what is sent",
            cause="The usage is a constant, or that of another request.",
            advice="Do not bill or limit by this server's usage. If nobody reads it: --allow usage=REASON.",
        ),
        FindingKind.OTHER_MODEL: Cause(
            title="Another model answers than the one that was asked",
            cause="A gateway falls back to another model, or a name is routed to one.",
            advice="Ask the server what it serves (curl URL/v1/models), and turn off fallbacks of the gateway.",
        ),
        FindingKind.LIMIT_IGNORED: Cause(
            title="Answers have more tokens than the request allows",
            cause="The server ignores max_tokens, or knows it by another name.",
            advice="Try --option token-limit=max_completion_tokens, and limit the length in the server.",
        ),
        FindingKind.LIMIT_EARLY: Cause(
            title="Answers are cut off before they have as many tokens as the request allows",
            cause="The server has a lower limit of its own, or counts one token more than it gives.",
            advice="Raise the server's own limit of tokens; ask for one more until then (--option longest-answer=N).",
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
            advice="Send pictures without detail, or update the server. If you send none: --allow detail-high.",
        ),
        FindingKind.EMPTY_ANSWERS: Cause(
            title="Some answers are empty",
            cause="The server drops answers, or puts them into another field (reasoning_content).",
            advice="Send the request below by hand (curl) and look at the whole response: for reasoning_content, "
            "turn thinking off or allow more tokens.",
        ),
        FindingKind.FAILURES: Cause(
            title="Requests failed",
            cause="The server refuses or breaks off ordinary requests: it is overloaded, or out of memory.",
            advice="Look at the server's log at the time of the request below; probe again with --option in-flight=1.",
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
    """What was tried, and is not the cause, as after "it is not": "the pixels: as plain PNG they are read"."""

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
