#!/bin/sh
# make_vectors.sh WORDS WIDTH > FILE: a text file of word vectors as large as is asked, in the form of GloVe's
# ("the 0.418 0.24968 …"), for measuring encode-import --vectors. The numbers have 3 to 6 digits, as there; every
# tenth word has a hyphen. The same bytes every time.
#
#     sh tests/tools/import/make_vectors.sh 400000 100 > /tmp/vectors.txt
#     /usr/bin/time -v build/encode-import --vectors /tmp/vectors.txt -o /tmp/vectors.weights
awk -v words="$1" -v width="$2" 'BEGIN {
    n = 4099
    for (i = 0; i < n; i++) {
        state = (state * 16807 + 12345) % 2147483647
        numbers[i] = sprintf(" %.*g", 3 + i % 4, state / 1073741823.5 - 1)
    }
    for (word = 1; word <= words; word++) {
        line = "w" (word % 10 == 0 ? "-" : "") word
        at = (word * 7919) % n
        for (i = 0; i < width; i++) {
            line = line numbers[at]
            at = (at + 1 + word % 13) % n
        }
        print line
    }
}'
