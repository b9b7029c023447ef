/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One review. Cheap checks come first. A pod is never refused: the status is 200, unless the body
 * is not a review (400) or this process must not answer (503).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/spotmix/state.h"
#include "topology/base/base64.h"
#include "topology/base/json_field.h"
#include "topology/base/json_writer.h"

#define MIRROR_KEY "kubernetes.io/config.mirror"
#define HASH_LABEL "pod-template-hash"

enum { WARNINGS_MAX = 4 };

const char *const skr_spotmix_result_name[] = {
    [SKR_SPOTMIX_PATCHED] = "patched",
    [SKR_SPOTMIX_NOOP] = "noop",
    [SKR_SPOTMIX_OFF] = "off",
    [SKR_SPOTMIX_EXCLUDED] = "excluded",
    [SKR_SPOTMIX_PINNED] = "pinned",
    [SKR_SPOTMIX_OWNER_UNKNOWN] = "owner_unknown",
    [SKR_SPOTMIX_NOT_LEADER] = "not_leader",
    [SKR_SPOTMIX_BAD_REQUEST] = "bad_request",
    [SKR_SPOTMIX_INTERNAL] = "internal",
};
_Static_assert(sizeof skr_spotmix_result_name / sizeof skr_spotmix_result_name[0] ==
                   SKR_SPOTMIX_RESULT_COUNT,
               "a name each");

#define NO_NODES(class_) \
    "sakkara: NoNodesInClass: no Ready node is of class " class_ "; the pod waits for one"
static const char *const no_nodes[] = {NO_NODES("on-demand"), NO_NODES("spot")};
#define INVALID_MAX                                                                    \
    "sakkara: InvalidMaxOnDemandCount: the label is not a whole number; every pod is " \
    "on-demand"
#define PINNED                                                                         \
    "sakkara: ClassPinnedByPodSpec: the pod's own node selection rules class %s out; " \
    "left as it is"
#define MANY_TERMS                                                                 \
    "sakkara: ClassPinnedByPodSpec: more than 1000 nodeSelectorTerms are left as " \
    "they are"
#define COST_KEPT "sakkara: DeletionCostKept: the pod's own deletion cost stays"
_Static_assert(sizeof INVALID_MAX <= SKR_SPOTMIX_WARNING_MAX, "a warning is short");
_Static_assert(sizeof PINNED + sizeof "on-demand" <= SKR_SPOTMIX_WARNING_MAX, "a warning is short");
_Static_assert(sizeof MANY_TERMS <= SKR_SPOTMIX_WARNING_MAX, "a warning is short");
_Static_assert(SKR_SPOTMIX_TERMS_MAX == 1000, "as the warning says");
_Static_assert(sizeof NO_NODES("on-demand") <= SKR_SPOTMIX_WARNING_MAX, "a warning is short");

/* A review while it is answered. */
struct hearing {
    struct skr_spotmix *mix;
    const struct skr_spotmix_review *review;
    struct skr_spotmix_answer *answer;
    const json_t *request;
    const json_t *pod;
    const json_t *reference; /* the pod's controller */
    struct skr_strbuf patch; /* empty: none */
    char pinned[SKR_SPOTMIX_WARNING_MAX];
    const char *warning[WARNINGS_MAX];
    size_t n_warnings;
};

static void warn(struct hearing *hearing, const char *text)
{
    skr_bug_on(hearing->n_warnings >= WARNINGS_MAX);
    hearing->warning[hearing->n_warnings++] = text;
}

/* ---- the answer ---- */

static void refuse(struct skr_spotmix_answer *answer, unsigned status,
                   enum skr_spotmix_result result, const char *why)
{
    answer->status = status;
    answer->result = result;
    skr_strbuf_addf(&answer->body, "%s\n", why);
}

