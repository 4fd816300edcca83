# fill.awk - puts the numbers of one case into the page, for readers without JavaScript: the first sentence
# with sinusoidal positions, as the page's script shows it first (state.awk). The same places, data-value
# and data-matrix, are filled by 2-page.js.
#
#     awk -f pack.awk -f state.awk -f fill.awk DATA.json TEMPLATE.html >PAGE.html
#
# Fails if a slot names an absent value.

# ---- Reading: value["toy.table.0.1"] = 0.83 ----

# Packed numbers are alone on long lines; the lines of other cases are emptied.
FNR == NR {
    if (length($0) > 2000 && !/^"(sinusoidal\/10000\/2|model)\/full": / && match($0, /^"[^"]*": "/)) {
        rest = substr($0, RLENGTH + 1)
        $0 = substr($0, 1, RLENGTH) substr(rest, index(rest, "\""))
    }
    read_json($0)
    next
}

function read_json(text,   token) {
    while (match(text, /"([^"\\]|\\.)*"|[][{},:]|[-+.0-9a-z][-+.0-9a-zA-Z]*/)) {
        token = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        if (token == "{" || token == "[") {
            path[depth + 1] = depth == 0 ? "" : path[depth] (depth > 1 ? "." : "") name[depth]
            depth++
            is_list[depth] = token == "["
            name[depth] = is_list[depth] ? 0 : ""
        } else if (token == "}" || token == "]") depth--
        else if (token == ",") name[depth] = is_list[depth] ? name[depth] + 1 : ""
        else if (token == ":") continue
        else if (!is_list[depth] && name[depth] == "") name[depth] = unquoted(token)
        else value[path[depth] (depth > 1 ? "." : "") name[depth]] = unquoted(token)
    }
}

function unquoted(token) {
    if (token !~ /^"/) return token
    token = substr(token, 2, length(token) - 2)
    gsub(/\\"/, "\"", token)
    gsub(/\\\\/, "\\", token)
    return token
}

# ---- Places ----

function full_path(name,   at) {
    gsub(/\{query\}/, query, name)
    gsub(/\{key\}/, key, name)
    if (name ~ /^toy\./) return name
    if (name !~ /^model\./) return "now." name
    at = "default" substr(name, 6)
    return at in value ? at : name
}

function has_row(at, i) {
    return (at "." i) in value || (at "." i ".0") in value
}

function shown(number, digits,   text) {
    if (number !~ /^-?[0-9]/) return escaped(number)
    text = sprintf("%." digits "f", number)
    if (text !~ /[1-9]/) sub(/^-/, "", text)
    sub(/^-/, "−", text)
    return text
}

function escaped(text) {
    gsub(/&/, "\\&amp;", text)
    gsub(/</, "\\&lt;", text)
    return text
}

function attribute(tag, wanted,   found) {
    if (!match(tag, wanted "=\"[^\"]*\"")) return ""
    found = substr(tag, RSTART, RLENGTH)
    return substr(found, length(wanted) + 3, length(found) - length(wanted) - 3)
}

# Where a step is computed: file and line of the source, and its lines.
function source_html(key) {
    if (!(("sources." key ".at") in value)) missing("sources." key)
    return "<span>" value["sources." key ".at"] "</span> <code>" escaped(value["sources." key ".text"]) "</code>"
}

# Returns the text of a slot for one value; a negative factor or summand is in parentheses.
function value_text(tag, before,   at, digits, text) {
    at = full_path(attribute(tag, "data-value"))
    if (!(at in value)) missing(at)
    digits = attribute(tag, "data-digits")
    if (digits == "") digits = 2
    if (at ~ /^(toy|default)\./ && value[at] !~ /\./) digits = 0
    text = shown(value[at], digits)
    return text ~ /^−/ && tag ~ /^<i/ && before ~ /[·+−] $/ ? "(" text ")" : text
}

function missing(at) {
    print "fill.awk: the data have no " at >"/dev/stderr"
    failed = 1
    exit 1
}

function head_html(heads, has_names,   html, j) {
    html = "<thead><tr>" (has_names ? "<td></td>" : "")
    for (j = 0; (heads "." j) in value; j++)
        html = html "<th scope=\"col\">" escaped(value[heads "." j]) "</th>"
    return html "</tr></thead>"
}

function row_html(at, digits,   html, j) {
    if (at in value) return "<td>" shown(value[at], digits) "</td>"
    for (j = 0; (at "." j) in value; j++) html = html "<td>" shown(value[at "." j], digits) "</td>"
    return html
}

function rows_html(tag,   at, names, heads, digits, html, i) {
    at = full_path(attribute(tag, "data-matrix"))
    names = attribute(tag, "data-rows")
    heads = attribute(tag, "data-heads")
    digits = attribute(tag, "data-digits")
    if (!has_row(at, 0)) missing(at)
    if (names != "") names = full_path(names)
    if (heads != "") html = head_html(full_path(heads), names != "")
    html = html "<tbody>"
    for (i = 0; has_row(at, i); i++) {
        html = html "<tr>"
        if (names != "") html = html "<th scope=\"row\">" escaped(value[names "." i]) "</th>"
        html = html row_html(at "." i, digits == "" ? 2 : digits) "</tr>"
    }
    return html "</tbody>"
}

BEGIN {
    query = 1
    key = 2
}

FNR == 1 {
    toy_state()
    model_state()
}

{
    line = $0
    filled = ""
    while (match(line, /<(b|i|span) data-value="[^>]*>|<table [^>]*data-matrix=[^>]*>|<\/table>|<p [^>]*data-source=[^>]*>/)) {
        before = before_tag(line)
        tag = substr(line, RSTART, RLENGTH)
        line = substr(line, RSTART + RLENGTH)
        if (tag ~ /data-value/) filled = filled before tag value_text(tag, last filled before)
        else if (tag ~ /data-source/) filled = filled before tag source_html(attribute(tag, "data-source"))
        else if (tag == "</table>") {
            filled = filled before (table != "" ? rows_html(table) : "") tag
            table = ""
        } else {
            filled = filled before tag
            table = tag
        }
    }
    print filled line
    last = filled line " "
}

function before_tag(text) {
    return substr(text, 1, RSTART - 1)
}

END { exit failed }
