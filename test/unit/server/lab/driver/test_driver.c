/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver runs any row over the store: those of core/schedulers.c, and one of this test, which
 * needs nothing but its row. The rig of the protocols (test/unit/frame_rig.h) and the daemon's engine
 * thread run the same row.
 */
#include <stdio.h>
#include <uthash.h>

#include "core/placement/scheduler.h"
#include "core/propagation/scheduler.h"
#include "server/daemon/engine_thread.h"
#include "server/lab/driver/driver.h"
#include "server/object/path.h"
#include "test/test.h"
#include "test/unit/frame_rig.h"
#include "test/unit/json_text.h"
#include "topology/base/arena.h"

#define START ((skr_time)1735689600 * SKR_SECOND)

/* ---- a fifth scheduler: copies data.value of ConfigMaps with the label "copy" to data.copied,
 * works on the number of them, and says a second later that it is done ---- */

static const struct skr_resource maps = {"", "v1", "configmaps", "ConfigMap", true};

struct map {
    struct skr_arena *arena;
    struct skr_meta meta;
    const char *value, *copied;
    UT_hash_handle hh; /* by name */
};

static void map_destroy(void *object)
{
    skr_arena_destroy(object ? ((struct map *)object)->arena : NULL);
}

static int map_decode(const json_t *json, void **ret, struct skr_error *error)
{
    static const char *const none[] = {NULL};
    struct skr_arena *arena = skr_arena_create(SKR_OBJECT_BYTES_MAX, 0);
    struct map *map = skr_arena_alloc(arena, sizeof *map);
    *map = (struct map){.arena = arena};
    int rc = skr_meta_decode(arena, json, none, &map->meta, error);
    map->value = skr_arena_strdup(arena, skr_path_text(json, "data.value"));
    map->copied = skr_arena_strdup(arena, skr_path_text(json, "data.copied"));
    *ret = map;
    return rc;
}

static const struct skr_meta *map_meta(const void *object)
{
    return &((const struct map *)object)->meta;
}

static const struct skr_object_type map_type = {&maps, map_decode, map_destroy, map_meta, NULL};
static const struct skr_watch watches[] = {{.type = &map_type, .label_selector = "copy"}};

struct count {
    struct skr_work work;
    size_t in, out;
};

static void count_run(struct skr_work *work, void *kept)
{
    struct count *count = (struct count *)work;
    (void)kept;
    count->out = count->in;
}

static void count_destroy(struct skr_work *work)
{
    free(work);
}

static const struct skr_work_type counting = {.run = count_run, .destroy = count_destroy};

struct copier {
    struct skr_frame *frame;
    struct map *map;
    bool dirty;
    size_t counted, wakes;
};

static void *copier_create(struct skr_frame *frame, const void *settings)
{
    struct copier *self = skr_alloc(sizeof *self);
    (void)settings;
    self->frame = frame;
    return self;
}

static void forget(struct copier *self, const char *name)
{
    struct map *map;
    HASH_FIND(hh, self->map, name, strlen(name), map);
    if (map) {
        HASH_DEL(self->map, map);
        map_destroy(map);
    }
}

static void copier_destroy(void *context)
{
    struct copier *self = context;
    while (self->map) {
        forget(self, self->map->meta.name);
    }
    free(self);
}

static void copier_object(void *context, struct skr_event *event)
{
    struct copier *self = context;
    if (event->kind == SKR_EVENT_DELETE) {
        forget(self, event->deleted.name);
        return;
    }
    struct map *map = skr_event_take_object(event);
    forget(self, map->meta.name);
    HASH_ADD_KEYPTR(hh, self->map, map->meta.name, strlen(map->meta.name), map);
    self->dirty = true;
}

static void copier_request(void *context, const struct skr_event *event)
{
    struct copier *self = context;
    size_t *n = skr_frame_alloc(self->frame, sizeof *n);
    *n = HASH_COUNT(self->map);
    skr_frame_answer(self->frame, event->request.id, n);
}

