/* tags: sizes */
/* What a file holds is verified when it is opened: small ones always, large ones where that is
 * asked for, each once; a model that was copied does not see what becomes of its file. And what
 * verifying says of tensors whose checksums are right.
 *
 * Guarantee: a flipped bit is found when a file of up to 16 MiB is opened, and in any file if
 * verifying is asked for; a copied model is independent of its file. */
#include "engine/file/crc32c.h"
#include "engine/file/weight_file.h"
#include "tests/engine/file/bad_file.h"
#include "tests/owned.h"
#include "tests/support.h"
#include "tests/tiny_model.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char path[SUPPORT_PATH];
static const engine_model_options verify = {.struct_bytes = sizeof verify, .verify = 1},
                                  do_not = {.struct_bytes = sizeof do_not, .verify = -1},
                                  copy = {.struct_bytes = sizeof copy, .copy = 1};

SET_UP_EACH()
{
    sound_set_up();
    support_path(path, support_folder(), "served.weights");
}

/* ---- Files ---- */

static void write_at(size_t offset, const void *bytes, size_t len)
{
    int file = open(path, O_WRONLY | O_CREAT, 0600);
    assert_true(file >= 0);
    assert_int_equal(pwrite(file, bytes, len, (off_t)offset), len);
    assert_int_equal(close(file), 0);
}

static void write_sound(void)
{
    unlink(path);
    write_at(0, sound.data, sound.len);
}

static void flip_bit(size_t bit)
{
    uint8_t byte;
    int file = open(path, O_RDONLY);
    assert_int_equal(pread(file, &byte, 1, (off_t)(bit / 8)), 1);
    close(file);
    byte ^= (uint8_t)(1 << bit % 8);
    write_at(bit / 8, &byte, 1);
}

