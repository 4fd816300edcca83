/* model_file.c - kinds of files by their names, as they are on the Hugging Face hub, and a search
 * through the few settings of a weight file; see model_file.h. */
#include "tools/common/model_file.h"

#include "tools/common/options.h"

#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Settings ---- */

const char *model_setting(const engine_model *model, engine_settings settings, const char *wanted)
{
    const char *key, *value;
    for (size_t i = 0; engine_model_setting(model, settings, i, &key, &value, NULL) == ENGINE_OK;
         i++)
        if (strcmp(key, wanted) == 0)
            return value;
    return NULL;
}

double model_number(const engine_model *model, const char *key, double otherwise)
{
    const char *value = model != NULL ? model_setting(model, ENGINE_SETTINGS_CONFIG, key) : NULL;
    return value != NULL ? strtod(value, NULL) : otherwise;
}

/* ---- What is no weight file ---- */

enum { HINT_BYTES = 4 * PATH_MAX };

/* What a name ends in, and what encode-import reads such a file by alone; "": only a whole
 * checkpoint, a folder. */
static const struct source {
    const char *ending, *option;
} SOURCES[] = {
    {"tokenizer.json", "--tokenizer-only "},
    {"vocab.txt", "--tokenizer-only "},
    {".vec", "--vectors "},
    {"config.json", ""},
    {"modules.json", ""},
    {".safetensors", ""},
    {".safetensors.index.json", ""},
    {".bin", ""},
};

static const char NO_CHECKPOINT[] = "; a checkpoint is a folder with config.json, which is not in ";
static const char TO_FETCH[] =
    ": encode-fetch ORG/MODEL fetches one, encode-import DIR -o FILE reads it";

static const char *import_option(const char *path)
{
    for (size_t i = 0; i < sizeof SOURCES / sizeof SOURCES[0]; i++)
        if (path_ends_in(path, SOURCES[i].ending))
            return SOURCES[i].option;
    return NULL;
}

static bool folder_has(const char *folder, const char *name)
{
    char path[PATH_MAX + 32];
    return snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path &&
           access(path, F_OK) == 0;
}

/* As a shell reads one word; returns its end. The room is four times the text's. */
static char *append_word(char *out, const char *text)
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
static void write_command(char *out, const char *option, const char *source)
{
    char real[PATH_MAX], name[PATH_MAX + sizeof ".weights"];
    snprintf(name, sizeof name, "%s",
             path_name(realpath(source, real) && real[1] ? real : "/model"));
    char *ending = strrchr(name, '.');
    if (import_option(source) && ending && ending > name)
        *ending = '\0';
    strcat(name, ".weights");
    out = stpcpy(stpcpy(out, "; to make one: encode-import "), option);
    append_word(stpcpy(append_word(out, source), " -o "), name);
}

const char *model_foreign_format(const char *path)
{
    static const char *const ENDINGS[][2] = {{".gguf", "GGUF"},         {".onnx", "ONNX"},
                                             {".h5", "TensorFlow"},     {".pb", "TensorFlow"},
                                             {".tflite", "TensorFlow"}, {".msgpack", "Flax"}};
    for (size_t i = 0; i < sizeof ENDINGS / sizeof ENDINGS[0]; i++)
        if (path_ends_in(path, ENDINGS[i][0]))
            return ENDINGS[i][1];
    return NULL;
}

static void write_hint(char *out, const char *path)
{
    struct stat file;
    char copy[PATH_MAX];
    if (stat(path, &file) != 0)
        return;
    const bool is_folder = S_ISDIR(file.st_mode);
    const char *option = is_folder ? "" : import_option(path);
    snprintf(copy, sizeof copy, "%s", path);
    const char *folder = is_folder ? path : dirname(copy);
    const bool is_checkpoint =
        folder_has(folder, "config.json") || folder_has(folder, "modules.json");
    const char *foreign = is_folder ? NULL : model_foreign_format(path);
    if (foreign)
        sprintf(out,
                "; %s is not read: take the checkpoint that it was made of, a folder with "
                "config.json and model.safetensors, and encode-import",
                foreign);
    else if (option && is_checkpoint && !path_ends_in(path, ".vec"))
        write_command(out, "", folder);
    else if (option && option[0])
        write_command(out, option, path);
    else if (is_folder && folder_has(path, "tokenizer.json"))
        write_command(out, "--tokenizer-only ", path);
    else if (option)
        strcpy(append_word(stpcpy(out, NO_CHECKPOINT), folder), is_folder ? TO_FETCH : "");
}

void model_open_die(const char *path, const engine_error *error)
{
    const char *asked = path ? path : getenv("ENCODE_MODEL");
    char hint[HINT_BYTES] = "";
    if (asked && strlen(asked) < PATH_MAX / 4)
        write_hint(hint, asked);
    if (!path && error->status == ENGINE_ERROR_IO && !hint[0])
        strcpy(hint, " (-m FILE; encode-new makes one)");
    program_die("%s%s", error->message, hint);
}
