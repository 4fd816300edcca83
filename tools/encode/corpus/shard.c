/* shard.c - see shard.h. */
#include "tools/encode/corpus/shard.h"

#include "tools/common/alloc.h"
#include "tools/encode/corpus/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *shard_path(const char *output_path, struct shard_number number, const char *ending)
{
    return alloc_text("%s.%zu-of-%zu%s", output_path, number.index, number.of, ending);
}

/* ---- Its lines ---- */

/* size * i / n, without a product that could overflow. */
static uint64_t share(uint64_t size, size_t i, size_t n)
{
    return size / n * i + size % n * i / n;
}

/* The first line that begins at `from` or behind it, behind a line end or at the file's. */
static bool find_line(int fd, uint64_t from, uint64_t *begin)
{
    FILE *file = fdopen(dup(fd), "r");
    int c = from > 0 ? ' ' : '\n';
    bool is_good = file && fseeko(file, from > 0 ? (off_t)from - 1 : 0, SEEK_SET) == 0;
    while (is_good && c != '\n' && c != EOF)
        c = getc_unlocked(file);
    is_good = is_good && !ferror(file);
    *begin = is_good ? (uint64_t)ftello(file) : 0;
    if (file)
        fclose(file);
    return is_good;
}

void shard_open(struct shard *shard, const struct encode_options *options)
{
    struct stat file;
    const struct shard_number number = options->shard;
    *shard = (struct shard){.number = number, .fd = -1};
    if (fstat(STDIN_FILENO, &file) != 0 || !S_ISREG(file.st_mode))
        program_die("--shard takes its lines of a file on stdin: < FILE");
    /* A descriptor of its own has a place of its own: shells give several runs the same stdin. */
    shard->fd = open("/proc/self/fd/0", O_RDONLY | O_CLOEXEC);
    if (shard->fd < 0)
        shard->fd = dup(STDIN_FILENO);
    shard->input_size = (uint64_t)file.st_size;
    shard->limit = share(shard->input_size, number.index, number.of);
    if (!find_line(shard->fd, share(shard->input_size, number.index - 1, number.of),
                   &shard->begin) ||
        lseek(shard->fd, (off_t)shard->begin, SEEK_SET) < 0)
        program_die("--shard takes its lines of a file on stdin: < FILE: %s", strerror(errno));
    shard->path = shard_path(options->output_path, number, "");
    shard->mark_path = shard_path(options->output_path, number, ".done");
}

void shard_close(struct shard *shard)
{
    if (shard->fd >= 0)
        close(shard->fd);
    free(shard->path);
    free(shard->mark_path);
}

json_t *shard_common(const struct shard *shard)
{
    return json_pack("{sIsI}", "of", (json_int_t)shard->number.of, "input_size",
                     (json_int_t)shard->input_size);
}

void shard_limit(const struct shard *shard, struct reader *reader)
{
    reader->lines.fd = shard->fd;
    reader->begins_inside = shard->begin > 0;
    reader->most_bytes = shard->limit > shard->begin ? shard->limit - shard->begin : 0;
}

/* ---- Its mark ---- */

static json_t *describe_file(const char *path, const char *ending)
{
    off_t bytes;
    uint32_t sum;
    char *name = alloc_text("%s%s", path, ending);
    const bool is_read = file_sum_whole(name, &bytes, &sum);
    free(name);
    return is_read ? json_pack("{sssIsI}", "ending", ending, "bytes", (json_int_t)bytes, "crc32c",
                               (json_int_t)sum)
                   : NULL;
}

static json_t *describe_files(const struct shard *shard)
{
    static const char *const endings[] = {"", OUTPUT_ROWS, OUTPUT_LEFT_OUT};
    json_t *files = json_array();
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        json_t *file = describe_file(shard->path, endings[i]);
        if (file)
            json_array_append_new(files, file);
    }
    return files;
}

/* Written beside its place and put there whole, like what it is the mark of. */
static void write_mark(const char *path, const json_t *mark)
{
    engine_error error = {.message = ""};
    struct output_file *file;
    char *line = journal_line(mark);
    if (output_file_open(path, OUTPUT_STREAM, &file, &error) != ENGINE_OK)
        program_die("%s", error.message);
    output_file_write(file, line, strlen(line)); /* finish tells if this failed */
    if (output_file_finish(file) != ENGINE_OK)
        program_die("%s", error.message);
    free(line);
}

void shard_mark(const struct shard *shard, const json_t *settings,
                const struct journal_entry *reached)
{
    json_t *mark = json_copy((json_t *)settings);
    const struct {
        const char *key;
        uint64_t value;
    } numbers[] = {
        {"index", shard->number.index},
        {"begin", shard->begin},
        {"end", shard->begin + reached->bytes},
        {"crc32c", reached->sum},
        {"lines", reached->counts[COUNT_LINES]},
        {"rows", reached->counts[COUNT_ROWS]},
        {"left_out", reached->counts[COUNT_LEFT_OUT]},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        json_object_set_new(mark, numbers[i].key, json_integer((json_int_t)numbers[i].value));
    json_object_set_new(mark, "files", describe_files(shard));
    write_mark(shard->mark_path, mark);
    json_decref(mark);
}

bool shard_has_lines_of(const struct shard *shard, const json_t *mark)
{
    const off_t end = (off_t)journal_number(mark, "end");
    uint32_t sum = 0;
    return journal_number(mark, "begin") == shard->begin &&
           file_sum(shard->fd, (off_t)shard->begin, end, &sum) &&
           journal_number(mark, "crc32c") == sum;
}

void shard_remove_mark(const struct shard *shard)
{
    unlink(shard->mark_path);
}

json_t *shard_read_mark(const char *output_path, struct shard_number number)
{
    char *path = shard_path(output_path, number, ".done"), *line = NULL;
    size_t cap = 0;
    FILE *stream = fopen(path, "re");
    ssize_t len = stream ? getline(&line, &cap, stream) : -1;
    json_t *mark = len > 0 ? journal_line_read(line, (size_t)len) : NULL;
    if (stream)
        fclose(stream);
    free(line);
    free(path);
    return mark;
}
