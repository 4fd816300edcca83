#!/usr/bin/env bash
# Options of every program: --help, the manual and the shell's completion name exactly the options that the command
# line takes, with values where an option requires one.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/checks.sh
cd "$folder" || exit 1

: >out >err

same() { # FILE FILE
    diff "$1" "$2" >err
}

# Every option that the parser knows: getopt_long lists them where a name could be any of them.
parsed() { # PROGRAM [PICTURE]
    "$@" --=x 2>&1 | grep -o "'--[^'=]*'" | tr -d "'" | sort
}

completed() { # PROGRAM WORD...: what its completion offers for the last of these words
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    "_${1//-/_}"
    printf '%s\n' "${COMPREPLY[@]}"
}

# The values that the message about a wrong one names: "--format takes one of text, json, not 'x'".
accepted() { # PROGRAM... OPTION
    "$@" not-a-value --version 2>&1 | sed -n "s/.* takes one of \(.*\), not 'not-a-value'\$/\1/p" | tr -d ' ' | tr , '\n'
}

takes_value() { # PROGRAM... OPTION
    ! "${@:1:$#-1}" "${*: -1}=x" --version 2>&1 | grep -q "doesn't allow an argument"
}

lacks_value() { # PROGRAM... -o
    "$@" 2>&1 | grep -q 'requires an argument'
}

try_option() { # WHO PROGRAM... -- OPTION LETTER: its line in `lines` has an argument where the parser wants one
    local who=$1 option=${*: -2:1} letter=${*: -1}
    shift
    local command=("${@:1:$#-3}")
    if takes_value "${command[@]}" "$option"; then
        accepted "${command[@]}" "$option" | sort >values
        completed "${command[@]##*/}" "$option" '' | sed '/^$/d' | sort >offered
        # Lists and settings of a model have values in their own messages.
        [ ! -s values ] || check "$who $option: values of the completion" same values offered
        [ "$letter" = none ] || check "$who $letter takes a value" lacks_value "${command[@]}" "$letter"
    else
        check "$who $option: no value in the help" grep -qE -- "$option( {2,}|\$)" lines
        if [ "$letter" != none ]; then
            run "${command[@]}" "$letter" --version
            check "$who $letter" [ "$code" = 0 ]
        fi
    fi
}

options_of() { # PROGRAM [PICTURE]
    local who="$*"
    local command=("$programs/$1" "${@:2}")
    "${command[@]}" --help >lines
    sed -nE 's/^  (-.), (--[a-z-]+).*/\2 \1/p; s/^      (--[a-z-]+).*/\1 none/p' lines | sort >help
    cut -d' ' -f1 help >help-names
    check "$who: the help has options" [ -s help-names ]
    # Hidden: encode-inspect explains why it lacks these.
    parsed "${command[@]}" | grep -vxE -- "$([ "$1" = encode-inspect ] && echo '--output|--embedding-scale' || echo none)" >parsed
    if [ $# = 1 ]; then
        check "$who: the help has what is parsed" same parsed help-names
    else # options that a picture does not take are refused by name
        while read -r option; do
            "${command[@]}" "$option" 1 --version 2>&1 | grep -q 'is not an option of' || echo "$option"
        done <parsed >taken
        check "$who: the help has what is taken" same taken help-names
    fi
    completed "$@" -- | sort >completed
    check "$who: completion" same help-names completed
    while read -r option letter; do
        try_option "$who" "${command[@]}" -- "$option" "$letter"
    done <help
    cat help-names >>all-names
}

serve=
[ ! -x "$programs/encode-serve" ] || serve=encode-serve # it needs libmicrohttpd
for program in encode encode-search encode-import encode-new encode-inspect encode-bench encode-plot $serve; do
    "$programs/$program" --help-table | awk -f "$tree/tools/build/man/completion.awk" >completion
    . ./completion
    : >all-names
    if [ "$program" = encode-plot ]; then
        for picture in position attention words layers order similarity steps; do
            options_of "$program" "$picture"
        done
        check "completion: pictures" [ "$(completed encode-plot '' | head -n 2 | xargs)" = 'position attention' ]
    else
        options_of "$program"
    fi
    [ $program != encode-bench ] ||
        check 'completion: a list goes on' [ "$(completed encode-bench --type f32,int8,b)" = f32,int8,bf16 ]
    sort -u all-names >names
    for shell in zsh fish; do
        "$programs/$program" --help-table | awk -v shell=$shell -f "$tree/tools/build/man/completion.awk" >completion.$shell
        case $shell in
        zsh) sed -nE "s/^ +(\{-.,)?(--[a-z-]+)\}?'\[.*/\2/p" completion.zsh | sort -u >offered ;;
        fish) sed -nE 's/^complete -c .* -l ([a-z-]+) (-[rx] )?.*-d .*/--\1/p' completion.fish | sort -u >offered ;;
        esac
        check "$program: completion of $shell" same names offered
        [ -z "$(command -v $shell)" ] || check "$program: $shell reads it" $shell -n completion.$shell
    done
    "$programs/$program" --help-table | awk -f "$tree/tools/build/man/manual.awk" - "$tree/tools/build/man/$program.1.in" >manual
    sed -n '/^\.SH OPTIONS/,/^\.SH [^O]/p' manual | sed -n '/^\.TP/{n;s/\\-/-/g;s/\\f[BRI]//g;p;}' |
        grep -oE -- '--[a-z-]+' | sort -u >manual-names
    check "$program: the manual" same names manual-names
    sed -n 's/^@\(--[a-z-]*\)@$/\1/p' "$tree/tools/build/man/$program.1.in" | sort >explained
    check "$program: the manual explains options that are there" [ -z "$(comm -23 explained names)" ]
    check "$program: no place of the manual is left open" [ "$(grep -c '^@' manual)" = 0 ]
    if command -v groff >groff-there; then
        groff -man -Tutf8 -Kutf8 -ww manual 2>warnings >/dev/null
        check "$program: groff has nothing to say" [ ! -s warnings ]
    fi
