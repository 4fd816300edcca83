#!/usr/bin/env bash
# tags: no-coverage
# The crate for Rust, which needs cargo 1.85 and no other crate. The program that makes the calls has no unsafe code.
# shellcheck disable=SC2154
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/hosts/languages/language.sh
if ! cargo --version 2>/dev/null | grep -qE 'cargo (1\.(8[5-9]|9[0-9]|[0-9]{3})|[2-9])\.?'; then
    echo 'skipped: needs cargo 1.85'
    exit 77
fi
host=$tree/tools/hosts/rust
export CARGO_TARGET_DIR=$made_by_setup/rust CARGO_NET_OFFLINE=true
make_cases 2>"$folder/notes"
mkdir -p uses/src && cp "$tree/tests/hosts/languages/rust_uses.rs" uses/src/main.rs
cat >uses/Cargo.toml <<END
[package]
name = "rust_uses"
version = "0.1.0"
edition = "2024"
[dependencies]
libengine = { path = "$host" }
END
run cargo build --release --manifest-path uses/Cargo.toml
check "cargo build: exit code $code" [ $code = 0 ]
LD_LIBRARY_PATH=$programs check_language Rust "$CARGO_TARGET_DIR/release/rust_uses"
for command in 'fmt --check' 'clippy --offline -- -D warnings' 'doc --offline'; do
    name=${command%% *}
    if [ "$name" = doc ] || command -v "cargo-$name" >/dev/null; then
        # shellcheck disable=SC2086
        RUSTDOCFLAGS='-D warnings' run env -C "$host" cargo $command
        check "cargo $name finds nothing" [ $code = 0 ]
    else
        skip "cargo $name is not here"
    fi
done
finish
