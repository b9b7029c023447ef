/* SPDX-License-Identifier: Apache-2.0 */
/* The shipped YAML: complete objects, the configurations inside load and agree with configs/, the
 * daemon may do what the contract lists and nothing more, pods are restricted. What only an API
 * server can say is asked by the end-to-end tests. */
#include <ctype.h>
#include <jansson.h>

#include "server/config/config.h"
#include "server/kube/permissions.h"
#include "server/manifest/manifest.h"
#include "server/object/view_url.h"
#include "test/golden.h"
#include "test/test.h"

/* All documents of the text as an array. */
static json_t *parse(const char *text, const char *name)
{
    SKR_STRBUF(errors);
    struct skr_manifests manifests;
    json_t *documents = json_array();
    skr_manifests_init(&manifests);
    if (skr_manifests_parse(&manifests, name, text, strlen(text), NULL, NULL, &errors) != 0) {
        fail_msg("%s", errors.s);
    }
    for (size_t i = 0; i < manifests.n; i++) {
        json_array_append(documents, manifests.item[i].object);
    }
    skr_manifests_fini(&manifests);
    return documents;
}

static json_t *load(const char *path)
{
    SKR_AUTO_FREE char *text = golden_read(path);
    return parse(text, path);
}

/* Value below a path of keys and indices, "a/b/0/c". */
static json_t *at(json_t *json, const char *path)
{
    char part[128];
    while (json && *path) {
        size_t n = strcspn(path, "/");
        snprintf(part, sizeof part, "%.*s", (int)n, path);
        json = json_is_array(json) ? json_array_get(json, (size_t)strtoul(part, NULL, 10))
                                   : json_object_get(json, part);
        path += path[n] ? n + 1 : n;
    }
    return json;
}

/* Of a scalar; borrowed until the next call. */
static const char *text_at(json_t *json, const char *path)
{
    static char number[24];
    const json_t *value = at(json, path);
    if (json_is_integer(value)) {
        snprintf(number, sizeof number, "%lld", (long long)json_integer_value(value));
        return number;
    }
    const char *text = json_string_value(value);
    return json_is_true(value) ? "true" : json_is_false(value) ? "false" : text ? text : "";
}

static json_t *find(json_t *documents, const char *kind, const char *name)
{
    size_t i;
    json_t *document;
    json_array_foreach(documents, i, document)
    {
        if (strcmp(text_at(document, "kind"), kind) == 0 &&
            strcmp(text_at(document, "metadata/name"), name) == 0) {
            return document;
        }
    }
    fail_msg("no %s %s", kind, name);
    return NULL;
}

/* ---- tests ---- */

static const char *const files[] = {
    "manifests/install.yaml",        "manifests/gate-policy.yaml",
    "manifests/gate-webhook.yaml",   "manifests/account-policy.yaml",
    "manifests/group-policy.yaml",   "manifests/spotmix-webhook.yaml",
    "manifests/spotmix-alerts.yaml", "manifests/namespace.yaml",
    "manifests/alerts.yaml",         "manifests/provisioning.yaml",
    "manifests/kueue.yaml"};

TEST(every_document_is_a_named_object_with_our_label)
{
    for (size_t f = 0; f < sizeof files / sizeof files[0]; f++) {
        json_auto_t *documents = load(files[f]);
        size_t i;
        json_t *document;
        assert_true(json_array_size(documents) > 0);
        json_array_foreach(documents, i, document)
        {
            assert_string_not_equal(text_at(document, "apiVersion"), "");
            assert_string_not_equal(text_at(document, "kind"), "");
            assert_string_not_equal(text_at(document, "metadata/name"), "");
            json_t *labels = at(document, "metadata/labels");
            assert_string_equal(
                json_string_value(json_object_get(labels, "app.kubernetes.io/name")), "sakkara");
        }
    }
}

