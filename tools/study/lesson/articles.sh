# articles.sh - four articles' numbers and figures, each with the command that makes it here: the second tab of
# the lesson; read by tools/study/lesson.sh with `.`. A number is compared, a figure must have been drawn.
#
#     number WHAT ARTICLE NUMBER TOLERANCE COMMAND   the command prints one number
#     more   WHAT ARTICLE LEAST COMMAND              the command prints one number, larger than that
#     text   WHAT ARTICLE EXPECTED COMMAND           the command prints this
#     like   WHAT ARTICLE PATTERN COMMAND            the command prints what fits the pattern
#     drawn  WHAT ARTICLE FILE ALT COMMAND           the command draws FILE, a PNG
#
# Before one of them, where the article does not print what is compared:
#
#     by_formula ...       the article has a formula or code, and no number: what that gives
#     differs WHY ...      here it must be another number than there, and why

n_right=0 n_by_formula=0 n_different=0 n_wrong=0 n_absent=0 kind=own why=''

# Text for HTML. The shell does it itself: the tab asks some hundred times.
html() {
    local text
    IFS= read -rd '' text || :
    text=${text//&/"&amp;"}
    text=${text//</"&lt;"}
    text=${text//>/"&gt;"}
    printf '%s' "${text//'"'/"&quot;"}"
}

# A command for HTML, in which no line ends within an option's name.
options_whole() {
    html | sed -E 's/(^| )(--?[a-z][a-z-]*)/\1<span>\2<\/span>/g'
}

# Runs a command line as a reader would type it in a folder with the files of the last list of the tab.
run() {
    bash -c "$1" </dev/null >out 2>err
}

by_formula() {
    kind=formula
    "$@"
    kind=own
}

differs() { # WHY, for HTML
    kind=other why=$1
    shift
    "$@"
    kind=own why=''
}

article() { # TITLE REMARK
    echo "<h2>$(html <<<"$1")</h2>"
    [ -z "${2:-}" ] || echo "<p>$2</p>"
    echo '<table><thead><tr><th scope="col">What the article shows</th><th scope="col">There</th>'
    echo '<th scope="col">Here</th></tr></thead><tbody>'
}

article_end() {
    echo '</tbody></table>'
}

row() { # WHAT ARTICLE VALUE IS_RIGHT COMMAND [MORE]
    local class=$kind remark=''
    if [ "$4" != yes ]; then
        n_wrong=$((n_wrong + 1)) class=wrong
        echo "lesson: wrong: $1: there $2, here $3: $5" >&2
    else
        case $kind in
        own) n_right=$((n_right + 1)) ;;
        formula) n_by_formula=$((n_by_formula + 1)) remark=' <small>by its formula</small>' ;;
        other) n_different=$((n_different + 1)) remark=" <small>not as there: $why</small>" ;;
        esac
    fi
    echo "<tr class=\"row\"><th scope=\"row\">$1</th><td>$(html <<<"$2")</td>"
    echo "<td class=\"$class\">$(html <<<"$3")$remark</td></tr>"
    echo "<tr><td class=\"command\" colspan=\"3\"><code>\$ $(options_whole <<<"$5")</code>${6:-}</td></tr>"
}

# What a command prints, on one line; a command that fails is a value that is wrong.
value_of() {
    if run "$1"; then
        tr -d '\r' <out | tr '\n' ' ' | sed 's/ *$//'
    else
        echo "failed: $(head -n 1 err)"
    fi
}

is_near() { # A B TOLERANCE
    awk -v a="$1" -v b="$2" -v tolerance="$3" 'BEGIN {
        number = "^[-+]?[0-9]*[.]?[0-9]+([eE][-+]?[0-9]+)?$"
        difference = a - b
        print (a ~ number && b ~ number && difference <= tolerance && -difference <= tolerance) ? "yes" : "no"
    }'
}

number() {
    local value
    value=$(value_of "$5")
    row "$1" "$2" "$value" "$(is_near "$value" "$3" "$4")" "$5"
}

more() {
    local value
    value=$(value_of "$4")
    row "$1" "$2" "$value" "$(awk -v a="$value" -v least="$3" 'BEGIN { print (a ~ /^[0-9.]+$/ && a + 0 > least) ? "yes" : "no" }')" "$4"
}

