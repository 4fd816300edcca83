/* sqlite_memory.c - every allocation of the extension and of SQLite fails once, alone and with all
 * after it: each statement must give its row or SQLITE_NOMEM, and the connection must close.
 *
 *     sqlite_memory EXTENSION
 */
#include <errno.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* glibc's functions, which the functions below replace, also for libraries that this loads. */
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
    *__libc_memalign(size_t, size_t);

static bool is_counting, is_lasting;
static long n_calls, failing;

static bool fails(void)
{
    return is_counting && (++n_calls == failing || (is_lasting && n_calls > failing));
}

void *malloc(size_t n)
{
    return fails() ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *block, size_t n)
{
    return fails() ? NULL : __libc_realloc(block, n);
}

void *aligned_alloc(size_t alignment, size_t n)
{
    return fails() ? NULL : __libc_memalign(alignment, n);
}

int posix_memalign(void **block, size_t alignment, size_t n)
{
    *block = aligned_alloc(alignment, n);
    return *block == NULL ? ENOMEM : 0;
}

/* Each gives one row of one column. */
static const char *const statements[] = {
    "SELECT encode('I ride bike', 'document')",
    "SELECT encode_cosine(encode('I ride bike'), encode('bike ride I'))",
    "SELECT encode_rank('who rides?', 'I ride bike')",
    "SELECT group_concat(token || id || ifnull(begin, '')) FROM encode_tokens('I ride bike')",
    "SELECT group_concat(begin || end || part || hex(vector)) "
    "FROM encode_windows('I ride bike every day', 4, 'document')",
    "SELECT group_concat(begin || end || part || hex(vector)) "
    "FROM encode_spans('I ride bike', '[[0, 6], [7, 11]]', 'document')",
    "SELECT encode_model()",
    "SELECT encode_open(getenv)",
};
enum { N_STATEMENTS = sizeof statements / sizeof statements[0] };
static char *expected[N_STATEMENTS];

static char *copy(const void *bytes, size_t n)
{
    char *text = __libc_malloc(2 * n + 1);
    for (size_t i = 0; i < n; i++)
        sprintf(text + 2 * i, "%02x", ((const unsigned char *)bytes)[i]);
    text[2 * n] = '\0';
    return text;
}

/* Runs a statement. Returns SQLite's code: SQLITE_ROW if it gave its row, which *row is. */
static int run(sqlite3 *db, const char *words, char **row)
{
    char sql[300];
    sqlite3_stmt *statement = NULL;
    snprintf(sql, sizeof sql, "%s", words);
    if (strstr(sql, "getenv") != NULL)
        snprintf(sql, sizeof sql, "SELECT encode_open('%s')", getenv("ENCODE_MODEL"));
    int code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    is_counting = false;
    if (code == SQLITE_ROW)
        *row = copy(sqlite3_column_blob(statement, 0), (size_t)sqlite3_column_bytes(statement, 0));
    sqlite3_finalize(statement);
    return code;
}

/* Tries one statement in a connection of its own. Returns false if it went wrong. */
static bool attempt(const char *extension, int i, bool with_faults)
{
    sqlite3 *db;
    char *row = NULL;
    if (sqlite3_open(":memory:", &db) != SQLITE_OK ||
        sqlite3_enable_load_extension(db, 1) != SQLITE_OK)
        return false;
    is_counting = with_faults;
    int code = sqlite3_load_extension(db, extension, NULL, NULL);
    if (code == SQLITE_OK)
        code = run(db, statements[i], &row);
    else if (with_faults) /* dlopen has other words for it */
        code = SQLITE_NOMEM;
    is_counting = false;
    if (!with_faults)
        expected[i] = row;
    bool right = code == SQLITE_ROW ? strcmp(row, expected[i]) == 0 && row[0] != '\0'
                                    : with_faults && code == SQLITE_NOMEM;
    if (!right)
        printf("%s: code %d (%s) at allocation %ld\n", statements[i], code, sqlite3_errmsg(db),
               failing);
    if (with_faults)
        free(row);
    return sqlite3_close(db) == SQLITE_OK && right;
}

int main(int argc, char **argv)
{
    long n_faults = 0;
    for (int i = 0; argc > 1 && i < 2 * N_STATEMENTS; i++) {
        is_lasting = i >= N_STATEMENTS;
        if (!is_lasting && !attempt(argv[1], i, false))
            return 1;
        n_calls = 0;
        for (failing = 1; n_calls >= failing - 1; failing++) {
            n_calls = 0;
            if (!attempt(argv[1], i % N_STATEMENTS, true))
                return 1;
        }
        n_faults += failing - 2;
    }
    printf("%ld allocations failed\n", n_faults);
    return n_faults < 100;
}
