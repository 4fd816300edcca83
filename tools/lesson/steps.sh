# steps.sh - the lesson itself; read by tools/lesson.sh with `.`.

two_texts='king queen man woman dog wolf football basketball red green yellow
man queen yellow basketball green dog woman football king red wolf'

# Words that are true of the default weights alone.
of_default() {
    [ "$(basename "$model")" != default.weights ] || say "$@"
}

# The files that the commands of both pages read.
make_inputs() {
    printf '%s\n' '{"ids": [5, 7, 9]}' '{"ids": [3, 2, 4, 1]}' '{"ids": [6, 1, 8, 4, 2]}' >scores.jsonl
    cp "$tree/tools/lesson/table.awk" .
    printf 'the 0 0 0\ncat 0.1 0.2 0.3\n' >cat.txt
    printf '%s\n' 'Do you know when Jane is going to visit Africa' 'Jane visits Africa in September' 'Exciting !' >jane.txt
    cat >jane.json <<'JSON'
{"class_name": "Tokenizer", "config": {"num_words": null, "filters": "", "lower": true, "split": " ",
 "char_level": false, "oov_token": null, "word_index": "{\"do\": 71, \"you\": 121, \"know\": 4, \"jane\": 56,
 \"is\": 99, \"going\": 2344, \"to\": 345, \"visit\": 1284, \"africa\": 15, \"visits\": 1285, \"in\": 181,
 \"september\": 545, \"exciting\": 87, \"!\": 600}"}}
JSON
    tr -d '\n' <jane.json >"$work/jane.json" && mv "$work/jane.json" jane.json
    run 'encode-new -o jane.weights --tokenizer jane.json --layers 0 --width 4' || fail "$(cat "$work/err")"
    printf '%s\n' "$two_texts" >two.txt
    run "encode-new -o two.weights --fit two.txt --oov '' --layers 0 --width 100" || fail "$(cat "$work/err")"
}

lesson_page() {
    page_begin index.html 'How a transformer sees the order of words'
    say "Every step is one command, with what it printed or drew on this machine. The model is" \
        "<code>$(basename "$model" | html)</code>; the commands were run in this folder, with <code>ENCODE_MODEL</code> naming" \
        "that file, and you can run them again and change them."
    of_default "The default weights are a small encoder that was trained on English sentences. So two things can be seen: what the way a model" \
        "is built makes of order, whatever its numbers are, and what this one has learned. To tell them apart, make the page again with random" \
        "numbers: <code>encode-new -o random.weights</code>, then <code>tools/lesson.sh -m random.weights</code>."
    put_contents
    words_and_places
    masks
    position_schemes
    words_in_the_plane
    order_and_attention
    put '<h2 id="more">Where to go on</h2>'
    say 'Four articles teach the same with notebooks. <a href="articles.html">Every number and figure of them</a> stands beside the' \
        'command that makes it here, with the value it gave.'
    page_end index.html
}

# ---- Words, and what a model knows of their order ----

words_and_places() {
    step tokens 'Words become numbers'
    say 'A model reads numbers. The tokenizer cuts a text into tokens and looks each up in a list; its place in that list is its id.' \
        'The last column is the part of the text, in bytes, that the token was made of. Many models put tokens of their own around a text,' \
        'as <code>[CLS]</code> and <code>[SEP]</code>, and cut rare words into pieces, of which the later ones begin with <code>##</code>.'
    show 'encode --tokens "I ride bike"'
    say 'Each id picks a row of a table, the <em>embedding</em>: one vector per token. From there on layers turn vectors into vectors.'

    step bag 'Without positions, a sentence is a bag of words'
    say 'Attention adds up what the other tokens offer, weighted by how well they fit. A sum does not know in which order' \
        'its parts came. So without positions the same words give the same vectors, however they are shuffled.'
    show 'encode --compare --position none --mask full "I ride bike" "bike ride I"'

    step places 'Add a vector for the place'
    say 'The remedy is to add to each token a vector that depends on its place alone. The word is the same, the place is not, and so the sum differs;' \
        'attention then lets that difference reach every other word.'
    show 'encode --compare --mask full "I ride bike" "bike ride I"'
}

