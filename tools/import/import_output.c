/* import_output.c - see import_output.h. SHA-256 is as FIPS 180-4, sections 4.1.2 and 6.2, defines
 * it; its constants are the first 32 bits of the fractional parts of the square roots of the first
 * 8 primes, and of the cube roots of the first 64. */
#include "tools/import/import_output.h"

#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/print/display.h"
#include "tools/writer/weight_writer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COLUMNS = 40 };

static struct {
    const char *what;
    bool is_shown;
    uint64_t done, total; /* bytes */
    unsigned percent;     /* on the screen */
} bar;

static void draw(void)
{
    char columns[COLUMNS + 1];
    for (unsigned i = 0; i < COLUMNS; i++)
        columns[i] = i * 100 < bar.percent * COLUMNS ? '#' : '.';
    columns[COLUMNS] = '\0';
    fprintf(stderr, "\r%-9s [%s] %3u %%", bar.what, columns, bar.percent);
    fflush(stderr);
}

void progress_begin(const char *what, uint64_t total)
{
    bar.what = what;
    bar.is_shown = isatty(STDERR_FILENO) == 1;
    bar.done = bar.percent = 0;
    bar.total = total;
    if (bar.is_shown)
        draw();
}

void progress_add(uint64_t n)
{
    bar.done += n;
    double part = bar.total > 0 ? (double)bar.done / (double)bar.total : 1;
    unsigned percent = part < 1 ? (unsigned)(part * 100) : 100;
    if (!bar.is_shown || percent == bar.percent)
        return;
    bar.percent = percent;
    draw();
}

void progress_end(void)
{
    if (bar.is_shown)
        fputs("\r\033[K", stderr);
    bar.is_shown = false;
}

/* ---- The output ---- */

void import_check_output(const struct import_options *options)
{
    const char *const inputs[] = {options->vectors.path, options->vectors.only_words_of,
                                  options->tokenizer};
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        if (inputs[i] != NULL)
            input_remember(inputs[i]);
    if (options->is_dry_run)
        return;
    input_refuse_output(options->output);
    if (strcmp(options->output, "-") == 0)
        program_die_misused("-o - would be standard output, and a weight file needs a name: name a "
                            "file (./- for one of that name)");
    /* Opened as the writer will open it, then removed. */
    engine_error error = {0};
    struct weight_writer *writer;
    if (weight_writer_open(options->output, &writer, &error) != ENGINE_OK)
        program_die("%s", error.message);
    weight_writer_abort(writer);
}

/* ---- SHA-256 ---- */

enum { BLOCK = 64, CHUNK = 1 << 18, SHA256_TEXT = 65 /* 64 hexadecimal digits and a NUL */ };

