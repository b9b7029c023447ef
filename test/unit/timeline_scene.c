/* SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/timeline_scene.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/lab/simulate/timeline.h"
#include "test/test.h"
#include "test/unit/json_text.h"
#include "topology/base/json_field.h"

#define NOW "2026-01-01T12:00:00Z"

static const char *text_of(int at, char buffer[40])
{
    skr_time now;
    assert_int_equal(skr_time_parse(NOW, &now, NULL), 0);
    skr_time_write(now + at * SKR_SECOND, 0, buffer, 40);
    return buffer;
}

void scene_init(struct scene *s)
{
    *s = (struct scene){0};
    skr_strbuf_init(&s->items);
    skr_strbuf_init(&s->out);
    skr_strbuf_init(&s->messages);
}

void scene_fini(struct scene *s)
{
    skr_strbuf_fini(&s->items);
    skr_strbuf_fini(&s->out);
    skr_strbuf_fini(&s->messages);
}

void scene_add(struct scene *s, const char *json)
{
    SKR_AUTO_FREE char *quoted = json_text_quote(json);
    skr_strbuf_addf(&s->items, "%s%s", s->items.len > 0 ? "," : "", quoted);
}

void scene_add_node(struct scene *s, const char *name, int cpu, const char *pool)
{
    SKR_STRBUF(b);
    skr_strbuf_addf(
        &b,
        "{'apiVersion':'v1','kind':'Node','metadata':{'name':'%s','labels':{'pool':'%s'}"
        "},'status':{'allocatable':{'cpu':'%d','pods':'110'}}}",
        name, pool ? pool : "p", cpu);
    scene_add(s, b.s);
}

void scene_add_pod(struct scene *s, const struct scene_pod *p)
{
    char time[40];
    SKR_STRBUF(b);
    skr_strbuf_addf(&b,
                    "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'%s',"
                    "'creationTimestamp':'%s'",
                    p->name, text_of(p->created, time));
    if (p->deleted) {
        skr_strbuf_addf(&b, ",'deletionTimestamp':'%s'", text_of(p->deleted, time));
    }
    const char *slash = p->owner ? strchr(p->owner, '/') : NULL;
    skr_strbuf_add(&b, ",'labels':{");
    if (p->group) {
        skr_strbuf_addf(&b, "'sakkara.group.name':'%s'%s", p->group, slash ? "," : "");
    }
    if (slash) { /* what selectors of Jobs ask for */
        skr_strbuf_addf(&b, "'batch.kubernetes.io/controller-uid':'u-%s'", slash + 1);
    }
    skr_strbuf_addc(&b, '}');
    if (slash) {
        skr_strbuf_addf(&b,
                        ",'ownerReferences':[{'apiVersion':'batch/v1','kind':'%.*s','name':'%s',"
                        "'uid':'u-%s','controller':true}]",
                        (int)(slash - p->owner), p->owner, slash + 1, slash + 1);
    }
    skr_strbuf_addf(&b,
                    "},'spec':{'schedulerName':'sakkara','priority':%d,"
                    "'terminationGracePeriodSeconds':%d,'containers':[{'name':'c','image':'i',"
                    "'resources':{'requests':{'cpu':'%d'}}}]",
                    p->priority, p->grace, p->cpu ? p->cpu : 1);
    if (p->deadline) {
        skr_strbuf_addf(&b, ",'activeDeadlineSeconds':%d", p->deadline);
    }
    if (p->pool) {
        skr_strbuf_addf(&b, ",'nodeSelector':{'pool':'%s'}", p->pool);
    }
    if (p->node) {
        skr_strbuf_addf(&b, ",'nodeName':'%s'},'status':{'phase':'Running','startTime':'%s'}}",
                        p->node, text_of(p->started, time));
    } else {
        skr_strbuf_add(&b, "}}");
    }
    scene_add(s, b.s);
}

void scene_add_group(struct scene *s, const struct scene_group *g)
{
    const int size = g->size ? g->size : 1;
    SKR_STRBUF(b);
    skr_strbuf_addf(&b,
                    "{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'%s','labels':"
                    "{'sakkara.group':''}",
                    g->name);
    if (g->stored) {
        SKR_AUTO_FREE char *stored = json_text_quote(g->stored);
        skr_strbuf_add(&b, ",'annotations':{'sakkara.reservation':");
        skr_strbuf_add_json(&b, stored);
        skr_strbuf_addc(&b, '}');
    }
    skr_strbuf_addf(&b, "},'data':{'size':'%d','priority':'%d'", size, g->priority);
    const char *const value[] = {g->limit, g->estimate, g->rules};
    static const char *const key[] = {"run-limit", "run-estimate", "constraints"};
    for (size_t i = 0; i < 3; i++) {
        if (value[i]) {
            skr_strbuf_addf(&b, ",'%s':", key[i]);
            skr_strbuf_add_json(&b, value[i]);
        }
    }
    skr_strbuf_addf(&b, "%s}}", g->more ? g->more : "");
    scene_add(s, b.s);
    for (int i = 0; i < size && !g->running; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s-%d", g->name, i);
        scene_add_pod(s, &(struct scene_pod){.name = name,
                                             .cpu = g->cpu,
                                             .created = g->begin,
                                             .priority = g->priority,
                                             .deadline = g->deadline,
                                             .grace = g->grace,
                                             .group = g->name,
                                             .owner = g->owner,
                                             .pool = g->pool});
    }
}

