"""The table of small checkpoints that are made of the default configuration of their kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.models.transformers.prompted.small.chat import PATCH, SIDE
from tests.models.transformers.prompted.small.kinds import Row
from tests.models.transformers.prompted.small.tokenizers import BEGIN
from tests.models.transformers.prompted.small.writing import Settings

_MROPE: Settings = {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [1, 1, 2]}
_WHOLE_MROPE: Settings = {**_MROPE, "partial_rotary_factor": 1.0}
_DEEPSTACK: Settings = {"vision_config.deepstack_visual_indexes": [0], "vision_config.num_position_embeddings": 16}
_SQUARE: Settings = {"size": {"height": SIDE, "width": SIDE}}
_SHAPES = [[SIDE, 2 * SIDE], [2 * SIDE, SIDE], [2 * SIDE, 2 * SIDE]]
_PIXELS: Settings = {
    "size": {"shortest_edge": 4 * SIDE * SIDE, "longest_edge": 18 * SIDE * SIDE}, "patch_size": PATCH, "merge_size": 2,
}  # fmt: skip


def _grid(**settings: Any) -> Row:
    """A kind that cuts pictures into patches as Qwen2-VL does."""
    given: Settings = {
        "mark": "<|vision_start|><|image_pad|><|vision_end|>",
        "special": ("<|vision_start|>", "<|vision_end|>", "<|video_pad|>", "<|image_pad|>"),
        "ids": {
            "image_token_id": "<|image_pad|>",
            "video_token_id": "<|video_pad|>",
            "vision_start_token_id": "<|vision_start|>",
            "vision_end_token_id": "<|vision_end|>",
        },
        "image_processor": "Qwen2VLImageProcessorPil",
        "images": _PIXELS,
    }
    return Row(**{**given, **settings})


def _glm(**settings: Any) -> Row:
    """A kind with the tokens of GLM-4V."""
    films = ("<|begin_of_video|>", "<|video|>", "<|end_of_video|>")
    return _grid(
        **{
            "mark": "<|begin_of_image|><|image|><|end_of_image|>",
            "special": ("<|begin_of_image|>", "<|image|>", "<|end_of_image|>", *films),
            "ids": {
                "image_token_id": "<|image|>",
                "video_token_id": "<|video|>",
                "image_start_token_id": "<|begin_of_image|>",
                "image_end_token_id": "<|end_of_image|>",
                "video_start_token_id": "<|begin_of_video|>",
                "video_end_token_id": "<|end_of_video|>",
            },
            "image_processor": "Glm4vImageProcessorPil",
            "config": {"text_config.rope_parameters": _WHOLE_MROPE},
            **settings,
        }
    )


def _llava(**settings: Any) -> Row:
    """A kind with the tokens of LLaVA, and those for films."""
    given: Settings = {
        "mark": "<image>\n",
        "named": {"image_token": "<image>", "video_token": "<video>"},
        "ids": {"image_token_index": "<image>", "video_token_index": "<video>"},
    }
    return Row(**{**given, **settings})


def _internvl(**settings: Any) -> Row:
    """A kind with the tokens of InternVL."""
    given: Settings = {
        "mark": "<IMG_CONTEXT>\n",
        "named": {
            "start_image_token": "<img>",
            "end_image_token": "</img>",
            "context_image_token": "<IMG_CONTEXT>",
            "video_token": "<video>",
        },
        "ids": {"image_token_id": "<IMG_CONTEXT>"},
        "config": {"vision_config.image_size": [SIDE, SIDE], "vision_config.patch_size": [PATCH, PATCH]},
        "processor": {"image_seq_length": 1},
        "images": {**_SQUARE, "crop_to_patches": True, "min_patches": 1, "max_patches": 2},
    }
    return Row(**{**given, **settings})


def _minicpm(*, needs: str = "", **ids: str) -> Row:
    """A kind with the tokens of MiniCPM-V."""
    around = {f"{name}_{side}_token": f"<{'/' * (side == 'end')}{name}>" for name in _CUT for side in ("start", "end")}
    return Row(
        mark="<|image_pad|>",
        named={"image_token": "<|image_pad|>", "video_token": "<|video_pad|>", **around},
        ids={"image_token_id": "<|image_pad|>", "video_token_id": "<|video_pad|>", **ids},
        special=("<newline>",),
        rows=2,
        config={
            "text_config.layer_types": ["linear_attention", "full_attention"],
            "text_config.rope_parameters": _WHOLE_MROPE,
            "insert_layer_id": 0,
            "vision_config.insert_layer_id": 0,
            "vision_config.image_size": 64,
        },
        images={"scale_resolution": 64, "patch_size": PATCH, "max_slice_nums": 4},
        needs=needs,
    )


_MUSE = (
    "<|patch|>", "<|image_start|>", "<|image_end|>", "<|video|>", "<|vid_frame_separator|>", "<|vid_start|>",
    "<|vid_end|>",
)  # fmt: skip

_CUT = ("image", "slice", "image_id")

_OMNI_TOKENS = {"image": "<|IMAGE|>", "audio": "<|AUDIO|>", "video": "<|VIDEO|>"}


def _omni(processor: str, **settings: Any) -> Row:
    """A kind with the tokens of Qwen-Omni."""
    around = {f"{name}_{end}_token": f"<|{name}_{end}|>" for name in ("vision", "audio") for end in ("bos", "eos")}
    return _grid(
        mark="<|vision_bos|><|IMAGE|><|vision_eos|>",
        special=(),
        named={**{f"{name}_token": token for name, token in _OMNI_TOKENS.items()}, **around},
        processor_class=processor,
        **settings,
    )


_OMNI_2_5: Settings = {
    "ids": {
        **{f"{name}_token_index": token for name, token in _OMNI_TOKENS.items()},
        "audio_start_token_id": "<|audio_bos|>",
        "audio_end_token_id": "<|audio_eos|>",
        "vision_start_token_id": "<|vision_bos|>",
        "vision_end_token_id": "<|vision_eos|>",
    },
    "config": {
        "text_config.rope_parameters": _MROPE,
        "vision_config.fullatt_block_indexes": [1],
        "audio_config.output_dim": 16,
    },
}
_OMNI_3: Settings = {
    "ids": {
        **{f"{name}_token_id": token for name, token in _OMNI_TOKENS.items()},
        "audio_start_token_id": "<|audio_bos|>",
        "vision_start_token_id": "<|vision_bos|>",
    },
    "config": {
        "text_config.rope_parameters": _MROPE,
        **_DEEPSTACK,
        "audio_config.output_dim": 16,
        "audio_config.downsample_hidden_size": 8,
    },
}

ROWS: Mapping[str, Row] = {
    "mllama": Row(
        mark="<|image|>",
        special=("<|python_tag|>",),
        named={"image_token": "<|image|>"},
        begin=BEGIN,
        ids={"image_token_index": "<|image|>"},
        config={
            "vision_config.vision_output_dim": 32,
            "vision_config.intermediate_layers_indices": [0],
            "vision_config.num_global_layers": 1,
            "vision_config.attention_heads": 2,
            "text_config.cross_attention_layers": [1],
        },
        images={**_SQUARE, "max_image_tiles": 4},
        rows=-1,
    ),
    "qwen3_vl_moe": _grid(config={"text_config.rope_parameters": _MROPE, **_DEEPSTACK}),
    "qwen3_5": _grid(config={"text_config.rope_parameters": _WHOLE_MROPE}, rows=2),
    "qwen3_5_moe": _grid(config={"text_config.rope_parameters": _WHOLE_MROPE}, rows=2),
    "qwen4_exp": _grid(
        config={
            "text_config.rope_parameters": _WHOLE_MROPE,
            "text_config.indexer_n_heads": 2,
            "text_config.indexer_kv_heads": 1,
            "text_config.indexer_head_dim": 8,
            "text_config.indexer_budget": 64,
            "text_config.indexer_compress_ratio": 4,
            "text_config.hc_lowrank": 4,
            "text_config.ple_embed_dim": 16,
            "text_config.ngram_vocab_size_base": 400,
            "text_config.split_ngram_parts": 2,
        },
        rows=2,
    ),
    "exaone4_5": _grid(),
    "hyperclovax_vision_v2": _grid(config={"vision_config.fullatt_block_indexes": [1]}, rows=2),
    "lfm3_vl": _grid(
        config={
            "text_config.layer_types": ["conv", "full_attention"],
            "vision_config.layer_types": ["conv", "full_attention"],
        }
    ),
    "cosmos3_edge": _grid(
        config={"text_config.rope_parameters": _MROPE, "vision_config.num_patches": 16}, image_processor=""
    ),
    "cosmos3_omni": _grid(
        config={"text_config.rope_parameters": _MROPE, **_DEEPSTACK}, processor_class="Qwen3VLProcessor"
    ),
    "cohere_compass": _grid(
        mark="<|VISION_START|><|IMAGE_PAD|><|VISION_END|>",
        special=("<|VISION_START|>", "<|VISION_END|>", "<|VIDEO_PAD|>", "<|IMAGE_PAD|>"),
        ids={"image_token_id": "<|IMAGE_PAD|>", "video_token_id": "<|VIDEO_PAD|>"},
        config={
            **_DEEPSTACK,
            "text_config.rope_parameters": dict.fromkeys(("full_attention", "sliding_attention"), _MROPE),
        },
        image_processor="",
    ),
    "ernie4_5_vl_moe": _grid(
        mark="<|IMAGE_START|><|IMAGE_PLACEHOLDER|><|IMAGE_END|>",
        special=(),
        named={
            "image_token": "<|IMAGE_PLACEHOLDER|>",
            "image_start_token": "<|IMAGE_START|>",
            "image_end_token": "<|IMAGE_END|>",
            "video_token": "<|VIDEO|>",
            "video_start_token": "<|VIDEO_START|>",
            "video_end_token": "<|VIDEO_END|>",
        },
        ids={
            "image_token_id": "<|IMAGE_PLACEHOLDER|>",
            "image_start_token_id": "<|IMAGE_START|>",
            "image_end_token_id": "<|IMAGE_END|>",
            "video_token_id": "<|VIDEO|>",
            "video_start_token_id": "<|VIDEO_START|>",
            "video_end_token_id": "<|VIDEO_END|>",
        },
        image_processor="",
        config={
            "text_config.moe_intermediate_size": [16, 16],
            "text_config.moe_num_experts": 4,
            "text_config.moe_k": 2,
            "text_config.rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [1, 1, 2]},
        },
    ),
    "dots3_note": _grid(
        mark="<|img|><|imgpad|><|endofimg|>",
        special=("<|img|>", "<|imgpad|>", "<|endofimg|>", "<|video_pad|>", "<|audio_comp_pad|>"),
        ids={"image_token_id": "<|imgpad|>", "video_token_id": "<|video_pad|>", "audio_token_id": "<|audio_comp_pad|>"},
        images={**_PIXELS, "temporal_patch_size": 1},
        config={
            "text_config.layer_types": ["indexed_attention", "sliding_attention"],
            "text_config.q_lora_rank": 8,
            "text_config.head_dim": 16,
            "text_config.kv_lora_rank": 8,
            "text_config.qk_rope_head_dim": 8,
            "text_config.v_head_dim": 8,
            "text_config.qk_nope_head_dim": 8,
            "text_config.index_n_heads": 2,
            "text_config.index_head_dim": 8,
            "text_config.shared_experts_intermediate_size": 16,
            "text_config.per_layer_config": {},
            "vision_config.per_layer_config": {},
            "vision_config.mlp_layer_types": ["dense", "sparse"],
            "vision_config.adapter_in_dim": 16,
            "vision_config.adapter_out_dim": 16,
            "audio_config.adapter_out_dim": 16,
            "audio_config.adapter_input_size": 16,
        },
    ),
    "paddleocr_vl": _grid(
        mark="<|IMAGE_START|><|IMAGE_PLACEHOLDER|><|IMAGE_END|>",
        special=("<|IMAGE_START|>", "<|IMAGE_END|>", "<|video_pad|>"),
        named={"image_token": "<|IMAGE_PLACEHOLDER|>"},
        image_processor="",
        ids={
            "image_token_id": "<|IMAGE_PLACEHOLDER|>",
            "video_token_id": "<|video_pad|>",
            "vision_start_token_id": "<|IMAGE_START|>",
            "vision_end_token_id": "<|IMAGE_END|>",
        },
        config={"text_config.rope_parameters": _MROPE},
    ),
    "video_llama_3": _grid(image_processor="", config={"vision_config.patch_size": PATCH}),
    "hunyuan_vl": _grid(
        mark="<|im_start|><image><|im_end|>",
        special=(),
        named={"image_token": "<image>", "image_start_token": "<|im_start|>", "image_end_token": "<|im_end|>"},
        ids={"image_token_id": "<image>", "im_start_id": "<|im_start|>", "im_end_id": "<|im_end|>"},
        image_processor="",
        config={
            "text_config.head_dim": 8,
            "text_config.rope_parameters": {
                "rope_type": "default",
                "rope_theta": 10000.0,
                "mrope_section": [1, 1, 1, 1],
            },
            "vision_config.text_hidden_size": 16,
            "vision_config.max_image_size": 64,
            "vision_config.img_max_token_num": 64,
        },
    ),
    "glm4v": _glm(config={"text_config.rope_parameters": _MROPE}),
    "glm4v_moe": _glm(),
    "glm46v": _glm(image_processor=""),
    "glmga": _glm(image_processor="", processor_class="Glm46VProcessor"),
    "glm_ocr": _glm(processor_class="Glm4vProcessor", image_processor="Glm4vImageProcessorPil"),
    "glm5_next": _glm(
        image_processor="",
        config={
            "text_config.rope_parameters": _WHOLE_MROPE,
            "text_config.layer_types": ["linear_attention", "full_attention"],
            "text_config.q_lora_rank": 8,
            "text_config.kv_lora_rank": 8,
            "text_config.v_head_dim": 8,
            "text_config.qk_nope_head_dim": 8,
            "text_config.qk_head_dim": 8,
            "text_config.index_n_heads": 2,
            "text_config.index_head_dim": 8,
            "text_config.linear_head_dim": 8,
            "text_config.linear_num_heads": 2,
        },
    ),
    "internvl": _internvl(),
    "qianfan_ocr": _internvl(mark="<image>\n", special=("<image>",)),
    "got_ocr2": Row(
        mark="<img><imgpad></img>\n",
        special=("<img>", "</img>", "<imgpad>"),
        ids={"image_token_index": "<imgpad>"},
        images={"size": {"height": 128, "width": 128}},
        config={
            "vision_config.image_size": 128,
            "vision_config.patch_size": 2,
            "vision_config.global_attn_indexes": [1],
            "vision_config.output_channels": 8,
        },
    ),
    "aya_vision": Row(
        mark="<image>",
        special=("<image>", "<|START_OF_IMG|>", "<|END_OF_IMG|>", "<|IMG_PATCH|>", "<|IMG_LINE_BREAK|>"),
        begin=BEGIN,
        ids={"image_token_index": "<|IMG_PATCH|>"},
        images={**_SQUARE, "crop_to_patches": True, "min_patches": 1, "max_patches": 2},
        processor={"patch_size": PATCH, "img_size": SIDE, "downsample_factor": 2},
    ),
    "llava_onevision": _llava(
        config={"image_grid_pinpoints": _SHAPES},
        images={**_SQUARE, "image_grid_pinpoints": _SHAPES},
        processor={"num_image_tokens": 4, "vision_feature_select_strategy": "full"},
    ),
    "llava_next_video": _llava(
        config={"image_grid_pinpoints": _SHAPES},
        images={
            "size": {"shortest_edge": SIDE},
            "crop_size": {"height": SIDE, "width": SIDE},
            "image_grid_pinpoints": _SHAPES,
        },
        processor={"patch_size": PATCH, "vision_feature_select_strategy": "default", "num_additional_image_tokens": 1},
    ),
    "video_llava": _llava(
        images={"size": {"shortest_edge": SIDE}, "crop_size": {"height": SIDE, "width": SIDE}},
        processor={"patch_size": PATCH, "vision_feature_select_strategy": "default", "num_additional_image_tokens": 1},
    ),
    "granite4_vision": _llava(
        named={"image_token": "<image>"},
        ids={"image_token_index": "<image>"},
        config={
            "image_grid_pinpoints": _SHAPES,
            "deepstack_layer_map": [[-2, 0]],
            "spatial_target_layers": [0, 0, 1, 1],
            "downsample_rate": "1/2",
            "vision_config.hidden_size": 64,
            "vision_feature_layer": [-2],
        },
        images={
            "size": {"shortest_edge": SIDE},
            "crop_size": {"height": SIDE, "width": SIDE},
            "image_grid_pinpoints": _SHAPES,
        },
        processor={
            "patch_size": PATCH,
            "vision_feature_select_strategy": "default",
            "num_additional_image_tokens": 1,
            "downsample_rate": "1/2",
        },
    ),
    "aria": Row(
        mark="<image>",
        named={"image_token": "<image>"},
        ids={"image_token_index": "<image>"},
        config={
            "vision_config.image_size": 980,
            "vision_config.patch_size": 70,
            "projector_patch_to_query_dict": {"196": 3},
            "max_value_projector_patch_to_query_dict": 3,
            "text_config.moe_num_experts": 4,
        },
        processor={"size_conversion": {"980": 3}},
    ),
    "mistral3": Row(
        mark="[IMG]",
        special=("[IMG]", "[IMG_BREAK]", "[IMG_END]"),
        begin=BEGIN,
        ids={"image_token_index": "[IMG]"},
        config={"vision_config.image_size": 4 * SIDE},
        images={"size": {"longest_edge": 3 * SIDE}, "patch_size": PATCH},
        processor={"patch_size": PATCH, "spatial_merge_size": 2},
    ),
    "pixtral": Row(
        model_type="llava",
        mark="[IMG]",
        special=("[IMG]", "[IMG_BREAK]", "[IMG_END]"),
        begin=BEGIN,
        ids={"image_token_index": "[IMG]"},
        config={
            "vision_config": {
                "model_type": "pixtral",
                "hidden_size": 16,
                "intermediate_size": 32,
                "num_hidden_layers": 2,
                "num_attention_heads": 2,
                "head_dim": 8,
                "image_size": 4 * SIDE,
                "patch_size": PATCH,
            },
            "vision_feature_layer": -1,
            "vision_feature_select_strategy": "full",
        },
        image_processor="PixtralImageProcessorPil",
        images={"size": {"longest_edge": 3 * SIDE}, "patch_size": PATCH},
        processor={"patch_size": PATCH},
        processor_class="PixtralProcessor",
    ),
    "lighton_ocr": Row(
        mark="<|image_pad|>",
        named={
            "image_token": "<|image_pad|>",
            "image_break_token": "<|vision_pad|>",
            "image_end_token": "<|vision_end|>",
        },
        ids={"image_token_id": "<|image_pad|>"},
        config={"vision_config.image_size": 4 * SIDE},
        images={"size": {"longest_edge": 3 * SIDE}, "patch_size": 2 * PATCH},
        processor={"patch_size": PATCH, "spatial_merge_size": 2},
    ),
    "gemma4": Row(
        mark="<|image|>",
        special=("<|video|>",),
        named={
            "image_token": "<|image|>",
            "boi_token": "<|image>",
            "eoi_token": "<image|>",
            "audio_token": "<|audio|>",
            "boa_token": "<|audio>",
            "eoa_token": "<audio|>",
        },
        begin=BEGIN,
        ids={
            "image_token_id": "<|image|>",
            "boi_token_id": "<|image>",
            "eoi_token_id": "<image|>",
            "video_token_id": "<|video|>",
        },
        config={
            "vision_config": {
                "model_type": "gemma4_vision",
                "hidden_size": 16,
                "intermediate_size": 32,
                "num_hidden_layers": 2,
                "num_attention_heads": 2,
                "num_key_value_heads": 2,
                "head_dim": 8,
                "patch_size": PATCH,
                "position_embedding_size": 64,
            },
            "text_config.vocab_size_per_layer_input": 340,
            "text_config.hidden_size_per_layer_input": 8,
        },
        images={"patch_size": PATCH, "max_soft_tokens": 70, "pooling_kernel_size": 3},
    ),
    "t5gemma2": Row(
        mark="<start_of_image>",
        named={"image_token": "<image_soft_token>", "boi_token": "<start_of_image>", "eoi_token": "<end_of_image>"},
        begin=BEGIN,
        ids={
            "image_token_index": "<image_soft_token>",
            "encoder.image_token_index": "<image_soft_token>",
            "encoder.boi_token_index": "<start_of_image>",
            "encoder.eoi_token_index": "<end_of_image>",
            "eoi_token_index": "<end_of_image>",
        },
        config={"encoder.mm_tokens_per_image": 4, "encoder.vision_config.image_size": 2 * SIDE},
        images={"size": {"height": 2 * SIDE, "width": 2 * SIDE}},
        processor={"image_seq_length": 4},
    ),
    "chameleon": Row(
        mark="<image>",
        special=tuple(
            f"IMGIMG{name}Z"
            for name in ("A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "BA", "BB", "BC", "BD", "BE", "BF")
        ),
        named={"image_token": "<image>", "boi_token": "<racm3:break>", "eoi_token": "<eoss>"},
        begin=BEGIN,
        ids={"image_token_id": "<image>"},
        config={
            "vq_config.resolution": SIDE,
            "vq_config.base_channels": 32,
            "vq_config.latent_channels": 8,
            "vq_config.embed_dim": 8,
            "vq_config.num_embeddings": 16,
            "vq_config.channel_multiplier": [1, 1],
            "vq_config.num_res_blocks": 1,
            "vocabulary_map": lambda tokenizer: tokenizer.get_vocab(),
        },
        images={"size": {"shortest_edge": SIDE}, "crop_size": {"height": SIDE, "width": SIDE}},
        processor={"image_seq_length": 64},
    ),
    "janus": Row(
        mark="<image_placeholder>",
        named={"image_token": "<image_placeholder>", "boi_token": "<begin_of_image>", "eoi_token": "<end_of_image>"},
        begin=BEGIN,
        ids={"image_token_id": "<image_placeholder>"},
        config={
            "vq_config.base_channels": 32,
            "vq_config.latent_channels": 8,
            "vq_config.channel_multiplier": [1, 1],
            "vq_config.num_res_blocks": 1,
            "vq_config.num_embeddings": 16,
            "vq_config.embed_dim": 8,
            "vision_config.num_image_tokens": 4,
        },
        images={**_SQUARE},
        processor={"num_image_tokens": 4},
    ),
    "deepseek_vl": Row(
        mark="<image_placeholder>",
        named={"image_token": "<image_placeholder>"},
        begin=BEGIN,
        ids={"image_token_id": "<image_placeholder>"},
        images={**_SQUARE},
        processor={"num_image_tokens": 4},
    ),
    "ovis2": Row(
        mark="<image>\n",
        special=("<image>", "<IMG_START>", "<IMG_GRID>", "<IMG_COL>", "<IMG_ROW>", "<IMG_END>", "<IMG_ATOM>"),
        ids={"image_token_id": "<IMG_ATOM>"},
        images={**_SQUARE, "crop_to_patches": True, "max_patches": 2},
        processor={"image_seq_length": 4},
    ),
    "granite_docling": Row(
        mark="<image>",
        special=(
            "<fake_token_around_image>",
            "<global-img>",
            *(f"<row_{r}_col_{c}>" for r in range(1, 4) for c in range(1, 4)),
        ),
        named={"image_token": "<image>"},
        ids={"image_token_id": "<image>"},
        config={"vision_config.deepstack_visual_indexes": [0], "vision_config.scale_factor": 2},
        images={**_SQUARE, "max_patches": 4},
        processor={"image_seq_len": 1},
    ),
    "idefics": Row(
        mark="<image>",
        special=("<fake_token_around_image>", "<image>", "<end_of_utterance>"),
        begin=BEGIN,
        images={**_SQUARE, "image_size": SIDE},
    ),
    "emu3": Row(
        mark="<image>",
        named={
            "image_token": "<image>",
            "boi_token": "<|image start|>",
            "eoi_token": "<|image end|>",
            "image_wrapper_token": "<|image token|>",
            "eof_token": "<|extra_201|>",
        },
        begin=BEGIN,
        special=("<|extra_200|>", *(f"<|visual token {n:06d}|>" for n in range(16))),
        ids={"image_token_id": "<image>"},
        config={
            "vq_config.codebook_size": 16,
            "vq_config.embed_dim": 4,
            "vq_config.latent_channels": 4,
            "vq_config.base_channels": 32,
            "vq_config.channel_multiplier": [1, 1, 1, 1],
            "vq_config.num_res_blocks": 1,
            "vq_config.attn_resolutions": [],
            "vq_config.hidden_size": 32,
            "vocabulary_map": lambda tokenizer: tokenizer.get_vocab(),
        },
        images={"min_pixels": 32 * 32, "max_pixels": 64 * 64, "spatial_factor": 8},
    ),
    "deepseek_vl_hybrid": Row(
        mark="<image_placeholder>",
        named={"image_token": "<image_placeholder>"},
        begin=BEGIN,
        ids={"image_token_id": "<image_placeholder>"},
        config={
            "high_res_vision_config.global_attn_indexes": [1],
            "high_res_vision_config.image_size": 64,
            "high_res_vision_config.patch_size": 4,
            "high_res_vision_config.scale": 16,
            "high_res_vision_config.output_channels": 8,
            "high_res_vision_config.mlp_dim": 32,
            "high_res_vision_config.num_pos_feats": 8,
        },
        images={**_SQUARE, "high_res_size": {"height": 64, "width": 64}},
        processor={"num_image_tokens": 4},
    ),
    "qwen2_5_omni_thinker": _omni("Qwen2_5OmniProcessor", **_OMNI_2_5),
    "qwen2_5_omni": _omni("Qwen2_5OmniProcessor", **_OMNI_2_5, part="thinker", model_type="qwen2_5_omni_thinker"),
    "qwen3_omni_moe_thinker": _omni("Qwen3OmniMoeProcessor", **_OMNI_3),
    "qwen3_omni_moe": _omni("Qwen3OmniMoeProcessor", **_OMNI_3, part="thinker", model_type="qwen3_omni_moe_thinker"),
    "llama4": Row(
        needs="torchvision",
        mark="<|image|>",
        special=(
            "<|image|>",
            "<|image_start|>",
            "<|image_end|>",
            "<|patch|>",
            "<|tile_x_separator|>",
            "<|tile_y_separator|>",
        ),
        begin=BEGIN,
        ids={
            "image_token_index": "<|patch|>",
            "boi_token_index": "<|image_start|>",
            "eoi_token_index": "<|image_end|>",
        },
        config={
            "vision_config.vision_output_dim": 16,
            "vision_config.projector_input_dim": 16,
            "vision_config.projector_output_dim": 16,
            "vision_config.intermediate_size": 64,
            "text_config.moe_layers": [1],
            "text_config.intermediate_size_mlp": 16,
            "text_config.attention_chunk_size": 64,
        },
        images={**_SQUARE, "max_patches": 4},
        processor={"patch_size": PATCH},
    ),
    "cohere2_vision": Row(
        needs="torchvision",
        mark="<|IMG_PATCH|>",
        named={
            "image_token": "<|IMG_PATCH|>",
            "boi_token": "<|START_OF_IMG|>",
            "eoi_token": "<|END_OF_IMG|>",
            "img_line_break_token": "<|IMG_LINE_BREAK|>",
        },
        begin=BEGIN,
        ids={"image_token_id": "<|IMG_PATCH|>"},
        config={"alignment_intermediate_size": 32},
        images={**_SQUARE, "patch_size": 1, "max_patches": 2},
    ),
    "lfm2_vl": Row(
        needs="torchvision",
        mark="<image>",
        named={
            "image_token": "<image>",
            "image_start_token": "<|image_start|>",
            "image_end_token": "<|image_end|>",
            "image_thumbnail_token": "<|img_thumbnail|>",
        },
        special=tuple(f"<|img_row_{r}_col_{c}|>" for r in range(1, 5) for c in range(1, 5)),
        begin=BEGIN,
        ids={"image_token_id": "<image>"},
        config={
            "vision_config.num_patches": 16,
            "vision_config.patch_size": PATCH,
            "text_config.layer_types": ["conv", "full_attention"],
            "projector_hidden_size": 16,
        },
        images={
            "tile_size": 32,
            "encoder_patch_size": PATCH,
            "downsample_factor": 2,
            "min_image_tokens": 1,
            "max_image_tokens": 4,
            "max_tiles": 4,
            "max_num_patches": 64,
        },
    ),
    "molmo2": Row(
        needs="torchvision",
        mark="<|image|>",
        named={"image_token": "<|image|>", "video_token": "<|video|>"},
        special=(
            "<im_patch>",
            "<im_col>",
            "<im_start>",
            "<low_res_im_start>",
            "<frame_start>",
            "<im_end>",
            "<frame_end>",
            "<im_low>",
        ),
        ids={
            "image_start_token_id": "<im_start>",
            "low_res_image_start_token_id": "<low_res_im_start>",
            "image_end_token_id": "<im_end>",
            "image_patch_id": "<im_patch>",
            "frame_start_token_id": "<frame_start>",
            "frame_end_token_id": "<frame_end>",
        },
        config={
            "vision_config.image_size": [32, 32],
            "vision_config.num_position_embeddings": 16,
            "adapter_config.vision_feature_layer": [0, 1],
            "adapter_config.text_hidden_size": 16,
            "text_config.rope_scaling_layers": [0, 1],
        },
        images={
            "size": {"height": 32, "width": 32},
            "patch_size": PATCH,
            "max_crops": 2,
            "overlap_margins": [1, 1],
            "pooling_size": [2, 2],
        },
    ),
    "kimi_k25": _grid(
        needs="torchvision",
        mark="<|media_begin|><|media_pad|><|media_end|>",
        special=("<|media_begin|>", "<|media_pad|>", "<|media_end|>", "<|kimi_k25_video_placeholder|>"),
        image_processor="",
        ids={
            "image_token_id": "<|media_pad|>",
            "video_token_id": "<|kimi_k25_video_placeholder|>",
            "vision_start_token_id": "<|media_begin|>",
            "vision_end_token_id": "<|media_end|>",
        },
        images={"size": {"max_height": 48, "max_width": 48}, "patch_size": PATCH, "max_patches": 64},
        config={
            "text_config.q_lora_rank": 8,
            "text_config.kv_lora_rank": 8,
            "text_config.qk_rope_head_dim": 8,
            "text_config.v_head_dim": 8,
            "text_config.qk_nope_head_dim": 8,
            "text_config.qk_head_dim": 16,
            "text_config.first_k_dense_replace": 1,
            "text_config.n_group": 1,
            "text_config.topk_group": 1,
            "projection_hidden_size": 16,
            "vision_config.pos_emb_height": 8,
            "vision_config.pos_emb_width": 8,
        },
    ),
    "mistral_large4": Row(
        mark="[IMG]",
        special=("[IMG]", "[IMG_BREAK]", "[IMG_END]"),
        begin=BEGIN,
        ids={"image_token_index": "[IMG]"},
        config={
            "vision_config.image_size": 4 * SIDE,
            "text_config.kv_source_layers": [0, 1],
            "text_config.kv_lora_rank": 8,
            "text_config.qk_rope_head_dim": 8,
            "text_config.v_head_dim": 8,
            "text_config.qk_nope_head_dim": 8,
            "text_config.qk_head_dim": 16,
            "text_config.index_n_heads": 2,
            "text_config.index_head_dim": 16,
        },
        images={"size": {"longest_edge": 3 * SIDE}, "patch_size": PATCH},
        processor={"patch_size": PATCH, "spatial_merge_size": 2},
    ),
    "muse_glimmer": _grid(
        needs="torchvision",
        mark="<|patch|>",
        special=_MUSE,
        image_processor="",
        ids={"image_token_id": "<|patch|>", "video_token_id": "<|video|>"},
        images={"patch_size": PATCH, "max_image_tokens": 9},
        config={
            "text_config.layer_rope_theta": [10000.0, 0],
            "out_hidden_size": 64,  # of a square of two by two patches
            "projector_hidden_size": 16,
            "vision_config.pos_emb_height": 8,
            "vision_config.pos_emb_width": 8,
        },
    ),
    "minimax_m3_vl": _grid(
        needs="torchvision",
        mark="]<]image[>[",
        special=("]<]image[>[", "]<]video[>[", "]<]start of image[>[", "]<]end of image[>["),
        image_processor="",
        ids={"image_token_index": "]<]image[>[", "video_token_index": "]<]video[>["},
        config={
            "projector_hidden_size": 16,
            "merged_hidden_size": 64,
            "text_config.rotary_dim": 8,
            "text_config.dense_intermediate_size": 16,
            "text_config.shared_intermediate_size": 16,
            "text_config.index_n_heads": 2,
            "text_config.index_head_dim": 8,
        },
    ),
    "gemma4_unified": Row(
        needs="torchvision",
        mark="<|image|>",
        special=("<|video|>",),
        named={
            "image_token": "<|image|>",
            "boi_token": "<|image>",
            "eoi_token": "<image|>",
            "audio_token": "<|audio|>",
            "boa_token": "<|audio>",
            "eoa_token": "<audio|>",
        },
        begin=BEGIN,
        ids={
            "image_token_id": "<|image|>",
            "boi_token_id": "<|image>",
            "eoi_token_id": "<image|>",
            "video_token_id": "<|video|>",
        },
        config={
            "vision_config": {
                "model_type": "gemma4_unified_vision",
                "patch_size": PATCH,
                "mm_embed_dim": 16,
                "mm_posemb_size": 64,
                "output_proj_dims": 16,
            },
        },
        images={"patch_size": PATCH, "max_soft_tokens": 70, "pooling_kernel_size": 3},
    ),
    "step3p7": Row(
        needs="torchvision",
        mark="<im_patch>",
        special=("<im_patch>", "<im_start>", "<im_end>", "<patch_start>", "<patch_end>", "<patch_newline>"),
        ids={"image_token_id": "<im_patch>"},
        config={
            "vision_config.image_size": 64,
            "text_config.share_expert_dim": 16,
            "text_config.n_routed_experts": 4,
            "text_config.sliding_window": 32,
            "text_config.num_sliding_attention_heads": 2,
        },
        images={
            "size": {"height": 64, "width": 64},
            "patch_size": 32,
            "vision_patch_size": PATCH,
            "max_image_size": 64,
        },
    ),
    "inkling2": Row(
        needs="torchvision",
        mark="<|image|>",
        named={"image_token": "<|image|>"},
        ids={"image_token_id": "<|image|>"},
        images={"size": {"height": 40, "width": 40}},
        config={
            "vision_config.patch_size": 20,
            "text_config.unpadded_vocab_size": 321,
            "text_config.swa_num_attention_heads": 2,
            "text_config.swa_num_key_value_heads": 2,
            "text_config.swa_head_dim": 8,
            "text_config.d_rel": 4,
            "text_config.rel_extent": 64,
            "vision_config.text_hidden_size": 16,
            "vision_config.projection_hidden_dim": 16,
            "vision_config.posemb_grid_size": 8,
        },
    ),
    "deepseek_ocr2": Row(
        mark="<image>\n",
        special=("<image>",),
        begin=BEGIN,
        ids={"image_token_id": "<image>"},
        images={"crop_to_patches": False},
        config={
            "vision_config.sam_config.image_size": 1024,
            "vision_config.sam_config.patch_size": 16,
            "vision_config.sam_config.global_attn_indexes": [1],
            "vision_config.sam_config.output_channels": 8,
            "vision_config.sam_config.mlp_dim": 32,
            "vision_config.sam_config.downsample_channels": [8, 16],
            "text_config.mlp_layer_types": ["dense", "sparse"],
            "text_config.num_experts_per_tok": 2,
            "text_config.n_group": 1,
            "text_config.topk_group": 1,
        },
    ),
    "minicpmv4_6": _minicpm(),
    "minicpmv4_7": _minicpm(
        image_start_id="<image>",
        image_end_id="</image>",
        slice_start_id="<slice>",
        slice_end_id="</slice>",
        newline_id="<newline>",
    ),
    "minicpm_ocr": _minicpm(needs="torchvision"),
    "pp_chart2table": Row(
        # Its template writes all tokens of a picture, which its processor leaves alone.
        mark=f"<img>{'<imgpad>' * 256}</img>\n",
        special=("<img>", "</img>", "<imgpad>"),
        ids={"image_token_index": "<imgpad>"},
        images={"size": {"height": 128, "width": 128}},
        config={
            "vision_config.image_size": 128,
            "vision_config.patch_size": 2,
            "vision_config.global_attn_indexes": [1],
            "vision_config.output_channels": 8,
        },
    ),
    "unlimited_ocr": Row(
        needs="torchvision",
        mark="<image>\n",
        special=("<image>",),
        begin=BEGIN,
        ids={"image_token_id": "<image>"},
        images={"crop_to_patches": False},
        config={
            "vision_config.sam_config.image_size": 1024,
            "vision_config.sam_config.patch_size": 16,
            "vision_config.sam_config.global_attn_indexes": [1],
            "vision_config.sam_config.output_channels": 8,
            "vision_config.sam_config.mlp_dim": 32,
            "vision_config.sam_config.downsample_channels": [8, 16],
            "vision_config.encoder_config.image_size": 224,
        },
    ),
    "muse_spark": _grid(
        needs="torchvision",
        mark="<|patch|>",
        special=(*_MUSE, "<|audio|>"),
        image_processor="",
        ids={"image_token_id": "<|patch|>", "video_token_id": "<|video|>", "audio_token_id": "<|audio|>"},
        images={"patch_size": PATCH, "max_image_tokens": 9},
        config={
            "text_config.layer_rope_theta": [10000.0, 0],
            "text_config.mlp_layer_types": ["dense", "sparse"],
            "text_config.moe_hidden_size": 16,
            "out_hidden_size": 64,  # of a square of two by two patches
            "projector_hidden_size": 16,
            "vision_config.pos_emb_height": 8,
            "vision_config.pos_emb_width": 8,
            "audio_config.num_hidden_layers": 2,
            "audio_config.patch_sizes": [4, 4],
            "audio_config.hidden_sizes": [8, 8],
            "audio_config.depths": [1, 1],
            "audio_config.out_hidden_size": 16,
        },
    ),
    "perception_lm": Row(
        needs="timm",
        mark="<|image|>\n",
        named={"image_token": "<|image|>", "video_token": "<|video|>"},
        begin=BEGIN,
        ids={"image_token_id": "<|image|>", "video_token_id": "<|video|>"},
        config={
            "vision_config": {
                "model_type": "timm_wrapper",
                "architecture": "vit_pe_core_tiny_patch16_384",
                "do_pooling": False,
                "model_args": {
                    "embed_dim": 64,
                    "img_size": [2 * SIDE, 2 * SIDE],
                    "depth": 2,
                    "num_heads": 2,
                    "patch_size": PATCH,
                    "global_pool": "",
                    "use_post_transformer_norm": False,
                    "init_values": 0.1,
                    "ref_feat_shape": [4, 4],
                },
            },
            "projector_pooling_ratio": 2,
        },
        images={"tile_size": 2 * SIDE, "max_num_tiles": 4},
        processor={"patch_size": PATCH, "pooling_ratio": 2},
    ),
    "fast_vlm": Row(
        needs="timm",
        mark="<image>\n",
        named={"image_token": "<image>"},
        ids={"image_token_index": "<image>"},
        config={
            "vision_config": {
                "model_type": "timm_wrapper",
                "architecture": "fastvit_mci0",
                "do_pooling": True,
                "global_pool": "avg",
                "hidden_size": 256,
                "model_args": {"inference_mode": True, "layers": [1, 1, 1, 1], "embed_dims": [16, 32, 64, 128]},
            },
        },
        image_processor="CLIPImageProcessorPil",
        images={"size": {"shortest_edge": 4 * SIDE}, "crop_size": {"height": 4 * SIDE, "width": 4 * SIDE}},
        processor={"patch_size": 2 * SIDE, "vision_feature_select_strategy": "full"},
        processor_class="LlavaProcessor",
    ),
}
