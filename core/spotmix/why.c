/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences from rows: first the reason of a class, then what is wrong with the pod. */
#include "core/spotmix/why.h"

#include <inttypes.h>
#include <string.h>

#include "core/spotmix/state.h"

static void add_rule(const struct skr_spotmix_row *row, const struct skr_spotmix_pod_row *pod,
                     struct skr_strbuf *out)
{
    const int64_t index = pod->index;
    const char *class_ = skr_spotmix_class_name[skr_spotmix_rule_class(&row->rule, index)];
    if (row->rule.all) {
        skr_strbuf_addf(out, "%s: every pod is %s",
                        row->rule.invalid ? "the maximum is no number" : "there is no maximum",
                        class_);
    } else if (index < 0 && row->kind != SKR_SPOTMIX_STATEFUL_SET) {
        skr_strbuf_addf(out, "its label is no index: %s",
                        *pod->node == '\0' ? "its node will tell its class"
                                           : "it takes the class of its node");
    } else if (index < 0) {
        skr_strbuf_addf(out, "its ordinal is below the first one: %s", class_);
    } else {
        skr_strbuf_addf(out, "index %" PRId64 " is %s max %" PRId32 ": %s", index,
                        index < row->rule.max ? "below" : "not below", row->rule.max, class_);
    }
}

void skr_spotmix_why(const struct skr_spotmix_row *row, const struct skr_spotmix_pod_row *pod,
                     struct skr_strbuf *out)
{
    const char *reason = pod->reason ? pod->reason : "";
    const bool spot = pod->class_ == SKR_SPOTMIX_SPOT, bound = *pod->node != '\0';
    if (strcmp(reason, "ClassPinnedByPodSpec") == 0) {
        skr_strbuf_add(out, "its own node selection rules the other class out: it holds no index");
    } else if (strcmp(reason, "Unmutated") == 0) {
        skr_strbuf_addf(out, "no review has seen it: %s",
                        !bound ? "its node will tell its class"
                        : pod->standing == SKR_SPOTMIX_CLASSLESS
                            ? "its node is of neither class"
                            : "it takes the class of its node");
    } else {
        add_rule(row, pod, out);
    }
    switch (pod->standing) {
    case SKR_SPOTMIX_WRONG_INDEX:
        skr_strbuf_addf(out, "; it is %s", spot ? "spot" : "on-demand");
        break;
    case SKR_SPOTMIX_OTHER_NODE:
        skr_strbuf_addf(out, "; its node is %s", spot ? "on-demand" : "spot");
        break;
    case SKR_SPOTMIX_SURPLUS:
        skr_strbuf_addf(out, "; too many pods are %s", spot ? "spot" : "on-demand");
        break;
    case SKR_SPOTMIX_RIGHT:
    case SKR_SPOTMIX_CLASSLESS:
    case SKR_SPOTMIX_STANDING_COUNT:
        break;
    }
}

/* Why pods that drift are not evicted; drift > 0. */
static void say_left(const struct skr_spotmix_row *row, struct skr_strbuf *out)
{
    skr_strbuf_addf(out, "%zu of the wrong class: ", row->drift);
    if (row->standing[SKR_SPOTMIX_OTHER_NODE] > 0) {
        skr_strbuf_add(out, "they stay, as their nodes were of their class when they came");
    } else if (row->standing[SKR_SPOTMIX_CLASSLESS] > 0) {
        skr_strbuf_add(out, "they wait for a node, or their nodes are of neither class");
    } else {
        skr_strbuf_add(out, "they are of an older ReplicaSet, which the rollout replaces");
    }
}

void skr_spotmix_say_uncalled(const struct skr_spotmix_row *row, struct skr_strbuf *out)
{
    skr_strbuf_addf(out,
                    "the webhook is not called: the last %u pods came without a review. Nothing is "
                    "evicted until a pod is reviewed. Check the MutatingWebhookConfiguration, its "
                    "Service and the label sakkara.spotmix of the namespace, then delete a pod",
                    (unsigned)row->unreviewed);
}

void skr_spotmix_next(const struct skr_spotmix *mix, const struct skr_spotmix_row *row,
                      struct skr_strbuf *out)
{
    static const char *const wrong[] = {
        [SKR_SPOTMIX_REBUILD_EVICT] = "the next is evicted when all others are Ready",
        [SKR_SPOTMIX_REBUILD_NONE] = "they stay (spotmix.rebuild)",
        [SKR_SPOTMIX_REBUILD_ROLLOUT] =
            "the template is stamped once a maximum; kubectl rollout restart replaces them"};
    _Static_assert(sizeof wrong / sizeof wrong[0] == SKR_SPOTMIX_REBUILD_COUNT, "a text each");
    const enum skr_spotmix_rebuild rebuild = mix->settings->rebuild;

    if (row->uncalled) {
        skr_spotmix_say_uncalled(row, out);
    } else if (row->wrong > 0 && row->stalled) {
        skr_strbuf_addf(
            out,
            "%zu of the wrong class are left as they are: the rebuild made no progress. "
            "Change the maximum to try again",
            row->wrong);
    } else if (row->wrong > 0 && rebuild == SKR_SPOTMIX_REBUILD_EVICT && row->victim_name) {
        skr_strbuf_addf(out, "%zu of the wrong class: %s is evicted next", row->wrong,
                        row->victim_name);
    } else if (row->wrong > 0) {
        skr_strbuf_addf(out, "%zu of the wrong class: %s", row->wrong, wrong[rebuild]);
    } else if (row->drift > 0) {
        say_left(row, out);
    } else if (row->kind == SKR_SPOTMIX_STATEFUL_SET) {
        skr_strbuf_add(out, "ordinals keep their class");
    } else {
        const int32_t index = skr_spotmix_vacant(row->space);
        skr_strbuf_addf(out, "the next pod gets index %" PRId32 ": %s", index,
                        skr_spotmix_class_name[skr_spotmix_rule_class(&row->rule, index)]);
    }
}
