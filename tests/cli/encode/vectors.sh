# Vectors, in every format, and what changes them.
encode 'I ride bike'
encode --all -m new.weights 'I ride'
encode <lines
encode -m learned.weights -f json 'I ride bike'
encode -m learned.weights -f csv 'I ride bike'
encode -p none -f npy -o rows.npy 'I ride bike' && head -c 128 rows.npy | tr -d '\0' | cut -c 9- | tr -s ' ' && od -A d -t f4 -j 128 rows.npy | head -n 2
encode -p mean 'I ride bike' 'bike ride I'
encode -m learned.weights -p mean --normalize -f json <lines
encode -m learned.weights -p cls -f csv <lines
encode -m learned.weights -p weighted_mean -f csv -o text.csv <lines && cat text.csv
encode -m new.weights --input jsonl <jsonl
encode -m new.weights --input jsonl -p mean --tokens --dimensions 3 -f json <corpus.jsonl
for type in f32 f16 int8 binary; do encode --input jsonl -p mean --dimensions 11 -f npy --type $type -o $type.npy <corpus.jsonl && tail -c +129 $type.npy | od -A d -t x1 | head -n 2; done
encode --max-tokens 4 --on-long chunk -p mean -f npy --type int8 -o windows.npy <lines; cat windows.npy.rows.jsonl
encode --pad-to 6 'I ride bike'
encode -m learned.weights --pad-to 6 --pad-side left -f csv 'I ride bike'
encode --no-special 'I ride bike'
encode --position none 'I ride bike'
encode --position fourier --frequencies 0.1,0.25 --position-scale 0.5 'I ride bike'
encode --embedding-scale sqrt --mask causal 'I ride bike'
encode --threads 1 -p mean 'I ride bike'
encode --max-tokens 3 --on-long truncate 'the cat sat on the mat'
encode --max-tokens 5 --on-long chunk --stride 1 'the cat sat on the mat'
encode --max-tokens 3 --on-long error 'the cat sat on the mat'
encode --max-tokens 2 --on-long truncate --truncate-left 'the cat sat on the mat'
encode --prompt-text 'the cat ' -p mean 'I ride bike'

# Into an array or a file the default is a vector per text, for which encode-search needs no option.
encode -f npy -o texts.npy <lines && encode-search texts.npy lines --query 'man bites dog' -k 1
encode -p mean -f npy -o texts.npy <lines && encode-search texts.npy lines --query 'man bites dog' -k 1; encode-search -p cls texts.npy lines --query man
encode -p none -f npy -o tokens.npy <lines; encode-search tokens.npy lines --query man
encode -f csv -o texts.csv I && cut -c 1-40 texts.csv; encode -f csv I | cut -c 1-40 | head -n 3; encode -f npy --dimensions 2 --normalize I | tail -c +129 | od -A n -t f4
encode -q -f npy -m plain.weights I | head -c 128 | tail -c +61 | tr -s ' '; encode -f npy -m plain.weights I >out
encode -m labels.weights -f npy I; encode-compare similarity -m labels.weights I ride
