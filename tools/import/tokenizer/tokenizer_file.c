/* tokenizer_file.c - which files say what a tokenizer is, and writing what they said; see
 * tokenizer_file.h. */
#include "tools/import/tokenizer/tokenizer_file.h"

#include "tools/import/checkpoint/json_file.h"
#include "tools/import/tokenizer/tokenizer_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A vocabulary of a quarter of a million tokens, written out over many lines, is 17 MB; as a tree
 * it takes four times that. */
enum { MOST_FILE_BYTES = 20 << 20 };

/* ---- Reading a file as a whole ---- */

static bool read_bytes(int fd, const char *name, uint64_t n_bytes, char **text,
                       struct problem *problem)
{
    if (n_bytes > MOST_FILE_BYTES)
        return problem_say(problem, "%s has %" PRIu64 " bytes; at most %d are read", name, n_bytes,
                           MOST_FILE_BYTES);
    char *bytes = malloc((size_t)n_bytes + 1);
    if (bytes == NULL)
        return problem_memory(problem);
    for (size_t done = 0; done < n_bytes;) {
        const ssize_t n = read(fd, bytes + done, (size_t)n_bytes - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            problem_say(problem, "%s cannot be read: %s", name,
                        n < 0 ? strerror(errno) : "it became shorter");
            free(bytes);
            return false;
        }
        done += (size_t)n;
    }
    *text = bytes;
    return true;
}

/* *text is NULL where the file is absent and not needed. */
static bool read_from_folder(struct folder *folder, const char *name, bool needed, char **text,
                             size_t *len, struct problem *problem)
{
    int fd;
    uint64_t n_bytes = 0;
    *text = NULL;
    if (!folder_file(folder, name, needed, &fd, &n_bytes, problem))
        return false;
    if (fd < 0)
        return true;
    const bool ok = read_bytes(fd, name, n_bytes, text, problem);
    close(fd);
    *len = (size_t)n_bytes;
    return ok;
}

/* ---- tokenizer_config.json and special_tokens_map.json ---- */

struct config_files {
    struct json_file config, map;
    struct tokenizer_config values;
};

/* "[CLS]", or {"content": "[CLS]", ...} */
static const char *special_text(const struct json_file *file, const char *key)
{
    const json_t *value = file->root != NULL ? json_object_get(file->root, key) : NULL;
    return json_string_value(json_is_object(value) ? json_object_get(value, "content") : value);
}

static const char *special_of(const struct config_files *files, const char *key)
{
    const char *text = special_text(&files->map, key);
    return text != NULL ? text : special_text(&files->config, key);
}

/* model_max_length is 1e30 where there is no limit. */
static void read_max_length(struct config_files *files)
{
    const double length =
        json_number_value(json_object_get(files->config.root, "model_max_length"));
    files->values.max_length = length >= 1 && length <= INT32_MAX ? (int64_t)length : 0;
}

static bool read_switches(struct config_files *files, struct problem *problem)
{
    const struct json_file *file = &files->config;
    struct tokenizer_config *values = &files->values;
    bool basic = true, strip_accents = false;
    if (file->root == NULL)
        return true;
    values->says_lowercase = json_member(file, NULL, "do_lower_case") != NULL;
    if (!json_text(file, NULL, "tokenizer_class", &values->class_name, problem) ||
        !json_flag(file, NULL, "do_lower_case", &values->lowercase, problem) ||
        !json_flag(file, NULL, "tokenize_chinese_chars", &values->chinese, problem) ||
        !json_flag(file, NULL, "strip_accents", &strip_accents, problem) ||
        !json_flag(file, NULL, "do_basic_tokenize", &basic, problem))
        return false;
    if (json_member(file, NULL, "strip_accents") != NULL)
        values->strip_accents = strip_accents;
    if (!basic || json_array_size(json_member(file, NULL, "never_split")) > 0)
        return problem_say(
            problem,
            "%s: 'do_basic_tokenize' is false or 'never_split' has words; expected neither",
            file->name);
    return true;
}

