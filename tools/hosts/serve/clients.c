/* clients.c - see serve.h. The connections by their descriptors, and what one client has of what
 * all share: memory and connections. A client is an address: of IPv6 its network (64 bits), of a
 * socket at a path all of it. Addresses share the entries of a table of fixed length. */
#include "tools/hosts/serve/serve.h"

#include <linux/tcp.h>
#include <math.h>
#include <netinet/in.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>

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
    const size_t n = (limit.rlim_cur - OWN_DESCRIPTORS) / 5 * 4;
    table.seconds = seconds;
    table.most_connections = n < MOST_CONNECTIONS ? n : MOST_CONNECTIONS;
    return table.most_connections + table.most_connections / 4; /* some are being closed */
}

static size_t client_of(int fd)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
        struct sockaddr_storage room;
    } address = {0};
    uint64_t network = 0;
    getpeername(fd, &address.any, &(socklen_t){sizeof address});
    const bool is_mapped = IN6_IS_ADDR_V4MAPPED(&address.v6.sin6_addr);
    if (address.any.sa_family == AF_INET)
        network = address.v4.sin_addr.s_addr;
    if (address.any.sa_family == AF_INET6)
        memcpy(&network, address.v6.sin6_addr.s6_addr + (is_mapped ? 8 : 0), sizeof network);
    return (size_t)(network * 0x9E3779B97F4A7C15 >> 32) % N_CLIENTS;
}

static void set_held(struct connection *connection, size_t n)
{
    struct client *client = &table.clients[connection->client];
    client->n_held += n - connection->n_held;
    table.n_held += n - connection->n_held;
    connection->n_held = n;
}

/* Shuts down a connection that has been in one of two phases (by_bytes: without receiving) since
 * `before` or longer: the oldest one of the client with the most connections (by_bytes: the most
 * memory). Returns it, or NULL if there is none. Called with the lock. */
static const struct connection *shut_down(enum phase one, enum phase other, double before,
                                          bool by_bytes)
{
    struct connection *found = NULL;
    size_t most = 0;
    for (size_t i = 0; i < table.n_descriptors; i++) {
        struct connection *connection = &table.connections[i];
        const struct client *client = &table.clients[connection->client];
        const size_t n = by_bytes ? client->n_held : client->n_connections;
        if ((connection->phase != one && connection->phase != other) ||
            connection->since > before || (by_bytes && connection->moved > before))
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
    const bool was_open = connection->phase != PHASE_CLOSED, is_open = phase != PHASE_CLOSED;
    if (!was_open)
        *connection = (struct connection){.client = client_of(fd)};
    connection->phase = phase;
    connection->since = connection->moved = program_seconds();
    table.n_connections += (size_t)is_open - was_open;
    table.clients[connection->client].n_connections += (size_t)is_open - was_open;
    table.n_descriptors = (size_t)fd < table.n_descriptors ? table.n_descriptors : (size_t)fd + 1;
    if (!was_open && table.n_connections > table.most_connections)
        shut_down(PHASE_SENDS, PHASE_READS, connection->since, false);
    pthread_mutex_unlock(&table.lock);
}

static uint64_t count_received(int fd)
{
    struct tcp_info info = {0};
    getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &(socklen_t){sizeof info});
    return info.tcpi_bytes_acked;
}

void clients_sweep(void)
{
    const double now = program_seconds();
    const struct connection *closed = &table.connections[0];
    size_t n_unread = 0;
    pthread_mutex_lock(&table.lock);
    while (shut_down(PHASE_SENDS, PHASE_READS, now - table.seconds, false)) {
    }
    for (size_t i = 0; i < table.n_descriptors; i++) {
        struct connection *connection = &table.connections[i];
        if (connection->phase != PHASE_READS || connection->since > now)
            continue;
        const uint64_t n_received = count_received((int)i);
        connection->moved = n_received != connection->n_received ? now : connection->moved;
        connection->n_received = n_received;
        n_unread += connection->n_held;
    }
    while (n_unread > MOST_HELD / 2 && closed) {
        closed = shut_down(PHASE_READS, PHASE_READS, now - 1, true);
        n_unread -= closed ? closed->n_held : 0;
    }
    pthread_mutex_unlock(&table.lock);
}

bool request_hold(struct request *request, size_t n)
{
    struct connection *connection = &table.connections[request->fd];
    const size_t n_steps = (n + STEP - 1) / STEP * STEP;
    bool fits = true;
    if (n_steps != connection->n_held) {
        pthread_mutex_lock(&table.lock);
        const size_t n_all = table.n_held - connection->n_held + n_steps;
        const size_t n_others = table.clients[connection->client].n_held - connection->n_held;
        fits = n_steps <= connection->n_held ||
               (n_steps == STEP ? n_all <= MOST_HELD
                                : n_all <= MOST_HELD_BY_CALL && n_others <= MOST_OF_CLIENT);
        if (fits)
            set_held(connection, n_steps);
        pthread_mutex_unlock(&table.lock);
    }
    request->n_held = fits ? n : request->n_held;
    return fits || request_fail(request, FAULT_BUSY, "the server is busy; try again later");
}
