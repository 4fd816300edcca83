/* output.c - files that are read, and stdout or a file that is written; see output.h. */
#include "tools/common/output.h"

#include "tools/common/alloc.h"
#include "tools/common/options.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Inputs ---- */

#define INPUT_BYTES_MOST ((size_t)1 << 30)

struct input {
    dev_t device;
    ino_t inode;
    const char *name; /* for the message */
};

static struct input *inputs; /* [n_inputs], each once, kept until the program ends */
static size_t n_inputs;

/* Stores what a path, or if that is NULL a descriptor, leads to: all zero, if that is no regular
 * file. Returns the input that it is, or NULL. */
static const struct input *find_input(const char *path, int descriptor, struct stat *file)
{
    if ((path ? stat(path, file) : fstat(descriptor, file)) != 0 || !S_ISREG(file->st_mode))
        *file = (struct stat){0};
    for (size_t i = 0; i < n_inputs; i++)
        if (inputs[i].device == file->st_dev && inputs[i].inode == file->st_ino)
            return &inputs[i];
    return NULL;
}

static void die_of_input(const struct input *input, const char *name)
{
    if (strcmp(input->name, name) == 0)
        program_die_misused("%s is read, and cannot be the output", name);
    program_die_misused("%s would be written over %s, which is read: name another file", name,
                        input->name);
}

void input_refuse_output(const char *output)
{
    struct stat file;
    const struct input *input = find_input(output, -1, &file);
    if (input)
        die_of_input(input, alloc_text("'%s'", output));
}

void input_remember(const char *path)
{
    const bool is_stdin = strcmp(path, "-") == 0;
    struct stat file;
    const struct input *input = find_input(is_stdin ? NULL : path, STDIN_FILENO, &file);
    if (!S_ISREG(file.st_mode))
        return;
    if (!input) {
        inputs = reallocarray(inputs, n_inputs + 1, sizeof *inputs);
        if (inputs == NULL)
            alloc_die();
        inputs[n_inputs++] = (struct input){
            file.st_dev, file.st_ino, is_stdin ? "the file on stdin" : alloc_text("'%s'", path)};
    }
    if (find_input(NULL, STDERR_FILENO, &file)) { /* a message would be written into it */
        int nothing = open("/dev/null", O_WRONLY);
        if (nothing < 0 || dup2(nothing, STDERR_FILENO) < 0)
            close(STDERR_FILENO);
        program_exit(PROGRAM_MISUSED);
    }
    if ((input = find_input(NULL, STDOUT_FILENO, &file)) != NULL)
        die_of_input(input, "stdout");
}

int input_read(const char *path, char **data, size_t *len)
{
    FILE *stream = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    int code = PROGRAM_DONE;
    input_remember(path);
    *data = NULL;
    *len = 0;
    if (stream == NULL)
        return program_fail("cannot read '%s': %s", path, strerror(errno));
    for (size_t cap = 0, n = 1; n > 0 && code == PROGRAM_DONE; *len += n) {
        if (*len == cap) {
            cap = cap * 2 + 65536;
            *data = alloc_resize(*data, cap, 1);
        }
        n = fread(*data + *len, 1, cap - *len, stream);
        if (ferror(stream))
            code = program_fail("cannot read '%s': %s", path, strerror(errno));
        else if (n > 0 && *len + n > INPUT_BYTES_MOST)
            code = program_fail("'%s' is longer than 1 GiB", path);
        else if (n == 0)
            (*data)[*len] = '\0'; /* there is room: this read had some, and found nothing */
    }
    if (stream != stdin)
        fclose(stream);
    return code;
}

/* ---- What is no weight file: kinds by their names, as on the Hugging Face hub ---- */

enum { HINT_BYTES = 4 * PATH_MAX };

/* What a name ends in, and what encode-import reads such a file by alone; "": only a whole
 * checkpoint, a folder. */
static const struct path_ending SOURCES[] = {
    {"tokenizer.json", "--tokenizer-only "},
    {"vocab.txt", "--tokenizer-only "},
    {".vec", "--vectors "},
    {"config.json", ""},
    {"modules.json", ""},
    {".safetensors", ""},
    {".safetensors.index.json", ""},
    {".bin", ""},
    {0},
};

static const char NO_CHECKPOINT[] = "; a checkpoint is a folder with config.json, which is not in ";
static const char TO_FETCH[] =
    ": encode-fetch ORG/MODEL fetches one, encode-import DIR -o FILE reads it";

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
    if (path_kind(source, SOURCES) && ending && ending > name)
        *ending = '\0';
    strcat(name, ".weights");
    out = stpcpy(stpcpy(out, "; to make one: encode-import "), option);
    append_word(stpcpy(append_word(out, source), " -o "), name);
}

