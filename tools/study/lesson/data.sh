# data.sh - what the page of the lesson knows: one object of JSON, every number of which the engine computes
# here. Read by tools/study/lesson.sh with `.`; tests/tools/lesson/ computes samples of it again.
#
#     toy       a model of random numbers that is small enough to be worked by hand
#     schemes   the rows that are added for positions
#     default   what the default weights (or those of -m) make of the same sentences
#     plane     words in the plane, by the same weights
#     sources   lines of the source that compute a step
#
# pack.awk packs the numbers. Each long value is on a line of its own.

toy_positions='none sinusoidal learned index binary fourier exponential'
toy_bases='10 100 10000'
toy_ratios='1:10 1:2 1:1 2:1 10:1'
toy_width=4 toy_heads=2
toy_layers=2 toy_feed_forward=8 toy_max_tokens=16
toy_words=$(printf '%s\n' ${sentences[*]} | awk '!seen[$0]++' | paste -sd ' ' -)
# The seed is one of those whose heads look at more than one word each.
toy_command="encode-new -o toy.weights --words '$toy_words' --width $toy_width --heads $toy_heads"
toy_command+=" --layers $toy_layers --feed-forward $toy_feed_forward --activation relu --position learned"
toy_command+=" --max-tokens $toy_max_tokens --layout rows --seed 409"

# The six orders of three words: as lines of them, and as indices.
orders_of() { # WORD WORD WORD
    printf '%s\n' "$1 $2 $3" "$1 $3 $2" "$2 $1 $3" "$2 $3 $1" "$3 $1 $2" "$3 $2 $1"
}
orders='[[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]'

# The sentences as a list; with their pieces in all orders, if they are given, a line each.
sentences_json() { # [TOKENS]
    local i list=''
    for i in "${!sentences[@]}"; do
        list+="${list:+,}
{\"words\": $(quoted_list ${sentences[i]}), \"orders\": $orders"
        [ -z "${1:-}" ] || list+=", \"tokens\": [$(sed -n "$((6 * i + 1)),$((6 * i + 6))p" <<<"$1" | paste -sd, -)]"
        list+='}'
    done
    printf '%s' "$list"
}

numbers() { # awk with numbers as JSON: SCRIPT OPTIONS...
    local script=$1
    shift
    awk -f "$tree/tools/study/lesson/pack.awk" -f "$tree/tools/study/lesson/$script.awk" "$@"
}

quoted_list() { # WORD...: as JSON
    printf '[%s]' "$(printf '"%s", ' "$@" | sed 's/, $//')"
}

# Lines NAME tab MEMBER, of those with the name, as members of an object.
members() { # NAME FILE
    awk -F'\t' -v name="$1" '$1 == name { printf "%s%s", (n++ ? ",\n" : ""), $2 } END { print "" }' "$2"
}

# Every text of a file as arguments of a command.
with_texts() { # FILE COMMAND...
    local texts
    mapfile -t texts <"$1"
    shift
    "$@" "${texts[@]}" || fail "this failed: $*"
}

# The bases that the page shows of a scheme; - for a scheme without a base. And the options of the programs.
bases_of() { # POSITION
    case $1 in
    sinusoidal | exponential) echo "$toy_bases" ;;
    *) echo - ;;
    esac
}
base_option() { # BASE
    [ "$1" = - ] || echo "--position-base $1"
}

# ---- The toy model ----

# Tensors as lines NAME, ROWS, COLUMNS, numbers; their offsets in the file are as encode-inspect prints them.
make_toy() {
    bash -c "$toy_command" 2>err || { cat err >&2; exit 1; }
    od -A n -t f4 -v -w4 toy.weights >toy.numbers
    encode-inspect toy.weights | tr -d '[],' | awk '
        FILENAME == "toy.numbers" { number[FNR - 1] = $1; next }
        $2 == "f32" && $3 == "rows" {
            columns = NF == 7 ? $5 : 1
            printf "%s\t%d\t%d", $1, $4, columns
            for (i = 0; i < $4 * columns; i++)
                printf "\t%s", number[$(NF - 1) / 4 + i]
            print ""
        }' toy.numbers - >toy.parameters
}