static bool config_files_read(struct config_files *files, struct folder *folder, bool is_needed,
                              struct problem *problem)
{
    *files =
        (struct config_files){.values = {.lowercase = true, .chinese = true, .strip_accents = -1}};
    bool ok =
        json_file_read(&files->config, folder, "tokenizer_config.json", false, false, problem) &&
        json_file_read(&files->map, folder, "special_tokens_map.json", false, false, problem);
    if (ok && files->config.root != NULL) {
        read_max_length(files);
        ok = read_switches(files, problem) || !is_needed;
    }
    files->values.unknown = special_of(files, "unk_token");
    files->values.cls = special_of(files, "cls_token");
    files->values.sep = special_of(files, "sep_token");
    files->values.pad = special_of(files, "pad_token");
    files->values.mask = special_of(files, "mask_token");
    return ok;
}

static void config_files_free(struct config_files *files)
{
    json_file_free(&files->config);
    json_file_free(&files->map);
}

/* ---- Facts ---- */

static int32_t find_special(const struct import_tokenizer *tokenizer, const char *said,
                            const char *usual, const char *also)
{
    if (said != NULL)
        return parts_find(tokenizer, said);
    const int32_t id = parts_find(tokenizer, usual);
    return id >= 0 ? id : parts_find(tokenizer, also);
}

static const char *setting_of(const struct import_tokenizer *tokenizer, const char *key)
{
    for (size_t i = 0; i < tokenizer->n_settings; i++)
        if (strcmp(tokenizer->settings[i].key, key) == 0)
            return tokenizer->settings[i].value;
    return "";
}

static bool has_step(const char *steps, const char *step)
{
    const size_t len = strlen(step);
    for (const char *at = steps; (at = strstr(at, step)) != NULL; at += len)
        if ((at == steps || at[-1] == ' ') && (at[len] == ' ' || at[len] == '\0'))
            return true;
    return false;
}

static bool settle_facts(struct import_tokenizer *tokenizer, const struct tokenizer_config *config,
                         struct problem *problem)
{
    tokenizer->cls = find_special(tokenizer, config->cls, "[CLS]", "<s>");
    tokenizer->sep = find_special(tokenizer, config->sep, "[SEP]", "</s>");
    tokenizer->pad = find_special(tokenizer, config->pad, "[PAD]", "<pad>");
    tokenizer->mask = find_special(tokenizer, config->mask, "[MASK]", "<mask>");
    tokenizer->max_length = config->max_length;
    tokenizer->lowercases = has_step(setting_of(tokenizer, "normalizer"), "lower") ||
                            strcmp(setting_of(tokenizer, "lower"), "yes") == 0; /* Keras */
    if (config->says_lowercase && config->lowercase != tokenizer->lowercases)
        snprintf(tokenizer->note, sizeof tokenizer->note,
                 "tokenizer_config.json says do_lower_case %s, tokenizer.json %s: tokenizer.json "
                 "is followed",
                 config->lowercase ? "true" : "false",
                 tokenizer->lowercases ? "lowercases" : "keeps capitals");
    return tokenizer->mask < 0 ||
           parts_set_number(tokenizer, "mask_token", tokenizer->mask, problem);
}

/* ---- The ways in ---- */

static void start(struct import_tokenizer *tokenizer)
{
    *tokenizer =
        (struct import_tokenizer){.unknown = -1, .cls = -1, .sep = -1, .pad = -1, .mask = -1};
}

static bool finish(struct import_tokenizer *tokenizer, bool ok)
{
    if (!ok)
        import_tokenizer_free(tokenizer);
    return ok;
}

static bool read_text(struct import_tokenizer *tokenizer, const char *name, const char *text,
                      size_t len, bool is_json, const struct tokenizer_config *config,
                      struct problem *problem)
{
    const bool ok = is_json ? tokenizer_json_read(tokenizer, name, text, len, problem)
                            : tokenizer_vocab_read(tokenizer, name, text, len, config, problem);
    return ok && settle_facts(tokenizer, config, problem);
}