TEST(the_daemons_configuration_loads)
{
    json_auto_t *documents = load(files[0]);
    const char *text = text_at(find(documents, "ConfigMap", "sakkara-config"), "data/sakkara.yaml");
    struct skr_findings findings;
    SKR_AUTO(skr_config_destroy) struct skr_config *config = NULL;
    skr_findings_init(&findings);
    assert_int_equal(skr_config_parse(text, strlen(text), &config, &findings), 0);
    assert_int_equal(findings.n, 0);
    assert_string_equal(config->settings.topology_namespace, "sakkara");
    assert_string_equal(config->admin_listen, "127.0.0.1:9662");
    assert_string_equal(config->probes_listen, "0.0.0.0:9663");
    assert_int_equal(config->leader_mode, SKR_LEADER_SCHEDULER);
}

/* Of a schema, below a path "a.b": whether it knows the key. */
static bool knows(json_t *schema, const char *key)
{
    while (schema && *key) {
        const size_t n = strcspn(key, ".");
        schema =
            json_object_get(json_object_get(schema, "properties"), test_text("%.*s", (int)n, key));
        key += key[n] ? n + 1 : n;
    }
    return !!schema;
}

static size_t count_leaves(json_t *schema)
{
    json_t *properties = json_object_get(schema, "properties"), *one;
    const char *key;
    size_t n = properties ? 0 : 1;
    json_object_foreach(properties, key, one)
    {
        n += count_leaves(one);
    }
    return n;
}

/* The chart refuses a misspelt option before the daemon would. */
TEST(the_charts_schema_has_every_option_of_the_configuration_and_no_other)
{
    SKR_AUTO_FREE char *text = golden_read("manifests/chart/sakkara/values.schema.json");
    json_auto_t *schema = json_loads(text, 0, NULL);
    json_t *config = at(schema, "properties/config");
    SKR_STRBUF(help);
    char key[128];
    size_t n = 0;
    skr_config_write_help(&help);
    for (const char *line = help.s; line && *line; line = strchr(line, '\n') + 1) {
        if (strncmp(line, "  ", 2) != 0 || line[2] == ' ' || sscanf(line, " %127s", key) != 1 ||
            strcmp(key, "apiVersion") == 0 || strcmp(key, "kind") == 0) {
            continue;
        }
        n++;
        if (!knows(config, key)) {
            fail_msg("manifests/chart/sakkara/values.schema.json lacks config.%s", key);
        }
    }
    assert_true(n > 40);
    assert_int_equal(count_leaves(config), n);
}

TEST(the_schedulers_configuration_is_the_shipped_one)
{
    json_auto_t *documents = load(files[0]);
    json_auto_t *shipped = load("configs/scheduler.yaml");
    const char *text =
        text_at(find(documents, "ConfigMap", "sakkara-config"), "data/scheduler.yaml");
    json_auto_t *embedded = parse(text, "scheduler.yaml");
    assert_true(json_equal(embedded, shipped));
}

TEST(the_scheduler_calls_where_the_daemon_listens)
{
    json_auto_t *shipped = load("configs/scheduler.yaml");
    json_t *scheduler = at(shipped, "0");
    SKR_AUTO(skr_config_destroy) struct skr_config *config = skr_config_default();
    char url[128], timeout[64];
    snprintf(url, sizeof url, "http://%s/v1", config->extender_listen);
    assert_string_equal(text_at(scheduler, "extenders/0/urlPrefix"), url);
    snprintf(url, sizeof url, "http://%s/v1", config->bind_listen);
    assert_string_equal(text_at(scheduler, "extenders/1/urlPrefix"), url);
    snprintf(timeout, sizeof timeout, "%llds",
             (long long)(config->settings.bind_timeout / SKR_SECOND));
    assert_string_equal(text_at(scheduler, "extenders/1/httpTimeout"), timeout);
    for (size_t i = 0; i < 2; i++) {
        json_t *extender = json_array_get(at(scheduler, "extenders"), i);
        assert_string_equal(text_at(extender, "nodeCacheCapable"), "true");
        assert_string_equal(text_at(extender, "ignorable"), "false");
        assert_null(at(extender, "managedResources"));
        assert_string_equal(text_at(json_array_get(at(scheduler, "profiles"), i), "schedulerName"),
                            config->settings.scheduler_name[i]);
    }
    assert_null(at(scheduler, "extenders/2"));
}

