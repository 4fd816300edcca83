/* call.c - the table of routes. */
#include "tools/hosts/serve/serve.h"

#include <stdarg.h>
#include <string.h>

#define OPENAI_MODEL "{'id': $m, 'object': 'model', 'created': $c, 'owned_by': 'encode'}"
#define OLLAMA_MODEL                                                                               \
    "{'name': $m, 'model': $m, 'modified_at': $D, 'size': $F, 'digest': $h, 'details': "           \
    "{'parent_model': '', 'format': 'encode', 'family': 'encoder', 'families': ['encoder'], "      \
    "'parameter_size': $P, 'quantization_level': $y}, 'model_info': {'general.architecture': "     \
    "'encoder', 'encoder.context_length': $C, 'encoder.embedding_length': $W}, "                   \
    "'capabilities': ['embedding']}"
#define COHERE_META(version)                                                                       \
    "'meta': {'api_version': {'version': '" version "'}, 'billed_units': {'input_tokens': $t}$w}}"
#define COHERE_VECTORS                                                                             \
    "{'id': '', 'response_type': 'embeddings_$R', 'embeddings': $V, 'texts': $j, "
#define COHERE_RANKS                                                                               \
    "{'id': '', 'model': $m, 'results': [<r{'index': $i, 'relevance_score': $s$X}>], "             \
    "'usage': {'total_tokens': $t}, "

static const struct route ROUTES[] = {
    {"POST", "/v1/embeddings", DIALECT_OPENAI, WORK_VECTORS, "input",
     "{'object': 'list', 'data': [<t{'object': 'embedding', 'index': $i, 'embedding': $v}>], "
     "'model': $m, 'usage': {'prompt_tokens': $t, 'total_tokens': $t}}"},
    {"GET", "/v1/models", DIALECT_OPENAI, WORK_NONE, NULL,
     "{'object': 'list', 'data': [<m" OPENAI_MODEL ">]}"},
    {"GET", "/v1/models/", DIALECT_OPENAI, WORK_MODEL, NULL, OPENAI_MODEL},
    {"POST", "/api/embed", DIALECT_OLLAMA, WORK_VECTORS, "input",
     "{'model': $m, 'embeddings': [<t$v>], 'total_duration': $d, 'load_duration': 0, "
     "'prompt_eval_count': $t}"},
    {"POST", "/api/embeddings", DIALECT_OLLAMA, WORK_VECTORS, "prompt", "{'embedding': <t$v>}"},
    {"GET", "/api/tags", DIALECT_OLLAMA, WORK_NONE, NULL, "{'models': [<m" OLLAMA_MODEL ">]}"},
    {"GET", "/api/ps", DIALECT_OLLAMA, WORK_NONE, NULL, "{'models': [<m" OLLAMA_MODEL ">]}"},
    {"POST", "/api/show", DIALECT_OLLAMA, WORK_MODEL, NULL, OLLAMA_MODEL},
    {"GET", "/api/version", DIALECT_OLLAMA, WORK_NONE, NULL, "{'version': '" ENGINE_VERSION "'}"},
    {"POST", "/v1/embed", DIALECT_COHERE, WORK_VECTORS, "texts", COHERE_VECTORS COHERE_META("1")},
    {"POST", "/v2/embed", DIALECT_COHERE, WORK_VECTORS, "texts", COHERE_VECTORS COHERE_META("2")},
    {"POST", "/v1/rerank", DIALECT_COHERE, WORK_RANKS, "documents", COHERE_RANKS COHERE_META("1")},
    {"POST", "/v2/rerank", DIALECT_COHERE, WORK_RANKS, "documents", COHERE_RANKS COHERE_META("2")},
    {"POST", "/", DIALECT_TEI, WORK_ANY, NULL, NULL},
    {"POST", "/invocations", DIALECT_TEI, WORK_ANY, NULL, NULL},
    {"POST", "/embed", DIALECT_TEI, WORK_VECTORS, "inputs", "[<t$v>]"},
    {"POST", "/embed_all", DIALECT_TEI, WORK_TOKEN_VECTORS, "inputs", "[<t[<k$v>]>]"},
    {"POST", "/embed_sparse", DIALECT_TEI, WORK_SPARSE, "inputs",
     "[<t[<w{'index': $i, 'value': $s}>]>]"},
    {"POST", "/predict", DIALECT_TEI, WORK_LABELS, "inputs",
     "$[<t[<l{'score': $s, 'label': $b}>]>$]"},
    {"POST", "/rerank", DIALECT_TEI, WORK_RANKS, "texts", "[<r{'index': $i, 'score': $s$x}>]"},
    {"POST", "/similarity", DIALECT_TEI, WORK_COSINES, "sentences", "[<c$s>]"},
    {"POST", "/tokenize", DIALECT_TEI, WORK_TOKENS, "inputs",
     "[<t[<k{'id': $k, 'text': $p, 'special': $q, 'start': $a, 'stop': $z}>]>]"},
    {"POST", "/decode", DIALECT_TEI, WORK_DECODE, "ids", "[<t$e>]"},
    {"POST", "/attention", DIALECT_TEI, WORK_ATTENTION, "inputs",
     "{'tokens': [<t<k$p>>], 'attention': [<t<k$v>>]}"},
    {"GET", "/info", DIALECT_TEI, WORK_NONE, NULL,
     "{'model_id': $m, 'model_sha': $h, 'model_dtype': $y, 'model_type': $Y, "
     "'max_concurrent_requests': 1000, 'max_input_length': $C, 'max_batch_tokens': 300000, "
     "'max_batch_requests': null, 'max_client_batch_size': 2048, 'auto_truncate': false, "
     "'tokenization_workers': 1, 'version': '" ENGINE_VERSION
     "', 'sha': null, 'docker_label': null}"},
    {"GET", "/metrics", DIALECT_TEI, WORK_NONE, NULL, "$M"},
    {"GET", "/health", DIALECT_TEI, WORK_OPEN, NULL, "{'status': 'ok'}"},
    {"GET", "/ping", DIALECT_TEI, WORK_OPEN, NULL, "{'status': 'ok'}"},
    {"GET", "/", DIALECT_TEI, WORK_OPEN, NULL, "$G"},
};

