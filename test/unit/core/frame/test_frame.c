/* SPDX-License-Identifier: Apache-2.0 */
/* The frame by itself: wakes and the timer, Events for people, lists of actions and what they own. */
#include "core/frame/event_share.h"
#include "core/frame/frame.h"

#include "test/test.h"

struct stand {
    struct skr_frame *frame;
    struct skr_actions actions;
};

static void stand_set_up(struct stand *s)
{
    s->frame = skr_frame_create("pod-1");
    skr_actions_init(&s->actions);
    skr_frame_enter(s->frame, 1700000000 * SKR_SECOND + 1234567, &s->actions);
}

static void stand_tear_down(struct stand *s)
{
    skr_frame_destroy(s->frame);
    skr_actions_fini(&s->actions);
}

static const struct skr_action *last(const struct stand *s)
{
    assert_true(s->actions.n > 0);
    return &s->actions.item[s->actions.n - 1];
}

static void next_is(struct stand *s, int kind, const char *key)
{
    int got = -1;
    SKR_AUTO_FREE char *name = NULL;
    assert_true(skr_frame_next_wake(s->frame, &got, &name));
    assert_int_equal(got, kind);
    assert_string_equal(name, key);
}

TEST_WITH(stand, wakes_come_by_time_and_equal_ones_as_they_were_set)
{
    skr_time now = skr_frame_now(stand->frame);
    int kind;
    char *key;
    skr_frame_wake(stand->frame, now + 2, 1, "later");
    skr_frame_wake(stand->frame, now + 1, 2, "a");
    skr_frame_wake(stand->frame, now + 1, 3, "b");
    skr_frame_wake(stand->frame, SKR_TIME_NEVER, 4, "never");
    assert_false(skr_frame_next_wake(stand->frame, &kind, &key));
    skr_frame_enter(stand->frame, now + 2, &stand->actions);
    next_is(stand, 2, "a");
    next_is(stand, 3, "b");
    next_is(stand, 1, "later");
    assert_false(skr_frame_next_wake(stand->frame, &kind, &key));
}

TEST_WITH(stand, the_timer_is_asked_for_when_the_earliest_wake_changes)
{
    skr_time now = skr_frame_now(stand->frame);
    skr_frame_ask_timer(stand->frame);
    assert_int_equal(stand->actions.n, 0);
    skr_frame_wake(stand->frame, now + 9, 0, "");
    skr_frame_ask_timer(stand->frame);
    assert_int_equal(last(stand)->timer, now + 9);
    skr_frame_wake(stand->frame, now + 10, 0, "");
    skr_frame_ask_timer(stand->frame);
    assert_int_equal(stand->actions.n, 1);
    skr_frame_wake(stand->frame, now + 5, 0, "");
    skr_frame_ask_timer(stand->frame);
    assert_int_equal(last(stand)->timer, now + 5);
    skr_frame_turn(stand->frame, SKR_TURN_STOPPED);
    skr_frame_ask_timer(stand->frame);
    assert_true(last(stand)->timer == SKR_TIME_NEVER);
}

TEST_WITH(stand, time_does_not_go_back)
{
    skr_time now = skr_frame_now(stand->frame);
    skr_frame_enter(stand->frame, now - 5, &stand->actions);
    assert_int_equal(skr_frame_now(stand->frame), now);
}

TEST_WITH(stand, it_decides_when_synced_and_leader_until_it_is_stopped)
{
    assert_false(skr_frame_is_deciding(stand->frame));
    skr_frame_turn(stand->frame, SKR_TURN_SYNCED);
    assert_true(skr_frame_is_deciding(stand->frame));
    skr_frame_turn(stand->frame, SKR_TURN_LOST);
    assert_false(skr_frame_is_deciding(stand->frame));
    skr_frame_turn(stand->frame, SKR_TURN_WON);
    assert_true(skr_frame_is_deciding(stand->frame));
    skr_frame_turn(stand->frame, SKR_TURN_STOPPED);
    assert_false(skr_frame_is_deciding(stand->frame));
}

static const struct skr_resource clusters = {
    .group = "example.org", .version = "v1beta1", .plural = "clusters", .kind = "Cluster"};

