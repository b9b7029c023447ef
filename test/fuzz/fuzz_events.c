/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine alone, under events that need not fit together: objects come and go as the bytes say,
 * old versions after new ones, writes end in any way whatever the objects show, anybody asks for
 * anything, solutions come late or not at all. (fuzz_engine.c is the same in a cluster that
 * behaves.) Whatever happens, shell.h is content, and the same bytes give the same actions.
 */
#include "core/gang/cache/pods.h"
#include "test/fuzz/fuzz.h"
#include "test/fuzz/objects.h"
#include "test/fuzz/shell.h"

enum { STEPS_MAX = 1200 };

static uint32_t choose(struct fuzz_shell *w, uint32_t n)
{
    return fuzz_choose(&w->objects, n);
}

/* ---- events ---- */

static void comes(struct fuzz_shell *w, const struct skr_object_type *type, void *object)
{
    struct skr_event event = {.kind = SKR_EVENT_UPSERT, .upsert = {.type = type, .object = object}};
    fuzz_shell_handle(w, &event);
}

static void goes(struct fuzz_shell *w, const struct skr_object_type *type, const char *name,
                 const char *uid)
{
    struct skr_event event = {.kind = SKR_EVENT_DELETE,
                              .deleted = {.type = type,
                                          .namespace_ = type->resource->namespaced ? "default" : "",
                                          .name = name,
                                          .uid = uid}};
    fuzz_shell_handle(w, &event);
}

static void pod_comes(struct fuzz_shell *w)
{
    struct skr_pod *pod = fuzz_make_pod(&w->objects, choose(w, FUZZ_PODS));
    fuzz_shell_pod_seen(w, pod);
    comes(w, &skr_gang_pod, pod);
}

static void pod_goes(struct fuzz_shell *w)
{
    char name[16], uid[16];
    uint32_t i = choose(w, FUZZ_PODS), life = choose(w, 5);
    goes(w, &skr_gang_pod, fuzz_pod_name(i, name), life < 4 ? fuzz_pod_uid(i, life, uid) : "");
}

static void node_changes(struct fuzz_shell *w)
{
    if (choose(w, 8) == 0) {
        goes(w, &skr_gang_node, fuzz_node_name(choose(w, FUZZ_NODES + 1)), "");
    } else {
        comes(w, &skr_gang_node, fuzz_make_node(&w->objects));
    }
}

static const char *map_name(struct fuzz_shell *w)
{
    static const char *const name[] = {"ga", "gb", "gc", "topology"};
    return name[choose(w, 4)];
}

static void map_changes(struct fuzz_shell *w)
{
    const char *name = map_name(w);
    if (choose(w, 8) == 0) {
        goes(w, &skr_gang_configmap, name, "");
        return;
    }
    struct skr_configmap *map = fuzz_make_map(&w->objects, name);
    fuzz_shell_seen(w, &map->meta);
    comes(w, &skr_gang_configmap, map);
}

static void podgroup_changes(struct fuzz_shell *w)
{
    uint32_t group = choose(w, FUZZ_GROUPS);
    if (choose(w, 4) == 0) {
        goes(w, &skr_gang_podgroup, fuzz_group_name(group), "");
        return;
    }
    struct skr_podgroup *podgroup = fuzz_make_podgroup(&w->objects, group);
    fuzz_shell_seen(w, &podgroup->meta);
    comes(w, &skr_gang_podgroup, podgroup);
}

/* Names as they come: any of the nodes, also twice, also unknown ones. */
static size_t some_nodes(struct fuzz_shell *w, const char **name)
{
    size_t n = choose(w, FUZZ_NODES + 3);
    for (size_t i = 0; i < n; i++) {
        name[i] = n == FUZZ_NODES ? fuzz_node_name((uint32_t)i)
                                  : fuzz_node_name(choose(w, FUZZ_NODES + 1));
    }
    return n;
}

