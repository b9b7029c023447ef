/* SPDX-License-Identifier: Apache-2.0 */
/* Watches that break: the kind is listed anew, and what happened meanwhile is seen as a difference. */
#include "test/unit/engine_rig_failover.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "core/gang/state/gang.h"
#include "test/unit/engine_rig_parts.h"

/* ---- lists on demand ---- */

bool rig_is_unlisted(const struct rig *rig, const struct skr_object_type *type)
{
    for (size_t i = 0; skr_gang_owner_type(i); i++) {
        if (skr_gang_owner_type(i) == type) {
            return !(rig->gang->owners.listed & UINT32_C(1) << i);
        }
    }
    return false;
}

static enum rig_kind kind_of(const struct skr_object_type *type)
{
    int kind = 0;
    while (kind < RIG_KIND_COUNT && rig_type((enum rig_kind)kind) != type) {
        kind++;
    }
    return (enum rig_kind)kind;
}

void rig_ask_list(struct rig *rig, const struct skr_object_type *type)
{
    struct rig_watch *w = skr_alloc(sizeof *w);
    w->kind = kind_of(type);
    w->kind = w->kind == RIG_KIND_COUNT ? RIG_JOB : w->kind; /* of one that no test has */
    w->key = skr_strdup("");
    w->uid = skr_strdup("");
    w->list = type;
    DL_APPEND(rig->watches, w);
}

void rig_deliver_list(struct rig *rig, const struct skr_object_type *type)
{
    struct skr_event event = {.kind = SKR_EVENT_LISTED, .listed = type};
    const struct skr_frame *frame = skr_engine_frame(rig->engine);
    const bool was = skr_frame_is_synced(frame);
    rig_tell(rig, "list of %s", type->resource->plural);
    rig_list(rig, kind_of(type));
    if (!was && !rig->is_aside && !rig->is_mute) {
        rig_promises_fini(rig);
    }
    rig_handle(rig, &event);
    if (!was && skr_frame_is_synced(frame) && !rig->is_aside && !rig->is_mute) {
        rig_promises_take_over(rig);
    }
}

bool rig_step_list(struct rig *rig)
{
    struct rig_watch *w = rig->watches;
    while (w && !w->list) {
        w = w->next;
    }
    if (!w || rig->hold_lists) {
        return false;
    }
    DL_DELETE(rig->watches, w);
    rig_deliver(rig, w);
    rig_watch_free(NULL, w);
    return true;
}

/* ---- lists of watches that break ---- */

/* What the engine heard of last of the watch's object had this uid; "" nothing. */
static const char *heard_uid(const struct rig *rig, const struct rig_watch *w)
{
    return rig_text(json_object_get(rig->heard[w->kind], w->key), "metadata.uid");
}

static void deliver_gone(struct rig *rig, const struct rig_watch *w, const char *uid)
{
    struct rig_watch gone = *w;
    gone.json = NULL;
    gone.uid = skr_strdup(uid);
    rig_deliver(rig, &gone);
    free(gone.uid);
}

static bool comes_again(const struct rig_watch *w)
{
    const struct rig_watch *later = w->next;
    while (later && (later->kind != w->kind || strcmp(later->key, w->key) != 0)) {
        later = later->next;
    }
    return later;
}

/* As server/kube/feed.c: what has another uid now went before; what is missing goes at the end. */
void rig_relist(struct rig *rig, enum rig_kind kind)
{
    struct rig_watch *w, *tmp, *gone = NULL;
    rig_tell(rig, "==== list of kind %d", (int)kind);
    DL_FOREACH_SAFE(rig->watches, w, tmp)
    {
        if (w->kind != kind || w->list) {
            continue;
        }
        bool last = !comes_again(w);
        DL_DELETE(rig->watches, w);
        if (last && !w->json) {
            DL_APPEND(gone, w);
            continue;
        }
        if (last) {
            const char *uid = heard_uid(rig, w);
            if (*uid && strcmp(uid, w->uid) != 0) {
                deliver_gone(rig, w, uid);
            }
            rig_deliver(rig, w);
        }
        rig_watch_free(NULL, w);
    }
    DL_FOREACH_SAFE(gone, w, tmp)
    {
        DL_DELETE(gone, w);
        if (*heard_uid(rig, w)) {
            deliver_gone(rig, w, heard_uid(rig, w));
        }
        rig_watch_free(NULL, w);
    }
}
