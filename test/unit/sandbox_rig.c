/* SPDX-License-Identifier: Apache-2.0 */
/* Requests as text. */
#include "test/unit/sandbox_rig.h"
#include "test/test.h"

#include "server/lab/sandbox/route.h"
#include "test/unit/json_text.h"

static enum skr_store_verb verb_of(const char *method, bool named)
{
    static const struct {
        const char *method;
        enum skr_store_verb named, collection;
    } table[] = {
        {"GET", SKR_STORE_GET, SKR_STORE_LIST},
        {"POST", SKR_STORE_CREATE, SKR_STORE_CREATE},
        {"PUT", SKR_STORE_UPDATE, SKR_STORE_UPDATE},
        {"DELETE", SKR_STORE_DELETE, SKR_STORE_DELETE_COLLECTION},
        {"MERGE", SKR_STORE_PATCH_MERGE, SKR_STORE_PATCH_MERGE},
        {"STRATEGIC", SKR_STORE_PATCH_STRATEGIC, SKR_STORE_PATCH_STRATEGIC},
        {"JSON", SKR_STORE_PATCH_JSON, SKR_STORE_PATCH_JSON},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (strcmp(table[i].method, method) == 0) {
            return named ? table[i].named : table[i].collection;
        }
    }
    fail_msg("no method %s", method);
    return SKR_STORE_GET;
}

static void set_parameter(struct skr_store_request *request, char *text)
{
    char *value = strchr(text, '=');

    if (value) {
        *value++ = '\0';
    }
    if (strcmp(text, "labelSelector") == 0) {
        request->label_selector = value;
    } else if (strcmp(text, "fieldSelector") == 0) {
        request->field_selector = value;
    } else if (strcmp(text, "continue") == 0) {
        request->continue_ = value;
    } else if (strcmp(text, "limit") == 0) {
        request->limit = strtoll(value, NULL, 10);
    } else if (strcmp(text, "dryRun") == 0) {
        request->dry_run = true;
    } else if (strcmp(text, "strict") == 0) {
        request->strict = true;
    } else {
        fail_msg("no parameter %s", text);
    }
}

int sandbox_request(struct skr_store *store, skr_time now, const char *line, const char *body,
                    json_t **ret)
{
    char text[4096], *at = text;
    struct skr_route route;
    struct skr_store_reply reply;
    struct skr_store_request request = {.verb = SKR_STORE_GET};

    snprintf(text, sizeof text, "%s", line);
    const char *method = strsep(&at, " ");
    const char *path = strsep(&at, "?");
    if (!skr_route_parse(path, &route)) {
        fail_msg("no route: %s", path);
    }
    while (at && *at) {
        set_parameter(&request, strsep(&at, "&"));
    }
    request.verb = verb_of(method, *route.name != '\0');
    request.resource = route.resource;
    request.namespace_ = route.namespace_;
    request.name = route.name;
    request.subresource = route.subresource;
    json_t *json = body ? json_text_load(body) : NULL;
    request.body = json;
    skr_store_handle(store, &request, now, &reply);
    json_decref(json);
    if (ret) {
        *ret = reply.body;
    } else {
        json_decref(reply.body);
    }
    return reply.status;
}

json_t *sandbox_expect(struct skr_store *store, int status, const char *line, const char *body)
{
    json_t *reply;
    const int got = sandbox_request(store, RIG_NOW, line, body, &reply);

    if (got != status) {
        fail_msg("%s %s: %d instead of %d: %s", line, body ? body : "", got, status,
                 sandbox_text(reply, "message"));
    }
    return reply;
}

void sandbox_ok(struct skr_store *store, int status, const char *line, const char *body)
{
    json_decref(sandbox_expect(store, status, line, body));
}

static const json_t *step(const json_t *value, const char **path)
{
    char key[256];
    size_t n;

    if (**path == '[') {
        value = json_array_get(value, (size_t)strtoul(*path + 1, NULL, 10));
        *path += strcspn(*path, "]") + 1;
    } else if (**path == '\'') {
        n = strcspn(*path + 1, "'");
        snprintf(key, sizeof key, "%.*s", (int)n, *path + 1);
        value = json_object_get(value, key);
        *path += n + 2;
    } else {
        n = strcspn(*path, ".[");
        snprintf(key, sizeof key, "%.*s", (int)n, *path);
        value = json_object_get(value, key);
        *path += n;
    }
    *path += **path == '.';
    return value;
}

const char *sandbox_text(const json_t *object, const char *path)
{
    static char text[4096];

    while (object && *path) {
        object = step(object, &path);
    }
    if (json_is_string(object)) {
        return json_string_value(object);
    }
    char *dump =
        object ? json_dumps(object, JSON_ENCODE_ANY | JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    snprintf(text, sizeof text, "%s", dump ? dump : "");
    free(dump);
    return text;
}

const char *sandbox_field(struct skr_store *store, const char *url, const char *path)
{
    static char text[4096];
    char line[1024];
    json_auto_t *object = NULL;

    snprintf(line, sizeof line, "GET %s", url);
    if (sandbox_request(store, RIG_NOW, line, NULL, &object) != 200) {
        fail_msg("%s: %s", line, sandbox_text(object, "message"));
    }
    snprintf(text, sizeof text, "%s", sandbox_text(object, path));
    return text;
}

struct skr_store *sandbox_store(void)
{
    struct skr_store *store = skr_store_create(1);
    sandbox_ok(store, 201, "POST /api/v1/nodes",
               "{'metadata':{'name':'n1'},'status':{'capacity':{'cpu':'4','pods':'10'}}}");
    sandbox_ok(store, 201, "POST " PODS, "{'metadata':{'name':'a1'}," RIG_POD "}");
    sandbox_ok(store, 201, "POST " PODS,
               "{'metadata':{'name':'g1'},'spec':{'schedulingGates':[{'name':'sakkara.gang'},"
               "{'name':'b.c/d'}],'containers':[{'name':'c','image':'x'}]}}");
    return store;
}

void sandbox_check_refusals(struct skr_store *store, const struct refusal *table, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t before = skr_store_revision(store);
        json_auto_t *reply = sandbox_expect(store, table[i].status, table[i].line, table[i].body);
        if (strcmp(sandbox_text(reply, "reason"), table[i].reason) != 0) {
            fail_msg("%s: reason %s", table[i].line, sandbox_text(reply, "reason"));
        }
        if (!strstr(sandbox_text(reply, "message"), table[i].message)) {
            fail_msg("%s: %s", table[i].line, sandbox_text(reply, "message"));
        }
        assert_string_equal(sandbox_text(reply, "kind"), "Status");
        assert_int_equal(skr_store_revision(store), before);
    }
}
