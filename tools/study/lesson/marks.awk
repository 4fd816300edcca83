# marks.awk - replaces the marks @{NAME} of a page by files: -v work=FOLDER has css, js, chain, data, articles,
# a file drawn-NAME for each @{drawn NAME}, and a file said-NAME for each @{said NAME}, whose text becomes HTML.
{
    while (match($0, /@[{][a-z]+( [a-z]+)?[}]/)) {
        printf "%s", substr($0, 1, RSTART - 1)
        name = substr($0, RSTART + 2, RLENGTH - 3)
        $0 = substr($0, RSTART + RLENGTH)
        is_text = name ~ /^said /
        sub(/ /, "-", name)
        put_file(work "/" name, is_text)
    }
    print
}

function put_file(path, is_text,    line, got, n) {
    while ((got = (getline line <path)) > 0) {
        if (is_text) {
            gsub(/&/, "\\&amp;", line)
            gsub(/</, "\\&lt;", line)
            gsub(/>/, "\\&gt;", line)
        }
        printf "%s%s", (n++ ? "\n" : ""), line
    }
    if (got < 0 || !n) {
        print "lesson: there is nothing for the mark @{" name "}" >"/dev/stderr"
        exit 1
    }
    close(path)
}
