# --precision bf16: nearly the same vectors, the same bits on every processor that fuses multiply-adds (-q: and no note
# where it is slow)
encode -p mean --precision exact "I ride bike"
encode -p mean -q --precision bf16 "I ride bike"
ENGINE_ISA=avx2 encode -p mean --precision fast "I ride bike"
encode --precision f16 "I ride bike"
