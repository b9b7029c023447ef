/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One group of 20,000 gated members, from its first pod to the last gate that goes: what the longest event of
 * each part of its way takes in the engine. A call of kube-scheduler waits for one event at most
 * (server/daemon/engine_thread.c), so that is what such a group can delay filter by. CPU time.
 *
 * usage: bench_large [MEMBERS]      default 20000
 */
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/frame/engine.h"
#include "core/gang/scheduler.h"
#include "core/gang/state/solve_request.h"
#include "core/gang/state/types.h"
#include "core/solver/cache.h"
#include "test/unit/solver_cluster.h"
#include "topology/base/arena.h"

enum { CPUS = 8, RACK = 50 };
#define CACHE_BYTES ((size_t)32 << 20)

struct bench {
    struct skr_engine *engine;
    struct skr_actions actions;
    struct skr_solver_cache *cache;
    skr_time now, timer;
    struct skr_solve_request *solve; /* handed out */
    uint64_t *write;                 /* handed out, first in first out */
    size_t n_writes, n_answered, cap_writes;
    uint64_t version;
    double longest_us, all_us;
    size_t n_events;
};

static SKR_NORETURN void die(const char *what)
{
    fprintf(stderr, "bench_large: %s\n", what);
    exit(1);
}

static void take(struct bench *b)
{
    for (size_t i = 0; i < b->actions.n; i++) {
        struct skr_action *a = &b->actions.item[i];
        if (a->kind == SKR_ACTION_WORK) {
            b->solve = skr_solve_request_of(a->work);
            a->work = NULL;
        } else if (a->kind == SKR_ACTION_TIMER) {
            b->timer = a->timer;
        } else if (a->kind == SKR_ACTION_WRITE) {
            skr_grow(&b->write, &b->cap_writes, b->n_writes + 1, sizeof *b->write);
            b->write[b->n_writes++] = a->write.id;
        }
    }
    skr_actions_reset(&b->actions);
}

static void handle_one(struct bench *b, struct skr_event *event)
{
    double begin = cluster_now_us();
    skr_engine_handle(b->engine, event, b->now, &b->actions);
    double took = cluster_now_us() - begin;
    b->longest_us = took > b->longest_us ? took : b->longest_us;
    b->all_us += took;
    b->n_events++;
    take(b);
}

static void handle(struct bench *b, struct skr_event *event)
{
    handle_one(b, event);
    while (b->timer != SKR_TIME_NEVER && b->timer <= b->now) {
        struct skr_event due = {.kind = SKR_EVENT_TIMER};
        b->timer = SKR_TIME_NEVER;
        handle_one(b, &due);
    }
}

static void say(struct bench *b, const char *part)
{
    printf("| %-60s | %8zu | %8.2f | %9.1f |\n", part, b->n_events, b->longest_us / 1e3,
           b->all_us / 1e3);
    fflush(stdout);
    b->longest_us = b->all_us = 0;
    b->n_events = 0;
}

static void add(struct bench *b, const struct skr_object_type *type, const char *format, ...)
    SKR_PRINTF(3, 4);