static void verb(struct fuzz_shell *w, enum skr_gang_verb kind)
{
    const char *name[FUZZ_NODES + 3] = {NULL}, *uid[2] = {"p0-0", "p5-3"};
    struct skr_preempt_node candidate[FUZZ_NODES + 3];
    struct skr_pod *pod = fuzz_make_pod(&w->objects, choose(w, FUZZ_PODS));
    w->n_asked = some_nodes(w, name);
    w->asking = w->request + 1;
    w->verb = kind;
    w->n_answers = 0;
    for (size_t i = 0; i < w->n_asked; i++) {
        candidate[i] = (struct skr_preempt_node){name[i], i % 3, uid};
    }
    const struct skr_filter_request filter = {pod, w->n_asked, name};
    const struct skr_preempt_request preempt = {pod, w->n_asked, candidate};
    fuzz_shell_request(w, kind,
                       kind == SKR_GANG_PREEMPT ? (const void *)&preempt : (const void *)&filter);
    fuzz_check(w->n_answers == 1);
    w->asking = 0;
    skr_pod_destroy(pod);
}

static void call_bind(struct fuzz_shell *w)
{
    char name[16], uid[16];
    uint32_t i = choose(w, FUZZ_PODS), what = choose(w, 16);
    if (w->n_calls == FUZZ_CALLS_MAX) {
        return;
    }
    fuzz_pod_uid(i, what > 12 ? what - 12 : 0, uid);
    struct skr_bind_request bind = {.namespace_ = "default",
                                    .name = fuzz_pod_name(i, name),
                                    .uid = what == 12 ? "" : uid,
                                    .node = fuzz_node_name(choose(w, FUZZ_NODES + 1))};
    /* The node that is planned is the interesting one. */
    const struct pod_entry *p = skr_pods_find(w->gang, uid);
    if (p && p->place.node && what < 8) {
        bind.node = p->place.node;
    }
    struct fuzz_call *call = &w->call[w->n_calls++];
    *call = (struct fuzz_call){.request = w->request + 1, .asked = w->now};
    p = what == 12 ? skr_pods_find_name(w->gang, "default", bind.name) : p;
    snprintf(call->uid, sizeof call->uid, "%s", p ? p->uid : uid);
    snprintf(call->node, sizeof call->node, "%s", bind.node);
    fuzz_shell_request(w, SKR_GANG_BIND, &bind);
}

static void hang_up(struct fuzz_shell *w)
{
    struct skr_event event = {.kind = SKR_EVENT_HANGUP};
    event.request.id = 4711;
    if (w->n_calls > 0) {
        struct fuzz_call *call = &w->call[choose(w, FUZZ_CALLS_MAX) % w->n_calls];
        event.request.id = call->request;
        *call = w->call[--w->n_calls];
    }
    fuzz_shell_handle(w, &event);
}

static void solved(struct fuzz_shell *w, struct skr_solve_request **which)
{
    struct skr_solve_request *request = *which;
    uint32_t how = choose(w, 8);
    if (!request) {
        return;
    }
    *which = NULL;
    request->work.took_ns = how;
    if (how == 1) {
        skr_error_set(&request->error, SKR_LIMIT, "too large");
    } else {
        request->problem.step_budget = how == 2 ? 0 : request->problem.step_budget;
        fuzz_check(skr_solve(&request->problem, &request->solution, &request->error) == 0);
    }
    struct skr_event event = {.kind = SKR_EVENT_WORK_DONE, .work = &request->work};
    fuzz_shell_handle(w, &event);
}

/* Why a group is not placed; or the solve for it. */
static void ask_why(struct fuzz_shell *w)
{
    if (choose(w, 2) == 0) {
        solved(w, &w->explanation);
        return;
    }
    const struct skr_explain_request request = {.namespace_ = "default",
                                                .name = fuzz_group_name(choose(w, FUZZ_GROUPS))};
    struct skr_event event = {
        .kind = SKR_EVENT_REQUEST,
        .request = {.id = ++w->explain_request, .verb = SKR_GANG_EXPLAIN, .body = &request}};
    w->n_questions++;
    fuzz_shell_handle(w, &event);
}

/* What cluster-autoscaler says of a request of capacity. */
static const char *const requests[] = {
    "{\"metadata\":{\"name\":\"r\"}}",
    "{\"metadata\":{\"name\":\"r\"},\"status\":{\"conditions\":[{\"type\":\"Failed\","
    "\"status\":\"True\"}]}}",
    "{\"metadata\":{\"name\":\"r\"},\"status\":{\"conditions\":[{\"type\":\"Provisioned\","
    "\"status\":\"True\"}]}}"};
enum { REQUESTS = sizeof requests / sizeof requests[0] };

