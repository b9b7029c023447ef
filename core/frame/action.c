/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of actions. The arena of a list is made again at a reset that finds it used, so that one
 * large event does not hold its memory for good. Limit: ACTIONS_BYTES_MAX for the texts of one
 * event.
 */
#include "core/frame/action.h"

#include <stdlib.h>
#include <string.h>

enum {
    ACTIONS_BYTES_MAX = 1024 * 1024 * 1024, /* bodies of one event's writes */
    FIRST_BLOCK = 16 * 1024,
};

static const char *const verb_name[] = {
    [SKR_VERB_GET] = "get",
    [SKR_VERB_CREATE] = "create",
    [SKR_VERB_UPDATE] = "update",
    [SKR_VERB_MERGE_PATCH] = "patch",
    [SKR_VERB_STRATEGIC_PATCH] = "patch",
    [SKR_VERB_JSON_PATCH] = "patch",
    [SKR_VERB_DELETE] = "delete",
};
_Static_assert(sizeof verb_name / sizeof verb_name[0] == SKR_WRITE_VERB_COUNT, "a name per verb");

static const char *const class_name[] = {
    [SKR_WRITE_CLASS_COMMIT] = "commit", [SKR_WRITE_CLASS_MEMBER] = "member",
    [SKR_WRITE_CLASS_LOOKUP] = "lookup", [SKR_WRITE_CLASS_EVICT] = "evict",
    [SKR_WRITE_CLASS_STATUS] = "status", [SKR_WRITE_CLASS_LABEL] = "label",
    [SKR_WRITE_CLASS_EVENT] = "event",
};
_Static_assert(sizeof class_name / sizeof class_name[0] == SKR_WRITE_CLASS_COUNT,
               "a name per class of write");

const char *skr_write_verb_name(enum skr_write_verb verb)
{
    return (size_t)verb < SKR_WRITE_VERB_COUNT ? verb_name[verb] : "";
}

const char *skr_write_class_name(enum skr_write_class class)
{
    return (size_t) class < SKR_WRITE_CLASS_COUNT ? class_name[class] : "";
}

void skr_work_destroy(struct skr_work *work)
{
    if (work) {
        work->type->destroy(work);
    }
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
        if (actions->item[i].kind == SKR_ACTION_WORK) {
            skr_work_destroy(actions->item[i].work);
        }
    }
    free(actions->item);
    skr_arena_destroy(actions->arena);
    *actions = (struct skr_actions){.n = 0};
}

struct skr_action *skr_actions_add(struct skr_actions *actions, enum skr_action_kind kind)
{
    skr_grow(&actions->item, &actions->cap, actions->n + 1, sizeof *actions->item);
    struct skr_action *action = &actions->item[actions->n++];
    memset(action, 0, sizeof *action);
    action->kind = kind;
    return action;
}

void *skr_actions_copy(struct skr_actions *actions, const void *data, size_t n)
{
    void *p = skr_arena_alloc(actions->arena, n);
    skr_bug_on(!p);
    if (n > 0) {
        memcpy(p, data, n);
    }
    return p;
}

const char *skr_actions_copy_string(struct skr_actions *actions, const char *s)
{
    return skr_actions_copy(actions, s ? s : "", strlen(s ? s : "") + 1);
}

static void carry_out(struct skr_action *a, const struct skr_outlets *o, skr_time *timer)
{
    struct skr_work *work;
    switch (a->kind) {
    case SKR_ACTION_ANSWER:
        if (o->answer) {
            o->answer(o->context, a->answer.request, a->answer.body);
        }
        break;
    case SKR_ACTION_WRITE:
        if (o->write) {
            o->write(o->context, &a->write);
        }
        break;
    case SKR_ACTION_WORK:
        work = a->work;
        a->work = NULL;
        if (o->work) {
            o->work(o->context, work);
        } else {
            skr_work_destroy(work);
        }
        break;
    case SKR_ACTION_CANCEL:
        if (o->cancel) {
            o->cancel(o->context, a->cancel);
        }
        break;
    case SKR_ACTION_QUERY:
        if (o->query) {
            o->query(o->context, &a->query);
        }
        break;
    case SKR_ACTION_WATCH:
        if (o->watch) {
            o->watch(o->context, a->watch);
        }
        break;
    case SKR_ACTION_TIMER:
        *timer = a->timer;
        break;
    case SKR_ACTION_DECISION:
        if (o->decide) {
            o->decide(o->context, &a->decision);
        }
        break;
    case SKR_ACTION_KIND_COUNT:
        break;
    }
}

void skr_actions_carry_out(struct skr_actions *actions, const struct skr_outlets *outlets,
                           skr_time *timer)
{
    for (size_t i = 0; i < actions->n; i++) {
        carry_out(&actions->item[i], outlets, timer);
    }
    skr_actions_reset(actions);
}
