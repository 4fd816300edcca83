#!/bin/sh
# encode-fetch: fetches a model's files from the Hugging Face Hub, compares their checksums, and imports them.
#
# A file is fetched into DIR/.fetch/, under a name with its checksum, so that a later run resumes it, and is renamed to
# its place when the checksum is right. All files are of one commit: that which the first answer names.
set -euf # names that a server gave are not patterns
options='-o, --output|FILE|write this weight file (default: MODEL.weights)
--revision|REVISION|fetch this branch, tag or commit (default: main)
--no-import||only fetch
-h, --help||this text
--version||version and build'

die() { echo "encode-fetch: $2" >&2 || :; exit "$1"; }

describe() { # --help or --help-table: prints the options for people, or for the manual and the completion
    echo "$options" | awk -F'|' -v table="$([ "$1" = --help ] || echo yes)" -v version=@VERSION@ '
        BEGIN { usage = "ORG/MODEL [DIR] [OPTION ...] [-- OPTION of encode-import ...]"
            if (table) printf "program\tencode-fetch\t%s\nusage\t\t%s\ngroup\t\n", version, usage
            else printf "Usage: encode-fetch %s\nFetches a model from the Hugging Face Hub into DIR (default: MODEL), and imports it.\n\n", usage }
        { letter = $1 ~ /,/ ? substr($1, 1, 2) : ""; name = $1; sub(/.*, /, "", name)
            if (table) printf "option\t%s\t%s\t%s\t\t0\t\t%s\n", name, letter, $2 == "" ? "-" : $2, $3
            else printf "  %-3s %-23s %s\n", letter == "" ? "" : letter ",", name " " $2, $3 }
        END { if (!table) print "\nExit codes: 0 done, 1 failed, 2 misused. Manual: man encode-fetch." }'
}

request() { # CURL-ARGUMENTS...: the token is no argument, which others could read, and curl sends it to the Hub alone
    printf '%s' "${HF_TOKEN:+header = \"Authorization: Bearer $HF_TOKEN\"}" |
        curl -K - -gsS --proto =http,https --connect-timeout 20 --retry 3 --user-agent encode-fetch/@VERSION@ "$@"
}

header() { # NAME: its first value in the answers that ask() got
    sed -n "s/^$1: *\(.*[^[:space:]]\)[[:space:]]*\$/\1/Ip" "$work/headers" | head -n 1
}

