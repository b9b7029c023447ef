/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses by cluster, each read from its Service by the transfer of the call that needs it. */
#include "server/daemon/estimator_address.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "server/log.h"
#include "topology/base/json_field.h"

enum { SERVICE_BYTES_MAX = 1024 * 1024, PORT_MAX = 65535 };

struct address {
    UT_hash_handle hh; /* by cluster */
    char *cluster;
    char *text;    /* "HOST:PORT" */
    int64_t until; /* skr_kube_now() */
};

struct skr_estimator_addresses {
    const struct skr_config_estimators *options;
    struct skr_kube_access access;
    bool reads; /* Services, through access */
    struct skr_kube_session session;
    struct address *address;
};

/* ---- the table ---- */

static void put(struct skr_estimator_addresses *addresses, const char *cluster,
                const struct skr_strbuf *text)
{
    struct address *address = NULL;
    HASH_FIND_STR(addresses->address, cluster, address);
    if (!address) {
        address = skr_alloc(sizeof *address);
        address->cluster = skr_strdup(cluster);
        HASH_ADD_KEYPTR(hh, addresses->address, address->cluster, strlen(address->cluster),
                        address);
    }
    free(address->text);
    address->text = skr_strdup(text->s);
    address->until = skr_kube_now() + SKR_KUBE_REFRESH_S * SKR_SECOND;
}

static void forget(struct skr_estimator_addresses *addresses, int64_t until)
{
    struct address *address, *next;
    HASH_ITER(hh, addresses->address, address, next)
    {
        if (address->until <= until) {
            HASH_DEL(addresses->address, address);
            free(address->cluster);
            free(address->text);
            free(address);
        }
    }
}

static void write_service(const struct skr_estimator_addresses *addresses, const char *cluster,
                          struct skr_strbuf *out)
{
    skr_strbuf_addf(out, "%s-%s", addresses->options->prefix, cluster);
}

static void write_own_name(const struct skr_estimator_addresses *addresses, const char *cluster,
                           struct skr_strbuf *out)
{
    const struct skr_config_estimators *options = addresses->options;
    write_service(addresses, cluster, out);
    skr_strbuf_addf(out, ".%s.%s:%lld", options->namespace_, options->domain,
                    (long long)options->port);
}

static void put_own_name(struct skr_estimator_addresses *addresses, const char *cluster)
{
    SKR_STRBUF(text);
    write_own_name(addresses, cluster, &text);
    put(addresses, cluster, &text);
}

bool skr_estimator_address_find(const struct skr_estimator_addresses *addresses,
                                const char *cluster, struct skr_strbuf *out)
{
    struct address *address = NULL;
    if (!addresses->reads) {
        write_own_name(addresses, cluster, out);
        return true;
    }
    HASH_FIND_STR(addresses->address, cluster, address);
    const bool known = address && address->until > skr_kube_now();
    skr_strbuf_add(out, known ? address->text : "");
    return known;
}

/* ---- the Service ---- */

bool skr_estimator_is_host(const char *name)
{
    return name[0] && name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-.")] == '\0';
}

int skr_estimator_address_ask(const struct skr_estimator_addresses *addresses,
                              struct skr_transfer *transfer, const char *cluster,
                              int64_t timeout_ms, struct skr_error *error)
{
    SKR_STRBUF(name);
    SKR_STRBUF(target);
    write_service(addresses, cluster, &name);
    skr_strbuf_add(&target, "/api/v1/namespaces/");
    skr_kube_escape(&target, addresses->options->namespace_);
    skr_strbuf_add(&target, "/services/");
    skr_kube_escape(&target, name.s);
    const struct skr_transfer_request request = {.method = "GET",
                                                 .target = target.s,
                                                 .accept = "application/json",
                                                 .timeout_ms = timeout_ms};
    transfer->body_max = SERVICE_BYTES_MAX;
    return skr_transfer_start(transfer, &request, error);
}

