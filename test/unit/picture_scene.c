/* SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/picture_scene.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/gang/scheduler.h"
#include "core/gang/state/pages.h"
#include "core/gang/state/types.h"
#include "test/unit/solver_cluster.h"
#include "topology/base/arena.h"

enum { RACK = 40 };

static SKR_NORETURN void die(const char *what)
{
    fprintf(stderr, "picture_scene: %s\n", what);
    abort();
}

static void handle(struct picture_scene *s, struct skr_event *event)
{
    skr_engine_handle(s->engine, event, s->now, &s->actions);
    skr_actions_reset(&s->actions);
}

static void add(struct picture_scene *s, const struct skr_object_type *type, const char *format,
                ...) SKR_PRINTF(3, 4);
static void add(struct picture_scene *s, const struct skr_object_type *type, const char *format,
                ...)
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
    handle(s, &event);
}

static void add_member(struct picture_scene *s, int i, const char *phase)
{
    add(s, &skr_gang_pod,
        "{'metadata':{'name':'p-%d','namespace':'team','uid':'%08x-0000-4000-8000-%012x','labels':"
        "{'sakkara.group.name':'g-%d'}},'spec':{'schedulerName':'sakkara','nodeName':'n%d',"
        "'activeDeadlineSeconds':%d,"
        "'containers':[{'name':'c','resources':{'requests':{'nvidia.com/gpu':'1'}}}]},"
        "'status':{'phase':'%s','startTime':'2023-11-14T22:00:00Z'}}",
        i, (unsigned)i * 2654435761u, (unsigned)i, i / PICTURE_SIZE, i * 7 % s->nodes,
        7200 + i * 7919 % 7200, phase);
}

static void add_cluster(struct picture_scene *s)
{
    SKR_STRBUF(tree);
    for (int i = 0; i < s->nodes; i++) {
        if (i % RACK == 0) {
            skr_strbuf_addf(&tree, "%s\\'r%d\\':{", i ? "}," : "", i / RACK);
        }
        skr_strbuf_addf(&tree, "%s\\'n%d\\':{}", i % RACK ? "," : "", i);
        add(s, &skr_gang_node,
            "{'metadata':{'name':'n%d','uid':'n%d'},'status':{'allocatable':{'pods':'110',"
            "'nvidia.com/gpu':'8'},'conditions':[{'type':'Ready','status':'True'}]}}",
            i, i);
    }
    add(s, &skr_gang_configmap,
        "{'metadata':{'name':'t','namespace':'default','uid':'t','labels':{'sakkara.topology':''}},"
        "'data':{'name':'t','level-names':'[\\'rack\\',\\'node\\']','resource-names':"
        "'[\\'nvidia.com/gpu\\']','tree':'{%s}}'}}",
        tree.s);
    for (int g = 0; g < s->groups; g++) {
        add(s, &skr_gang_configmap,
            "{'metadata':{'name':'g-%d','namespace':'team','uid':'g-%d','labels':{'sakkara.group':'"
            "'}"
            "},'data':{'name':'g-%d','size':'%d'}}",
            g, g, g, PICTURE_SIZE);
    }
    for (int i = 0; i < s->groups * PICTURE_SIZE; i++) {
        add_member(s, i, "Running");
    }
}

void picture_scene_init(struct picture_scene *s, int nodes, int groups)
{
    struct skr_settings settings;
    struct skr_event synced = {.kind = SKR_EVENT_SYNCED};
    skr_settings_default(&settings);
    settings.reservations = 1;
    *s = (struct picture_scene){
        .nodes = nodes, .groups = groups, .now = (skr_time)1700000000 * SKR_SECOND};
    skr_actions_init(&s->actions);
    s->engine = skr_engine_create(&skr_gang_scheduler, &settings, settings.instance);
    add_cluster(s);
    handle(s, &synced);
    s->picture = skr_picture_create("gangs", &settings.hash_seed);
}

void picture_scene_fini(struct picture_scene *s)
{
    skr_picture_destroy(s->picture);
    skr_engine_destroy(s->engine);
    skr_actions_fini(&s->actions);
}

void picture_scene_change(struct picture_scene *s)
{
    const char *phase = s->round % 2 ? "Running" : "Succeeded";
    s->now += SKR_SECOND;
    for (int k = 0; k < PICTURE_CHANGED * PICTURE_MOVED; k++) {
        const int group = (s->round / 2 * PICTURE_CHANGED + k / PICTURE_MOVED) % s->groups;
        add_member(s, group * PICTURE_SIZE + k % PICTURE_MOVED, phase);
    }
    s->round++;
}

double picture_scene_draw(struct picture_scene *s, enum skr_picture_news wanted)
{
    SKR_STRBUF(out);
    const struct skr_view_query query = {.path = "/v1/picture"};
    enum skr_picture_news news = SKR_PICTURE_SAME;
    const double begin = cluster_now_us();
    const int code =
        skr_gang_draw(skr_engine_self(s->engine), &query, s->now, s->picture, &news, &out);
    const double took = cluster_now_us() - begin;
    if (code != 200 || news != wanted) {
        die(out.s);
    }
    s->bytes = out.len;
    return took;
}

double picture_scene_hours(struct picture_scene *s)
{
    SKR_STRBUF(out);
    const struct skr_view_query query = {.path = "/v1/timeline"};
    const double begin = cluster_now_us();
    if (skr_gang_view(skr_engine_self(s->engine), &query, s->now, &out) != 200) {
        die(out.s);
    }
    s->bytes = out.len;
    return cluster_now_us() - begin;
}

double picture_scene_write(struct picture_scene *s)
{
    SKR_STRBUF(out);
    const double begin = cluster_now_us();
    skr_picture_write(s->picture, &out);
    s->bytes = out.len;
    return cluster_now_us() - begin;
}
