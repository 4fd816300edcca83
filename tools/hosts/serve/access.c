/* access.c - which requests are served, and with how much of what all share: memory and
 * connections. A client is an address: of IPv6 its network (64 bits), of a socket at a path all of
 * it. Addresses share the entries of a table of fixed length. */
#include "tools/hosts/serve/access.h"
#include "tools/common/alloc.h"
#include "tools/common/output.h"

#include <arpa/inet.h>
#include <linux/tcp.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/stat.h>

bool request_fail(struct request *request, enum fault fault, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(request->message, sizeof request->message, format, arguments);
    va_end(arguments);
    request->fault = fault;
    return false;
}

/* ---- Keys: blocks of one length that end in zeros ---- */

enum { KEY_BYTES = 256 };
typedef unsigned char key_bytes[KEY_BYTES];

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER; /* of the keys; callers share it */
static key_bytes *keys;                                    /* [n_keys]; NULL: none is asked for */
static size_t n_keys;

/* Returns what is wrong with a line of the file, or NULL. */
static const char *fault_of_key(const char *key, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)key[i] < ' ' || key[i] == '\x7f')
            return "has a NUL or another control character";
    return len >= KEY_BYTES                       ? "has more than 255 bytes"
           : key[0] == ' ' || key[len - 1] == ' ' ? "begins or ends with a blank"
                                                  : NULL;
}

bool access_read_keys(const char *path)
{
    char *text = NULL;
    size_t len = 0, n = 0, n_lines = 0;
    key_bytes *read = NULL;
    struct stat status;
    if (path && input_read(path, &text, &len) != PROGRAM_DONE)
        return false;
    const char *fault = path ? "has no key" : NULL, *end = text + len;
    for (const char *line = text, *next; line < end; line = next + 1) {
        next = memchr(line, '\n', (size_t)(end - line));
        next = next ? next : end;
        const size_t key_len = (size_t)(next - line) - (next > line && next[-1] == '\r');
        n_lines++;
        if (key_len == 0 || line[0] == '#')
            continue;
        if ((fault = fault_of_key(line, key_len)))
            break;
        read = alloc_resize(read, n + 1, sizeof *read);
        memset(read[n], 0, KEY_BYTES);
        memcpy(read[n++], line, key_len);
    }
    free(text);
    if (fault) {
        free(read);
        return program_refuse("'%s', line %zu: it %s (a key a line; # begins a comment)", path,
                              n_lines, fault);
    }
    if (path && stat(path, &status) == 0 && (status.st_mode & (S_IROTH | S_IWOTH)))
        program_note("all users can read or write '%s': chmod o= it", path);
    pthread_rwlock_wrlock(&lock);
    key_bytes *old = keys;
    keys = read;
    n_keys = n;
    pthread_rwlock_unlock(&lock);
    free(old);
    return true;
}

bool access_has_key(const char *authorization)
{
    const bool is_bearer = authorization && strncasecmp(authorization, "Bearer ", 7) == 0;
    const size_t len = is_bearer ? strlen(authorization + 7) : KEY_BYTES;
    key_bytes given = {0};
    bool is_one = false;
    if (len < KEY_BYTES)
        memcpy(given, authorization + 7, len);
    pthread_rwlock_rdlock(&lock);
    for (size_t i = 0; i < n_keys; i++) { /* the time depends on their number alone */
        unsigned difference = 0;
        for (size_t k = 0; k < KEY_BYTES; k++)
            difference |= (unsigned)(keys[i][k] ^ given[k]);
        is_one |= difference == 0;
    }
    is_one |= !keys;
    pthread_rwlock_unlock(&lock);
    return is_one;
}

/* ---- Hosts: a page of another site must not call a server on this machine, neither as itself nor
 * under a name of its own that leads here ---- */

static const struct serve_options *options;
static bool is_local; /* else all hosts are served */

static bool is_loopback(int family, const void *address)
{
    static const unsigned char mapped[13] = {[10] = 0xFF, [11] = 0xFF, [12] = 127};
    if (family == AF_INET)
        return *(const unsigned char *)address == 127;
    return family == AF_INET6 &&
           (memcmp(address, &in6addr_loopback, sizeof in6addr_loopback) == 0 ||
            memcmp(address, mapped, sizeof mapped) == 0);
}

