/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the source, checks its answer, and turns refusals into errors. */
#include "server/client/client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/client/forward.h"
#include "server/client/own_namespace.h"
#include "server/client/source.h"
#include "server/exit_code.h"
#include "server/kube/decode.h"
#include "server/object/view_url.h"
#include "topology/base/arena.h"
#include "topology/base/json_field.h"

struct skr_client {
    struct skr_client_options options;
    struct skr_dump *dump;       /* NULL: not from a file */
    struct skr_forward *forward; /* NULL: none, or not looked for yet */
    bool looked;                 /* for a way to the daemon's pods */
    char sandbox[32]; /* address of the daemon in a sandbox; options.server points to it */
};

int skr_client_create(const struct skr_client_options *options, struct skr_client **ret,
                      struct skr_strbuf *messages, struct skr_error *error)
{
    struct skr_dump *dump = NULL;
    if (options->file) {
        int rc = skr_dump_read(options, &dump, messages, error);
        if (rc < 0) {
            return rc;
        }
    }
    struct skr_client *client = skr_alloc(sizeof *client);
    client->options = *options;
    client->dump = dump;
    if (client->options.request_timeout <= 0) {
        client->options.request_timeout = SKR_CLIENT_TIMEOUT_S * SKR_SECOND;
    }
    if (!client->options.service) {
        client->options.service = SKR_VIEW_SERVICE;
    }
    *ret = client;
    return 0;
}

void skr_client_destroy(struct skr_client *client)
{
    if (!client) {
        return;
    }
    skr_forward_destroy(client->forward);
    skr_dump_destroy(client->dump);
    free(client);
}

const struct skr_manifests *skr_client_objects(const struct skr_client *client)
{
    return client->dump ? skr_dump_objects(client->dump) : NULL;
}

char *skr_client_default_namespace(struct skr_client *client)
{
    SKR_STRBUF(b);
    if (!client->dump && !client->options.server) {
        skr_source_kubectl_namespace(&client->options, &b);
    }
    if (b.len == 0) {
        skr_strbuf_add(&b, "default");
    }
    return skr_strbuf_take(&b, NULL);
}

int skr_client_exit_code(int rc)
{
    switch (-rc) {
    case SKR_OK:
        return SKR_EXIT_OK;
    case SKR_NOT_FOUND:
        return SKR_EXIT_NOT_FOUND;
    case SKR_RETRY:
        return SKR_EXIT_UNREACHABLE;
    default:
        return SKR_EXIT_ERROR;
    }
}

/* ---- questions ---- */

/* Looks for the daemon's pods, once. */
static int find_way(struct skr_client *client, struct skr_error *error)
{
    int rc = client->looked ? 0 : skr_forward_create(&client->options, &client->forward, error);
    client->looked = rc == 0;
    return rc;
}

static int ask_for(struct skr_client *client, const char *target, struct skr_strbuf *out,
                   struct skr_error *error)
{
    if (client->options.server) {
        return skr_source_http(&client->options, target, out, error);
    }
    const bool looked = client->looked;
    int rc = find_way(client, error);
    if (rc < 0 || !client->forward) {
        return rc < 0 ? rc : skr_source_kubectl(&client->options, target, out, error);
    }
    rc = skr_source_forward(client->forward, target, out, error);
    if (rc == -SKR_RETRY && looked) { /* the pods may be others by now */
        skr_forward_destroy(client->forward);
        client->forward = NULL;
        client->looked = false;
        rc = find_way(client, error);
        rc = rc == 0 && client->forward ? skr_source_forward(client->forward, target, out, error)
                                        : rc;
    }
    return rc;
}

/* A sandbox has no pods of a daemon; it knows the address of its own, on this machine. */
static int find_sandbox(struct skr_client *client, struct skr_error *error)
{
    SKR_STRBUF(out);
    unsigned port = 0;
    struct skr_error none = {.code = SKR_OK};
    if (skr_source_kubectl_raw(&client->options, SKR_VIEW_SANDBOX, &out, &none) < 0 ||
        sscanf(out.s, "{\"admin\":\"http://127.0.0.1:%5u\"}", &port) != 1) {
        return skr_error_set(error, SKR_NOT_FOUND,
                             "the Service %.120s cannot be read, or has no pods; --server takes "
                             "the address of a daemon",
                             client->options.service);
    }
    (void)snprintf(client->sandbox, sizeof client->sandbox, "http://127.0.0.1:%u", port);
    client->options.server = client->sandbox;
    return 0;
}