static void *made(const struct skr_object_type *type, const char *text)
{
    struct skr_error error;
    void *object = NULL;
    json_auto_t *json = json_loads(text, 0, NULL);
    fuzz_check(type->decode(json, &object, &error) == 0);
    return object;
}

static void read_object(struct fuzz_shell *w, const struct skr_write *write,
                        struct skr_event *event)
{
    if (write->answer == &skr_gang_pod) {
        struct skr_pod *pod =
            fuzz_make_pod(&w->objects, (uint32_t)(write->name[1] - '0') % FUZZ_PODS);
        fuzz_shell_pod_seen(w, pod);
        event->written.object = pod;
    } else if (write->answer == &skr_gang_configmap) {
        struct skr_configmap *map = fuzz_make_map(&w->objects, write->name);
        fuzz_shell_seen(w, &map->meta);
        event->written.object = map;
    } else if (write->answer == &skr_gang_podgroup) {
        struct skr_podgroup *podgroup =
            fuzz_make_podgroup(&w->objects, strcmp(write->name, "gb") == 0);
        fuzz_shell_seen(w, &podgroup->meta);
        event->written.object = podgroup;
    } else if (write->answer == &skr_gang_pod_template) {
        event->written.object = made(write->answer, "{\"metadata\":{\"name\":\"p\"},\"spec\":{}}");
    } else if (write->answer == &skr_gang_provisioning) {
        event->written.object = made(write->answer, requests[choose(w, REQUESTS)]);
    }
    event->written.type = write->answer;
}

static void write_free(struct skr_write *write)
{
    free((char *)(uintptr_t)write->namespace_);
    free((char *)(uintptr_t)write->name);
    free((char *)(uintptr_t)write->body);
}

static void answer_write(struct fuzz_shell *w)
{
    static const int32_t status[SKR_WRITE_OUTCOME_COUNT] = {200, 409, 404, 422, 403, 429, 0, 0};
    struct skr_event event = {.kind = SKR_EVENT_WRITE_DONE};
    uint32_t which = choose(w, 256), how = choose(w, 24);
    json_auto_t *body = NULL;
    if (w->n_writes == 0) {
        return;
    }
    size_t at = which % w->n_writes;
    struct skr_write write = w->write[at];
    memmove(&w->write[at], &w->write[at + 1], (--w->n_writes - at) * sizeof write);
    event.written.outcome =
        how < SKR_WRITE_OUTCOME_COUNT ? (enum skr_write_outcome)how : SKR_WRITE_OK;
    event.written.id = write.id;
    event.written.http_status = status[event.written.outcome];
    event.written.message = how % 2 ? "refused" : "";
    event.written.retry_after = how == SKR_WRITE_BUSY ? SKR_SECOND : 0;
    const char *plan = fuzz_shell_patched_plan(&write, &body);
    if (event.written.outcome == SKR_WRITE_OK) {
        event.written.resource_version = how == 23 ? 0 : ++w->objects.version;
        fuzz_shell_plan_is_out(w, plan);
        w->bound = w->bound || skr_write_kind_of(&write) == SKR_WRITE_BINDING;
        read_object(w, &write, &event);
    }
    fuzz_shell_handle(w, &event);
    write_free(&write);
}

static void listed(struct fuzz_shell *w)
{
    while (w->n_lists > 0) {
        struct skr_event event = {.kind = SKR_EVENT_LISTED, .listed = w->list[--w->n_lists]};
        fuzz_shell_handle(w, &event);
    }
}

static void simple(struct fuzz_shell *w, enum skr_event_kind kind)
{
    struct skr_event event = {.kind = kind};
    if (kind == SKR_EVENT_SYNCED && w->synced) {
        return;
    }
    w->synced = w->synced || kind == SKR_EVENT_SYNCED;
    w->stopped = w->stopped || kind == SKR_EVENT_SHUTDOWN;
    fuzz_shell_handle(w, &event);
    if (kind == SKR_EVENT_LEADER_LOST || kind == SKR_EVENT_SHUTDOWN) {
        fuzz_check(w->n_calls == 0);
    }
}

static void time_passes(struct fuzz_shell *w)
{
    static const skr_time step[] = {0,
                                    SKR_MILLISECOND,
                                    60 * SKR_MILLISECOND,
                                    SKR_SECOND,
                                    10 * SKR_SECOND,
                                    100 * SKR_SECOND,
                                    400 * SKR_SECOND};
    uint32_t how = choose(w, 16);
    if (how < 7) {
        w->now += step[how];
    } else if (w->timer != SKR_TIME_NEVER && w->timer > w->now) {
        w->now = w->timer;
    }
    if (w->timer > w->now) {
        return;
    }
    w->timer = SKR_TIME_NEVER;
    simple(w, SKR_EVENT_TIMER);
}