# ---- Padding and masks ----

masks() {
    step padding 'Texts of one length'
    say 'Arrays have rows of one length; texts do not. Shorter ones are filled up with a <em>padding</em> id that is no word,' \
        'longer ones are cut, or go in windows.'
    may show 'encode --tokens --pad-to 8 -f ids "I ride bike" "the dog bites the man" "go"'
    say 'Padding must not change any result. This program does not even compute it: its rows are zeros, and the rows of the words' \
        'are the same to the last bit with it and without.'
    may show 'encode --pad-to 8 "I ride bike"'

    step masks 'What a word may look at'
    say 'A <em>padding mask</em> says which places hold a token. A <em>look-ahead mask</em> hides what comes later, for models that write a text word' \
        'by word and must not see the answer. Beware of the two conventions: in the first, 1 is what counts; in the second,' \
        'True is what is hidden. Together they say which key each query sees.'
    may show 'encode --show-mask --no-special --pad-to 5 --mask causal "I ride bike"'

    step softmax 'Zero, and not nearly zero'
    say 'Softmax turns scores into weights that add up to 1. A hidden key must get exactly 0. Here are three rows of scores, two with' \
        'padding. They are given as ids to a model of eleven words, and it computes nothing else with them.'
    show 'encode -m two.weights --input jsonl --show-mask --pad-to 5 <scores.jsonl' "sed -n '/^softmax/,\$p'"
    say 'Some write −1e9 for the score of a hidden key. Then the score itself is lost: float32 numbers of that size are 64 apart. As long as' \
        'one key is seen that does no harm. But where all keys are hidden, the weights become equal, and padding speaks.' \
        'With −∞ the weights are zeros, always.'
}

# ---- Ways to number places ----

position_schemes() {
    step waves 'A place written in waves'
    say 'The sinusoidal encoding writes the place <em>p</em> with pairs of sines and cosines, from fast waves in the first columns to very slow ones' \
        'in the last, like the digits of a number, but smooth. Every value lies between −1 and 1, so it does not drown the word.'
    show 'encode-inspect --positions sinusoidal --width 100 -n 100'
    say 'The rows all have the same length, and two places that are <em>k</em> apart are equally far from one another wherever they are.' \
        'That is what lets a model learn “two words further on”.'
    picture waves.svg 'Eight waves over 100 positions: the first column swings fast, the last is nearly flat.' \
        'Every 64th of 512 columns. Low columns swing fast, high columns slowly.' \
        'encode-plot position --kind waves --position sinusoidal --width 512 -n 100 --dims 0:512:64 -o waves.svg'
    picture position.svg 'Heat map of 100 positions by 100 columns: stripes on the left that widen to the right into two flat bands.' \
        'The whole table: a row for each place, a column for each wave.' \
        'encode-plot position --position sinusoidal --width 100 -n 100 -o position.svg'

    step near 'Near places are alike'
    say 'Multiply the table with itself and every pair of places gets a number: how much their vectors agree. It is largest on the diagonal and falls off' \
        'to both sides, the same way everywhere. The distance between vectors tells the same story from the other end.'
    picture correlation.svg 'Heat map of 100 by 100 positions, bright along the diagonal and fading to both sides.' \
        'PE·PEᵀ: how much the vectors of two places agree. On the diagonal it is half the number of columns, 50.' \
        'encode-plot position --kind correlation --position sinusoidal --width 100 -n 100 -o correlation.svg'
    picture distance.svg 'Heat map of 100 by 100 positions, zero along the diagonal and growing to both sides.' \
        'Euclidean distance between the vectors of two places: 0 on the diagonal.' \
        'encode-plot position --kind distance --position sinusoidal --width 100 -n 100 -o distance.svg'

    step schemes 'Other ways, and what is wrong with them'
    say 'The simplest numbering is the index divided by the length. But then 0.8 is the fifth of five words and the seventeenth of twenty:' \
        'the same number for two different places.'
    show 'encode-inspect --positions index --width 4 -n 5'
    say 'Binary digits are unique and stay within 0 and 1. But neighbours may differ in every digit, as 7 (0111) and 8 (1000) do, so near places' \
        'need not be alike.'
    picture binary.svg 'Heat map of 64 positions by 8 columns: zeros and ones, like the pages of a book of binary numbers.' \
        'Binary digits, the lowest on the left.' 'encode-plot position --position binary --width 8 -n 64 -o binary.svg'
    say 'A Fourier series takes sines and cosines of any frequencies; with harmonics of the length, the last place comes near to the first again.' \
        'Exponentials decay, the first column at once and the last over thousands of places: wherever one has fallen to 0, later places look alike.'
    picture fourier.svg 'Heat map of 64 positions by 32 columns: waves, slow ones on the left.' \
        'Fourier: harmonics of 64 places.' 'encode-plot position --position fourier --width 32 -n 64 -o fourier.svg'
    picture exponential.svg 'Heat map of 64 positions by 32 columns, which fall from 1 to 0, later and later to the right.' \
        'Exponential decay.' 'encode-plot position --position exponential --width 32 -n 64 -o exponential.svg'
    say 'Many trained models do not compute their positions: they learn a table, row by row, like the words.'
    if encode-inspect -f json "$model" 2>/dev/null | grep -q '"position": "learned"'; then
        picture learned.svg 'Heat maps: the position table of this model, and sinusoids.' 'The table that this model has learned, beside sinusoids.' \
            'encode-plot position -m "$ENCODE_MODEL" --beside sinusoidal -o learned.svg'
        of_default 'The default weights have learned one number for each column: how loud a sinusoid is there. Most are turned down; a few' \
            'waves are loud, most of all those of about ten places. Longer texts than any it was trained on go on as shorter ones began.'
    fi
}

