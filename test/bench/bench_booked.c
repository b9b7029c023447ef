/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filter of a single pod at 5,000 names inside the engine: without a reservation, with one on 64 of the
 * nodes, with one on all, and with 64 drains and others that share all. Each node runs a pod with a limit.
 * A second passes between calls. The HTTP side of such a call costs about three times the engine's
 * (bench_filter), so reservations may cost half of the latter: a tenth of the whole, and some for noise.
 */
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/frame/engine.h"
#include "core/gang/cache/bookings.h"
#include "core/gang/group/group_table.h"
#include "core/gang/scheduler.h"
#include "core/gang/state/booking.h"
#include "core/gang/state/requests.h"
#include "core/gang/state/types.h"
#include "server/kube/decode.h"
#include "test/unit/solver_cluster.h"
#include "topology/base/arena.h"

enum { NODES = 5000, RUNS = 40, RESERVATIONS = 64 };
#define NOW (1700000000 * SKR_SECOND)

struct bench {
    struct skr_engine *engine;
    struct skr_actions actions;
    char name[NODES][16];
    const char *node[NODES];
    int64_t seconds; /* that have passed */
};

static SKR_NORETURN void die(const char *what)
{
    fprintf(stderr, "bench_booked: %s\n", what);
    exit(1);
}

static void post(struct bench *b, struct skr_event *event)
{
    skr_engine_handle(b->engine, event, NOW + b->seconds * SKR_SECOND, &b->actions);
    skr_actions_reset(&b->actions);
}

static struct skr_event decode(const struct skr_object_type *type, const char *format, va_list args)
    SKR_PRINTF(2, 0);