const char *model_foreign_format(const char *path)
{
    static const struct path_ending ENDINGS[] = {{".gguf", "GGUF"},
                                                 {".onnx", "ONNX"},
                                                 {".h5", "TensorFlow"},
                                                 {".pb", "TensorFlow"},
                                                 {".tflite", "TensorFlow"},
                                                 {".msgpack", "Flax"},
                                                 {0}};
    return path_kind(path, ENDINGS);
}

bool path_is_hub_name(const char *path)
{
    const char *slash = strchr(path, '/');
    return slash && slash > path && path[0] != '.' && !strchr(slash + 1, '/') &&
           !path_ends_in(path, ".weights");
}

static void write_hint(char *out, const char *path)
{
    struct stat file;
    char copy[PATH_MAX];
    if (stat(path, &file) != 0) {
        const char *id = path_is_hub_name(path) ? path : "ORG/MODEL";
        strcpy(append_word(stpcpy(out, "; encode-fetch "), id), " fetches a model and imports it");
        return;
    }
    const bool is_folder = S_ISDIR(file.st_mode);
    const char *option = is_folder ? "" : path_kind(path, SOURCES);
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
    if (asked && asked[0] && strlen(asked) < PATH_MAX / 4)
        write_hint(hint, asked);
    if (!path && error->status == ENGINE_ERROR_IO && !hint[0])
        strcpy(hint, " (-m FILE; encode-new makes one)");
    program_die("%s%s", error->message, hint);
}

/* ---- Opening an output ---- */

/* Files that encode may write beside an output. */
static const char *const OTHERS[] = {OUTPUT_ROWS, OUTPUT_LEFT_OUT, OUTPUT_ORIGIN};
enum { N_OTHERS = sizeof OTHERS / sizeof OTHERS[0] };

/* Adds a file. Takes the path. Ends the program on failure. */
static FILE *open_part(struct output *output, char *path)
{
    struct output_part *part = &output->parts[output->n_parts];
    if (output_file_open(path, output->kind, &part->file, &output->error) != ENGINE_OK) {
        free(path);
        program_die("%s", output->error.message);
    }
    part->path = path;
    output->n_parts++;
    return output_file_stream(part->file);
}

void output_open(struct output *output, const char *path, enum output_kind kind)
{
    *output = (struct output){
        .stream = stdout, .path = path, .kind = kind, .is_kept = kind == OUTPUT_RESUMES};
    if (!path)
        return;
    input_refuse_output(path);
    for (size_t i = 0; i < N_OTHERS; i++) {
        char *other = alloc_text("%s%s", path, OTHERS[i]);
        input_refuse_output(other);
        free(other);
    }
    output->stream = open_part(output, alloc_text("%s", path));
}

static bool is_one_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Returns whether two paths have one name in one folder, where no file need be yet, or are two
 * names of one file, as links are. */
static bool are_same(const char *a, const char *b)
{
    struct stat one, other;
    if (stat(a, &one) == 0 && stat(b, &other) == 0 && S_ISREG(one.st_mode) &&
        is_one_file(&one, &other))
        return true;
    char *a_copy = alloc_text("%s", a), *b_copy = alloc_text("%s", b);
    const bool are_in_one_folder = stat(dirname(a_copy), &one) == 0 &&
                                   stat(dirname(b_copy), &other) == 0 && is_one_file(&one, &other);
    free(a_copy);
    free(b_copy);
    return are_in_one_folder && strcmp(path_name(a), path_name(b)) == 0;
}

/* A file beside the output must not have the name of the output or of another file beside it, nor
 * of the part and the journal that these have until they are renamed. */
static void refuse_same(const struct output *output, const char *path)
{
    static const char *const endings[] = {"", ".part", ".journal"};
    for (size_t i = 0; i < output->n_parts; i++)
        for (size_t k = 0; k < sizeof endings / sizeof endings[0]; k++) {
            char *other = alloc_text("%s%s", output->parts[i].path, endings[k]);
            if (are_same(path, other))
                program_die_misused("'%s' is written already: name another file", other);
            free(other);
        }
}

bool output_is_file(const struct output *output)
{
    return output->n_parts > 0 && output_file_has_place(output->parts[0].file);
}

