/* tags: no-asan alone */
/* encode-bench: its JSON has every field of every workload, and what cannot be done is refused. How
 * fast anything is, is not tested. */
#include "tests/support.h"
#include "tests/tools/shell.h"

#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LAT16  TINY " -t 1 --workloads lat16"
#define TWENTY "12345678901234567890"
#define TINY   "--shape 1/32/2/64/1000 --runs 2"

SET_UP()
{
    shell_set_program("BENCH", "encode-bench");
    shell_setup();
}

/* The index-th line of JSON; the caller owns it. */
static json_t *json_line(const char *text, size_t index)
{
    for (; index > 0; index--) {
        text = strchr(text, '\n');
        assert_non_null(text);
        text++;
    }
    json_error_t error;
    json_t *line = json_loadb(text, strcspn(text, "\n"), JSON_REJECT_DUPLICATES, &error);
    if (line == NULL)
        fail_msg("line is not JSON: %s: %.200s", error.text, text);
    return line;
}

static double number(const json_t *line, const char *key)
{
    const json_t *value = json_object_get(line, key);
    if (!json_is_number(value))
        fail_msg("'%s' is not a number", key);
    return json_number_value(value);
}

static const char *text_of(const json_t *line, const char *key)
{
    const char *text = json_string_value(json_object_get(line, key));
    if (text == NULL)
        fail_msg("'%s' is not a string", key);
    return text;
}

static void assert_is(const json_t *line, const char *key, bool is_there)
{
    const json_t *value = json_object_get(line, key);
    assert_non_null(value);
    if (json_is_null(value) == is_there)
        fail_msg("%s: '%s' is %s", text_of(line, "workload"), key, is_there ? "null" : "not null");
}

static void assert_profile(const json_t *line)
{
    static const char *const steps[] = {"tokenize", "embed",  "linear", "attention", "norm",
                                        "quantize", "answer", "wait",   "other"};
    const json_t *profile = json_object_get(line, "profile");
    double sum = 0;
    assert_int_equal(json_object_size(profile), 9);
    for (size_t i = 0; i < 9; i++)
        sum += number(profile, steps[i]);
    assert_true(!(fabs(sum - 1) > 0.002));
    assert_true(number(profile, "linear") > 0);
}

static void assert_fields(const json_t *line, const char *workload, int n_threads)
{
    bool is_cold = strcmp(workload, "cold") == 0;
    assert_string_equal(text_of(line, "workload"), workload);
    assert_string_equal(text_of(line, "model"), "1/32/2/64/1000");
    assert_string_equal(text_of(line, "type"), "f32");
    assert_string_equal(text_of(line, "precision"), "exact");
    assert_true(text_of(line, "isa")[0] != '\0');
    assert_true(number(line, "threads") == n_threads);
    assert_true(number(line, "runs") == 2);
    assert_true(number(line, "texts") >= 1);
    assert_true(number(line, "min_ms") > 0);
    assert_true(number(line, "min_ms") <= number(line, "median_ms"));
    assert_true(number(line, "spread") >= 0);
    assert_true(number(line, "texts_per_s") > 0);
    assert_is(line, "tokens_per_s", !is_cold);
    assert_is(line, "ms_per_token", !is_cold);
    assert_is(line, "gflops", !is_cold);
    assert_is(line, "share_of_peak", !is_cold);
    assert_is(line, "profile", !is_cold);
    assert_true(number(line, "peak_f32_gflops") > 0);
    assert_true(number(line, "peak_bf16_gflops") > 0);
    assert_true(number(line, "peak_int8_gops") > 0);
    assert_int_equal(json_object_size(line), 23);
    if (!is_cold) {
        double rate = number(line, "tokens") / number(line, "median_ms") * 1000;
        assert_true(!(fabs(number(line, "tokens_per_s") / rate - 1) > 1e-4));
        assert_true(number(line, "share_of_peak") > 0);
        assert_profile(line);
    }
}