static void copier_written(void *context, const struct skr_pending_write *write,
                           struct skr_event *event)
{
    (void)context, (void)write;
    assert_int_equal(event->written.outcome, SKR_WRITE_OK);
}

static void copier_worked(void *context, struct skr_work *work)
{
    struct copier *self = context;
    self->counted = ((struct count *)work)->out;
    skr_frame_wake(self->frame, skr_frame_now(self->frame) + SKR_SECOND, 0, "");
}

static void copier_wake(void *context, int kind, const char *key)
{
    (void)kind, (void)key;
    ((struct copier *)context)->wakes++;
}

static void copier_begin(void *context)
{
    ((struct copier *)context)->dirty = true;
}

static bool copier_settle(void *context)
{
    struct copier *self = context;
    struct map *map, *next;
    char body[128];
    if (!self->dirty) {
        return false;
    }
    self->dirty = false;
    HASH_ITER(hh, self->map, map, next)
    {
        int n = snprintf(body, sizeof body, "{\"data\":{\"copied\":\"%s\"}}", map->value);
        const struct skr_write write = {.verb = SKR_VERB_MERGE_PATCH,
                                        .resource = &maps,
                                        .subresource = "",
                                        .class = SKR_WRITE_CLASS_STATUS,
                                        .namespace_ = map->meta.namespace_,
                                        .name = map->meta.name,
                                        .body = body,
                                        .body_len = (size_t)n};
        if (strcmp(map->value, map->copied) != 0) {
            skr_frame_write(self->frame, &write, 0, map->meta.name);
        }
    }
    struct count *count = skr_alloc(sizeof *count);
    count->work.type = &counting;
    count->in = HASH_COUNT(self->map);
    skr_frame_work(self->frame, &count->work);
    return true;
}

static const struct skr_scheduler copier = {.name = "copier",
                                            .watch = watches,
                                            .n_watches = 1,
                                            .work = &counting,
                                            .create = copier_create,
                                            .destroy = copier_destroy,
                                            .object = copier_object,
                                            .request = copier_request,
                                            .written = copier_written,
                                            .worked = copier_worked,
                                            .wake = copier_wake,
                                            .begin = copier_begin,
                                            .settle = copier_settle};

/* ---- a store with a driver ---- */

struct lab {
    struct skr_store *store;
    struct skr_driver *driver;
    skr_time now;
    size_t answer, answers;
};

static void lab_set_up(struct lab *lab)
{
    lab->store = skr_store_create(1);
    lab->now = START;
}

static void lab_tear_down(struct lab *lab)
{
    skr_driver_destroy(lab->driver);
    skr_store_destroy(lab->store);
}

static void put(struct lab *lab, const char *text)
{
    struct skr_error error;
    json_t *object = json_text_load(text);
    if (skr_store_put(lab->store, object, lab->now, &error) >= 400) {
        fail_msg("%s", error.text);
    }
    json_decref(object);
}

static void take_answer(void *context, uint64_t request, const void *body)
{
    struct lab *lab = context;
    assert_int_equal(request, 7);
    lab->answer = *(const size_t *)body;
    lab->answers++;
}

static void start(struct lab *lab, const struct skr_scheduler *scheduler, const void *settings)
{
    const struct skr_driver_options options = {.scheduler = scheduler,
                                               .settings = settings,
                                               .instance = "test",
                                               .write_time = SKR_MILLISECOND,
                                               .work_time = SKR_MILLISECOND,
                                               .watch_delay = SKR_MILLISECOND,
                                               .answer = take_answer,
                                               .context = lab};
    lab->driver = skr_driver_create(&options, lab->store);
    skr_driver_start(lab->driver, lab->now);
}

static void run(struct lab *lab, skr_time duration)
{
    const skr_time end = lab->now + duration;
    for (skr_time next; (next = skr_driver_next(lab->driver, lab->now)) <= end;) {
        lab->now = next;
        skr_driver_step(lab->driver, lab->now);
    }
    lab->now = end;
}

static const char *copied(const struct lab *lab, const char *name)
{
    return skr_path_text(skr_store_get(lab->store, "ConfigMap", "ns", name), "data.copied");
}