static void write_answer(struct hearing *hearing)
{
    struct skr_strbuf *out = &hearing->answer->body;
    struct skr_json_writer w = {.out = out};
    skr_json_open(&w, NULL, '{');
    skr_json_string(&w, "apiVersion", SKR_SPOTMIX_REVIEW_VERSION);
    skr_json_string(&w, "kind", "AdmissionReview");
    skr_json_open(&w, "response", '{');
    skr_json_string(&w, "uid", skr_object_text(hearing->request, "uid"));
    skr_json_bool(&w, "allowed", true);
    if (hearing->n_warnings > 0) {
        skr_json_open(&w, "warnings", '[');
        for (size_t i = 0; i < hearing->n_warnings; i++) {
            skr_json_string(&w, NULL, hearing->warning[i]);
        }
        skr_json_close(&w, ']');
    }
    if (hearing->patch.len > 0) {
        skr_json_string(&w, "patchType", "JSONPatch");
        skr_strbuf_add(out, ",\"patch\":\"");
        skr_strbuf_add_base64(out, hearing->patch.s, hearing->patch.len);
        skr_strbuf_addc(out, '"');
    }
    skr_json_close(&w, '}');
    skr_json_close(&w, '}');
}

/* ---- the owner ---- */

static bool is_new_pod(const json_t *request)
{
    const json_t *resource = json_object_get(request, "resource");
    return strcmp(skr_object_text(request, "operation"), "CREATE") == 0 &&
           *skr_object_text(resource, "group") == '\0' &&
           strcmp(skr_object_text(resource, "version"), "v1") == 0 &&
           strcmp(skr_object_text(resource, "resource"), "pods") == 0 &&
           *skr_object_text(request, "subResource") == '\0' &&
           json_is_object(json_object_get(request, "object"));
}

static bool has_no_index(const struct hearing *hearing)
{
    const json_t *meta = json_object_get(hearing->pod, "metadata");
    return !skr_object_is_absent(
               json_object_get(json_object_get(meta, "annotations"), MIRROR_KEY)) ||
           *skr_object_text(json_object_get(hearing->pod, "spec"), "nodeName") != '\0' ||
           skr_spotmix_space_kind(hearing->reference) == SKR_SPOTMIX_KIND_COUNT;
}

/* Whether an object can have this name. The creator of a pod writes the reference, unchecked. */
static bool is_name(const char *name)
{
    return *name != '\0' && *name != '.' && *name != '-' &&
           name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789.-")] == '\0';
}

/* false: this kind has been looked up already, or no object can have the name. */
static bool look_up(struct hearing *hearing, enum skr_spotmix_kind kind, const char *name)
{
    struct skr_spotmix_lookup *lookup = &hearing->answer->lookup;
    if (hearing->review->tried[kind] || !is_name(name)) {
        return false;
    }
    lookup->kind = kind;
    snprintf(lookup->namespace_, sizeof lookup->namespace_, "%s",
             skr_object_text(hearing->request, "namespace"));
    snprintf(lookup->name, sizeof lookup->name, "%s", name);
    return true;
}

/* The Deployment whose name the ReplicaSet's name begins with. NULL: the name does not end with the
 * hash in the pod's label, or there is no such Deployment. */
static struct skr_spotmix_owner *deployment_by_name(const struct hearing *hearing)
{
    const json_t *labels = json_object_get(json_object_get(hearing->pod, "metadata"), "labels");
    const char *hash = skr_object_text(labels, HASH_LABEL);
    const char *name = skr_object_text(hearing->reference, "name");
    const char *namespace_ = skr_object_text(hearing->request, "namespace");
    const size_t n = strlen(name), cut = strlen(hash) + 1;
    if (*hash == '\0' || n <= cut || name[n - cut] != '-' ||
        strcmp(name + n - cut + 1, hash) != 0) {
        return NULL;
    }
    return skr_spotmix_deployment_named(hearing->mix, namespace_, name, n - cut);
}

enum found { FOUND, LOOK_UP_FIRST, UNKNOWN };