# ---- Words in the plane ----

words_in_the_plane() {
    step plane 'Words in the plane'
    say 'A vector of a hundred numbers cannot be drawn. Principal component analysis turns the cloud of points until its widest' \
        'spread lies in the paper; words of like meaning then lie near one another, if the vectors know of meaning.' \
        'Below it is computed of both sentences together, so that a place means the same in both pictures (<code>--fit each</code>: of each alone).'
    if [ -z "$vectors" ]; then
        left_out 'there are no vectors that know of meaning. <code>tools/lesson.sh -g glove.6B.50d.txt</code> shows this step with GloVe vectors.'
        return
    fi
    say "These are real GloVe vectors (<code>VECTORS</code> is $(basename "$vectors" | html)), of the eleven words of two sentences, which have the" \
        'same words in another order.'
    show 'encode-import --vectors "$VECTORS" --only-words-of two.txt -o glove.weights'
    picture words-none.svg 'Two scatter plots of eleven words, which are alike: king beside queen, red beside green and yellow.' \
        'Without positions: both sentences give the same picture.' \
        'encode-plot words -m glove.weights --position none -o words-none.svg --link red:wolf "$(sed -n 1p two.txt)" "$(sed -n 2p two.txt)"'
    picture words-both.svg 'Two scatter plots of the same eleven words, which differ: neighbours in the sentence have drawn nearer.' \
        'With positions, 1 : 1. Red and wolf are neighbours in the second sentence only, and lie nearer there.' \
        'encode-plot words -m glove.weights --position sinusoidal -o words-both.svg --link red:wolf "$(sed -n 1p two.txt)" "$(sed -n 2p two.txt)"'
    say 'How much of each? With ten times the position, words lie in a curve, one after the other, and their meaning is hard to see.' \
        'With ten times the word, the place is a small nudge. The first transformer multiplied words by √d.'
    for scales in '1 10' '10 1' 'sqrt 1'; do
        set -- $scales
        picture "words-$1-$2.svg" "Two scatter plots of eleven words, weights $1 to $2." "Word : position = ${1/sqrt/√d} : $2." \
            "encode-plot words -m glove.weights --position sinusoidal --embedding-scale $1 --position-scale $2 -o words-$1-$2.svg \"\$(sed -n 1p two.txt)\" \"\$(sed -n 2p two.txt)\""
    done
}

# ---- Through the layers ----

