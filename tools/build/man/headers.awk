# Makes the manual page engine(3) from the public headers: the comment at the head of engine.h, then each part with its
# declarations and the comments that explain them, as they are.
#
#     awk -v version=0.1.0 -f headers.awk engine.h engine_types.h ... > engine.3
#
# A comment that begins in the first column explains what follows it. "/* ---- TITLE ---- */" begins a section.

function verbatim(line) {
    gsub(/\\/, "\\e", line)
    gsub(/-/, "\\-", line)
    return (line ~ /^[.']/ ? "\\&" : "") line
}

function prose(line) {
    gsub(/\\/, "\\e", line)
    return (line ~ /^[.']/ ? "\\&" : "") line
}

# Prints the lines of a comment: indented ones as they are, others as text.
function print_comment(text,    n, lines, i, is_set) {
    n = split(text, lines, "\n")
    for (i = 1; i <= n; i++) {
        if (lines[i] ~ /^ / && !is_set)
            print ".nf"
        if (lines[i] !~ /^ / && is_set)
            print ".fi"
        is_set = lines[i] ~ /^ /
        if (lines[i] == "")
            print ".PP"
        else
            print is_set ? verbatim(lines[i]) : prose(lines[i])
    }
    if (is_set)
        print ".fi"
}

function print_code(text) {
    gsub(/\n+$/, "", text)
    if (text == "")
        return
    printf ".PP\n.in +2n\n.nf\n"
    n_lines = split(text, code_lines, "\n")
    for (line = 1; line <= n_lines; line++)
        print verbatim(code_lines[line])
    printf ".fi\n.in\n"
}

function flush() {
    print_code(code)
    code = ""
}

BEGIN {
    printf ".TH ENGINE 3 \"\" \"encode %s\" \"Library functions\"\n", version
    printf ".SH NAME\nengine \\- transformer encoders from C: text in, vectors out\n"
    printf ".SH SYNOPSIS\n.nf\n#include <engine.h>\n\ncc program.c $(pkg\\-config \\-\\-cflags \\-\\-libs engine)\n.fi\n"
}

FNR == 1 {
    flush()
    is_head = 1 # its first comment
    name = FILENAME
    sub(/.*\//, "", name)
    n_files++
}

# What only the compiler needs.
/^#(ifndef|define) ENGINE[A-Z_]*_H$/ || /^#include|^#error|^extern "C"|^#pragma/ || /^#ifndef ENGINE_H$/ { next }
/^#if/ { depth++ }
depth { if (/^#endif/) depth--; next }
/^#endif|^#else/ || (/^}$/ && code == "") { next }

/^\/\* ---- .* ---- \*\/$/ {
    flush()
    title = $0
    gsub(/^\/\* ---- | ---- \*\/$/, "", title)
    printf ".SH \"%s\"\n", toupper(title)
    next
}

# A comment in the first column, of one line or more.
/^\/\*/ {
    flush()
    comment = ""
    in_comment = 1
}
in_comment {
    line_of = $0
    is_end = sub(/ *\*\/$/, "", line_of)
    sub(/^\/\* ?|^ \*( |$)/, "", line_of)
    comment = comment (comment == "" ? "" : "\n") line_of
    if (!is_end)
        next
    in_comment = 0
    sub(/\n+$/, "", comment)
    if (is_head && n_files == 1) {
        sub(/^[^\n]*\n/, ".", comment) # its first line is NAME above
        sub(/^\.\n?/, "", comment)
        printf ".SH DESCRIPTION\n"
        print_comment(comment)
    } else if (is_head) {
        printf ".SH \"%s\"\n", name
        sub(/^[a-z_.]+ - /, "", comment)
        print_comment(toupper(substr(comment, 1, 1)) substr(comment, 2))
    } else {
        printf ".PP\n"
        print_comment(comment)
    }
    is_head = 0
    next
}

{
    if (sub(/^ENGINE_API /, ""))
        is_shorter = 1
    else if (is_shorter)
        sub(/^           /, "") # as the line before
    if (/;/)
        is_shorter = 0
    code = code (code == "" && $0 == "" ? "" : $0 "\n")
}
END {
    flush()
    printf ".SH SEE ALSO\n\\fBencode\\fR(1), \\fBencode\\-import\\fR(1), \\fBencode\\-formats\\fR(7)\n"
}