/* What a role gives, as "group resource/subresource verb": true. */
static void add_rules(json_t *set, json_t *role)
{
    json_t *rule, *group, *resource, *verb;
    size_t i, g, r, v;
    json_array_foreach(at(role, "rules"), i, rule)
    {
        json_array_foreach(at(rule, "apiGroups"), g, group)
        {
            json_array_foreach(at(rule, "resources"), r, resource)
            {
                json_array_foreach(at(rule, "verbs"), v, verb)
                {
                    char text[256];
                    snprintf(text, sizeof text, "%s %s %s", json_string_value(group),
                             json_string_value(resource), json_string_value(verb));
                    json_object_set_new(set, text, json_true());
                }
            }
        }
    }
}

/* Cluster-wide, and in the daemon's namespace. */
static void add_role(json_t *set, const char *path, const char *name)
{
    json_t *documents = load(path), *document;
    size_t i;
    json_array_foreach(documents, i, document)
    {
        const char *kind = text_at(document, "kind");
        if (strcmp(text_at(document, "metadata/name"), name) == 0 &&
            (strcmp(kind, "ClusterRole") == 0 || strcmp(kind, "Role") == 0)) {
            add_rules(set, document);
        }
    }
    json_decref(documents);
}

static json_t *asked_for(const struct skr_permission_needs *needs)
{
    struct skr_permission list[SKR_PERMISSIONS_MAX];
    json_t *set = json_object();
    size_t n = skr_permissions_list(needs, list);
    for (size_t i = 0; i < n; i++) {
        char text[256];
        snprintf(text, sizeof text, "%s %s%s%s %s", list[i].group, list[i].resource,
                 list[i].subresource[0] ? "/" : "", list[i].subresource, list[i].verb);
        json_object_set_new(set, text, json_true());
    }
    return set;
}

static const struct role_row {
    const char *title;
    const char *path, *name; /* NULL: install.yaml's alone */
    struct skr_permission_needs needs;
} roles[] = {
    {"gang", NULL, NULL, {.rollback = false}},
    {"provisioning", "manifests/provisioning.yaml", "sakkara-provisioning", {.provisioning = true}},
    {"kueue", "manifests/kueue.yaml", "sakkara-kueue", {.kueue = true}},
    {"spotmix",
     "manifests/spotmix-webhook.yaml",
     "sakkara-spotmix",
     {.spotmix = true, .spotmix_name = "sakkara-spotmix"}},
    {"ocm", "manifests/ocm/rbac.yaml", "sakkara-ocm", {.ocm = true}},
    {"karmada", "manifests/karmada/rbac.yaml", "sakkara-karmada", {.karmada = true}},
};

TEST_EACH(role_row, roles, what_is_asked_for_at_the_start_is_what_the_roles_give)
{
    json_t *given = json_object(), *asked = asked_for(&role_row->needs);
    const char *text;
    json_t *value;
    add_role(given, files[0], "sakkara");
    add_role(given, files[0], "sakkara-workloads");
    if (role_row->path) {
        add_role(given, role_row->path, role_row->name);
    }
    json_object_foreach(given, text, value)
    {
        if (!json_object_get(asked, text)) {
            fail_msg("given and not asked for: %s", text);
        }
    }
    json_object_foreach(asked, text, value)
    {
        if (!json_object_get(given, text)) {
            fail_msg("asked for and not given: %s", text);
        }
    }
    json_decref(given);
    json_decref(asked);
}

TEST(every_binding_leads_to_an_account_that_exists)
{
    json_auto_t *documents = load(files[0]);
    size_t i;
    json_t *document;
    json_array_foreach(documents, i, document)
    {
        if (!strstr(text_at(document, "kind"), "RoleBinding")) {
            continue;
        }
        assert_string_equal(text_at(document, "subjects/0/kind"), "ServiceAccount");
        assert_string_equal(text_at(document, "subjects/0/namespace"), "sakkara");
        find(documents, "ServiceAccount", text_at(document, "subjects/0/name"));
        const char *role = text_at(document, "roleRef/name");
        bool built_in = strncmp(role, "system:", 7) == 0 || strstr(role, "extension-apiserver");
        if (!built_in) {
            find(documents, text_at(document, "roleRef/kind"), role);
        }
    }
}