static void add(struct bench *b, const struct skr_object_type *type, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    int n = vasprintf(&text, format, args);
    va_end(args);
    for (char *c = text; n > 0 && *c; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    json_t *json = n > 0 ? json_loads(text, 0, NULL) : NULL;
    struct skr_event event = {.kind = SKR_EVENT_UPSERT, .upsert = {.type = type}};
    if (!json || type->decode(json, &event.upsert.object, NULL) != 0) {
        die("object");
    }
    json_decref(json);
    free(text);
    handle(b, &event);
}

static void add_topology(struct bench *b, int nodes)
{
    SKR_STRBUF(tree);
    for (int i = 0; i < nodes; i++) {
        if (i % RACK == 0) {
            skr_strbuf_addf(&tree, "%s\\'r%d\\':{", i ? "}," : "", i / RACK);
        }
        skr_strbuf_addf(&tree, "%s\\'n%d\\':{}", i % RACK ? "," : "", i);
    }
    add(b, &skr_gang_configmap,
        "{'metadata':{'name':'t','namespace':'default','uid':'t','labels':{'sakkara.topology':''}},"
        "'data':{'name':'t','level-names':'[\\'rack\\',\\'node\\']','resource-names':'[\\'cpu\\']',"
        "'tree':'{%s}}'}}",
        tree.s);
}

/* As API servers make them: a random uid, the second of its creation. */
static void add_member(struct bench *b, int i)
{
    uint32_t random = (uint32_t)i * 2654435761u;
    char created[64];
    skr_time_write(b->now, 0, created, sizeof created);
    add(b, &skr_gang_pod,
        "{'metadata':{'name':'p-%d','namespace':'default','creationTimestamp':'%s','uid':"
        "'%08x-0000-4000-8000-%012x','labels':"
        "{'sakkara.group.name':'g'}},'spec':{'schedulerName':'sakkara','schedulingGates':"
        "[{'name':'sakkara.gang'}],'containers':[{'name':'c','resources':"
        "{'requests':{'cpu':'1'}}}]}}",
        i, created, random, (unsigned)i);
}

static void answer_next(struct bench *b)
{
    struct skr_event event = {.kind = SKR_EVENT_WRITE_DONE};
    event.written.id = b->write[b->n_answered++];
    event.written.outcome = SKR_WRITE_OK;
    event.written.http_status = 200;
    event.written.resource_version = ++b->version;
    event.written.message = "";
    handle(b, &event);
}

/* The API server says yes, at 1,000 writes a second. */
static void answer_all(struct bench *b)
{
    while (b->n_answered < b->n_writes) {
        b->now += SKR_MILLISECOND;
        answer_next(b);
    }
}

static void pass_time(struct bench *b, skr_time duration)
{
    skr_time end = b->now + duration;
    while (b->timer != SKR_TIME_NEVER && b->timer <= end) {
        struct skr_event event = {.kind = SKR_EVENT_TIMER};
        b->now = b->timer > b->now ? b->timer : b->now;
        b->timer = SKR_TIME_NEVER;
        handle(b, &event);
    }
    b->now = end;
}

static void solve(struct bench *b)
{
    struct skr_solve_request *request = b->solve;
    struct skr_event event = {.kind = SKR_EVENT_WORK_DONE};
    if (!request) {
        die("nothing to be solved");
    }
    event.work = &request->work;
    b->solve = NULL;
    if (skr_solver_cache_solve(b->cache, &request->problem, &request->solution, &request->error) !=
        0) {
        die(request->error.text);
    }
    handle(b, &event);
}

int main(int argc, char **argv)
{
    int members = argc > 1 ? atoi(argv[1]) : 20000;
    struct skr_settings settings;
    struct bench bench = {.timer = SKR_TIME_NEVER, .now = (skr_time)1700000000 * SKR_SECOND};
    struct bench *b = &bench;
    struct skr_event synced = {.kind = SKR_EVENT_SYNCED};
    skr_settings_default(&settings);
    b->engine = skr_engine_create(&skr_gang_scheduler, &settings, NULL);
    b->cache = skr_solver_cache_create(CACHE_BYTES);
    skr_actions_init(&b->actions);
    add_topology(b, members / CPUS);
    for (int i = 0; i < members / CPUS; i++) {
        add(b, &skr_gang_node,
            "{'metadata':{'name':'n%d','uid':'n%d'},"
            "'status':{'allocatable':{'cpu':'%d','pods':'110'}}}",
            i, i, CPUS);
    }
    handle(b, &synced);
    add(b, &skr_gang_configmap,
        "{'metadata':{'name':'g','namespace':'default','uid':'g','resourceVersion':'1','labels':"
        "{'sakkara.group':''}},'data':{'name':'g','size':'%d'}}",
        members);
    printf("| %-60s | %8s | %8s | %9s |\n|---|---|---|---|\n", "one group, part of its way",
           "events", "longest ms", "all ms");
    say(b, "the cluster");
    for (int i = 0; i + 1 < members; i++) {
        b->now += SKR_MILLISECOND;
        add_member(b, i);
    }
    say(b, "all members but one arrive, a millisecond apart");
    answer_all(b);
    pass_time(b, 120 * SKR_SECOND);
    answer_all(b);
    say(b, "they are marked as waiting");
    add_member(b, members - 1);
    pass_time(b, 5 * SKR_SECOND);
    say(b, "the last one arrives");
    solve(b);
    say(b, "the answer of the solver, the plan");
    answer_next(b);
    say(b, "the plan is persisted, members are nominated");
    answer_all(b);
    pass_time(b, SKR_SECOND);
    answer_all(b);
    say(b, "nominations are answered, gates go");
    skr_engine_destroy(b->engine);
    skr_solver_cache_destroy(b->cache);
    skr_actions_fini(&b->actions);
    free(b->write);
    return 0;
}
