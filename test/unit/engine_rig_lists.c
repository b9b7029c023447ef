/* SPDX-License-Identifier: Apache-2.0 */
/* Watches that break: the kind is listed anew, and what happened meanwhile is seen as a difference. */
#include "test/unit/engine_rig_failover.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "test/unit/engine_rig_parts.h"

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
        if (w->kind != kind) {
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