ask() { # PATH: asks for its checksum; false if the Hub does not have it. A model that was renamed is elsewhere on the Hub
    url=$endpoint/$model/resolve/$commit/$1 n=0
    : >"$work/headers"
    while
        request -I -o "$work/answer" "$url" && cat "$work/answer" >>"$work/headers" || die 1 "$url: no answer. HF_ENDPOINT names a mirror; a folder from elsewhere: encode-import DIR -o FILE"
        status=$(awk '/^HTTP/ {code = $2} END {print code}' "$work/answer")
        next=$(sed -n 's|^location: *\(/[^/][^[:space:]]*\).*|\1|Ip' "$work/answer")
        case $status in 30[1278]) [ -n "$next" ] && [ $((n += 1)) -le 5 ] ;; *) false ;; esac
    do url=$(echo "$endpoint" | sed 's|^\(https*://[^/]*\).*|\1|')$next; done
    case $status in
    20? | 30?) ;;
    404) case $(header x-error-code) in '' | EntryNotFound) return 1 ;; *) die 1 "$model at $revision: $(header x-error-message)" ;; esac ;;
    401 | 403) die 1 "$url: status $status: HF_TOKEN must be a token that may read $model" ;;
    *) die 1 "$url: status $status" ;;
    esac
    [ -n "$(header x-repo-commit)" ] && commit=$(header x-repo-commit)
    sum=$(header x-linked-etag)
    sum=$(echo "${sum:-$(header etag)}" | sed 's/^W\///; s/"//g')
    case $sum in *[!0-9a-f]*) sum= ;; esac
    [ ${#sum} = 64 ] || [ ${#sum} = 40 ] || die 1 "$url: the answer has no checksum; expected a SHA-256, or git's SHA-1"
}

is_right() { # FILE: it has the checksum: of large files the SHA-256, of small ones that of a blob of git
    [ -f "$1" ] || return 1
    if [ ${#sum} = 64 ]; then got=$(sha256sum <"$1"); else got=$({ printf 'blob %d\0' "$(wc -c <"$1")" && cat "$1"; } | sha1sum); fi
    [ "${got%% *}" = "$sum" ]
}

drop() { # PATH: removes what another commit of the model left there
    [ -z "$was" ] || [ "$was" = "$model $commit" ] || rm -f "$directory/$1" || die 1 "cannot remove $directory/$1"
}

fetch() { # PATH: fetches it into $directory; false if the Hub does not have it
    case /$1/ in *[!A-Za-z0-9_./-]* | */../* | //*) die 1 "the path '$1' is refused: expected letters, digits and _ . - /" ;; esac
    ask "$1" || { drop "$1" && return 1; }
    [ ! -d "$directory/$1" ] || die 1 "$directory/$1 is a folder; expected a file: remove it"
    is_right "$directory/$1" && return
    part=$work/$sum.part
    echo "encode-fetch: $1" >&2
    is_right "$part" || status=$(request -fL -C - -w '%{http_code}' -o "$part" "$url") || {
        case "$? $status" in '33 '* | *' 416') rm -f "$part" ;; esac # it cannot be resumed: by this server, or as it is whole and wrong
        die 1 "$url: not fetched; the same command resumes it"
    }
    [ -f "$part" ] || : >"$part" # of an empty file curl makes none
    is_right "$part" || { rm -f "$part"; die 1 "$1: its checksum is ${got%% *}; expected $sum. Nothing was kept of it"; }
    { mkdir -p "$(dirname "$directory/$1")" && mv "$part" "$directory/$1"; } || die 1 "cannot write $directory/$1"
}

fetch_folder() { # PREFIX: what encode-import reads in a folder; in that of a module fewer files
    files=config.json
    case ${1:-Transformer} in *Transformer* | *Static*)
        files='config.json config_sentence_transformers.json tokenizer.json tokenizer_config.json special_tokens_map.json
            added_tokens.json vocab.txt vocab.json merges.txt sentencepiece.bpe.model spiece.model spm.model tokenizer.model
            adapter_config.json artifact.metadata sparse_linear.pt colbert_linear.pt'
        for class in bert roberta distilbert camembert albert xlm-roberta xlnet; do
            ! fetch "$1sentence_${class}_config.json" || break
        done ;;
    esac
    for name in $files; do
        fetch "$1$name" || :
    done
    for name in model.safetensors pytorch_model.bin; do
        index=$1$name.index.json
        if fetch "$1$name"; then
            drop "$index" && break
        elif fetch "$index"; then
            for shard in $(grep -oE '"[^"]*\.(safetensors|bin)"' "$directory/$index" | tr -d '"' | sort -u); do
                fetch "$1$shard" || die 1 "$model has no $1$shard, which its index names"
            done
            break
        fi
    done
}

module_folders() { # prints the folders that modules.json and router_config.json name
    for file in modules.json router_config.json; do
        [ ! -f "$directory/$file" ] || grep -oE '"path": *"[^"]+"|"[^"]+": *"[a-z_]+\.[^"]+"' "$directory/$file"
    done | sed -nE 's/^"path": *"([^"]*)"/\1/p; /^"(path|type)"/d; s/^"([^"]*)": .*/\1/p'
}

remove_empty() { # removes the folders that this run made, if it fetched nothing
    [ "$(ls -A "$directory" | tr '\n' ' ')" = '.fetch .fetched ' ] && rm -f "$work/headers" "$work/answer" &&
        rmdir "$work" 2>/dev/null && rm "$directory/.fetched" && rmdir "$directory" || :
}

model='' directory='' output='' revision=main imports=yes
while [ $# -gt 0 ]; do
    case $1 in
    --help | -h | --help-table) describe "$1" && exit || exit 1 ;;
    --version) echo 'encode-fetch @VERSION@' && exit || exit 1 ;;
    --no-import) imports= ;;
    --output=* | --revision=*) value=${1#*=} name=${1%%=*} && shift && set -- "$name" "$value" "$@" && continue ;;
    -o | --output | --revision)
        [ $# -gt 1 ] || die 2 "$1 requires a value"
        if [ "$1" = --revision ]; then revision=$2; else output=$2; fi
        shift ;;
    --) shift && break ;;
    -*) die 2 "'$1' is not an option; see encode-fetch --help. Those of encode-import follow --" ;;
    *) if [ -z "$model" ]; then model=$1; elif [ -z "$directory" ]; then directory=$1; else die 2 "one model is fetched: leave out '$1'"; fi ;;
    esac
    shift
done
case $model in */*/* | */ | /* | *[!A-Za-z0-9_./-]* | '') die 2 "'$model' is not a model of the Hub; expected ORG/MODEL" ;; esac
case $revision in *[!A-Za-z0-9_./-]* | '') die 2 "--revision '$revision': expected a branch, a tag or a commit" ;; esac
directory=${directory:-${model#*/}} work=${directory:-${model#*/}}/.fetch
endpoint=${HF_ENDPOINT:-https://huggingface.co} commit=$(echo "$revision" | sed 's|/|%2F|g')
endpoint=${endpoint%/}
was=$(cat "$directory/.fetched" 2>/dev/null || :) # ORG/MODEL COMMIT of the last whole run
case $was in '' | "$model "*) ;; *) die 1 "$directory has ${was% *}: name another DIR, or remove it" ;; esac
case ${HF_HUB_OFFLINE:-0} in
1 | [Oo][Nn] | [Yy][Ee][Ss] | [Tt][Rr][Uu][Ee]) # nothing is fetched: what an earlier run did is imported
    [ -f "$directory/config.json" ] || [ -f "$directory/modules.json" ] || die 1 "HF_HUB_OFFLINE is set, and $directory has no model"
    [ ! -d "$work" ] || die 1 "HF_HUB_OFFLINE is set, and $directory is incomplete" ;;
*)
    command -v curl >/dev/null || die 1 'curl is needed, and is not in PATH'
    mkdir -p "$work" || die 1 "cannot write $work"
    trap remove_empty EXIT
    [ -n "$was" ] || echo "$model -" >"$directory/.fetched"
    fetch modules.json || fetch config.json || die 1 "$model at $revision has neither config.json nor modules.json"
    fetch router_config.json || :
    fetch_folder ''
    for folder in $(module_folders | sort -u); do
        [ "$folder" = . ] || fetch_folder "${folder%/}/"
    done
    echo "$model $commit" >"$directory/.fetched"
    rm -r "$work" ;;
esac
[ -n "$imports" ] || exit 0
import=$(dirname "$0")/encode-import
[ -x "$import" ] || import=encode-import
exec "$import" "$directory" -o "${output:-${model#*/}.weights}" "$@"