void access_start(int socket, const struct serve_options *all)
{
    union address address = {0};
    getsockname(socket, &address.any, &(socklen_t){sizeof address});
    options = all;
    const void *v4 = &address.v4.sin_addr, *v6 = &address.v6.sin6_addr;
    is_local = is_loopback(address.any.sa_family, address.any.sa_family == AF_INET ? v4 : v6);
    if (!is_local && address.any.sa_family != AF_UNIX && !keys)
        program_note("other machines may call the server, and no key is asked for: "
                     "--api-key-file FILE asks for one, --listen 127.0.0.1:PORT serves this "
                     "machine alone");
}

/* Returns whether "HOST", "HOST:PORT" or "[IPv6]:PORT" names this machine, or an allowed host. */
static bool is_own(const char *text)
{
    static const char LOCAL[] = ".localhost";
    const bool is_v6 = text[0] == '[';
    const size_t len = strcspn(text + is_v6, is_v6 ? "]" : ":/"), n_local = sizeof LOCAL - 1;
    const char *listen_end = strrchr(options->listen, ':');
    const char *port = text + is_v6 + len + (is_v6 && text[1 + len]);
    char host[256], address[sizeof(struct in6_addr)];
    if (len >= sizeof host || (*port && port[0] != ':') ||
        strspn(port, ":0123456789") != strlen(port))
        return false;
    snprintf(host, sizeof host, "%.*s", (int)len, text + is_v6);
    bool is_one = strcasecmp(host, LOCAL + 1) == 0 ||
                  (len > n_local && strcasecmp(host + len - n_local, LOCAL) == 0) ||
                  (inet_pton(is_v6 ? AF_INET6 : AF_INET, host, address) == 1 &&
                   is_loopback(is_v6 ? AF_INET6 : AF_INET, address)) ||
                  ((size_t)(listen_end - options->listen) == len &&
                   strncasecmp(options->listen, host, len) == 0);
    for (size_t i = 0; i < options->n_hosts; i++)
        is_one |= strcasecmp(options->hosts[i], host) == 0 || strcmp(options->hosts[i], "*") == 0;
    return is_one;
}

bool access_shares(const char *origin)
{
    const char *site = origin ? strstr(origin, "://") : NULL;
    bool is_one = is_local && site && is_own(site + 3);
    for (size_t i = 0; origin && i < options->n_origins; i++)
        is_one |=
            strcasecmp(options->origins[i], origin) == 0 || strcmp(options->origins[i], "*") == 0;
    return is_one;
}

bool access_allows(const char *host, const char *origin)
{
    return !is_local || ((!host || is_own(host)) && (!origin || access_shares(origin)));
}

/* ---- Clients: the connections by their descriptors, and what one client has ---- */

/* A call of a client gets memory in steps. One that needs no more than a step may use the last
 * quarter, so that small calls are served beside large ones. */
enum { STEP = 1 << 16, MOST_OF_CLIENT = MOST_HELD / 2 };
enum { MOST_DESCRIPTORS = 4096, OWN_DESCRIPTORS = 24, N_CLIENTS = 1 << 12 };

static struct {
    pthread_mutex_t lock;
    double seconds;
    size_t n_held, n_connections, most_connections, n_descriptors; /* the highest one, plus 1 */
    struct connection {
        enum phase phase;
        size_t client, n_held;
        double since; /* of the phase; INFINITY: it has been shut down */
        double moved; /* when its client last received a part of the answer */
        uint64_t n_received;
    } connections[MOST_DESCRIPTORS];
    struct client {
        size_t n_held, n_connections;
    } clients[N_CLIENTS];
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

size_t clients_start(double seconds)
{
    struct rlimit limit = {0};
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max < MOST_DESCRIPTORS ? limit.rlim_max : MOST_DESCRIPTORS;
    setrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur < 2 * OWN_DESCRIPTORS)
        program_die("%zu files may be open, and %d are needed: see ulimit -n",
                    (size_t)limit.rlim_cur, 2 * OWN_DESCRIPTORS);
    const size_t n = (size_t)(limit.rlim_cur - OWN_DESCRIPTORS) / 5 * 4;
    table.seconds = seconds;
    table.most_connections = n < MOST_CONNECTIONS ? n : MOST_CONNECTIONS;
    return table.most_connections + table.most_connections / 4; /* some are being closed */
}