text() {
    local value right=no
    value=$(value_of "$4")
    [ "$value" != "$3" ] || right=yes
    row "$1" "$2" "$value" $right "$4"
}

like() {
    local value right=no
    value=$(value_of "$4")
    # shellcheck disable=SC2053 # a pattern
    [[ $value != $3 ]] || right=yes
    row "$1" "$2" "$value" $right "$4"
}

drawn() {
    local right=no image=''
    if run "$5" && [ -s "$3" ]; then
        right=yes
        n_pictures=$((n_pictures + 1))
        image="<img alt=\"$(html <<<"$4")\" src=\"data:image/png;base64,$(base64 -w0 "$3")\" />"
    else
        cat err >&2
    fi
    row "$1" "$2" "$([ $right = yes ] && echo 'picture below' || echo 'no picture')" $right "$5" "$image"
}

# What is not shown, and why.
absent() { # WHAT ARTICLE WHY
    n_absent=$((n_absent + 1))
    echo "<tr class=\"row\"><th scope=\"row\">$1</th><td>$(html <<<"$2")</td><td>left out: $3</td></tr>"
}

# What the tab begins with, when all is counted.
articles_begin() {
    echo "<p>Each row is a number or a figure of one of four articles on positions, the command that makes it, and what it gave"
    echo "here. Of $((n_right + n_by_formula + n_different + n_wrong)) rows $n_right are as in the article, $n_by_formula are what"
    echo "a formula there gives, and $n_different cannot be as there, with the reason beside them. Commands run with"
    echo "<code>ENCODE_MODEL</code> naming the default weights; the files that they read are at the end.</p>"
}

# The tab goes to stdout.
articles_tab() {
    n_pictures=0
    export ENCODE_MODEL="$tree/weights/default.weights" MODEL="$model" VECTORS="$vectors"
    make_inputs
    notebook
    masks_article
    attention_article
    overview_article
    show_inputs
}

articles_counts() {
    echo "numbers and figures of the articles: $n_right as there, $n_by_formula by their formulas," \
        "$n_different different with the reason, $n_wrong wrong, $n_absent skipped"
}

# ---- The files that commands read ----

make_jane='encode-new -o jane.weights --tokenizer jane.json --layers 0 --width 4'
make_two="encode-new -o two.weights --fit two.txt --oov '' --layers 0 --width 100"

make_inputs() {
    printf '%s\n' '{"ids": [5, 7, 9]}' '{"ids": [3, 2, 4, 1]}' '{"ids": [6, 1, 8, 4, 2]}' >scores.jsonl
    printf '{"ids": [%s]}\n' '71, 121, 4, 56, 99, 2344, 345, 1284, 15' '56, 1285, 15, 181, 545' '87, 600' >rows.jsonl
    cp "$tree/tools/study/lesson/table.awk" .
    printf 'the 0 0 0\ncat 0.1 0.2 0.3\n' >cat.txt
    printf '%s\n' 'Do you know when Jane is going to visit Africa' 'Jane visits Africa in September' 'Exciting !' >jane.txt
    tr -d '\n' >jane.json <<'JSON'
{"class_name": "Tokenizer", "config": {"num_words": null, "filters": "", "lower": true, "split": " ",
 "char_level": false, "oov_token": null, "word_index": "{\"do\": 71, \"you\": 121, \"know\": 4, \"jane\": 56,
 \"is\": 99, \"going\": 2344, \"to\": 345, \"visit\": 1284, \"africa\": 15, \"visits\": 1285, \"in\": 181,
 \"september\": 545, \"exciting\": 87, \"!\": 600}"}}
JSON
    printf '%s\n' 'king queen man woman dog wolf football basketball red green yellow' \
        'man queen yellow basketball green dog woman football king red wolf' >two.txt
    run "$make_jane" && run "$make_two" || fail "$(cat err)"
}

show_inputs() {
    local file
    echo '<details><summary>The files that these commands read</summary>'
    echo '<p><code>table.awk</code> is <code>tools/study/lesson/table.awk</code> of the source. Two files of weights are made by'
    echo "<code>$make_jane</code> and <code>$make_two</code>.</p>"
    for file in two.txt jane.txt jane.json rows.jsonl scores.jsonl cat.txt; do
        echo "<p><code>$file</code></p><pre>$(html <$file)</pre>"
    done
    echo '</details>'
}

