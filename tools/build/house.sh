#!/usr/bin/env bash
# Draws the house as an SVG on stdout: its rooms, and an arrow from each room to every lower one that a file of it
# includes a header of. Rooms side by side may include each other, and all rooms of model/ its headers config.h,
# tensor.h and encoder.h; no arrows are drawn for these. Fails if an arrow would point up.
#
#     tools/build/house.sh > tools/study/pictures/house.svg
set -eu
cd "$(dirname "$0")/../.."

# "FILE INCLUDED" for every include of a file of the tree, in the same order on every file system.
includes() {
    grep -rHoE --include='*.[ch]' '^ *# *include +"[^"]+"' engine model tools | sed -E 's/:[^"]*"([^"]*)"/ \1/' | LC_ALL=C sort
}

# Room, its position in points (x, y, width), its name, and its content.
rooms() {
    cat <<'END'
tools/hosts/serve 20 40 130|encode-serve|vectors over HTTP
tools/study/compare 165 40 140|encode-compare|texts side by side
tools/study/plot 320 40 120|encode-plot|pictures
tools/study/bench 455 40 120|encode-bench|speed
tools/study/new 640 40 230|encode-new|random models
tools/encode 20 130 180|encode|vectors
tools/search 215 130 180|encode-search|nearest texts
tools/inspect 410 130 180|encode-inspect|what files hold
tools/import 640 130 230|encode-import|checkpoints
tools/common 20 220 570|tools/common/|options, texts and their tokens, tables and JSON
tools/writer 620 220 270|tools/writer/|makes weight files
engine.h 20 340 570|engine/engine.h|all that a host or a program sees of the library
engine 20 430 260|engine/|request, forward, answer, session
engine/search 290 430 120|engine/search/|search, index
engine/runtime 420 430 170|engine/runtime/|threads and how they wait
engine/file 620 430 270|engine/file/|weight files: reader, checks
model/layers 20 550 570|model/layers/|embedding, positions, attention, feed-forward, norm, pooling, heads
model/tokenizer 620 550 270|model/tokenizer/|text to ids and spans
model/kernels 20 640 570|model/kernels/|the inner loops, for each instruction set
model/unicode 620 640 270|model/unicode/|UTF-8, case, normal forms
END
}

{
    rooms | tr '|' '\t' | sed 's/^/room\t/'
    includes | sed 's/^/include\t/'
} | awk -F '\t' '
function room_of(file,   part, n) {
    if (file ~ /^engine\/engine(_details|_answers|_search|_types)?\.h$/) return "engine.h"
    n = split(file, part, "/")
    if (part[2] ~ /^(hosts|study)$/) part[2] = part[2] "/" part[3]
    sub(/\.c$/, "", part[2])
    return part[1] == "tools" || n > 2 ? part[1] "/" part[2] : part[1]
}
function arrow(from, to,   left, right) { # down the middle of what both have above one another
    left = x[from] > x[to] ? x[from] : x[to]
    right = x[from] + w[from] < x[to] + w[to] ? x[from] + w[from] : x[to] + w[to]
    if (left < right)
        line((left + right) / 2, y[from] + 50, (left + right) / 2, y[to])
    else
        line(near_end(from, to), y[from] + 50, near_end(to, from), y[to])
}
function near_end(room, other) {
    return x[room] < x[other] ? x[room] + w[room] - 30 : x[room] + 30
}
function line(x1, y1, x2, y2) {
    printf "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" marker-end=\"url(#tip)\"/>\n", x1, y1, x2, y2 - 3
}
function floor_box(top, height, name, color) {
    printf "<rect x=\"5\" y=\"%d\" width=\"900\" height=\"%d\" rx=\"8\" fill=\"%s\"/>\n", top, height, color
    printf "<text x=\"898\" y=\"%d\" text-anchor=\"end\" font-weight=\"bold\" fill=\"#555\">%s</text>\n", top + 19, name
}
$1 == "room" {
    split($2, place, " ")
    room = order[++n_rooms] = place[1]
    x[room] = place[2]; y[room] = place[3]; w[room] = place[4]; name[room] = $3; about[room] = $4
}
$1 == "include" {
    split($2, file, " ")
    from = room_of(file[1]); to = room_of(file[2])
    if (!(from in x) || !(to in x) || y[from] == y[to] || to == "engine.h" && from ~ /^(engine|model)/ || seen[from, to]++)
        next
    if (y[from] > y[to]) { print file[1] " includes " file[2] ", which is above it" > "/dev/stderr"; failed = 1 }
    arrows[++n_arrows] = from SUBSEP to
}
END {
    print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 910 740\" font-family=\"sans-serif\" font-size=\"13\">"
    print "<defs><marker id=\"tip\" viewBox=\"0 0 10 10\" refX=\"8\" refY=\"5\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">"
    print "<path d=\"M0 0L10 5L0 10z\" fill=\"#666\"/></marker></defs>"
    print "<rect width=\"910\" height=\"740\" fill=\"white\"/>"
    floor_box(10, 280, "tools/", "#eaf2e3")
    floor_box(310, 190, "engine/", "#e3edf7")
    floor_box(520, 190, "model/", "#f7ede0")
    print "<g stroke=\"#666\" stroke-width=\"1.3\">"
    for (i = 1; i <= n_arrows; i++) { split(arrows[i], ends, SUBSEP); arrow(ends[1], ends[2]) }
    arrow("engine.h", "engine") # which defines what engine.h declares
    print "</g>"
    for (i = 1; i <= n_rooms; i++) {
        room = order[i]
        printf "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"50\" rx=\"5\" fill=\"white\" stroke=\"#666\"/>\n", x[room], y[room], w[room]
        printf "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\"><tspan font-weight=\"bold\">%s</tspan>", x[room] + w[room] / 2, y[room] + 21, name[room]
        printf "<tspan x=\"%d\" dy=\"18\" font-size=\"12\" fill=\"#444\">%s</tspan></text>\n", x[room] + w[room] / 2, about[room]
    }
    print "<text x=\"455\" y=\"730\" text-anchor=\"middle\" fill=\"#555\">OpenBLAS, utf8proc, libc</text>"
    print "</svg>"
    exit failed
}'
