/* Any bytes as the journal of a run of encode: it is refused, or reads the same again when it was
 * written, and is compared with the settings of another run. */
#include "tests/fuzz/command_line.h"
#include "tests/fuzz/model_use.h"
#include "tests/fuzz/replay.h"
#include "tests/tools/program_ends.h"
#include "tools/encode/corpus/journal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void use(struct journal *journal, const char *output)
{
    char message[SETTINGS_MESSAGE_BYTES] = "";
    json_t *other = json_pack("{s:s, s:i, s:{s:s}}", "encode", engine_version(), "model", 7,
                              "options", "pooling", "mean");
    must(settings_agree(journal->settings, other, message) || message[0] != '\0');
    must(settings_agree(other, journal->settings, message) || message[0] != '\0');
    json_decref(other);
    const struct journal_entry last = journal->last;
    must(journal_write(journal, journal->settings, &last));
    journal_free(journal);
    journal_find(journal, output);
    must(journal->last.bytes == last.bytes && journal->last.is_finished == last.is_finished &&
         memcmp(&journal->last.progress, &last.progress, sizeof last.progress) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct journal journal;
    char output[64], path[80];
    snprintf(output, sizeof output, "%s/encode-fuzz-%ld",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (long)getpid());
    snprintf(path, sizeof path, "%s.journal", output);
    FILE *file = fopen(path, "wb");
    must(file != NULL && fwrite(data, 1, size, file) == size && fclose(file) == 0);
    be_silent();
    PROGRAM_RUN(journal_find(&journal, output));
    if (program_code < 0)
        PROGRAM_RUN(use(&journal, output));
    must(journal.settings == NULL || program_code < 0 || program_code == 1);
    speak_again();
    journal_free(&journal);
    must(unlink(path) == 0);
    return 0;
}
