/* SPDX-License-Identifier: Apache-2.0 */
#include "core/frame/event.h"

void *skr_event_take_object(struct skr_event *event)
{
    void *object = NULL;
    if (event->kind == SKR_EVENT_UPSERT) {
        object = event->upsert.object;
        event->upsert.object = NULL;
    } else if (event->kind == SKR_EVENT_WRITE_DONE) {
        object = event->written.object;
        event->written.object = NULL;
    }
    return object;
}

void skr_event_fini(struct skr_event *event)
{
    if (event->kind == SKR_EVENT_WORK_DONE) {
        skr_work_destroy(event->work);
        event->work = NULL;
        return;
    }
    void *object = skr_event_take_object(event);
    if (object) {
        (event->kind == SKR_EVENT_UPSERT ? event->upsert.type : event->written.type)
            ->destroy(object);
    }
}
