# inputs.sh - the files that the cases read; test_cli.sh sources it in an empty folder.
printf 'I ride bike\nthe cat sat on the mat\n\nbike ride I\nman bites dog\ndog bites man\n' >lines
printf '[PAD]\n[UNK]\n[CLS]\n[SEP]\nI\nride\nbike\nthe\ncat\n' >list
printf 'the 0.1 0.2 -0.3 1\ncat 1 0 0.5 -1\nsat 0.25 1e-3 2 3\nI -1 -2 -3 -4\nride 1 1 1 1\nbike 0 1 0 1\n' >vectors
printf '2 3\nking 1 2 3\nqueen 3 2 1\n' >word2vec
printf 'a 1 2 3\nb 1 2\n' >bad-vectors
cat >jsonl <<'END'
"I ride bike"
["I ride", "bike"]
{"text": "the cat", "pair": "sat"}
{"ids": [2, 3, 4, 1], "mask": [1, 1, 1, 0]}
END
cat >corpus.jsonl <<'END'
{"_id": "d1", "title": "The cat", "text": "sat on the mat", "year": 1.50}
{"_id": "d2", "title": "", "text": "man bites dog", "metadata": {"a": [1, 2]}}
END
cat >keras.json <<'END'
{"class_name": "Tokenizer", "config": {"num_words": 6, "filters": "!,.", "lower": true, "split": " ", "char_level": false,
"oov_token": "<o>", "word_index": "{\"<o>\": 1, \"i\": 2, \"ride\": 3, \"bike\": 4, \"cat\": 5, \"mat\": 6}"}}
END
head -c 2000 default.weights >short.weights
{
    encode-new -o new.weights --words 'I ride bike the cat sat' --width 8 --layers 1
    encode-new -o learned.weights --position learned --position-offset 2 --words 'I ride bike' --max-tokens 9 --width 8 --layers 1
    encode-new -o labels.weights --fit lines --layers 0 --width 8 --position learned --labels negative,neutral,positive
    encode-new -o token.weights --words 'I ride bike' --width 8 --layers 1 --head token --labels O,B-x,I-x --scores softmax
    encode-new -o rms.weights --words 'I ride bike' --width 8 --layers 1 --norm rms --norm-place pre --final-norm yes --activation silu \
        --gate first --mask causal --pooling last --type bf16 --embedding-norm rms --embedding-scale sqrt
} 2>/dev/null
# Models of few words, and those whose answers can be worked out by hand (tests/tools/encode/head_models.h).
{
    encode-new -o toy.weights --name Toy --keras --max-tokens 16 --width 8 --heads 2 --token-types 2 \
        --words '[PAD] [UNK] i ride bike dog cat 桜 naïve' --add-token '[CLS]' --add-token '[SEP]' \
        --template-single '[CLS]:0 A:0 [SEP]:0' --template-pair '[CLS]:0 A:0 [SEP]:0 B:1 [SEP]:1'
    echo 'i ride bike dog cat' | encode-new -o plain.weights --name Plain --fit - --oov '' --width 8 --heads 2 \
        --max-tokens 64 --pooling none --normalize no
    hand_models
} 2>/dev/null
