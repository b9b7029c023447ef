/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KubeSchedulerConfiguration. Its own rules are those of the reader that the simulated cluster uses.
 * The rules here are about entries of `extenders` for sakkara: the urlPrefix ends in /v1, and the
 * verbs have our names. They are compared with the daemon's configuration among the files, or the
 * default one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/lint/parts.h"
#include "server/manifest/scheduler_config.h"
#include "topology/base/json_field.h"
#include "topology/duration.h"

enum { ENTRIES_MAX = SKR_SCHEDULER_EXTENDERS_MAX, PATH_BYTES = 128 };

#define DEFAULT_TIMEOUT (5 * SKR_SECOND) /* of kube-scheduler */
#define LONGEST_FOR_FILTER \
    (30 * SKR_SECOND) /* a scheduling cycle waits that long for a dead daemon */

struct entry {
    const struct lint_object *object;
    const json_t *json;
    char path[64]; /* "extenders[1]" */
    bool filters, binds;
};

static struct lint_place at(const struct entry *e, const char *key)
{
    char path[PATH_BYTES];
    (void)snprintf(path, sizeof path, "%.64s.%.40s", e->path, key);
    return lint_at(e->object, path);
}

/* ---- one entry ---- */

static bool ends_in_v1(const char *url)
{
    size_t n = strlen(url);
    n -= n > 0 && url[n - 1] == '/' ? 1 : 0;
    return n > 3 && strncmp(url + n - 3, "/v1", 3) == 0;
}

static bool read_entry(const struct lint_object *o, const json_t *json, size_t i, struct entry *ret)
{
    *ret = (struct entry){.object = o, .json = json};
    ret->filters = strcmp(skr_object_text(json, "filterVerb"), "filter") == 0;
    ret->binds = strcmp(skr_object_text(json, "bindVerb"), "bind") == 0;
    (void)snprintf(ret->path, sizeof ret->path, "extenders[%zu]", i);
    return ends_in_v1(skr_object_text(json, "urlPrefix")) && (ret->filters || ret->binds);
}

/* false: absent, or reported by the reader as no duration. */
static bool read_timeout(const struct entry *e, skr_time *ret)
{
    const char *text = skr_object_text(e->json, "httpTimeout");
    *ret = DEFAULT_TIMEOUT;
    if (text[0] == '\0') {
        return false;
    }
    return skr_duration_parse(text, ret, NULL) == 0;
}

static void check_switches(struct skr_lint *lint, const struct entry *e)
{
    if (json_is_true(json_object_get(e->json, "ignorable"))) {
        lint_tell(lint, e->object, "Ignorable", at(e, "ignorable"), NULL,
                  "%s: ignorable: true binds part of a group when the daemon does not answer",
                  e->path);
    }
    if (!json_is_true(json_object_get(e->json, "nodeCacheCapable"))) {
        lint_tell(lint, e->object, "NodeCacheCapable", at(e, "nodeCacheCapable"), NULL,
                  "%s: nodeCacheCapable: true is needed: the daemon takes names of nodes alone",
                  e->path);
    }
    if (json_array_size(json_object_get(e->json, "managedResources")) > 0) {
        lint_tell(lint, e->object, "ManagedResources", at(e, "managedResources"), NULL,
                  "%s: managedResources keeps pods without these resources from the daemon: "
                  "members among them are bound one by one",
                  e->path);
    }
    if (e->filters && e->binds) {
        lint_tell(lint, e->object, "SharedEntry", at(e, "bindVerb"), NULL,
                  "%s: filter and bind in one entry: held binds need a long httpTimeout, filter a "
                  "short one; make it two entries",
                  e->path);
    }
}

static void check_filter_timeout(struct skr_lint *lint, const struct entry *e)
{
    char text[SKR_DURATION_TEXT_MAX];
    skr_time timeout;
    if (read_timeout(e, &timeout) && timeout > LONGEST_FOR_FILTER) {
        skr_duration_write(timeout, text, sizeof text);
        lint_tell(lint, e->object, "FilterTimeout", at(e, "httpTimeout"), NULL,
                  "%s: httpTimeout %s: all of scheduling stands still that long when the daemon "
                  "does not answer; 3s will do",
                  e->path, text);
    }
}

static void check_bind_timeout(struct skr_lint *lint, const struct entry *e)
{
    char have[SKR_DURATION_TEXT_MAX], need[SKR_DURATION_TEXT_MAX];
    const skr_time bind = lint->config->settings.bind_timeout;
    skr_time timeout;
    const bool given = read_timeout(e, &timeout);
    struct lint_place see;
    if (timeout == bind || (!given && json_object_get(e->json, "httpTimeout"))) {
        return;
    }
    if (lint->config_object) {
        see = lint_at(lint->config_object, "extender.bindTimeout");
    }
    skr_duration_write(timeout, have, sizeof have);
    skr_duration_write(bind, need, sizeof need);
    lint_tell(lint, e->object, "BindTimeout", at(e, "httpTimeout"),
              lint->config_object ? &see : NULL,
              "%s: httpTimeout %s%s, extender.bindTimeout %s%s: %s", e->path, have,
              given ? "" : " (the default)", need, lint->config_object ? "" : " (the default)",
              timeout < bind ? "kube-scheduler hangs up before the daemon answers"
                             : "they should be equal");
}

/* "127.0.0.1:9660" of a listen address or of "http://127.0.0.1:9660/v1": the port, 0: none. */
static long port_of(const char *text)
{
    const char *host = strstr(text, "://");
    host = host ? host + 3 : text;
    const size_t n = strcspn(host, "/");
    const char *colon = NULL;
    for (size_t i = 0; i < n; i++) {
        colon = host[i] == ':' ? host + i : colon;
    }
    return colon ? strtol(colon + 1, NULL, 10) : 0;
}

