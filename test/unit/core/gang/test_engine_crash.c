/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The daemon is killed after its k-th applied write, for every k, before and after the answer of
 * that write was handled. After the restart everybody ends bound, once each, and the watchdog has
 * seen no Binding outside state Binding. Objects are listed in another order each time.
 */
#include "core/gang/plan/member_record.h"
#include "test/test.h"
#include "test/unit/engine_rig.h"

#define PACK_SPREAD "{'rack':{'type':'pack'},'node':{'type':'spread'}}"

enum source { FROM_MAP, FROM_PODGROUP, FROM_LABELS };

struct story {
    const char *title;
    enum source source;
    int flags;
    bool old_api;  /* Bindings carry no labels */
    bool abort;    /* the planned node is cordoned once the plan stands */
    bool map_goes; /* and the map is deleted once the first member is bound */
    bool lost;     /* a member is deleted once the first one is bound, and made again */
    bool travels;  /* kube-scheduler comes when the plan stands: Bindings bring ranks and plan, the
                      first one the plan of all */
    int again;     /* a second crash this many writes after the first; 0: none */
};

static struct rig *begin(const struct story *s)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.label_fallback = s->source == FROM_LABELS;
    settings.server_minor = s->travels ? SKR_TRACE_LABELS_FROM : 0;
    settings.copies_max = 1;
    struct rig *rig = rig_create_with(&settings);
    rig->bindings_carry_labels = !s->old_api;
    rig_racks(rig, 2, 3, 4);
    if (s->source == FROM_MAP) {
        rig_group(rig, "gang", 8, 0, PACK_SPREAD);
    } else if (s->source == FROM_PODGROUP) {
        rig_podgroup(rig, "gang", 8);
    }
    rig_sync(rig);
    rig->hold_scheduler = s->travels;
    rig_pods(rig, "job", 8, "gang", s->flags);
    for (int i = 0; i < 8 && s->source == FROM_LABELS; i++) {
        rig_edit(rig, RIG_POD, test_text("job-%d", i),
                 "{'metadata':{'labels':{'sakkara.group.size':'8'}}}");
    }
    return rig;
}

static bool is_activation(const struct rig *rig)
{
    return rig->n_writes[SKR_WRITE_PATCH_POD_STATUS] >= 4;
}

static bool has_plan(const struct rig *rig)
{
    return *rig_annotation(rig, RIG_MAP, "gang", "sakkara.plan") ||
           *rig_annotation(rig, RIG_PODGROUP, "gang", "sakkara.plan");
}

static void replace_a_member(struct rig *rig, const struct story *s)
{
    for (int i = 7; i >= 0; i--) {
        char name[32];
        snprintf(name, sizeof name, "job-%d", i);
        if (*rig_node_of(rig, name)) {
            continue;
        }
        rig_delete(rig, RIG_POD, name);
        rig_pod(rig, name, "gang", s->flags);
        return;
    }
}

/* One step at a time, so that the story's event falls at the same place every time. */
static void play(struct rig *rig, const struct story *s, bool *done)
{
    skr_time end = rig->now + 60 * SKR_SECOND;
    do {
        while (rig_step(rig)) {
            rig->hold_scheduler = rig->hold_scheduler && !has_plan(rig);
            if (s->abort && !*done && is_activation(rig)) {
                *done = true;
                rig_edit(rig, RIG_NODE, "node-1", "{'spec':{'unschedulable':true}}");
            }
            if (s->map_goes && !*done && rig_n_bound(rig, "gang") > 0) {
                *done = true;
                rig_delete(rig, RIG_MAP, "gang");
            }
            if (s->lost && !*done && rig_n_bound(rig, "gang") > 0) {
                *done = true;
                replace_a_member(rig, s);
            }
        }
    } while (!rig->crashed && rig_advance(rig, end));
}

static void check_end(struct rig *rig, const struct story *s)
{
    rig_assert_bound(rig, "job", 8);
    rig_assert_clean(rig);
    assert_int_equal(rig_open_calls(rig), 0);
    for (int i = 0; i < 8; i++) {
        char name[32];
        snprintf(name, sizeof name, "job-%d", i);
        assert_int_equal(rig_find(rig, RIG_POD, name)->bindings, 1); /* of this UID */
        assert_string_equal(rig_label(rig, name, "sakkara.member.status"), "Bound");
        assert_true(*rig_label(rig, name, "sakkara.member.rank"));
    }
    if (s->source == FROM_MAP && !s->map_goes) {
        assert_string_equal(rig_key(rig, "gang", "status"), "Bound");
        assert_string_equal(rig_annotation(rig, RIG_MAP, "gang", "sakkara.plan"), "");
    }
}

static size_t crash_after(const struct story *s, size_t k, bool before_answer)
{
    SKR_AUTO(rig_destroy) struct rig *rig = begin(s);
    bool done = false;
    rig->crash_at = k;
    rig->crash_before_answer = before_answer;
    play(rig, s, &done);
    bool crashed = rig->crashed;
    size_t applied = rig->n_applied;
    if (crashed) {
        rig->reverse_lists = k % 2;
        rig->list_rotation = (int)(k % RIG_KIND_COUNT);
        rig_restart(rig);
        rig->crash_at = s->again ? rig->n_applied + (size_t)s->again : 0;
        play(rig, s, &done);
    }
    if (rig->crashed) {
        rig_restart(rig);
        play(rig, s, &done);
    }
    if (rig->trace) {
        printf("%s k=%zu %d\n", s->title, k, before_answer);
    }
    check_end(rig, s);
    return crashed ? applied : 0;
}

static const struct story stories[] = {
    {.title = "an ungated gang of 8 survives a crash after every write"},
    {.title = "a gated gang of 8 survives a crash after every write", .flags = RIG_GATED},
    {.title = "a gang survives every crash where Bindings carry no labels",
     .flags = RIG_GATED,
     .old_api = true},
    {.title = "a PodGroup gang survives a crash after every write",
     .source = FROM_PODGROUP,
     .flags = RIG_POD_GROUP_LABEL},
    {.title = "a gang from labels survives a crash after every write", .source = FROM_LABELS},
    {.title = "a crash inside an abort leaves no traces", .abort = true},
    {.title = "a crash inside the abort of a gated gang leaves no traces",
     .flags = RIG_GATED,
     .abort = true},
    {.title = "a crash after the map went in Binding is rolled forward", .map_goes = true},
    {.title = "a crash after a member was lost in Binding lets the new one in",
     .flags = RIG_GATED,
     .lost = true},
    {.title = "a gang whose plan travels in its Bindings survives a crash after every write",
     .travels = true},
    {.title = "a gang of a PodGroup does so too",
     .source = FROM_PODGROUP,
     .flags = RIG_POD_GROUP_LABEL,
     .travels = true},
    {.title = "with its map gone it is finished by what the first Binding carried",
     .travels = true,
     .map_goes = true},
    {.title = "with a member lost its seat is filled", .travels = true, .lost = true},
    {.title = "a second crash after such a one does no harm", .travels = true, .again = 1},
    {.title = "nor does it when the map is gone", .travels = true, .map_goes = true, .again = 2},
    {.title = "a second crash right after the first does no harm", .flags = RIG_GATED, .again = 1},
    {.title = "a second crash a few writes after the first does no harm",
     .abort = true,
     .again = 5},
};

TEST_EACH(story, stories, r10_a_crash_after_every_write)
{
    size_t k = 1;
    for (; crash_after(story, k, false) > 0; k++) {
        crash_after(story, k, true);
    }
    assert_true(k > (story->travels ? 8 : 16));
}
