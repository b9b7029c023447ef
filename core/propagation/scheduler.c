/* SPDX-License-Identifier: Apache-2.0 */
/* The row of the scheduler of bindings, what it watches, and where objects go. */
#include "core/propagation/scheduler.h"

#include <stdlib.h>
#include <string.h>

#include "core/propagation/state.h"

static const struct skr_watch watches[] = {
    {.type = &skr_member_cluster_type, .name = "memberclusters"},
    {.type = &skr_binding_type},
    {.type = &skr_cluster_binding_type},
};

static void *create(struct skr_frame *frame, const void *settings)
{
    struct skr_propagation *self = skr_alloc(sizeof *self);
    const struct skr_propagation_settings *its = settings;
    const struct skr_keys_options options = {.hash_seed = its->hash_seed,
                                             .retry_min = SKR_RETRY_BACKOFF_MIN,
                                             .retry_max = SKR_RETRY_BACKOFF_MAX,
                                             .wake_kind = SKR_WAKE_KEYS,
                                             .budget = SKR_PROPAGATION_EVENT_BUDGET};
    self->frame = frame;
    self->settings = settings;
    self->keys = skr_keys_create(frame, &options);
    return self;
}

static void destroy(void *object)
{
    struct skr_propagation *self = object;
    if (self) {
        skr_propagation_clear(self);
        skr_keys_destroy(self->keys);
        free(self);
    }
}

static void on_object(void *self, struct skr_event *event)
{
    if (event->kind == SKR_EVENT_DELETE) {
        if (event->deleted.type == &skr_member_cluster_type) {
            skr_propagation_drop_cluster(self, event->deleted.name);
        } else {
            skr_propagation_drop_binding(self, event->deleted.namespace_, event->deleted.name);
        }
        return;
    }
    if (event->upsert.type == &skr_member_cluster_type) {
        skr_propagation_take_cluster(self, skr_event_take_object(event));
    } else {
        skr_propagation_put_binding(self, skr_event_take_object(event));
    }
}

static void begin(void *object)
{
    struct skr_propagation *self = object;
    struct skr_binding_entry *entry;
    struct skr_binding_entry *next;
    HASH_ITER(hh, self->binding, entry, next)
    {
        skr_propagation_queue(self, entry, 0);
    }
}

const struct skr_duration_scale skr_propagation_scale = {.first = 10000, .factor = 4, .n = 12};

const char *const skr_propagation_step_name[] = {
    [SKR_PROPAGATION_STEP_FILTER] = "filter",     [SKR_PROPAGATION_STEP_SCORE] = "score",
    [SKR_PROPAGATION_STEP_SELECT] = "select",     [SKR_PROPAGATION_STEP_ASSIGN] = "assign",
    [SKR_PROPAGATION_STEP_ESTIMATE] = "estimate", [SKR_PROPAGATION_STEP_WRITE] = "write",
    [SKR_PROPAGATION_STEP_TOTAL] = "total",
};
_Static_assert(sizeof skr_propagation_step_name / sizeof *skr_propagation_step_name ==
                   SKR_PROPAGATION_STEP_COUNT,
               "all named");

void skr_propagation_count(const void *object, struct skr_propagation_counts *ret)
{
    const struct skr_propagation *self = object;
    struct skr_binding_entry *entry;
    struct skr_binding_entry *next;
    *ret = (struct skr_propagation_counts){.fallbacks = self->fallbacks,
                                           .queued = skr_keys_depth(self->keys)};
    memcpy(ret->attempts, self->attempts, sizeof ret->attempts);
    memcpy(ret->estimators, self->estimators, sizeof ret->estimators);
    memcpy(ret->time, self->time, sizeof ret->time);
    HASH_ITER(hh, self->binding, entry, next)
    {
        if (!skr_propagation_is_ours(self, entry->binding)) {
            continue;
        }
        const char *status = entry->binding->condition_status;
        ret->placed += strcmp(status, "True") == 0 ? 1 : 0;
        ret->unplaced += strcmp(status, "False") == 0 ? 1 : 0;
        ret->waiting += status[0] == '\0' ? 1 : 0;
    }
}

const struct skr_scheduler skr_propagation_scheduler = {
    .name = "propagation",
    .watch = watches,
    .n_watches = sizeof watches / sizeof watches[0],
    .create = create,
    .destroy = destroy,
    .object = on_object,
    .written = skr_propagation_written,
    .replied = skr_propagation_replied,
    .begin = begin,
    .settle = skr_propagation_settle,
};