done

for page in "$tree"/tools/build/man/*.7.in; do
    "$programs/encode" --help-table | awk -f "$tree/tools/build/man/manual.awk" - "$page" >manual
    check "${page##*/}: its title" grep -q '^\.TH ENCODE-[A-Z]* 7 ' manual
    [ ! -s groff-there ] || groff -man -Tutf8 -Kutf8 -ww manual 2>warnings >/dev/null
    check "${page##*/}: groff has nothing to say" [ ! -s warnings ]
done
grep -ohE '`encode[a-z-]*`\([0-9]\)' "$tree"/tools/build/man/*.in | tr -d '`)' | tr '(' . | sort -u >named
(cd "$tree/tools/build/man" && ls ./*.in) | sed 's|./\(.*\)\.in|\1|' | sort >pages
check 'manuals name pages that are there' [ -z "$(comm -23 named pages)" ]

# ---- engine(3), of the headers: each function and type that they declare, and nothing of the preprocessor ----
awk -v version=9.9.9 -f "$tree/tools/build/man/headers.awk" "$tree"/engine/engine{,_types,_answers,_search,_details}.h >manual
[ ! -s groff-there ] || groff -man -Tutf8 -Kutf8 -ww manual 2>warnings >/dev/null
check 'engine.3: groff has nothing to say' [ ! -s warnings ]
check 'engine.3: its version' grep -qx '\.TH ENGINE 3 "" "encode 9.9.9" "Library functions"' manual
check 'engine.3: no #if' [ "$(grep -cE '^#(if|endif|else)' manual)" = 0 ]
for name in $(sed -nE 's/^ENGINE_API .*[ *](engine_[a-z0-9_]+)\(.*/\1/p; s/^} (engine_[a-z_]+);/\1/p' "$tree"/engine/engine*.h); do
    check "engine.3: $name" grep -qE "(^|[ *])$name[(;]" manual
done

# ---- Every position, pooling and format has a paragraph in the manual, and the help names every format ----
described() { # OPTION PAGE
    local name names
    names=$(accepted "$programs/encode" "--$1")
    check "--$1 has values" [ -n "$names" ]
    for name in $names; do
        check "$2: --$1 $name" grep -qx "\`$name\`" "$tree/tools/build/man/$2.in"
    done
}
described position encode.1
described pooling encode.1
described format encode-formats.7
for name in $(accepted "$programs/encode" --format); do
    "$programs/encode" --help-table | awk -F '\t' '$2 == "--format" { print $NF }' >help
    check "the help of --format: $name" grep -qw "$name" help
done

# ---- Values, as a shell splits them ----
"$programs/encode" --help-table | awk -f "$tree/tools/build/man/completion.awk" >completion
. ./completion
check 'completion: --format=' [ "$(completed encode --format = j)" = json ]
check 'completion: -f' [ "$(completed encode -f '' | xargs)" = "$(accepted "$programs/encode" --format | xargs)" ]
check 'completion: a file' [ -z "$(completed encode -m '')" ]
check 'completion: a text' [ -z "$(completed encode -m x wor)" ]
if command -v fish >fish-there; then
    "$programs/encode" --help-table | awk -v shell=fish -f "$tree/tools/build/man/completion.awk" >completion.fish
    check 'fish: --format' [ "$(HOME=$PWD fish -c 'source completion.fish; complete -C "encode --format j"' | cut -f1)" = json ]
fi
run "$programs/encode" --help-table x
ends 'a table and more' 2 "unrecognized option"

finish
