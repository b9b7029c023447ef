/* SPDX-License-Identifier: Apache-2.0 */
#include "core/spotmix/why.h"

#include <inttypes.h>
#include <string.h>

#include "core/spotmix/state.h"

static void add_rule(const struct skr_spotmix_row *row, const struct skr_spotmix_pod_row *pod,
                     struct skr_strbuf *out)
{
    const int64_t index = pod->index;
    const char *class_ = skr_spotmix_class_name(skr_spotmix_rule_class(&row->rule, index));

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

    if (strcmp(reason, "ClassPinnedByPodSpec") == 0) {
        skr_strbuf_add(out, "its own node selection rules the other class out: it holds no index");
    } else if (strcmp(reason, "Unmutated") == 0) {
        skr_strbuf_add(out, *pod->node == '\0'
                                ? "no review has seen it: its node will tell its class"
                                : "no review has seen it: it takes the class of its node");
    } else {
        add_rule(row, pod, out);
    }
    if (strcmp(reason, "Drift") == 0) {
        const bool right = skr_spotmix_rule_class(&row->rule, pod->index) == pod->class_;
        const enum skr_spotmix_class other =
            pod->class_ == SKR_SPOTMIX_SPOT ? SKR_SPOTMIX_ON_DEMAND : SKR_SPOTMIX_SPOT;
        skr_strbuf_addf(out, right ? "; its node is %s" : "; it is %s",
                        skr_spotmix_class_name(right ? other : pod->class_));
    }
}

/* The lowest index of the newest ReplicaSet that no pod holds; rows are in its order. */
static int64_t vacant_of(const struct skr_spotmix_row *row, const struct skr_spotmix_pod_row *pod,
                         size_t n)
{
    int64_t index = 0;

    for (size_t i = 0; i < n; i++) {
        index += strcmp(pod[i].owner, row->space) == 0 && pod[i].index == index;
    }
    return index;
}

void skr_spotmix_next(const struct skr_spotmix *mix, const struct skr_spotmix_row *row,
                      const struct skr_spotmix_pod_row *pod, size_t n, struct skr_strbuf *out)
{
    static const char *const wrong[] = {
        [SKR_SPOTMIX_REBUILD_EVICT] = "the next is evicted when all others are Ready",
        [SKR_SPOTMIX_REBUILD_NONE] = "they stay (spotmix.rebuild)",
        [SKR_SPOTMIX_REBUILD_ROLLOUT] = "a rollout replaces all pods"};
    _Static_assert(sizeof wrong / sizeof wrong[0] == SKR_SPOTMIX_REBUILD_COUNT, "a text each");
    const enum skr_spotmix_rebuild rebuild = mix->settings->rebuild;

    if (row->wrong > 0 && rebuild == SKR_SPOTMIX_REBUILD_EVICT && row->victim_name) {
        skr_strbuf_addf(out, "%zu of the wrong class: %s is evicted next", row->wrong,
                        row->victim_name);
    } else if (row->wrong > 0) {
        skr_strbuf_addf(out, "%zu of the wrong class: %s", row->wrong, wrong[rebuild]);
    } else if (row->kind == SKR_SPOTMIX_STATEFUL_SET) {
        skr_strbuf_add(out, "ordinals keep their class");
    } else {
        const int64_t index = vacant_of(row, pod, n);
        skr_strbuf_addf(out, "the next pod gets index %" PRId64 ": %s", index,
                        skr_spotmix_class_name(skr_spotmix_rule_class(&row->rule, index)));
    }
}