static const struct copier *self_of(const struct lab *lab)
{
    return skr_engine_self(skr_driver_engine(lab->driver));
}

#define MAP(name, labels, value)                                                       \
    "{'apiVersion':'v1','kind':'ConfigMap','metadata':{'namespace':'ns','name':'" name \
    "','labels':{" labels "}},'data':{'value':'" value "'}}"

TEST_WITH(lab, a_row_sees_what_it_selects_and_its_writes_are_carried_out)
{
    put(lab, MAP("a", "'copy':''", "1"));
    put(lab, MAP("b", "", "2"));
    start(lab, &copier, NULL);
    run(lab, 100 * SKR_MILLISECOND);
    assert_string_equal(copied(lab, "a"), "1");
    assert_string_equal(copied(lab, "b"), "");
    assert_int_equal(self_of(lab)->counted, 1);
    put(lab, MAP("b", "'copy':''", "2"));
    put(lab, MAP("a", "", "3"));
    run(lab, 100 * SKR_MILLISECOND);
    assert_string_equal(copied(lab, "a"), "");
    assert_string_equal(copied(lab, "b"), "2");
    assert_int_equal(HASH_COUNT(self_of(lab)->map), 1);
    assert_int_equal(skr_store_delete(lab->store, "ConfigMap", "ns", "b", lab->now), 200);
    run(lab, 100 * SKR_MILLISECOND);
    assert_int_equal(HASH_COUNT(self_of(lab)->map), 0);
}

TEST_WITH(lab, work_wakes_and_requests_of_a_row_have_their_times)
{
    put(lab, MAP("a", "'copy':''", "1"));
    start(lab, &copier, NULL);
    assert_int_equal(self_of(lab)->counted, 0);
    run(lab, SKR_MILLISECOND);
    assert_int_equal(self_of(lab)->counted, 1);
    put(lab, MAP("b", "'copy':''", "2"));
    skr_driver_ask(lab->driver, lab->now, 7, 0, NULL);
    assert_int_equal(lab->answer, 1);
    skr_driver_catch_up(lab->driver, lab->now);
    skr_driver_ask(lab->driver, lab->now, 7, 0, NULL);
    assert_int_equal(lab->answer, 2);
    assert_int_equal(lab->answers, 2);
    assert_int_equal(self_of(lab)->wakes, 0);
    run(lab, 2 * SKR_SECOND);
    assert_true(self_of(lab)->wakes >= 1);
    assert_int_equal(skr_driver_next(lab->driver, lab->now), SKR_TIME_NEVER);
}

TEST(the_rig_of_protocols_runs_the_same_row)
{
    struct frame_rig *rig = frame_rig_create(&copier, NULL);
    frame_rig_add(rig, &maps, "ns/a", "{'metadata':{'labels':{'copy':''}},'data':{'value':'1'}}");
    frame_rig_add(rig, &maps, "ns/b", "{'data':{'value':'2'}}");
    frame_rig_start(rig);
    assert_string_equal(frame_rig_text(rig, &maps, "ns/a", "data.copied"), "1");
    assert_string_equal(frame_rig_text(rig, &maps, "ns/b", "data.copied"), "");
    frame_rig_destroy(rig);
}

static void take_write(void *context, const struct skr_write *write)
{
    snprintf(context, 64, "%s %s", write->name, write->body);
}

static void take_work(void *context, struct skr_work *work)
{
    (void)context;
    skr_work_destroy(work);
}

TEST(the_daemons_thread_runs_the_same_row)
{
    char written[64] = "";
    struct skr_clock clock;
    struct skr_error error;
    const struct skr_engine_outlets outlets = {
        .actions = {.context = written, .write = take_write, .work = take_work}};
    struct skr_event object = {.kind = SKR_EVENT_UPSERT, .upsert = {.type = &map_type}};
    const struct skr_event synced = {.kind = SKR_EVENT_SYNCED};
    json_t *map = json_text_load(MAP("a", "'copy':''", "1"));

    skr_clock_init(&clock);
    struct skr_engine_thread *thread =
        skr_engine_thread_create(skr_engine_create(&copier, NULL, "test"), &clock);
    assert_int_equal(map_decode(map, &object.upsert.object, &error), 0);
    skr_engine_thread_post(thread, &object);
    skr_engine_thread_post(thread, &synced);
    assert_int_equal(skr_engine_thread_start(thread, &outlets, &error), 0);
    assert_true(skr_engine_thread_wait(thread, 60 * SKR_SECOND));
    skr_engine_thread_destroy(thread);
    assert_string_equal(written, "a {\"data\":{\"copied\":\"1\"}}");
    json_decref(map);
}