/* The space of the pod's index, if the labels of its workload are known. */
static enum found find_space(struct hearing *hearing, struct skr_spotmix_owner **ret)
{
    const enum skr_spotmix_kind kind = skr_spotmix_space_kind(hearing->reference);
    const char *uid = skr_object_text(hearing->reference, "uid");
    const char *name = skr_object_text(hearing->reference, "name");
    const char *namespace_ = skr_object_text(hearing->request, "namespace");
    struct skr_spotmix_owner *owner = skr_spotmix_owner_find(hearing->mix, kind, namespace_, uid);
    if (*uid == '\0' || strlen(uid) >= SKR_SPOTMIX_UID_MAX ||
        strlen(name) >= SKR_SPOTMIX_NAME_MAX || strlen(namespace_) >= SKR_SPOTMIX_NAME_MAX) {
        return UNKNOWN;
    }
    if (!owner || !owner->known) {
        if (look_up(hearing, kind, name)) {
            return LOOK_UP_FIRST;
        }
        struct skr_spotmix_owner *deployment =
            kind == SKR_SPOTMIX_REPLICA_SET ? deployment_by_name(hearing) : NULL;
        if (!deployment) {
            return UNKNOWN;
        }
        owner = skr_spotmix_owner_get(hearing->mix, kind, uid, namespace_, name);
        skr_bug_on(!owner);
        skr_spotmix_owner_set_parent(hearing->mix, owner, deployment);
    }
    const struct skr_spotmix_owner *workload = skr_spotmix_workload_of(owner);
    if (!workload->known) {
        return look_up(hearing, workload->kind, workload->name) ? LOOK_UP_FIRST : UNKNOWN;
    }
    *ret = owner;
    return FOUND;
}

/* ---- the slot ---- */

static void spell_token(const unsigned char random[16], char token[SKR_SPOTMIX_TOKEN_MAX])
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < 16; i++) {
        token[2 * i] = digits[random[i] >> 4];
        token[2 * i + 1] = digits[random[i] & 15];
    }
    token[32] = '\0';
}

static bool is_dry_run(const struct hearing *hearing)
{
    return json_is_true(json_object_get(hearing->request, "dryRun"));
}

static bool has_reservation(const struct hearing *hearing, struct skr_spotmix_owner *owner)
{
    const json_t *meta = json_object_get(hearing->pod, "metadata");
    const char *token =
        skr_object_text(json_object_get(meta, "annotations"), hearing->mix->keys.token);
    return skr_spotmix_is_reserved(hearing->mix, owner, token);
}

/* Whether this is another review of a pod that has its slot already. Its token shows that or, if
 * the index follows from the name, all that it carries. */
static bool has_its_slot(const struct hearing *hearing, struct skr_spotmix_owner *owner,
                         const struct skr_spotmix_slot *slot)
{
    return owner->kind == SKR_SPOTMIX_STATEFUL_SET
               ? skr_spotmix_patch_is_done(&hearing->mix->keys, &hearing->mix->classes,
                                           hearing->pod, slot->class_, slot->index)
               : has_reservation(hearing, owner);
}

/* false: the name is not that of a pod of the StatefulSet. */
static bool find_slot(const struct hearing *hearing, const struct skr_spotmix_owner *owner,
                      const struct skr_spotmix_rule *rule, struct skr_spotmix_slot *ret)
{
    if (owner->kind != SKR_SPOTMIX_STATEFUL_SET) {
        ret->index = skr_spotmix_vacant(owner);
        ret->class_ = skr_spotmix_rule_class(rule, ret->index);
        return true;
    }
    const char *name = skr_object_text(json_object_get(hearing->pod, "metadata"), "name");
    const int64_t ordinal = skr_spotmix_ordinal_parse(name, owner->name);
    const int64_t place = ordinal - owner->first_ordinal;
    ret->index = place >= 0 && place <= SKR_SPOTMIX_INDEX_MAX ? (int32_t)place : -1;
    ret->class_ = skr_spotmix_rule_class(rule, place);
    return ordinal >= 0;
}

