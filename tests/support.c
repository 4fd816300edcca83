/* Code that suites share. If it cannot do its work, it fails the test that called it. */
#include "tests/support.h"

#include "tests/owned.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define LETTERS "a b c d e f g h i j k l m n o p q r s t u v w x y z"

void support_path(char path[SUPPORT_PATH], const char *folder, const char *name)
{
    assert_true(snprintf(path, SUPPORT_PATH, "%s/%s", folder, name) < SUPPORT_PATH);
}

void support_program(const char *name, char path[SUPPORT_PATH])
{
    const char *folder = getenv("ENCODE_BUILD");
    if (!folder)
        folder = getenv("BUILD");
    support_path(path, folder ? folder : "build", name);
}

static char start[SUPPORT_PATH]; /* the folder that the suite was started in */

__attribute__((constructor)) static void remember_start(void)
{
    if (!getcwd(start, sizeof start))
        start[0] = '\0';
}

bool support_shared(const char *below, char path[SUPPORT_PATH])
{
    const char *given = getenv("SHARED_DIR");
    char folder[SUPPORT_PATH];
    support_path(folder, given && given[0] == '/' ? "" : start, given ? given : "../shared");
    support_path(path, folder, below);
    return access(path, R_OK) == 0;
}

void support_temp_dir(char path[SUPPORT_PATH])
{
    const char *folder = getenv("TMPDIR");
    support_path(path, folder ? folder : "/tmp", "encode-test-XXXXXX");
    if (!mkdtemp(path))
        fail_msg("%s cannot be made", path);
}

void support_remove_dir(const char *path)
{
    DIR *folder = opendir(path);
    if (!folder)
        return;
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        char inner[2 * SUPPORT_PATH];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        if (unlink(inner) != 0)
            support_remove_dir(inner);
    }
    closedir(folder);
    rmdir(path);
}

void support_write(const char *path, const void *bytes, size_t len)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, len, file) != len || fclose(file) != 0)
        fail_msg("%s cannot be written", path);
}

void support_write_text(const char *path, const char *text)
{
    support_write(path, text, strlen(text));
}

void support_write_in(const char *folder, const char *name, const void *bytes, size_t len)
{
    char path[SUPPORT_PATH];
    support_path(path, folder, name);
    support_write(path, bytes, len);
}

size_t support_count_files(const char *folder)
{
    size_t n = 0;
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    while (readdir(directory) != NULL)
        n++;
    closedir(directory);
    return n - 2; /* . and .. */
}

void *support_read(const char *path, size_t *len)
{
    FILE *file = fopen(path, "rb");
    struct stat about;
    assert_true(file != NULL && fstat(fileno(file), &about) == 0);
    void *bytes = new_bytes(*len = (size_t)about.st_size);
    assert_int_equal(fread(bytes, 1, *len, file), *len);
    fclose(file);
    return bytes;
}

static char own_folder[SUPPORT_PATH];

const char *support_folder(void)
{
    if (own_folder[0] == '\0')
        support_temp_dir(own_folder);
    return own_folder;
}

void support_remove_folder(void)
{
    if (own_folder[0] != '\0')
        support_remove_dir(own_folder);
    own_folder[0] = '\0';
}