static void check_port(struct skr_lint *lint, const struct entry *e, const char *listen,
                       const char *option)
{
    const long port = port_of(skr_object_text(e->json, "urlPrefix"));
    if (!lint->config_object || port == 0 || port_of(listen) == 0 || port == port_of(listen)) {
        return;
    }
    const struct lint_place see = lint_at(lint->config_object, option);
    lint_tell(lint, e->object, "ListenMismatch", at(e, "urlPrefix"), &see,
              "%s: urlPrefix has port %ld, %s is %s", e->path, port, option, listen);
}

static void check_entry(struct skr_lint *lint, const struct entry *e)
{
    check_switches(lint, e);
    if (e->filters && !e->binds) {
        check_filter_timeout(lint, e);
        check_port(lint, e, lint->config->extender_listen, "extender.listen");
    }
    if (e->binds) {
        check_bind_timeout(lint, e);
        check_port(lint, e, e->filters ? lint->config->extender_listen : lint->config->bind_listen,
                   e->filters ? "extender.listen" : "extender.bindListen");
    }
}

/* ---- profiles ---- */

static bool disables_at(const json_t *profile, const char *point, const char *plugin)
{
    const json_t *plugins = json_object_get(profile, "plugins");
    const json_t *list = json_object_get(json_object_get(plugins, point), "disabled");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = skr_object_text(json_array_get(list, i), "name");
        if (strcmp(name, plugin) == 0 || strcmp(name, "*") == 0) {
            return true;
        }
    }
    return false;
}

/* The plugins of the in-tree gang scheduler. If they and their feature gates are on, they fail members
 * of groups that they count as too small, and undo nominations of sakkara. */
static void check_gang_plugins(struct skr_lint *lint, const struct lint_object *o,
                               const json_t *profile, const char *path)
{
    for (size_t i = 0; i < SKR_SCHEDULER_GANG_PLUGINS; i++) {
        if (!disables_at(profile, "multiPoint", skr_scheduler_gang_plugin[i])) {
            lint_tell(lint, o, "GangPlugins", lint_at(o, path), NULL,
                      "profile %.64s does not disable %s: pods of a Job that has a PodGroup of "
                      "Kubernetes' own are judged twice",
                      skr_object_text(profile, "schedulerName"), skr_scheduler_gang_plugin[i]);
            return;
        }
    }
}

static void check_profiles(struct skr_lint *lint, const struct lint_object *o)
{
    const json_t *profiles = json_object_get(o->json, "profiles");
    char path[PATH_BYTES];
    bool found = false;
    for (size_t i = 0; i < json_array_size(profiles); i++) {
        const json_t *profile = json_array_get(profiles, i);
        const char *name = skr_object_text(profile, "schedulerName");
        if (!lint_is_ours(lint, name)) {
            continue;
        }
        found = true;
        (void)snprintf(path, sizeof path, "profiles[%zu].plugins", i);
        if (!disables_at(profile, "multiPoint", "DefaultPreemption") &&
            !disables_at(profile, "postFilter", "DefaultPreemption")) {
            lint_tell(lint, o, "DefaultPreemption", lint_at(o, path), NULL,
                      "profile %.64s does not disable DefaultPreemption: it evicts pods one by "
                      "one, blind to groups",
                      name);
        }
        check_gang_plugins(lint, o, profile, path);
    }
    if (!found) {
        lint_tell(lint, o, "NoProfile", lint_at(o, "profiles"), NULL,
                  "no profile has a schedulerName that is ours (%.64s): no pod would be a member",
                  lint->config->settings.scheduler_name[0]);
    }
}

/* ---- the whole ---- */

static void check_entries(struct skr_lint *lint, const struct lint_object *o)
{
    const json_t *list = json_object_get(o->json, "extenders");
    bool filters = false, binds = false;
    size_t n = 0;
    for (size_t i = 0; i < json_array_size(list) && i < ENTRIES_MAX; i++) {
        struct entry entry;
        if (read_entry(o, json_array_get(list, i), i, &entry)) {
            check_entry(lint, &entry);
            filters = filters || entry.filters;
            binds = binds || entry.binds;
            n++;
        }
    }
    if (n > 0 && !(filters && binds)) {
        lint_tell(lint, o, "MissingEntry", lint_at(o, "extenders"), NULL, "no entry with %s: %s",
                  filters ? "bindVerb: bind" : "filterVerb: filter",
                  filters ? "members would be bound one by one" : "plans would not be kept to");
    }
    if (n > 0) {
        check_profiles(lint, o);
    }
}

static void check_scheduler(struct skr_lint *lint, const struct lint_object *o)
{
    struct skr_findings findings;
    struct skr_scheduler_config *config = NULL;
    if (o->text->n_objects == 1) {
        skr_findings_init(&findings);
        (void)skr_scheduler_config_parse(o->text->text, o->text->n, &config, &findings);
        lint_tell_findings(lint, o, &findings);
        skr_scheduler_config_destroy(config);
    } else {
        lint_tell(lint, o, "SecondDocument", lint_at(o, ""), NULL,
                  "the configuration must be a file of its own");
    }
    check_entries(lint, o);
}

void lint_schedulers(struct skr_lint *lint)
{
    for (size_t i = 0; i < lint->n_objects; i++) {
        if (strcmp(lint->object[i]->kind, "KubeSchedulerConfiguration") == 0) {
            check_scheduler(lint, lint->object[i]);
        }
    }
}