static enum skr_spotmix_result assign(struct hearing *hearing, struct skr_spotmix_owner *owner)
{
    struct skr_spotmix *mix = hearing->mix;
    const struct skr_spotmix_rule *rule = &skr_spotmix_workload_of(owner)->rule;
    struct skr_spotmix_slot slot;
    bool cost_kept;
    if (rule->invalid) {
        warn(hearing, INVALID_MAX);
    }
    if (!is_dry_run(hearing) && !has_reservation(hearing, owner)) {
        skr_spotmix_give_back(mix, owner, hearing->review->now);
    }
    if (!find_slot(hearing, owner, rule, &slot)) {
        return SKR_SPOTMIX_OWNER_UNKNOWN;
    }
    if (has_its_slot(hearing, owner, &slot)) {
        return SKR_SPOTMIX_NOOP;
    }
    const json_t *spec = json_object_get(hearing->pod, "spec");
    if (json_array_size(skr_spotmix_terms_of(spec)) > SKR_SPOTMIX_TERMS_MAX) {
        warn(hearing, MANY_TERMS);
        return SKR_SPOTMIX_PINNED;
    }
    if (!skr_spotmix_class_is_possible(&mix->classes, spec, slot.class_)) {
        snprintf(hearing->pinned, sizeof hearing->pinned, PINNED,
                 skr_spotmix_class_name[slot.class_]);
        warn(hearing, hearing->pinned);
        return SKR_SPOTMIX_PINNED;
    }
    spell_token(hearing->review->random, slot.token);
    const bool reserves = owner->kind != SKR_SPOTMIX_STATEFUL_SET && !is_dry_run(hearing);
    if (!skr_spotmix_patch_write(&mix->keys, &mix->classes, hearing->pod, &slot, &hearing->patch,
                                 &cost_kept) ||
        (reserves && !skr_spotmix_reserve(mix, owner, &slot,
                                          hearing->review->now + mix->settings->reservation_ttl))) {
        skr_strbuf_reset(&hearing->patch);
        return SKR_SPOTMIX_INTERNAL;
    }
    if (cost_kept) {
        warn(hearing, COST_KEPT);
    }
    if (mix->ready_nodes[slot.class_] == 0) {
        warn(hearing, no_nodes[slot.class_]);
    }
    return SKR_SPOTMIX_PATCHED;
}

/* false: an object has to be looked up first. */
static bool hear(struct hearing *hearing, enum skr_spotmix_result *ret)
{
    struct skr_spotmix_owner *owner = NULL;
    *ret = SKR_SPOTMIX_NOOP;
    if (!is_new_pod(hearing->request)) {
        return true;
    }
    if (skr_spotmix_is_excluded(hearing->mix, skr_object_text(hearing->request, "namespace"))) {
        *ret = SKR_SPOTMIX_EXCLUDED;
        return true;
    }
    hearing->pod = json_object_get(hearing->request, "object");
    hearing->reference = skr_spotmix_controller(json_object_get(hearing->pod, "metadata"));
    if (has_no_index(hearing)) {
        return true;
    }
    switch (find_space(hearing, &owner)) {
    case LOOK_UP_FIRST:
        return false;
    case UNKNOWN:
        *ret = SKR_SPOTMIX_OWNER_UNKNOWN;
        return true;
    case FOUND:
        break;
    }
    *ret = skr_spotmix_workload_of(owner)->rule.on ? assign(hearing, owner) : SKR_SPOTMIX_OFF;
    return true;
}

void skr_spotmix_review(struct skr_spotmix *mix, const struct skr_spotmix_review *review,
                        struct skr_spotmix_answer *ret)
{
    struct hearing hearing = {.mix = mix, .review = review, .answer = ret};
    *ret = (struct skr_spotmix_answer){0};
    skr_strbuf_init(&ret->body);
    skr_strbuf_init(&hearing.patch);
    if (!review->body->review) {
        refuse(ret, 400, SKR_SPOTMIX_BAD_REQUEST, review->body->flaw);
    } else if (!review->serving) {
        refuse(ret, 503, SKR_SPOTMIX_NOT_LEADER, "not the leader, or not ready yet");
    } else {
        skr_spotmix_expire(mix, review->now);
        hearing.request = json_object_get(review->body->review, "request");
        if (hear(&hearing, &ret->result)) {
            ret->status = 200;
            write_answer(&hearing);
        }
    }
    skr_strbuf_fini(&hearing.patch);
    if (ret->status != 0) {
        mix->n_results[ret->result]++;
    }
}