# Every setting of the page that is another run: "@ KEY", and what the program prints.
toy_runs() {
    local mask position base ratio index
    for mask in full causal; do
        for position in $toy_positions; do
            for base in $(bases_of $position); do
                index=0
                for ratio in $toy_ratios; do
                    if [ $position != none ] || [ $ratio = 1:1 ]; then
                        echo "@ $position/$base/$index/$mask"
                        toy_run $position $base $ratio --mask $mask
                    fi
                    index=$((index + 1))
                done
            done
        done
    done
}

toy_run() { # POSITION BASE RATIO OPTIONS...
    local options=(--position "$1" --embedding-scale "${3%:*}" $(base_option "$2"))
    [ "$1" = none ] || options+=(--position-scale "${3#*:}")
    shift 3
    with_texts orders.txt encode-plot steps -m toy.weights -f data "${options[@]}" "$@"
}

# Tables of positions, of all schemes and bases, as members.
position_tables() { # HOW COLUMNS COMMAND...: which prints a table, followed by the scheme and its base
    local how=$1 columns=$2 position base key table list=''
    shift 2
    for position in ${toy_positions#none }; do
        for base in $(bases_of $position); do
            table=$("$@" $position $(base_option $base) | numbers matrix -F'\t' -v how=$how -v columns=$columns) ||
                fail "no table of positions $position"
            key=$position/$base
            [ -z "$table" ] || list+="${list:+,
}\"${key%/-}\": $table"
        done
    done
    echo "$list"
}

toy_places() { # POSITION OPTIONS...
    encode-plot position -m toy.weights -n 3 -f data --position "$@"
}

ratios_json() {
    local ratio list=''
    for ratio in $toy_ratios; do
        list+="${list:+, }{\"label\": \"${ratio/:/ : }\", \"w1\": ${ratio%:*}, \"w2\": ${ratio#*:}}"
    done
    echo "[$list]"
}

