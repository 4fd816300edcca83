#!/bin/sh
# Fails, before any work is done, if commands or files that a target needs are absent, and names the packages of Debian
# that have them.
#
#     [SETUP=packages] tools/build/needs.sh 'make wheel' COMMAND=PACKAGE /PATH/OF/A/FILE=PACKAGE ...
set -u
target=$1 missing=
shift
for need; do
    case $need in
    /*) [ -e "${need%%=*}" ] ;;
    *) command -v "${need%%=*}" >/dev/null ;;
    esac && continue
    case "$missing " in *" ${need#*=} "*) ;; *) missing="$missing ${need#*=}" ;; esac
done
[ -z "$missing" ] && exit
echo "$target: packages are missing:$missing. sh tools/setup.sh ${SETUP:-packages} installs them" >&2
exit 1
