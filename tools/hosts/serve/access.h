/* access.h - who is served, and with how much: keys and hosts, connections, memory. */
#ifndef TOOLS_SERVE_ACCESS_H
#define TOOLS_SERVE_ACCESS_H

#include "tools/hosts/serve/serve.h"

#include <netinet/in.h>
#include <sys/un.h>

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    struct sockaddr_un path;
    struct sockaddr_storage room;
};

/* Sets the error that is the answer. Returns false. */
bool request_fail(struct request *request, enum fault fault, const char *format, ...)
    PROGRAM_PRINTF(3, 4);

/* Sends a call, or is silent; waits for the answer; reads it. */
enum phase { PHASE_CLOSED, PHASE_SENDS, PHASE_WAITS, PHASE_READS };

/* Sets the longest time of sending and of reading. Returns how many connections HTTP may have. */
size_t clients_start(double seconds);
void clients_set(int fd, enum phase phase); /* may close another connection, if too many are open */

/* To be called often: closes connections whose time is over, and if answers that wait to be read
 * have half of the memory, those of which nothing was received for a second. */
void clients_sweep(void);

/* Counts n bytes for a request, in place of those that it holds. More are counted before they are
 * allocated: of bodies, parsed ones, tokens, rows, answers. Returns false after request_fail if the
 * request shall not have them. */
bool request_hold(struct request *request, size_t n);

/* Reads the API keys, one a line; path NULL: none is asked for. Returns false after a message; then
 * the old ones are in force. */
bool access_read_keys(const char *path);
bool access_has_key(const char *authorization); /* "Bearer KEY" */

/* If the socket listens on loopback, headers Host and Origin (NULL: absent) must be of this machine
 * or in options.hosts, or the origin in options.origins. */
void access_start(int socket, const struct serve_options *options);
bool access_allows(const char *host, const char *origin);
bool access_shares(const char *origin); /* whether its pages may read answers */

#endif
