/* model_hint.c - kinds of files by their names, as they are on the Hugging Face hub; see
 * model_hint.h. */
#include "tools/common/model_hint.h"

#include "tools/common/options.h"

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HINT_BYTES = 4 * PATH_MAX };

enum kind { KIND_UNKNOWN, KIND_PART, KIND_TOKENIZER, KIND_VECTORS, KIND_GGUF, KIND_FOLDER };

/* The first that a name ends in counts. */
static const struct ending {
    const char *text;
    enum kind kind;
} ENDINGS[] = {
    {"tokenizer.json", KIND_TOKENIZER},
    {"vocab.txt", KIND_TOKENIZER},
    {"config.json", KIND_PART},
    {"modules.json", KIND_PART},
    {".safetensors", KIND_PART},
    {".safetensors.index.json", KIND_PART},
    {".bin", KIND_PART},
    {".gguf", KIND_GGUF},
    {".vec", KIND_VECTORS},
};

static enum kind kind_of(const char *path)
{
    struct stat file;
    const size_t len = strlen(path);
    if (stat(path, &file) != 0)
        return KIND_UNKNOWN;
    if (S_ISDIR(file.st_mode))
        return KIND_FOLDER;
    for (size_t i = 0; i < sizeof ENDINGS / sizeof ENDINGS[0]; i++) {
        const size_t ending_len = strlen(ENDINGS[i].text);
        if (len >= ending_len && strcmp(path + len - ending_len, ENDINGS[i].text) == 0)
            return ENDINGS[i].kind;
    }
    return KIND_UNKNOWN;
}

static bool has_file(const char *folder, const char *name)
{
    char path[PATH_MAX + 32];
    return snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path &&
           access(path, F_OK) == 0;
}

/* As a shell reads one word; returns what is behind it. The room is four times the text's. */
static char *put_word(char *out, const char *text)
{
    static const char PLAIN[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "/._-+=,@%:";
    if (text[strspn(text, PLAIN)] == '\0')
        return stpcpy(out, text);
    *out++ = '\'';
    for (; *text; text++)
        out = *text == '\'' ? stpcpy(out, "'\\''") : (*out = *text, out + 1);
    return stpcpy(out, "'");
}

/* "OPTION SOURCE -o NAME.weights", with the name of the folder or file, without its ending. */
static void put_command(char *out, const char *option, const char *source)
{
    char real[PATH_MAX], name[PATH_MAX + sizeof ".weights"];
    snprintf(name, sizeof name, "%s",
             path_name(realpath(source, real) && real[1] ? real : "/model"));
    char *ending = strrchr(name, '.');
    if (option[0] && ending && ending > name)
        *ending = '\0';
    strcat(name, ".weights");
    out = stpcpy(out, "; to make one: encode-import ");
    out = put_word(stpcpy(out, option), source);
    put_word(stpcpy(out, " -o "), name);
}

/* A checkpoint is a whole folder. */
static void put_folder(char *out, const char *folder)
{
    if (has_file(folder, "config.json") || has_file(folder, "modules.json"))
        put_command(out, "", folder);
    else if (has_file(folder, "tokenizer.json"))
        put_command(out, "--tokenizer-only ", folder);
    else
        put_word(stpcpy(out, "; a checkpoint is a folder with config.json, which is not in "),
                 folder);
}

static void put_hint(char out[HINT_BYTES], const char *path)
{
    char copy[PATH_MAX];
    const enum kind kind = kind_of(path);
    snprintf(copy, sizeof copy, "%s", path);
    const char *folder = kind == KIND_FOLDER ? path : dirname(copy);
    switch (kind) {
    case KIND_FOLDER:
    case KIND_PART: put_folder(out, folder); break;
    case KIND_TOKENIZER:
        if (has_file(folder, "config.json"))
            put_folder(out, folder);
        else
            put_command(out, "--tokenizer-only ", path);
        break;
    case KIND_VECTORS: put_command(out, "--vectors ", path); break;
    case KIND_GGUF:
        strcpy(out, "; GGUF is not read: take the checkpoint that it was made of, a folder with "
                    "config.json and model.safetensors, and encode-import");
        break;
    case KIND_UNKNOWN: break;
    }
}

int model_open_failed(const char *path, const engine_error *error)
{
    const char *asked = path ? path : getenv("ENCODE_MODEL");
    char hint[HINT_BYTES] = "";
    if (asked && strlen(asked) < PATH_MAX / 4)
        put_hint(hint, asked);
    if (!path && error->status == ENGINE_ERROR_IO && !hint[0])
        strcpy(hint, " (-m FILE; encode-new makes one)");
    return program_fail("%s%s", error->message, hint);
}
