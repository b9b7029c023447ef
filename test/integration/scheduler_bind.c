/* SPDX-License-Identifier: Apache-2.0 */
/* Bind calls, each on a thread of its own, and what their ends mean. */
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "server/object/path.h"
#include "test/integration/scheduler_parts.h"
#include "topology/base/arena.h"

#define BIND_TIMEOUT_MS 330000L

static void finish_call(struct call *call, const struct web_answer *answer)
{
    struct scheduler *s = call->s;
    json_auto_t *json = answer->status ? json_loads(answer->body, 0, NULL) : NULL;
    const char *error = skr_path_text(json, "Error");
    cluster_lock(s->cluster);
    const json_t *pod = cluster_get(s->cluster, "Pod", call->namespace_, call->name);
    const char *node = skr_path_text(pod, "spec.nodeName");
    bool same = strcmp(skr_path_text(pod, "metadata.uid"), call->uid) == 0;
    s->open--;
    s->counts.answered += !!json;
    s->counts.failed += !json;
    if (answer->status != 0 && (answer->status != 200 || !json_is_object(json))) {
        cluster_violate(s->cluster, "bind was answered %d: %.100s", answer->status, answer->body);
    }
    bool bound = json && !error[0];
    s->counts.bound += bound;
    if (bound && same && strcmp(node, call->node) != 0) {
        cluster_violate(s->cluster, "bind of %s to %s succeeded, but it is on '%s'", call->name,
                        call->node, node);
    }
    if (error[0]) {
        scheduler_note_text(s, error);
    }
    call->entry->assumed = false;
    call->entry->lost = !json;
    if (json) {
        free(call->entry->node);
        call->entry->node = NULL;
    }
    if (!bound) {
        call->entry->again = true;
        call->entry->not_before = scheduler_now_ns() + SCHEDULER_BACKOFF_MS * 1000000LL;
        scheduler_clear_nomination(s, call->namespace_, call->name, call->uid);
    }
    fake_api_changed(s->cluster->api);
    cluster_unlock(s->cluster);
}

static void *run_call(void *context)
{
    struct call *call = context;
    struct scheduler *s = call->s;
    json_auto_t *request = json_pack("{s:s,s:s,s:s,s:s}", "PodName", call->name, "PodNamespace",
                                     call->namespace_, "PodUID", call->uid, "Node", call->node);
    SKR_AUTO_FREE char *body = json_dumps(request, JSON_COMPACT);
    struct web_answer answer =
        web_ask("POST", call->port, "/v1/bind", body, s->has_tls ? &s->tls : NULL, BIND_TIMEOUT_MS);
    finish_call(call, &answer);
    free(answer.body);
    return NULL;
}

/* Lock held. */
void scheduler_start_call(struct scheduler *s, struct entry *e, const json_t *pod, const char *node)
{
    struct call *call = skr_alloc(sizeof *call);
    call->s = s;
    call->entry = e;
    call->namespace_ = skr_strdup(skr_path_text(pod, "metadata.namespace"));
    call->name = skr_strdup(skr_path_text(pod, "metadata.name"));
    call->uid = skr_strdup(skr_path_text(pod, "metadata.uid"));
    call->node = skr_strdup(node);
    call->port = s->bind_port;
    e->assumed = true;
    e->lost = false;
    free(e->node);
    e->node = skr_strdup(node);
    s->open++;
    s->counts.binds++;
    LL_PREPEND(s->calls, call);
    skr_bug_on(pthread_create(&call->thread, NULL, run_call, call) != 0);
    fake_api_changed(s->cluster->api);
}

bool scheduler_has_call(void *context, const char *uid, const char *node)
{
    struct scheduler *s = context;
    const struct entry *e;
    LL_FOREACH(s->entries, e)
    {
        if (strcmp(e->uid, uid) == 0) {
            return e->node && strcmp(e->node, node) == 0;
        }
    }
    return false;
}

void scheduler_free_call(struct call *call)
{
    (void)pthread_join(call->thread, NULL);
    free(call->namespace_);
    free(call->name);
    free(call->uid);
    free(call->node);
    free(call);
}
