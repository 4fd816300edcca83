/* The journal of a run: read as it was written, replaced as a whole, and no other file is one. */
#include "tests/support.h"
#include "tests/tools/program_ends.h"
#include "tools/encode/corpus/journal.h"

#include <string.h>
#include <unistd.h>

static char output[SUPPORT_PATH], path[SUPPORT_PATH];

SET_UP()
{
    support_path(output, support_folder(), "x");
    support_path(path, support_folder(), "x.journal");
}

TEST(an_entry_is_read_as_it_was_written)
{
    struct journal journal, other;
    json_t *settings = json_pack("{ss}", "encode", "1");
    journal_find(&journal, output);
    assert_null(journal.settings);
    for (uint64_t i = 1; i < 3; i++) {
        const struct journal_entry entry = {.bytes = UINT64_C(7) << 40 | i,
                                            .sum = UINT32_MAX,
                                            .progress = {.lines = (size_t)i, .left_out = 3},
                                            .files = {{5, 3}, [OUTPUT_MOST_PARTS - 1] = {i, 8}},
                                            .is_finished = i == 2};
        assert_true(journal_write(&journal, settings, &entry));
        assert_true(journal.last.bytes == entry.bytes);
        journal_find(&other, output);
        assert_string_equal(json_string_value(json_object_get(other.settings, "encode")), "1");
        assert_true(other.last.bytes == entry.bytes && other.last.sum == entry.sum &&
                    other.last.is_finished == entry.is_finished);
        assert_memory_equal(&other.last.progress, &entry.progress, sizeof entry.progress);
        assert_memory_equal(other.last.files, entry.files, sizeof entry.files);
        journal_free(&other);
    }
    journal_remove(&journal);
    assert_int_equal(access(path, F_OK), -1);
    journal_free(&journal);
    json_decref(settings);
}

static void is_no_journal(const char *text)
{
    static struct journal journal;
    support_write_in(support_folder(), "x.journal", text, strlen(text));
    PROGRAM_RUN(journal_find(&journal, output));
    assert_int_equal(program_code, 1);
    assert_non_null(strstr(program_words, "is not a journal of encode"));
    journal_free(&journal);
}

TEST(another_file_is_no_journal)
{
    is_no_journal("");
    is_no_journal("x\n");
    is_no_journal("{\"bytes\": 99");
    is_no_journal("{\"bytes\": 9}");
    is_no_journal("[]");
    is_no_journal("{\"files\": []}\n{}");
    /* Members of another type are not taken as 0. */
    is_no_journal("{\"files\": [], \"bytes\": \"9\"}");
    is_no_journal("{\"files\": [], \"bytes\": 9.5}");
    is_no_journal("{\"files\": [], \"sum\": -1}");
    is_no_journal("{\"files\": [], \"lines\": null}");
    is_no_journal("{\"files\": [], \"finished\": 1}");
    is_no_journal("{\"files\": [7]}");
    is_no_journal("{\"files\": [[1, \"2\"]]}");
}
