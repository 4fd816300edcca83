/* tags: sizes aarch64 */
/* Damaged weight files: cut off, too long, header and section table changed, no file at all.
 * With any damage, opening either fails with a status and a message, or gives a model that works:
 * it never crashes, hangs or reads outside the file (AddressSanitizer sees that, for the copies
 * are exactly as long as the file). test_bad_contents.c tests the contents of sections.
 *
 * Guarantee: damaged weight files (cut at every byte, every header byte flipped, absurd counts)
 * give a status and a message, or a model that works. */
#include "tests/engine/file/bad_file.h"
#include "tests/support.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

SET_UP()
{
    sound_set_up();
}

TEST(the_sound_file_works)
{
    assert_ok(open_bytes(sound.data, sound.len));
}

TEST(truncated_at_every_byte)
{
    char path[SUPPORT_PATH + 16];
    engine_model *model;
    int file;
    for (size_t len = 1; len < sound.len; len++)
        assert_fails(FORMAT, open_bytes(sound.data, len));

    snprintf(path, sizeof path, "%s/cut.weights", support_folder());
    file = open(path, O_CREAT | O_WRONLY, 0600);
    assert_true(file >= 0 && write(file, sound.data, sound.len) == (ssize_t)sound.len);
    assert_ok(engine_model_open(path, NULL, &model, &last));
    use_model(model);
    engine_model_close(model);
    for (size_t len = sound.len - 1; len > 0; len--) {
        assert_int_equal(ftruncate(file, (off_t)len), 0);
        assert_fails(FORMAT, assert_words(engine_model_open(path, NULL, &model, &last)));
        assert_null(model);
    }
    close(file);
}

TEST(longer_than_it_says)
{
    struct patient longer = patient_copy(&sound, 64);
    memset(longer.data + sound.len, 0, 64);
    longer.len = sound.len + 1;
    assert_fails(FORMAT, open_bytes(longer.data, longer.len));
    longer.len = sound.len + 64;
    assert_refused(&longer, ENGINE_ERROR_FORMAT, "");
}

/* `heals` is NULL, or the checksum of the header is made right again. */
static void open_with_header(struct patient *copy, size_t at, const void *heals)
{
    if (at < 60 && heals != NULL)
        heal_header(copy);
    const bool is_a_version = heals != NULL && at == 8 && get_u32(copy->data + 8) == 2;
    if (!is_a_version && open_patient(copy) == 0)
        fail_msg("a change of header byte %zu was not seen", at);
}

TEST(every_header_byte)
{
    for (size_t at = 0; at < HEADER; at++) {
        flip(&sound, at, open_with_header, NULL);
        flip(&sound, at, open_with_header, "");
    }
}

TEST(the_header_says_what_is_wrong)
{
    struct patient copy = patient_copy(&sound, 0);
    copy.data[0] = 0x09; /* the byte after a transfer with 7 bits */
    assert_refused(&copy, ENGINE_ERROR_FORMAT, "binary");
    copy = patient_copy(&sound, 0);
    memmove(copy.data + 5, copy.data + 6, copy.len - 6); /* \r\n became \n */
    assert_refused(&copy, ENGINE_ERROR_FORMAT, "text");
    copy = patient_copy(&sound, 0);
    memset(copy.data, 0, 8);
    assert_refused(&copy, ENGINE_ERROR_FORMAT, "not a weight file");
    copy = patient_copy(&sound, 0);
    put_u32(copy.data + 12, 0x04030201);
    heal_header(&copy);
    assert_refused(&copy, ENGINE_ERROR_VERSION, "endian");
    copy = patient_copy(&sound, 0);
    put_u32(copy.data + 8, 4);
    heal_header(&copy);
    assert_refused(&copy, ENGINE_ERROR_VERSION, "version 4; this library reads versions 1 to 3");
}

