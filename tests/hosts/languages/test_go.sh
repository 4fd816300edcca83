#!/usr/bin/env bash
# tags: no-coverage
# The module for Go, built without cgo. Needs go 1.25 and purego (sh tools/setup.sh languages).
# shellcheck disable=SC2154
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/hosts/languages/language.sh
export CGO_ENABLED=0 GOFLAGS=-mod=mod GOPROXY=off GOTOOLCHAIN=local GOWORK=off
host=$tree/tools/hosts/go
cp -r "$host" "$folder/go"
if ! command -v go >/dev/null || ! (cd "$folder/go" && go build ./... 2>"$folder/err"); then
    echo "skipped: needs go 1.25 and purego (sh tools/setup.sh languages): $(head -n 1 "$folder/err")"
    exit 77
fi
make_cases 2>"$folder/notes"
mkdir go/uses && cp "$tree/tests/hosts/languages/go_uses.go" go/uses/main.go
run go build -C go -o "$folder/go_uses" ./uses
check "go build: exit code $code" [ $code = 0 ]
check_language Go ./go_uses
run go vet -C go ./...
check 'go vet finds nothing' [ $code = 0 ]
run gofmt -l go
check 'gofmt finds nothing' [ ! -s out ]
check 'no cgo: the program needs no library before it starts libengine' [ -z "$(go list -C go -deps ./uses | grep -x runtime/cgo)" ]

# A program beside the library and the weights finds them.
if command -v patchelf >/dev/null; then
    python3 -B "$tree/tools/hosts/python/package.py" --bundle "$programs" beside
    cp go_uses beside
    printf 'encode\ttexts\t\ttext\t0\t0\t-\tmodel\ttexts\n' >one
    mkdir alone
    run env -u LIBENGINE_FOLDER -u ENCODE_MODEL beside/go_uses one alone
    check 'beside the library and the weights' cmp alone/texts expected/texts
else
    skip 'packing needs patchelf'
fi
finish
