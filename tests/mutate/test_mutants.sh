#!/usr/bin/env bash
# tags: no-coverage
# What mutants.py finds in a small file: each operator, constant and returned value once, and nothing in comments,
# strings, preprocessor lines, sizes of arrays and the values that a message prints. And which files mutate.py refuses.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/checks.sh
command -v python3 >/dev/null || { echo 'skipped: python3 is not there'; exit 77; }

cat >"$folder/sample.c" <<'C'
/* 1 + 1 < 3 */
#define LIMIT 8
static int step(char *p, int n, bool last)
{
    char tag[5] = ";", c = '<';
    if (n >= 0x10 && !last) // n == 2
        return fail(error, "n is %d; not less", n + 1);
    p[2] = n << 1;
    p->x += -n - 1;
    scale(1.5f, true);
    return p[n] != c;
}
C
cat >"$folder/expected" <<'TEXT'
6:11 >= -> >
6:14 0x10 -> (0x10 + 1)
6:19 && -> ||
6:22 ! -> nothing
7:9 return fail(error, "n is %d; not less", n + 1) -> return 0
8:7 2 -> (2 + 1)
8:17 1 -> (1 + 1)
9:10 += -> -=
9:16 - -> +
9:18 1 -> (1 + 1)
10:11 1.5f -> (1.5f * 1.001f)
10:17 true -> false
11:5 return p[n] != c -> return 0
11:17 != -> ==
TEXT
run python3 -B tests/mutate/mutants.py "$folder/sample.c"
check 'the list is made' [ $code = 0 ]
sed "s|^$folder/sample.c:||" "$folder/out" | tr '\t' ' ' >"$folder/got"
run diff "$folder/expected" "$folder/got"
check 'each mutant is found, and nothing else' [ $code = 0 ]

refuses() { # FILE MESSAGE
    run env BUILD="$folder" python3 -B tests/mutate/mutate.py "$1"
    [ $code = 1 ] && [ "$(cat "$folder/err")" = "$1: $2" ]
}
check 'a file that is not there is refused' refuses model/missing.c 'no such file'
check 'a file of another floor is refused' refuses tools/encode.c 'only files of model/ and engine/ can be changed'
finish