/* RBAC gives a role to an account, kubelet a token to every container that does not refuse it. */
TEST(only_the_daemons_container_has_the_daemons_token)
{
    json_auto_t *documents = load(files[0]);
    json_t *pod = at(find(documents, "Deployment", "sakkara"), "spec/template/spec");
    assert_string_equal(text_at(pod, "automountServiceAccountToken"), "false");
    assert_string_equal(
        text_at(find(documents, "ServiceAccount", "sakkara"), "automountServiceAccountToken"),
        "false");
    assert_string_equal(text_at(find(documents, "ServiceAccount", "sakkara-scheduler"),
                                "automountServiceAccountToken"),
                        "false");
    for (size_t c = 0; c < 2; c++) {
        json_t *container = json_array_get(at(pod, "containers"), c);
        size_t i;
        json_t *mount;
        bool has = false;
        json_array_foreach(at(container, "volumeMounts"), i, mount)
        {
            has = has || strcmp(text_at(mount, "name"), "account") == 0;
        }
        assert_int_equal(has, strcmp(text_at(container, "name"), "sakkara") == 0);
    }
}

/* Ports that other machines reach are those of the NetworkPolicy; the rest is on loopback. */
TEST(the_network_reaches_probes_and_the_gate_alone)
{
    json_auto_t *documents = load(files[0]);
    json_t *policy = find(documents, "NetworkPolicy", "sakkara");
    json_t *ports = at(policy, "spec/ingress/0/ports");
    assert_int_equal(json_array_size(at(policy, "spec/ingress")), 1);
    assert_int_equal(json_array_size(ports), 2);
    assert_string_equal(text_at(policy, "spec/policyTypes/0"), "Ingress");
    assert_string_equal(text_at(policy, "spec/ingress/0/ports/0/port"), "9663");
    assert_string_equal(text_at(policy, "spec/ingress/0/ports/1/port"), "9443");
}

/* Of the webhook and of `kubectl sakkara`: two Services of one name would replace each other. */
TEST(one_service_leads_to_the_daemon_and_the_commands_default_is_it)
{
    json_t *documents = load("manifests/install.yaml"),
           *webhook = load("manifests/gate-webhook.yaml");
    json_t *service = find(documents, "Service", "sakkara"), *document;
    json_t *hook = find(webhook, "MutatingWebhookConfiguration", "sakkara-gate");
    char name[128];
    size_t i;
    snprintf(name, sizeof name, "http:%s:%s", text_at(service, "metadata/name"),
             text_at(service, "spec/ports/1/port"));
    assert_string_equal(name, SKR_VIEW_SERVICE_NAME);
    assert_string_equal(text_at(service, "metadata/namespace"), SKR_VIEW_SERVICE_NAMESPACE);
    json_t *client = json_object_get(json_array_get(at(hook, "webhooks"), 0), "clientConfig");
    assert_string_equal(text_at(client, "service/name"), "sakkara");
    assert_string_equal(text_at(client, "service/port"), text_at(service, "spec/ports/0/port"));
    json_array_foreach(webhook, i, document)
    {
        assert_string_not_equal(text_at(document, "kind"), "Service");
    }
    json_decref(documents);
    json_decref(webhook);
}

TEST(the_namespace_with_the_users_topology_is_not_deleted_with_the_rest)
{
    json_t *documents = load("manifests/install.yaml"),
           *namespaces = load("manifests/namespace.yaml");
    json_t *document;
    size_t i;
    find(namespaces, "Namespace", "sakkara");
    json_array_foreach(documents, i, document)
    {
        assert_string_not_equal(text_at(document, "kind"), "Namespace");
    }
    json_decref(documents);
    json_decref(namespaces);
}

TEST(every_container_has_requests_and_limits)
{
    json_t *documents = load("manifests/install.yaml"), *container;
    json_t *pod = at(find(documents, "Deployment", "sakkara"), "spec/template/spec");
    size_t i;
    json_array_foreach(at(pod, "containers"), i, container)
    {
        assert_string_not_equal(text_at(container, "resources/requests/cpu"), "");
        assert_string_not_equal(text_at(container, "resources/requests/memory"), "");
        assert_string_not_equal(text_at(container, "resources/limits/cpu"), "");
        assert_string_not_equal(text_at(container, "resources/limits/memory"), "");
    }
    json_decref(documents);
}

