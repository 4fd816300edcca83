/* tags: sizes */
/* Files are written completely or not at all: new and replaced files, links, pipes, full disks. */
#include "tests/support.h"
#include "tools/writer/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char folder[SUPPORT_PATH], path[SUPPORT_PATH];

static void read_back(const char *name, const char *expected)
{
    char text[256] = "";
    FILE *file = fopen(name, "rb");
    assert_non_null(file);
    size_t len = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    assert_int_equal(len, strlen(expected));
    assert_string_equal(text, expected);
}

static mode_t mode_of(const char *name)
{
    struct stat status;
    assert_int_equal(stat(name, &status), 0);
    return status.st_mode & 07777;
}

static engine_error error; /* of the files that are open */

static struct output_file *open_at(const char *name, enum output_kind kind)
{
    struct output_file *file;
    assert_ok(output_file_open(name, kind, &file, &error));
    return file;
}

static void write_text(const char *name, const char *text)
{
    struct output_file *file = open_at(name, OUTPUT_STREAM);
    assert_ok(output_file_write(file, text, strlen(text)));
    assert_ok(output_file_finish(file));
}

/* Opening must fail, with these words and the path in the message. */
static void expect_refusal(const char *name, enum output_kind kind, const char *words)
{
    struct output_file *file = (struct output_file *)&error;
    error = (engine_error){0};
    assert_fails(IO, output_file_open(name, kind, &file, &error));
    assert_null(file);
    assert_int_equal(error.status, ENGINE_ERROR_IO);
    assert_non_null(strstr(error.message, words));
    assert_non_null(strstr(error.message, name));
    assert_fails(IO, output_file_open(name, kind, &file, NULL));
}

TEST(new_file)
{
    mode_t mask = umask(027);
    write_text(path, "hello");
    umask(mask);
    read_back(path, "hello");
    assert_int_equal(mode_of(path), 0640);
    assert_int_equal(support_count_files(folder), 1);
}

TEST(nothing_is_seen_before_the_end)
{
    support_write_text(path, "old");
    struct output_file *file = open_at(path, OUTPUT_STREAM);
    fprintf(output_file_stream(file), "n%s", "ew");
    assert_ok(output_file_write(file, " text", 5));
    fflush(output_file_stream(file));
    read_back(path, "old");
    assert_ok(output_file_finish(file));
    read_back(path, "new text");
}

TEST(abort)
{
    char other[SUPPORT_PATH];
    support_write_text(path, "old");
    support_path(other, folder, "other");
    const char *const names[] = {path, other};
    for (size_t i = 0; i < 2; i++) {
        struct output_file *file = open_at(names[i], OUTPUT_STREAM);
        assert_ok(output_file_write(file, "lost", 4));
        output_file_abort(file);
    }
    output_file_abort(NULL);
    read_back(path, "old");
    assert_int_equal(support_count_files(folder), 1);
}

TEST(rewrite)
{
    struct output_file *file = open_at(path, OUTPUT_REWRITES);
    assert_ok(output_file_write(file, "____-body", 9));
    assert_ok(output_file_rewrite(file, 0, "head", 4));
    assert_ok(output_file_write(file, "-end", 4));
    assert_ok(output_file_finish(file));
    read_back(path, "head-body-end");
}

TEST(links)
{
    char link[SUPPORT_PATH];
    struct stat status;
    support_write_text(path, "old");
    support_path(link, folder, "link");
    assert_int_equal(symlink("target", link), 0);
    write_text(link, "new");
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    read_back(path, "new");
    assert_int_equal(unlink(path), 0);
    expect_refusal(link, OUTPUT_STREAM, "symbolic link to nothing");
}

TEST(refused_places)
{
    char missing[SUPPORT_PATH];
    expect_refusal(folder, OUTPUT_STREAM, "directory");
    support_path(missing, folder, "missing/file");
    expect_refusal(missing, OUTPUT_STREAM, "No such file or directory");
    expect_refusal("", OUTPUT_STREAM, "No such file");
    if (geteuid() == 0)
        return; /* root may write anything */
    support_write_text(path, "old");
    assert_int_equal(chmod(path, 0400), 0);
    expect_refusal(path, OUTPUT_STREAM, "Permission denied");
    assert_int_equal(chmod(folder, 0500), 0);
    support_path(missing, folder, "new");
    expect_refusal(missing, OUTPUT_STREAM, "Permission denied");
    assert_int_equal(chmod(folder, 0700), 0);
}