static void set_modified(time_t seconds, long ns)
{
    const struct timespec times[2] = {{seconds, ns}, {seconds, ns}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static engine_status try_open(const engine_model_options *options)
{
    engine_model *model;
    engine_status status = engine_model_open(path, options, &model, &last);
    engine_model_close(model);
    return status;
}

/* ---- At open ---- */

TEST(flipped_bits_are_seen)
{
    uint64_t state = 1;
    size_t data = (size_t)(section_data(&sound, "DATA") - sound.data);
    for (size_t i = 0; i < 40; i++) {
        size_t bit = 8 * data + support_below(&state, 8 * section_len(&sound, "DATA"));
        write_sound();
        flip_bit(bit);
        if (try_open(NULL) != ENGINE_ERROR_FORMAT)
            fail_msg("bit %zu was not seen", bit);
        assert_non_null(strstr(last.message, "DATA is damaged: checksum"));
        assert_non_null(strstr(last.message, path));
        assert_ok(try_open(&do_not)); /* to look into it */
        struct patient damaged = patient_copy(&sound, 0);
        damaged.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_refused(&damaged, ENGINE_ERROR_FORMAT, "DATA is damaged");
    }
}

/* The last bit of each small section, also where no verifying is wanted. */
TEST(small_sections_are_always_verified)
{
    static const char *const tags[] = {"CONF", "TOKN", "TENS", "META"};
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
        const uint8_t *end = section_data(&sound, tags[i]) + section_len(&sound, tags[i]);
        write_sound();
        flip_bit(8 * (size_t)(end - sound.data) - 1);
        assert_fails(FORMAT, try_open(&do_not));
        assert_non_null(strstr(last.message, tags[i]));
        assert_non_null(strstr(last.message, "is damaged: checksum"));
    }
}

/* Past the limit, bytes that are not needed are read only on request. */
TEST(large_files_where_it_is_asked_for)
{
    struct stat stat_;
    support_make_model(path, NULL, "--layers 1 --width 256 --heads 4 --vocabulary 32000");
    assert_int_equal(stat(path, &stat_), 0);
    assert_true(stat_.st_size > VERIFIED_BYTES);
    assert_ok(try_open(&verify));
    flip_bit(8 * 5000);
    assert_ok(try_open(NULL));
    assert_fails(FORMAT, try_open(&verify));
    assert_fails(FORMAT, try_open(&copy));
}

/* Through a map that is already dirty, a file changes and its times do not: what was verified is
 * not read again, but a copy is. */
TEST(verified_once)
{
    write_sound();
    int file = open(path, O_RDWR);
    uint8_t *map = mmap(NULL, sound.len, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    assert_true(map != MAP_FAILED);
    volatile uint8_t *byte = map + HEADER;
    *byte ^= 1;
    *byte ^= 1;
    assert_ok(try_open(&verify));
    *byte ^= 1;
    assert_ok(try_open(NULL));
    assert_ok(try_open(&verify));
    assert_fails(FORMAT, try_open(&copy));
    munmap(map, sound.len);
    close(file);
}

TEST(options_that_make_no_sense)
{
    const engine_model_options wrong[] = {
        ENGINE_MODEL_OPTIONS(.verify = 2), ENGINE_MODEL_OPTIONS(.verify = -2),
        ENGINE_MODEL_OPTIONS(.copy = 2), ENGINE_MODEL_OPTIONS(.copy = -1),
        ENGINE_MODEL_OPTIONS(.precision = (engine_precision)3)};
    write_sound();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_fails(ARGUMENT, try_open(&wrong[i]));
        assert_non_null(strstr(last.message, "verify is"));
    }
}

/* A gigabyte of nothing (64 where addresses have 64 bits) is refused by its first bytes, also where
 * it is to be copied. */
TEST(no_weight_file_is_not_copied)
{
    off_t gigabytes = sizeof(void *) >= 8 ? 64 : 1;
    write_sound();
    write_at(0, "no", 2);
    assert_int_equal(truncate(path, gigabytes << 30), 0);
    assert_fails(FORMAT, try_open(&copy));
    assert_non_null(strstr(last.message, "not a weight file"));
    assert_non_null(strstr(last.message, path));
    unlink(path);
}

static struct timespec time_of_change(void)
{
    struct stat file;
    assert_int_equal(stat(path, &file), 0);
    return file.st_ctim;
}

/* Changes one bit and sets the time of modification back, in another tick of the file system's
 * clock than what was done before: that has two seconds on some. */
static void flip_bit_later(size_t bit, time_t seconds, long ns)
{
    const struct timespec before = time_of_change();
    struct timespec now;
    flip_bit(bit);
    for (int i = 0; i < 1000; i++) {
        set_modified(seconds, ns);
        now = time_of_change();
        if (now.tv_sec != before.tv_sec || now.tv_nsec != before.tv_nsec)
            return;
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    fail_msg("the file system has no clock");
}

/* A writer can set the time of modification back (cp -p, rsync), but not that of change. */
TEST(verified_again_when_it_changed)
{
    write_sound();
    set_modified(1000, 5);
    assert_ok(try_open(NULL));
    assert_ok(try_open(&copy));
    flip_bit_later(8 * HEADER, 1000, 5);
    assert_fails(FORMAT, try_open(NULL));
    assert_fails(FORMAT, try_open(&verify));
    assert_fails(FORMAT, try_open(&copy));
    flip_bit(8 * HEADER);
    assert_ok(try_open(NULL));
    write_sound(); /* another file at the same path */
    assert_ok(try_open(NULL));
}

/* A damaged file is not remembered as sound, nor are more files than there is room for lost. */
TEST(many_files)
{
    char names[40][SUPPORT_PATH];
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < 40; i++) {
            snprintf(names[i], sizeof names[i], "%s/%zu.weights", support_folder(), i);
            memcpy(path, names[i], sizeof path);
            if (round == 0)
                write_sound();
            if (round == 0 && i % 2 == 1)
                flip_bit(8 * HEADER + i);
            assert_int_equal(try_open(NULL), i % 2 == 1 ? ENGINE_ERROR_FORMAT : ENGINE_OK);
        }
}

enum { N_THREADS = 8, N_OPENS = 200 };

static void *open_often(void *n_wrong)
{
    for (size_t i = 0; i < N_OPENS; i++) {
        engine_model *model;
        bool is_sound = i % 2 == 0;
        char name[SUPPORT_PATH];
        support_path(name, support_folder(), is_sound ? "sound.weights" : "damaged.weights");
        engine_status status = engine_model_open(name, i % 3 == 0 ? &copy : NULL, &model, NULL);
        *(size_t *)n_wrong += status != (is_sound ? ENGINE_OK : ENGINE_ERROR_FORMAT);
        engine_model_close(model);
    }
    return NULL;
}

TEST(threads)
{
    pthread_t threads[N_THREADS];
    size_t n_wrong[N_THREADS] = {0};
    support_path(path, support_folder(), "sound.weights");
    write_sound();
    support_path(path, support_folder(), "damaged.weights");
    write_sound();
    flip_bit(8 * HEADER);
    for (size_t i = 0; i < N_THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, open_often, &n_wrong[i]), 0);
    for (size_t i = 0; i < N_THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(n_wrong[i], 0);
    }
}

/* ---- A copy ---- */

static const float *encode(const engine_model *model)
{
    engine_input input = support_text("I ride the bike");
    return support_encode(support_session(model, NULL), &input, 1, NULL, NULL);
}