TEST(absurd_section_tables)
{
    static const uint32_t counts[] = {0, 1, 4, 7, 64, 65, 0x08000001, 0x80000000, 0xffffffff};
    static const uint64_t offsets[] = {0,          1,
                                       8,          4,
                                       UINT64_MAX, UINT64_MAX - 7,
                                       INT64_MAX,  1ull << 63,
                                       1ull << 32, UINT64_MAX - 191};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        struct patient copy = patient_copy(&sound, 0);
        put_u32(copy.data + 20, counts[i]);
        if (counts[i] <= 4)
            heal_table(&copy);
        heal_header(&copy);
        if (open_patient(&copy) == 0)
            fail_msg("a table of %u sections was taken", counts[i]);
    }
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        struct patient copy = patient_copy(&sound, 0);
        put_u64(copy.data + 32, offsets[i]);
        heal_header(&copy);
        if (open_patient(&copy) == 0)
            fail_msg("a section table at %llu was taken", (unsigned long long)offsets[i]);
    }
}

static void open_with_healed_table(struct patient *copy, size_t at, const void *user)
{
    (void)at;
    (void)user;
    heal_table(copy);
    open_patient(copy);
}

TEST(every_table_byte_healed)
{
    size_t start = (size_t)get_u64(sound.data + 32);
    for (size_t at = start; at < start + 6 * SECTION; at++)
        flip(&sound, at, open_with_healed_table, NULL);
}

static const char *const tags[] = {"CONF", "TOKN", "VOCB", "TENS", "DATA", "META"};

TEST(sections_where_none_can_be)
{
    static const uint64_t offsets[] = {
        0, 64, 1, UINT64_MAX, UINT64_MAX - 63, 1ull << 63, 1ull << 32, INT64_MAX, ~63ull};
    static const uint64_t lens[] = {UINT64_MAX, UINT64_MAX - 63, 1ull << 63, 1ull << 32};
    for (size_t t = 0; t < 6; t++) {
        for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
            struct patient copy = patient_copy(&sound, 0);
            uint8_t *entry = section_entry(&copy, tags[t]);
            if (get_u64(entry + 8) == offsets[i])
                continue;
            put_u64(entry + 8, offsets[i]);
            heal_table(&copy);
            if (open_patient(&copy) == 0)
                fail_msg("%s at %llu was taken", tags[t], (unsigned long long)offsets[i]);
        }
        for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
            struct patient copy = patient_copy(&sound, 0);
            put_u64(section_entry(&copy, tags[t]) + 16, lens[i]);
            heal_table(&copy);
            assert_refused(&copy, ENGINE_ERROR_FORMAT, tags[t]);
        }
    }
}

/* Every section made shorter, byte by byte, with a checksum that fits. */
TEST(sections_cut_short)
{
    for (size_t t = 0; t < 6; t++)
        for (size_t len = 0, full = section_len(&sound, tags[t]); len < full; len++) {
            struct patient copy = patient_copy(&sound, 0);
            put_u64(section_entry(&copy, tags[t]) + 16, len);
            heal_section(&copy, tags[t]);
            if (open_patient(&copy) == 0)
                fail_msg("%s cut to %zu of %zu bytes was taken", tags[t], len, full);
        }
}

TEST(sections_that_overlap_or_repeat)
{
    struct patient copy;
    for (size_t t = 1; t < 6; t++) { /* each laid over the one before it in the table */
        copy = patient_copy(&sound, 0);
        uint8_t *entry = section_entry(&copy, tags[t]);
        if (entry == copy.data + get_u64(copy.data + 32))
            continue;
        put_u64(entry + 8, get_u64(entry - SECTION + 8));
        heal_section(&copy, tags[t]);
        assert_refused(&copy, ENGINE_ERROR_FORMAT, tags[t]);
    }
    copy = patient_copy(&sound, 0);
    memcpy(section_entry(&copy, "META"), "CONF", 4);
    heal_table(&copy);
    assert_refused(&copy, ENGINE_ERROR_FORMAT, "CONF");
}