void scene_add_job(struct scene *s, const char *name, int started, int deadline)
{
    char time[40];
    SKR_STRBUF(b);
    skr_strbuf_addf(&b,
                    "{'apiVersion':'batch/v1','kind':'Job','metadata':{'name':'%s','uid':'u-%s'},"
                    "'spec':{'activeDeadlineSeconds':%d,'template':{'metadata':{},'spec':{"
                    "'restartPolicy':'Never','containers':[{'name':'c','image':'i'}]}}},"
                    "'status':{'startTime':'%s'}}",
                    name, name, deadline, text_of(started, time));
    scene_add(s, b.s);
}

/* ---- running ---- */

static void write_file(char *path, const char *text)
{
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

void scene_run(struct scene *s, bool text)
{
    char path[] = "/tmp/timeline-XXXXXX", config[] = "/tmp/timeline-XXXXXX";
    SKR_STRBUF(list);
    SKR_STRBUF(settings);
    skr_strbuf_addf(&list, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[%s]}", s->items.s);
    write_file(path, list.s);
    if (s->config) {
        skr_strbuf_addf(&settings, "apiVersion: sakkara/v1\nkind: SakkaraConfiguration\n%s",
                        s->config);
        write_file(config, settings.s);
    }
    const char *const file[] = {path};
    const struct skr_simulate_timeline_options options = {.file = file,
                                                          .n_files = 1,
                                                          .config = s->config ? config : NULL,
                                                          .now = NOW,
                                                          .preempt = s->preempt,
                                                          .moves = s->moves,
                                                          .json = !text};
    skr_strbuf_reset(&s->out);
    skr_strbuf_reset(&s->messages);
    s->code = skr_simulate_timeline_run(&options, &s->out, &s->messages);
    unlink(path);
    if (s->config) {
        unlink(config);
    }
}

static json_t *find(const struct scene *s, const char *list, const char *name)
{
    json_t *page = json_loads(s->out.s ? s->out.s : "", 0, NULL), *item, *found = NULL;
    size_t i;
    assert_non_null(page);
    json_array_foreach(json_object_get(page, list), i, item)
    {
        if (strcmp(skr_object_text(item, "name"), name) == 0) {
            found = json_incref(item);
        }
    }
    json_decref(page);
    return found;
}

static long seconds_of(const json_t *group)
{
    skr_time now, at;
    assert_int_equal(skr_time_parse(NOW, &now, NULL), 0);
    assert_int_equal(skr_time_parse(skr_object_text(group, "start"), &at, NULL), 0);
    return (long)((at - now) / SKR_SECOND);
}

static void add_victims(const json_t *victims, struct skr_strbuf *b)
{
    static const char *const list[] = {"groups", "followers"};
    const char *before = " evicts ";
    const json_t *name;
    size_t i;
    for (size_t k = 0; k < 2; k++) {
        json_array_foreach(json_object_get(victims, list[k]), i, name)
        {
            skr_strbuf_addf(b, "%s%s", before, json_string_value(name));
            before = ",";
        }
    }
}

static void add_nodes(const json_t *nodes, const char *before, struct skr_strbuf *b)
{
    const char *node;
    json_t *count;
    json_object_foreach((json_t *)(uintptr_t)nodes, node, count)
    {
        skr_strbuf_addf(b, "%s%s=%d", before, node, (int)json_integer_value(count));
        before = ",";
    }
}

static void add_moves(const json_t *moves, struct skr_strbuf *b)
{
    const char *name;
    json_t *nodes;
    add_nodes(json_object_get(moves, "nodes"), " moves ", b);
    json_object_foreach(json_object_get(moves, "moved"), name, nodes)
    {
        skr_strbuf_addf(b, " %s", name);
        add_nodes(nodes, ":", b);
    }
}

static void add_replaced(json_t *replaces, struct skr_strbuf *b)
{
    const char *pod;
    const json_t *node;
    json_object_foreach(replaces, pod, node)
    {
        skr_strbuf_addf(b, " %s:%s", pod, json_string_value(node));
    }
}

const char *scene_group_says(const struct scene *s, const char *name, char buffer[512])
{
    json_auto_t *g = find(s, "groups", name);
    SKR_STRBUF(b);
    if (g) {
        skr_strbuf_add(&b, skr_object_text(g, "state"));
    }
    if (json_is_string(json_object_get(g, "start"))) {
        skr_strbuf_addf(&b, " %ld", seconds_of(g));
    }
    add_nodes(json_object_get(g, "nodes"), " ", &b);
    if (json_is_true(json_object_get(g, "backfills"))) {
        skr_strbuf_add(&b, " backfills");
    }
    static const char *const key[] = {"because", "moved"};
    for (size_t i = 0; i < 2; i++) {
        if (*skr_object_text(g, key[i])) {
            skr_strbuf_addf(&b, " %s %s", key[i], skr_object_text(g, key[i]));
        }
    }
    if (json_is_integer(json_object_get(g, "grow"))) {
        skr_strbuf_addf(&b, " grows %d", (int)json_integer_value(json_object_get(g, "grow")));
    }
    add_victims(json_object_get(g, "victims"), &b);
    add_moves(json_object_get(g, "moves"), &b);
    add_replaced(json_object_get(g, "replaces"), &b);
    snprintf(buffer, 512, "%s", b.s ? b.s : "");
    return buffer;
}

const char *scene_pod_says(const struct scene *s, const char *name, char buffer[512])
{
    json_auto_t *p = find(s, "pods", name);
    const json_t *node;
    size_t i;
    SKR_STRBUF(b);
    json_array_foreach(json_object_get(p, "nodes"), i, node)
    {
        skr_strbuf_addf(&b, "%s%s", i > 0 ? "," : "", json_string_value(node));
    }
    snprintf(buffer, 512, "%s", b.s ? b.s : "");
    return buffer;
}
