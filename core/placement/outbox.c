/* SPDX-License-Identifier: Apache-2.0 */
/* Sends the writes of a Placement's cycle, and Events about it. */
#include <stdlib.h>

#include "core/placement/state.h"

static void release(void *more)
{
    free(more);
}

void skr_placements_send(struct skr_placements *self, struct skr_placement_entry *entry,
                         const struct skr_write *write, int purpose, const char *object)
{
    struct skr_pending_write *pending = skr_frame_write(self->frame, write, purpose, entry->key);
    pending->more = skr_strdup(object);
    pending->release = release;
    entry->written_at = entry->pending == 0 && entry->written_at == 0 ? skr_frame_now(self->frame)
                                                                      : entry->written_at;
    entry->pending++;
}

void skr_placements_event(struct skr_placements *self, const struct skr_placement_entry *entry,
                          const char *related, bool warning, const char *reason, const char *action,
                          const char *note)
{
    char version[SKR_API_VERSION_MAX];
    if (!skr_frame_is_deciding(self->frame) || !entry->placement) {
        return;
    }
    const struct skr_reference object = {.api_version = SKR_OCM "v1beta1",
                                         .kind = "PlacementDecision",
                                         .namespace_ = entry->placement->meta.namespace_,
                                         .name = related ? related : "",
                                         .uid = ""};
    const struct skr_note about = {
        .regarding = skr_reference_to(&skr_resource_placements, &entry->placement->meta, version),
        .related = related ? &object : NULL,
        .warning = warning,
        .reason = reason,
        .action = action,
        .note = note};
    skr_frame_event(self->frame, &about);
}
