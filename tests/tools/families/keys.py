#!/usr/bin/env python3
"""Compares what the code of transformers reads and writes of config.json with what encode-import knows.

    keys.py read            KEY FAMILY ... of each key that the installed transformers reads (by ast)
    keys.py check           keys that tools/import/ neither reads, nor knows as harmless, nor refuses; exit code 1
    keys.py saved           config.json as save_pretrained writes it, a line for each family: saved_configs.jsonl
                            has those of transformers 4.57 and 5.23

Needs transformers (what it depends on, and torch, for `saved` alone): run it with each version that matters;
keys.sh runs check with the newest. A new key of `check` is settled in
tools/import/families/ (used), or in tools/import/files/json_file.c (harmless, or refused unless it has its default).
"""
import ast
import functools
import importlib.util
import json
import os
import re
import sys
import tempfile

ROOT = importlib.util.find_spec("transformers").submodule_search_locations[0]
HERE = os.path.dirname(os.path.abspath(__file__))
IMPORT = os.path.join(HERE, "../../../tools/import")
FAMILIES = ("bert distilbert electra roberta xlm_roberta camembert mpnet albert nomic_bert modernbert gemma3 "
            "qwen3 qwen2 llama mistral eurobert t5 gte jina_embeddings_v3 embedding_gemma2 "
            "deberta deberta_v2 clip siglip ernie megatron_bert xlm_roberta_xl roformer").split()
BODIES = "mpnet gemma3 embedding_gemma2 qwen3 qwen2 llama mistral eurobert t5".split()  # of which no head is imported, or is as of others
EVERYONES = ["configuration_utils.py", "modeling_utils.py", "masking_utils.py", "modeling_rope_utils.py",
             "modeling_layers.py", "pytorch_utils.py", "utils/generic.py", "utils/output_capturing.py",
             "models/auto/auto_factory.py", "models/auto/configuration_auto.py", "models/auto/tokenization_auto.py"]

# Names in that code that are no keys of a file: methods and classes, arguments of functions, what save_pretrained
# computes; and keys of Gemma 3's vision, of composite models, of audio, of adapters.
NO_KEYS = set("""self get pop items keys values update append add endswith popleft removesuffix replace copy fget mapping
    kwargs token revision cache_dir force_download proxies local_files_only subfolder code_revision gguf_file
    trust_remote_code return_unused_kwargs resume_download use_auth_token commit_message repo_id config_class
    base_config_key sub_configs sub_configs_defaults attribute_map init_kwargs default_theta optional
    is_heterogeneous is_quantized quant_method hf_quantizer dequantize get_loading_attributes from_model_config
    has_no_defaults_at_init base_model_tp_plan base_model_pp_plan base_model_ep_plan base_model_fsdp_plan extra_files
    extra_config_files create_compatible_mapping device_mesh disk_offload_folder offload_buffers weights_only
    pretrained_model_name_or_path ignore_mismatched_sizes weight_mapping dtype_plan enable_expert_parallel
    disable_mmap sharded_metadata sanitize_kernel_mapping files_loaded added_tokens_decoder additional_special_tokens
    extra_special_tokens fast_tokenizer_files special_tokens_map_file tokenizer_file slow_tokenizer_class chat_template
    add_bos_token add_eos_token chat_control_tokens response_template init_inputs load_in_4bit load_in_8bit
    full_attention sliding_attention default_rope_type ignore_keys_at_rope_validation
    vision_use_head image_size patch_size mm_tokens_per_image image_token_index boi_token_index
    eoi_token_index encoder decoder decoder_hidden_size is_composition out_indices use_pretrained_backbone
    features_only num_channels mtp_layer_types mtp_mlp_layer_types mlp_layer_types num_mtp_layers get_text_config
    mtp_per_layer_config mtp_hidden_states_first chain_hidden_post_norm original_max_position_embeddings head_width
    embed_dim num_heads rope_type rope_theta_by_layer kv_sharing_modes number_of_conv_states fusion_config
    output_proj_dims pooling_kernel_size default_rope_params first_k_dense_replace unpadded_vocab_size
    logits_mup_width_multiplier""".split())


def is_config(node):
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return "config" in name


def text_of(node):
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


@functools.cache
def methods_of_configs():
    """Of the base class of configs and what it inherits; properties may be keys."""
    found = set(dir(object)) | {"validate"}  # which huggingface_hub's @strict adds
    for name in ("configuration_utils.py", "modeling_rope_utils.py", "utils/hub.py"):
        path = os.path.join(ROOT, name)
        for node in ast.walk(ast.parse(open(path).read())) if os.path.exists(path) else ():
            if isinstance(node, ast.ClassDef) and re.search("^Pre[Tt]rainedConfig$|Mixin$", node.name):
                found |= {part.name for part in node.body if isinstance(part, ast.FunctionDef)
                          and not any(re.search("property|setter", ast.dump(mark)) for mark in part.decorator_list)}
    return found


