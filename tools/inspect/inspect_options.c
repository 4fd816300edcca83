/* inspect_options.c - the command line of encode-inspect as a table; see inspect_options.h. */
#include "tools/inspect/inspect_options.h"

#include "tools/common/options.h"
#include "tools/common/options/option_reading.h"

#include <string.h>
#include <unistd.h>

enum { MOST_ROWS = 1 << 24 };

#define COUNT(member, least) COUNT_AT(struct inspect_options, member, least, MOST_ROWS)

/* "70,72" */
static void set_pair(void *options, const struct option_use *use)
{
    struct position_picks *picks = &((struct inspect_options *)options)->positions.picks;
    char first[16];
    size_t len = strcspn(use->text, ",");
    if (use->text[len] == '\0' || len >= sizeof first)
        program_die_misused("--pair takes two positions, P,Q, not '%s'", use->text);
    memcpy(first, use->text, len);
    first[len] = '\0';
    picks->pair[0] = option_count(use->option, first, 0, MOST_ROWS);
    picks->pair[1] = option_count(use->option, use->text + len + 1, 0, MOST_ROWS);
}

/* What other programs have, and a user may try here. */
static void refuse(void *options, const struct option_use *use)
{
    (void)options;
    program_die_misused(
        use->row->letter == 'o'
            ? "there is no -o: what is shown goes to stdout"
            : "--embedding-scale weighs embeddings; --positions shows positions alone");
}

static const struct option_row FILE_ROWS[] = {
    {"format", 'f', "F", "text (default) or json; --positions: also csv, the matrix",
     CHOICE_AT(struct inspect_options, format, POSITIONS_TEXT, "text json csv")},
    {"verify", 0, NULL, "read all data and compare every checksum",
     FLAG_AT(struct inspect_options, verify)},
    {"output", 'o', "FILE", NULL, SET_BY(refuse)},
    {"embedding-scale", 0, "W1", NULL, SET_BY(refuse)},
};

static const struct option_row SCHEME_ROWS[] = {
    {"positions", 0, NULL, "range, length of each row, distances of rows k apart, equal rows",
     FLAG_AT(struct inspect_options, has_positions)},
    {"position", 0, "SCHEME",
     "none, sinusoidal (default without FILE), learned, index, binary,\n"
     "fourier, exponential; SCHEME alone says the same",
     POSITION_AT(struct inspect_options, positions.options.position)},
};

static const struct option_row MEASURE_ROWS[] = {
    {"width", 0, "D", "columns, without FILE (default 128)", COUNT(positions.width, 1)},
    {"rows", 'n', "N",
     "positions 0 to N - 1 (default 128; of FILE its longest text, at\n"
     "most 1024); index: of a text of N tokens",
     COUNT(positions.n, 1)},
    {"apart", 'k', "K", "distances for k = 1 to K (default 5)", COUNT(positions.n_apart, 1)},
    {"row", 0, "P", "also the norm of row P", COUNT(positions.picks.row, 0),
     GIVEN_AT(struct inspect_options, positions.picks.has_row)},
    {"pair", 0, "P,Q", "also the distance of rows P and Q", SET_BY(set_pair),
     GIVEN_AT(struct inspect_options, positions.picks.has_pair)},
};

static const struct option_group GROUPS[] = {
    {OPTION_GROUP("", FILE_ROWS)},
    {OPTION_GROUP("Positions", SCHEME_ROWS)},
    POSITION_GROUP(POSITION_ROWS, struct inspect_options, positions.options),
    {OPTION_GROUP(NULL, MEASURE_ROWS)},
};

/* ---- What goes together ---- */

static const char *check_width(const void *options)
{
    const struct positions_request *positions =
        &((const struct inspect_options *)options)->positions;
    return positions->path != NULL && positions->width > 0
               ? "--width is for schemes; a file has its own"
               : NULL;
}

static const struct option_rule RULES[] = {
    OPTION_NEEDS("position position-base frequencies position-scale width rows apart row pair",
                 "positions", "--position, --width, -n, -k, --row and --pair go with --positions"),
    OPTION_NEEDS("format=csv", "positions", "-f csv goes with --positions"),
    OPTION_EXCLUDES("verify", "positions",
                    "--verify reads a whole file; it goes without --positions"),
    OPTION_EXCLUDES("row pair", "format=csv",
                    "--row and --pair measure; -f csv is the matrix itself"),
    {.check = check_width},
    {0},
};

/* What --positions is asked of: a file, or a scheme, whose name may stand in its place. */
static void settle_positions(struct inspect_options *options)
{
    struct positions_request *positions = &options->positions;
    engine_position *scheme = &positions->options.position;
    int named = options->path != NULL ? engine_position_named(options->path) : -1;
    positions->format = options->format;
    positions->path = options->path;
    if (named > ENGINE_POSITION_MODEL) {
        if (*scheme != ENGINE_POSITION_MODEL && *scheme != (engine_position)named)
            program_die_misused("--position %s and %s are two schemes",
                                engine_position_name(*scheme), options->path);
        *scheme = (engine_position)named;
        positions->path = NULL;
    } else if (options->path != NULL && strchr(options->path, '/') == NULL &&
               access(options->path, F_OK) != 0)
        program_die("'%s' is neither a scheme (none, sinusoidal, index, binary, fourier, "
                    "exponential) nor a file",
                    options->path);
    if (positions->path == NULL && *scheme == ENGINE_POSITION_MODEL)
        *scheme = ENGINE_POSITION_SINUSOIDAL;
    if (positions->path == NULL && *scheme == ENGINE_POSITION_LEARNED)
        program_die_misused("learned positions are in a file: name it");
}

/* ---- All of it ---- */

static const struct option_command COMMAND = {
    .usage = "[OPTION ...] FILE\n"
             "--positions [OPTION ...] [SCHEME|FILE]\n",
    .about = "Shows the sections, settings, tokenizer, metadata and tensors of a weight file; or "
             "measures\n"
             "the positions that a scheme, or the model of a file, adds to embeddings.\n",
};

static const struct option_table TABLE = {
    OPTION_TABLE(&COMMAND, 1, GROUPS, 27),
    .rules = RULES,
    .end = "Exit codes: 0 done, 1 the file cannot be read or is damaged, 2 misused.",
};

void inspect_options_read(struct inspect_options *options, int argc, char **argv)
{
    struct option_reading reading;
    *options = (struct inspect_options){0};
    options_read(&reading, &TABLE, 0, options, argc, argv);
    size_t n = reading.n_arguments;
    if (n > 1 || (n == 0 && !options->has_positions))
        program_die_misused(n == 0 ? "a weight file is needed" : "one file at a time");
    options->path = reading.arguments[0]; /* NULL behind the last */
    if (options->path != NULL && strcmp(options->path, "-") == 0)
        program_die_misused("a weight file is mapped into memory, so it cannot be read from stdin");
    if (options->has_positions)
        settle_positions(options);
    options_check(&reading);
}