TEST(the_pod_is_restricted_and_has_a_standby)
{
    json_auto_t *documents = load(files[0]);
    json_t *deployment = find(documents, "Deployment", "sakkara");
    json_t *pod = at(deployment, "spec/template/spec");
    assert_string_equal(text_at(deployment, "spec/replicas"), "2");
    assert_string_equal(text_at(pod, "serviceAccountName"), "sakkara");
    assert_string_equal(text_at(pod, "schedulerName"), "default-scheduler");
    assert_string_equal(text_at(pod, "securityContext/runAsNonRoot"), "true");
    assert_string_equal(text_at(pod, "securityContext/seccompProfile/type"), "RuntimeDefault");
    assert_null(at(pod, "hostNetwork"));
    assert_int_equal(json_array_size(at(pod, "containers")), 2);
    for (size_t i = 0; i < 2; i++) {
        json_t *context = at(json_array_get(at(pod, "containers"), i), "securityContext");
        assert_string_equal(text_at(context, "allowPrivilegeEscalation"), "false");
        assert_string_equal(text_at(context, "readOnlyRootFilesystem"), "true");
        assert_string_equal(text_at(context, "capabilities/drop/0"), "ALL");
    }
}

TEST(both_gates_match_the_same_pods_and_never_stand_in_the_way)
{
    json_t *policy = load(files[1]), *webhook = load(files[2]);
    json_t *p = at(find(policy, "MutatingAdmissionPolicy", "sakkara-gate"), "spec");
    json_t *w = at(find(webhook, "MutatingWebhookConfiguration", "sakkara-gate"), "webhooks/0");
    assert_true(json_equal(at(p, "matchConditions"), at(w, "matchConditions")));
    assert_string_equal(text_at(p, "failurePolicy"), "Ignore");
    assert_string_equal(text_at(w, "failurePolicy"), "Ignore");
    assert_string_equal(text_at(w, "clientConfig/service/path"), "/v1/gate");
    assert_string_equal(text_at(p, "mutations/0/patchType"), "ApplyConfiguration");
    json_t *all = at(find(policy, "MutatingAdmissionPolicy", "sakkara-gate-namespaces"), "spec");
    json_t *binding = at(find(policy, "MutatingAdmissionPolicyBinding", "sakkara-gate-namespaces"),
                         "spec/matchResources");
    json_t *of = at(find(webhook, "MutatingWebhookConfiguration", "sakkara-gate"), "webhooks/1");
    assert_true(json_equal(at(all, "matchConditions"), at(of, "matchConditions")));
    assert_true(json_equal(at(binding, "namespaceSelector"), at(of, "namespaceSelector")));
    assert_string_equal(text_at(of, "failurePolicy"), "Ignore");
    assert_string_equal(text_at(of, "clientConfig/service/path"), "/v1/gate/namespaces");
    assert_non_null(
        strstr(text_at(p, "mutations/0/applyConfiguration/expression"), "name: \"sakkara.gang\""));
    json_decref(policy);
    json_decref(webhook);
}

/* ---- alerts ---- */

/* Words of an expression that name metrics: those with our prefix, or the API server's. */
static void check_metrics(const char *expr, const char *reference)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz_0123456789";
    for (const char *p = expr; *p; p += p[0] != '\0') {
        const size_t n = strspn(p, letters);
        char name[128], quoted[136];
        if (strncmp(p, "sakkara_", 8) == 0) {
            assert_true(n < sizeof name);
            memcpy(name, p, n);
            name[n] = '\0';
            char *bucket = strstr(name, "_bucket");
            if (bucket) {
                *bucket = '\0';
            }
            snprintf(quoted, sizeof quoted, "`%s`", name);
            if (!strstr(reference, quoted)) {
                fail_msg("no metric %s in docs/reference.md", name);
            }
        }
        p += n > 0 ? n - 1 : 0;
    }
}

static const struct alerts_row {
    const char *title;
    const char *path, *name;
    size_t least;
    bool has_runbooks;
} alerts[] = {
    {"gangs", "manifests/alerts.yaml", "sakkara", 8, true},
    {"spotmix", "manifests/spotmix-alerts.yaml", "sakkara-spotmix", 6, false},
};

