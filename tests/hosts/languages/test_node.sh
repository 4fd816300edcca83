#!/usr/bin/env bash
# tags: no-coverage
# The package for Node. Needs node 20 and koffi; @langchain/core and tsc for two checks (sh tools/setup.sh languages).
# shellcheck disable=SC2154
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/hosts/languages/language.sh
host=tools/hosts/node
modules=$made_by_setup/node_modules
if ! command -v node >/dev/null || [ ! -d "$modules/koffi" ]; then
    echo 'skipped: needs node and koffi (sh tools/setup.sh languages)'
    exit 77
fi
# Node looks for packages beside the files: a copy has them.
mkdir -p "$folder/tree/tools/hosts/api" && cp "$host"/../api/engine.json "$folder/tree/tools/hosts/api"
cp -r "$host" "$folder/tree/tools/hosts" && ln -sfn "$modules" "$folder/tree/tools/hosts/node/node_modules"
host=$folder/tree/$host
export TREE=$folder/tree
make_cases 2>"$folder/notes"
check_language Node node --expose-gc "$tree/tests/hosts/languages/node_uses.mjs"

run node --expose-gc --input-type=module -e "const { Encoder } = await import('$host/index.mjs');
const turn = async () => { for (let i = 0; i < 60; i++) { new Encoder().encode('a'); if (i % 10 === 0) { gc(); await new Promise((r) => setTimeout(r, 5)); } } };
await turn(); const before = process.memoryUsage.rss(); await turn(); await turn();
const more = process.memoryUsage.rss() - before; console.log(more < 30e6 ? 'freed' : more);"
check 'forgotten encoders are freed' [ "$(cat "$folder/out")" = freed ]

if [ -d "$modules/@langchain/core" ]; then
    run node --input-type=module -e "const { Embeddings } = await import('$host/langchain.mjs');
const { Embeddings: Base } = await import('$modules/@langchain/core/dist/embeddings.js');
const { Encoder } = await import('$host/index.mjs');
const e = new Embeddings({ encoder: new Encoder('roles.weights') }), plain = e.encoder;
const [a] = await e.embedDocuments(['I ride']), b = await e.embedQuery('I ride');
const same = (x, y) => x.length === y.length && x.every((v, i) => v === y[i]);
console.log(e instanceof Base, same(a, plain.encode('I ride', { role: 'document' })), same(b, plain.encode('I ride', { role: 'query' })), same(a, b));"
    check "LangChain's Embeddings" [ "$(cat "$folder/out")" = 'true true true false' ]
else
    skip "LangChain's Embeddings need @langchain/core"
fi
if command -v npm >/dev/null && command -v patchelf >/dev/null; then
    python3 -B "$tree/tools/hosts/python/package.py" --bundle "$programs" "$host/bundled"
    run env -C "$host" npm pack --silent --offline --ignore-scripts
    check "npm pack: exit code $code" [ $code = 0 ]
    mkdir -p "$folder/packed/node_modules" && tar -xzf "$host"/libengine-*.tgz -C "$folder/packed/node_modules"
    mv "$folder/packed/node_modules/package" "$folder/packed/node_modules/libengine"
    for name in koffi @koromix; do ln -s "$modules/$name" "$folder/packed/node_modules/$name"; done
    run env -u LIBENGINE_FOLDER -u ENCODE_MODEL -C "$folder/packed" node --input-type=module -e \
        "import { Encoder } from 'libengine'; process.stdout.write(new Uint8Array(new Encoder().encode('I ride bike').buffer))"
    check 'the package alone gives the bytes' cmp "$folder/out" <(rows -p model 'I ride bike')
else
    skip 'packing needs npm and patchelf'
fi
if [ -x "$modules/.bin/tsc" ]; then
    cp -r "$host" "$folder/types" && ln -sfn "$modules" "$folder/types/node_modules" && rm -f "$folder"/types/*.d.mts
    run "$modules/.bin/tsc" -p "$folder/types"
    check 'tsc finds nothing' [ $code = 0 ]
    for file in index library langchain; do
        check "types: $file.d.mts is what tsc makes" diff "$folder/types/$file.d.mts" "$host/$file.d.mts"
    done
else
    skip 'types need tsc'
fi
finish
