/* SPDX-License-Identifier: Apache-2.0 */
/* What the engine can know: the versions of objects that it was told of, and those on their way to it. */
#include "test/unit/engine_rig_parts.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "test/unit/json_fast.h"

bool rig_is_readable(const json_t *map)
{
    const char *constraints = rig_text(map, "data.constraints");
    json_t *parsed =
        *constraints ? json_fast_read(constraints, strlen(constraints), NULL) : json_null();
    json_decref(parsed);
    return parsed;
}

/* The engine has read back a newer version before its watch brought this one, or the answer to a patch of its own named
 * one, and passes over it. */
static bool is_old_news(const json_t *have, const json_t *json)
{
    return json && strcmp(rig_text(have, "metadata.uid"), rig_text(json, "metadata.uid")) == 0 &&
           atoll(rig_text(have, "metadata.resourceVersion")) >
               atoll(rig_text(json, "metadata.resourceVersion"));
}

static void heard(struct rig *rig, int list, const char *key, json_t *json)
{
    if (!rig->heard[list]) {
        rig->heard[list] = json_object();
    }
    if (json) {
        json_object_set(rig->heard[list], key, json);
    } else {
        json_object_del(rig->heard[list], key);
    }
}

/* A copy of the version with another text below one of its parts. */
static json_t *with_text(const json_t *json, const char *part, const char *key, const char *text)
{
    json_t *now = json_copy((json_t *)(uintptr_t)json);
    json_t *into = json_copy(json_object_get(json, part));
    json_object_set_new(into, key, json_string(text));
    json_object_set_new(now, part, into);
    return now;
}

/* That a pod is bound is seen in a version that is passed over, too: who is bound stays it. */
static void hears_of_binding(struct rig *rig, const char *key, const json_t *have,
                             const json_t *json)
{
    const char *node = rig_text(json, "spec.nodeName");
    if (*node && !*rig_text(have, "spec.nodeName")) {
        json_auto_t *now = with_text(have, "spec", "nodeName", node);
        heard(rig, RIG_POD, key, now);
    }
}

void rig_hears_answer(struct rig *rig, const struct rig_write *w, uint64_t version)
{
    const json_t *have = json_object_get(rig->heard[RIG_POD], w->key);
    if (!rig_patches_member(w) || !have ||
        strcmp(rig_text(have, "metadata.uid"), rig_text(w->body, "metadata.uid")) != 0 ||
        strtoull(rig_text(have, "metadata.resourceVersion"), NULL, 10) >= version) {
        return;
    }
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)version);
    json_auto_t *now = with_text(have, "metadata", "resourceVersion", text);
    heard(rig, RIG_POD, w->key, now);
}

void rig_hears(struct rig *rig, enum rig_kind kind, const char *key, json_t *json)
{
    const json_t *have = json_object_get(rig->heard[kind], key);
    if (is_old_news(have, json)) {
        if (kind == RIG_POD) {
            hears_of_binding(rig, key, have, json);
        }
        return;
    }
    heard(rig, (int)kind, key, json);
    if (kind == RIG_MAP && (!json || rig_is_readable(json))) {
        heard(rig, RIG_HEARD_READABLE, key, json);
    }
}

/* All versions of the kind, an array to be released. */
json_t *rig_known(const struct rig *rig, enum rig_kind kind)
{
    json_t *list = json_array(), *version;
    const char *key;
    const struct rig_watch *w;
    json_object_foreach(rig->heard[kind], key, version)
    {
        json_array_append(list, version);
    }
    DL_FOREACH(rig->watches, w)
    {
        if (w->kind == kind && w->json) {
            json_array_append(list, w->json);
        }
    }
    return list;
}
