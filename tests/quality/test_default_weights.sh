#!/usr/bin/env bash
# tags: no-coverage long
# The default weights know something: which sentences are near, which word is missing, who bites whom.
#
# Guarantee: least scores for STS-B, typos, SICK, masked words, HANS, passives are reached.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/checks.sh
export ENCODE_MODEL=$tree/weights/default.weights
encode=$programs/encode compare=$programs/encode-compare
quality=$tree/tests/quality

is() { # CONDITION, of awk
    awk "BEGIN { exit !($1) }"
}

# ---- Sentences ----
near() { # A B OPTION...: their cosine
    local a=$1 b=$2
    shift 2
    "$compare" similarity "$@" "$a" "$b" 2>"$folder/err" | awk '$1 == 1 && NF > 3 { print $3 }'
}

run "$compare" similarity 'a man is riding a bicycle' 'somebody rides a bike' 'the stock market fell today' \
    'shares dropped on monday'
check 'four sentences have cosines' [ $code = 0 ]
for row in '1 2 3 4' '2 1 3 4' '3 4 1 2' '4 3 1 2'; do
    read -r i mate other another <<<"$row"
    check "sentence $i: $mate is the nearest, by far" awk -v i="$i" -v m="$mate" -v a="$other" -v b="$another" '
        $1 == i && NF > 5 { found = $(m + 1) > 0.4 && $(m + 1) > $(a + 1) + 0.3 && $(m + 1) > $(b + 1) + 0.3 }
        END { exit !found }' "$folder/out"
done

# ---- Order ----
forth='dog bites man' back='man bites dog'
run "$compare" words "$forth" "$back"
check 'the words of both have other vectors' awk '$1 == "man" && $4 < 0.9 { n++ } END { exit n != 1 }' "$folder/out"
check 'which is said' grep -q 'same word in another place has another vector' <(tr '\n' ' ' <"$folder/out")
check 'so have the texts' is "$(near "$forth" "$back") < 0.9"
check 'and the passive is nearer' is "$(near "$forth" 'man is bitten by dog') > $(near "$forth" "$back") + 0.05"
check 'with other words too' is "$(near 'the doctor examined the engineer' 'the engineer was examined by the doctor') > \
    $(near 'the doctor examined the engineer' 'the engineer examined the doctor') + 0.05"

# ---- Other languages ----
notes() { # TEXT...: what stderr says of them
    printf '%s\n' "$@" | "$encode" -p mean -f npy 2>&1 >/dev/null
}

same='; texts of unknown words get nearly the same vector'
check 'unknown words are noted, with a full stop too' [ "$(notes 'Мужчина играет на гитаре.' 'A man plays.')" = \
    "encode: line 1 of stdin: the model knows 0 of its 4 words$same" ]
check 'English with names and code is not' [ -z "$(notes 'The committee met Zbigniew Brzezinski in Ouagadougou.' \
    'Call foo_bar(x, y) before std::vector::push_back, else you get SIGSEGV.' \
    'The patient was given acetaminophen and amoxicillin for otitis media.' \
    'npm install --save-dev @types/node typescript eslint prettier')" ]
check 'words of two letters are not counted' [ -z "$(notes 'xj qz vk zq jx')" ]
check 'words that are all in pieces are' grep -q '^encode: 4 of 4 texts (100 %) have most of their words in pieces: ' <(
    notes 'Wir haben gestern im Garten unter dem alten Apfelbaum gegessen.' \
        'Czy możesz mi powiedzieć, kiedy odjeżdża następny pociąg?' 'Hava beklediğimizden daha kötüydü.' \
        'Hôm qua chúng tôi ăn trưa dưới gốc cây táo trong vườn.')

# ---- Negations and opposites ----
check 'another way to say it is nearer than nobody' is "$(near 'a man is playing a guitar' 'a person plays music') > \
    $(near 'a man is playing a guitar' 'nobody is playing a guitar')"
