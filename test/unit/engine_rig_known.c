/* SPDX-License-Identifier: Apache-2.0 */
/* What the engine can know: the versions of objects that it was told of, and those on their way to it. */
#include "test/unit/engine_rig_parts.h"

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

/* The engine has read back a newer version before its watch brought this one, and passes over it. */
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

void rig_hears(struct rig *rig, enum rig_kind kind, const char *key, json_t *json)
{
    if (is_old_news(json_object_get(rig->heard[kind], key), json)) {
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