static void step(struct fuzz_shell *w)
{
    static const enum skr_event_kind rare[] = {SKR_EVENT_LEADER_WON, SKR_EVENT_LEADER_LOST,
                                               SKR_EVENT_SYNCED, SKR_EVENT_SHUTDOWN};
    uint32_t x = choose(w, 64);
    if (x < 10) {
        pod_comes(w);
    } else if (x < 12) {
        pod_goes(w);
    } else if (x < 16) {
        node_changes(w);
    } else if (x < 20) {
        map_changes(w);
    } else if (x < 22) {
        podgroup_changes(w);
    } else if (x < 25) {
        verb(w, SKR_GANG_FILTER);
    } else if (x < 26) {
        verb(w, SKR_GANG_PRIORITIZE);
    } else if (x < 27) {
        verb(w, SKR_GANG_PREEMPT);
    } else if (x < 33) {
        call_bind(w);
    } else if (x < 35) {
        hang_up(w);
    } else if (x < 40) {
        solved(w, &w->solve);
    } else if (x < 54) {
        answer_write(w);
    } else if (x < 60) {
        time_passes(w);
    } else if (x < 61) {
        simple(w, SKR_EVENT_SYNCED);
        listed(w);
    } else if (x < 62) {
        ask_why(w);
    } else {
        simple(w, rare[choose(w, 4)]);
    }
}

/* ---- life ---- */

static void finish(struct fuzz_shell *w)
{
    struct skr_strbuf state;
    struct skr_gang_stats stats;
    skr_strbuf_init(&state);
    skr_gang_write_json(w->gang, &state);
    fuzz_shell_mix(w, state.s);
    json_decref(fuzz_json(state.s, state.len));
    skr_strbuf_fini(&state);
    skr_gang_get_stats(w->gang, &stats);
    fuzz_check(stats.writes_in_flight == w->n_writes);
    fuzz_check(stats.nodes <= FUZZ_NODES && stats.pods <= FUZZ_UIDS && stats.parked == w->n_calls);
    skr_engine_destroy(w->engine);
    skr_actions_fini(&w->actions);
    skr_solve_request_destroy(w->solve);
    skr_solve_request_destroy(w->explanation);
    for (size_t i = 0; i < w->n_writes; i++) {
        write_free(&w->write[i]);
    }
    fuzz_objects_fini(&w->objects);
}

static uint64_t play(const uint8_t *data, size_t size)
{
    SKR_AUTO_FREE struct fuzz_shell *w = skr_alloc(sizeof *w);
    struct skr_settings settings;
    w->objects.bytes = (struct fuzz_bytes){data, size, 0};
    w->now = 1700000000 * SKR_SECOND;
    w->timer = SKR_TIME_NEVER;
    w->trace = getenv("SKR_FUZZ_TRACE");
    w->hash = UINT64_C(0xcbf29ce484222325);
    uint32_t how = choose(w, 256);
    skr_settings_default(&settings);
    settings.label_fallback = how & 1;
    settings.heterogeneous_refuse = how & 2;
    settings.rollback_partial = how & 4;
    settings.tie_break = how & 8 ? SKR_TIE_TIGHT : SKR_TIE_TREE;
    settings.plan_delay = how & 16 ? 0 : settings.plan_delay;
    settings.plan_timeout = how & 32 ? 5 * SKR_SECOND : settings.plan_timeout;
    settings.release_gate_after = how & 64 ? 30 * SKR_SECOND : SKR_TIME_NEVER;
    settings.provisioning_class = how & 128 ? "class" : "";
    w->engine = skr_engine_create(&skr_gang_scheduler, &settings, settings.instance);
    w->gang = skr_engine_self(w->engine);
    skr_actions_init(&w->actions);
    for (int i = 0; i < STEPS_MAX && fuzz_bytes_left(&w->objects.bytes); i++) {
        step(w);
    }
    finish(w);
    return w->hash;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t hash = play(data, size);
    if (size % 4 == 0) {
        fuzz_check(play(data, size) == hash);
    }
    return 0;
}
