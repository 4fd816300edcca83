# Makes a manual page from the table of a program's options and a page in this folder:
#
#     encode --help-table | awk -f manual.awk - encode.1.in
#
# A page of section 1 has a line @SYNOPSIS@ and a line @OPTIONS@, which the table replaces; after the latter, the lines
# below @--name@ are added to the help of that option. Of other sections only the table's version is used. In texts,
# options and words in `backquotes` become bold.
BEGIN {
    FS = "\t"
    n_options = 0
    is_after = 0 # the options
}

# ---- Texts as roff takes them ----

# One character; a dash that is no hyphen has a backslash.
function roff(c, is_dash) {
    return c == "\\" ? "\\e" : c == "-" && is_dash ? "\\-" : c
}

function verbatim(line,    i, out) {
    for (i = 1; i <= length(line); i++)
        out = out roff(substr(line, i, 1), 1)
    return out
}

function text(line,    i, c, before, begins, is_option, is_quoted, out) {
    out = line ~ /^[.']/ ? "\\&" : "" # else roff would obey it
    before = " "
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        begins = index(" ([\"", before)
        if (is_option && index(" ,;:.)\"|=", c)) {
            is_option = 0
            out = out "\\fR"
        }
        if (!is_quoted && begins && substr(line, i, 2) ~ /^-[A-Za-z-]/) {
            is_option = 1
            out = out "\\fB"
        }
        if (c == "`") {
            is_quoted = !is_quoted
            out = out (is_quoted ? "\\fB" : "\\fR")
        } else
            out = out roff(c, is_option || is_quoted || (begins && substr(line, i + 1, 1) == " "))
        before = c
    }
    return out (is_option ? "\\fR" : "")
}

# A line of the page: requests of roff stay, and texts between .nf and .fi are shown as they are.
function page_line(line) {
    is_verbatim = is_verbatim ? line != ".fi" : line == ".nf"
    return (line ~ /^\./ ? line : is_verbatim ? verbatim(line) : text(line)) "\n"
}

# ---- The table ----

# The help as a sentence, after the commands that take the option if not all do. Values keep their small letters.
function sentence(help, commands, argument, values,    first) {
    first = help
    sub(/[ ,:].*/, "", first)
    if (commands != "") {
        gsub(/ /, "\\fR, \\fB", commands)
        commands = "\\fB" commands "\\fR: "
    } else if (argument != "" && !index(" " values " ", " " first " "))
        help = toupper(substr(help, 1, 1)) substr(help, 2)
    return commands text(help ".")
}

NR == FNR && $1 == "program" { program = $2; version = $3 }
NR == FNR && $1 == "usage" { synopsis = synopsis "\\fB" program ($2 == "" ? "" : " " $2) "\\fR " text($3) "\n" }
NR == FNR && $1 == "group" && ($2 != "" || n_options) {
    head[n_options] = ".SS \"" ($2 == "" ? "General" : $2) "\"\n"
}
NR == FNR && $1 == "option" {
    name[n_options] = $2
    item[n_options++] = ".TP\n" text(($3 == "" ? "" : $3 ", ") $2 ($4 == "" || $4 == "-" ? "" : " " $4)) "\n" \
        sentence($2 == "--help" ? "a summary" : $8, $6 ? $5 : "", $4, $7) "\n"
}

# ---- The page ----

NR == FNR { next }
FNR == 1 {
    title = FILENAME # of man/encode.1.in: encode, 1
    sub(/.*\//, "", title)
    split(title, name_and_section, ".")
}
/^@SYNOPSIS@$/ { page[0] = page[0] ".SH SYNOPSIS\n.nf\n" synopsis ".fi\n" }
/^@OPTIONS@$/ { is_after = 1 }
/^@/ {
    option = substr($0, 2, length($0) - 2)
    next
}
/^\.SH/ { option = "" }
{
    if (option != "")
        more[option] = more[option] page_line($0)
    else
        page[is_after] = page[is_after] page_line($0)
}

END {
    if (program == "")
        exit 1 # there was no table
    is_command = name_and_section[2] == 1
    printf ".TH %s %s \"\" \"encode %s\" \"%s\"\n%s%s", toupper(name_and_section[1]), name_and_section[2], version, \
        is_command ? "User commands" : "Miscellaneous", page[0], is_command ? ".SH OPTIONS\n" : ""
    for (i = 0; is_command && i < n_options; i++)
        printf "%s%s%s", head[i], item[i], more[name[i]]
    printf "%s", page[1]
}