/* The target port of the Service's port; an error names what is wrong. */
static int64_t find_port(const json_t *spec, int64_t port, struct skr_error *error)
{
    const json_t *list = json_object_get(spec, "ports");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i);
        const json_t *target = json_object_get(entry, "targetPort");
        const int64_t number = target ? json_integer_value(target) : port;
        if (json_integer_value(json_object_get(entry, "port")) == port) {
            return number > 0 && number <= PORT_MAX
                       ? number
                       : skr_error_set(error, SKR_INVALID,
                                       "its Service has no number as targetPort "
                                       "of port %lld",
                                       (long long)port);
        }
    }
    return skr_error_set(error, SKR_INVALID, "its Service has no port %lld", (long long)port);
}

static int read_service(struct skr_estimator_addresses *addresses, const char *cluster,
                        const struct skr_strbuf *body, struct skr_error *error)
{
    json_auto_t *json = json_loadb(body->s, body->len, 0, NULL);
    const json_t *spec = json_object_get(json, "spec");
    const char *host = json_string_value(json_object_get(spec, "externalName"));
    int64_t port = 0;
    SKR_STRBUF(text);
    if (!json) {
        port = skr_error_set(error, SKR_INVALID, "its Service is no JSON");
    } else if (strcmp(skr_object_text(spec, "type"), "ExternalName") != 0) {
        put_own_name(addresses, cluster);
    } else if (!host || !skr_estimator_is_host(host)) {
        port = skr_error_set(error, SKR_INVALID, "externalName of its Service cannot be a host");
    } else if ((port = find_port(spec, addresses->options->port, error)) > 0) {
        skr_strbuf_addf(&text, "%s:%lld", host, (long long)port);
        put(addresses, cluster, &text);
    }
    return port < 0 ? (int)port : 0;
}

int skr_estimator_address_take(struct skr_estimator_addresses *addresses,
                               const struct skr_transfer *transfer, const char *cluster,
                               CURLcode result, struct skr_error *error)
{
    const int status = skr_transfer_status(transfer);
    if (result == CURLE_OK && (status == 404 || status == 403)) {
        put_own_name(addresses, cluster); /* 403: preflight says which permission is missing */
        return 0;
    }
    if (result != CURLE_OK) {
        return skr_error_set(error, SKR_RETRY, "its Service: %s", curl_easy_strerror(result));
    }
    return status == 200 ? read_service(addresses, cluster, transfer->body, error)
                         : skr_error_set(error, SKR_RETRY, "its Service: HTTP status %d", status);
}

/* ---- life ---- */

struct skr_estimator_addresses *skr_estimator_addresses_create(
    const struct skr_config_estimators *options, struct skr_kube_access *access, CURLM *multi)
{
    struct skr_estimator_addresses *addresses = skr_alloc(sizeof *addresses);
    addresses->options = options;
    addresses->reads = access;
    if (access) {
        addresses->access = *access;
        skr_kube_access_init(access);
    }
    addresses->session = (struct skr_kube_session){.multi = multi, .access = &addresses->access};
    return addresses;
}

void skr_estimator_addresses_destroy(struct skr_estimator_addresses *addresses)
{
    if (addresses) {
        forget(addresses, INT64_MAX);
        skr_kube_access_fini(&addresses->access);
        free(addresses);
    }
}

struct skr_kube_session *skr_estimator_addresses_session(struct skr_estimator_addresses *addresses)
{
    return &addresses->session;
}

void skr_estimator_addresses_refresh(struct skr_estimator_addresses *addresses)
{
    struct skr_error error = {.code = SKR_OK};
    forget(addresses, skr_kube_now());
    if (addresses->reads) {
        (void)skr_kube_access_refresh(&addresses->access, &error);
    }
    if (error.code != SKR_OK) {
        skr_log_warning("Credentials could not be read again, the old ones were kept",
                        SKR_LOG_S("source", addresses->access.source), SKR_LOG_S("err", error.text),
                        SKR_LOG_END);
    }
}