# ---- What several rows look at ----

drawn100='encode-plot position --position sinusoidal --width 100 -n 100'
first='"$(sed -n 1p two.txt)"' second='"$(sed -n 2p two.txt)"'
table="awk -F'\\t' -f table.awk -v ask"

# The shape of an array in NumPy's format, from its header.
shape="head -c 128 | grep -ao '([0-9, ]*)'"

# Two texts of the same words: the largest difference between the vectors of a word in both, without
# positions and with them.
same_words() { # A B
    local compare="encode-compare words --mask full -f json '$1' '$2'" largest="sed 's/.*\"largest_difference\": \\([^,]*\\).*/\\1/'"
    number "“$1” and “$2” without positions: the largest difference of a word's two vectors" 'the same' 0 1e-5 \
        "$compare --position none | $largest"
    more 'and with positions' 'not the same' 0.01 "$compare --position sinusoidal | $largest"
}

# ---- The notebook: positional encodings and GloVe ----

notebook() {
    article 'A notebook on what goes into a transformer' \
        'Positional encodings of 100 places in 100 columns.'
    number 'Length of the encoding of place 34: √50' '7.0710673' 7.0710678 1e-6 \
        "$drawn100 --kind correlation -f data | awk -F'\\t' '\$1 == 34 { printf \"%.8g\", sqrt(\$36) }'"
    text 'Length of the encoding of any place: the least and the largest' 'always approximately 7.071068' '7.0710678 7.0710678' \
        "$drawn100 -f data | $table=lengths"
    number 'Distance of the encodings of places 70 and 72' '3.2668781' 3.2668781 2e-7 \
        "$drawn100 --kind distance -f data | awk -F'\\t' '\$1 == 70 { print \$74 }'"
    text 'Distance of any two places that are 2 apart: the least and the largest' 'nearly the same' '3.2668781 3.2668781' \
        "$drawn100 --kind distance -f data | $table=apart -v k=2"
    drawn 'The encodings as a heat map' 'figure' notebook-position.png \
        'Heat map of 100 positions by 100 columns in red and blue.' \
        "$drawn100 --size 480x300 -o notebook-position.png"
    drawn '“Correlation”, PE·PEᵀ' 'figure' notebook-correlation.png \
        'Heat map of 100 by 100 positions, largest on the diagonal.' \
        "$drawn100 --kind correlation --size 480x300 -o notebook-correlation.png"
    text 'It is symmetric, and largest on the diagonal: rows, values unlike their mirror image, values not below the diagonal' \
        'perfectly symmetric, largest on the diagonal' '100 0 0' "$drawn100 --kind correlation -f data | $table=symmetric"
    drawn 'Euclidean distances' 'figure' notebook-distance.png \
        'Heat map of 100 by 100 positions, zero on the diagonal.' \
        "$drawn100 --kind distance --size 480x300 -o notebook-distance.png"
    text 'Its diagonal: how many values, the least, the largest' 'all zero' '100 0 0' \
        "$drawn100 --kind distance -f data | $table=diagonal"
    article_end

    article 'The same notebook: two sentences' \
        'Eleven words in two orders: <em>king queen man woman dog wolf football basketball red green yellow</em>, and <em>man queen yellow basketball green dog woman football king red wolf</em>.'
    number 'Unique tokens' '11' 11 0 "encode -m two.weights -f ids <two.txt | tr ' ' '\n' | sort -u | wc -l"
    text 'Sequences' '[[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], [3, 2, 11, 8, 10, 5, 4, 7, 1, 9, 6]]' \
        '1 2 3 4 5 6 7 8 9 10 11 3 2 11 8 10 5 4 7 1 9 6' 'encode -m two.weights --tokens -f ids <two.txt'
    text 'Padded to 100, shape' '(2, 100)' '(2, 100)' "encode -m two.weights --tokens --pad-to 100 --pad-side right --on-long truncate -f npy <two.txt | $shape"
    text 'Padded to 100, the matrix' '[[1 2 3 4 5 6 7 8 9 10 11 0 … 0] [3 2 11 8 10 5 4 7 1 9 6 0 … 0]]' \
        "1 2 3 4 5 6 7 8 9 10 11$(printf ' 0%.0s' {1..89}) 3 2 11 8 10 5 4 7 1 9 6$(printf ' 0%.0s' {1..89})" \
        'encode -m two.weights --tokens --pad-to 100 --pad-side right --on-long truncate -f ids <two.txt'
    text 'Embedding matrix: eleven words, padding, 100 columns; here of seeded random numbers, which have that shape and no meaning' '(12, 100)' '[12, 100]' \
        "encode-inspect two.weights | awk '\$1 == \"embedding.token.weight\" { print \$4, \$5 }'"
    text 'Embeddings of both texts, by the same random table' '(2, 100, 100)' '(2, 100, 100)' "encode -m two.weights -p none --pad-to 100 -f npy <two.txt | $shape"
    article_end
    notebook_words
}