TEST(every_workload)
{
    static const char *const workloads[] = {"lat16", "lat128", "lat512", "thr", "thr128", "cold"};
    const struct shell_result *result;
    shell_expect(0, "mkdir -p temporary");
    result = shell_expect(0, "OMP_NUM_THREADS=2 TMPDIR=$PWD/temporary \"$BENCH\" " TINY
                             " -t 1,2 --seconds 0.1 --profile -f json");
    assert_int_equal(count_lines(result->out), 12);
    assert_int_equal(result->err_len, 0);
    for (size_t i = 0; i < 12; i++) {
        json_t *line = json_line(result->out, i);
        assert_fields(line, workloads[i / 2], (int)(i % 2) + 1);
        if (i / 2 == 0) { /* 2 · 16 · (4 · 32² + 2 · 32 · 64) + 2 · 16² · 2 · 32 operations */
            double operations = number(line, "gflops") * 1e6 * number(line, "median_ms");
            assert_true(!(fabs(operations / 294912 - 1) > 1e-4));
        }
        if (i / 2 == 3) {
            assert_true(number(line, "texts") == 512);
            assert_true(number(line, "shortest") == 8 && number(line, "longest") == 40);
        }
        json_decref(line);
    }
    shell_expect(0, "test -z \"$(ls temporary)\""); /* the made file has gone */
}

/* The program does not write to existing files in a folder that everybody may write. */
TEST(planted_link)
{
    shell_expect(0, "mkdir -p open && echo kept >victim &&"
                    " ln -s ../victim open/encode-bench-$$.weights &&"
                    " TMPDIR=$PWD/open exec \"$BENCH\" " TINY " -t 1 --workloads lat16 -f json");
    shell_expect(0, "test \"$(cat victim)\" = kept");
}

/* The models of a shape are made by encode-new beside the program, in a nameless file in $TMPDIR or
 * /tmp. */
TEST(models_that_cannot_be_made)
{
    static const char *const cases[][2] = {
        {"TMPDIR=$PWD/nowhere $BENCH " LAT16, "cannot make a file in"},
        {"TMPDIR=$(head -c 5000 /dev/zero | tr '\\0' x) $BENCH " LAT16, "cannot make a file in"},
        {"$LIBRARY alone/encode-bench " LAT16, "there is no 'encode-new' beside this program"},
        {"$LIBRARY killed/encode-bench " LAT16, "was ended by signal 9"},
        {"$LIBRARY empty/encode-bench " LAT16, "is empty"},
        {"$LIBRARY broken/encode-bench " LAT16, "weight"},
        {"$BENCH -m words.alone -t 1", "holds no model"},
        {"$BENCH -m nowhere -t 1", "nowhere"},
    };
    setenv("LIBRARY", "env LD_LIBRARY_PATH=$ENCODE_BUILD", 1);
    shell_expect(0, "for d in alone killed empty broken; do mkdir -p $d; cp \"$BENCH\" $d/; done; "
                    "printf '#!/bin/sh\nkill -9 $$\n' >killed/encode-new; printf '#!/bin/sh\n' "
                    ">empty/encode-new; printf '#!/bin/sh\necho x >\"$2\"\n' >broken/encode-new; "
                    "chmod +x */encode-new; printf '[UNK]\n[CLS]\n[SEP]\n' >words.txt; "
                    "\"$ENCODE_BUILD\"/encode-import --tokenizer-only words.txt -o words.alone");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct shell_result *run = shell("eval %s", cases[i][0]);
        assert_in_range(run->code, 1, 2);
        assert_contains(run->err, cases[i][1]);
    }
    shell_expect(0, "unset TMPDIR; $BENCH " LAT16 " && TMPDIR= $BENCH " LAT16);
}