TEST_WITH(stand, an_event_says_who_what_and_when)
{
    char api[SKR_API_VERSION_MAX];
    const struct skr_meta meta = {.namespace_ = "", .name = "c\"1", .uid = "u-1"};
    const struct skr_reference pod = {
        .api_version = "v1", .kind = "Pod", .namespace_ = "ns", .name = "p", .uid = ""};
    skr_frame_event(stand->frame,
                    &(struct skr_note){.regarding = skr_reference_to(&clusters, &meta, api),
                                       .related = &pod,
                                       .warning = true,
                                       .reason = "Why",
                                       .action = "Doing",
                                       .note = "a \"note\"",
                                       .controller = "other"});
    const struct skr_write *w = &last(stand)->write;
    assert_int_equal(w->verb, SKR_VERB_CREATE);
    assert_int_equal(w->class, SKR_WRITE_CLASS_EVENT);
    assert_string_equal(w->namespace_, "default");
    assert_string_equal(w->resource->plural, "events");
    json_auto_t *json = json_loads(w->body, 0, NULL);
    json_auto_t *want = json_pack(
        "{s:s,s:s,s:{s:s,s:O},s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:{s:s,s:s,s:s,s:s},s:{s:s,s:s,s:s,s:s}}",
        "apiVersion", "events.k8s.io/v1", "kind", "Event", "metadata", "namespace", "default",
        "name", json_object_get(json_object_get(json, "metadata"), "name"), "eventTime",
        "2023-11-14T22:13:20.001234Z", "reportingController", "other", "reportingInstance", "pod-1",
        "type", "Warning", "reason", "Why", "action", "Doing", "note", "a \"note\"", "regarding",
        "apiVersion", "example.org/v1beta1", "kind", "Cluster", "name", "c\"1", "uid", "u-1",
        "related", "apiVersion", "v1", "kind", "Pod", "namespace", "ns", "name", "p");
    assert_true(json_equal(json, want));
}

TEST_WITH(stand, a_long_note_is_cut_between_characters)
{
    char note[SKR_EVENT_NOTE_MAX + 3];
    memset(note, 'x', sizeof note);
    memcpy(note + SKR_EVENT_NOTE_MAX - 1, "\xc3\xa4", 3);
    const struct skr_reference pod = {
        .api_version = "v1", .kind = "Pod", .namespace_ = "ns", .name = "p", .uid = "u"};
    skr_frame_event(
        stand->frame,
        &(struct skr_note){.regarding = pod, .reason = "Why", .action = "Doing", .note = note});
    json_auto_t *json = json_loads(last(stand)->write.body, 0, NULL);
    assert_int_equal(json_string_length(json_object_get(json, "note")), SKR_EVENT_NOTE_MAX - 1);
}

/* The number of Events among the actions, which are dropped. */
static size_t events_of(struct stand *s, size_t *ret_lines)
{
    size_t n = 0;
    *ret_lines = 0;
    for (size_t i = 0; i < s->actions.n; i++) {
        n += s->actions.item[i].kind == SKR_ACTION_WRITE;
        *ret_lines += s->actions.item[i].kind == SKR_ACTION_DECISION;
    }
    skr_actions_reset(&s->actions);
    return n;
}

static void events(struct stand *s, const char *namespace_, int n)
{
    const struct skr_reference pod = {
        .api_version = "v1", .kind = "Pod", .namespace_ = namespace_, .name = "p", .uid = "u"};
    for (int i = 0; i < n; i++) {
        skr_frame_event(
            s->frame,
            &(struct skr_note){.regarding = pod, .reason = "Why", .action = "Doing", .note = ""});
    }
}

TEST_WITH(stand, events_beyond_the_share_of_their_namespace_are_left_out)
{
    const skr_time now = skr_frame_now(stand->frame);
    size_t lines;
    events(stand, "loud", SKR_EVENTS_BURST + 50);
    assert_int_equal(events_of(stand, &lines), SKR_EVENTS_BURST);
    assert_int_equal(lines, 1); /* the log says so once */
    events(stand, "quiet", 50);
    assert_int_equal(events_of(stand, &lines), 50);
    assert_int_equal(lines, 0);
    skr_frame_enter(stand->frame, now + 5 * SKR_SECOND, &stand->actions);
    events(stand, "loud", 100);
    assert_int_equal(events_of(stand, &lines), 5 * SKR_EVENTS_PER_SECOND);
    assert_int_equal(lines, 0);
    skr_frame_enter(stand->frame, now + 1000 * SKR_SECOND, &stand->actions);
    events(stand, "loud", SKR_EVENTS_BURST + 1);
    assert_int_equal(events_of(stand, &lines), SKR_EVENTS_BURST);
    assert_int_equal(lines, 1);
}

