/* Any bytes as the journal of a run of encode; the first byte says whether the checksum of each
 * line is corrected first. The part that is read is cut to complete lines, reads the same again,
 * and is compared with the settings of another run. */
#include "engine/file/crc32c.h"
#include "tests/fuzz/command_line.h"
#include "tests/fuzz/model_use.h"
#include "tests/tools/program_ends.h"
#include "tools/encode/corpus/corpus.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SUM_BYTES = 21 }; /* , "crc": "01234567"} and a line end */

static void heal(char *text, size_t len)
{
    for (char *line = text, *end; (end = memchr(line, '\n', (size_t)(text + len - line))) != NULL;
         line = end + 1) {
        char sum[SUM_BYTES + 1];
        if (end + 1 - line <= SUM_BYTES)
            continue;
        const size_t n = (size_t)(end + 1 - line) - SUM_BYTES;
        snprintf(sum, sizeof sum, ", \"crc\": \"%08x\"}\n", (unsigned)crc32c(0, line, n));
        memcpy(line + n, sum, SUM_BYTES);
    }
}

static void find(struct journal *journal, const char *output)
{
    if (journal_find(journal, output) && journal->head) {
        char message[SETTINGS_MESSAGE_BYTES] = "";
        json_t *other = json_pack("{s:s, s:i, s:{s:s}}", "encode", engine_version(), "model", 7,
                                  "options", "pooling", "mean");
        must(settings_agree(journal->head, other, message) || message[0] != '\0');
        must(settings_agree(other, journal->head, message) || message[0] != '\0');
        json_decref(other);
    }
}

/* Returns how long the journal is then. */
static off_t find_twice(const char *output)
{
    static struct journal first, again;
    struct stat file = {0};
    PROGRAM_RUN(find(&first, output));
    const bool is_found = program_code < 0;
    const struct journal_entry last = first.last;
    const size_t n_entries = first.n_entries;
    journal_close(&first);
    if (is_found) {
        PROGRAM_RUN(find(&again, output));
        must(program_code < 0 && again.n_entries == n_entries && again.last.bytes == last.bytes &&
             again.last.is_finished == last.is_finished &&
             memcmp(&again.last.progress, &last.progress, sizeof last.progress) == 0);
        must(fstat(again.fd, &file) == 0);
        journal_close(&again);
    }
    return file.st_size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char output[64], path[80];
    if (size == 0)
        return 0;
    char *text = malloc(size);
    must(text != NULL);
    memcpy(text, data + 1, size - 1);
    if (data[0] % 2 == 1)
        heal(text, size - 1);
    snprintf(output, sizeof output, "%s/encode-fuzz-%ld",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (long)getpid());
    snprintf(path, sizeof path, "%s.journal", output);
    FILE *file = fopen(path, "wb");
    must(file != NULL && fwrite(text, 1, size - 1, file) == size - 1 && fclose(file) == 0);
    be_silent();
    must(find_twice(output) <= (off_t)size);
    speak_again();
    must(unlink(path) == 0);
    free(text);
    return 0;
}