TEST(pipes)
{
    char text[16] = "";
    assert_int_equal(mkfifo(path, 0600), 0);
    expect_refusal(path, OUTPUT_REWRITES, "pipe");
    int reader = open(path, O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    write_text(path, "through");
    assert_int_equal(read(reader, text, sizeof text), 7);
    assert_string_equal(text, "through");
    struct output_file *file = open_at(path, OUTPUT_STREAM);
    assert_ok(output_file_write(file, "not sent", 8));
    output_file_abort(file);
    assert_int_equal(read(reader, text, sizeof text), 0);
    close(reader);
    assert_int_equal(support_count_files(folder), 1);
}

TEST(open_descriptors)
{
    char name[64];
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "before ", 7), 7);
    snprintf(name, sizeof name, "/dev/fd/%d", fd);
    struct output_file *file = open_at(name, OUTPUT_REWRITES);
    assert_ok(output_file_write(file, "____ tail", 9));
    assert_ok(output_file_rewrite(file, 0, "head", 4));
    assert_ok(output_file_finish(file));
    read_back(path, "before head tail");
    assert_int_equal(write(fd, " after", 6), 6);
    close(fd);
    read_back(path, "before head tail after");
    expect_refusal(name, OUTPUT_STREAM, "Bad file descriptor");
}

/* Names that look like those of descriptors are paths, and what has no place to go back to is
 * written in one go alone. */
TEST(names_like_those_of_descriptors)
{
    static const char *const names[] = {"/dev/fd/", "/dev/fd/1x", "/dev/fd/1234567890"};
    struct output_file *file;
    char name[64];
    expect_refusal(names[0], OUTPUT_STREAM, "directory");
    expect_refusal(names[1], OUTPUT_STREAM, "No such file");
    expect_refusal(names[2], OUTPUT_STREAM, "No such file");
    file = open_at("/dev/stderr", OUTPUT_STREAM);
    assert_ok(output_file_finish(file));
    int fd = open(path, O_RDWR | O_CREAT | O_APPEND, 0600);
    snprintf(name, sizeof name, "/dev/fd/%d", fd);
    expect_refusal(name, OUTPUT_REWRITES, "is completed at its start");
    write_text(name, "at the end");
    read_back(path, "at the end");
    close(fd);
    int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    if (terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0)
        expect_refusal(ptsname(terminal), OUTPUT_REWRITES, "a pipe or a terminal");
    close(terminal);
}

/* Small writes stay in the buffer: then finish is the one that fails. */
TEST(full_device)
{
    static char large[1 << 20];
    if (access("/dev/full", W_OK) != 0) {
        print_message("skipped: no /dev/full here\n");
        skip();
    }
    const size_t lens[] = {5, sizeof large};
    for (size_t i = 0; i < 2; i++) {
        struct output_file *file = open_at("/dev/full", OUTPUT_STREAM);
        output_file_write(file, large, lens[i]);
        assert_fails(IO, output_file_finish(file));
        assert_non_null(strstr(error.message, "'/dev/full'"));
        assert_non_null(strstr(error.message, "No space left on device"));
    }
}

/* A stream that failed while its owner used it fails for good, also if later writes succeed. */
TEST(full_device_of_a_stream)
{
    if (access("/dev/full", W_OK) != 0) {
        print_message("skipped: no /dev/full here\n");
        skip();
    }
    struct output_file *file = open_at("/dev/full", OUTPUT_STREAM);
    fputs("text", output_file_stream(file));
    assert_int_not_equal(fflush(output_file_stream(file)), 0);
    assert_fails(IO, output_file_write(file, NULL, 0));
    assert_string_equal(error.message, "cannot write to '/dev/full': Input/output error");
    assert_fails(IO, output_file_finish(file));
}

/* The buffer cannot be written to a full disk: each call that writes it returns the error. */
TEST(full_disk_at_the_end_of_the_buffer)
{
    struct rlimit before, limit;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = 2;
    for (int i = 0; i < 4; i++) {
        struct output_file *file;
        file = open_at(path, OUTPUT_REWRITES);
        assert_ok(output_file_write(file, "12345", 5));
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        if (i == 3 &&
            fflush(output_file_stream(file)) != 0) /* its owner sees it; then there is room */
            setrlimit(RLIMIT_FSIZE, &before);
        engine_status status = i == 0   ? output_file_sync(file)
                               : i == 1 ? output_file_cut(file, 0)
                                        : output_file_rewrite(file, 0, "0", 1);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(status, ENGINE_ERROR_IO);
        assert_non_null(strstr(error.message, i < 3 ? "File too large" : "Input/output error"));
        assert_fails(IO, output_file_finish(file));
        assert_int_equal(support_count_files(folder), 0);
    }
    signal(SIGXFSZ, handler);
}

