/* crash.h - a power cut at any moment of a run. The run is recorded, change by change of its
 * folder, and its command is run again in each folder that a cut may leave (disk_state.h). It must
 * make the files of a run in one piece. Only before the second entry of a journal may it refuse:
 * then its message says what to do, no existing file is lost, and --restart makes the files.
 *
 * The output is at any time the complete old one or the complete new one; when the program has
 * ended, it is the new one after any loss. */
#ifndef TESTS_FAULTS_CRASH_H
#define TESTS_FAULTS_CRASH_H

#include "tests/faults/disk_state.h"

#define CRASH_OUTPUT  "x"
#define CRASH_JOURNAL "x.journal"

struct crash_case {
    const char *name, *command;
    const char *base;  /* a folder with what is there before, or NULL */
    const char *input; /* a file, for stdin */
    bool has_journal;  /* it goes on with --resume */
};

extern struct disk_log crash_disk; /* what was recorded last; to be freed */

/* Goes into the suite's folder, on a disk whose syncs take no time if there is one. */
void crash_setup(void);

/* Makes a folder, or removes what is in it. */
void crash_folder(const char *folder);

/* Runs the command and the option in the folder "work", and stores what it says. Returns the exit
 * code, or -1. */
int crash_run(const struct crash_case *tested, const char *option, char message[1024]);

/* Records a run of the command, of `resumes` with what it takes to go on; and makes the files of a
 * run in one piece. */
void crash_record(const struct crash_case *tested, bool resumes);

/* Tries what power cuts leave of the run that was recorded last: at most 80 states, with FAULTS=all
 * all states. Returns how many did harm; with a disk that lies, one is enough. */
size_t crash_try(const struct crash_case *tested, enum disk_lie lie);

#endif
