/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices, volumes and shared claims: what ResourceClaims, ResourceClaimTemplates and DeviceClasses ask for, and
 * pods of a group that name one claim. Selectors are compiled and run by the code that plans
 * (core/devices/selector.h).
 */
#include <stdio.h>
#include <string.h>

#include "core/devices/selector.h"
#include "core/group/roles.h"
#include "server/lint/parts.h"
#include "server/manifest/kinds.h"
#include "server/object/path.h"
#include "topology/base/suggest.h"

enum { PATH_BYTES = 256, CLASSES_MAX = 256 };

#define DRA          "resource.k8s.io"
#define CHANNEL      "compute-domain-default-channel.nvidia.com"
#define ONE_POD      "ReadWriteOncePod"
#define NOTHING_ELSE "; devices are not counted, and kube-scheduler decides"

/* ---- selectors ---- */

struct selector {
    struct skr_lint *lint;
    const struct lint_object *object;
    const char *path;
    const struct skr_device_selector *of;
};

/* The first device of the slice for which it fails. */
static bool tell_failing(const struct selector *s, const struct skr_device_slice *slice)
{
    SKR_AUTO_FREE uint8_t *answer = skr_alloc(slice->n_devices + 1);
    size_t i = 0;
    skr_device_selector_evaluate(s->of, slice, answer);
    while (i < slice->n_devices && answer[i] != SKR_SELECTOR_FAILS) {
        i++;
    }
    if (i == slice->n_devices) {
        return false;
    }
    const bool assumed = !slice->meta.name[0];
    lint_tell(s->lint, s->object, "SelectorFails", lint_at(s->object, s->path), NULL,
              "the selector fails for %s%s%s%s: a pod fails when kube-scheduler comes to it (guard "
              "each attribute with has())",
              assumed ? "a device of " : "device ", assumed ? slice->driver : slice->device[i].name,
              assumed ? " without attributes" : " of slice ", assumed ? "" : slice->meta.name);
    return true;
}

/* On the devices of the files; without any on one device without attributes, of each driver whose
 * attributes it reads. */
static void try_selector(const struct selector *s)
{
    bool any = false, told = false;
    for (size_t i = 0; !told && i < s->lint->n_objects; i++) {
        const struct lint_object *o = s->lint->object[i];
        SKR_AUTO(skr_device_slice_destroy) struct skr_device_slice *slice = NULL;
        if (lint_is_kind(o, DRA, "ResourceSlice") &&
            skr_device_slice_decode(o->json, &slice, NULL) == 0) {
            any = true;
            told = tell_failing(s, slice);
        }
    }
    for (size_t i = 0; !any && !told && i < s->of->n_domains; i++) {
        static const struct skr_device_kind none = {.n_attributes = 0};
        static const struct skr_device bare = {.name = "", .kind = &none};
        const struct skr_device_slice slice = {
            .meta.name = "", .driver = s->of->domain[i], .n_devices = 1, .device = &bare};
        told = tell_failing(s, &slice);
    }
}

static void check_selectors(struct skr_lint *lint, const struct lint_object *o,
                            const json_t *selectors, const char *base)
{
    for (size_t i = 0; i < json_array_size(selectors); i++) {
        const char *text = skr_path_text(json_array_get(selectors, i), "cel.expression");
        char path[PATH_BYTES];
        (void)snprintf(path, sizeof path, "%s.selectors[%zu].cel.expression", base, i);
        if (!*text) {
            continue;
        }
        struct skr_device_selector *selector = skr_device_selector_create(text);
        if (selector->program) {
            const struct selector s = {lint, o, path, selector};
            try_selector(&s);
        } else {
            lint_tell(lint, o, "SelectorUnmodelled", lint_at(o, path), NULL, "%s" NOTHING_ELSE,
                      selector->why);
        }
        skr_device_selector_destroy(selector);
    }
}

/* ---- requests ---- */

