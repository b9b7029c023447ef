/* SPDX-License-Identifier: Apache-2.0 */
/* Computes what a planned member carries besides its nomination (rank, its part of the plan), and
 * counts its activations. */
#include "core/gang/plan/nomination.h"

#include "core/gang/cache/pods.h"
#include "topology/base/hash.h"

#include <string.h>

bool skr_nomination_is_anchor(const struct pod_entry *p)
{
    return p->plan && p->plan->anchor && strcmp(p->plan->anchor, p->uid) == 0;
}

/* Free with free(). */
char *skr_nomination_annotation(const struct pod_entry *p)
{
    if (skr_nomination_is_anchor(p)) {
        return skr_strdup(p->plan->text ? p->plan->text : "");
    }
    return skr_member_plan_write(p->plan->id, p->place.node, p->plan->roles, p->set);
}

static bool metadata_stands(const struct pod_entry *p)
{
    char rank[16];
    snprintf(rank, sizeof rank, "%d", p->place.rank);
    if (strcmp(skr_pods_label(p, SKR_LABEL_RANK), rank) != 0) {
        return false;
    }
    SKR_AUTO_FREE char *annotation = skr_nomination_annotation(p);
    return strcmp(skr_pods_annotation(p), annotation) == 0;
}

bool skr_nomination_stands(struct pod_entry *p)
{
    if (!p->plan) {
        return false;
    }
    if (p->work->activation.stands == STANDS_UNKNOWN || skr_nomination_is_anchor(p)) {
        skr_pods_work(p)->activation.stands = metadata_stands(p) ? STANDS_YES : STANDS_NO;
    }
    return p->work->activation.stands == STANDS_YES && !p->work->patch.clears;
}

bool skr_nomination_is_forbidden(const struct skr_gang *e)
{
    return skr_frame_now(e->frame) < e->status_forbidden_until;
}

/* ---- activations ---- */

void skr_nomination_begin(struct pod_entry *p)
{
    struct pod_work *work = skr_pods_work(p);
    work->activation.stands = STANDS_UNKNOWN;
    work->activation.at = 0;
    work->activation.asked = work->activation.was_again = work->activation.spared = false;
    work->activation.said = skr_hash_string(skr_pods_scheduler_says(p->pod));
}

void skr_nomination_end(struct pod_entry *p)
{
    struct pod_work *work = skr_pods_work(p);
    work->activation.at = 0;
    work->activation.asked = work->activation.spared = false;
}

void skr_nomination_changed(struct pod_entry *p)
{
    const char *says = skr_pods_scheduler_says(p->pod);
    if (p->plan && !*says) { /* equal words are of another attempt from here on */
        skr_pods_work(p)->activation.said = skr_hash_string(says);
    }
    if (p->work->activation.stands != STANDS_UNKNOWN) {
        skr_pods_work(p)->activation.stands = STANDS_UNKNOWN;
    }
}

void skr_nomination_count(struct pod_entry *p)
{
    struct pod_work *work = skr_pods_work(p);
    work->activation.count++;
    work->activation.asked = work->activation.spared = false;
}

void skr_nomination_restore(struct pod_entry *p, uint32_t count)
{
    skr_pods_work(p)->activation.count = count;
}

void skr_nomination_activated(struct skr_gang *e, struct pod_entry *p)
{
    skr_pods_work(p)->activation.at = skr_frame_now(e->frame);
}

void skr_nomination_awaited_again(struct skr_gang *e, struct pod_entry *p)
{
    skr_nomination_activated(e, p);
    skr_pods_work(p)->activation.asked = false;
    skr_pods_work(p)->activation.said = skr_hash_string(skr_pods_scheduler_says(p->pod));
}

bool skr_nomination_was_refused(const struct pod_entry *p)
{
    const char *says = skr_pods_scheduler_answer(p);
    return *says && !strstr(says, "sakkara:");
}

void skr_nomination_heard(struct skr_gang *e, struct pod_entry *p)
{
    if (!p->work->activation.asked) {
        p->plan->heard_at = skr_frame_now(e->frame);
    }
    skr_pods_work(p)->activation.asked = true;
}

uint64_t skr_nomination_mark(const struct skr_pod *pod)
{
    const char *label = skr_labels_get(&pod->meta.labels, SKR_LABEL_PLAN);
    return label ? skr_hash_string(label) | 1 : 0;
}

void skr_nomination_turned_away(struct pod_entry *p, uint64_t mark)
{
    if (mark != 0) {
        skr_pods_work(p)->activation.vain = mark;
    }
}

bool skr_nomination_was_in_vain(const struct pod_entry *p)
{
    return p->work->activation.vain != 0 && p->work->activation.vain == skr_nomination_mark(p->pod);
}

void skr_nomination_spare(struct pod_entry *p)
{
    skr_pods_work(p)->activation.spared = true;
}

void skr_nomination_tried(struct pod_entry *p)
{
    skr_pods_work(p)->activation.tried = true;
}

bool skr_nomination_is_missed(struct pod_entry *p)
{
    bool was = p->work->activation.spared;
    if (was) {
        skr_pods_work(p)->activation.spared = false;
    }
    return was;
}

bool skr_nomination_repeat(struct pod_entry *p)
{
    if (p->work->activation.was_again) {
        return false;
    }
    skr_pods_work(p)->activation.was_again = true;
    skr_nomination_turned_away(p, skr_nomination_mark(p->pod));
    return true;
}
