# page.sh - the pages of the lesson: HTML and CSS written by hand, no scripts, nothing from elsewhere.
# Read by tools/lesson.sh with `.`; what a page shows of a command is what the command printed.

# Text for HTML. The shell does it itself: a page asks some hundred times.
html() {
    local text
    IFS= read -rd '' text || :
    text=${text//&/"&amp;"}
    text=${text//</"&lt;"}
    text=${text//>/"&gt;"}
    printf '%s' "${text//'"'/"&quot;"}"
}

# The same for the terminal again, without tags.
plain() {
    sed 's/<[^>]*>//g; s/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g; s/&amp;/\&/g'
}

put() {
    printf '%s\n' "$*" >>"$page"
}

fail() {
    echo "lesson: $*" >&2
    exit 1
}

style() {
    cat <<'CSS'
:root { --ink: #1d1d1b; --soft: #5c5a55; --line: #d9d5cc; --paper: #fffefb; --shade: #f4f1ea; --accent: #8a3b12; }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; max-width: 46rem; padding: 1.2rem 1.2rem 4rem; background: var(--paper); color: var(--ink);
  font: 1.06rem/1.6 Charter, "Bitstream Charter", "Iowan Old Style", "Source Serif 4", Georgia, serif;
  overflow-wrap: break-word; }
h1 { font-size: 2rem; line-height: 1.15; margin: 1.2rem 0 .6rem; letter-spacing: -.01em; }
h2 { font-size: 1.35rem; line-height: 1.25; margin: 3rem 0 .5rem; }
h2 .n { color: var(--accent); font-weight: normal; margin-right: .45em; }
p { margin: .6rem 0; hyphens: auto; }
a { color: var(--accent); text-underline-offset: .15em; }
code, pre { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }
code { font-size: .86em; }
pre { margin: .9rem 0; padding: .7rem .9rem; background: var(--shade); border-left: 3px solid var(--line);
  font-size: .8rem; line-height: 1.45; overflow-x: auto; tab-size: 4; }
pre b span, code span { white-space: nowrap; }
pre .said { white-space: pre-wrap; overflow-wrap: anywhere; }
pre b { font-weight: 600; color: var(--accent); white-space: pre-wrap; }
figure { margin: 1.2rem 0; }
figure img { display: block; width: 100%; max-width: 40rem; height: auto; margin: 0 auto; background: #fff; }
figcaption { font-size: .9rem; line-height: 1.45; color: var(--soft); margin-top: .5rem; }
nav ol { columns: 2; column-gap: 2rem; padding-left: 1.6rem; font-size: .98rem; }
nav li { break-inside: avoid; margin: .1rem 0; }
.note { color: var(--soft); font-size: .94rem; }
table { border-collapse: collapse; table-layout: fixed; width: 100%; font-size: .92rem; line-height: 1.45; }
caption { text-align: left; color: var(--soft); padding-bottom: .4rem; }
th:first-child { width: 44%; }
th { text-align: left; font-weight: 600; }
th, td { padding: .5rem .7rem .5rem 0; border-top: 1px solid var(--line); vertical-align: top; }
td.command { padding: 0 0 .9rem; border-top: 0; }
td.command code { display: block; color: var(--soft); white-space: pre-wrap; overflow-wrap: anywhere; }
td.wrong { color: #b00020; font-weight: 600; }
td img { display: block; width: 100%; max-width: 24rem; background: #fff; }
@media (max-width: 36rem) {
  body { font-size: 1rem; padding: .8rem .9rem 3rem; }
  h1 { font-size: 1.6rem; }
  nav ol { columns: 1; }
  pre { font-size: .72rem; margin-left: -.9rem; margin-right: -.9rem; }
  thead { display: none; }
  tr, td { display: block; }
  td { border-top: 0; padding: .1rem 0; }
  tbody tr.row { border-top: 1px solid var(--line); padding-top: .6rem; }
  td[data-head]::before { content: attr(data-head) ": "; color: var(--soft); }
}
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; background: #fff; }
  pre { white-space: pre-wrap; font-size: 7.6pt; background: none; }
  h2, figure, pre, tr { break-inside: avoid; }
  h2 { break-after: avoid; margin-top: 1.6rem; }
  figure img { max-width: 12cm; }
  a { color: inherit; text-decoration: none; }
}
CSS
}

page_begin() { # FILE TITLE
    page=$work/$1
    {
        printf '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8" />\n'
        printf '<meta name="viewport" content="width=device-width, initial-scale=1" />\n'
        printf '<title>%s</title>\n<style>\n' "$(html <<<"$2")"
        style
        printf '</style>\n</head>\n<body>\n<h1>%s</h1>\n' "$(html <<<"$2")"
    } >"$page"
}

# Where the list of steps goes, once they are known.
put_contents() {
    put '<nav><ol>'
    put CONTENTS
    put '</ol></nav>'
}

page_end() { # FILE: a page is put in its place when it is whole
    put '</body>'
    put '</html>'
    contents=$contents awk '$0 == "CONTENTS" { printf "%s", ENVIRON["contents"]; next } { print }' "$page" >"$1"
}

# Runs a command line as a reader would type it in the lesson's folder. What it prints goes to $out.
run() {
    bash -c "$1" </dev/null >"$out" 2>"$work/err"
}

# A command for HTML, in which no line ends within an option's name.
options_whole() {
    html | sed -E 's/(^| )(--?[a-z][a-z-]*)/\1<span>\2<\/span>/g'
}

command_line() {
    printf '<b>$ %s</b>' "$(options_whole <<<"$1")"
}

said() { # the last command's message, without its program's name, for the page
    sed 's/^[a-z-]*: //' "$work/err" | head -n 3 | html
}

# A heading; the paragraphs that follow are given to `say`.
step() { # ID TITLE
    n_steps=$((n_steps + 1))
    contents+="<li><a href=\"#$1\">$(html <<<"$2")</a></li>"$'\n'
    put "<h2 id=\"$1\"><span class=\"n\">$n_steps</span>$(html <<<"$2")</h2>"
    echo "  $n_steps  $2" >&2
}

say() { # HTML
    put "<p>$*</p>"
}

left_out() { # WHY, as HTML
    put "<p class=\"note\">Left out: $*</p>"
    n_left_out=$((n_left_out + 1))
    echo "     left out: $(plain <<<"$*")" >&2
}

# A command and what it prints. With `may` before it a command that this model cannot serve is told
# and left out; without, it ends the lesson.
show() { # COMMAND [FILTER of what is shown]
    if ! run "$1"; then
        cannot "$1"
        return
    fi
    put "<pre>$(command_line "$1")
$(if [ $# -gt 1 ]; then bash -c "$2"; else cat; fi <"$out" | html; messages)</pre>"
}

messages() { # of the last command, which are prose: their lines break
    [ ! -s "$out" ] || [ ! -s "$work/err" ] || echo
    [ ! -s "$work/err" ] || printf '<span class="said">%s</span>' "$(html <"$work/err")"
}

picture() { # FILE ALT CAPTION COMMAND: the command writes FILE
    if ! run "$4"; then
        cannot "$4"
        return
    fi
    [ -s "$1" ] || fail "$4: wrote no $1"
    n_pictures=$((n_pictures + 1))
    put "<figure>
<pre>$(command_line "$4")</pre>
<img src=\"$1\" alt=\"$(html <<<"$2")\" />
<figcaption>$(html <<<"$3")</figcaption>
</figure>"
}

optional=no
may() {
    optional=yes
    "$@"
    optional=no
}

cannot() {
    if [ $optional = yes ]; then
        left_out "<code>$(html <<<"$1")</code> says: $(said)"
    else
        cat "$work/err" >&2
        fail "this failed: $1"
    fi
}