/* A workload has the name of its file, without its end. */
TEST(names_of_files)
{
    static const char *const names[][2] = {
        {"plain", "plain"},
        {".hidden", ".hidden"},
        {"a.b.c", "a.b"},
        {TWENTY TWENTY TWENTY TWENTY, TWENTY TWENTY TWENTY "…"},
    };
    for (size_t i = 0; i < 4; i++) {
        support_write_text(names[i][0], "1 2 3\n");
        const struct shell_result *run = shell_expect(
            0, "\"$BENCH\" -m toy.weights --ids ./%s --runs 1 -t 1 -f json", names[i][0]);
        json_t *line = json_line(run->out, 0);
        assert_string_equal(text_of(line, "workload"), names[i][1]);
        json_decref(line);
    }
}

TEST(long_texts)
{
    static const double lengths[] = {2048, 8192};
    const struct shell_result *result;
    result = shell_expect(
        0, "\"$BENCH\" --shape 1/16/1/16/1000 --runs 1 -t 1 --workloads lat2048,lat8192 -f json");
    assert_int_equal(count_lines(result->out), 2);
    for (size_t i = 0; i < 2; i++) {
        json_t *line = json_line(result->out, i);
        assert_true(number(line, "tokens") == lengths[i]);
        json_decref(line);
    }
}

TEST(types)
{
    static const char *const names[] = {"int8", "f16", "bf16"};
    const struct shell_result *result;
    result =
        shell_expect(0, "\"$BENCH\" " TINY " -t 1 --type int8,f16,bf16 --workloads lat16 -f json");
    assert_int_equal(count_lines(result->out), 3);
    for (size_t i = 0; i < 3; i++) {
        json_t *line = json_line(result->out, i);
        assert_string_equal(text_of(line, "type"), names[i]);
        json_decref(line);
    }
}

TEST(text)
{
    const struct shell_result *result;
    result = shell_expect(0, "OMP_NUM_THREADS=2 \"$BENCH\" " TINY
                             " -t 2 --workloads lat16,cold --profile");
    assert_contains(result->out, "of peak");
    assert_contains(result->out, "GFLOP/s in f32");
    assert_contains(result->out, "attention ");
    assert_contains(shell_expect(0, "\"$BENCH\" --help")->out, "Exit codes");
    assert_contains(shell_expect(0, "\"$BENCH\" --version")->out, "encode-bench ");
}

/* Peaks are those of the kernels in use, not of the best instructions of the CPU. */
TEST(peaks)
{
    char line[64];
    for (size_t i = 0; support_isa(i) != NULL; i++) {
        const struct shell_result *result = shell_expect(
            0,
            "OMP_NUM_THREADS=2 ENGINE_ISA=%s \"$BENCH\" " TINY " -t 1,2 --workloads lat16 --runs 1",
            support_isa(i));
        /* amx is for int8 and bf16: it computes f32 with the kernels of avx512bf16. */
        const char *isa = strcmp(support_isa(i), "amx") == 0 ? "avx512bf16" : support_isa(i);
        snprintf(line, sizeof line, "\n1 thread, %s: ", isa);
        assert_contains(result->out, line);
        snprintf(line, sizeof line, "\n2 threads, %s: ", isa);
        assert_contains(result->out, line);
        assert_lacks(result->out, " 0.0 GFLOP/s");
        assert_lacks(result->out, " 0 GOP/s");
    }
}

TEST(files)
{
    const struct shell_result *result;
    support_write_text("pair.txt", "1 2 3\n4 5\n");
    result = shell_expect(0, "\"$BENCH\" -m toy.weights --ids pair.txt --runs 1 -t 1 -f json");
    assert_int_equal(count_lines(result->out), 1);
    json_t *line = json_line(result->out, 0);
    assert_string_equal(text_of(line, "workload"), "pair");
    assert_string_equal(text_of(line, "model"), "toy.weights");
    assert_true(number(line, "texts") == 2 && number(line, "tokens") == 5);
    json_decref(line);
    result = shell_expect(
        0, "\"$BENCH\" -m toy.weights --ids pair.txt --workloads lat16 --runs 1 -t 1 -f json");
    assert_int_equal(count_lines(result->out), 2);
}