toy_data() {
    toy_runs | numbers runs -F'\t' -v what=toy >toy.runs || fail 'the numbers of the toy model are not whole'
    cat <<JSON
{
"command": "$toy_command",
"layers": $toy_layers, "width": $toy_width, "heads": $toy_heads, "head_width": $((toy_width / toy_heads)),
"feed_forward": $toy_feed_forward, "max_tokens": $toy_max_tokens,
"words": $(quoted_list $toy_words '<unk>'),
"sentences": [$(sentences_json)],
"positions": $(quoted_list $toy_positions),
"masks": ["full", "causal"],
"ratios": $(ratios_json),
"bases": [${toy_bases// /, }],
"default": {"position": "sinusoidal", "ratio": 2, "base": 2, "mask": "full"},
$(numbers parameters -F'\t' toy.parameters),
"place_rows": {
$(position_tables rows $toy_width toy_places)
},
"grid": {"per_one": 10000, "runs": {
$(members grid toy.runs)}},
"steps": {"per_one": 10000, "runs": {
$(members steps toy.runs)}},
"differences": {
$(members differences toy.runs)}
}
JSON
}

# ---- Places ----

scheme_rows=64 scheme_columns=32

schemes_data() {
    echo "{\"rows\": $scheme_rows, \"columns\": $scheme_columns, \"per_one\": 10000, \"tables\": {"
    position_tables packed $scheme_columns scheme_places
    echo '}}'
}

# Learned ones are the first columns of the weights' own, if these have so many rows and columns.
scheme_places() { # POSITION OPTIONS...
    if [ "$1" != learned ]; then
        encode-plot position --width $scheme_columns -n $scheme_rows -f data --position "$@"
    elif [ "$model_position" = learned ] && [ "$(setting max_tokens)" -ge $scheme_rows ] &&
        [ "$(setting width)" -ge $scheme_columns ]; then
        encode-plot position -m "$model" -n $scheme_rows -f data
    fi
}

# ---- The default weights ----

setting() { # KEY: of the weights' settings
    awk -v key="$1" '$1 == key { print $2; exit }' model.settings
}

default_runs() {
    local mask position
    for position in model none; do
        for mask in full causal; do
            echo "@ $position/$mask"
            with_texts orders.txt encode-plot steps -m "$model" -f data --mask $mask --position $position
        done
    done
}

# Makes orders.txt, and $tokens of it, which takes no time: what cannot be shown is refused before the long work.
orders_begin() {
    local words
    for words in "${sentences[@]}"; do orders_of $words; done >orders.txt
    tokens=$(with_texts orders.txt encode -m "$model" --tokens -f json | tokens_of) || exit 1
    awk '{ gsub(/^\["|"\]$/, ""); n = split($0, piece, "\", \""); split("", seen) }
        { for (i = 1; i <= n; i++) if (seen[piece[i]]++) exit 1 }' <<<"$tokens" ||
        fail 'two pieces of a sentence are alike, and the page could not tell them apart: take other words'
}

# Maps of attention are most of the page: of a large model those of the first layers are there.
heads_most=40

default_data() {
    local layers heads layers_shown
    layers=$(setting layers) heads=$(setting heads)
    layers_shown=$((heads_most / heads > 1 ? heads_most / heads : 1))
    [ $layers_shown -lt "$layers" ] &&
        echo "lesson: the page shows heads of the first $layers_shown of $layers layers: more would be too much for it" >&2 ||
        layers_shown=$layers
    default_runs | numbers runs -F'\t' -v what=default -v map_layers=$layers_shown >default.runs || fail 'the numbers of the weights are not whole'
    cat <<JSON
{
"file": $(json_text "$(basename "$model")"), "position": "$model_position",
"layers": $layers, "layers_shown": $layers_shown, "heads": $heads, "width": $(setting width),
"vocabulary": $(setting vocabulary),
"sentences": [$(sentences_json "$tokens")],
$(for name in attention norms moves; do
    echo "\"$name\": {\"per_one\": 10000, \"runs\": {"
    members $name default.runs
    echo '}},'
done)
"cosines": {
$(members cosines default.runs)}
}
JSON
}

# Lines of encode --tokens -f json to lists of the tokens' texts.
tokens_of() {
    sed 's/.*"tokens": \[//; s/\], "truncated".*//; s/{\("text": \)\("\([^"\\]\|\\.\)*"\)[^}]*}/\2/g; s/.*/[&]/'
}

# ---- Words in the plane ----

plane_texts=('king queen man woman dog wolf football tennis red green yellow'
    'man queen yellow tennis green dog woman football king red wolf')

plane_data() {
    echo '['
    plane_of 'without positions' 1 0 --position none
    echo ,
    plane_of '1 : 1' 1 1
    echo ,
    plane_of '1 : 10' 1 10 --position-scale 10
    echo ,
    plane_of '10 : 1' 10 1 --embedding-scale 10
    echo ']'
}

# Where the model's own positions are not sums, those of the first paper are shown.
plane_of() { # LABEL W1 W2 OPTIONS...
    local label=$1 w1=$2 w2=$3 scheme=sinusoidal
    shift 3
    [ "$model_position" = none ] || scheme=model
    [ "${2-}" = none ] || set -- --position "$scheme" "$@"
    encode-plot words -m "$model" -f data "$@" "${plane_texts[@]}" |
        numbers plane -F'\t' -v label="$label" -v w1="$w1" -v w2="$w2" \
            -v a="${plane_texts[0]}" -v b="${plane_texts[1]}"
}

# ---- The source ----

# As sources.tsv says: the file and line of each, and its lines joined.
sources_data() {
    local key file n text at first list=''
    while IFS=$'\t' read -r key file n text; do
        at=$(grep -nF -- "$text" "$tree/$file" || :)
        [ -n "$at" ] && [ "$(wc -l <<<"$at")" = 1 ] || fail "tools/study/lesson/sources.tsv: $file has no one line '$text'"
        first=${at%%:*}
        text=$(sed -n "$first,$((first + n - 1))p" "$tree/$file" | sed 's/^ *//' | paste -sd ' ' -)
        list+="${list:+,
}\"$key\": {\"at\": \"$file:$first\", \"text\": $(json_text "$text")}"
    done < <(grep -v '^#' "$tree/tools/study/lesson/sources.tsv")
    printf '{\n%s\n}\n' "$list"
}

json_text() {
    printf '"%s"' "$(sed 's/[\\"]/\\&/g' <<<"$1")"
}