const struct route *call_route(const char *method, const char *path)
{
    const struct route *other = NULL;
    for (size_t i = 0; i < sizeof ROUTES / sizeof ROUTES[0]; i++) {
        const struct route *route = &ROUTES[i];
        const size_t len = strlen(route->path);
        if (strncmp(path, route->path, len) != 0 ||
            (path[len] && (len == 1 || path[len - 1] != '/')))
            continue;
        if (strcmp(route->method, method) == 0)
            return route;
        other = route;
    }
    return other;
}

bool call_find_route(struct call *call)
{
    const char *method = strcmp(call->method, "HEAD") == 0 ? "GET" : call->method;
    const struct route *route = call->route = call_route(method, call->path);
    call->dialect = route                                  ? route->dialect
                    : strncmp(call->path, "/api/", 5) == 0 ? DIALECT_OLLAMA
                    : strncmp(call->path, "/v1/", 4) == 0  ? DIALECT_OPENAI
                    : strncmp(call->path, "/v2/", 4) == 0  ? DIALECT_COHERE
                                                           : DIALECT_TEI;
    if (!route)
        return call_fail(call, FAULT_PATH, "nothing is served at %s", call->path);
    call->allowed = strcmp(route->path, "/") == 0       ? "GET, HEAD, POST"
                    : strcmp(route->method, "GET") == 0 ? "GET, HEAD"
                                                        : "POST";
    return strcmp(route->method, method) == 0 ||
           call_fail(call, FAULT_METHOD, "%s takes %s, not %s", call->path, call->allowed,
                     call->method);
}

bool call_fail(struct call *call, enum fault fault, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(call->message, sizeof call->message, format, arguments);
    va_end(arguments);
    call->fault = fault;
    return false;
}

const char *call_text_name(const struct call *call, size_t text)
{
    static _Thread_local char name[32];
    snprintf(name, sizeof name, "input %zu", text - call->has_query);
    return call->has_query && text == 0 ? "query" : name;
}