/* Figures are those of the threads that a session has, however many were asked for. */
TEST(fewer_threads)
{
    char note[80];
    const struct shell_result *result = shell_expect(
        0, "OMP_NUM_THREADS=1 \"$BENCH\" " TINY " -t 1,1000 --workloads lat16 --profile -f json");
    assert_int_equal(count_lines(result->out), 2);
    json_t *line = json_line(result->out, 1);
    assert_true(number(line, "threads") < 1000);
    assert_profile(line);
    snprintf(note, sizeof note, "1000 threads asked, the session has %.0f\n",
             number(line, "threads"));
    assert_contains(result->err, note);
    json_decref(line);
}

/* Workloads that the model cannot run are absent from the default list, and a failure if they are
 * requested. */
TEST(what_fails)
{
    const struct shell_result *result;
    result = shell_expect(0, "\"$BENCH\" -m toy.weights --runs 1 -t 1 -f json");
    assert_contains(result->err, "lat512 is skipped: the model takes 16 tokens");
    assert_int_equal(count_lines(result->out), 2); /* lat16 and cold */
    result =
        shell_expect(1, "\"$BENCH\" -m toy.weights --workloads lat128,lat16 --runs 1 -t 1 -f json");
    assert_contains(result->err, "lat128: ");
    assert_int_equal(count_lines(result->out), 1); /* the others go on */
    assert_contains(shell_expect(1, "\"$BENCH\" -m absent.weights --workloads lat16")->err,
                    "absent.weights");
    support_write_text("long.txt", "0123456789012345678901234567890123456789x 1\n");
    assert_contains(shell_expect(1, "\"$BENCH\" -m toy.weights --ids long.txt --runs 1")->err,
                    "line 1: '0123456789012345678901234567890123456789' is not a token id");
    support_write_text("large.txt", "1 2 999999\n");
    assert_contains(shell_expect(1, "\"$BENCH\" -m toy.weights --ids large.txt --runs 1")->err,
                    "999999");
    assert_contains(shell_expect(1, "\"$BENCH\" -m toy.weights --ids none.txt --runs 1")->err,
                    "none.txt");
    shell_expect(0, "mkdir -p alone && cp \"$BENCH\" alone/");
    setenv("LD_LIBRARY_PATH", getenv("ENCODE_BUILD"), 1); /* libengine.so is not beside it */
    assert_contains(shell_expect(1, "alone/encode-bench " TINY)->err, "no 'encode-new'");
    assert_contains(shell_expect(1, "alone/encode-bench -m toy.weights --workloads cold")->err,
                    "no 'encode'");
    shell_expect(0, "printf '#!/bin/sh\\nexit 3\\n' >alone/encode && chmod +x alone/encode");
    assert_contains(shell_expect(1, "alone/encode-bench -m toy.weights --workloads cold")->err,
                    "failed");
    unsetenv("LD_LIBRARY_PATH");
    assert_contains(shell_expect(1, "TMPDIR=$PWD/absent \"$BENCH\" " TINY)->err, "absent");
}

/* Ended, as by Ctrl-C, as soon as the file of the model is open: half a second's work is no longer
 * needed. */
TEST(nothing_is_left_of_a_model)
{
    shell_expect(128 + SIGTERM,
                 "mkdir tmp; TMPDIR=$PWD/tmp \"$BENCH\" --shape 12/768/12/3072 --type f32 & "
                 "while kill -0 $! && ! ls -l /proc/$!/fd | grep -q \"$PWD/tmp/.*deleted\"; do "
                 ":; done; "
                 "kill -TERM $!; wait $!");
    assert_string_equal(shell_expect(0, "ls -A tmp")->out, "");
}