# ---- The same words as vectors with a meaning ----

notebook_words() {
    local columns=0 n_words=0
    if [ -n "$vectors" ]; then
        words_model='-m glove.weights'
        columns=$(($(head -n 1 "$vectors" | wc -w) - 1)) n_words=$(wc -l <"$vectors")
        article 'The same notebook: GloVe' "The notebook takes GloVe's vectors of 400,000 words in 100 columns; here
they are those of <code>$(basename "$vectors" | html)</code>: $n_words words in $columns columns."
        glove_shapes
    else
        words_model=''
        article 'The same notebook: GloVe' 'Here without a file of GloVe vectors (<code>tools/study/lesson.sh -g FILE</code>):
the words have the vectors of the default weights.'
        absent 'Vectors found' '400000, (100,)' 'no file of vectors was given'
    fi
    words_in_the_plane
    article_end
}

# A file of another shape gives other numbers than the notebook's, and is not taken for it.
glove_shapes() {
    local as=(differs "$n_words words in $columns columns, another file")
    [ "$n_words $columns" != '400000 100' ] || as=()
    "${as[@]}" text 'Vectors found, and their width' '400000, (100,)' "$n_words words of $columns numbers" \
        'encode-import --vectors "$VECTORS" -o all.weights 2>&1 | grep -oE "[0-9]+ words of [0-9]+ numbers"'
    number 'Words of the two texts that have a vector' '11' 11 0 \
        'encode-import --vectors "$VECTORS" --only-words-of two.txt --position sinusoidal --max-tokens 100 -o glove.weights 2>&1 | sed -n "s/.*: \([0-9]*\) words of.*/\1/p"'
    [ "$columns" != 100 ] || as=()
    "${as[@]}" text 'Embedding matrix' '(12, 100)' "[12, $columns]" \
        "encode-inspect glove.weights | awk '\$1 == \"embedding.token.weight\" { print \$4, \$5 }'"
    "${as[@]}" text 'Embeddings of both texts' '(2, 100, 100)' "(2, 100, $columns)" \
        "encode -m glove.weights -p none --pad-to 100 -f npy <two.txt | $shape"
}

words_in_the_plane() {
    plane 'Words in the plane, without positions; each sentence has components of its own, as in the notebook' none 1 1
    like 'How far the same word is from itself in the other figure, at most' 'the same figure twice' '1[0-9] words, 0.000' \
        "$(words_command none 1 1) -f data $first $second | $table=moved"
    [ -z "$vectors" ] || text 'Words of like meaning lie close: which of four is nearest to “king”' 'similar words are close' queen \
        "encode -m glove.weights --position none --rank king --top 1 -f csv football red queen dog | sed -n '2s/.*,//p'"
    plane 'With positions, W1 : W2 = 1 : 1' sinusoidal 1 1
    like 'How far it is from itself with positions' 'another figure' '1[0-9] words, [0-9]*[1-9]*' \
        "$(words_command sinusoidal 1 1) -f data $first $second | $table=moved"
    like 'Distance of red and wolf in the plane without positions: first sentence, second sentence' '(no difference)' 'same: *' \
        "$(words_command none 1 1) -f data $first $second | $table=nearer -v a=red -v b=wolf"
    if [ -n "$vectors" ]; then
        like 'The same distances with positions' 'red and wolf “now appear closer together” in the second' 'nearer: *' \
            "$(words_command sinusoidal 1 1) -f data $first $second | $table=nearer -v a=red -v b=wolf"
    fi
    plane 'W1 : W2 = 1 : 10' sinusoidal 1 10
    plane 'W1 : W2 = 10 : 1' sinusoidal 10 1
    plane 'W1 : W2 = √d : 1' sinusoidal sqrt 1
}

