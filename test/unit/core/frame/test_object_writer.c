/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frame and its object writer under faults, with the smallest scheduler there is: every Thing's
 * spec.text is to stand in its status.text, and in the label "text" of it, by one cycle a Thing.
 */
#include "core/frame/object_writer.h"

#include "test/test.h"
#include "test/unit/frame_rig.h"
#include "topology/base/hash.h"

static const struct skr_resource things = {.group = "example.org",
                                           .version = "v1",
                                           .plural = "things",
                                           .kind = "Thing",
                                           .namespaced = true};

struct thing {
    struct skr_arena *arena;
    struct skr_meta meta;
    const char *text, *told;
};

static int thing_decode(const json_t *json, void **ret, struct skr_error *error)
{
    struct skr_arena *arena = skr_arena_create(SKR_OBJECT_BYTES_MAX, 0);
    struct thing *t = skr_arena_alloc(arena, sizeof *t);
    t->arena = arena;
    const char *text = json_string_value(json_object_get(json_object_get(json, "spec"), "text"));
    const char *told = json_string_value(json_object_get(json_object_get(json, "status"), "text"));
    t->text = skr_arena_strdup(arena, text ? text : "");
    t->told = skr_arena_strdup(arena, told ? told : "");
    int rc = skr_meta_decode(arena, json, NULL, &t->meta, error);
    if (rc < 0) {
        skr_arena_destroy(arena);
        return rc;
    }
    *ret = t;
    return 0;
}

static void thing_destroy(void *object)
{
    if (object) {
        skr_arena_destroy(((struct thing *)object)->arena);
    }
}

static const struct skr_meta *thing_meta(const void *object)
{
    return &((const struct thing *)object)->meta;
}

static const struct skr_object_type thing_type = {
    .resource = &things, .decode = thing_decode, .destroy = thing_destroy, .meta = thing_meta};
static const struct skr_watch watches[] = {{.type = &thing_type}};

struct entry {
    UT_hash_handle hh;
    char *key;
    struct thing *thing;
    struct skr_object_writer writer;
    bool dirty;
};

struct echo {
    struct skr_frame *frame;
    struct entry *entries;
    size_t begun, ended, asked;
};

enum { WAKE_THING };
enum { FOR_STATUS };

static void *echo_create(struct skr_frame *frame, const void *settings)
{
    (void)settings;
    struct echo *e = skr_alloc(sizeof *e);
    e->frame = frame;
    return e;
}

static void entry_drop(struct echo *e, struct entry *x)
{
    HASH_DEL(e->entries, x);
    thing_destroy(x->thing);
    free(x->key);
    free(x);
}

static void echo_destroy(void *self)
{
    SKR_AUTO_FREE struct echo *e = self;
    struct entry *x, *next;
    HASH_ITER(hh, e->entries, x, next)
    {
        entry_drop(e, x);
    }
}

static struct entry *find(struct echo *e, const char *key)
{
    struct entry *x;
    HASH_FIND_STR(e->entries, key, x);
    return x;
}

/* Takes the thing, unless the cache has a newer one. */
static void upsert(struct echo *e, struct thing *thing)
{
    char key[300];
    snprintf(key, sizeof key, "%s/%s", thing->meta.namespace_, thing->meta.name);
    struct entry *x = find(e, key);
    if (!x) {
        x = skr_alloc(sizeof *x);
        x->key = skr_strdup(key);
        HASH_ADD_KEYPTR(hh, e->entries, x->key, strlen(x->key), x);
    } else if (x->thing->meta.resource_version >= thing->meta.resource_version) {
        thing_destroy(thing);
        return;
    }
    thing_destroy(x->thing);
    x->thing = thing;
    x->dirty = true;
}

static void echo_object(void *self, struct skr_event *event)
{
    struct echo *e = self;
    if (event->kind == SKR_EVENT_UPSERT) {
        upsert(e, skr_event_take_object(event));
        return;
    }
    char key[300];
    snprintf(key, sizeof key, "%s/%s", event->deleted.namespace_, event->deleted.name);
    struct entry *x = find(e, key);
    if (x) {
        entry_drop(e, x);
    }
}

