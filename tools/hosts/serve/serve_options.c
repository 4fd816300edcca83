/* serve_options.c - the command line of encode-serve as a table; see serve.h. */
#include "tools/common/alloc.h"
#include "tools/common/options.h"
#include "tools/common/options/option_table.h"
#include "tools/hosts/serve/serve.h"

#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#define COUNT(member, least, most) COUNT_AT(struct serve_options, member, least, most)

static const struct option_row ROWS[] = {
    {"model", 'm', "[NAME=]FILE",
     "serve this weight file, by NAME (default: that of the file); may be\n"
     "repeated; default $ENCODE_MODEL, else the default weights",
     TEXTS_AT(struct serve_options, models, n_models)},
    {"threads", 't', "N", "compute with N threads; default OMP_NUM_THREADS, else all CPUs",
     COUNT(n_threads, 1, 1024)},
    {"batch", 0, "TOKENS", "compute up to so many tokens at once (default 4096)",
     COUNT(batch_tokens, 1, 1 << 20)},
    {"queue", 0, "TOKENS", "refuse calls while more tokens wait (default 600000)",
     COUNT(queue_tokens, 1, INT32_MAX)},
    {"listen", 0, "ADDRESS",
     "HOST:PORT, [IPv6]:PORT (port 0: a free one) or unix:PATH\n"
     "(default 127.0.0.1:8080)",
     TEXT_AT(struct serve_options, listen)},
    {"api-key-file", 0, "FILE",
     "ask for one of the keys in FILE, a key per line:\n"
     "Authorization: Bearer KEY",
     TEXT_AT(struct serve_options, key_file)},
    {"allow-host", 0, "NAME",
     "on loopback serve clients and pages that call this machine NAME\n"
     "('*': any name); may be repeated",
     TEXTS_AT(struct serve_options, hosts, n_hosts)},
    {"timeout", 0, "SECONDS", "close a connection that is silent or slow for so long (default 60)",
     COUNT(timeout, 1, 86400)},
    {"log", 0, "KIND", "print a line for each call on stderr: text (default), json or none",
     CHOICE_AT(struct serve_options, log, LOG_TEXT, "text json none")},
};

static const struct option_group GROUPS[] = {{OPTION_GROUP("", ROWS)}};

static const struct option_command COMMAND = {
    .usage = "[OPTION ...]\n",
    .about = "Answers calls over HTTP, as clients of OpenAI, Ollama, text-embeddings-inference,\n"
             "Cohere and Jina make them. SIGTERM: finish the calls, then end. SIGHUP: open the\n"
             "files anew.\n",
};

static const struct option_table TABLE = {
    OPTION_TABLE(&COMMAND, 1, GROUPS, 25),
    .end = "Exit codes: 0 done, 1 failed, 2 misused. Manual: man encode-serve.",
};

void serve_options_read(struct serve_options *options, int argc, char **argv)
{
    struct option_reading reading;
    *options = (struct serve_options){
        .listen = "127.0.0.1:8080", .queue_tokens = 600000, .batch_tokens = 4096, .timeout = 60};
    options_read(&reading, &TABLE, 0, options, argc, argv);
    const char *folder = getenv("CREDENTIALS_DIRECTORY"); /* of LoadCredential in a unit */
    char *keys = folder ? alloc_text("%s/encode-serve.keys", folder) : NULL;
    if (!options->key_file && keys && access(keys, F_OK) == 0)
        options->key_file = keys;
    if (reading.n_arguments > 0)
        program_die_misused("'%s' is not an option: weight files are named by -m",
                            reading.arguments[0]);
}
