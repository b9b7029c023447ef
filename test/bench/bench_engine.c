/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One decision inside the engine: 16,000 nodes in racks of 16 and 32, 40 zones; 500 groups wait, of
 * many sizes, rules, selectors and requests. A pod ends.
 *
 *   bench_engine        as a Markdown table, beside the same with nothing kept
 *                       (settings.plain_planning: every group is judged from nothing)
 *   bench_engine kept   without the latter
 *
 * Three kinds of events: the pod's room makes a gang of 24 fit into one rack; it makes one of 256
 * fit into one zone; it helps nobody. From the event to the commit write of the plan: both calls of
 * skr_engine_handle() and the solve between them, run as the solver thread does. CPU time. Events
 * come quickly, within the pause after which reasons are told anew (core/gang/planning/queue.c).
 *
 * Zones 0-19 have 23 nodes with one free cpu in each rack of 32 and none in the one of 16; zones
 * 20-39 have 255 such nodes. All other room is taken by one pod a node.
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
#include "test/bench/times.h"
#include "test/unit/solver_cluster.h"
#include "topology/base/arena.h"

enum {
    ZONES = 40,
    RACKS = 13, /* of a zone: 12 of 32 nodes, one of 16 */
    ZONE_NODES = 400,
    NODES = ZONES * ZONE_NODES,
    GROUPS = 500,
    RACK_GROUPS = 100, /* of 24, wait for a rack */
    ZONE_GROUPS = 20,  /* of 256, wait for a zone */
    EVENTS_MAX = 400,
};
#define CACHE_BYTES ((size_t)32 << 20)

struct bench {
    struct skr_engine *engine;
    struct skr_actions actions;
    struct skr_solver_cache *cache;
    skr_time now;
    struct skr_solve_request *solve; /* handed out */
    bool committed;                  /* a commit write was handed out */
    uint64_t *write;                 /* to be answered */
    size_t n_writes, cap_writes;
    uint64_t version;
    int one_free[ZONES]; /* nodes of the zone with one free cpu */
    uint8_t roomy[NODES];
};

static SKR_NORETURN void die(const char *what)
{
    fprintf(stderr, "bench_engine: %s\n", what);
    exit(1);
}

/* ---- the shell ---- */

static void take(struct bench *b)
{
    for (size_t i = 0; i < b->actions.n; i++) {
        struct skr_action *a = &b->actions.item[i];
        if (a->kind == SKR_ACTION_WORK) {
            b->solve = skr_solve_request_of(a->work);
            a->work = NULL;
        } else if (a->kind == SKR_ACTION_WRITE) {
            b->committed = b->committed || a->write.class == SKR_WRITE_CLASS_COMMIT;
            skr_grow(&b->write, &b->cap_writes, b->n_writes + 1, sizeof *b->write);
            b->write[b->n_writes++] = a->write.id;
        }
    }
    skr_actions_reset(&b->actions);
}

static void handle(struct bench *b, struct skr_event *event)
{
    skr_engine_handle(b->engine, event, b->now, &b->actions);
    take(b);
}

/* Returns the time of the solver alone. */
static double solve(struct bench *b)
{
    struct skr_solve_request *request = b->solve;
    struct skr_event event = {.kind = SKR_EVENT_WORK_DONE, .work = &request->work};
    double begin = cluster_now_us();
    b->solve = NULL;
    if (skr_solver_cache_solve(b->cache, &request->problem, &request->solution, &request->error) !=
        0) {
        die(request->error.text);
    }
    double took = cluster_now_us() - begin;
    handle(b, &event);
    return took;
}

/* The API server says yes to everything. */
static void answer_write(struct bench *b, uint64_t write)
{
    struct skr_event event = {.kind = SKR_EVENT_WRITE_DONE};
    event.written.id = write;
    event.written.outcome = SKR_WRITE_OK;
    event.written.http_status = 200;
    event.written.resource_version = ++b->version;
    event.written.message = "";
    handle(b, &event);
}

static void settle(struct bench *b)
{
    while (b->n_writes > 0 || b->solve) {
        if (b->n_writes > 0) {
            answer_write(b, b->write[--b->n_writes]);
        } else {
            solve(b);
        }
    }
}

