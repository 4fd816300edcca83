# environment.sh - the same environment for tests of every user on every machine: tests/run.sh and scripts of tests
# source it. Settings of a user, a terminal or a job are not for the programs that are tested, nor for the commands
# that look at their output; the locale is C. Variables that a test sets afterwards are kept.
[ -z "${TEST_ENVIRONMENT:-}" ] || return 0
export TEST_ENVIRONMENT=made
for name in $(compgen -A export); do
    case $name in
    LC_* | LANG | LANGUAGE | LOCPATH | TZ) ;;
    OMP_WAIT_POLICY) continue ;; # run.sh sets it
    OMP_* | GOMP_* | KMP_* | OPENBLAS_NUM_THREADS | ENGINE_*) ;;
    ENCODE_BUILD) continue ;; # where the programs are
    ENCODE_* | ENCODE) ;;
    SLURM* | SBATCH_* | SQUEUE_* | SINFO_* | SCONTROL_* | OMPI_* | PMIX_* | PMI_* | PRTE_* | PARALLEL*) ;;
    TERM | COLUMNS | LINES | NO_COLOR | CLICOLOR* | POSIXLY_CORRECT | MAKEFLAGS | MFLAGS | MAKELEVEL) ;;
    GREP_* | LS_* | QUOTING_STYLE | TIME_STYLE | *BLOCK_SIZE | BLOCKSIZE | TABSIZE | CDPATH | BASH_ENV | ENV) ;;
    GNUTERM | GNUPLOT_* | MALLOC_* | GLIBC_TUNABLES | PYTHONWARNINGS | *_proxy | *_PROXY) ;;
    *) continue ;;
    esac
    unset "$name"
done
export HOME=${HOME:-/}
umask 022
# make, and commands that tests write, take a path with a blank for two.
case ${TMPDIR:-} in
*[!A-Za-z0-9_./+-]*) export TMPDIR=/tmp ;;
esac
