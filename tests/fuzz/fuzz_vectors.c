/* Any bytes as a file of word vectors, read whole: every word that is taken is UTF-8, not empty and
 * there once, every number finite, and each line is right, repeated or broken. */
#include "tests/tools/import/refusals.h"
#include "tools/common/print/utf8.h"
#include "tools/import/vectors/vectors_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_table(const struct vectors_table *table, const struct word_list *words,
                        const struct vectors_file *file)
{
    if (file->n_right + 1 != table->n_rows + file->repeated.n ||
        file->line != file->n_right + file->broken.n + file->has_header ||
        table->n_ids != table->n_rows)
        abort();
    for (size_t id = 1; id < table->n_ids; id++) {
        const float *row = vectors_table_row(table, id);
        if (!utf8_is_valid(words->texts[id], words->lens[id]) || words->lens[id] == 0 ||
            word_list_find(words, words->texts[id], words->lens[id]) != id)
            abort();
        for (size_t i = 0; i < table->width; i++)
            if (!isfinite(row[i]))
                abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct vectors_file file;
    static struct vectors_table table;
    static struct word_list words;
    char path[64];
    int fd = memfd_create("vectors", 0);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (PROBLEM_OPEN()) { /* a file that is refused leaves nothing behind, either */
        vectors_file_open(&file, path);
        vectors_table_read(&table, &file, &words, false, 0);
        check_table(&table, &words, &file);
    }
    vectors_table_free(&table);
    vectors_file_close(&file);
    word_list_free(&words);
    close(fd);
    return 0;
}