int support_run(const char *const argv[], const char *log)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return -1;
    bool ok = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0) == 0 &&
              posix_spawn_file_actions_addopen(&actions, 1, log ? log : "/dev/null",
                                               O_WRONLY | O_CREAT | O_TRUNC, 0600) == 0 &&
              posix_spawn_file_actions_adddup2(&actions, 1, 2) == 0 &&
              posix_spawnp(&child, argv[0], &actions, NULL, (char *const *)argv, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    if (!ok || waitpid(child, &status, 0) != child)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void support_link_build(char link[SUPPORT_PATH])
{
    char path[SUPPORT_PATH], *real;
    support_program(".", path);
    real = realpath(path, NULL);
    if (real == NULL)
        fail_msg("%s is not there", path);
    support_path(link, support_folder(), ".build");
    if (symlink(real, link) != 0 && errno != EEXIST)
        fail_msg("%s cannot be made", link);
    free(real);
}

void support_must_run(const char *const argv[], const char *log)
{
    char line[512];
    const int code = support_run(argv, log);
    if (code == 0)
        return;
    for (size_t i = 0; argv[i] != NULL; i++)
        print_error("%s ", argv[i]);
    print_error("\n");
    FILE *file = fopen(log, "r");
    while (file && fgets(line, sizeof line, file))
        print_error("    %s", line);
    if (file)
        fclose(file);
    fail_msg("%s: exit code %d", argv[0], code);
}

/* Returns the emulator of programs for another processor (tests/run.sh), or NULL. */
static const char *runner(void)
{
    const char *name = getenv("RUNNER");
    return name != NULL && name[0] != '\0' ? name : NULL;
}

__attribute__((format(printf, 3, 0))) static void make_model(const char *path, const char *words,
                                                             const char *options, va_list arguments)
{
    enum { MAX_ARGUMENTS = 96 };
    char program[SUPPORT_PATH], log[SUPPORT_PATH], text[2048];
    const char *argv[MAX_ARGUMENTS];
    int n = 0, len = vsnprintf(text, sizeof text, options, arguments);
    assert_true(len >= 0 && (size_t)len < sizeof text);
    support_program("encode-new", program);
    assert_true(snprintf(log, sizeof log, "%s.log", path) < SUPPORT_PATH);
    if (runner() != NULL)
        argv[n++] = runner();
    const char *const begin[] = {program, "-o", path, "--words", words ? words : LETTERS};
    memcpy(argv + n, begin, sizeof begin);
    n += 5;
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        assert_true(n < MAX_ARGUMENTS - 1);
        argv[n++] = word;
    }
    argv[n] = NULL;
    support_must_run(argv, log);
    unlink(log);
}

void support_make_model(const char *path, const char *words, const char *options, ...)
{
    va_list arguments;
    va_start(arguments, options);
    make_model(path, words, options, arguments);
    va_end(arguments);
}

engine_model *support_new_model(const char *words, const char *options, ...)
{
    char path[SUPPORT_PATH];
    va_list arguments;
    support_path(path, support_folder(), "new.weights");
    va_start(arguments, options);
    make_model(path, words, options, arguments);
    va_end(arguments);
    return support_open(path);
}

engine_model *support_small_model(const char *options)
{
    return support_new_model("I ride bike dog cat",
                             "--layers 1 --width 16 --heads 2 --feed-forward 32 %s", options);
}

static void close_model(void *model)
{
    engine_model_close(model);
}

engine_model *support_open_with(const char *path, const engine_model_options *options)
{
    engine_model *model;
    engine_error error;
    if (engine_model_open(path, options, &model, &error) != ENGINE_OK)
        fail_msg("%s: %s", path, error.message);
    return owned(model, close_model);
}

engine_model *support_open(const char *path)
{
    return support_open_with(path, NULL);
}

engine_model *support_open_memory(const void *bytes, size_t len)
{
    engine_model *model;
    engine_error error;
    if (engine_model_open_memory(bytes, len, NULL, &model, &error) != ENGINE_OK)
        fail_msg("%s", error.message);
    return owned(model, close_model);
}

bool support_sanitized(void)
{
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    return true;
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return true;
#else
    return false;
#endif
}

bool support_emulated(void)
{
    return runner() != NULL;
}

#ifdef COVERAGE
void __gcov_dump(void);

bool support_slow(void)
{
    return true;
}

void support_exit(int code)
{
    __gcov_dump();
    _exit(code);
}
#else
bool support_slow(void)
{
    return support_sanitized() || support_emulated();
}

void support_exit(int code)
{
    _exit(code);
}
#endif

