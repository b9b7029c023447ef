/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of actions. The arena of a list is made again at a reset that finds it used, so that one
 * large event does not hold its memory for good. Limit: ACTIONS_BYTES_MAX for the texts of one
 * event.
 */
#include "core/gang/action.h"

#include <stdlib.h>

enum {
    ACTIONS_BYTES_MAX = 1024 * 1024 * 1024, /* bodies of one event's writes */
    FIRST_BLOCK = 16 * 1024,
};

static const char *const kind_name[] = {
    [SKR_WRITE_BINDING] = "binding",
    [SKR_WRITE_PATCH_POD] = "patch pod",
    [SKR_WRITE_UNGATE_POD] = "ungate pod",
    [SKR_WRITE_PATCH_POD_STATUS] = "patch pod status",
    [SKR_WRITE_PATCH_CONFIGMAP] = "patch configmap",
    [SKR_WRITE_PATCH_PODGROUP] = "patch podgroup",
    [SKR_WRITE_CREATE_EVENT] = "create event",
    [SKR_WRITE_EVICT] = "evict",
    [SKR_WRITE_DELETE_POD] = "delete pod",
    [SKR_WRITE_GET_POD] = "get pod",
    [SKR_WRITE_GET_CONFIGMAP] = "get configmap",
    [SKR_WRITE_GET_PODGROUP] = "get podgroup",
};
_Static_assert(sizeof kind_name / sizeof kind_name[0] == SKR_WRITE_KIND_COUNT,
               "a name per kind of write");

static const char *const class_name[] = {
    [SKR_WRITE_CLASS_LEASE] = "lease",   [SKR_WRITE_CLASS_COMMIT] = "commit",
    [SKR_WRITE_CLASS_MEMBER] = "member", [SKR_WRITE_CLASS_EVICT] = "evict",
    [SKR_WRITE_CLASS_STATUS] = "status", [SKR_WRITE_CLASS_LABEL] = "label",
    [SKR_WRITE_CLASS_EVENT] = "event",
};
_Static_assert(sizeof class_name / sizeof class_name[0] == SKR_WRITE_CLASS_COUNT,
               "a name per class of write");

const char *skr_write_kind_name(enum skr_write_kind kind)
{
    return (size_t)kind < SKR_WRITE_KIND_COUNT ? kind_name[kind] : "";
}

const char *skr_write_class_name(enum skr_write_class class)
{
    return (size_t) class < SKR_WRITE_CLASS_COUNT ? class_name[class] : "";
}

void skr_solve_request_destroy(struct skr_solve_request *request)
{
    if (!request) {
        return;
    }
    skr_tree_unref(request->tree);
    skr_arena_destroy(request->arena);
    free(request);
}

static struct skr_arena *arena_create(void)
{
    struct skr_arena *arena = skr_arena_create(ACTIONS_BYTES_MAX, FIRST_BLOCK);
    skr_bug_on(!arena);
    return arena;
}

void skr_actions_init(struct skr_actions *actions)
{
    *actions = (struct skr_actions){.arena = arena_create()};
}

void skr_actions_reset(struct skr_actions *actions)
{
    actions->n = 0;
    if (skr_arena_used(actions->arena) == 0) {
        return;
    }
    skr_arena_destroy(actions->arena);
    actions->arena = arena_create();
}

void skr_actions_fini(struct skr_actions *actions)
{
    for (size_t i = 0; i < actions->n; i++) {
        if (actions->item[i].kind == SKR_ACTION_SOLVE) {
            skr_solve_request_destroy(actions->item[i].solve);
        }
    }
    free(actions->item);
    skr_arena_destroy(actions->arena);
    *actions = (struct skr_actions){.n = 0};
}
