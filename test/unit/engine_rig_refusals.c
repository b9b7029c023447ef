/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No loop: a plan that kube-scheduler refused does not come back to the same node for pods of the same
 * template within a minute, unless the engine has heard of something that the refusal may rest on.
 * Which refusals ended a plan is read from the engine's decisions.
 */
#include "test/unit/engine_rig_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VETO_S = 60 };

/* The word behind `before` in text. */
static char *word_behind(const char *text, const char *before)
{
    const char *at = strstr(text, before);
    at = at ? at + strlen(before) : "";
    size_t n = strcspn(at, " :,;");
    char *word = skr_alloc(n + 1);
    memcpy(word, at, n);
    return word;
}

void rig_refusals_note(struct rig *rig, const char *group, const char *message)
{
    char *node = word_behind(message, "refuses node "), *name = word_behind(message, " for pod ");
    SKR_STRBUF(key);
    skr_strbuf_addf(&key, "%.*s/%s", (int)strcspn(group, "/"), group, name);
    const struct rig_object *pod = rig_find(rig, RIG_POD, key.s);
    skr_strbuf_reset(&key);
    if (*node && pod) {
        skr_strbuf_addf(&key, "%s %s %s", node, group, pod->pod->shape.key);
        const json_t *before = json_object_get(rig->refusals, key.s);
        if (before && json_integer_value(before) + VETO_S * SKR_SECOND > rig->now) {
            rig_fail(rig, "%s: a plan came back to %s, which kube-scheduler refused to %s", group,
                     node, name);
        }
        json_object_set_new(rig->refusals, key.s, json_integer(rig->now));
    }
    free(node);
    free(name);
}

void rig_refusals_forget(struct rig *rig)
{
    json_object_clear(rig->refusals);
}

void rig_refusals_heard(struct rig *rig, const struct rig_watch *w)
{
    const char *key, *phase = rig_text(w->json, "status.phase");
    void *next;
    json_t *at;
    bool ended = !w->json || strcmp(phase, "Succeeded") == 0 || strcmp(phase, "Failed") == 0;
    if (w->kind == RIG_POD && ended) {
        rig_refusals_forget(rig);
    }
    json_object_foreach_safe(rig->refusals, next, key, at)
    {
        size_t n = strlen(w->key);
        if (w->kind == RIG_NODE && strncmp(key, w->key, n) == 0 && key[n] == ' ') {
            json_object_del(rig->refusals, key);
        }
    }
}