/* `cp new.weights served.weights` while the model is open; with a map this is SIGBUS. */
TEST(a_copied_file_may_be_overwritten)
{
    write_sound();
    engine_model *model = support_open_with(path, &copy);
    const float *before = encode(model);
    assert_int_equal(truncate(path, 0), 0);
    assert_memory_equal(before, encode(model), TINY_WIDTH * sizeof *before);
    assert_ok(engine_model_verify(model, &last));
}

/* ---- Overwritten while it is mapped ---- */

static void write_random(size_t len, uint64_t state)
{
    uint8_t *bytes = new_bytes(len);
    for (size_t i = 0; i < len; i++)
        bytes[i] = (uint8_t)support_below(&state, 256);
    write_at(0, bytes, len);
}

/* Everything that reads the map: with any contents, nothing reads outside it. */
static void use(const engine_model *model)
{
    ask_everything(model);
    assert_fails(FORMAT, engine_model_verify(model, &last));
    assert_non_null(strstr(last.message, " is damaged"));
    use_model(model);
}

/* `dd if=/dev/urandom of=served.weights conv=notrunc`: directory, sections, vocabulary, numbers. */
TEST(random_bytes_over_a_mapped_file)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        write_sound();
        engine_model *model = support_open(path);
        write_random(sound.len, seed);
        use(model);
    }
}

/* `cp larger.weights served.weights`: a sound file, but another one. */
TEST(a_larger_model_over_a_mapped_file)
{
    char larger[SUPPORT_PATH], command[3 * SUPPORT_PATH];
    support_path(larger, support_folder(), "larger.weights");
    support_make_model(larger, NULL, "--layers 3 --width 64 --heads 4 --vocabulary 3000");
    write_sound();
    engine_model *model = support_open(path);
    snprintf(command, sizeof command, "cp '%s' '%s'", larger, path);
    assert_int_equal(system(command), 0);
    use(model);
}

/* ---- Tensors ---- */

/* Verifies the tiny model with one number of a tensor changed and checksums corrected. */
static void assert_found(const char *tensor, size_t offset, const void *bytes, size_t len,
                         const char *words)
{
    struct patient changed = patient_copy(&sound, 0);
    uint8_t *entry = tensor_entry(&changed, tensor);
    uint8_t *data = changed.data + get_u64(entry + 56);
    engine_model *model;
    memcpy(data + offset, bytes, len);
    put_u32(entry + 20, crc32c(0, data, (size_t)get_u64(entry + 64)));
    heal_section(&changed, "DATA");
    heal_section(&changed, "TENS");
    assert_ok(engine_model_open_memory(changed.data, changed.len, NULL, &model, &last));
    assert_fails(FORMAT, engine_model_verify(model, &last));
    if (strstr(last.message, tensor) == NULL || strstr(last.message, words) == NULL)
        fail_msg("%s at %zu: %s", tensor, offset, last.message);
    engine_model_close(model);
}

TEST(numbers_that_are_none)
{
    static const float wrong[] = {NAN, INFINITY, -INFINITY};
    static const char words[] = "holds NaN or an infinity";
    const uint16_t half = 0x7C00, bfloat = 0xFF80, not_a_half = 0xFE01;
    for (size_t i = 0; i < 3; i++) {
        assert_found("embedding.token.weight", 4 * 63, &wrong[i], 4, words);
        assert_found("layers.0.attention.qkv.weight", 0, &wrong[i], 4, words);
        assert_found("layers.0.feed_forward.in.weight", 8 * 16 + 4 * 15, &wrong[i], 4, words);
    }
    assert_found("embedding.type.weight", 0, &half, 2, words);
    assert_found("embedding.type.weight", 2 * 15, &not_a_half, 2, words);
    assert_found("layers.0.attention.output.weight", 2 * 7, &bfloat, 2, words);
}

/* qkv [24, 8] in panels has a second one that is half empty; output [8, 8] in bf16 half a panel;
 * after out [8, 16] in rows and its scales, and after vectors, the file is padded to 64. */
TEST(padding_that_is_not_zero)
{
    static const char words[] = "padding is not zero";
    const uint8_t one = 1;
    assert_found("layers.0.attention.qkv.weight", 4 * (8 * 16 + 8), &one, 1, words);
    assert_found("layers.0.attention.qkv.weight", 4 * (8 * 32 - 1) + 3, &one, 1, words);
    assert_found("layers.0.attention.output.weight", 2 * 8, &one, 1, words);
    assert_found("layers.0.feed_forward.out.weight", 8 * 16 + 4 * 8, &one, 1, words);
    assert_found("embedding.norm.bias", 4 * TINY_WIDTH, &one, 1, words);
    assert_found("embedding.norm.bias", 63, &one, 1, words);
}