bool import_tokenizer_read(struct import_tokenizer *tokenizer, struct folder *folder,
                           struct problem *problem)
{
    const bool is_json = folder_has(folder, "tokenizer.json");
    const char *name = is_json ? "tokenizer.json" : "vocab.txt";
    struct config_files files;
    char *text = NULL;
    size_t len = 0;
    start(tokenizer);
    bool ok = config_files_read(&files, folder, !is_json, problem);
    if (ok && !is_json && folder_has(folder, "added_tokens.json"))
        ok = problem_say(
            problem, "added_tokens.json stands beside vocab.txt without a tokenizer.json; expected "
                     "a tokenizer.json (save_pretrained of a fast tokenizer writes one)");
    if (ok && !is_json && !folder_has(folder, "vocab.txt"))
        ok = problem_say(problem,
                         "there is neither a tokenizer.json nor a vocab.txt; expected one of them");
    ok = ok && read_from_folder(folder, name, true, &text, &len, problem) &&
         read_text(tokenizer, name, text, len, is_json, &files.values, problem);
    free(text);
    config_files_free(&files);
    return finish(tokenizer, ok);
}

static bool is_json_text(const char *text, size_t len)
{
    size_t at = 0;
    while (at < len && memchr(" \t\r\n", text[at], 4) != NULL)
        at++;
    return at < len && text[at] == '{';
}

static const struct tokenizer_config NO_CONFIG = {
    .lowercase = true, .chinese = true, .strip_accents = -1};

bool import_tokenizer_read_file(struct import_tokenizer *tokenizer, const char *path,
                                struct problem *problem)
{
    struct stat status;
    char *text = NULL;
    start(tokenizer);
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return problem_say(problem, "%s: %s", path, strerror(errno));
    bool ok = fstat(fd, &status) == 0 && S_ISREG(status.st_mode)
                  ? read_bytes(fd, path, (uint64_t)status.st_size, &text, problem)
                  : problem_say(problem, "%s is not a file", path);
    close(fd);
    const size_t len = ok ? (size_t)status.st_size : 0;
    ok = ok && read_text(tokenizer, path, text, len, is_json_text(text, len), &NO_CONFIG, problem);
    free(text);
    return finish(tokenizer, ok);
}

bool import_tokenizer_parse(struct import_tokenizer *tokenizer, const char *name, const char *text,
                            size_t len, struct problem *problem)
{
    start(tokenizer);
    return finish(tokenizer, read_text(tokenizer, name, text, len, true, &NO_CONFIG, problem));
}

void import_tokenizer_free(struct import_tokenizer *tokenizer)
{
    for (size_t i = 0; i < tokenizer->n_settings; i++)
        free(tokenizer->settings[i].value);
    for (size_t id = 0; id < tokenizer->n; id++)
        free(tokenizer->texts[id]);
    free(tokenizer->texts);
    free(tokenizer->lens);
    free(tokenizer->single);
    free(tokenizer->pair);
    *tokenizer = (struct import_tokenizer){.n = 0};
}

/* ---- Writing ---- */

/* With one row of token types or none, every piece has type 0. */
static void write_template(const char *key, const char *template, size_t n_types,
                           struct weight_writer *writer)
{
    char text[512];
    size_t n = 0;
    bool in_type = false;
    if (template == NULL)
        return;
    for (const char *c = template; *c != '\0' && n + 2 < sizeof text; c++) {
        in_type = in_type && *c != ' ';
        if (!in_type || n_types >= 2)
            text[n++] = *c;
        else if (text[n - 1] == ':')
            text[n++] = '0';
        in_type = in_type || *c == ':';
    }
    text[n] = '\0';
    weight_writer_setting(writer, ENGINE_SETTINGS_TOKENIZER, key, text, n);
}

engine_status import_tokenizer_write(const struct import_tokenizer *tokenizer, size_t n_types,
                                     bool truncate, struct weight_writer *writer)
{
    for (size_t i = 0; i < tokenizer->n_settings; i++)
        weight_writer_setting(writer, ENGINE_SETTINGS_TOKENIZER, tokenizer->settings[i].key,
                              tokenizer->settings[i].value, tokenizer->settings[i].len);
    write_template("single", tokenizer->single, n_types, writer);
    write_template("pair", tokenizer->pair, n_types, writer);
    if (truncate)
        weight_writer_setting(writer, ENGINE_SETTINGS_TOKENIZER, "truncate", "yes", 3);
    return weight_writer_vocabulary(writer, (const char *const *)tokenizer->texts, tokenizer->lens,
                                    tokenizer->n);
}
