# Makes a function for bash that completes names of options and of their values, of the table of a program's options:
#
#     encode --help-table | awk -f completion.awk
#
# Where an option has no names of values, bash completes names of files.
BEGIN { FS = "\t" }

$1 == "program" { program = $2 }
$1 == "usage" && !($2 in is_command) { is_command[$2] = 1; commands[n_commands++] = $2 }
$1 == "option" {
    for (i = 0; i < n_commands; i++)
        if ($5 == "" || index(" " $5 " ", " " commands[i] " "))
            options[i] = options[i] " " $2
    if ($4 != "-")
        values = values sprintf("    %s%s) values='%s' ;;\n", $3 == "" ? "" : $3 " | ", $2, $7)
}

END {
    if (program == "")
        exit 1 # there was no table
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
