# plane.awk - encode-plot words -f data of two texts as JSON: the points of both panels.
#
#     awk -F'\t' -f pack.awk -f plane.awk -v label=TEXT -v w1=1 -v w2=10 -v a=TEXT -v b=TEXT
BEGIN {
    set_group("people", "king queen man woman")
    set_group("animals", "dog wolf")
    set_group("sports", "football tennis")
    set_group("colours", "red green yellow")
}
function set_group(group, words,    n, i, list) {
    n = split(words, list, " ")
    for (i = 1; i <= n; i++)
        group_of[list[i]] = group
}
/^# table / { is_first = /: A, /; is_plane = 0; next }
/^# / || !NF { next }
# The last plane of each text: those without positions come first, if there are others.
$1 == "name" {
    is_plane = $2 == "x" && $3 == "y"
    if (is_plane) points[panel = is_first ? 1 : 2] = ""
    next
}
is_plane {
    points[panel] = points[panel] (points[panel] ? ", " : "") \
        sprintf("{\"word\": %s, \"group\": %s, \"x\": %.5g, \"y\": %.5g}", quoted($1), quoted(group_of[$1]), $2, $3)
}
END {
    printf "{\"label\": %s, \"w1\": %s, \"w2\": %s, \"texts\": [%s, %s],\n", quoted(label), w1, w2, quoted(a), quoted(b)
    printf "\"points\": [[%s],\n[%s]]}\n", points[1], points[2]
}