static size_t client_of(int fd)
{
    union address address = {0};
    uint64_t network = 0;
    getpeername(fd, &address.any, &(socklen_t){sizeof address});
    const bool is_mapped = IN6_IS_ADDR_V4MAPPED(&address.v6.sin6_addr);
    if (address.any.sa_family == AF_INET)
        network = address.v4.sin_addr.s_addr;
    if (address.any.sa_family == AF_INET6)
        memcpy(&network, address.v6.sin6_addr.s6_addr + (is_mapped ? 8 : 0), sizeof network);
    return (size_t)(network * 0x9E3779B97F4A7C15 >> 32) % N_CLIENTS;
}

/* Shuts down a connection that has been sending or reading since `before` or longer (by_bytes: has
 * read nothing since then): the oldest one of the client with the most connections (by_bytes: the
 * most memory). Returns it, or NULL if there is none. Called with the lock. */
static const struct connection *shut_down(double before, bool by_bytes)
{
    struct connection *found = NULL;
    size_t most = 0;
    for (size_t i = 0; i < table.n_descriptors; i++) {
        struct connection *connection = &table.connections[i];
        const struct client *client = &table.clients[connection->client];
        const size_t n = by_bytes ? client->n_held : client->n_connections;
        const bool is_slow =
            connection->phase == PHASE_READS || (connection->phase == PHASE_SENDS && !by_bytes);
        if (!is_slow || connection->since > before || (by_bytes && connection->moved > before))
            continue;
        if (!found || n > most || (n == most && connection->since < found->since)) {
            found = connection;
            most = n;
        }
    }
    if (found) {
        found->since = INFINITY;
        shutdown((int)(found - table.connections), SHUT_RDWR);
    }
    return found;
}

void clients_set(int fd, enum phase phase)
{
    struct connection *connection = &table.connections[fd];
    pthread_mutex_lock(&table.lock);
    const bool was_open = connection->phase != PHASE_CLOSED;
    const size_t n_more = (size_t)(phase != PHASE_CLOSED) - was_open;
    if (!was_open)
        *connection = (struct connection){.client = client_of(fd)};
    connection->phase = phase;
    connection->since = connection->moved = program_seconds();
    table.n_connections += n_more;
    table.clients[connection->client].n_connections += n_more;
    table.n_descriptors = (size_t)fd < table.n_descriptors ? table.n_descriptors : (size_t)fd + 1;
    if (!was_open && table.n_connections > table.most_connections)
        shut_down(connection->since, false);
    pthread_mutex_unlock(&table.lock);
}

void clients_sweep(void)
{
    const double now = program_seconds();
    const struct connection *closed = &table.connections[0];
    size_t n_unread = 0;
    pthread_mutex_lock(&table.lock);
    while (shut_down(now - table.seconds, false)) {
    }
    for (size_t i = 0; i < table.n_descriptors; i++) {
        struct connection *connection = &table.connections[i];
        if (connection->phase != PHASE_READS || connection->since > now)
            continue;
        struct tcp_info info = {0};
        getsockopt((int)i, IPPROTO_TCP, TCP_INFO, &info, &(socklen_t){sizeof info});
        if (info.tcpi_bytes_acked != connection->n_received)
            connection->moved = now;
        connection->n_received = info.tcpi_bytes_acked;
        n_unread += connection->n_held;
    }
    while (n_unread > MOST_HELD / 2 && closed) {
        closed = shut_down(now - 1, true);
        n_unread -= closed ? closed->n_held : 0;
    }
    pthread_mutex_unlock(&table.lock);
}

bool request_hold(struct request *request, size_t n)
{
    struct connection *connection = &table.connections[request->fd];
    struct client *client = &table.clients[connection->client];
    const size_t n_steps = (n + STEP - 1) / STEP * STEP, n_before = connection->n_held;
    bool fits = n_steps <= n_before;
    if (n_steps != n_before) {
        pthread_mutex_lock(&table.lock);
        const size_t n_all = table.n_held - n_before + n_steps;
        fits |= n_steps == STEP
                    ? n_all <= MOST_HELD
                    : n_all <= MOST_HELD_BY_CALL && client->n_held - n_before <= MOST_OF_CLIENT;
        if (fits) {
            connection->n_held = n_steps;
            client->n_held += n_steps - n_before;
            table.n_held = n_all;
        }
        pthread_mutex_unlock(&table.lock);
    }
    request->n_held = fits ? n : request->n_held;
    return fits || request_fail(request, FAULT_BUSY, "the server is busy; try again later");
}
