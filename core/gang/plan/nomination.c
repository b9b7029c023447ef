/* SPDX-License-Identifier: Apache-2.0 */
/* What a planned member carries besides its nomination (rank, its part of the plan), and whether it
 * does. */
#include "core/gang/plan/nomination.h"

#include "core/gang/cache/pods.h"
#include "core/gang/plan/scheduler_progress.h"
#include "topology/base/hash.h"

#include <string.h>

bool nomination_is_anchor(const struct pod_entry *p)
{
    return p->plan && p->plan->anchor && strcmp(p->plan->anchor, p->uid) == 0;
}

/* Free with free(). */
char *nomination_annotation(const struct pod_entry *p)
{
    if (nomination_is_anchor(p)) {
        return skr_strdup(p->plan->text ? p->plan->text : "");
    }
    return skr_member_plan_write(p->plan->id, p->place.node);
}

static bool metadata_stands(const struct pod_entry *p)
{
    char rank[16];
    snprintf(rank, sizeof rank, "%d", p->place.rank);
    if (strcmp(pods_label(p, SKR_LABEL_RANK), rank) != 0) {
        return false;
    }
    SKR_AUTO_FREE char *annotation = nomination_annotation(p);
    return strcmp(pods_annotation(p), annotation) == 0;
}

bool nomination_stands(struct pod_entry *p)
{
    if (!p->plan) {
        return false;
    }
    if (p->work->activation.stands == STANDS_UNKNOWN || nomination_is_anchor(p)) {
        pods_work(p)->activation.stands = metadata_stands(p) ? STANDS_YES : STANDS_NO;
    }
    return p->work->activation.stands == STANDS_YES && !p->work->patch.clears;
}

bool nomination_is_forbidden(const struct skr_gang *e)
{
    return skr_frame_now(e->frame) < e->status_forbidden_until;
}

/* ---- activations ---- */

void nomination_begin(struct pod_entry *p)
{
    struct pod_work *work = pods_work(p);
    work->activation.stands = STANDS_UNKNOWN;
    work->activation.at = 0;
    work->activation.asked = work->activation.was_again = work->activation.spared = false;
}

void nomination_end(struct pod_entry *p)
{
    struct pod_work *work = pods_work(p);
    work->activation.at = 0;
    work->activation.asked = work->activation.spared = false;
}

void nomination_changed(struct pod_entry *p)
{
    if (p->work->activation.stands != STANDS_UNKNOWN) {
        pods_work(p)->activation.stands = STANDS_UNKNOWN;
    }
}

void nomination_count(struct pod_entry *p)
{
    struct pod_work *work = pods_work(p);
    work->activation.count++;
    work->activation.spared = false;
}

void nomination_restore(struct pod_entry *p, uint32_t count)
{
    pods_work(p)->activation.count = count;
}

void nomination_activated(struct skr_gang *e, struct pod_entry *p)
{
    pods_work(p)->activation.at = skr_frame_now(e->frame);
    pods_work(p)->activation.asked = false;
}

void nomination_heard(struct skr_gang *e, struct pod_entry *p)
{
    if (!p->work->activation.asked) {
        p->plan->heard_at = skr_frame_now(e->frame);
        scheduler_progress_reached(e, p);
    }
    pods_work(p)->activation.asked = true;
}

uint64_t nomination_mark(const struct skr_pod *pod)
{
    const char *label = skr_labels_get(&pod->meta.labels, SKR_LABEL_PLAN);
    return label ? skr_hash_string(label) | 1 : 0;
}

void nomination_turned_away(struct pod_entry *p, uint64_t mark)
{
    if (mark != 0) {
        pods_work(p)->activation.vain = mark;
    }
}

bool nomination_was_in_vain(const struct pod_entry *p)
{
    return p->work->activation.vain != 0 && p->work->activation.vain == nomination_mark(p->pod);
}

void nomination_spare(struct pod_entry *p)
{
    pods_work(p)->activation.spared = true;
}

void nomination_tried(struct pod_entry *p)
{
    pods_work(p)->activation.tried = true;
}

bool nomination_is_missed(struct pod_entry *p)
{
    bool was = p->work->activation.spared;
    if (was) {
        pods_work(p)->activation.spared = false;
    }
    return was;
}

bool nomination_repeat(struct pod_entry *p)
{
    if (p->work->activation.was_again) {
        return false;
    }
    pods_work(p)->activation.was_again = true;
    nomination_turned_away(p, nomination_mark(p->pod));
    return true;
}
