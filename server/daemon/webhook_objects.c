/* SPDX-License-Identifier: Apache-2.0 */
#include "server/daemon/webhook_objects.h"

#include <gnutls/gnutls.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/kube/base64.h"
#include "server/kube/transfer.h"

void skr_webhook_secret_fini(struct skr_webhook_secret *secret)
{
    skr_certificates_fini(&secret->certificates);
    explicit_bzero(&secret->tokens, sizeof secret->tokens);
}

void skr_webhook_targets_write(const char *namespace_, const char *name,
                               struct skr_webhook_targets *ret)
{
    SKR_STRBUF(space);
    SKR_STRBUF(own);
    skr_kube_escape(&space, namespace_);
    skr_kube_escape(&own, name);
    (void)snprintf(ret->secret, sizeof ret->secret, "/api/v1/namespaces/%s/secrets/%s", space.s,
                   own.s);
    (void)snprintf(ret->configuration, sizeof ret->configuration,
                   "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/%s", own.s);
}

/* ---- the Secret ---- */

static char *take_data(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(json_object_get(object, "data"), key));
    char *bytes = NULL;
    size_t n;
    if (!text || *text == '\0' || skr_base64_decode(text, strlen(text), &bytes, &n, NULL) < 0) {
        return NULL;
    }
    return bytes;
}

static void read_token(const json_t *object, enum skr_token_place place, struct skr_tokens *ret)
{
    SKR_AUTO_FREE char *text = take_data(object, skr_token_place_key[place]);
    if (text) {
        (void)skr_token_parse(text, &ret->at[place]);
        explicit_bzero(text, strlen(text));
    }
}

void skr_webhook_secret_read(const json_t *object, struct skr_webhook_secret *ret)
{
    *ret = (struct skr_webhook_secret){
        .certificates = {
            .bundle = take_data(object, "ca.crt"),
            .authority_key = take_data(object, "ca.key"),
            .leaf = {.cert = take_data(object, "tls.crt"), .key = take_data(object, "tls.key")}}};
    for (int i = 0; i < SKR_TOKEN_PLACE_COUNT; i++) {
        read_token(object, (enum skr_token_place)i, &ret->tokens);
    }
}

static json_t *base64_of(const char *text)
{
    const gnutls_datum_t bytes = {(unsigned char *)(uintptr_t)text, (unsigned)strlen(text)};
    gnutls_datum_t encoded = {NULL, 0};
    skr_bug_on(gnutls_base64_encode2(&bytes, &encoded) < 0);
    json_t *value = json_stringn((const char *)encoded.data, encoded.size);
    explicit_bzero(encoded.data, encoded.size);
    gnutls_free(encoded.data);
    return value;
}

static void write_token(const struct skr_tokens *tokens, enum skr_token_place place, json_t *data)
{
    const struct skr_token *token = &tokens->at[place];
    char text[SKR_TOKEN_TEXT_MAX];
    if (token->text[0] == '\0') {
        (void)json_object_del(data, skr_token_place_key[place]);
        return;
    }
    skr_token_write(token, text);
    json_object_set_new(data, skr_token_place_key[place], base64_of(text));
    explicit_bzero(text, sizeof text);
}

void skr_webhook_secret_write(const struct skr_webhook_secret *secret, json_t *object)
{
    const struct skr_certificates *c = &secret->certificates;
    json_t *data = json_object_get(object, "data");
    if (!json_is_object(data)) {
        data = json_object();
        json_object_set_new(object, "data", data);
    }
    if (c->bundle && c->authority_key && c->leaf.cert && c->leaf.key) {
        json_object_set_new(data, "ca.crt", base64_of(c->bundle));
        json_object_set_new(data, "ca.key", base64_of(c->authority_key));
        json_object_set_new(data, "tls.crt", base64_of(c->leaf.cert));
        json_object_set_new(data, "tls.key", base64_of(c->leaf.key));
    }
    for (int i = 0; i < SKR_TOKEN_PLACE_COUNT; i++) {
        write_token(&secret->tokens, (enum skr_token_place)i, data);
    }
}

/* ---- the configuration ---- */

void skr_webhook_path_write(const char *base, const struct skr_token *token,
                            char ret[SKR_WEBHOOK_PATH_MAX])
{
    (void)snprintf(ret, SKR_WEBHOOK_PATH_MAX, "%s/%s", base, token->text);
}

static bool is_of(const json_t *webhook, const char *namespace_, const char *name)
{
    const json_t *service = json_object_get(json_object_get(webhook, "clientConfig"), "service");
    const char *its_name = json_string_value(json_object_get(service, "name"));
    const char *its_namespace = json_string_value(json_object_get(service, "namespace"));
    return its_name && its_namespace && strcmp(its_name, name) == 0 &&
           strcmp(its_namespace, namespace_) == 0;
}

const json_t *skr_webhook_configuration_find(const json_t *configuration, const char *namespace_,
                                             const char *name)
{
    const json_t *webhook;
    size_t i;
    json_array_foreach(json_object_get(configuration, "webhooks"), i, webhook)
    {
        if (is_of(webhook, namespace_, name)) {
            return webhook;
        }
    }
    return NULL;
}

/* Takes over the value. */
static bool set_one(json_t *object, const char *key, json_t *value)
{
    const bool changes = !json_equal(json_object_get(object, key), value);
    if (changes) {
        json_object_set(object, key, value);
    }
    json_decref(value);
    return changes;
}

bool skr_webhook_configuration_set(json_t *configuration, const struct skr_webhook_call *call)
{
    bool changed = false;
    json_t *webhook;
    size_t i;
    json_array_foreach(json_object_get(configuration, "webhooks"), i, webhook)
    {
        json_t *client = json_object_get(webhook, "clientConfig");
        if (is_of(webhook, call->namespace_, call->name)) {
            changed |= set_one(json_object_get(client, "service"), "path", json_string(call->path));
            changed |= call->bundle && set_one(client, "caBundle", base64_of(call->bundle));
        }
    }
    return changed;
}