order_and_attention() {
    step order 'How far does a sentence move?'
    say 'Shuffle a sentence and measure how far its vector goes. Without positions not at all; with them, each order has a place of its own.'
    may picture order.svg 'Dots for permutations of a sentence: at zero without positions, away from zero with them.' \
        'Distances between a sentence and its permutations, with positions and without.' \
        'encode-plot order -o order.svg "The quick brown fox"'
    of_default 'Any positions move it. What was learned is how far: least if the two adjectives change places, and the four orders that move most begin with the fox.'

    step attention 'Who looks at whom'
    say 'In a layer each token asks (query) and each token answers (key). The map shows the weights: a row for each query, which adds up' \
        'to 1, a column for each key. Several <em>heads</em> look in different ways at the same time.'
    may picture attention.svg 'Attention map: tokens of a sentence on both axes.' 'Layer 1, head 1.' \
        'encode-plot attention --layer 1 --head 1 -o attention.svg "The cat sat on the mat"'
    may picture heads.svg 'A grid of attention maps, one for each head of a layer.' 'All heads of layer 1.' \
        'encode-plot attention --layer 1 -o heads.svg "The cat sat on the mat"'
    of_default 'Here heads have learned trades: in head 3 words look around their own place, in head 1 the small words, “the” and “on”, look at the nouns and the verb. With random' \
        'numbers there are maps too, and no trade in them.'
    say 'Padding is asked by nobody and asks nobody: its row and its column are exactly 0.'
    may picture padded.svg 'Attention map whose last rows and columns, of padding, are 0.' 'Layer 1, head 1, padded to 8 places.' \
        'encode-plot attention --layer 1 --head 1 --pad-to 8 -o padded.svg "I ride bike"'
    say 'With a look-ahead mask all that lies above the diagonal is exactly 0. Any model can be run so; one that was trained to see both sides gives' \
        'worse vectors then.'
    may picture causal.svg 'Attention map with nothing above the diagonal.' 'Layer 1, head 1, with a look-ahead mask.' \
        'encode-plot attention --layer 1 --head 1 --mask causal -o causal.svg "The cat sat on the mat"'
    say 'Multiply the maps of all layers and you see which words of the text arrive in each of the last vectors.'
    may picture rollout.svg 'Attention rollout: tokens on both axes.' 'Rollout over all layers.' \
        'encode-plot attention --rollout -o rollout.svg "The cat sat on the mat"'

    step layers 'Layer by layer'
    say 'Each layer moves each token a little. This is how far.'
    may picture layers.svg 'Heat map: how far each layer moves each token.' 'From layer to layer.' \
        'encode-plot layers -o layers.svg "The cat sat on the mat"'

    step texts 'And back to texts'
    say 'At the end one vector stands for the whole text: the mean over its tokens, or what the model was trained to give. Texts are then compared' \
        'by the angle between their vectors, and the same words in another order are another text.'
    may picture similarity.svg 'Heat map of the cosines of four texts.' 'Cosine of every text with every other.' \
        'encode-plot similarity -o similarity.svg "The cat sat on the mat" "The mat sat on the cat" "The quick brown fox" "fox brown quick The"'
    if [ "$(basename "$model")" = default.weights ]; then
        say 'That the order is felt does not say that it is understood. That must be learned: for these weights the passive, in other words and another' \
            'order, is nearer than the same words with the roles exchanged.'
        show 'encode --similarity "dog bites man" "man bites dog" "man is bitten by dog"'
        say 'They were trained to find missing words, which needs both: what stands there, and where.'
        show 'encode --fill "the dog [MASK] at the man"'
    fi

    step classifier 'Positions alone do not make order'
    say 'A model that articles like to show: embeddings, learned positions, the mean over the tokens, one dense layer, softmax. It has positions, and still' \
        'cannot tell these two sentences apart, whatever it is taught. The mean of the sums is the sum of the means: it knows which words are there and which' \
        'places are taken, and never which word stands where. For that words must meet, in attention, before they are added up.'
    show "encode-new -o classifier.weights --words 'the cat sat on mat' --layers 0 --width 16 --max-tokens 50 --position learned --head sequence --head-pooling mean --labels 3 --scores softmax"
    show 'encode -m classifier.weights --labels --all "the cat sat on the mat" "the mat sat on the cat"'
}