FILE *output_beside(struct output *output, const char *name, const char *ending)
{
    if (!output_is_file(output))
        return NULL;
    char *path = alloc_text("%s%s", name, ending);
    input_refuse_output(path);
    refuse_same(output, path);
    FILE *stream = open_part(output, path);
    if (!output_file_has_place(output->parts[output->n_parts - 1].file))
        program_die("cannot write '%s' beside '%s': it is a pipe, a terminal or a device, "
                    "and a regular file is expected",
                    path, output->path);
    return stream;
}

/* ---- While it is written ---- */

bool output_each(struct output *output, engine_status (*act)(struct output_file *file))
{
    bool is_good = true;
    for (size_t i = 0; i < output->n_parts && is_good; i++)
        is_good = act(output->parts[i].file) == ENGINE_OK;
    return is_good;
}

bool output_check(struct output *output, bool flush)
{
    for (size_t i = 0; i == 0 || i < output->n_parts; i++) {
        FILE *stream = i == 0 ? output->stream : output_file_stream(output->parts[i].file);
        if (flush)
            fflush(stream);
        if (ferror(stream) && output->reason == 0)
            output->reason = errno ? errno : EIO;
    }
    return output->reason == 0;
}

/* ---- The end ---- */

/* The programs never write directories, so one of that name stays. A file that a power cut would
 * bring back would describe another output, so its removal is synced. */
static bool remove_file(struct output *output, const char *path)
{
    struct stat file;
    if (lstat(path, &file) != 0 || S_ISDIR(file.st_mode))
        return true;
    const bool is_removed = unlink(path) == 0;
    if (!is_removed)
        snprintf(output->error.message, sizeof output->error.message, "cannot remove '%s': %s",
                 path, strerror(errno));
    output_file_sync_folder(path);
    return is_removed;
}

bool output_drop_others(struct output *output)
{
    bool is_good = true;
    for (size_t i = 0; i < N_OTHERS && is_good; i++) {
        char *path = alloc_text("%s%s", output->path, OTHERS[i]);
        bool is_written = false;
        for (size_t k = 1; k < output->n_parts; k++)
            is_written = is_written || are_same(path, output->parts[k].path);
        is_good =
            (is_written && strcmp(OTHERS[i], OUTPUT_ORIGIN) != 0) || remove_file(output, path);
        free(path);
    }
    return is_good;
}

/* Renames a file to its name. An empty file beside the output is dropped, and so is the one of an
 * earlier run. */
static bool finish_part(struct output *output, size_t i)
{
    struct output_part *part = &output->parts[i];
    struct output_file *file = part->file;
    const off_t n_bytes = i == 0 ? 1 : ftello(output_file_stream(file));
    if (n_bytes > 0) {
        part->file = NULL;
        return output_file_finish(file) == ENGINE_OK;
    }
    if (n_bytes < 0)
        snprintf(output->error.message, sizeof output->error.message, "cannot write to '%s': %s",
                 part->path, strerror(errno));
    if (n_bytes < 0 || !remove_file(output, part->path))
        return false;
    output_file_release(file);
    return true;
}

/* Files that describe the output come first, so that the output never has another's beside it. Its
 * origin, which was opened last, comes last, and the old one is removed before: it is right or
 * absent. */
static bool finish_all(struct output *output)
{
    const size_t last = output->n_parts - 1;
    const bool has_origin = last > 0 && path_ends_in(output->parts[last].path, OUTPUT_ORIGIN);
    if (output_is_file(output) && !output_drop_others(output))
        return false;
    for (size_t i = 1; i <= last - has_origin; i++)
        if (!finish_part(output, i))
            return false;
    if (finish_part(output, 0))
        return !has_origin || finish_part(output, last);
    for (size_t i = 1; i < output->n_parts && !output->is_kept; i++)
        unlink(output->parts[i].path); /* it would describe an output that does not exist */
    return false;
}

/* A reader that has ended (head, less) has read enough: no message. */
int output_end(struct output *output, int code)
{
    bool is_written = output_check(output, false); /* errno is that of the last write */
    errno = 0;
    if (!is_written || !output_check(output, true)) {
        const char *quote = output->path ? "'" : "";
        code = PROGRAM_FAILED;
        if (output->reason != EPIPE)
            program_fail("cannot write to %s%s%s: %s", quote,
                         output->path ? output->path : "stdout", quote, strerror(output->reason));
    }
    if (code == PROGRAM_DONE && output->n_parts > 0 && !finish_all(output))
        code = program_fail("%s", output->error.message);
    for (size_t i = 0; i < output->n_parts; i++) {
        output_file_abort(output->parts[i].file);
        free(output->parts[i].path);
    }
    output->n_parts = 0;
    return code;
}
