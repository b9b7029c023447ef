/* SPDX-License-Identifier: Apache-2.0 */
/* Creates pods, sends them through a review, and ends them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/lab/driver/mix_webhook.h"
#include "server/lab/simulate/spotmix_parts.h"
#include "server/lab/store/patch.h"
#include "server/object/path.h"
#include "topology/base/arena.h"
#include "topology/base/json_field.h"

bool skr_spotmix_sim_pod_is_live(const struct skr_spotmix_sim_pod *pod)
{
    return pod->persisted && !pod->terminating && !pod->gone;
}

struct skr_spotmix_sim_pod *skr_spotmix_world_find(const struct skr_spotmix_world *world,
                                                   const char *alias)
{
    for (size_t i = world->n_pods; i-- > 0;) {
        if (strcmp(world->pod[i]->alias, alias) == 0) {
            return world->pod[i];
        }
    }
    return NULL;
}

/* ---- the object ---- */

static json_t *member(json_t *object, const char *key)
{
    return json_is_object(json_object_get(object, key)) ? json_object_get(object, key)
                                                        : skr_path_own(object, key);
}

/* A pod template; members of its spec or metadata may also be given directly. */
static json_t *from_template(const json_t *template)
{
    json_t *pod =
        json_pack("{s:s, s:s, s:{}, s:{}}", "apiVersion", "v1", "kind", "Pod", "metadata", "spec");
    const char *key;
    json_t *value;
    json_object_foreach(skr_object_unconst(template), key, value)
    {
        if (strcmp(key, "metadata") == 0 || strcmp(key, "spec") == 0) {
            if (json_is_object(value)) {
                json_object_set_new(pod, key, json_deep_copy(value));
            }
        } else if (strcmp(key, "labels") == 0 || strcmp(key, "annotations") == 0) {
            json_object_set_new(json_object_get(pod, "metadata"), key, json_deep_copy(value));
        } else if (strcmp(key, "apiVersion") != 0 && strcmp(key, "kind") != 0) {
            json_object_set_new(json_object_get(pod, "spec"), key, json_deep_copy(value));
        }
    }
    return pod;
}

static const char *api_version(const char *kind)
{
    return strcmp(kind, "Job") == 0 || strcmp(kind, "CronJob") == 0 ? "batch/v1"
           : strcmp(kind, "Node") == 0                              ? "v1"
                                                                    : "apps/v1";
}

/* StatefulSets name their pods; an alias that is such a name is used. */
static void set_name(struct skr_spotmix_world *world, json_t *meta,
                     const struct skr_spotmix_sim_owner *owner, const json_t *fields)
{
    const char *name = skr_path_text(fields, "name");
    const char *alias = skr_path_text(fields, "pod");
    char text[280];
    json_object_del(meta, "name");
    if (*name != '\0') {
        json_object_set_new(meta, "name", json_string(name));
        return;
    }
    if (owner && strcmp(owner->kind, "StatefulSet") == 0) {
        int64_t ordinal = skr_path_int(world->workload, "spec.ordinals.start", 0);
        snprintf(text, sizeof text, "%s", alias);
        if (skr_spotmix_ordinal_parse(alias, owner->name) < 0) {
            for (size_t i = 0; i < world->n_pods; i++) {
                snprintf(text, sizeof text, "%s-%" PRId64, owner->name, ordinal);
                const char *taken = skr_path_text(world->pod[i]->object, "metadata.name");
                if (world->pod[i]->persisted && !world->pod[i]->gone && strcmp(taken, text) == 0) {
                    ordinal++;
                    i = (size_t)-1;
                }
            }
            snprintf(text, sizeof text, "%s-%" PRId64, owner->name, ordinal);
        }
        json_object_set_new(meta, "name", json_string(text));
        return;
    }
    snprintf(text, sizeof text, "%s-", owner ? owner->name : alias);
    json_object_set_new(meta, "generateName", json_string(text));
}

static json_t *new_object(struct skr_spotmix_world *world, struct skr_spotmix_sim_owner *owner,
                          const json_t *fields)
{
    const json_t *more = skr_path_get(fields, "object_labels");
    json_t *pod = from_template(skr_path_get(world->config, "template"));
    json_t *meta = json_object_get(pod, "metadata");
    if (owner && *owner->hash != '\0') {
        json_object_set_new(member(meta, "labels"), "pod-template-hash", json_string(owner->hash));
    }
    if (json_is_object(more)) {
        json_object_update(member(meta, "labels"), skr_object_unconst(more));
    }
    const char *stranger = owner ? "" : skr_path_text(fields, "owner");
    if (owner || *stranger != '\0') {
        const char *kind = owner ? owner->kind : "ReplicaSet";
        json_object_set_new(meta, "ownerReferences",
                            json_pack("[{s:s, s:s, s:s, s:s, s:b, s:b}]", "apiVersion",
                                      api_version(kind), "kind", kind, "name",
                                      owner ? owner->name : stranger, "uid",
                                      owner ? owner->uid : SKR_SPOTMIX_STRANGER_UID, "controller",
                                      1, "blockOwnerDeletion", 1));
    }
    set_name(world, meta, owner, fields);
    return pod;
}

