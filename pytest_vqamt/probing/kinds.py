"""The kinds of findings of a probe, each with its likely cause, and what to do."""

from __future__ import annotations

from enum import StrEnum
from typing import Self


class FindingKind(StrEnum):
    """The kinds of findings: the name that ``--allow`` takes, what was observed, the likely cause, what to do first.

    Attributes:
        is_cache: True if a cache takes one picture for another, and other checks mean little.
    """

    observed: str
    cause: str
    advice: str
    is_cache: bool

    def __new__(cls, name: str, observed: str, cause: str, advice: str, is_cache: bool = False) -> Self:
        """A kind of this name."""
        kind = str.__new__(cls, name)
        kind._value_ = name
        kind.observed, kind.cause, kind.advice, kind.is_cache = observed, cause, advice, is_cache
        return kind

    PICTURE_UNUSED = (
        "picture-unused",
        "The answers do not depend on the picture",
        "The server drops the picture (no vision projector, a text-only template or endpoint), or the "
        "model cannot read the cards.",
        "Start the server with its projector (llama.cpp: --mmproj FILE), send one picture by hand, and "
        "see if the prompt tokens grow with it.",
    )
    FIRST_PICTURE = (
        "first-picture-sticks",
        "Every answer is about the first picture",
        "The server keeps the first picture of the process, slot or size (ollama #7563).",
        "Restart it and probe with --option in-flight=1; if it stays, update the server or turn the "
        "reuse of slots off (llama.cpp: --no-cache-prompt).",
    )
    TEXT_KEYED = (
        "text-keyed-cache",
        "The same text with another picture gets the answer to the earlier picture",
        "A prefix or response cache knows requests by their text alone (vLLM #20261, vLLM PR 36708).",
        "Turn the cache off (vLLM: --no-enable-prefix-caching; sglang: --disable-radix-cache; a "
        "gateway's own) and probe again.",
        True,
    )
    TEXT_IGNORED = (
        "text-ignored",
        "The same picture with another text gets the answer to the earlier text",
        "A cache of responses knows requests by their picture alone; or the text is not in the prompt, or the model "
        "only describes.",
        "Turn off the cache of responses in the server, or in the gateway before it (LiteLLM: cache: "
        "false), and probe again with --seed 1. A model that only describes: --scores.",
    )
    EMPTY_PICTURE = (
        "blank-picture",
        "A blank picture or noise gets the number of another card",
        "A picture without content is dropped, and what was computed for an earlier one is used.",
        "Restart the server and send one blank picture by hand (curl): if it gets no number then, report "
        "a mix-up of requests to the server's authors.",
    )
    SHORT_HASH = (
        "short-image-hash",
        "Two pictures whose hashes share 16 bits get the same answer",
        "A cache keeps 16 bits of the picture's hash (LMCache #4086, sglang #2151).",
        "Turn the cache off for pictures (vLLM: --mm-processor-cache-gb 0 --no-enable-prefix-caching; "
        "LMCache: leave it off) and probe again.",
        True,
    )
    LENGTH_KEYED = (
        "length-keyed-cache",
        "Two files of one length get the same answer",
        "A cache knows pictures by the length of their file.",
        "Turn the cache of pictures off (vLLM: --mm-processor-cache-gb 0; a gateway's own) and probe again.",
        True,
    )
    BEGINNING_KEYED = (
        "first-bytes-keyed-cache",
        "Two files that begin alike get the same answer",
        "A cache knows pictures by the first bytes of their file.",
        "Turn the cache of pictures off (vLLM: --mm-processor-cache-gb 0; a gateway's own) and probe again.",
        True,
    )
    LOOK_KEYED = (
        "average-hash-keyed-cache",
        "Two pictures that look alike when they are small get the same answer",
        "A cache knows pictures by an average or perceptual hash.",
        "Turn the cache of pictures off (vLLM: --mm-processor-cache-gb 0; a gateway's semantic cache, "
        "too) and probe again with --seed 1.",
        True,
    )
    NON_DETERMINISTIC = (
        "non-determinism",
        "The same request gets other answers",
        "The server samples although temperature 0 was sent, or answers depend on what else it computes.",
        "Probe with --option seed=1, then with --option in-flight=1; if it stays, look at the server's "
        "default sampling (vLLM: --generation-config vllm).",
    )
    EARLIER_ANSWER = (
        "earlier-picture",
        "Some answers are about a picture that was sent before",
        "A cache or a buffer knows pictures by something else than their content, such as a count of requests "
        "(LMCache PR 5055).",
        "Turn the cache of pictures off (vLLM: --mm-processor-cache-gb 0 --no-enable-prefix-caching), and probe each "
        "replica by itself.",
    )
    STATE = (
        "state-left-behind",
        "A card that was answered before gets another answer",
        "An earlier request left something behind: a cache, a buffer, or a graph for one size.",
        "Restart the server and probe with --seed 1: if the same check comes before it again, leave out "
        "what that check sends, and report it.",
    )
    IDLENESS = (
        "after-idleness",
        "The first request after a pause gets another answer",
        "The server unloads the model or its projector when idle, or answers from a stale buffer.",
        "Keep the model loaded (ollama: keep_alive=-1), or send one request that does not count after each pause.",
    )
    LARGE_BEFORE = (
        "after-a-large-picture",
        "A small picture behind a large one gets another answer",
        "The size, the padding or the graph of the large picture is used for the next one (sglang #29216).",
        "Turn graphs of the encoder off (sglang: --disable-cuda-graph, vLLM: --enforce-eager) and probe "
        "again; else resize all pictures to one size.",
    )
    BATCH_PADDING = (
        "batch-padding",
        "Requests sent together with a longer one get other answers than alone",
        "Shorter prompts of a batch are decoded with their left padding (mlx-vlm PR 1542).",
        "Probe with --option in-flight=1: without the finding, send one at a time until the server is "
        "updated (vLLM: --max-num-seqs 1).",
    )
    BATCH = (
        "batch",
        "Requests sent together get other answers than alone",
        "Requests of a batch are mixed up, or lose their pictures.",
        "Probe with --option in-flight=1; without the finding, lower the server's batch (vLLM: "
        "--max-num-seqs, sglang: --max-running-requests).",
    )
    SWAPPED_ANSWERS = (
        "swapped-answers",
        "Answers are those to other requests in flight",
        "Requests that are computed at the same time are mixed up. Users may see each other's answers.",
        "Take the server out of use by several users, confirm with --option in-flight=1 that the finding "
        "goes, and report it to its authors.",
    )
    REASONING = (
        "reasoning-in-content",
        "Reasoning stands in the answer",
        "The server does not separate the model's thoughts from its answers.",
        "Start it with the model's parser (vLLM and sglang: --reasoning-parser NAME), or turn thinking "
        "off in the chat template.",
    )
    LARGE_PICTURE = (
        "large-picture",
        "Large pictures get other answers than small ones",
        "A picture above a size is dropped or cut, or its tokens exceed the context (ollama #13549).",
        "Raise the context (vLLM: --max-model-len, llama.cpp: -c, ollama: num_ctx); if that is no help, "
        "send less: --option max-pixels=1000000.",
    )
    ASPECT_RATIO = (
        "aspect-ratio",
        "Pictures that are not square get other answers",
        "Width and height are exchanged, or the picture is squashed or cropped, when it is resized (llama.cpp #17290).",
        "Compare with the checkpoint in transformers: `vqamt probe hf:REPO`. Without the finding there, "
        "update the server, or pad pictures to squares. With it: --allow aspect-ratio=REASON.",
    )
    SIZE = (
        "size",
        "The same card at another size gets other answers",
        "The picture is resized or cropped badly, or the model reads pictures of this size badly.",
        "Compare with the same weights elsewhere: `vqamt probe A --against B`. If both do it, it is the "
        "model: --allow size=REASON.",
    )
    MIRRORED = (
        "mirrored",
        "Left and right, or top and bottom, are exchanged",
        "The picture is mirrored when it is decoded or resized.",
        "Compare with transformers: `vqamt probe hf:REPO`. Without the finding there, the server's image "
        "loader is at fault: update or replace it.",
    )
    TURNED = (
        "turned",
        "The picture is turned by a quarter or a half",
        "Width and height are exchanged when the pixels are read, or an orientation is applied to files "
        "that have none.",
        "Compare with transformers: `vqamt probe hf:REPO`. Without the finding there, the server's image "
        "loader is at fault: update or replace it.",
    )
    CROPPED = (
        "cropped",
        "What is in the corners is not seen",
        "The picture is cropped to its centre.",
        "Set do_center_crop to false in the server's preprocessor_config.json if the checkpoint says false, "
        "or pad pictures to squares.",
    )
    TILES = (
        "tiles",
        "Things are seen at other places of the picture",
        "The tiles of a large picture are put together in another order.",
        "Send pictures of one tile and probe again (--option max-pixels=200000): without the finding, "
        "update the server's image processor.",
    )
    PART_LOST = (
        "part-lost",
        "A part of some pictures is not seen",
        "Tiles of a large picture are dropped, or it is cut off at a number of pixels (llama.cpp PR 25481); or the "
        "model sees only a part.",
        "Compare with transformers: `vqamt probe hf:REPO`. Without the finding there, send pictures of one tile "
        "(--option max-pixels=200000) and update the server.",
    )
    DETAIL = (
        "detail-lost",
        "Large pictures are seen as through few pixels",
        "The server scales pictures down without a word (ollama #17218), or the model has this resolution.",
        "Raise the server's limit (llama.cpp: --image-max-tokens; vLLM: --mm-processor-kwargs with "
        "max_pixels). If the model has no more: --allow detail-lost.",
    )
    FILE_FORM = (
        "file-form",
        "The same pixels in another form of PNG get other answers",
        "Palettes, gray levels, 16 bits, alpha or interlaced rows are not turned into RGB.",
        "Convert pictures to plain RGB before they are sent (Pillow: image.convert('RGB')), or update "
        "the server's decoder.",
    )
    FILE_REFUSED = (
        "file-refused",
        "A form of file is refused",
        "The server takes no such files, and says so.",
        "Convert pictures before they are sent (Pillow: convert, save). If yours have no such form: "
        "--allow file-refused=REASON.",
    )
    JPEG = (
        "jpeg",
        "The same picture as JPEG gets other answers",
        "JPEG goes through another decoder, which fails for progressive scans, gray or CMYK (sglang #33464).",
        "Convert pictures to PNG or baseline JPEG in RGB before they are sent (Pillow: "
        "image.convert('RGB')), or update the server's decoder.",
    )
    JPEG_COLOURS = (
        "jpeg-colours",
        "The colours of JPEG are others than those of PNG",
        "The decoder of JPEG gives BGR, or takes CMYK inverted.",
        "Send PNG (in runs: --vqamt-option image-format=png) until the server's decoder of JPEG is "
        "updated or replaced.",
    )
    WEBP = (
        "webp",
        "The same picture as WebP gets other answers",
        "The server does not decode WebP, and drops it without an error.",
        "Convert pictures to PNG or JPEG before they are sent, or give the server a decoder of WebP "
        "(Pillow with libwebp).",
    )
    ALPHA = (
        "alpha",
        "What lies under transparent pixels is seen",
        "The alpha channel is dropped, so that hidden pixels show.",
        "Put transparent pictures on white before they are sent (Pillow: paste with the alpha as mask); "
        "image.convert('RGB') alone does the same wrong.",
    )
    TRANSPARENCY = (
        "transparency",
        "Transparent pixels are shown as black",
        "The server puts transparent pictures on black, where most viewers show white.",
        "Put them on white before they are sent. If no picture of yours is transparent: --allow transparency=REASON.",
    )
    EXIF = (
        "exif",
        "A picture that EXIF turns gets another answer",
        "The orientation that phones write is ignored, or applied twice (llama.cpp #20870).",
        "Turn pictures upright before they are sent (Pillow: ImageOps.exif_transpose). If yours have no "
        "EXIF: --allow exif=REASON.",
    )
    MEDIA_TYPE = (
        "media-type",
        "A file with a wrong or without a media type gets another answer",
        "The server trusts the media type of the request and not the file.",
        "Name the file's own type in the data URI (data:image/jpeg;base64). If your client does so "
        "always: --allow media-type=REASON.",
    )
    SWAPPED_CHANNELS = (
        "swapped-channels",
        "Colours are exchanged, such as red and blue",
        "The channels are read in another order: BGR for RGB, as OpenCV loads them, or by a faulty kernel.",
        "Compare with transformers: `vqamt probe hf:REPO`. Without the finding there, update the server "
        "or its image loader.",
    )
    COLOURS_LOST = (
        "colours-lost",
        "No colour is seen",
        "Pictures are converted to grayscale (ollama #17872), or the model knows no colours.",
        "Compare with transformers: `vqamt probe hf:REPO`. Without the finding there, the server's image "
        "loader is at fault: update or replace it.",
    )
    COLOURS_WRONG = (
        "colours-wrong",
        "Colours are named wrongly where numbers are read",
        "Pixels are normalised with other means, or their brightness is changed.",
        "Compare image_mean, image_std and rescale_factor of the server with the checkpoint's "
        "preprocessor_config.json.",
    )
    COARSE_LEVELS = (
        "coarse-levels",
        "Near colours are told apart at some levels and not at others",
        "Pixels or the vision encoder are quantised to few levels.",
        "Use an encoder of 16 bits (llama.cpp: --mmproj with a file in F16; else leave the vision tower "
        "out of quantisation) and probe again.",
    )
    CONTRAST = (
        "contrast-lost",
        "Faint digits are not read on dark or light grounds, on grounds between they are",
        "Pixels are normalised with the mean and deviation of another encoder, and cut off; or the model is weak "
        "there.",
        "Compare image_mean, image_std and rescale_factor with the checkpoint's preprocessor_config.json. If they "
        "are the same: --allow contrast-lost=REASON.",
    )
    STRONG_CONTRAST = (
        "strong-contrast",
        "Large pictures in black and white are not read, coloured ones are",
        "Sums of many large values overflow in 16 bits (ollama PR 18070).",
        "Start the server with bfloat16 or float32 (vLLM: --dtype bfloat16) and probe again.",
    )
    NOISY_DETAIL = (
        "noisy-detail",
        "Faint digits are read otherwise each time, clear ones are not",
        "The encoder adds noise or is not deterministic, or sampling is on (vLLM #30167).",
        "Probe with --option temperature=0 --option in-flight=1; if it stays, run the encoder in "
        "float32, or with deterministic kernels.",
    )
    LONG_TEXT = (
        "long-text",
        "A long text changes the answer",
        "The prompt exceeds the context and is cut without an error, often with its picture (ollama #7484).",
        "Raise the context (ollama: num_ctx, llama.cpp: -c, vLLM: --max-model-len), and have the server "
        "refuse what is too long.",
    )
    CUT_IN_THE_MIDDLE = (
        "cut-in-the-middle",
        "A long text after the question changes the answer",
        "The middle or the beginning of a prompt that exceeds the context is cut out without an error.",
        "Raise the context (ollama: num_ctx, vLLM: --max-model-len), turn context shift off (llama.cpp: "
        "--no-context-shift), and put questions last.",
    )
    CUT_AT_THE_END = (
        "cut-at-the-end",
        "The end of a long prompt is lost",
        "A prompt that exceeds the context loses its end, and so the question.",
        "Raise the context (ollama: num_ctx, llama.cpp: -c, vLLM: --max-model-len), and have the server "
        "refuse what is too long.",
    )
    CUT_ANSWER = (
        "cut-answer",
        "Answers end too early",
        "A stop sequence of the server or its template cuts answers.",
        "Look at the stop sequences that the server adds (generation_config.json, ollama: PARAMETER "
        "stop) and remove line ends and full stops.",
    )
    NON_ASCII = (
        "non-ascii",
        "Letters beyond ASCII are lost",
        "Texts are decoded or encoded with another encoding than UTF-8, by the server or a proxy before it.",
        'Send one request with "Grüße" to the server itself, past every proxy: if it comes back whole, '
        "the proxy is at fault.",
    )
    FIRST_ONLY = (
        "first-picture-only",
        "Of several pictures only the first is seen",
        "The server keeps one picture a request (vLLM #10983), or the model takes one.",
        "Raise the limit of pictures (vLLM: --limit-mm-per-prompt with image), or send one a request.",
    )
    LAST_ONLY = (
        "last-picture-only",
        "Of several pictures only the last is seen",
        "The server keeps the latest picture of a request, or the model takes one.",
        "Raise the limit of pictures (vLLM: --limit-mm-per-prompt with image), or send one a request.",
    )
    MERGED = (
        "merged-pictures",
        "Two pictures of one size are taken for one, those of different sizes are not",
        "Pictures of equal size are merged into a batch or a film (llama.cpp #24303, ollama #17321).",
        "Update the server. Until then give the pictures of a request different sizes: pad one by some pixels.",
    )
    MIXED = (
        "mixed-pictures",
        "Of two pictures neither is read, though each is read alone",
        "The pictures of a request run into each other: their tokens have no bounds (TensorRT-LLM #2183); or the "
        "model was trained on one.",
        "Send one picture a request, and compare with `vqamt probe hf:REPO`. With the finding there it is the model: "
        "--allow mixed-pictures=REASON.",
    )
    UNLIKE = (
        "unlike-pictures",
        "Two pictures of different shape or file are not both read, each alone is",
        "All pictures of a request get the shape or the planes of the first (Megatron-LM PR 6260, sglang PR 35101), "
        "or the model does so.",
        "Bring pictures to one size and to RGB before they are sent (Pillow: ImageOps.pad, convert('RGB')). Compare "
        "with `vqamt probe hf:REPO`.",
    )
    PERMUTED = (
        "permuted-pictures",
        "Several pictures are seen in another order",
        "The server sorts or reverses the pictures of a request (LM Studio #1675).",
        "Update the server. Until then send one picture a request, or name each in the text before it and probe again.",
    )
    EARLIER_LOST = (
        "earlier-pictures-lost",
        "The picture of an earlier turn is not seen",
        "Pictures of earlier turns are dropped, or moved to the latest (mlx-vlm #2211).",
        "Send the picture again in the turn of the question, or compare the server's chat template with "
        "the checkpoint's (vLLM: --chat-template FILE).",
    )
    EARLIER_REPLACED = (
        "earlier-picture-replaced",
        "A later picture replaces that of an earlier turn",
        "The server keeps one picture a conversation (react-native-executorch PR 1229).",
        "Start a new conversation for each picture, or send all pictures again in the turn of the question.",
    )
    TEXT_FIRST = (
        "text-before-picture",
        "A question before its picture is not answered",
        "Text before a picture is lost when the prompt is put together (vLLM #15125).",
        "Send the picture first. Then compare the server's chat template with the checkpoint's (vLLM: "
        "--chat-template FILE).",
    )
    MOVED = (
        "moved-pictures",
        "A picture of an earlier turn is taken for one of a later turn",
        "The marks of all pictures are put into the latest turn (mlx-vlm #2211).",
        "Ask about one picture a conversation, or start the server with the checkpoint's own template "
        "(vLLM: --chat-template FILE).",
    )
    LATER_IGNORED = (
        "later-picture-ignored",
        "The picture of a later turn is not seen",
        "A conversation keeps the pictures with which it began, or only the first turn has a place for one "
        "(ollama #9513).",
        "Start a new conversation for each picture, or start the server with the checkpoint's own template "
        "(vLLM: --chat-template FILE).",
    )
    PICTURE_KEPT = (
        "picture-kept",
        "A request without a picture is answered about the picture before it",
        "A picture stays in a slot or a cache for the next request, which may be another user's.",
        "Do not let users share the server. Update it, or turn the reuse of prompts off (llama.cpp: "
        "--no-cache-prompt; vLLM: --no-enable-prefix-caching) and probe again.",
    )
    AFTER_TEXT = (
        "after-text-only",
        "After a request without a picture the next picture is not seen, or fails",
        "A request of text leaves its prefix or its buffers to the next (fastllm #750, halogen-flash-server #62).",
        "Turn the cache of prefixes off (vLLM: --no-enable-prefix-caching; sglang: --disable-radix-cache) and probe "
        "again; until it is mended, serve requests of text elsewhere.",
    )
    MARKS = (
        "marks-in-text",
        "A mark such as <image> in the text hides the picture, or the request fails",
        "The server takes the mark for the place of a picture (vLLM #57740). Users can hide pictures so.",
        "Update the server. Until then take such marks out of what users type before it is sent. If nobody types them: "
        "--allow marks-in-text=REASON.",
    )
    CHUNKS = (
        "chunk-within-picture",
        "Behind a text of some lengths a picture is not seen, behind others it is",
        "The prompt is cut into chunks for the prefill, and the end of one lies within the picture.",
        "Make chunks larger or turn them off (vLLM: --no-enable-chunked-prefill, --max-num-batched-tokens; "
        "llama.cpp: -ub and -b above a picture's tokens).",
    )
    MANY_TOKENS = (
        "several-large-pictures",
        "Of several large pictures some are not seen, of small ones all are",
        "What exceeds the context, or a limit of tokens a request, is dropped without a word (koboldcpp #1977); or "
        "the model is lost in so many.",
        "Raise the context (vLLM: --max-model-len, llama.cpp: -c, ollama: num_ctx), or send less (--option "
        "max-pixels=200000). Else --allow several-large-pictures.",
    )
    ASSISTANT_LOST = (
        "assistant-turns-lost",
        "What the model said before is not known to it",
        "Turns of the assistant are dropped from the prompt.",
        "Start the server with the checkpoint's own template (vLLM: --chat-template FILE; llama.cpp: "
        "--jinja) and probe again.",
    )
    SYSTEM = (
        "system-message",
        "With a system message the picture is not seen",
        "The chat template knows either a system message or pictures.",
        "Put the system message into the user's text, or start the server with the checkpoint's own "
        "template (vLLM: --chat-template FILE).",
    )
    SYSTEM_IGNORED = (
        "system-message-ignored",
        "The system message is not followed, the same words of the user are",
        "The system message is dropped from the prompt.",
        "Put it into the user's text, or start the server with the checkpoint's own template (vLLM: "
        "--chat-template FILE; llama.cpp: --jinja).",
    )
    REFUSALS = (
        "refusals",
        "Some harmless questions are refused",
        "A filter in front of the model answers in its place.",
        "Send the request below past the gateway, to the server itself: if it is answered, turn down or "
        "leave out the gateway's filter.",
    )
    USAGE = (
        "usage",
        "The counted tokens are not those of the request",
        "The usage is a constant, that of another request, or leaves a part out.",
        "Do not bill or limit by this server's usage. If nobody reads it: --allow usage=REASON.",
    )
    OTHER_MODEL = (
        "another-model",
        "Another model answers than the one that was asked",
        "A gateway falls back to another model, or a name is routed to one.",
        "Ask the server what it serves (curl URL/v1/models), and turn off fallbacks of the gateway.",
    )
    LIMIT_IGNORED = (
        "max-tokens-ignored",
        "Answers have more tokens than the request allows",
        "The server ignores max_tokens, or knows it by another name.",
        "Try --option token-limit=max_completion_tokens, and limit the length in the server.",
    )
    LIMIT_EARLY = (
        "max-tokens-cut",
        "Answers are cut off before they have as many tokens as the request allows",
        "The server has a lower limit of its own, or leaves a token out of its count (LM Studio #2335).",
        "Raise the server's own limit of tokens; ask for one more until then (--option longest-answer=N).",
    )
    URL_NOT_FETCHED = (
        "url-not-fetched",
        "A picture by URL is not fetched, and the question is answered without it",
        "The server leaves out pictures by URL without an error.",
        "Send pictures in the request (data URIs), or allow the server to fetch.",
    )
    URL_PICTURE = (
        "url-picture",
        "A picture by URL is fetched and gets another answer than in the request",
        "The answer is computed before the picture is there, or about another one.",
        "Send pictures in the request (data URIs) until the server is updated.",
    )
    DETAIL_LOST = (
        "detail-high",
        "With detail high small digits are lost that are read without",
        "The server scales pictures down for high as for low, or exchanges the two.",
        "Send pictures without detail, or update the server. If you send none: --allow detail-high.",
    )
    EMPTY_ANSWERS = (
        "empty-answers",
        "Some answers are empty",
        "The server drops answers, or puts them into another field (reasoning_content).",
        "Send the request below by hand (curl) and look at the whole response: for reasoning_content, "
        "turn thinking off or allow more tokens.",
    )
    ENDLESS_ANSWERS = (
        "endless-answers",
        "Some answers are one sign, again and again",
        "Numbers overflow in 16 bits for some pictures or texts (llama.cpp #17534).",
        "Start the server with bfloat16 or float32 (vLLM: --dtype bfloat16), and without flash attention.",
    )
    FAILURES = (
        "failures",
        "Requests failed",
        "The server refuses or breaks off ordinary requests: it is overloaded, or out of memory.",
        "Look at the server's log at the time of the request below; probe again with --option in-flight=1.",
    )


CACHES = frozenset(kind for kind in FindingKind if kind.is_cache)
"""The kinds where one picture is taken for another."""

CUT_TEXTS = (FindingKind.LONG_TEXT, FindingKind.CUT_AT_THE_END, FindingKind.CUT_IN_THE_MIDDLE)
"""The kinds where a long prompt is cut, and what is long may lack its pictures."""