/* ---- Two programs ---- */

static void (*before_lock)(void);
static bool has_no_locks;

/* In place of libc's: what another program does before a file is locked. */
int flock(int fd, int operation)
{
    if (before_lock != NULL)
        before_lock();
    errno = ENOLCK;
    return has_no_locks ? -1 : (int)syscall(SYS_flock, fd, operation);
}

static char new_path[SUPPORT_PATH + 32];
static const char BUSY[] = "another program is writing";

static struct output_file *open_new(enum output_kind kind)
{
    snprintf(new_path, sizeof new_path, "%s/.encode-%s.new", folder, strrchr(path, '/') + 1);
    return open_at(path, kind);
}

TEST(an_output_that_another_program_writes)
{
    struct output_file *file = open_new(OUTPUT_STREAM);
    assert_int_equal(access(new_path, F_OK), 0);
    for (size_t turn = 0; turn < 2; turn++) {
        expect_refusal(path, OUTPUT_STREAM, BUSY);
        expect_refusal(path, OUTPUT_REWRITES, BUSY);
        assert_ok(output_file_keep(file));
        assert_int_equal(support_count_files(folder), 1);
    }
    expect_refusal(path, OUTPUT_RESUMES, BUSY);
    output_file_abort(file);
    write_text(path, "over a part that was left");
    assert_int_equal(support_count_files(folder), 2);
    file = open_new(OUTPUT_RESUMES);
    expect_refusal(path, OUTPUT_STREAM, BUSY);
    assert_ok(output_file_finish(file));
    read_back(path, "");
    assert_int_equal(support_count_files(folder), 1);
}

/* What exists is another's, as none can be seen to be left. */
TEST(a_file_system_without_locks)
{
    has_no_locks = true;
    struct output_file *file = open_new(OUTPUT_STREAM);
    expect_refusal(path, OUTPUT_STREAM, BUSY);
    assert_ok(output_file_finish(file));
    has_no_locks = false;
    assert_int_equal(symlink(path, new_path), 0); /* is not followed */
    expect_refusal(path, OUTPUT_STREAM, "symbolic links");
}

TEST(files_that_programs_share)
{
    struct output_file *first = open_new(OUTPUT_STREAM), *second = open_new(OUTPUT_SHARED);
    assert_ok(output_file_write(second, "2", 1));
    assert_ok(output_file_finish(second));
    read_back(path, "2");
    assert_ok(output_file_finish(first));
    read_back(path, "");
    assert_int_equal(support_count_files(folder), 1);
}

static void rename_new(void)
{
    before_lock = NULL;
    assert_int_equal(rename(new_path, path), 0);
}

static void replace_new(void)
{
    before_lock = NULL;
    assert_int_equal(unlink(new_path), 0);
    support_write_text(new_path, "another's");
}

/* A program that was killed leaves its file to the next one; what lost its name is no such file. */
TEST(files_that_are_left)
{
    struct output_file *file = open_new(OUTPUT_STREAM);
    output_file_abort(file);
    support_write_text(new_path, "left");
    write_text(path, "text");
    assert_int_equal(support_count_files(folder), 1);
    support_write_text(new_path, "the other is done");
    before_lock = rename_new;
    assert_fails(IO, output_file_open(path, OUTPUT_STREAM, &file, NULL));
    read_back(path, "the other is done");
    before_lock = replace_new;
    assert_fails(IO, output_file_open(path, OUTPUT_STREAM, &file, NULL));
    read_back(new_path, "another's");
}