static void echo_request(void *self, const struct skr_event *event)
{
    struct echo *e = self;
    if (event->kind == SKR_EVENT_HANGUP) {
        return;
    }
    e->asked++;
    const char *text = event->request.body;
    skr_frame_answer(e->frame, event->request.id, skr_frame_copy(e->frame, text, strlen(text) + 1));
}

static void echo_written(void *self, const struct skr_pending_write *write, struct skr_event *event)
{
    struct echo *e = self;
    struct entry *x = find(e, write->key);
    if (!x) {
        return;
    }
    x->dirty = true;
    switch (skr_object_writer_done(&x->writer, e->frame, event)) {
    case SKR_OBJECT_SET:
        if (event->written.object) {
            upsert(e, skr_event_take_object(event));
        }
        break;
    case SKR_OBJECT_GONE:
        entry_drop(e, x);
        break;
    case SKR_OBJECT_REFUSED:
        skr_frame_decision(e->frame, &(struct skr_decision){.kind = "thing",
                                                            .key = write->key,
                                                            .what = "Not written",
                                                            .message = event->written.message});
        break;
    case SKR_OBJECT_STALE:
    case SKR_OBJECT_RETRY:
    default:
        break;
    }
}

static void echo_wake(void *self, int kind, const char *key)
{
    struct entry *x = find(self, key);
    assert_int_equal(kind, WAKE_THING);
    if (x) {
        x->dirty = true;
    }
}

static void echo_begin(void *self)
{
    struct echo *e = self;
    e->begun++;
    for (struct entry *x = e->entries; x; x = x->hh.next) {
        x->dirty = true;
    }
}

static void echo_end(void *self, enum skr_end why)
{
    (void)why;
    ((struct echo *)self)->ended++;
}

static void settle_thing(struct echo *e, struct entry *x)
{
    struct skr_object_target target = {.type = &thing_type,
                                       .subresource = "status",
                                       .meta = &x->thing->meta,
                                       .purpose = FOR_STATUS,
                                       .key = x->key,
                                       .wanted = skr_hash_string(x->thing->text)};
    skr_time at;
    if (strcmp(x->thing->text, x->thing->told) == 0) {
        skr_object_writer_rest(&x->writer, &target);
        return;
    }
    if (skr_object_writer_step(&x->writer, e->frame, &target, skr_frame_now(e->frame) + SKR_SECOND,
                               &at) == SKR_OBJECT_PATCH) {
        SKR_STRBUF(b);
        skr_strbuf_add(&b, "\"status\":{\"text\":");
        skr_strbuf_add_json(&b, x->thing->text);
        skr_strbuf_addc(&b, '}');
        skr_object_writer_patch(&x->writer, e->frame, &target, SKR_WRITE_CLASS_STATUS, "", b.s);
    }
    skr_frame_wake(e->frame, at, WAKE_THING, x->key);
}

static bool echo_settle(void *self)
{
    struct echo *e = self;
    for (struct entry *x = e->entries; x; x = x->hh.next) {
        if (x->dirty) {
            x->dirty = false;
            settle_thing(e, x);
            return true;
        }
    }
    return false;
}

static const struct skr_scheduler echo = {.name = "echo",
                                          .watch = watches,
                                          .n_watches = 1,
                                          .create = echo_create,
                                          .destroy = echo_destroy,
                                          .object = echo_object,
                                          .request = echo_request,
                                          .written = echo_written,
                                          .wake = echo_wake,
                                          .begin = echo_begin,
                                          .end = echo_end,
                                          .settle = echo_settle};

struct world {
    struct frame_rig *rig;
    char answer[32];
};

static void hear(void *context, uint64_t request, const void *body)
{
    struct world *world = context;
    (void)request;
    snprintf(world->answer, sizeof world->answer, "%s", (const char *)body);
}

static void world_set_up(struct world *world)
{
    world->rig = frame_rig_create(&echo, NULL);
    world->rig->answer = hear;
    world->rig->context = world;
    frame_rig_add(world->rig, &things, "ns/a", "{'spec':{'text':'one'}}");
}

static void world_tear_down(struct world *world)
{
    frame_rig_destroy(world->rig);
}

static const char *told(const struct world *world)
{
    return frame_rig_text(world->rig, &things, "ns/a", "status.text");
}

