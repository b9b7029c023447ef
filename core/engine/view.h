/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_ENGINE_VIEW_H
#define SKR_CORE_ENGINE_VIEW_H
/* What the files behind core/view.h share: one run of skr_engine_view(), in which a page is
 * written. For the view files of this folder alone. */
#include "core/engine/state.h"
#include "core/json_writer.h"
#include "core/view.h"

struct view {
    struct skr_engine *e;
    const struct skr_view_query *query;
    skr_time now;
    struct skr_json_writer w;
    size_t begin; /* length of the output before the answer */
};

/* Drops what was written, writes a Status instead; returns code. */
int view_refuse(struct view *v, int code, const char *format, ...) SKR_PRINTF(3, 4);
/* "apiVersion", "kind", "time". */
void view_head(struct view *v, const char *kind);
void view_time(struct view *v, const char *key, skr_time t); /* null when not positive */
bool view_is_too_large(const struct view *v);

/* rest: of the path, behind the row's. They return the HTTP status. */
int view_tree(struct view *v, const char *rest);
int view_groups(struct view *v, const char *rest);

/* view_group.c */
enum view_depth { VIEW_SUMMARY, VIEW_WHOLE };
void view_group(struct view *v, const struct group *g, enum view_depth depth);
/* Where the member is, or will be by a plan; NULL: nowhere yet. */
const char *view_node_of(const struct pod_entry *p);
/* "NAMESPACE/NAME" as the only rest; NULL when there is no such group (the refusal is written and
 * *ret_code set). */
struct group *view_find_group(struct view *v, const char *rest, int *ret_code);

/* view_slots.c: how many more pods of a size fit. */
struct slot_size {
    size_t n;
    struct {
        uint16_t resource;
        bool unknown; /* no node has it: nothing fits */
        int64_t amount;
    } item[SKR_RESOURCES_MAX];
};
/* Of the node alone; 0 when it is not there, not Ready or cordoned. */
int64_t slots_of_node(const struct skr_engine *e, const struct node_entry *n,
                      const struct slot_size *size);

#endif