static struct skr_event decode(const struct skr_object_type *type, const char *format, va_list args)
{
    char text[1024];
    struct skr_event event;
    struct skr_error error;
    vsnprintf(text, sizeof text, format, args);
    for (char *c = text; *c; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    json_auto_t *json = json_loads(text, 0, NULL);
    if (!json || skr_kube_decode(type, json, &event, &error) < 0) {
        die(text);
    }
    return event;
}

static void upsert(struct bench *b, const struct skr_object_type *type, const char *format, ...)
    SKR_PRINTF(3, 4);
static void upsert(struct bench *b, const struct skr_object_type *type, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct skr_event event = decode(type, format, args);
    va_end(args);
    post(b, &event);
}

static struct skr_event pod_of(const char *format, ...) SKR_PRINTF(1, 2);
static struct skr_event pod_of(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const struct skr_event event = decode(&skr_gang_pod, format, args);
    va_end(args);
    return event;
}

/* The group reserves the nodes from first on, n of them: from the end of the running pods on, or as a
 * drain for ever. */
static void reserve(struct bench *b, int group, int first, int n, bool drain)
{
    static const struct {
        const char *name;
        int64_t amount;
    } resource[] = {{"cpu", 8000}, {"memory", INT64_C(60) << 30}, {"pods", 2}};
    char key[32];
    struct skr_gang *e = skr_engine_self(b->engine);
    snprintf(key, sizeof key, "default/big-%d", group);
    struct group *g = skr_groups_find(e, key);
    struct booking *booking = skr_alloc(sizeof *booking);
    booking->start = 1700000000 + 3630;
    booking->until = drain ? SKR_INSTANT_NEVER : booking->start + 3600;
    booking->guess = drain;
    booking->n_resources = sizeof resource / sizeof resource[0];
    booking->resource = skr_alloc_array(booking->n_resources, sizeof *booking->resource);
    booking->node = skr_alloc_array((size_t)n + 1, sizeof *booking->node);
    booking->use = skr_alloc_array(((size_t)n + 1) * booking->n_resources, sizeof *booking->use);
    for (uint32_t r = 0; r < booking->n_resources; r++) {
        booking->resource[r] = skr_strdup(resource[r].name);
        for (int i = 0; i < n; i++) {
            booking->use[booking->n_uses++] = (struct booking_use){
                .node = (uint32_t)i, .resource = r, .amount = resource[r].amount};
        }
    }
    for (int i = 0; i < n; i++) {
        booking->node[booking->n++] =
            (struct booking_node){.name = skr_strdup(b->node[first + i]), .count = 1};
    }
    struct skr_actions none;
    skr_actions_init(&none);
    skr_booked_set(e, g, n > 0 ? booking : NULL);
    skr_actions_fini(&none);
    if (n == 0) {
        skr_booking_destroy(booking);
    }
}

static double filter_us(struct bench *b)
{
    double best = 1e9;
    struct skr_event pod =
        pod_of("{'metadata':{'name':'one','namespace':'default','uid':'u-one'},'spec':{"
               "'schedulerName':'sakkara','containers':[{'name':'m','resources':{'requests':{"
               "'cpu':'1','memory':'1Gi'}}}]},'status':{'phase':'Pending'}}");
    const struct skr_filter_request request = {
        .pod = pod.upsert.object, .n_nodes = NODES, .node = b->node};
    for (int i = 0; i < RUNS; i++) {
        struct skr_event event = {
            .kind = SKR_EVENT_REQUEST,
            .request = {.id = (uint64_t)i + 1, .verb = SKR_GANG_FILTER, .body = &request}};
        b->seconds++;
        const double begin = cluster_now_us();
        post(b, &event);
        const double took = cluster_now_us() - begin;
        best = took < best ? took : best;
    }
    skr_event_fini(&pod);
    return best;
}

static void load(struct bench *b)
{
    struct skr_event synced = {.kind = SKR_EVENT_SYNCED};
    for (int i = 0; i < NODES; i++) {
        snprintf(b->name[i], sizeof b->name[i], "node-%04d", i);
        b->node[i] = b->name[i];
        upsert(b, &skr_gang_node,
               "{'metadata':{'name':'%s'},'status':{'allocatable':{'cpu':'8','memory':'64Gi',"
               "'pods':'110'},'conditions':[{'type':'Ready','status':'True'}]}}",
               b->node[i]);
        upsert(b, &skr_gang_pod,
               "{'metadata':{'name':'run-%d','namespace':'default','uid':'u-%d'},'spec':{"
               "'schedulerName':'sakkara','nodeName':'%s','activeDeadlineSeconds':3600,"
               "'containers':[{'name':'m','resources':{'requests':{'cpu':'4'}}}]},'status':{"
               "'phase':'Running','startTime':'2023-11-14T22:13:20Z'}}",
               i, i, b->node[i]);
    }
    for (int i = 0; i < RESERVATIONS; i++) {
        upsert(b, &skr_gang_configmap,
               "{'metadata':{'name':'big-%d','namespace':'default','uid':'u-big-%d','labels':{"
               "'sakkara.group':''}},'data':{'name':'big-%d','size':'2'}}",
               i, i, i);
        upsert(b, &skr_gang_pod,
               "{'metadata':{'name':'m-%d','namespace':'default','uid':'u-m-%d','labels':{"
               "'sakkara.group.name':'big-%d'}},'spec':{'schedulerName':'sakkara','schedulingGates'"
               ":[{'name':'sakkara.gang'}],'containers':[{'name':'m','resources':{'requests':{'cpu'"
               ":'8'}}}]},'status':{'phase':'Pending'}}",
               i, i, i);
    }
    post(b, &synced);
}

int main(void)
{
    static struct bench b;
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.reservations = 1;
    settings.on_paper = true; /* no round moves the reservation */
    b.engine = skr_engine_create(&skr_gang_scheduler, &settings, "bench");
    skr_actions_init(&b.actions);
    load(&b);
    const double none = filter_us(&b);
    reserve(&b, 0, 0, 64, false);
    const double some = filter_us(&b);
    reserve(&b, 0, 0, NODES, false);
    const double all = filter_us(&b);
    for (int i = 0; i < RESERVATIONS; i++) {
        reserve(&b, i, i * NODES / RESERVATIONS, NODES / RESERVATIONS, i % 2 > 0);
    }
    const double many = filter_us(&b);
    const double limit = none * 1.5;
    printf("| filter of a single pod at 5,000 names | time | limit |\n|---|---|---|\n");
    printf("| no reservation | %.0f us | |\n", none);
    printf("| one on 64 nodes | %.0f us | %.0f us |\n", some, limit);
    printf("| one on all nodes | %.0f us | %.0f us |\n", all, limit);
    printf("| 64 on all nodes, half of them drains | %.0f us | %.0f us |\n", many, limit);
    for (int i = 0; i < RESERVATIONS; i++) {
        reserve(&b, i, 0, 0, false);
    }
    skr_actions_fini(&b.actions);
    skr_engine_destroy(b.engine);
    return some > limit || all > limit || many > limit;
}