words_command() { # POSITION W1 W2
    if [ "$1" = none ]; then
        echo "encode-plot words $words_model --fit each --position none"
    else
        echo "encode-plot words $words_model --fit each --position $1 --embedding-scale $2 --position-scale $3"
    fi
}

plane() { # WHAT POSITION W1 W2
    drawn "$1: both sentences" 'two figures' "words-$2-$3-$4.png" 'Two scatter plots of the same eleven words.' \
        "$(words_command "$2" "$3" "$4") --size 640x320 -o words-$2-$3-$4.png $first $second"
}

# ---- Masks ----

masks_article() {
    article 'Positional encoding and masking'
    text '“I love ice cream” is four tokens' '4' 4 'encode --tokens --no-special -f ids "I love ice cream" | wc -w'
    same_words 'I ride bike' 'bike ride I'
    text '“I love ice cream” gets four numbers added: 1, 1, −2, −2. An example, not a sine: the range of sines and cosines, as the article says' \
        '[−1, 1]' '-1.0 1.0' \
        "encode-plot position --position sinusoidal --width 128 -n 100 -f data | $table=range | awk '{ printf \"%.1f %.1f\", \$1, \$2 }'"
    text 'Each place has an encoding of its own: rows, different ones' 'unique' '100 100' \
        "encode-plot position --position sinusoidal --width 128 -n 100 -f data | $table=different"
    text 'PositionalEncoding(max_input_timesteps=10, hidden_size=4): rows and columns' '(10, 4)' '10 4' \
        "encode-plot position --position sinusoidal --width 4 -n 10 -f data | awk -F'\\t' '\$1 ~ /^[0-9]/ { n++ } END { print n, NF - 1 }'"
    drawn 'Columns 6 to 9 of 32, over 60 places' 'figure' columns.png 'Four waves over 60 positions, in two pairs of a sine and a cosine.' \
        'encode-plot position --kind waves --position sinusoidal --width 32 -n 60 --dims 6,7,8,9 --size 480x300 -o columns.png'
    drawn 'Fifty encodings in 128 columns' 'figure' chart.png 'Heat map of 50 positions by 128 columns.' \
        'encode-plot position --position sinusoidal --width 128 -n 50 --size 480x300 -o chart.png'
    by_formula number 'Place 50, column 0' 'sin(50 / 10000^(0/128))' -0.262374854 1e-6 \
        "encode-plot position --position sinusoidal --width 128 -n 51 -f data | awk -F'\\t' '\$1 == 50 { print \$2 }'"
    by_formula number 'Place 50, column 127' 'cos(50 / 10000^(126/128))' 0.999983331 1e-6 \
        "encode-plot position --position sinusoidal --width 128 -n 51 -f data | awk -F'\\t' '\$1 == 50 { print \$129 }'"
    text 'Three sentences as ids (its vocabulary, in which “when” is unknown and left out)' \
        '[[71, 121, 4, 56, 99, 2344, 345, 1284, 15], [56, 1285, 15, 181, 545], [87, 600]]' \
        '71 121 4 56 99 2344 345 1284 15 56 1285 15 181 545 87 600' 'encode -m jane.weights --tokens -f ids <jane.txt'
    text 'The same with five ids to a row, the rest of the long one in a row of its own, and −1e9 for padding' \
        '[[71, 121, 4, 56, 99], [2344, 345, 1284, 15, -1e9], [56, 1285, 15, 181, 545], [87, 600, -1e9, -1e9, -1e9]]' \
        '71 121 4 56 99 2344 345 1284 15 -1000000000 56 1285 15 181 545 87 600 -1000000000 -1000000000 -1000000000' \
        'encode -m jane.weights --tokens --pad-to 5 --on-long chunk --pad-id=-1000000000 -f ids <jane.txt'
    text 'The same from the ids themselves' \
        '[[71, 121, 4, 56, 99], [2344, 345, 1284, 15, -1e9], [56, 1285, 15, 181, 545], [87, 600, -1e9, -1e9, -1e9]]' \
        '71 121 4 56 99 2344 345 1284 15 -1000000000 56 1285 15 181 545 87 600 -1000000000 -1000000000 -1000000000' \
        'encode --input jsonl --pad-to 5 --on-long chunk --pad-id=-1000000000 -f ids <rows.jsonl'
    by_formula text 'Padding mask of three rows' 'padded_token_ids != 0' \
        '"padding_mask": [[1, 1, 1, 0, 0], [1, 1, 1, 1, 0], [1, 1, 1, 1, 1]]' \
        "encode-compare mask --input jsonl --pad-to 5 -f json <scores.jsonl | grep -o '\"padding_mask\": [^a-z]*\\]\\]'"
    local row expected
    for row in 1 2 3; do
        expected=$(sed -n ${row}p scores.jsonl | tr -cd '0-9,' | awk -F, '{
            for (i = 1; i <= NF; i++) sum += exp($i)
            for (i = 1; i <= 5; i++) printf "%s%.4f", (i > 1 ? " " : ""), (i <= NF ? exp($i) / sum : 0) }')
        by_formula text "softmax of row $row with the mask; padding gets exactly 0" 'softmax(input_seq + (1 - padding_mask) * -1e9)' "$expected" \
            "encode-compare mask --input jsonl --pad-to 5 -f json <scores.jsonl | sed 's/.*\"softmax\": .//' | tr -d '[],' | awk '{ for (i = 1; i <= 5; i++) printf \"%.4f \", \$(5 * $((row - 1)) + i) }'"
    done
    text 'Weights of padding that are exactly 0' '3' 3 \
        "encode-compare mask --input jsonl --pad-to 5 -f json <scores.jsonl | grep -o '\"softmax\": [^a-z]*' | grep -o '[ []0\\.0[],]' | wc -l"
    text 'Look-ahead mask' '[[False, True, True], [False, False, True], [False, False, False]]' \
        '"look_ahead_mask": [[false, true, true], [false, false, true], [false, false, false]]' \
        "encode-compare mask --no-special -f json 'I ride bike' | grep -o '\"look_ahead_mask\": [^\"]*\\]\\]'"
    article_end
}