/* A limit on the file's length simulates the full disk. */
TEST(full_disk)
{
    static char large[1 << 20];
    struct rlimit before, limit;
    struct output_file *file;
    support_write_text(path, "old");
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = 65536;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    engine_status opened = output_file_open(path, OUTPUT_STREAM, &file, &error);
    engine_status written = opened ? opened : output_file_write(file, large, sizeof large);
    engine_status again = opened ? opened : output_file_write(file, "x", 1);
    engine_status finished = opened ? opened : output_file_finish(file);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, handler);
    assert_int_equal(opened, ENGINE_OK);
    assert_int_equal(written, ENGINE_ERROR_IO);
    assert_int_equal(again, ENGINE_ERROR_IO);
    assert_int_equal(finished, ENGINE_ERROR_IO);
    assert_non_null(strstr(error.message, path));
    read_back(path, "old");
    assert_int_equal(support_count_files(folder), 1);
}

TEST(long_path)
{
    char name[5000];
    struct output_file *file;
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_fails(IO, output_file_open(name, OUTPUT_STREAM, &file, &error));
    assert_non_null(strstr(error.message, "File name too long"));
}

SET_UP_EACH()
{
    support_temp_dir(folder);
    support_path(path, folder, "target");
}

TEAR_DOWN_EACH()
{
    support_remove_dir(folder);
}

/* ---- Work that outlives the process ---- */

TEST(what_is_kept_is_gone_on_with)
{
    char part[SUPPORT_PATH + 8];
    snprintf(part, sizeof part, "%s.part", path);
    support_write_text(part, "of nobody");
    struct output_file *file = open_at(path, OUTPUT_STREAM);
    assert_true(output_file_has_place(file));
    assert_ok(output_file_write(file, "one two", 7));
    assert_ok(output_file_keep(file));
    assert_ok(output_file_sync(file));
    read_back(part, "one two");
    assert_ok(output_file_write(file, " lost", 5));
    output_file_abort(file);
    read_back(part, "one two");
    assert_int_not_equal(access(path, F_OK), 0);

    file = open_at(path, OUTPUT_RESUMES);
    assert_ok(output_file_cut(file, 3));
    assert_ok(output_file_write(file, " more", 5));
    assert_ok(output_file_finish(file));
    read_back(path, "one more");
    assert_int_equal(support_count_files(folder), 1);
}

TEST(a_part_that_is_too_short_is_refused_and_stays)
{
    char part[SUPPORT_PATH + 8];
    snprintf(part, sizeof part, "%s.part", path);
    support_write_text(part, "one");
    struct output_file *file = open_at(path, OUTPUT_RESUMES);
    assert_fails(IO, output_file_cut(file, 4));
    assert_non_null(strstr(error.message, "has 3 bytes, and 4 were written"));
    assert_fails(IO, output_file_sync(file));
    output_file_abort(file);
    read_back(part, "one");
    file = open_at(path, OUTPUT_RESUMES);
    output_file_release(file);
    output_file_abort(file);
    assert_int_equal(support_count_files(folder), 0);
}

/* A folder already has the name of the part: each later call returns the error. */
TEST(a_part_that_cannot_be_named)
{
    char part[SUPPORT_PATH + 8];
    snprintf(part, sizeof part, "%s.part", path);
    assert_int_equal(mkdir(part, 0700), 0);
    expect_refusal(path, OUTPUT_RESUMES, "cannot continue the part of");
    struct output_file *file = open_at(path, OUTPUT_STREAM);
    assert_ok(output_file_write(file, "text", 4));
    assert_fails(IO, output_file_keep(file));
    assert_non_null(strstr(error.message, path));
    assert_fails(IO, output_file_keep(file));
    assert_fails(IO, output_file_cut(file, 0));
    assert_fails(IO, output_file_rewrite(file, 0, "T", 1));
    assert_fails(IO, output_file_finish(file));
    assert_int_equal(rmdir(part), 0);
    file = open_at(path, OUTPUT_STREAM);
    assert_ok(output_file_keep(file));
    assert_ok(output_file_keep(file)); /* it is kept already */
    output_file_abort(file);
    assert_int_equal(unlink(part), 0);
    assert_int_equal(support_count_files(folder), 0);
}

TEST(what_is_written_directly_has_no_place)
{
    char name[64];
    int fd = open("/dev/null", O_WRONLY);
    snprintf(name, sizeof name, "/dev/fd/%d", fd);
    const char *const names[] = {"/dev/null", name};
    for (size_t i = 0; i < 2; i++) { /* a device may be written at any offset */
        struct output_file *file = open_at(names[i], OUTPUT_REWRITES);
        assert_false(output_file_has_place(file));
        output_file_abort(file);
    }
    close(fd);
}