static size_t patches(const struct world *world)
{
    static const enum skr_write_verb patch = SKR_VERB_MERGE_PATCH;
    return frame_rig_writes(world->rig, &(struct frame_rig_match){.verb = &patch});
}

static struct echo *self(const struct world *world)
{
    return skr_engine_self(world->rig->engine);
}

TEST_WITH(world, an_object_becomes_what_it_should_be_after_a_moment)
{
    frame_rig_start(world->rig);
    assert_string_equal(told(world), "");
    frame_rig_advance(world->rig, SKR_SECOND);
    assert_string_equal(told(world), "one");
    assert_int_equal(patches(world), 1);
    frame_rig_edit(world->rig, &things, "ns/a", "{'spec':{'text':'two'}}");
    frame_rig_edit(world->rig, &things, "ns/a", "{'spec':{'text':'three'}}");
    frame_rig_advance(world->rig, 2 * SKR_SECOND);
    assert_string_equal(told(world), "three");
    assert_int_equal(patches(world), 2);
}

TEST_WITH(world, the_answer_of_a_patch_is_the_newest_object_before_the_watch_shows_it)
{
    frame_rig_start(world->rig);
    world->rig->hold_watches = true;
    frame_rig_advance(world->rig, 10 * SKR_SECOND);
    assert_int_equal(patches(world), 1);
    assert_string_equal(find(self(world), "ns/a")->thing->told, "one");
}

static const struct fault {
    const char *title;
    enum frame_fault fault;
} faults[] = {
    {"too many requests", FRAME_FAULT_BUSY},
    {"forbidden for a while", FRAME_FAULT_DENIED},
    {"refused", FRAME_FAULT_INVALID},
    {"a conflict", FRAME_FAULT_CONFLICT},
    {"a lost request", FRAME_FAULT_LOST_REQUEST},
    {"a lost answer", FRAME_FAULT_LOST_ANSWER},
    {"a server error", FRAME_FAULT_SERVER_ERROR},
    {"a late answer", FRAME_FAULT_OUT_OF_ORDER},
};

TEST_EACH(fault, faults, after_faults_the_object_is_what_it_should_be)
{
    struct world world = {0};
    world_set_up(&world);
    frame_rig_fault(world.rig, fault->fault, 3, NULL);
    frame_rig_start(world.rig);
    frame_rig_advance(world.rig, 120 * SKR_SECOND);
    assert_string_equal(told(&world), "one");
    size_t n = world.rig->n_writes;
    frame_rig_advance(world.rig, 120 * SKR_SECOND);
    assert_int_equal(world.rig->n_writes, n);
    world_tear_down(&world);
}

TEST_WITH(world, a_users_change_is_read_before_anything_is_written_over_it)
{
    frame_rig_start(world->rig);
    world->rig->hold_watches = true;
    frame_rig_edit(world->rig, &things, "ns/a", "{'spec':{'text':'two'}}");
    frame_rig_advance(world->rig, 10 * SKR_SECOND);
    assert_string_equal(told(world), "two");
    assert_int_equal(world->rig->write[0].http_status, 409);
    assert_int_equal(world->rig->write[1].verb, SKR_VERB_GET);
    assert_int_equal(patches(world), 1);
}

/* ---- what others undo ---- */

/* Another client writes the status every 100 ms. */
static void undo_for(struct world *world, skr_time duration)
{
    for (skr_time t = 0; t < duration; t += 100 * SKR_MILLISECOND) {
        frame_rig_edit(world->rig, &things, "ns/a", "{'status':{'text':'mine'}}");
        frame_rig_advance(world->rig, 100 * SKR_MILLISECOND);
    }
}

