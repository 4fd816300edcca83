# Directories as HuggingFace and sentence-transformers have them, small ones that ../shared makes, and tokenizers.
checkpoint bert bert
encode-import bert -o bert.weights; encode -m bert.weights -p model -f csv 'I ride bike'
encode -m bert.weights 'I ride bike'
encode -m bert.weights -p model --prompt query 'I ride bike'; encode -m bert.weights -p model --prompt nonsense x
encode-import bert -o int8.weights --weights int8
encode-import bert -o dry.weights --dry-run --weights bf16
checkpoint half bert --dtype f16 --shards 3 --old-names
encode-import half -o half.weights && encode -m half.weights 'I ride bike'
checkpoint cross bert-cross-encoder
encode-import cross -o cross.weights && encode -m cross.weights --rank 'who rides?' <lines
encode -m cross.weights --labels --pair 'the cat' 'I ride'
checkpoint ner bert-ner
encode-import ner -o ner.weights && encode -m ner.weights --entities 'Anna rides a bike in Paris'
encode -m ner.weights --labels -f json 'Anna rides'
checkpoint mlm bert-mlm
encode-import mlm -o mlm.weights && encode -m mlm.weights --fill 'the [MASK] sat'
checkpoint sst2 distilbert-sst2
encode-import sst2 -o sst2.weights && encode -m sst2.weights --labels --all 'good'
checkpoint electra electra
encode-import electra -o electra.weights && encode -m electra.weights -p mean 'I ride bike'
checkpoint roberta roberta
encode-import roberta -o roberta.weights
encode-import --tokenizer-only $shared/tokenizers/definitions/bert-base-cased.json -o cased.weights && encode -m cased.weights --tokens 'Grüße aus Köln, ÀB'
encode-import --tokenizer-only $shared/tokenizers/definitions/gpt2.json -o gpt2.weights
encode-import --tokenizer-only $shared/tokenizers/definitions/bert-base-chinese.json -o chinese.weights && encode -m chinese.weights --tokens -f json '我骑 bike'
encode-new -o kerasfile.weights --tokenizer $shared/tokenizers/definitions/keras-filters_custom.json --width 8 && encode -m kerasfile.weights --tokens -f ids 'the cat, sat'