# ---- Self-attention and positional embeddings ----

attention_article() {
    article 'Positional embeddings in self-attention'
    same_words 'The quick brown fox' 'fox brown quick The'
    text 'Attention weights of each query add up to: the least and the largest sum' '1' '1.000000 1.000000' \
        "encode-plot attention --layer 1 --head 1 -f data 'The quick brown fox' | $table=sums"
    drawn 'Every 64th of 512 columns over 100 places' 'figure' waves-512.png \
        'Eight waves over 100 positions: column 0 swings fast, column 448 hardly at all.' \
        'encode-plot position --kind waves --position sinusoidal --width 512 -n 100 --size 480x300 -o waves-512.png'
    differs 'it is the other way round' text 'Swings of columns 0 and 448 around 0' \
        'low columns have low frequencies' '31 0' \
        "encode-plot position --kind waves --position sinusoidal --width 512 -n 100 --dims 0,448 -f data | $table=signs"
    drawn 'Heat map of 512 columns and 100 places' 'figure' heat-512.png \
        'Heat map of 512 columns by 100 positions.' \
        'encode-plot position --position sinusoidal --width 512 -n 100 --size 480x300 -o heat-512.png'
    drawn 'Other functions: Fourier series' '(named)' other-fourier.png 'Heat map of the Fourier scheme.' \
        'encode-plot position --position fourier --width 32 -n 60 --size 480x300 -o other-fourier.png'
    drawn 'Other functions: exponential decay' '(named)' other-exponential.png 'Heat map of the exponential scheme.' \
        'encode-plot position --position exponential --width 32 -n 60 --size 480x300 -o other-exponential.png'
    article_end
}

# ---- Position embedding ----