TEST(namespaces_that_had_few_events_are_forgotten)
{
    struct skr_event_shares shares = {0};
    skr_time now = 0;
    for (int i = 0; i < 10000; i++) {
        now += SKR_SECOND;
        assert_int_equal(skr_event_shares_take(&shares, test_text("ns-%d", i), now),
                         SKR_EVENT_GOES);
    }
    assert_true(shares.sweep_at <= 512);
    skr_event_shares_fini(&shares);
}

static int released;

static void release(void *more)
{
    (void)more;
    released++;
}

TEST_WITH(stand, a_pending_write_is_found_once_and_takes_what_hangs_on_it_along)
{
    released = 0;
    const struct skr_write write = {.verb = SKR_VERB_DELETE, .resource = &clusters, .name = "c"};
    struct skr_pending_write *w = skr_frame_write(stand->frame, &write, 3, "c");
    w->release = release;
    assert_int_equal(last(stand)->write.id, w->id);
    assert_string_equal(last(stand)->write.body, "");
    assert_string_equal(last(stand)->write.subresource, "");
    skr_frame_write(stand->frame, &write, 4, NULL)->release = release; /* goes with the frame */
    assert_int_equal(skr_frame_writes_in_flight(stand->frame), 2);
    assert_ptr_equal(skr_frame_take_write(stand->frame, w->id), w);
    assert_null(skr_frame_take_write(stand->frame, w->id));
    assert_int_equal(w->purpose, 3);
    skr_pending_write_destroy(w);
    assert_int_equal(released, 1);
}

/* ---- lists of actions ---- */

static int destroyed;

static void work_destroy(struct skr_work *work)
{
    destroyed++;
    free(work);
}

static const struct skr_work_type idle = {.destroy = work_destroy};

static struct skr_work *make_work(void)
{
    struct skr_work *work = skr_alloc(sizeof *work);
    work->type = &idle;
    return work;
}

TEST(a_reset_list_is_empty_and_keeps_working)
{
    struct skr_actions actions;
    skr_actions_init(&actions);
    for (int round = 0; round < 3; round++) {
        skr_actions_add(&actions, SKR_ACTION_WRITE)->write.name =
            skr_actions_copy_string(&actions, "pod-0");
        assert_int_equal(actions.n, 1);
        assert_true(skr_arena_used(actions.arena) > 0);
        skr_actions_reset(&actions);
        assert_int_equal(actions.n, 0);
        assert_int_equal(skr_arena_used(actions.arena), 0);
    }
    skr_actions_reset(&actions);
    skr_actions_fini(&actions);
    assert_null(actions.item);
}

TEST_WITH(stand, work_that_nobody_took_goes_with_the_list_and_other_work_does_not)
{
    destroyed = 0;
    struct skr_work *taken = make_work();
    assert_int_equal(skr_frame_work(stand->frame, taken), 1);
    assert_int_equal(skr_frame_work(stand->frame, make_work()), 2);
    stand->actions.item[0].work = NULL;
    skr_actions_fini(&stand->actions);
    skr_actions_init(&stand->actions);
    assert_int_equal(destroyed, 1);
    skr_work_destroy(taken);
    skr_work_destroy(NULL);
}

TEST(writes_have_names)
{
    for (int i = 0; i < SKR_WRITE_VERB_COUNT; i++) {
        assert_true(*skr_write_verb_name((enum skr_write_verb)i) != '\0');
    }
    for (int i = 0; i < SKR_WRITE_CLASS_COUNT; i++) {
        assert_true(*skr_write_class_name((enum skr_write_class)i) != '\0');
    }
    assert_string_equal(skr_write_verb_name(SKR_WRITE_VERB_COUNT), "");
    assert_string_equal(skr_write_class_name(SKR_WRITE_CLASS_COUNT), "");
}
