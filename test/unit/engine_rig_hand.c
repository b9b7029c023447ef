/* SPDX-License-Identifier: Apache-2.0 */
/* kube-scheduler played by the test: single verbs, asked when it likes. */
#include "test/unit/engine_rig_parts.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

/* ---- by hand ---- */

static size_t split(char *text, const char **names, size_t max)
{
    size_t n = 0;
    for (char *name = strtok(text, " "); name && n < max; name = strtok(NULL, " ")) {
        names[n++] = name;
    }
    return n;
}

static struct rig_answer ask_by_hand(struct rig *rig, enum skr_gang_verb verb, const char *pod,
                                     const char *nodes)
{
    const char *names[512];
    size_t n = 0;
    SKR_AUTO_FREE char *copy = skr_strdup(nodes ? nodes : "");
    const struct rig_object *o;
    struct rig_object *p = rig_find(rig, RIG_POD, pod);
    p->tried_at = rig->now;
    if (nodes) {
        n = split(copy, names, 512);
    } else {
        DL_FOREACH(rig->list, o)
        {
            if (o->kind == RIG_NODE && n < 512) {
                names[n++] = o->key;
            }
        }
    }
    return rig_ask(rig, verb, p->pod, names, n);
}

struct rig_answer rig_filter(struct rig *rig, const char *pod, const char *nodes)
{
    return ask_by_hand(rig, SKR_GANG_FILTER, pod, nodes);
}

void rig_hear(struct rig *rig, const char *profile, const char *nodes)
{
    const bool held = rig->hold_scheduler;
    rig->hold_scheduler = true;
    rig_pod(rig, "ordinary", NULL, 0);
    rig_edit(rig, RIG_POD, "ordinary", "{'spec':{'schedulerName':'%s'}}", profile);
    rig_settle(rig);
    rig_filter(rig, "ordinary", nodes);
    rig_delete(rig, RIG_POD, "ordinary");
    rig_settle(rig);
    rig->hold_scheduler = held;
}

struct rig_answer rig_prioritize(struct rig *rig, const char *pod, const char *nodes)
{
    return ask_by_hand(rig, SKR_GANG_PRIORITIZE, pod, nodes);
}

struct rig_answer rig_preempt(struct rig *rig, const char *pod, const char *candidates)
{
    struct skr_preempt_node node[16] = {0};
    const char *names[16], *uids[64];
    size_t n_uids = 0;
    char *copy = skr_strdup(candidates), *inner;
    size_t n = split(copy, names, 16);
    for (size_t i = 0; i < n; i++) {
        char *colon = strchr(names[i], ':');
        *colon = '\0';
        node[i] = (struct skr_preempt_node){.node = names[i], .uid = &uids[n_uids]};
        for (char *v = strtok_r(colon + 1, ",", &inner); v; v = strtok_r(NULL, ",", &inner)) {
            uids[n_uids++] = rig_find(rig, RIG_POD, v)->pod->meta.uid;
            node[i].n_uids++;
        }
    }
    struct rig_answer answer = {.kind = SKR_ANSWER_KIND_COUNT};
    const struct skr_preempt_request request = {rig_find(rig, RIG_POD, pod)->pod, n, node};
    rig->asking = &answer;
    rig->asking_request = rig->request + 1;
    rig->asking_names = names;
    rig->asking_n = n;
    rig_request(rig, SKR_GANG_PREEMPT, &request);
    rig->asking = NULL;
    free(copy);
    return answer;
}

const struct rig_call *rig_bind(struct rig *rig, const char *pod, const char *node)
{
    return rig_call_bind(rig, rig_find(rig, RIG_POD, pod), node, true);
}

const struct rig_call *rig_call_of(struct rig *rig, const char *pod)
{
    const struct rig_call *call, *best = NULL;
    SKR_AUTO_FREE char *key = rig_full_key(RIG_POD, pod);
    DL_FOREACH(rig->calls, call)
    {
        if (strcmp(call->key, key) == 0) {
            best = call;
        }
    }
    return best;
}

size_t rig_open_calls(struct rig *rig)
{
    const struct rig_call *call;
    size_t n = 0;
    DL_FOREACH(rig_first_open(rig), call)
    {
        n += call->state == RIG_OPEN;
    }
    return n;
}