static const uint32_t ROUND[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

#define ROTATE(x, n) ((x) >> (n) | (x) << (32 - (n)))

static void hash_block(uint32_t state[8], const uint8_t *block)
{
    uint32_t w[64], a = state[0], b = state[1], c = state[2], d = state[3], e = state[4],
                    f = state[5], g = state[6], h = state[7];
    for (size_t t = 0; t < 16; t++)
        w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 |
               (uint32_t)block[4 * t + 2] << 8 | block[4 * t + 3];
    for (size_t t = 16; t < 64; t++) {
        uint32_t s0 = ROTATE(w[t - 15], 7) ^ ROTATE(w[t - 15], 18) ^ w[t - 15] >> 3;
        uint32_t s1 = ROTATE(w[t - 2], 17) ^ ROTATE(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = s1 + w[t - 7] + s0 + w[t - 16];
    }
    for (size_t t = 0; t < 64; t++) {
        uint32_t sum1 = ROTATE(e, 6) ^ ROTATE(e, 11) ^ ROTATE(e, 25);
        uint32_t t1 = h + sum1 + ((e & f) ^ (~e & g)) + ROUND[t] + w[t];
        uint32_t sum0 = ROTATE(a, 2) ^ ROTATE(a, 13) ^ ROTATE(a, 22);
        uint32_t t2 = sum0 + ((a & b) ^ (a & c) ^ (b & c));
        h = g, g = f, f = e, e = d + t1;
        d = c, c = b, b = a, a = t1 + t2;
    }
    const uint32_t round[8] = {a, b, c, d, e, f, g, h};
    for (size_t i = 0; i < 8; i++)
        state[i] += round[i];
}

/* Hashes a stream up to its end, and advances the progress by its bytes. After the last bytes come
 * a bit 1, zeros, and the length in bits as a big-endian u64 at the end of a block. Returns false
 * if the stream cannot be read, see errno. */
static bool sha256_of(FILE *stream, char text[SHA256_TEXT])
{
    static uint8_t chunk[CHUNK + 2 * BLOCK];
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint64_t n_bytes = 0;
    size_t n, len;
    do {
        len = n = fread(chunk, 1, CHUNK, stream);
        n_bytes += n;
        if (n < CHUNK) {
            len = (n + 1 + 8 + BLOCK - 1) / BLOCK * BLOCK;
            memset(chunk + n, 0, len - n);
            chunk[n] = 0x80;
            for (size_t i = 0; i < 8; i++)
                chunk[len - 1 - i] = (uint8_t)(n_bytes * 8 >> 8 * i);
        }
        for (size_t at = 0; at < len; at += BLOCK)
            hash_block(state, chunk + at);
        progress_add(n);
    } while (n == CHUNK);
    for (size_t i = 0; i < 8; i++)
        snprintf(text + 8 * i, 9, "%08x", state[i]);
    return !ferror(stream);
}

/* ---- The files read ---- */

/* Adds the n-th file to META. */
static void add_source(struct weight_output *output, size_t n, const char *name, const char *path)
{
    char key[32], hash[SHA256_TEXT];
    FILE *stream = fopen(path, "rbe");
    if (stream == NULL || !sha256_of(stream, hash))
        program_die("cannot read '%s': %s", path, strerror(errno));
    fclose(stream);
    snprintf(key, sizeof key, "source.%zu", n);
    weight_output_metadata(output, key, name);
    snprintf(key, sizeof key, "sha256.%zu", n);
    weight_output_metadata(output, key, hash);
}

/* A pipe has no hash: it cannot be read again. */
void import_add_sources(struct weight_output *output, const struct import_options *options,
                        const struct folder *folder, const struct folder *adapter)
{
    const char *const files[] = {options->vectors.path, options->vectors.only_words_of,
                                 options->tokenizer};
    const struct folder *const folders[] = {folder, adapter};
    char path[FOLDER_PATH];
    struct stat status;
    size_t n = 0;
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < folders[k]->n; i++)
            add_source(output, n++, folders[k]->names[i],
                       folder_join(folders[k], folders[k]->names[i], path));
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (files[i] != NULL && strcmp(files[i], "-") != 0 &&
            (stat(files[i], &status) != 0 || S_ISREG(status.st_mode)))
            add_source(output, n++, path_name(files[i]), files[i]);
}

enum { KEY_COLUMNS = 22, VALUE_COLUMNS = 200 };

#define title(text) printf("\n%s\n", text)

/* Prints a key and its value, [len]. */
static void line(const char *key, const char *value, size_t len)
{
    fputs("  ", stdout);
    display_cell(stdout, key, strlen(key), KEY_COLUMNS);
    putchar(' ');
    display_text(stdout, value, len, VALUE_COLUMNS);
    putchar('\n');
}

#define text_line(key, value) line(key, value, strlen(value))

static void number_line(const char *key, size_t number)
{
    char value[32];
    snprintf(value, sizeof value, "%zu", number);
    text_line(key, value);
}

static void report_settings(const struct import_tokenizer *tokenizer)
{
    const struct tokenizer_draft *draft = &tokenizer->draft;
    title("tokenizer");
    for (size_t i = 0; i < draft->n_settings; i++)
        line(draft->settings[i].key, draft->settings[i].value, draft->settings[i].len);
    if (tokenizer->single[0] != '\0')
        text_line("single", tokenizer->single);
    if (tokenizer->pair[0] != '\0')
        text_line("pair", tokenizer->pair);
    number_line("tokens", draft->words.n);
    if (tokenizer->note[0] != '\0')
        text_line("note", tokenizer->note);
}

static void report_tensor(const struct planned_tensor *tensor)
{
    char shape[64];
    if (tensor->n_dims == 2)
        snprintf(shape, sizeof shape, "[%zu, %zu]", tensor->rows, tensor->cols);
    else
        snprintf(shape, sizeof shape, "[%zu]", tensor->rows);
    fputs("  ", stdout);
    display_cell(stdout, tensor->name, strlen(tensor->name), 40);
    printf(" %-6s %-6s %-14s %10zu", TENSOR_TYPES[tensor->type],
           tensor->layout == LAYOUT_PANELS ? "panels" : "rows", shape,
           tensor_bytes(tensor->type, tensor->layout, tensor->rows, tensor->cols));
    for (size_t i = 0; i < tensor->n_parts; i++) {
        fputs(i == 0 ? "  " : " + ", stdout);
        display_text(stdout, tensor->parts[i]->name, strlen(tensor->parts[i]->name), 80);
    }
    printf(" %s\n", tensor->n_parts > 0 ? tensor->parts[0]->dtype : " decimal numbers");
}

static void report_plan(const struct plan *plan)
{
    char note[INT8_NOTE];
    title("tensors                                   type layout shape               bytes  from");
    for (size_t i = 0; i < plan->n; i++)
        report_tensor(&plan->tensors[i]);
    printf("\n%zu tensors, %" PRIu64 " parameters, %" PRIu64 " bytes\n", plan->n,
           plan->n_parameters, plan->n_bytes);
    int8_layers_note(&plan->int8_layers, note);
    if (note[0] != '\0')
        text_line("", note);
    if (plan->n_left_out > 0)
        title("left out");
    for (size_t i = 0; i < plan->n_left_out; i++)
        text_line("", plan->left_out[i]->name);
}

void report_tokenizer(const struct import_tokenizer *tokenizer, const char *name)
{
    puts("Nothing is written (--dry-run). The file would hold a tokenizer and no model.");
    title("metadata");
    text_line("name", name);
    report_settings(tokenizer);
}

void report_checkpoint(const struct checkpoint *checkpoint, const char *name)
{
    const struct model_config *config = &checkpoint->config.model;
    const struct folder *folder = &checkpoint->folder;
    char value[128];
    const char *key;
    puts("Nothing is written (--dry-run). The file would hold:");
    title("metadata");
    text_line("name", name);
    text_line("architecture", checkpoint->config.architecture->class_name);
    number_line("max_text_tokens", config->max_text_tokens);
    for (size_t i = 0; i < config->labels; i++) {
        const char *label = checkpoint_label(&checkpoint->config, i);
        snprintf(value, sizeof value, "label.%zu", i);
        text_line(value, label != NULL ? label : "");
    }
    title("config");
    for (size_t i = 0; (key = config_get(config, i, value, sizeof value)) != NULL; i++)
        if (config_is_written(config, i))
            text_line(key, value);
    if (checkpoint->has_tokenizer)
        report_settings(&checkpoint->tokenizer);
    if (folder->n > 0)
        title("files read");
    for (size_t i = 0; i < folder->n; i++)
        text_line("", folder->names[i]);
    report_plan(&checkpoint->plan);
}
