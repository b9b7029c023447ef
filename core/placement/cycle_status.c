/* SPDX-License-Identifier: Apache-2.0 */
/* The Placement's status. A difference is the reason for a write, and the write has the whole
 * status. A merge patch replaces lists, so it also has the conditions of other controllers as they
 * are. */
#include <string.h>

#include "core/frame/object_writer.h"
#include "core/placement/report.h"
#include "core/placement/state.h"

enum { TIME_TEXT_MAX = 40 };

struct wanted {
    const char *type, *status, *reason, *message;
    const struct skr_placement_condition *before;
};

static bool is_same(const struct wanted *w, int64_t generation)
{
    return w->before->is_set && strcmp(w->before->status, w->status) == 0 &&
           strcmp(w->before->reason, w->reason) == 0 &&
           strcmp(w->before->message, w->message) == 0 && w->before->generation == generation;
}

static void write_condition(struct skr_json_writer *w, const struct wanted *wanted,
                            int64_t generation, skr_time now)
{
    char since[TIME_TEXT_MAX];
    const struct skr_placement_condition *before = wanted->before;
    skr_time_write(now - now % SKR_SECOND, 0, since, sizeof since);
    const bool stays =
        before->is_set && before->since[0] && strcmp(before->status, wanted->status) == 0;
    skr_json_open(w, NULL, '{');
    skr_json_string(w, "type", wanted->type);
    skr_json_string(w, "status", wanted->status);
    skr_json_string(w, "reason", wanted->reason);
    skr_json_string(w, "message", wanted->message);
    skr_json_int(w, "observedGeneration", generation);
    skr_json_string(w, "lastTransitionTime", stays ? before->since : since);
    skr_json_close(w, '}');
}

bool skr_placements_write_status(struct skr_placements *self, struct skr_placement_entry *entry)
{
    const struct skr_placement *p = entry->placement;
    const struct skr_target *t = entry->target;
    const bool bad = t->misconfigured[0];
    static const char good[] = "Placement configurations check pass"; /* as OCM's controller */
    const struct wanted conditions[] = {{"PlacementSatisfied", t->satisfied ? "True" : "False",
                                         t->reason, t->message, &p->satisfied},
                                        {"PlacementMisconfigured", bad ? "True" : "False",
                                         bad ? "Misconfigured" : "Succeedconfigured",
                                         bad ? t->misconfigured : good, &p->misconfiguration}};
    const bool counts = !t->keeps || p->n_selected < 0;
    if (is_same(&conditions[0], p->generation) && is_same(&conditions[1], p->generation) &&
        (!counts || p->n_selected == (int64_t)t->n_selected) &&
        (t->keeps || strcmp(p->groups, t->groups) == 0)) {
        return false;
    }
    struct skr_strbuf body;
    struct skr_json_writer w = {.out = &body};
    skr_strbuf_init(&body);
    skr_object_open_patch(&w, &p->meta);
    skr_json_close(&w, '}');
    skr_json_open(&w, "status", '{');
    if (counts) {
        skr_json_int(&w, "numberOfSelectedClusters", (int64_t)t->n_selected);
    }
    if (!t->keeps) {
        skr_json_raw(&w, "decisionGroups", t->groups);
    }
    skr_json_open(&w, "conditions", '[');
    for (size_t i = 0; i < p->n_foreign; i++) {
        skr_json_raw(&w, NULL, p->foreign[i]);
    }
    for (size_t i = 0; i < 2; i++) {
        write_condition(&w, &conditions[i], p->generation, skr_frame_now(self->frame));
    }
    skr_json_close(&w, ']');
    skr_json_close(&w, '}');
    skr_json_close(&w, '}');
    const struct skr_write write = {.verb = SKR_VERB_MERGE_PATCH,
                                    .resource = &skr_resource_placements,
                                    .subresource = "status",
                                    .class = SKR_WRITE_CLASS_STATUS,
                                    .namespace_ = p->meta.namespace_,
                                    .name = p->meta.name,
                                    .body = body.s,
                                    .body_len = body.len,
                                    .answer = &skr_ocm_types[SKR_OCM_PLACEMENT]};
    skr_placements_send(self, entry, &write, SKR_PLACEMENT_WRITE_STATUS, p->meta.name);
    skr_strbuf_fini(&body);
    return true;
}