static void check_class(struct skr_lint *lint, const struct lint_object *o, const char *path,
                        const char *group, const char *kind)
{
    const char *name[CLASSES_MAX], *class = skr_path_text(o->json, path);
    size_t n = 0;
    bool found = false;
    for (size_t i = 0; i < lint->n_objects && n < CLASSES_MAX; i++) {
        if (lint_is_kind(lint->object[i], group, kind)) {
            name[n++] = lint->object[i]->name;
            found = found || strcmp(lint->object[i]->name, class) == 0;
        }
    }
    if (n == 0 || n == CLASSES_MAX || found || !*class) {
        return;
    }
    const char *near = skr_suggest(class, name, n);
    lint_tell(lint, o, "UnknownClass", lint_at(o, path), NULL, "no %s \"%.128s\"%s%s%s", kind,
              class, near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
}

static void check_request(struct skr_lint *lint, const struct lint_object *o, const json_t *request,
                          const char *base)
{
    char path[PATH_BYTES];
    (void)snprintf(path, sizeof path, "%s.deviceClassName", base);
    check_class(lint, o, path, DRA, "DeviceClass");
    check_selectors(lint, o, json_object_get(request, "selectors"), base);
}

static bool has_selector(const json_t *request, const json_t *selector)
{
    const json_t *list = json_object_get(request, "selectors");
    size_t i = 0;
    while (i < json_array_size(list) && !json_equal(json_array_get(list, i), selector)) {
        i++;
    }
    return i < json_array_size(list);
}

/* Whether a request takes all devices that the other one takes, and more: it has some of its selectors. */
static bool is_wider(const json_t *wide, const json_t *narrow)
{
    const json_t *list = json_object_get(wide, "selectors");
    size_t i = 0;
    while (i < json_array_size(list) && has_selector(narrow, json_array_get(list, i))) {
        i++;
    }
    return wide && narrow && i == json_array_size(list) &&
           json_array_size(json_object_get(narrow, "selectors")) > i &&
           strcmp(skr_path_text(wide, "deviceClassName"),
                  skr_path_text(narrow, "deviceClassName")) == 0;
}

/* Of alternatives the first one. */
static const json_t *tried_first(const json_t *request)
{
    const json_t *exactly = json_object_get(request, "exactly");
    return exactly ? exactly : json_array_get(json_object_get(request, "firstAvailable"), 0);
}

/* A request for any device of a class takes those that a later one alone can use. */
static void check_order(struct skr_lint *lint, const struct lint_object *o, const json_t *requests,
                        const char *base)
{
    for (size_t i = 0; i < json_array_size(requests); i++) {
        const json_t *wide = json_array_get(requests, i);
        for (size_t k = i + 1; k < json_array_size(requests); k++) {
            const json_t *narrow = json_array_get(requests, k);
            char path[PATH_BYTES];
            if (!is_wider(tried_first(wide), tried_first(narrow))) {
                continue;
            }
            (void)snprintf(path, sizeof path, "%s.requests[%zu]", base, i);
            lint_tell(lint, o, "GreedyOrder", lint_at(o, path), NULL,
                      "request \"%.64s\" takes any device, also those that \"%.64s\" needs: "
                      "kube-scheduler may place fewer pods",
                      skr_path_text(wide, "name"), skr_path_text(narrow, "name"));
            return;
        }
    }
}

/* spec.devices of a claim. */
static void check_claim(struct skr_lint *lint, const struct lint_object *o, const char *base)
{
    const json_t *requests = skr_path_get(skr_path_get(o->json, base), "requests");
    for (size_t i = 0; i < json_array_size(requests); i++) {
        const json_t *request = json_array_get(requests, i);
        const json_t *alternatives = json_object_get(request, "firstAvailable");
        char path[PATH_BYTES];
        (void)snprintf(path, sizeof path, "%s.requests[%zu].exactly", base, i);
        check_request(lint, o, json_object_get(request, "exactly"), path);
        for (size_t k = 0; k < json_array_size(alternatives); k++) {
            (void)snprintf(path, sizeof path, "%s.requests[%zu].firstAvailable[%zu]", base, i, k);
            check_request(lint, o, json_array_get(alternatives, k), path);
        }
    }
    check_order(lint, o, requests, base);
}

/* ---- volumes ---- */

/* A volume of its class serves a claim without the object, too. */
static void check_volume_class(struct skr_lint *lint, const struct lint_object *o)
{
    const char *class = skr_path_text(o->json, "spec.storageClassName");
    bool served = *skr_path_text(o->json, "spec.volumeName");
    for (size_t i = 0; i < lint->n_objects && !served; i++) {
        const struct lint_object *volume = lint->object[i];
        served = strcmp(volume->kind, "PersistentVolume") == 0 &&
                 strcmp(skr_path_text(volume->json, "spec.storageClassName"), class) == 0;
    }
    if (!served) {
        check_class(lint, o, "spec.storageClassName", "storage.k8s.io", "StorageClass");
    }
}

/* ---- pods of a group ---- */

/* The object of this name in the namespace of another one; NULL: none of the files has it. */
static const struct lint_object *find(const struct skr_lint *lint, const char *kind,
                                      const struct lint_object *beside, const char *name)
{
    for (size_t i = 0; i < lint->n_objects; i++) {
        const struct lint_object *o = lint->object[i];
        if (strcmp(o->kind, kind) == 0 && strcmp(o->name, name) == 0 &&
            strcmp(o->namespace_, beside->namespace_) == 0) {
            return o;
        }
    }
    return NULL;
}

/* The rule that sends members to several nodes; NULL: none. */
static const struct skr_level_rule *spreading(const struct skr_lint *lint,
                                              const struct skr_group_spec *spec)
{
    const struct skr_tree *tree = lint->n_trees > 0 ? lint->tree[0].tree : NULL;
    const char *leaf = tree ? tree->level_name[tree->n_levels] : "node";
    const struct skr_level_rule *of = skr_level_rule_find(spec->rule, spec->n_rules, leaf);
    const struct skr_rule *rule = of ? &of->rule : NULL;
    const bool spreads =
        rule && ((rule->max > 0 && rule->max < spec->size) || rule->partitions > 1 ||
                 (rule->hard && rule->type == SKR_RULE_SPREAD));
    return spreads ? of : NULL;
}

static bool is_tight(const struct skr_group_spec *spec)
{
    bool tight = spec->within;
    for (size_t i = 0; !tight && i < spec->n_rules; i++) {
        tight = spec->rule[i].rule.hard;
    }
    return tight;
}

static bool asks_for_channel(const struct lint_object *template)
{
    const json_t *requests =
        template ? skr_path_get(template->json, "spec.spec.devices.requests") : NULL;
    for (size_t i = 0; i < json_array_size(requests); i++) {
        if (strcmp(skr_path_text(json_array_get(requests, i), "exactly.deviceClassName"),
                   CHANNEL) == 0) {
            return true;
        }
    }
    return false;
}

struct member {
    struct skr_lint *lint;
    const struct lint_object *object;
    const char *prefix; /* "" or "spec.template." */
    const struct lint_group *group;
};

static struct lint_place at(const struct member *m, const char *list, size_t i, const char *key)
{
    char path[PATH_BYTES];
    (void)snprintf(path, sizeof path, "%sspec.%s[%zu].%s", m->prefix, list, i, key);
    return lint_at(m->object, path);
}

static void check_pod_claim(const struct member *m, const json_t *claim, size_t i)
{
    const struct skr_group_spec *spec = m->group->spec;
    const char *shared = skr_path_text(claim, "resourceClaimName");
    const char *template = skr_path_text(claim, "resourceClaimTemplateName");
    const struct skr_level_rule *rule = spreading(m->lint, spec);
    if (*shared && rule && m->prefix[0]) {
        lint_tell(
            m->lint, m->object, "SharedClaimSpreads",
            at(m, "resourceClaims", i, "resourceClaimName"), NULL,
            "all pods share ResourceClaim \"%.128s\", whose devices are on one node; the rule "
            "of level \"%.64s\" of group \"%.64s\" asks for several nodes",
            shared, rule->level, spec->name);
    }
    if (!is_tight(spec) &&
        asks_for_channel(find(m->lint, "ResourceClaimTemplate", m->object, template))) {
        lint_tell(
            m->lint, m->object, "NoCliqueRule",
            at(m, "resourceClaims", i, "resourceClaimTemplateName"), NULL,
            "pods of group \"%.64s\" have a channel of a ComputeDomain, and no hard rule keeps "
            "them on one NVLink domain",
            spec->name);
    }
}

/* kube-scheduler would reserve the claim for the pod twice, which the API server refuses. */
static void check_twice(const struct member *m, const json_t *claims)
{
    for (size_t i = 1; i < json_array_size(claims); i++) {
        const char *name = skr_path_text(json_array_get(claims, i), "resourceClaimName");
        for (size_t k = 0; *name && k < i; k++) {
            if (strcmp(skr_path_text(json_array_get(claims, k), "resourceClaimName"), name) == 0) {
                const struct lint_place see = at(m, "resourceClaims", k, "resourceClaimName");
                lint_tell(m->lint, m->object, "ClaimTwice",
                          at(m, "resourceClaims", i, "resourceClaimName"), &see,
                          "two entries name ResourceClaim \"%.128s\": kube-scheduler never binds "
                          "the pod, and group \"%.64s\" is not placed",
                          name, m->group->spec->name);
                return;
            }
        }
    }
}

static void check_volume(const struct member *m, const json_t *volume, size_t i)
{
    const char *name = skr_path_text(volume, "persistentVolumeClaim.claimName");
    const struct lint_object *claim =
        *name ? find(m->lint, "PersistentVolumeClaim", m->object, name) : NULL;
    if (claim && m->prefix[0] && m->group->spec->size > 1 &&
        skr_path_holds(skr_path_get(claim->json, "spec.accessModes"), ONE_POD)) {
        const struct lint_place see = lint_at(claim, "spec.accessModes");
        lint_tell(m->lint, m->object, "SharedPvc",
                  at(m, "volumes", i, "persistentVolumeClaim.claimName"), &see,
                  "all pods of group \"%.64s\" mount \"%.128s\", which is " ONE_POD
                  ": one pod runs, and the group is never placed",
                  m->group->spec->name, name);
    }
}

/* path: of the template. */
static void check_member(struct skr_lint *lint, const struct lint_object *o, const char *path)
{
    const json_t *pod = *path ? skr_path_get(o->json, path) : o->json;
    const json_t *spec = json_object_get(pod, "spec"), *one;
    const char *name = skr_path_label(pod, SKR_LABEL_GROUP);
    const struct member m = {lint, o, *path ? "spec.template." : "",
                             name ? lint_find_group(lint, o->namespace_, name) : NULL};
    size_t i;
    if (!m.group || (*path && strcmp(path, "spec.template") != 0)) {
        return;
    }
    json_array_foreach(json_object_get(spec, "resourceClaims"), i, one)
    {
        check_pod_claim(&m, one, i);
    }
    check_twice(&m, json_object_get(spec, "resourceClaims"));
    json_array_foreach(json_object_get(spec, "volumes"), i, one)
    {
        check_volume(&m, one, i);
    }
}

void lint_devices(struct skr_lint *lint)
{
    for (size_t i = 0; i < lint->n_objects; i++) {
        const struct lint_object *o = lint->object[i];
        const char *path = skr_manifest_template_path(o->json);
        if (lint_is_kind(o, DRA, "DeviceClass")) {
            check_selectors(lint, o, skr_path_get(o->json, "spec.selectors"), "spec");
        } else if (lint_is_kind(o, DRA, "ResourceClaim")) {
            check_claim(lint, o, "spec.devices");
        } else if (lint_is_kind(o, DRA, "ResourceClaimTemplate")) {
            check_claim(lint, o, "spec.spec.devices");
        } else if (strcmp(o->kind, "PersistentVolumeClaim") == 0) {
            check_volume_class(lint, o);
        } else if (path) {
            check_member(lint, o, path);
        }
    }
}
