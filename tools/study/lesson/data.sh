# data.sh - what the page of the lesson holds beside its text: the engine as WebAssembly, three weight files for it,
# lines of its source, and what commands print and draw. Read by tools/study/lesson.sh with `.`.

# The toy is so small that its numbers fit on the page: a table of 36 rows, one for each word that a reader can type.
# The seed is one of those whose heads look at more than one word each.
toy_words=$(echo w{1..36})
toy_command="encode-new -o toy.weights --words '$toy_words' --width 4 --heads 2 --layers 2 --feed-forward 8"
toy_command+=' --activation relu --position learned --max-tokens 16 --layout rows --seed 409'
schemes_command="encode-new -o schemes.weights --words w1 --layers 0 --width 32 --max-tokens 64"

setting() { # KEY: of the weights' settings
    awk -v key="$1" '$1 == key { print $2; exit }' model.settings
}

json_text() {
    printf '"%s"' "$(sed 's/[\\"]/\\&/g; s/</\\u003c/g' <<<"$1")"
}

# ---- The engine and its weights ----

# engine/plain/ without its program, for a browser; utf8proc's header alone is used, its functions are the browser's.
engine_wasm() { # OUTPUT
    local sources=()
    for file in "$tree"/engine/plain/*.c; do [[ $file == */plain.c ]] || sources+=("$file"); done
    mkdir -p include
    cp "$(pkg-config --variable=includedir libutf8proc)/utf8proc.h" include/
    printf '%s\n' page_{step,token} utf8proc_{category,tolower,decompose_char,encode_char,iterate} >imports
    ${WASM_CC:-clang} --target=wasm32-wasi -std=gnu11 -O2 -Werror=implicit-function-declaration -D_GNU_SOURCE \
        -I"$tree" -Iinclude -mexec-model=reactor -Wl,--strip-all,--allow-undefined-file=imports,--export=malloc,--export=free \
        "${sources[@]}" "$tree/tools/study/lesson/browser.c" -o "$1" 2>wasm.err ||
        { cat wasm.err >&2; fail 'the engine cannot be compiled to WebAssembly'; }
}

# Files ENGINE, toy, schemes and weights of the marks, as base64 of gzip.
packed() { # FOLDER
    engine_wasm engine.wasm
    bash -c "$toy_command" 2>err && bash -c "$schemes_command" 2>err || { cat err >&2; exit 1; }
    gzip -9n <engine.wasm | base64 -w 4000 >"$1/engine"
    gzip -9n <toy.weights | base64 -w 4000 >"$1/toy"
    gzip -9n <schemes.weights | base64 -w 4000 >"$1/schemes"
    gzip -9n <"$model" | base64 -w 4000 >"$1/weights"
}

lesson_data() {
    local list='' sentence
    for sentence in "${sentences[@]}"; do list+="${list:+, }$(json_text "$sentence")"; done
    echo "{\"file\": $(json_text "$(basename "$model")"), \"sentences\": [$list],"
    echo "\"toy_command\": $(json_text "$toy_command")}"
}

# ---- The source ----

# As sources.tsv says, files source-KEY: the file and line of each, and its lines joined.
sources() { # FOLDER
    local key file n text at first
    while IFS=$'\t' read -r key file n text; do
        at=$(grep -nF -- "$text" "$tree/$file" || :)
        [ -n "$at" ] && [ "$(wc -l <<<"$at")" = 1 ] || fail "tools/study/lesson/sources.tsv: $file has no one line '$text'"
        first=${at%%:*}
        text=$(sed -n "$first,$((first + n - 1))p" "$tree/$file" | sed 's/^ *//' | paste -sd ' ' - | html)
        echo "<span>$file:$first</span> <code>$text</code>" >"$1/source-$key"
    done < <(grep -v '^#' "$tree/tools/study/lesson/sources.tsv")
}

# ---- What commands print, and draw ----

plane_texts=('king queen man woman dog wolf football tennis red green yellow'
    'man queen yellow tennis green dog woman football king red wolf')

# Writes files said-NAME into the given folder. encode prints the model's description before the first empty line.
said() { # FOLDER
    local answer="sed 1,/^\$/d" name
    encode -m "$model" --tokens 'unbelievable bicyclists' | $answer >"$1/said-tokens"
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

# Files drawn-NAME: words in the plane, and pictures for readers without JavaScript. Of many squares a PNG is smaller than an SVG.
pictures() { # FOLDER
    local plane="${plane_texts[*]@Q}" which=''
    [ "$(setting heads)" -le 16 ] || which='--head 1'
    picture "$1" waves svg 'Six waves, fast and slow' \
        "position --position sinusoidal --width 32 -n 64 --kind waves --dims 0,4,8,12,16,20 --size 360x300"
    picture "$1" table png 'The table of sinusoidal positions as colours' \
        "position --position sinusoidal --width 32 -n 32 --size 360x300"
    picture "$1" heads png 'Attention in the first layer' \
        "attention -m \"\$MODEL\" --layer 1 $which --size 640x480 ${sentences[0]@Q}"
    picture "$1" words png 'Words in the plane, without and with positions' \
        "words -m \"\$MODEL\" --position-scale 10 --size 640x480 $plane"
}

picture() { # FOLDER NAME KIND ALT OPTIONS
    local type=image/$3
    MODEL=$model bash -c "encode-plot $5 -o drawn-$2.$3" || fail "encode-plot $5 failed"
    echo "<img alt=\"$4\" src=\"data:${type/svg/svg+xml};base64,$(base64 -w0 "drawn-$2.$3")\">" >"$1/drawn-$2"
}