overview_article() {
    article 'Position embedding, an overview'
    same_words 'The cat sat on the mat' 'The mat sat on the cat'
    differs 'cos(1) is 0.5403, which the article cuts to 0.53' text 'Encoding of place 1 in three columns' '[0.84, 0.53, 0.00]' '0.84 0.54 0.00' \
        "encode-plot position --position sinusoidal --width 3 -n 2 -f data | awk -F'\\t' '\$1 == 1 { printf \"%.2f %.2f %.2f\", \$2, \$3, \$4 }'"
    differs 'for the same reason' text '“cat”, [0.1, 0.2, 0.3], at place 1 of “The cat”, with its position' '[0.94, 0.73, 0.3]' '0.94 0.74 0.30' \
        "encode-import --vectors cat.txt --position sinusoidal -o cat.weights 2>/dev/null && encode -m cat.weights -p none -f csv 'the cat' | awk -F, '\$3 == \"cat\" { printf \"%.2f %.2f %.2f\", \$(NF - 2), \$(NF - 1), \$NF }'"
    text 'Index divided by length: 4 of 5 and 16 of 20 are the same number' '0.8 0.8' '0.8 0.8' \
        "encode-plot position --position index --width 1 -n 5 -f data | awk -F'\\t' '\$1 == 4 { print \$2 }'
    encode-plot position --position index --width 1 -n 20 -f data | awk -F'\\t' '\$1 == 16 { print \$2 }'"
    drawn 'Figure: the normalised index' 'figure' index.png 'Heat map of the index scheme: one value per row.' \
        'encode-plot position --position index --width 8 -n 20 --size 480x300 -o index.png'
    text '35 in binary, the highest bit first' '100011' '100011' \
        "encode-plot position --position binary --width 6 -n 36 -f data | awk -F'\\t' '\$1 == 35 { print \$7 + 0 \$6 + 0 \$5 + 0 \$4 + 0 \$3 + 0 \$2 + 0 }'"
    drawn 'Figure: a binary vector for each place' 'figure' bits.png 'Heat map of the binary scheme: zeros and ones.' \
        'encode-plot position --position binary --width 6 -n 36 --size 480x300 -o bits.png'
    drawn 'A learned table (random before training), as the layer PositionEmbedding makes it' 'figure' learned-new.png \
        'Heat map of a random position table.' \
        'encode-new -o learned.weights --position learned --max-tokens 50 --width 32 2>/dev/null && encode-plot position -m learned.weights --size 480x300 -o learned-new.png'
    if encode-inspect "$model" | grep -E '^ *position +learned' >/dev/null; then
        drawn 'Figure: positions that models have learned, beside sinusoids' 'figure of several models' learned-model.png \
            'Heat maps of position tables.' "encode-plot position -m \"\$MODEL\" --beside sinusoidal --size 480x300 -o learned-model.png"
    else
        absent 'Figure: positions that models have learned, beside sinusoids' 'figure of several models' \
            'the weights of this page have none'
    fi
    text 'The model: Embedding, PositionEmbedding, GlobalAveragePooling1D, Dense with softmax. The scores of three classes add up to' '1' '1.000000' \
        "encode-new -o classifier.weights --words 'the cat sat on mat' --layers 0 --width 16 --max-tokens 50 --position learned --head sequence --head-pooling mean --labels 3 --scores softmax 2>/dev/null
    encode -m classifier.weights --labels --all -f csv 'the cat sat on the mat' | awk -F, 'NR > 1 { sum += \$NF } END { printf \"%.6f\", sum }'"
    differs 'it has positions and cannot tell the sentences apart: the mean of the sums is the sum of the means' number 'The same model on “The cat sat on the mat” and “The mat sat on the cat”: the largest difference of a score' \
        'the order is taken into account' 0 1e-6 \
        "encode -m classifier.weights --labels --all -f csv 'the cat sat on the mat' 'the mat sat on the cat' |
    awk -F, '\$1 == 0 { score[\$4] = \$5 } \$1 == 1 { d = \$5 - score[\$4]; if (d < 0) d = -d; if (d > most) most = d; n++ } END { print (n == 3 ? most + 0 : \"no scores\") }'"
    article_end
}