#if defined(__x86_64__)
/* Returns whether Linux says that the CPU has it. */
static bool cpuinfo_has(const char *flag)
{
    char line[8192];
    bool has = false;
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file != NULL && !has && fgets(line, sizeof line, file) != NULL)
        has = strncmp(line, "flags", 5) == 0 && strstr(line, flag) != NULL;
    if (file != NULL)
        fclose(file);
    return has;
}
#endif

static bool cpu_runs(const char *isa)
{
#if defined(__x86_64__)
    static const char *const flags[][2] = {{"avxvnni", " avx_vnni"},
                                           {"avx512vnni", " avx512_vnni"},
                                           {"avx512bf16", " avx512_bf16"},
                                           {"amx", " amx_int8"}};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (strcmp(isa, flags[i][0]) == 0)
            return cpuinfo_has(flags[i][1]);
    if (strcmp(isa, "avx2") == 0)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (strcmp(isa, "avx512") == 0)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#elif defined(__aarch64__)
    if (strcmp(isa, "neon") == 0)
        return true;
    if (strcmp(isa, "neondot") == 0)
        return (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0;
    if (strcmp(isa, "neoni8mm") == 0)
        return (getauxval(AT_HWCAP2) & HWCAP2_I8MM) != 0;
#endif
    return strcmp(isa, "portable") == 0;
}

static const char *runs[9];

size_t support_isas(void)
{
    static const char *const isas[] = {"portable",   "avx2", "avxvnni", "avx512",  "avx512vnni",
                                       "avx512bf16", "amx",  "neon",    "neondot", "neoni8mm"};
    static size_t n; /* suites ask in their inner loops */
    if (n == 0)
        for (size_t i = 0; i < sizeof isas / sizeof *isas; i++)
            if (cpu_runs(isas[i]))
                runs[n++] = isas[i];
    return n;
}

const char *support_isa(size_t index)
{
    return index < support_isas() ? runs[index] : NULL;
}

const char *support_set_isa(size_t index)
{
    const char *isa = support_isa(index);
    if (isa == NULL)
        unsetenv("ENGINE_ISA");
    else
        setenv("ENGINE_ISA", isa, 1);
    return isa;
}

engine_model *support_open_isa(const char *path, const char *isa, engine_precision precision)
{
    engine_info info = ENGINE_INFO();
    setenv("ENGINE_ISA", isa, 1);
    engine_model *model = support_open_with(path, &ENGINE_MODEL_OPTIONS(.precision = precision));
    unsetenv("ENGINE_ISA");
    assert_ok(engine_model_info(model, &info, NULL));
    if (strcmp(isa, "amx") != 0 || strcmp(info.isa, "avx512bf16") != 0) /* f32: no tiles */
        assert_string_equal(info.isa, isa);
    return model;
}

void support_allow_threads(size_t n)
{
    char number[24];
    snprintf(number, sizeof number, "%zu", n);
    assert_int_equal(setenv("OMP_NUM_THREADS", number, 1), 0);
}

engine_input support_text(const char *text)
{
    return (engine_input){.text = text, .text_len = strlen(text)};
}

engine_input support_ids(const int32_t *ids, size_t n)
{
    return (engine_input){.ids = ids, .n_ids = n};
}

static void free_session(void *session)
{
    engine_session_free(session);
}

engine_session *support_session(const engine_model *model, const engine_session_options *options)
{
    engine_session *session;
    engine_error error;
    if (engine_session_new(model, options, &session, &error) != ENGINE_OK)
        fail_msg("session: %s", error.message);
    return owned(session, free_session);
}

float *support_encode(engine_session *session, const engine_input *inputs, size_t n,
                      const engine_encode_options *options, size_t *n_floats)
{
    size_t needed = 0;
    engine_encode(session, inputs, n, options, NULL, 0, &needed, NULL);
    float *out = new_floats(needed);
    if (engine_encode(session, inputs, n, options, out, needed, NULL, NULL) != ENGINE_OK)
        fail_msg("engine_encode: %s", engine_session_message(session));
    if (n_floats != NULL)
        *n_floats = needed;
    return out;
}

void support_assert_refused(engine_status status, engine_status expected, const engine_error *error)
{
    assert_int_equal(status, expected);
    assert_int_equal(error->status, expected);
    assert_int_not_equal(error->message[0], 0);
    assert_non_null(memchr(error->message, 0, sizeof error->message));
}

void support_assert_tokens(const engine_token *got, const engine_token *expected, size_t n)
{
    for (size_t i = 0; i < n; i++) { /* field by field: padding may differ */
        const engine_token *a = &got[i], *b = &expected[i];
        if (a->id != b->id || a->type != b->type || a->begin != b->begin || a->end != b->end ||
            a->in_pair != b->in_pair || a->special != b->special)
            fail_msg("token %zu is id %d, %zu to %zu, expected id %d, %zu to %zu", i, (int)a->id,
                     a->begin, a->end, (int)b->id, b->begin, b->end);
    }
}

uint64_t support_random(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

size_t support_below(uint64_t *state, size_t n)
{
    return (size_t)(support_random(state) >> 33) % n;
}

void support_random_ids(uint64_t *state, int32_t *ids, size_t n, size_t n_ids)
{
    for (size_t i = 0; i < n; i++)
        ids[i] = (int32_t)support_below(state, n_ids);
}

struct difference support_difference(const float *got, const double *expected, size_t n,
                                     bool absolute)
{
    struct difference worst = {0};
    for (size_t i = 0; i < n; i++) {
        double value = (double)got[i], scale = absolute ? 1.0 : fmax(1.0, fabs(expected[i]));
        double difference = fabs(value - expected[i]) / scale;
        if (!(difference <= worst.largest)) {
            worst = (struct difference){difference, i, value, expected[i]};
            if (isnan(difference)) {
                worst.largest = (double)INFINITY;
                break;
            }
        }
    }
    return worst;
}

void support_compare(struct worst *worst, double tolerance, const float *got,
                     const double *expected, size_t n, const char *where, ...)
{
    enum { SHOWN = 5 };
    char words[256];
    va_list arguments;
    va_start(arguments, where);
    vsnprintf(words, sizeof words, where, arguments);
    va_end(arguments);
    struct difference difference = support_difference(got, expected, n, worst->absolute);
    worst->n_compared++;
    if (!(difference.largest <= tolerance) && worst->n_wrong++ < SHOWN)
        print_error("%s [%zu]: %.9g, expected %.9g, difference %.3g > %.3g\n", words,
                    difference.index, difference.got, difference.expected, difference.largest,
                    tolerance);
    if (!(difference.largest <= worst->difference.largest)) {
        worst->difference = difference;
        memcpy(worst->where, words, sizeof words);
    }
}

void support_assert_within(const struct worst *worst, double tolerance, const char *what)
{
    print_message("%s: %zu comparisons, largest difference %.3g of %.3g at %s [%zu]\n", what,
                  worst->n_compared, worst->difference.largest, tolerance, worst->where,
                  worst->difference.index);
    assert_true(worst->n_compared > 0);
    if (worst->n_wrong > 0)
        fail_msg("%s: %zu of %zu are too far off", what, worst->n_wrong, worst->n_compared);
}

bool support_comma_locale(const char *folder)
{
    static const char *const known[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8"};
    char source[SUPPORT_PATH], made[SUPPORT_PATH];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (setlocale(LC_ALL, known[i]) != NULL && strcmp(localeconv()->decimal_point, ",") == 0)
            return true;
    support_path(source, folder, "comma.src");
    support_path(made, folder, "xx_XX");
    support_write_text(
        source,
        "LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\ngrouping 3;3\nEND LC_NUMERIC\n");
    const char *const argv[] = {"localedef", "-ci", source, "-f", "ANSI_X3.4-1968", made, NULL};
    support_run(argv, NULL); /* it warns that there is nothing but numbers */
    setenv("LOCPATH", folder, 1);
    setlocale(LC_NUMERIC, "xx_XX");
    unsetenv("LOCPATH");
    return strcmp(localeconv()->decimal_point, ",") == 0;
}
