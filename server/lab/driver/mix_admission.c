/* SPDX-License-Identifier: Apache-2.0 */
#include "server/lab/driver/mix_admission.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/kube/base64.h"
#include "server/lab/store/json_patch.h"
#include "topology/base/arena.h"
#include "topology/base/json_field.h"
#include "topology/base/json_text.h"

struct skr_mix_admission {
    struct skr_store *store;
    struct skr_spotmix *mix;
    uint64_t seen; /* revision */
    uint64_t reviews;
};

static const char *const kinds[] = {[SKR_SPOTMIX_DEPLOYMENT] = "Deployment",
                                    [SKR_SPOTMIX_REPLICA_SET] = "ReplicaSet",
                                    [SKR_SPOTMIX_STATEFUL_SET] = "StatefulSet",
                                    [SKR_SPOTMIX_NODE] = "Node",
                                    [SKR_SPOTMIX_POD] = "Pod"};
_Static_assert(sizeof kinds / sizeof kinds[0] == SKR_SPOTMIX_KIND_COUNT, "a name each");

/* SKR_SPOTMIX_KIND_COUNT: none of the mix's. */
static enum skr_spotmix_kind kind_of(const char *name)
{
    int kind = 0;

    while (kind < SKR_SPOTMIX_KIND_COUNT && strcmp(kinds[kind], name) != 0) {
        kind++;
    }
    return (enum skr_spotmix_kind)kind;
}

bool skr_mix_admission_is_wanted(const struct skr_spotmix_settings *settings, const json_t *object)
{
    const json_t *labels = json_object_get(json_object_get(object, "metadata"), "labels");

    return kind_of(skr_object_text(object, "kind")) < SKR_SPOTMIX_NODE &&
           strcmp(skr_object_text(labels, settings->key_prefix), "true") == 0;
}

/* ---- what there is ---- */

static void take(struct skr_mix_admission *a, const struct skr_store_change *change)
{
    const enum skr_spotmix_kind kind = kind_of(change->resource->kind);
    const json_t *meta = json_object_get(change->object, "metadata");

    if (kind == SKR_SPOTMIX_KIND_COUNT) {
        return;
    }
    if (change->kind == SKR_STORE_DELETED) {
        skr_spotmix_drop(a->mix, kind, skr_object_text(meta, "namespace"),
                         skr_object_text(meta, kind == SKR_SPOTMIX_NODE ? "name" : "uid"));
    } else {
        skr_spotmix_put(a->mix, kind, change->object);
    }
}

void skr_mix_admission_keep_up(struct skr_mix_admission *admission)
{
    struct skr_store_change change;
    bool gone = false;

    while (skr_store_next_change(admission->store, admission->seen, &change, &gone)) {
        admission->seen = change.revision;
        take(admission, &change);
    }
    skr_bug_on(gone);
}

uint64_t skr_mix_admission_seen(const struct skr_mix_admission *admission)
{
    return admission->seen;
}

/* ---- reviews ---- */

static char *write_review(struct skr_mix_admission *a, const char *namespace_, const json_t *pod)
{
    json_t *review =
        json_pack("{s:s, s:s, s:{s:o, s:{s:s, s:s, s:s}, s:{s:s, s:s, s:s}, s:s, s:s, s:O}}",
                  "kind", "AdmissionReview", "apiVersion", "admission.k8s.io/v1", "request", "uid",
                  json_sprintf("review-%" PRIu64, a->reviews), "kind", "group", "", "version", "v1",
                  "kind", "Pod", "resource", "group", "", "version", "v1", "resource", "pods",
                  "namespace", namespace_, "operation", "CREATE", "object", pod);
    char *text = skr_json_text(review, JSON_COMPACT);

    json_decref(review);
    return text;
}

/* The JSON patch of an answer; NULL: none. */
static json_t *patch_of(const struct skr_spotmix_answer *answer)
{
    json_t *review = answer->status == 200 ? json_loads(answer->body.s, 0, NULL) : NULL;
    const char *coded = skr_object_text(json_object_get(review, "response"), "patch");
    char *text = NULL;
    json_t *patch = NULL;
    size_t n;

    if (*coded != '\0' && skr_base64_decode(coded, strlen(coded), &text, &n, NULL) == 0) {
        patch = json_loadb(text, n, 0, NULL);
    }
    free(text);
    json_decref(review);
    return patch;
}

/* What a review lacks is read from the store, as the daemon asks the API server. */
static void ask(struct skr_mix_admission *a, struct skr_spotmix_review *review,
                struct skr_spotmix_answer *ret)
{
    skr_spotmix_review(a->mix, review, ret);
    while (ret->status == 0) {
        const struct skr_spotmix_lookup *lookup = &ret->lookup;
        const json_t *object =
            skr_store_get(a->store, kinds[lookup->kind], lookup->namespace_, lookup->name);
        if (object) {
            skr_spotmix_put(a->mix, lookup->kind, object);
        }
        review->tried[lookup->kind] = true;
        skr_strbuf_fini(&ret->body);
        skr_spotmix_review(a->mix, review, ret);
    }
}

static void admit(void *context, const char *namespace_, json_t *pod, skr_time now)
{
    struct skr_mix_admission *a = context;
    struct skr_spotmix_review review = {.serving = true, .now = now};
    struct skr_spotmix_answer answer;

    skr_mix_admission_keep_up(a);
    skr_spotmix_expire(a->mix, now);
    a->reviews++;
    memcpy(review.random, &a->reviews, sizeof a->reviews);
    char *body = write_review(a, namespace_, pod);
    review.body = body;
    review.len = strlen(body);
    ask(a, &review, &answer);
    json_t *patch = patch_of(&answer);
    json_t *patched = patch ? skr_patch_json(pod, patch, NULL) : NULL;
    if (patched) {
        json_object_clear(pod);
        json_object_update(pod, patched);
    }
    json_decref(patched);
    json_decref(patch);
    skr_strbuf_fini(&answer.body);
    free(body);
}

const struct skr_spotmix *skr_mix_admission_mix(struct skr_mix_admission *admission)
{
    skr_mix_admission_keep_up(admission);
    return admission->mix;
}

const char *skr_mix_admission_class_label(const struct skr_mix_admission *admission)
{
    return skr_spotmix_keys(admission->mix)->class_;
}

/* ---- life ---- */

struct skr_mix_admission *skr_mix_admission_create(const struct skr_spotmix_settings *settings,
                                                   struct skr_store *store)
{
    struct skr_mix_admission *a = skr_alloc(sizeof *a);

    a->store = store;
    skr_bug_on(skr_spotmix_create(settings, &a->mix, NULL) != 0); /* checked with the option */
    skr_store_set_admission(store, admit, a);
    return a;
}

void skr_mix_admission_destroy(struct skr_mix_admission *admission)
{
    if (!admission) {
        return;
    }
    skr_store_set_admission(admission->store, NULL, NULL);
    skr_spotmix_destroy(admission->mix);
    free(admission);
}