TEST_WITH(world, what_another_client_undoes_again_and_again_is_written_at_growing_pauses)
{
    frame_rig_start(world->rig);
    frame_rig_advance(world->rig, 2 * SKR_SECOND);
    assert_string_equal(told(world), "one");
    undo_for(world, 600 * SKR_SECOND);
    const size_t n = patches(world);
    assert_true(n > 60); /* it does not give up: every 10 s */
    assert_true(n < 90);
    struct skr_undone *undone = &self(world)->entries->writer.undone;
    assert_true(skr_undone_tell(undone));
    assert_false(skr_undone_tell(undone));
    /* In the end it is as it should be, and after a minute all is forgotten. */
    frame_rig_advance(world->rig, 80 * SKR_SECOND);
    assert_string_equal(told(world), "one");
    frame_rig_edit(world->rig, &things, "ns/a", "{'status':{'text':'mine'}}");
    frame_rig_advance(world->rig, 2 * SKR_SECOND);
    assert_string_equal(told(world), "one");
}

/* Its owner's own changes are no quarrel. */
TEST_WITH(world, what_changes_because_it_should_is_written_without_pauses)
{
    frame_rig_start(world->rig);
    frame_rig_advance(world->rig, 2 * SKR_SECOND);
    for (int i = 0; i < 40; i++) {
        frame_rig_edit(world->rig, &things, "ns/a", "{'spec':{'text':'%d'}}", i);
        frame_rig_advance(world->rig, 2 * SKR_SECOND);
        char text[16];
        (void)snprintf(text, sizeof text, "%d", i);
        assert_string_equal(told(world), text);
    }
    assert_false(skr_undone_tell(&self(world)->entries->writer.undone));
}

TEST_WITH(world, a_refused_patch_is_a_line_in_the_log_and_tried_again_later)
{
    frame_rig_fault(world->rig, FRAME_FAULT_DENIED, 1, NULL);
    frame_rig_start(world->rig);
    frame_rig_advance(world->rig, 20 * SKR_SECOND);
    assert_string_equal(told(world), "");
    assert_int_equal(world->rig->n_decisions, 1);
    assert_string_equal(world->rig->decision[0], "Not written: ns/a: HTTP 403");
    frame_rig_advance(world->rig, 20 * SKR_SECOND);
    assert_string_equal(told(world), "one");
}

TEST_WITH(world, nothing_is_written_without_leadership_and_all_of_it_once_it_is_won)
{
    frame_rig_lead(world->rig, false);
    frame_rig_start(world->rig);
    frame_rig_advance(world->rig, 10 * SKR_SECOND);
    assert_int_equal(world->rig->n_writes, 0);
    assert_int_equal(self(world)->begun, 0);
    frame_rig_lead(world->rig, true);
    frame_rig_advance(world->rig, 10 * SKR_SECOND);
    assert_string_equal(told(world), "one");
    assert_int_equal(self(world)->begun, 1);
}

TEST_WITH(world, an_object_that_goes_while_it_is_written_is_let_go)
{
    frame_rig_start(world->rig);
    world->rig->hold_watches = true;
    frame_rig_delete(world->rig, &things, "ns/a");
    frame_rig_advance(world->rig, 10 * SKR_SECOND);
    assert_int_equal(HASH_COUNT(self(world)->entries), 0);
}

TEST_WITH(world, a_crash_after_any_write_loses_nothing)
{
    frame_rig_add(world->rig, &things, "ns/b", "{'spec':{'text':'b'}}");
    frame_rig_crash_after(world->rig, 1);
    frame_rig_start(world->rig);
    frame_rig_advance(world->rig, 10 * SKR_SECOND);
    assert_int_equal(frame_rig_crashes(world->rig), 1);
    assert_string_equal(told(world), "one");
    assert_string_equal(frame_rig_text(world->rig, &things, "ns/b", "status.text"), "b");
    assert_int_equal(patches(world), 2);
}

TEST_WITH(world, a_request_is_answered_at_any_time)
{
    frame_rig_lead(world->rig, false);
    frame_rig_start(world->rig);
    frame_rig_request(world->rig, 0, "hello");
    assert_string_equal(world->answer, "hello");
    assert_int_equal(self(world)->asked, 1);
}

TEST_WITH(world, after_shutdown_nothing_is_written_any_more)
{
    frame_rig_start(world->rig);
    frame_rig_handle(world->rig, &(struct skr_event){.kind = SKR_EVENT_SHUTDOWN});
    assert_int_equal(self(world)->ended, 1);
    frame_rig_advance(world->rig, 10 * SKR_SECOND);
    assert_int_equal(world->rig->n_writes, 0);
}