/* ---- custom resources ---- */

TEST_WITH(lab, a_placement_is_scheduled_in_the_store)
{
    static const struct skr_placement_settings settings = {.scheduler_name = "sakkara"};
    put(lab, "{'apiVersion':'cluster.open-cluster-management.io/v1beta2','kind':"
             "'ManagedClusterSet','metadata':{'name':'all'},'spec':{'clusterSelector':{"
             "'selectorType':'LabelSelector','labelSelector':{}}}}");
    put(lab, "{'apiVersion':'cluster.open-cluster-management.io/v1beta2','kind':"
             "'ManagedClusterSetBinding','metadata':{'namespace':'ns','name':'all'},'spec':{"
             "'clusterSet':'all'}}");
    put(lab, "{'apiVersion':'cluster.open-cluster-management.io/v1','kind':'ManagedCluster',"
             "'metadata':{'name':'c1'}}");
    put(lab, "{'apiVersion':'cluster.open-cluster-management.io/v1beta1','kind':'Placement',"
             "'metadata':{'namespace':'ns','name':'p','annotations':{"
             "'cluster.open-cluster-management.io/experimental-scheduling-disable':'true',"
             "'sakkara.placement.scheduler':'sakkara'}},'spec':{}}");
    start(lab, &skr_placement_scheduler, &settings);
    run(lab, SKR_SECOND);
    const json_t *decisions = skr_path_get(
        skr_store_get(lab->store, "PlacementDecision", "ns", "p-decision-1"), "status.decisions");
    assert_int_equal(json_array_size(decisions), 1);
    assert_string_equal(skr_path_text(json_array_get(decisions, 0), "clusterName"), "c1");
    assert_int_equal(skr_path_int(skr_store_get(lab->store, "Placement", "ns", "p"),
                                  "status.numberOfSelectedClusters", 0),
                     1);
}

TEST_WITH(lab, a_binding_is_divided_in_the_store)
{
    struct skr_propagation_settings settings = {.scheduler_name = "sakkara", .workers = 1};
    skr_propagation_options_init(&settings.options, SKR_PROFILE_DEFAULT);
    put(lab, "{'apiVersion':'cluster.karmada.io/v1alpha1','kind':'Cluster','metadata':{'name':"
             "'m1'},'status':{'apiEnablements':[{'groupVersion':'apps/v1','resources':[{'kind':"
             "'Deployment'}]}],'resourceSummary':{'allocatable':{'pods':'6'}}}}");
    put(lab, "{'apiVersion':'work.karmada.io/v1alpha2','kind':'ResourceBinding','metadata':{"
             "'namespace':'ns','name':'b','labels':{'propagationpolicy.karmada.io/permanent-id':"
             "'1'}},'spec':{'schedulerName':'sakkara','replicas':2,'resource':{'apiVersion':"
             "'apps/v1','kind':'Deployment','namespace':'ns','name':'web','uid':'u'},'placement':"
             "{'replicaScheduling':{'replicaSchedulingType':'Divided','replicaDivisionPreference':"
             "'Aggregated'}}}}");
    start(lab, &skr_propagation_scheduler, &settings);
    run(lab, SKR_SECOND);
    const json_t *clusters =
        skr_path_get(skr_store_get(lab->store, "ResourceBinding", "ns", "b"), "spec.clusters");
    assert_int_equal(json_array_size(clusters), 1);
    assert_int_equal(skr_path_int(json_array_get(clusters, 0), "replicas", 0), 2);
}