/* The heading behind the anchor: "#### SakkaraNoLeader". */
static void check_runbook(json_t *alert, const char *operations)
{
    char url[160], heading[160];
    const char *name = text_at(alert, "alert");
    snprintf(url, sizeof url, "docs/operations.md#%s", name);
    for (char *c = url + strlen("docs/operations.md#"); *c; c++) {
        *c = (char)tolower(*c);
    }
    assert_string_equal(text_at(alert, "annotations/runbook_url"), url);
    snprintf(heading, sizeof heading, "#### %s\n", name);
    if (!strstr(operations, heading)) {
        fail_msg("docs/operations.md has no heading %s", name);
    }
}

TEST_EACH(alerts_row, alerts, every_alert_is_about_a_metric_that_exists_and_says_what_to_do)
{
    json_auto_t *documents = load(alerts_row->path);
    json_t *rule = find(documents, "PrometheusRule", alerts_row->name);
    json_t *rules = at(rule, "spec/groups/0/rules"), *alert;
    SKR_AUTO_FREE char *reference = golden_read("docs/reference.md");
    SKR_AUTO_FREE char *operations = golden_read("docs/operations.md");
    size_t i;
    assert_true(json_array_size(rules) >= alerts_row->least);
    json_array_foreach(rules, i, alert)
    {
        assert_string_not_equal(text_at(alert, "alert"), "");
        assert_string_not_equal(text_at(alert, "labels/severity"), "");
        assert_string_not_equal(text_at(alert, "annotations/summary"), "");
        assert_string_not_equal(text_at(alert, "annotations/description"), "");
        check_metrics(text_at(alert, "expr"), reference);
        if (alerts_row->has_runbooks) {
            check_runbook(alert, operations);
        }
    }
}

/* ---- dashboard ---- */

static bool overlap(json_t *a, json_t *b)
{
    const long ax = strtol(text_at(a, "x"), NULL, 10), ay = strtol(text_at(a, "y"), NULL, 10);
    const long aw = strtol(text_at(a, "w"), NULL, 10), ah = strtol(text_at(a, "h"), NULL, 10);
    const long bx = strtol(text_at(b, "x"), NULL, 10), by = strtol(text_at(b, "y"), NULL, 10);
    const long bw = strtol(text_at(b, "w"), NULL, 10), bh = strtol(text_at(b, "h"), NULL, 10);
    return ax < bx + bw && bx < ax + aw && ay < by + bh && by < ay + ah;
}

static void check_panel(json_t *panels, size_t i, const char *reference)
{
    json_t *panel = json_array_get(panels, i), *target;
    size_t k;
    assert_string_not_equal(text_at(panel, "title"), "");
    assert_string_not_equal(text_at(panel, "description"), "");
    assert_string_not_equal(text_at(panel, "fieldConfig/defaults/unit"), "");
    assert_string_equal(text_at(panel, "datasource/uid"), "${datasource}");
    for (size_t other = 0; other < i; other++) {
        json_t *before = json_array_get(panels, other);
        assert_false(json_equal(at(panel, "id"), at(before, "id")));
        assert_false(overlap(at(panel, "gridPos"), at(before, "gridPos")));
    }
    json_array_foreach(at(panel, "targets"), k, target)
    {
        const char *expr = text_at(target, "expr");
        check_metrics(expr, reference);
        assert_non_null(strstr(expr, "job=~\"$job\""));
    }
    assert_true(json_array_size(at(panel, "targets")) > 0);
}

TEST(every_panel_of_the_dashboard_shows_metrics_that_exist_in_a_place_of_its_own)
{
    SKR_AUTO_FREE char *text = golden_read("manifests/chart/sakkara/files/dashboard.json");
    SKR_AUTO_FREE char *reference = golden_read("docs/reference.md");
    json_auto_t *dashboard = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    json_t *panels = at(dashboard, "panels");
    assert_true(json_array_size(panels) >= 10 && json_array_size(panels) <= 14);
    assert_string_equal(text_at(dashboard, "templating/list/0/name"), "datasource");
    assert_string_equal(text_at(dashboard, "templating/list/1/name"), "job");
    for (size_t i = 0; i < json_array_size(panels); i++) {
        check_panel(panels, i, reference);
    }
}