int skr_client_open_way(struct skr_client *client, unsigned port, const char **ret_url,
                        struct skr_error *error)
{
    static const char target[] = "/v1/reservations?namespace=-"; /* small, and of the leader */
    SKR_STRBUF(out);
    unsigned local = port;
    int rc = 0;
    if (client->forward) { /* a later one has the port of the first */
        (void)sscanf(skr_forward_url(client->forward), "http://127.0.0.1:%5u", &local);
    }
    if (!client->options.server) {
        rc = find_way(client, error);
    }
    if (rc == 0 && !client->options.server && !client->forward) {
        client->looked = false;
        rc = find_sandbox(client, error);
    }
    if (rc == 0 && client->options.server) {
        *ret_url = client->options.server;
        return skr_source_http(&client->options, target, &out, error);
    }
    if (rc == 0) {
        skr_forward_listen(client->forward, local);
        rc = skr_source_forward(client->forward, target, &out, error);
        *ret_url = skr_forward_url(client->forward);
    }
    if (rc == -SKR_RETRY) { /* the pods may be others by now */
        skr_forward_destroy(client->forward);
        client->forward = NULL;
        client->looked = false;
    }
    return rc < 0 ? rc : 1;
}

static int ask(struct skr_client *client, const struct skr_view_query *query,
               struct skr_strbuf *out, struct skr_error *error)
{
    if (client->dump) {
        return skr_source_dump(client->dump, query, out, error);
    }
    SKR_STRBUF(target);
    skr_view_url_write(query, &target);
    const int rc = ask_for(client, target.s, out, error);
    if (rc == -SKR_DENIED && !client->options.server && skr_own_namespace_serves(query)) {
        skr_strbuf_reset(out);
        return skr_source_own_namespace(&client->options, query, out, error);
    }
    return rc;
}

/* ---- answers ---- */

/* kind NULL: any. */
static int take_in(const struct skr_strbuf *text, const char *kind, json_t **ret,
                   struct skr_error *error)
{
    json_t *json = NULL;
    struct skr_error why = {0};
    if (skr_kube_json_parse(text->s ? text->s : "", text->len, &json, &why) < 0) {
        return skr_error_set(error, SKR_INVALID, "the answer is no JSON: %.180s", why.text);
    }
    const char *got = json_string_value(json_object_get(json, "kind"));
    if (kind && (!got || strcmp(got, kind) != 0)) {
        int rc = skr_error_set(error, SKR_INVALID, "the answer is no %s of sakkara but %.60s", kind,
                               got ? got : "something else");
        json_decref(json);
        return rc;
    }
    *ret = json;
    return 0;
}

int skr_client_fetch(struct skr_client *client, const struct skr_view_query *query,
                     const char *kind, json_t **ret, struct skr_error *error)
{
    SKR_STRBUF(text);
    int rc = ask(client, query, &text, error);
    rc = rc < 0 ? rc : take_in(&text, kind, ret, error);
    return rc;
}

int skr_client_fetch_path(struct skr_client *client, const char *path, json_t **ret,
                          struct skr_error *error)
{
    SKR_STRBUF(text);
    int rc = ask_for(client, path, &text, error);
    rc = rc < 0 ? rc : take_in(&text, NULL, ret, error);
    return rc;
}

int skr_client_fetch_module(struct skr_client *client, const char *name, json_t **ret,
                            struct skr_error *error)
{
    static const struct skr_view_query query = {.path = "/v1/modules"};
    json_auto_t *page = NULL;
    json_t *item;
    size_t i;
    int rc = skr_client_fetch(client, &query, "ModuleList", &page, error);
    if (rc < 0) {
        return rc;
    }
    json_array_foreach(json_object_get(page, "items"), i, item)
    {
        if (strcmp(skr_object_text(item, "name"), name) == 0) {
            *ret = json_incref(item);
            return 0;
        }
    }
    return skr_error_set(error, SKR_NOT_FOUND, "the daemon has no module %s", name);
}