TEST(sections_unknown_or_missing)
{
    struct patient copy;
    for (size_t t = 0; t < 6; t++) {
        copy = patient_copy(&sound, 0);
        remove_section(&copy, tags[t]);
        if (strcmp(tags[t], "META") == 0)
            assert_ok(open_patient(&copy));
        else
            assert_refused(&copy, ENGINE_ERROR_FORMAT, tags[t]);
    }
    copy = patient_copy(&sound, 0); /* unknown: skipped, unless the file says that it is needed */
    memcpy(section_entry(&copy, "META"), "ABCD", 4);
    heal_table(&copy);
    assert_ok(open_patient(&copy));
    copy = patient_copy(&sound, 0); /* settings are no pieces */
    memcpy(section_entry(&copy, "META"), "PIEC", 4);
    heal_table(&copy);
    assert_refused(&copy, ENGINE_ERROR_FORMAT, "PIEC: the length of the section");
    copy = patient_copy(&sound, 0);
    uint8_t *entry = section_entry(&copy, "META");
    memcpy(entry, "ABCD", 4);
    put_u32(entry + 4, 1);
    heal_table(&copy);
    assert_refused(&copy, ENGINE_ERROR_UNSUPPORTED, "ABCD");
    copy = patient_copy(&sound, 0);
    put_u32(section_entry(&copy, "META") + 4, 2);
    heal_table(&copy);
    assert_int_not_equal(open_patient(&copy), 0);
}

static void assert_io(const char *path, engine_status expected)
{
    engine_model *model = (engine_model *)support_folder();
    engine_status status;
    memset(&last, 0x5a, sizeof last);
    status = engine_model_open(path, NULL, &model, &last);
    if (status != expected)
        fail_msg("%s gives %s, expected %s", path, engine_status_name(status),
                 engine_status_name(expected));
    assert_null(model);
    assert_int_equal(last.status, expected);
    assert_non_null(memchr(last.message, 0, sizeof last.message));
    assert_int_not_equal(last.message[0], 0);
}

/* Things that are no files. SIGALRM ends the suite if one of them blocks. */
TEST(not_files)
{
    char path[SUPPORT_PATH + 32], other[SUPPORT_PATH + 64];
    char endless[PATH_MAX + 100];
    alarm(300);
    assert_io(support_folder(), ENGINE_ERROR_IO);
    assert_io("/dev/zero", ENGINE_ERROR_IO);
    assert_io("/dev/null", ENGINE_ERROR_IO);
    snprintf(path, sizeof path, "%s/fifo", support_folder());
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_io(path, ENGINE_ERROR_IO);
    snprintf(path, sizeof path, "%s/empty", support_folder());
    close(open(path, O_CREAT | O_WRONLY, 0600));
    assert_io(path, ENGINE_ERROR_FORMAT);
    snprintf(other, sizeof other, "%s/below", path);
    assert_io(other, ENGINE_ERROR_IO);
    snprintf(path, sizeof path, "%s/circle", support_folder());
    assert_int_equal(symlink("circle", path), 0);
    assert_io(path, ENGINE_ERROR_IO);
    snprintf(path, sizeof path, "%s/absent", support_folder());
    assert_io(path, ENGINE_ERROR_IO);
    memset(endless, 'x', sizeof endless - 1);
    endless[sizeof endless - 1] = 0;
    assert_io(endless, ENGINE_ERROR_IO);
    alarm(0);
}

/* Root may read every file, so root becomes somebody else for a moment. */
TEST(without_permission)
{
    char path[SUPPORT_PATH + 32];
    bool is_root = geteuid() == 0;
    int file;
    snprintf(path, sizeof path, "%s/closed", support_folder());
    file = open(path, O_CREAT | O_WRONLY, 0000);
    assert_true(file >= 0);
    close(file);
    if (is_root && seteuid(65534) != 0) {
        print_message("skipped: root cannot give up its rights here\n");
        skip();
    }
    assert_io(path, ENGINE_ERROR_IO);
    assert_true(!is_root || seteuid(0) == 0);
}
