# --precision bf16: nearly the same vectors, the same bits on every processor that fuses multiply-adds
encode -p mean --precision exact "I ride bike"
encode -p mean --precision bf16 "I ride bike"
encode --precision f16 "I ride bike"
