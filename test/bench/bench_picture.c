/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the page /ui costs the engine: 5,000 nodes in racks of 40, 500 groups of 45 bound members. The
 * first description, a description without news, one after 40 nodes and 4 groups have changed, and
 * the document. CPU time.
 *
 * usage: bench_picture [ROUNDS]      default 100
 */
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/frame/engine.h"
#include "core/gang/scheduler.h"
#include "core/gang/state/pages.h"
#include "core/gang/state/types.h"
#include "test/bench/times.h"
#include "test/unit/solver_cluster.h"
#include "topology/base/arena.h"

enum {
    RACK = 40,
    RACKS = 125,
    NODES = RACK * RACKS,
    GROUPS = 500,
    SIZE = 45,
    CHANGED = 4,
    MOVED = 10
};

struct bench {
    struct skr_engine *engine;
    struct skr_actions actions;
    skr_time now;
    struct skr_picture *picture;
    size_t bytes;
};

static SKR_NORETURN void die(const char *what)
{
    fprintf(stderr, "bench_picture: %s\n", what);
    exit(1);
}

static void handle(struct bench *b, struct skr_event *event)
{
    skr_engine_handle(b->engine, event, b->now, &b->actions);
    skr_actions_reset(&b->actions);
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

static void add_member(struct bench *b, int i, const char *phase)
{
    add(b, &skr_gang_pod,
        "{'metadata':{'name':'p-%d','namespace':'team','uid':'%08x-0000-4000-8000-%012x','labels':"
        "{'sakkara.group.name':'g-%d'}},'spec':{'schedulerName':'sakkara','nodeName':'n%d',"
        "'containers':[{'name':'c','resources':{'requests':{'nvidia.com/gpu':'1'}}}]},"
        "'status':{'phase':'%s'}}",
        i, (unsigned)i * 2654435761u, (unsigned)i, i / SIZE, i * 7 % NODES, phase);
}

static void add_cluster(struct bench *b)
{
    SKR_STRBUF(tree);
    for (int i = 0; i < NODES; i++) {
        if (i % RACK == 0) {
            skr_strbuf_addf(&tree, "%s\\'r%d\\':{", i ? "}," : "", i / RACK);
        }
        skr_strbuf_addf(&tree, "%s\\'n%d\\':{}", i % RACK ? "," : "", i);
        add(b, &skr_gang_node,
            "{'metadata':{'name':'n%d','uid':'n%d'},'status':{'allocatable':{'pods':'110',"
            "'nvidia.com/gpu':'8'},'conditions':[{'type':'Ready','status':'True'}]}}",
            i, i);
    }
    add(b, &skr_gang_configmap,
        "{'metadata':{'name':'t','namespace':'default','uid':'t','labels':{'sakkara.topology':''}},"
        "'data':{'name':'t','level-names':'[\\'rack\\',\\'node\\']','resource-names':"
        "'[\\'nvidia.com/gpu\\']','tree':'{%s}}'}}",
        tree.s);
    for (int g = 0; g < GROUPS; g++) {
        add(b, &skr_gang_configmap,
            "{'metadata':{'name':'g-%d','namespace':'team','uid':'g-%d','labels':{'sakkara.group':'"
            "'}"
            "},'data':{'name':'g-%d','size':'%d'}}",
            g, g, g, SIZE);
    }
    for (int i = 0; i < GROUPS * SIZE; i++) {
        add_member(b, i, "Running");
    }
}

/* Some members of four groups succeed, or run again. */
static void change(struct bench *b, int round)
{
    const char *phase = round % 2 ? "Running" : "Succeeded";
    for (int k = 0; k < CHANGED * MOVED; k++) {
        const int group = (round / 2 * CHANGED + k / MOVED) % GROUPS;
        add_member(b, group * SIZE + k % MOVED, phase);
    }
}

static double draw(struct bench *b, enum skr_picture_news wanted)
{
    SKR_STRBUF(out);
    const struct skr_view_query query = {.path = "/v1/picture"};
    enum skr_picture_news news = SKR_PICTURE_SAME;
    const double begin = cluster_now_us();
    const int code =
        skr_gang_draw(skr_engine_self(b->engine), &query, b->now, b->picture, &news, &out);
    const double took = cluster_now_us() - begin;
    if (code != 200 || news != wanted) {
        die(out.s);
    }
    b->bytes = out.len;
    return took;
}

static double write_all(struct bench *b)
{
    SKR_STRBUF(out);
    const double begin = cluster_now_us();
    skr_picture_write(b->picture, &out);
    b->bytes = out.len;
    return cluster_now_us() - begin;
}

static void say(const char *what, double *took, int n, const struct bench *b)
{
    printf("| %-40s | %9.0f | %9.0f | %9zu |\n", what, times_percentile(took, n, 50),
           times_percentile(took, n, 99), b->bytes);
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 100;
    struct skr_settings settings;
    struct bench bench = {.now = (skr_time)1700000000 * SKR_SECOND}, *b = &bench;
    struct skr_event synced = {.kind = SKR_EVENT_SYNCED};
    double *took = skr_alloc_array((size_t)rounds + 1, sizeof *took), first;
    skr_settings_default(&settings);
    skr_actions_init(&b->actions);
    b->engine = skr_engine_create(&skr_gang_scheduler, &settings, settings.instance);
    add_cluster(b);
    handle(b, &synced);
    b->picture = skr_picture_create("gangs", &settings.hash_seed);
    printf("| 5,000 nodes, 500 groups, 22,500 pods     | median us |    p99 us |     bytes |\n"
           "|------------------------------------------|-----------|-----------|-----------|\n");
    first = draw(b, SKR_PICTURE_ANEW);
    say("first description", &first, 1, b);
    for (int i = 0; i < rounds; i++) {
        b->now += SKR_SECOND;
        took[i] = draw(b, SKR_PICTURE_SAME);
    }
    say("no news", took, rounds, b);
    for (int i = 0; i < rounds; i++) {
        b->now += SKR_SECOND;
        change(b, i);
        took[i] = draw(b, SKR_PICTURE_CHANGED);
    }
    say("40 nodes and 4 groups changed", took, rounds, b);
    for (int i = 0; i < rounds; i++) {
        took[i] = write_all(b);
    }
    say("the document", took, rounds, b);
    free(took);
    skr_picture_destroy(b->picture);
    skr_engine_destroy(b->engine);
    skr_actions_fini(&b->actions);
    return 0;
}
