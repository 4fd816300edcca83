/* access.c - see serve.h. Which requests are served at all. */
#include "tools/common/alloc.h"
#include "tools/common/inputs.h"
#include "tools/hosts/serve/serve.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>

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

static const struct serve_options *options; /* NULL: all hosts are served */

static bool is_loopback(int family, const void *address)
{
    static const unsigned char mapped[13] = {[10] = 0xFF, [11] = 0xFF, [12] = 127};
    return family == AF_INET ? *(const unsigned char *)address == 127
                             : memcmp(address, &in6addr_loopback, sizeof in6addr_loopback) == 0 ||
                                   memcmp(address, mapped, sizeof mapped) == 0;
}

void access_start(int socket, const struct serve_options *all)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } address = {0};
    getsockname(socket, &address.any, &(socklen_t){sizeof address});
    if (address.any.sa_family == AF_INET
            ? is_loopback(AF_INET, &address.v4.sin_addr)
            : address.any.sa_family == AF_INET6 && is_loopback(AF_INET6, &address.v6.sin6_addr))
        options = all;
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
    return options && site && is_own(site + 3);
}

bool access_allows(const char *host, const char *origin)
{
    return !options || ((!host || is_own(host)) && (!origin || access_shares(origin)));
}
