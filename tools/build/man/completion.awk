# Makes completion for a shell, of names of options and of their values, of the table of a program's options:
#
#     encode --help-table | awk -v shell=fish -f completion.awk     shell: bash (if it is absent), zsh or fish
#
# Where an option has no names of values, the shell completes names of files.
BEGIN { FS = "\t" }

function quoted(text) { # within single quotes
    gsub(/'/, "'\\''", text)
    return text
}
function zsh_word(text) { # of _arguments
    gsub(/\[/, "\\[", text)
    gsub(/\]/, "\\]", text)
    gsub(/:/, "\\:", text)
    return text
}

$1 == "program" { program = $2 }
$1 == "usage" && !($2 in is_command) { is_command[$2] = 1; commands[n_commands++] = $2; names = names " " $2 }
$1 == "option" {
    for (i = 0; i < n_commands; i++)
        if ($5 == "" || index(" " $5 " ", " " commands[i] " ")) {
            options[i] = options[i] " " $2
            value = $4 == "-" ? "" : ":" zsh_word($4) ":" ($7 == "" ? "_files" : "(" $7 ")")
            words[i] = words[i] sprintf(" \\\n        %s'[%s]%s'", $3 == "" ? $2 : "{" $3 "," $2 "}", \
                quoted(zsh_word($8)), quoted(value))
        }
    fish = fish sprintf("complete -c %s%s%s -l %s%s -d '%s'\n", program, \
        $5 == "" ? "" : " -n '__fish_seen_subcommand_from " $5 "'", $3 == "" ? "" : " -s " substr($3, 2), \
        substr($2, 3), $4 == "-" ? "" : $7 == "" ? " -r -F" : " -x -a '" $7 "'", quoted($8))
    if ($4 != "-")
        values = values sprintf("    %s%s) values='%s' ;;\n", $3 == "" ? "" : $3 " | ", $2, $7)
}

END {
    if (program == "")
        exit 1 # there was no table
    if (shell == "fish") {
        for (i = 0; commands[0] != "" && i < n_commands; i++)
            printf "complete -c %s -n __fish_use_subcommand -f -a %s\n", program, commands[i]
        printf "%s", fish
        exit
    }
    if (shell == "zsh") {
        printf "#compdef %s\ncase $words[2] in\n", program
        for (i = 0; i < n_commands; i++)
            printf "%s) _arguments -s%s '*:file:_files' ;;\n", commands[i] == "" ? "*" : commands[i], words[i]
        if (commands[0] != "")
            printf "*) compadd -- --help --version%s ;;\n", names
        print "esac"
        exit
    }
    name = "_" program
    gsub(/-/, "_", name)
    printf "# Completion for bash, made by tools/build/man/completion.awk of %s --help-table.\n%s() {\n", program, name
    print "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} values= options list="
    print "    [ \"$word\" != = ] || word="
    print "    [ \"$before\" != = ] || before=${COMP_WORDS[COMP_CWORD - 2]}"
    print "    case ${COMP_WORDS[1]} in"
    for (i = 0; i < n_commands; i++) {
        printf "    %s) options='%s' ;;\n", commands[i] == "" ? "*" : commands[i], options[i]
        list = list commands[i] " "
    }
    print "    esac\n    [[ $word != -* ]] || values=$options\n    case $before in"
    printf "%s    esac\n", values
    if (commands[0] != "")
        printf "    [ \"$COMP_CWORD\" != 1 ] || values='%s--help --version'\n", list
    print "    [[ $word != *,* ]] || list=${word%,*}, # what stands before the last comma stays"
    print "    COMPREPLY=($(compgen -P \"$list\" -W \"$values\" -- \"${word#\"$list\"}\"))"
    printf "}\ncomplete -o default -F %s %s\n", name, program
}
