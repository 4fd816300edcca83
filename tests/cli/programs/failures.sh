# Wrong use, and input that cannot be used.
encode --embedding-scale 1e38 'I ride bike'
encode -m missing.weights x
encode -m org/model x; encode -m models/a.weights x; encode-search lines "who rides?"; encode-search 'who rides'
encode -m short.weights x
encode --nonsense
encode-compare words --tokens a b
encode -f xml x
encode --labels x
encode --entities x
encode-compare mask -f csv x
encode --pooling nonsense x
encode --rank q --pair x y
encode --position-base 0 x
printf 'a\xff\n' | encode
encode --input jsonl <lines
encode -o missing/out x
encode-import
encode-import missing -o x.weights
encode-import . -o x.weights
encode-inspect
encode-inspect missing
encode-inspect short.weights
encode-inspect -f xml new.weights
encode-plot
encode-plot nonsense
encode-plot position --kind nonsense
encode-plot attention --head 99 'I ride'
encode-search
encode-search missing.npy
encode-search lines
encode-bench -m missing.weights
encode-bench --shape 1/2
encode-bench --workloads nonsense