def keys_of(path):
    """config.KEY, getattr(config, "KEY"), config.get("KEY"), "KEY" in config; and the fields of a config class."""
    found = set()
    is_class = os.path.basename(path).startswith("configuration")
    for node in ast.walk(ast.parse(open(path).read())):
        if isinstance(node, ast.Attribute) and is_config(node.value):
            found.add(node.attr)
        elif isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            on = node.args[0] if name in ("getattr", "hasattr") and node.args else getattr(node.func, "value", None)
            at = 1 if name in ("getattr", "hasattr") else 0
            if name in ("getattr", "hasattr", "get", "pop") and len(node.args) > at and (is_class or is_config(on)):
                found.add(text_of(node.args[at]))
        elif isinstance(node, ast.Subscript) and is_config(node.value):
            found.add(text_of(node.slice))
        elif isinstance(node, ast.Compare) and any(is_config(other) for other in node.comparators):
            found.add(text_of(node.left))
        elif is_class and isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
        elif is_class and isinstance(node, ast.FunctionDef) and node.name == "__init__":
            found |= {argument.arg for argument in node.args.args}
    methods = methods_of_configs()
    return {key for key in found - methods if key and key.isidentifier() and not key.startswith("__")} - NO_KEYS


def read_by_code():
    """{key: families}"""
    out = {}
    for name in EVERYONES:
        path = os.path.join(ROOT, name)
        for key in keys_of(path) if os.path.exists(path) else ():
            out.setdefault(key, set()).add("all")
    for family in FAMILIES:
        for kind in ("modeling", "configuration"):
            path = os.path.join(ROOT, "models", family, f"{kind}_{family}.py")
            for key in keys_of(path) if os.path.exists(path) else ():
                out.setdefault(key, set()).add(family)
    return {key: value for key, value in out.items() if not key.startswith("_")}


def known_here():
    """Every word between quotes in the sources of encode-import."""
    words = set()
    for folder, _, names in os.walk(IMPORT):
        for name in names:
            text = open(os.path.join(folder, name)).read() if name.endswith((".c", ".h")) else ""
            for quoted in re.findall(r'"((?:[^"\\\n]|\\.)*)"', text):
                words |= set(quoted.split())
    return words


def settings(name, config_class):
    """Small, and what encode-import asks for."""
    sizes = {"vocab_size": 100, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4,
             "intermediate_size": 64, "max_position_embeddings": 40}
    other = {"hidden_size": "dim", "num_hidden_layers": "n_layers", "num_attention_heads": "n_heads",
             "intermediate_size": "hidden_dim"}
    if name == "distilbert":
        sizes = {other.get(key, key): value for key, value in sizes.items()}
    if name == "t5":
        sizes = {"vocab_size": 100, "d_model": 32, "num_layers": 2, "num_heads": 4, "d_ff": 64, "d_kv": 8}
    if name == "gemma3":
        sizes.update(use_bidirectional_attention=True, head_dim=8, num_key_value_heads=2)
    if name in ("qwen3", "qwen2", "mistral"):
        sizes.update(head_dim=8, num_key_value_heads=2)
    return config_class(**sizes)


def saved():
    import transformers
    classes = {"bert": "Bert", "distilbert": "DistilBert", "electra": "Electra", "roberta": "Roberta",
               "xlm_roberta": "XLMRoberta", "camembert": "Camembert", "mpnet": "MPNet", "albert": "Albert",
               "nomic_bert": "NomicBert", "modernbert": "ModernBert", "gemma3": "Gemma3Text", "qwen3": "Qwen3",
               "qwen2": "Qwen2", "llama": "Llama", "mistral": "Mistral", "eurobert": "EuroBert", "t5": "T5",
               "deberta_v2": "DebertaV2", "ernie": "Ernie", "megatron_bert": "MegatronBert",
               "xlm_roberta_xl": "XLMRobertaXL", "roformer": "RoFormer"}
    wholes = {name: name for name in ("CLIP", "Siglip", "Siglip2", "EmbeddingGemma2")}
    for name, prefix in {**classes, **wholes}.items():
        for head in ("Model", "ForSequenceClassification"):
            model = getattr(transformers, prefix + head, None)
            if model is None or (head != "Model" and (name in BODIES or name in wholes)):
                continue
            config_class = getattr(transformers, prefix + "Config")
            config = config_class() if name in wholes else settings(name, config_class)
            config.architectures = [prefix + head]
            if head != "Model":
                config.num_labels = 1
            with tempfile.TemporaryDirectory() as folder:
                config.save_pretrained(folder)
                print(json.dumps(json.load(open(os.path.join(folder, "config.json")))))


def main():
    if sys.argv[1:] == ["saved"]:
        return saved()
    reads = read_by_code()
    missing = {} if sys.argv[1:] == ["read"] else {key: value for key, value in reads.items()
                                                   if key not in known_here()}
    for key, families in sorted((reads if sys.argv[1:] == ["read"] else missing).items()):
        print(key, *sorted(families))
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