static void pass_time(struct bench *b, skr_time by)
{
    struct skr_event event = {.kind = SKR_EVENT_TIMER};
    b->now += by;
    handle(b, &event);
    settle(b);
}

/* ---- objects ---- */

static json_t *object(const char *format, ...) SKR_PRINTF(1, 2);
static json_t *object(const char *format, ...)
{
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (char *c = text; *c; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    json_t *json = json_loads(text, 0, NULL);
    if (!json) {
        die(text);
    }
    return json;
}

static void add_object(struct bench *b, const struct skr_object_type *type, json_t *json)
{
    struct skr_event event = {.kind = SKR_EVENT_UPSERT, .upsert = {.type = type}};
    if (type->decode(json, &event.upsert.object, NULL) != 0) {
        die(type->resource->kind);
    }
    json_decref(json);
    handle(b, &event);
}

static void add_node(struct bench *b, int node)
{
    json_t *json = object("{'metadata':{'name':'n%d','uid':'node-%d','labels':{'pool':'%s'}},"
                          "'status':{'allocatable':{'cpu':'8','memory':'64Gi','pods':'110'}}}",
                          node, node, node / ZONE_NODES < ZONES / 2 ? "a" : "b");
    add_object(b, &skr_gang_node, json);
}

static void add_pod(struct bench *b, json_t *json)
{
    add_object(b, &skr_gang_pod, json);
}

static void add_load(struct bench *b, int node, const char *name, int cpu)
{
    add_pod(b, object("{'metadata':{'name':'%s%d','namespace':'default','uid':'%s%d'},"
                      "'spec':{'nodeName':'n%d','containers':[{'name':'c','resources':"
                      "{'requests':{'cpu':'%d','memory':'1Gi'}}}]},'status':{'phase':'Running'}}",
                      name, node, name, node, node, cpu));
}

static void add_map(struct bench *b, json_t *json)
{
    add_object(b, &skr_gang_configmap, json);
}

/* First node of a rack in its zone; one past the last for rack RACKS. */
static int rack_begin(int rack)
{
    return rack < RACKS ? rack * 32 : ZONE_NODES;
}

static void add_tree(struct bench *b)
{
    json_auto_t *root = json_object();
    char name[32];
    for (int z = 0; z < ZONES; z++) {
        json_t *zone = json_object();
        for (int r = 0; r < RACKS; r++) {
            json_t *rack = json_object();
            for (int n = rack_begin(r); n < rack_begin(r + 1); n++) {
                snprintf(name, sizeof name, "n%d", z * ZONE_NODES + n);
                json_object_set_new(rack, name, json_object());
            }
            snprintf(name, sizeof name, "z%dr%d", z, r);
            json_object_set_new(zone, name, rack);
        }
        snprintf(name, sizeof name, "z%d", z);
        json_object_set_new(root, name, zone);
    }
    SKR_AUTO_FREE char *tree = json_dumps(root, JSON_COMPACT);
    json_t *map = object("{'metadata':{'name':'topology','namespace':'default','uid':'topology',"
                         "'labels':{'sakkara.topology':''}},'data':{'name':'t'}}");
    json_object_set_new(json_object_get(map, "data"), "tree", json_string(tree));
    json_object_set_new(json_object_get(map, "data"), "level-names",
                        json_string("[\"zone\",\"rack\",\"node\"]"));
    json_object_set_new(json_object_get(map, "data"), "resource-names",
                        json_string("[\"cpu\",\"memory\"]"));
    add_map(b, map);
}

/* ---- groups ---- */

struct wait {
    int size;
    const char *cpu;
    const char *pool; /* NULL: any */
    const char *constraints;
};

/* Rules hold for every used parent: one rack alone takes one zone. */
#define IN_ONE_RACK "{'zone':{'type':'pack','hard':true},'rack':{'type':'pack','hard':true}}"

static const struct wait rack_wait = {24, "1", "a", IN_ONE_RACK};
static const struct wait zone_wait = {256, "1", "b", "{'zone':{'type':'pack','hard':true}}"};
/* None of these fits before, after or through the events. */
static const struct wait never[] = {
    {32, "1", "a", IN_ONE_RACK},
    {320, "1", "b", "{'zone':{'type':'pack','hard':true}}"},
    {16384, "1", NULL, "{'rack':{'type':'pack'},'node':{'type':'spread'}}"},
    {8000, "1", "a", "{}"},
    {8, "2", NULL, "{'rack':{'type':'pack'}}"},
    {64, "1", "a", "{'node':{'min':2}}"},
    {64, "1", NULL, "{'node':{'factor':2}}"},
    {30, "1", "a", "{'zone':{'partitions':1},'rack':{'partitions':1}}"},
    {60, "1", "a", "{'zone':{'hard':true},'rack':{'partitions':2,'type':'spread'}}"},
    {48, "1", "b", "{'rack':{'min':24,'max':32}}"},
    {64, "2", "a", "{'zone':{'type':'pack','hard':true}}"},
    {512, "4", "b", "{'rack':{'min':16,'max':96,'factor':16}}"},
};

/* Sizes as members are made: large groups are asked for and few of their pods come. */
static void add_group(struct bench *b, int number, const struct wait *w)
{
    char text[256];
    json_t *map = object("{'metadata':{'name':'g%03d','namespace':'default','uid':'map-%d',"
                         "'labels':{'sakkara.group':''}},'data':{'name':'g%03d','size':'%d'}}",
                         number, number, number, w->size);
    snprintf(text, sizeof text, "%s", w->constraints);
    for (char *c = text; *c; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    json_object_set_new(json_object_get(map, "data"), "constraints", json_string(text));
    add_map(b, map);
    for (int i = 0; i < w->size; i++) {
        json_t *pod =
            object("{'metadata':{'name':'p%d-%d','namespace':'default','uid':'p%d-%d','labels':"
                   "{'sakkara.group.name':'g%03d'}},'spec':{'schedulerName':'sakkara',"
                   "'schedulingGates':[{'name':'sakkara.gang'}],'containers':[{'name':'c',"
                   "'resources':{'requests':{'cpu':'%s','memory':'1Gi'}}}]}}",
                   number, i, number, i, number, w->cpu);
        if (w->pool) {
            json_object_set_new(json_object_get(pod, "spec"), "nodeSelector",
                                json_pack("{s:s}", "pool", w->pool));
        }
        add_pod(b, pod);
    }
}

/* ---- the cluster ---- */

static void add_loads(struct bench *b)
{
    for (int n = 0; n < NODES; n++) {
        int zone = n / ZONE_NODES, at = n % ZONE_NODES;
        bool roomy = zone < ZONES / 2 ? at < (RACKS - 1) * 32 && at % 32 < 23
                                      : b->one_free[zone] < 255 && at % 3 != 2;
        b->roomy[n] = roomy;
        b->one_free[zone] += roomy ? 1 : 0;
        add_load(b, n, "load", 7);
        if (!roomy) {
            add_load(b, n, "last", 1);
        }
    }
}

static void start(struct bench *b, bool plain)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.plain_planning = plain;
    settings.plan_timeout = (skr_time)1000 * 3600 * SKR_SECOND; /* nobody binds */
    memset(b, 0, sizeof *b);
    b->engine = skr_engine_create(&skr_gang_scheduler, &settings, NULL);
    b->cache = skr_solver_cache_create(CACHE_BYTES);
    b->now = (skr_time)1700000000 * SKR_SECOND;
    skr_actions_init(&b->actions);
    add_tree(b);
    for (int n = 0; n < NODES; n++) {
        add_node(b, n);
    }
    add_loads(b);
    for (int i = 0; i < GROUPS; i++) {
        const struct wait *w = i % 5 == 1                            ? &rack_wait
                               : i % 25 == 2                         ? &zone_wait
                               : /* large ones seldom */ i % 60 == 3 ? &never[2 + i % 2]
                                                                     : &never[i % 12];
        if ((w == &never[2] || w == &never[3]) && i % 60 != 3) {
            w = &never[4];
        }
        add_group(b, i, w);
    }
    struct skr_event event = {.kind = SKR_EVENT_SYNCED};
    handle(b, &event);
    settle(b);
    pass_time(b, SKR_SECOND);
}

static void finish(struct bench *b)
{
    skr_engine_destroy(b->engine);
    skr_solver_cache_destroy(b->cache);
    skr_actions_fini(&b->actions);
    free(b->write);
}

/* ---- events ---- */

enum kind { HELPS_RACK, HELPS_ZONE, HELPS_NOBODY, KINDS };
static const char *const kind_name[] = {"a gang of 24 fits into a rack",
                                        "a gang of 256 fits into a zone", "it helps nobody"};

/* A node whose last cpu is taken and, freed, does that. */
static int node_for(const struct bench *b, enum kind kind, int i)
{
    int zone = kind == HELPS_RACK ? i / (RACKS - 1) : ZONES / 2 + i % (ZONES / 2);
    int n = kind == HELPS_RACK ? zone * ZONE_NODES + i % (RACKS - 1) * 32 + 30 : 0;
    if (kind == HELPS_ZONE) {
        for (n = zone * ZONE_NODES; b->roomy[n]; n++) {
        }
    } else if (kind == HELPS_NOBODY) { /* the small rack of a zone */
        n = i % (ZONES / 2) * ZONE_NODES + (RACKS - 1) * 32 + i / (ZONES / 2) % 15;
    }
    return n;
}

/* The pod ends; returns the time to the decision. */
static double decide_us(struct bench *b, enum kind kind, int i, double *ret_event,
                        double *ret_solver)
{
    char name[32], uid[32];
    int node = node_for(b, kind, i);
    snprintf(name, sizeof name, "last%d", node);
    snprintf(uid, sizeof uid, "last%d", node);
    struct skr_event event = {
        .kind = SKR_EVENT_DELETE,
        .deleted = {.type = &skr_gang_pod, .namespace_ = "default", .name = name, .uid = uid}};
    b->committed = false;
    double begin = cluster_now_us();
    handle(b, &event);
    double handled = cluster_now_us();
    if (kind != HELPS_NOBODY) {
        if (!b->solve) {
            die("no group fits");
        }
        *ret_solver = solve(b);
        if (!b->committed) {
            die("no decision");
        }
    }
    double end = cluster_now_us();
    if (kind == HELPS_NOBODY && b->committed) {
        die("a decision that should not be");
    }
    *ret_event = handled - begin;
    settle(b);
    pass_time(b, 10 * SKR_MILLISECOND); /* within the pause before reasons are told anew */
    return end - begin;
}

struct times {
    double us[EVENTS_MAX];
    int n;
};

/* Of one kind of event. */
struct costs {
    struct times all, event, solver;
};

static void add_time(struct times *t, double us)
{
    t->us[t->n++] = us;
}

static void run(bool plain, const int *events, struct costs *costs)
{
    struct bench b;
    start(&b, plain);
    for (int k = 0; k < KINDS; k++) {
        for (int i = 0; i < events[k]; i++) {
            double event = 0, solver = 0;
            add_time(&costs[k].all, decide_us(&b, (enum kind)k, i, &event, &solver));
            add_time(&costs[k].event, event);
            add_time(&costs[k].solver, solver);
        }
    }
    finish(&b);
}

int main(int argc, char **argv)
{
    static const int many[] = {60, 18, 150}, few[] = {2, 2, 2};
    static struct costs kept[KINDS], fresh[KINDS];
    cluster_keep_memory();
    printf("| a pod ends, 500 groups wait, 16,000 nodes | p50 | p99 | of it the event | the solver "
           "| with nothing kept: p50 | ratio |\n|---|---|---|---|---|---|---|\n");
    run(false, many, kept);
    if (argc > 1 && strcmp(argv[1], "kept") == 0) {
        memcpy(fresh, kept, sizeof fresh);
    } else {
        run(true, few, fresh);
    }
    for (int k = 0; k < KINDS; k++) {
        double p50 = times_percentile(kept[k].all.us, kept[k].all.n, 50),
               plain = times_percentile(fresh[k].all.us, fresh[k].all.n, 50);
        printf("| %s | %.0f us | %.0f us | %.1f us | %.0f us | %.0f us | %.0f |\n", kind_name[k],
               p50, times_percentile(kept[k].all.us, kept[k].all.n, 99),
               times_percentile(kept[k].event.us, kept[k].event.n, 50),
               times_percentile(kept[k].solver.us, kept[k].solver.n, 50), plain, plain / p50);
    }
    return 0;
}
