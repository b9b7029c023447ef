/* SPDX-License-Identifier: Apache-2.0 */
/* The row of the scheduler of Placements, what it watches, and where objects go. */
#include "core/placement/scheduler.h"

#include <stdlib.h>
#include <string.h>

#include "core/placement/state.h"

static const struct skr_watch watches[] = {
    {.type = &skr_ocm_types[SKR_OCM_CLUSTER]},
    {.type = &skr_ocm_types[SKR_OCM_SET]},
    {.type = &skr_ocm_types[SKR_OCM_BINDING]},
    {.type = &skr_ocm_types[SKR_OCM_PLACEMENT]},
    {.type = &skr_ocm_types[SKR_OCM_DECISION]},
    {.type = &skr_ocm_types[SKR_OCM_SCORE], .optional = true},
};

static void *create(struct skr_frame *frame, const void *settings)
{
    struct skr_placements *self = skr_alloc(sizeof *self);
    const struct skr_placement_settings *its = settings;
    const struct skr_keys_options options = {.hash_seed = its->hash_seed,
                                             .retry_min = SKR_PLACEMENT_RETRY_MIN,
                                             .retry_max = SKR_PLACEMENT_RETRY_MAX,
                                             .wake_kind = SKR_PLACEMENT_WAKE_KEYS,
                                             .running_max = SKR_PLACEMENT_CYCLES_MAX,
                                             .budget = SKR_PLACEMENT_EVENT_BUDGET};
    self->frame = frame;
    self->settings = settings;
    self->unsorted = true;
    self->keys = skr_keys_create(frame, &options);
    return self;
}

static void destroy(void *object)
{
    struct skr_placements *self = object;
    if (self) {
        skr_placements_clear(self);
        skr_keys_destroy(self->keys);
        free(self);
    }
}

static void on_object(void *object, struct skr_event *event)
{
    struct skr_placements *self = object;
    const bool upsert = event->kind == SKR_EVENT_UPSERT;
    const struct skr_object_type *type = upsert ? event->upsert.type : event->deleted.type;
    const enum skr_ocm_kind kind = (enum skr_ocm_kind)(type - skr_ocm_types);
    if (upsert) {
        skr_placements_take(self, kind, skr_event_take_object(event));
    } else {
        skr_placements_drop(self, kind, event->deleted.namespace_, event->deleted.name,
                            event->deleted.uid);
    }
}

static void begin(void *object)
{
    struct skr_placements *self = object;
    struct skr_placement_entry *entry, *next;
    HASH_ITER(hh, self->entry, entry, next)
    {
        skr_placements_queue(self, entry);
        entry->news = false; /* the first lists are no changes, and a leader before took the rest */
    }
}

const struct skr_duration_scale skr_placement_scale = {.first = 1000, .factor = 10, .n = 10};

const char *const skr_placement_end_name[] = {[SKR_PLACEMENT_END_SATISFIED] = "satisfied",
                                              [SKR_PLACEMENT_END_UNSATISFIED] = "unsatisfied",
                                              [SKR_PLACEMENT_END_MISCONFIGURED] = "misconfigured",
                                              [SKR_PLACEMENT_END_ERROR] = "error"};
_Static_assert(sizeof skr_placement_end_name / sizeof *skr_placement_end_name ==
                   SKR_PLACEMENT_END_COUNT,
               "all named");

const char *const skr_placement_object_name[] = {
    [SKR_PLACEMENT_OBJECT_DECISION] = "placementdecisions",
    [SKR_PLACEMENT_OBJECT_STATUS] = "placements/status"};
_Static_assert(sizeof skr_placement_object_name / sizeof *skr_placement_object_name ==
                   SKR_PLACEMENT_OBJECT_COUNT,
               "all named");

void skr_placement_count(const void *object, struct skr_placement_counts *ret)
{
    const struct skr_placements *self = object;
    struct skr_placement_entry *entry, *next;
    *ret = self->counts;
    ret->queued = skr_keys_depth(self->keys);
    HASH_ITER(hh, self->entry, entry, next)
    {
        if (skr_placements_is_ours(self, entry)) {
            const struct skr_placement *p = entry->placement;
            const bool satisfied = p->satisfied.is_set && strcmp(p->satisfied.status, "True") == 0;
            ret->misconfigured += p->misconfigured[0] ? 1 : 0;
            ret->satisfied += !p->misconfigured[0] && satisfied ? 1 : 0;
            ret->unsatisfied += !p->misconfigured[0] && !satisfied ? 1 : 0;
        }
    }
}

const struct skr_scheduler skr_placement_scheduler = {
    .name = "placement",
    .watch = watches,
    .n_watches = sizeof watches / sizeof watches[0],
    .create = create,
    .destroy = destroy,
    .object = on_object,
    .written = skr_placements_written,
    .begin = begin,
    .settle = skr_placements_settle,
};
