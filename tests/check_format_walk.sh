#!/usr/bin/env bash
# weights/FORMAT.md walks through small files in hex. This makes them again with the commands that the document
# shows, and compares each line: its bytes with the file's bytes at that offset, and the numbers, texts and
# checksums after them with the meaning of the bytes.
#
# Guarantee: files have the bytes that weights/FORMAT.md walks through.
set -u
cd "$(dirname "$0")/.." || exit 1
build=$(cd "${BUILD:-build}" && pwd) || exit 1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export LC_ALL=C
n_passed=0 n_failed=0
file='' # the one made last

expect() { # LINE WHAT IN-FILE IN-DOCUMENT
    if [ "$3" = "$4" ]; then
        n_passed=$((n_passed + 1))
    else
        echo "weights/FORMAT.md: $1"
        echo "    $2: ${file##*/} has '$3'"
        n_failed=$((n_failed + 1))
    fi
}

dump() { # OFFSET N-BYTES TYPE-OF-OD
    od -A n -v -w64 --endian=little -j "$1" -N "$2" -t "$3" "$file"
}

# CRC-32C (Castagnoli), bit by bit, of the bytes FIRST to LAST.
crc32c() { # FIRST LAST
    local crc=$((0xFFFFFFFF)) byte
    while read -r byte; do
        crc=$((crc ^ byte))
        for _ in 1 2 3 4 5 6 7 8; do
            crc=$((crc & 1 ? crc >> 1 ^ 0x82F63B78 : crc >> 1))
        done
    done < <(dump "$1" $(($2 - $1 + 1)) u1 | tr -s ' ' '\n' | grep .)
    printf '0x%08X' $((crc ^ 0xFFFFFFFF))
}

# The bytes as numbers of a type of od, each formatted as the document has it.
numbers() { # OFFSET N-BYTES TYPE FORMAT
    # shellcheck disable=SC2046,SC2059 # one argument for each number
    printf "$4 " $(dump "$1" "$2" "$3") | sed 's/ $//; s/-\?0\.0000/0/g'
}

check_meaning() { # LINE OFFSET N-BYTES MEANING
    local said=${4%%:*}
    case $4 in
    u32\ 0x*) expect "$1" value "u32 $(numbers "$2" "$3" u4 0x%08X)" "$said" ;;
    u32\ *) expect "$1" value "u32 $(numbers "$2" "$3" u4 %d)" "$said" ;;
    u64\ *) expect "$1" value "u64 $(numbers "$2" "$3" u8 %d)" "$said" ;;
    i32\ *) expect "$1" value "i32 $(numbers "$2" "$3" d4 %d)" "$said" ;;
    int8\ *) expect "$1" value "int8 $(numbers "$2" "$3" d1 %d)" "$said" ;;
    f32\ *) expect "$1" value "f32 $(numbers "$2" "$3" f4 %.4f)" "$said" ;;
    \"*) expect "$1" text "\"$(tail -c +$(($2 + 1)) "$file" | head -c "$3")\"" "$said" ;;
    CRC\ *)
        [[ $said =~ ^CRC\ (0x[0-9A-F]{8})\ of\ ([0-9a-f]{4})\ to\ ([0-9a-f]{4})$ ]] || expect "$1" words '' "$said"
        expect "$1" value "u32 $(numbers "$2" 4 u4 0x%08X)" "u32 ${BASH_REMATCH[1]}"
        expect "$1" 'checksum of those bytes' "$(crc32c $((16#${BASH_REMATCH[2]})) $((16#${BASH_REMATCH[3]})))" "${BASH_REMATCH[1]}"
        ;;
    esac
}

while IFS= read -r line; do
    if [[ $line =~ ^'$ build/'(.*\ -o\ ([a-z0-9.-]+)\ .*)$ ]]; then
        file=$folder/${BASH_REMATCH[2]}
        (cd "$folder" && eval "'$build'/${BASH_REMATCH[1]}") || exit 1
    elif [[ $line =~ ^([0-9a-f]{4})\ \ (([0-9a-f]{2}\ ?)+)(\ +(.*))?$ ]]; then
        offset=$((16#${BASH_REMATCH[1]})) bytes=${BASH_REMATCH[2]% } meaning=${BASH_REMATCH[5]}
        n=$(((${#bytes} + 1) / 3))
        expect "$line" bytes "$(dump "$offset" $n x1 | sed 's/^ //')" "$bytes"
        check_meaning "$line" "$offset" $n "$meaning"
    fi
done <weights/FORMAT.md

echo "$n_passed passed, $n_failed failed"
[ $n_failed = 0 ] && [ $n_passed != 0 ]