check 'glad is nearer to happy than sad' is "$(near 'he is happy' 'he is glad') > $(near 'he is happy' 'he is sad') + 0.1"
check 'without positions the texts are one' [ "$(near "$forth" "$back" --position none)" = 1.0000 ]
run "$compare" words --position none "$forth" "$back"
check 'and so are their words' grep -q 'order of the words makes no difference' <(tr '\n' ' ' <"$folder/out")

# ---- Masked words ----
gives() { # TEXT PATTERN: the first guess
    run "$encode" --fill "$1"
    check "'$1' gives $2" grep -qxE "$2" <(awk 'seen { print $1; exit } /probability/ { seen = 1 }' "$folder/out")
}
gives 'the dog [MASK] at the man' 'look(s|ed|ing)?'
gives 'a man is riding a [MASK] .' 'horse|bike|bicycle|motorcycle|skateboard'
gives 'she [MASK] the door and went out .' 'opened|shut|closed'
gives 'I do [MASK] know what to do .' not
gives 'thank you very [MASK] .' much
gives 'the president of the united [MASK] .' states
gives 'two dogs play in the [MASK] .' 'game|field|grass|park|water|snow|yard'

# ---- Orders and heads ----
run "$programs/encode-plot" order -f data 'The quick brown fox'
orders=$(awk -F '\t' '/ / && $2 + 0 > 0 { print $2 "\t" $1 }' "$folder/out" | sort -g | cut -f 2)
check 'a sentence moves least where the fox stays last' [ "$(head -n 3 <<<"$orders" | grep -c ' fox$')" = 3 ]
check 'most where the words come backwards' [ "$(tail -n 1 <<<"$orders")" = 'fox brown quick The' ]
run "$programs/encode-plot" attention --layer 1 --head 3 -f data 'The cat sat on the mat'
check 'in head 3 words look around their own place' awk -F '\t' '
    NF == 9 && $1 != "name" { n++; near = $(n + 1); if (n > 1) near += $n; if (n < 8) near += $(n + 2); if (near < 0.6) far = 1 }
    END { exit far || n != 8 }' "$folder/out"

# ---- Against people's judgement ----
python=/usr/bin/python3
if [ ! -d "$shared/text/evaluation" ]; then
    echo 'skipped: no ../shared with sentences that people have judged'
    n_skipped=1
elif ! $python -c 'import numpy' 2>/dev/null; then
    echo "skipped: $python has no numpy"
    n_skipped=1
else
    run $python "$quality/quality.py" --encode "$encode" --text "$shared/text" --quick
    at_least() { # ROW FLOOR
        local figure
        figure=$(awk -F ' *\\| *' -v row="$1" 'index($2, row) { print $3; exit }' "$folder/out")
        check "$1: $2 or more" is "${figure:-0} >= $2"
    }
    at_least 'STS-B dev' 0.81
    at_least 'SICK trial' 0.76
    at_least 'SICK train' 0.75
    at_least 'masked words, first guess' 0.37
    at_least 'masked words, first five' 0.60
    at_least 'STS-B dev, typed errors in each text: 1' 0.71
    at_least 'of any two pairs the one that says the same' 0.13
    at_least 'HANS, 1000 reordered: share over 0.05' 0.75
    at_least 'passives: said otherwise' 0.8
    at_least 'of kind passive: said' 0.8
    at_least 'of kind passive, full stops' 0.75
    at_least 'of kind negation: said' 0.6
    at_least 'of kind negation, full stops' 0.6
    at_least 'of kind antonym: said' 0.45
    at_least 'of kind antonym, full stops' 0.45
    for row in STS-B 'SICK trial' 'SICK train'; do
        check "$row: above the mean of word vectors, and TF-IDF" awk -F ' *\\| *' -v row="$row" '
            index($2, row) { found = $4 > 0 && $3 > $4 && $5 > 0 && $3 > $5 } END { exit !found }' "$folder/out"
    done
fi

finish
