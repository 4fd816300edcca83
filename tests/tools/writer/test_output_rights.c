/* tags: sizes */
/* Who may use a file, while it is written and after: modes, groups, folders with the sticky bit.
 * What remains of a file at the end of a program. */
#include "tests/support.h"
#include "tools/writer/output_file.h"

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[SUPPORT_PATH], path[SUPPORT_PATH];

TEST(mode_is_kept)
{
    struct output_file *file;
    struct stat status;
    support_write_text(path, "old");
    assert_int_equal(chmod(path, 0604), 0);
    assert_int_equal(output_file_open(path, OUTPUT_STREAM, &file, NULL), ENGINE_OK);
    assert_int_equal(output_file_write(file, "new", 3), ENGINE_OK);
    assert_int_equal(output_file_finish(file), ENGINE_OK);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0604);
    assert_int_equal(status.st_size, 3);
}

/* Neither while it is written, nor for another group than before. */
TEST(rights_are_never_more)
{
    struct output_file *file;
    struct stat status;
    support_write_text(path, "old");
    assert_int_equal(chmod(path, 0640), 0);
    bool is_other = chown(path, 12345, 23456) == 0; /* by root */
    assert_int_equal(output_file_open(path, OUTPUT_STREAM, &file, NULL), ENGINE_OK);
    assert_int_equal(fstat(fileno(output_file_stream(file)), &status), 0);
    assert_int_equal(status.st_mode & 0177, 0);
    assert_int_equal(output_file_write(file, "new", 3), ENGINE_OK);
    assert_int_equal(output_file_finish(file), ENGINE_OK);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, is_other ? 0600 : 0640);
}

/* The owner of the file, who is not in its group; only root may, and in some containers not even
 * root. */
static bool become_owner(void)
{
    return setgroups(0, NULL) == 0 && setegid(34567) == 0 && seteuid(12345) == 0;
}

/* The end of a child that may have become the owner. */
_Noreturn static void end_child(bool done)
{
    (void)!seteuid(0);
    support_exit(done ? 0 : 1);
}

static bool can_become_another(const char *name)
{
    int result = 1;
    pid_t child = fork();
    if (child == 0)
        end_child(chown(name, 12345, 23456) == 0 && chmod(folder, 0777) == 0 && become_owner() &&
                  faccessat(AT_FDCWD, folder, W_OK, AT_EACCESS) == 0);
    return child > 0 && waitpid(child, &result, 0) == child && result == 0;
}

/* The new file has a group of the user's, which gets no right of its own. */
TEST(a_group_that_is_another)
{
    struct output_file *file;
    struct stat status;
    support_write_text(path, "old");
    if (!can_become_another(path)) {
        print_message(
            "skipped: only root can make a file of another group, and become its owner\n");
        skip();
    }
    assert_int_equal(chown(path, 12345, 23456), 0);
    assert_int_equal(chmod(path, 0666), 0);
    assert_int_equal(chmod(folder, 0777), 0);
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        if (child == 0) {
            bool done = become_owner() && chmod(path, i ? 0664 : 0660) == 0 &&
                        output_file_open(path, OUTPUT_STREAM, &file, NULL) == ENGINE_OK &&
                        output_file_finish(file) == ENGINE_OK;
            end_child(done);
        }
        int result = 1;
        assert_int_equal(waitpid(child, &result, 0), child);
        assert_int_equal(result, 0);
        assert_int_equal(stat(path, &status), 0);
        assert_int_equal(status.st_gid, 34567);
        assert_int_equal(status.st_mode & 0777, i ? 0644 : 0600);
        assert_int_equal(chown(path, 12345, 23456), 0);
    }
}

/* What a user finds who may write to a file and its folder, which has the sticky bit: she may
 * replace her own files, and in her own folder those of others. */
static bool may_replace(uid_t of_file, uid_t of_folder)
{
    engine_error error = {0};
    struct output_file *file = NULL;
    if (chown(path, of_file, 23456) != 0 || chown(folder, of_folder, 23456) != 0 || !become_owner())
        return false;
    engine_status status = output_file_open(path, OUTPUT_STREAM, &file, &error);
    output_file_abort(file);
    bool is_refused = status == ENGINE_ERROR_IO &&
                      strstr(error.message, "cannot replace") != NULL &&
                      strstr(error.message, "Operation not permitted") != NULL;
    return seteuid(0) == 0 && (status == ENGINE_OK || is_refused) && !is_refused;
}

TEST(in_a_folder_with_the_sticky_bit)
{
    support_write_text(path, "old");
    if (!can_become_another(path)) {
        print_message("skipped: only root can become another user\n");
        skip();
    }
    assert_int_equal(chmod(path, 0666), 0);
    assert_int_equal(chmod(folder, 01777), 0);
    pid_t child = fork();
    if (child == 0)
        end_child(may_replace(12345, 0) && may_replace(0, 12345) && !may_replace(0, 0));
    int result = 1;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_int_equal(result, 0);
    struct output_file *file; /* root may replace any */
    assert_int_equal(chown(path, 12345, 23456), 0);
    assert_int_equal(output_file_open(path, OUTPUT_STREAM, &file, NULL), ENGINE_OK);
    output_file_abort(file);
}

/* A program that exits, or is ended by a signal, leaves no unfinished file but one that is kept. */
TEST(the_end_of_the_program)
{
    static const int signals[] = {0, SIGHUP, SIGINT, SIGPIPE, SIGXCPU, SIGTERM, SIGTERM};
    enum { N = sizeof signals / sizeof signals[0] };
    char other[SUPPORT_PATH];
    struct sigaction now;
    support_path(other, folder, "other");
    for (size_t i = 0; i < N; i++) {
        struct output_file *files[2];
        int status = 0;
        if (signals[i] && sigaction(signals[i], NULL, &now) == 0 && now.sa_handler == SIG_IGN)
            continue;
        pid_t child = fork();
        if (child == 0) {
            if (output_file_open(path, OUTPUT_STREAM, &files[0], NULL) == ENGINE_OK &&
                output_file_open(other, OUTPUT_STREAM, &files[1], NULL) == ENGINE_OK &&
                rmdir(folder) != 0 && (i < N - 1 || output_file_keep(files[1]) == ENGINE_OK))
                raise(signals[i]);
            exit(3);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        if (signals[i])
            assert_true(WIFSIGNALED(status) && WTERMSIG(status) == signals[i]);
        else
            assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
        assert_int_equal(unlink(strcat(other, ".part")), i < N - 1 ? -1 : 0);
        other[strlen(other) - strlen(".part")] = '\0';
        assert_int_equal(rmdir(folder), 0);
        assert_int_equal(mkdir(folder, 0700), 0);
    }
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
