# Checkpoints as people have them: pointers of Git LFS, downloads that are incomplete, formats of others, the Hub's cache.
pointer() { printf 'version https://git-lfs.github.com/spec/v1\noid sha256:%064d\nsize 90868376\n' 7; }
bert() { mkdir -p "$1" && printf '{"architectures": ["BertModel"], "model_type": "bert", "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16, "vocab_size": 9, "max_position_embeddings": 16, "type_vocab_size": 2, "hidden_act": "gelu", "layer_norm_eps": 1e-12, "hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1, "initializer_range": 0.02, "pad_token_id": 0}\n' >"$1/config.json"; }
bert lfs; cp list lfs/vocab.txt; pointer >lfs/model.safetensors; encode-import lfs -o x.weights
bert tok; pointer >tok/tokenizer.json; encode-import tok -o x.weights; bert none; encode-import none -o x.weights; mkdir empty; encode-import empty -o x.weights
bert st; printf '[{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"}, {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}]' >st/modules.json; encode-import st -o x.weights
bert sharded; cp list sharded/vocab.txt; printf '{"weight_map": {"a": "model-00001-of-00002.safetensors"}}' >sharded/model.safetensors.index.json; encode-import sharded -o x.weights
for file in model.onnx onnx/model.onnx tf_model.h5 flax_model.msgpack; do bert other; cp list other/vocab.txt; mkdir -p other/onnx; : >other/$file; encode-import other -o x.weights; rm -r other; done
: >x.gguf; : >x.onnx; encode-import x.gguf -o x.weights; encode-import x.onnx -o x.weights; encode -m x.onnx dog; encode -m x.gguf dog
encode-import sentence-transformers/all-MiniLM-L6-v2 -o x.weights; encode-import ./nowhere -o x.weights
mkdir -p models--a--b/refs models--a--b/snapshots models--a--b/blobs; printf abc123 >models--a--b/refs/main; bert models--a--b/snapshots/abc123; encode-import models--a--b -o x.weights; encode-import -q models--a--b -o x.weights
printf '../..' >models--a--b/refs/main; encode-import models--a--b -o x.weights