/* The object that goes through the webhooks again after another webhook's change. */
static json_t *sent_again(const struct skr_spotmix_sim_pod *before, const json_t *fields)
{
    const json_t *more = skr_path_get(fields, "object_labels");
    json_t *pod = json_deep_copy(before->reviewed);
    if (json_is_object(more)) {
        json_object_update(member(json_object_get(pod, "metadata"), "labels"),
                           skr_object_unconst(more));
    }
    return pod;
}

/* ---- the review ---- */

unsigned skr_spotmix_world_post(struct skr_spotmix_world *world, const char *body, size_t len,
                                json_t **ret_response)
{
    SKR_AUTO(skr_spotmix_body_unref)
    struct skr_spotmix_body *read = skr_spotmix_body_read(body, len);
    struct skr_spotmix_review review = {.body = read, .serving = true, .now = world->now};
    struct skr_spotmix_answer answer;
    uint64_t seed = ++world->reviews;
    *ret_response = NULL;
    if (!world->mix) {
        return 503;
    }
    for (size_t i = 0; i < sizeof review.random; i++) { /* splitmix64 */
        seed += UINT64_C(0x9e3779b97f4a7c15);
        uint64_t z = (seed ^ (seed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
        review.random[i] = (unsigned char)(z >> 56);
    }
    skr_spotmix_review(world->mix, &review, &answer);
    while (answer.status == 0) { /* the object does not exist outside the caches either */
        review.tried[answer.lookup.kind] = true;
        skr_strbuf_fini(&answer.body);
        skr_spotmix_review(world->mix, &review, &answer);
    }
    if (answer.status == 200) {
        json_t *json = json_loadb(answer.body.s, answer.body.len, 0, NULL);
        *ret_response = json_incref(json_object_get(json, "response"));
        json_decref(json);
    }
    skr_strbuf_fini(&answer.body);
    return answer.status;
}

static unsigned admit(struct skr_spotmix_world *world, struct skr_spotmix_sim_pod *pod,
                      bool dry_run)
{
    json_auto_t *response = NULL;
    char uid[48];
    snprintf(uid, sizeof uid, "00000000-0000-4000-9000-%012" PRIu64, world->reviews + 1);
    SKR_AUTO_FREE char *body = skr_mix_review_write(
        uid, skr_path_text(world->workload, "metadata.namespace"), pod->object, dry_run);
    const unsigned status = skr_spotmix_world_post(world, body, strlen(body), &response);
    const json_t *warnings = skr_path_get(response, "warnings");
    pod->warnings = warnings ? skr_path_ref(warnings) : json_array();
    pod->patch = skr_mix_review_patch(response);
    if (pod->patch) {
        struct skr_error error;
        json_t *patched = skr_patch_json(pod->object, pod->patch, &error);
        skr_bug_on(!patched);
        json_decref(pod->object);
        pod->object = patched;
        pod->patched = true;
    }
    pod->reviewed = json_deep_copy(pod->object);
    return status;
}

/* ---- the store ---- */

static void persist(struct skr_spotmix_world *world, struct skr_spotmix_sim_pod *pod)
{
    json_t *meta = json_object_get(pod->object, "metadata");
    const char *name = skr_path_text(meta, "name");
    char text[320], created[40];
    if (*name != '\0') {
        for (size_t i = 0; i < world->n_pods; i++) {
            struct skr_spotmix_sim_pod *other = world->pod[i];
            if (other != pod && other->persisted && !other->gone &&
                strcmp(skr_path_text(other->object, "metadata.name"), name) == 0) {
                skr_spotmix_world_remove(world, other); /* names are unique */
            }
        }
    } else {
        snprintf(text, sizeof text, "%s%05zu", skr_path_text(meta, "generateName"), pod->number);
        json_object_set_new(meta, "name", json_string(text));
    }
    snprintf(text, sizeof text, "00000000-0000-4000-8002-%012zu", pod->number);
    skr_time_write(world->now / SKR_SECOND * SKR_SECOND, 0, created, sizeof created);
    json_object_set_new(meta, "namespace",
                        json_string(skr_path_text(world->workload, "metadata.namespace")));
    json_object_set_new(meta, "uid", json_string(text));
    json_object_set_new(meta, "creationTimestamp", json_string(created));
    json_object_set_new(pod->object, "status", json_pack("{s:s}", "phase", "Pending"));
    pod->persisted = true;
}

/* The first pod for a ReplicaSet that no rollout has named puts it into the current revision. */
static void note_use(struct skr_spotmix_world *world, struct skr_spotmix_sim_owner *owner)
{
    if (owner && owner->revision == 0 && world->current) {
        owner->revision = world->current->revision;
        skr_spotmix_world_label(world, NULL);
    }
}

static bool flag(const json_t *fields, const char *key, bool otherwise)
{
    const json_t *value = skr_path_get(fields, key);
    return value ? json_is_true(value) : otherwise;
}

static struct skr_spotmix_sim_owner *owner_of(const struct skr_spotmix_world *world,
                                              const json_t *fields)
{
    const json_t *id = json_object_get(fields, "owner");
    if (!id) {
        return world->n_owners > 0 ? &world->owner[0] : NULL;
    }
    return json_is_string(id) ? skr_spotmix_world_owner(world, json_string_value(id)) : NULL;
}

unsigned skr_spotmix_world_create(struct skr_spotmix_world *world, const json_t *fields,
                                  struct skr_spotmix_sim_pod **ret)
{
    struct skr_spotmix_sim_pod *pod = skr_alloc(sizeof *pod);
    struct skr_spotmix_sim_pod *before =
        skr_spotmix_world_find(world, skr_path_text(fields, "resubmit_of"));
    const bool dry_run = flag(fields, "dry_run", false);
    pod->alias = skr_strdup(skr_path_text(fields, "pod"));
    pod->owner =
        before && !json_object_get(fields, "owner") ? before->owner : owner_of(world, fields);
    note_use(world, pod->owner);
    pod->object = before ? sent_again(before, fields) : new_object(world, pod->owner, fields);
    const unsigned status = admit(world, pod, dry_run);
    skr_grow(&world->pod, &world->cap_pods, world->n_pods + 1,
             sizeof(struct skr_spotmix_sim_pod *));
    pod->number = world->n_pods;
    world->pod[world->n_pods++] = pod;
    if (flag(fields, "persist", true) && !dry_run) {
        if (before && !before->observed) {
            before->persisted = false; /* one request, reviewed twice: one pod */
        }
        persist(world, pod);
    }
    *ret = pod;
    return status;
}

void skr_spotmix_world_observe(struct skr_spotmix_world *world, struct skr_spotmix_sim_pod *pod)
{
    if (pod->persisted && !pod->gone) {
        pod->observed = true;
        if (world->mix) {
            skr_spotmix_put(world->mix, SKR_SPOTMIX_POD, pod->object);
        }
    }
}

static void leave(struct skr_spotmix_world *world, const struct skr_spotmix_sim_pod *pod)
{
    if (world->surplus > 0 && skr_spotmix_sim_pod_is_live(pod)) {
        world->surplus--;
    }
}

void skr_spotmix_world_terminate(struct skr_spotmix_world *world, struct skr_spotmix_sim_pod *pod)
{
    char now[40];
    if (!skr_spotmix_sim_pod_is_live(pod)) {
        return;
    }
    leave(world, pod);
    pod->terminating = true;
    skr_time_write(world->now / SKR_SECOND * SKR_SECOND, 0, now, sizeof now);
    json_object_set_new(json_object_get(pod->object, "metadata"), "deletionTimestamp",
                        json_string(now));
    skr_spotmix_world_observe(world, pod);
}

void skr_spotmix_world_remove(struct skr_spotmix_world *world, struct skr_spotmix_sim_pod *pod)
{
    skr_spotmix_world_terminate(world, pod); /* the first thing that the watch shows */
    pod->gone = true;
    if (world->mix && pod->persisted) {
        skr_spotmix_drop(world->mix, SKR_SPOTMIX_POD, "",
                         skr_path_text(pod->object, "metadata.uid"));
    }
}

/* ---- which pods the controllers delete ---- */

static int64_t cost_of(const struct skr_spotmix_sim_pod *pod)
{
    const char *text = skr_path_annotation(pod->object, SKR_SPOTMIX_COST_KEY);
    return text ? strtol(text, NULL, 10) : 0;
}

/* Whether a is deleted before b: an older revision first; then pkg/controller ActivePodsWithRanks:
 * not assigned, lower cost, younger. StatefulSets: the higher ordinal. */
static bool goes_first(const struct skr_spotmix_sim_pod *a, const struct skr_spotmix_sim_pod *b)
{
    const bool bound = *skr_path_text(a->object, "spec.nodeName") != '\0';
    const bool other = *skr_path_text(b->object, "spec.nodeName") != '\0';
    if (strcmp(a->owner->kind, "StatefulSet") == 0 && a->owner == b->owner) {
        const char *name = a->owner->name;
        return skr_spotmix_ordinal_parse(skr_path_text(a->object, "metadata.name"), name) >
               skr_spotmix_ordinal_parse(skr_path_text(b->object, "metadata.name"), name);
    }
    if (a->owner->revision != b->owner->revision) {
        return a->owner->revision < b->owner->revision;
    }
    if (bound != other) {
        return !bound;
    }
    return cost_of(a) != cost_of(b) ? cost_of(a) < cost_of(b) : a->number > b->number;
}

void skr_spotmix_world_shrink(struct skr_spotmix_world *world)
{
    while (world->surplus > 0) {
        struct skr_spotmix_sim_pod *first = NULL;
        for (size_t i = 0; i < world->n_pods; i++) {
            struct skr_spotmix_sim_pod *pod = world->pod[i];
            if (skr_spotmix_sim_pod_is_live(pod) && pod->owner &&
                (!first || goes_first(pod, first))) {
                first = pod;
            }
        }
        if (!first) {
            world->surplus = 0;
            return;
        }
        skr_spotmix_world_remove(world, first);
    }
}
