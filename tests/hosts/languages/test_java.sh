#!/usr/bin/env bash
# tags: no-coverage
# The package for Java. Needs a JDK of 17 and JNA, and for one check langchain4j-core (sh tools/setup.sh languages).
# shellcheck disable=SC2154
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/hosts/languages/language.sh
jars=$made_by_setup/java
jna=$(ls "$jars"/jna-*.jar /usr/share/java/jna.jar 2>/dev/null | head -n 1)
if ! javac --version >/dev/null 2>&1 || [ -z "$jna" ]; then
    echo 'skipped: needs javac and JNA (sh tools/setup.sh languages)'
    exit 77
fi
sources=$tree/tools/hosts/java/src/main/java/libengine
make_cases 2>"$folder/notes"
mkdir classes
run javac -Xlint:all -Werror -encoding UTF-8 -d classes -cp "$jna" "$sources"/*.java "$tree/tests/hosts/languages/JavaUses.java"
check 'javac -Xlint:all finds nothing' [ $code = 0 ]
check_language Java java -Xmx512m -Dfile.encoding=UTF-8 -cp "classes:$jna" JavaUses
run javadoc -quiet -Xdoclint:all,-missing -encoding UTF-8 -d doc -cp "$jna" "$sources"/*.java
check 'javadoc finds nothing' [ $code = 0 ]

if ls "$jars"/langchain4j-core-*.jar >/dev/null 2>&1; then
    run javac -d classes -cp "classes:$jars/*" "$sources"/langchain4j/*.java "$tree/tests/hosts/languages/ChainUses.java"
    run java -cp "classes:$jars/*" ChainUses
    check "LangChain4j's EmbeddingModel" [ "$(cat "$folder/out")" = 'true 2 16 true' ]
else
    skip 'the EmbeddingModel needs langchain4j-core'
fi
if command -v patchelf >/dev/null; then
    mkdir -p classes/libengine
    python3 -B "$tree/tools/hosts/python/package.py" --bundle "$programs" classes/libengine/bundled
    run jar --create --file libengine.jar -C classes .
    mkdir "$folder/temporary"
    run env -u LIBENGINE_FOLDER -u ENCODE_MODEL -C / java -Djava.io.tmpdir="$folder/temporary" -cp "$folder/libengine.jar:$jna" JavaUses
    check 'the jar alone gives the bytes' cmp "$folder/out" <(rows -p model 'I ride bike')
    check 'and leaves no folder' [ -z "$(compgen -G "$folder/temporary/libengine*")" ]
else
    skip 'packing needs patchelf'
fi
finish