# ---- What commands print, and draw ----

# Writes files said-NAME into the given folder. encode prints the model's description before the first empty line.
said() { # FOLDER
    local answer="sed 1,/^\$/d" name
    encode -m "$model" --tokens "${sentences[0]}" 'unbelievable bicyclists' | $answer >"$1/said-tokens"
    encode-compare similarity -m "$model" 'dog bites man' 'man bites dog' 'man is bitten by dog' | $answer >"$1/said-similarity"
    encode-compare similarity -m "$model" 'the cup is on the table' 'the table is on the cup' \
        'on the table there is the cup' | $answer >"$1/said-places"
    for name in similarity places; do
        awk '$1 == 1 {
            if ($4 > $3) print "To the third, which means the same: here the model has understood the order."
            else if ($4 < $3) print "To the second: the words have misled the model."
            else print "Both are as near."
        }' "$1/said-$name" >"$1/$name"
    done
    encode -m "$model" --fill 'the dog [MASK] at the man' >"$1/fill" 2>&1 && $answer "$1/fill" >"$1/said-fill" ||
        mv "$1/fill" "$1/said-fill"
}

# Files drawn-NAME: the pictures for readers without JavaScript. Of many squares a PNG is smaller than an SVG.
pictures() { # FOLDER
    local toy='-m toy.weights --position sinusoidal' plane="${plane_texts[*]@Q}" which=''
    [ "$(setting heads)" -le 16 ] || which='--head 1'
    picture "$1" waves svg 'Six waves, fast and slow' \
        "position --position sinusoidal --width $scheme_columns -n $scheme_rows --kind waves --dims 0:24:4 --size 360x300"
    picture "$1" table png 'The table of sinusoidal positions as colours' \
        "position --position sinusoidal --width $scheme_columns -n 32 --size 360x300"
    picture "$1" head svg 'Attention of the first head' "attention $toy --layer 1 --head 1 --size 360x300 '${sentences[0]}'"
    picture "$1" order svg 'Without positions all orders have the same vector' "order $toy --size 480x300 '${sentences[0]}'"
    picture "$1" heads png 'Attention in the first layer' \
        "attention -m \"\$MODEL\" --layer 1 $which --size 640x480 '${sentences[0]}'"
    picture "$1" words png 'Words in the plane, without and with positions' \
        "words -m \"\$MODEL\" --position-scale 10 --size 640x480 $plane"
}

picture() { # FOLDER NAME KIND ALT OPTIONS
    local type=image/$3
    MODEL=$model bash -c "encode-plot $5 -o drawn-$2.$3" || fail "encode-plot $5 failed"
    echo "<img alt=\"$4\" src=\"data:${type/svg/svg+xml};base64,$(base64 -w0 "drawn-$2.$3")\">" >"$1/drawn-$2"
}

# ---- The complete object ----

lesson_data() {
    local toy part
    encode-inspect "$model" >model.settings
    [ "$(setting layers)" -gt 0 ] || fail "$model has no layers: there is no way through it to show"
    model_position=$(setting position)
    make_toy
    toy_data >toy.json &
    toy=$!
    default_data >default.json
    wait $toy
    for part in schemes plane sources; do
        ${part}_data >$part.json
    done
    for part in toy schemes default plane sources; do
        echo "$([ $part = toy ] && echo '{' || echo ,) \"$part\":"
        cat $part.json
    done
    echo '}'
}
