/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans of one namespace that come to nothing on purpose, against an honest gang of another: by what its
 * objects, members, claims and budgets do while a plan has room.
 */
#include "core/gang/group/claims.h"
#include "core/gang/group/reservation.h"
#include "core/gang/plan/scheduler_progress.h"
#include "core/gang/state/plan_entry.h"
#include "test/unit/engine_rig_parts.h"
#include "test/unit/engine_test.h"

enum { SLOTS = 4 };

static struct rig *four_slots(void)
{
    struct rig *rig = rig_create();
    rig_racks(rig, 1, 2, 2);
    rig_claim(rig, "a/never", RIG_CLAIM_LATE);
    rig_sync(rig);
    return rig;
}

static void add_gang(struct rig *rig, const char *key, int size, int priority)
{
    rig_group(rig, key, size, priority, NULL);
    rig_pods(rig, key, size, strchr(key, '/') + 1, RIG_GATED);
}

static size_t n_bound(struct rig *rig, const char *prefix)
{
    char name[64];
    size_t bound = 0;
    for (int i = 0; i < SLOTS; i++) {
        snprintf(name, sizeof name, "%s-%d", prefix, i);
        bound += rig_find(rig, RIG_POD, name) && *rig_node_of(rig, name) != '\0';
    }
    return bound;
}

static void delete_members(struct rig *rig, const char *prefix, int from)
{
    for (int i = from; i < SLOTS; i++) {
        rig_delete(rig, RIG_POD, test_text("%s-%d", prefix, i));
    }
}

static void claim_of(struct rig *rig, const char *pod)
{
    rig_edit(rig, RIG_POD, pod,
             "{'spec':{'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'never'}}]}}");
}

struct seen {
    struct rig *rig;
    size_t late, n[SKR_RESERVED_COUNT];
};

static void see(void *context, const struct reservation *r)
{
    struct seen *seen = context;
    if (strncmp(r->owner, "a/", 2) == 0) {
        seen->n[r->reason]++;
        seen->late += r->until < seen->rig->now;
    }
}

/* What the hostile namespace a reserves; nothing of it is beyond its deadline. */
static struct seen reserved(struct rig *rig)
{
    struct seen seen = {.rig = rig};
    skr_reservations_each(rig->gang, see, &seen);
    if (seen.late > 0) {
        rig_fail(rig, "%zu reservations are beyond their deadline", seen.late);
    }
    return seen;
}

/* Runs until n members of b/good are bound; fails after that time. */
static void good_is_bound(struct rig *rig, size_t n, skr_time within)
{
    const skr_time end = rig->now + within;
    while (n_bound(rig, "b/good") < n && rig->now < end) {
        rig_run(rig, SKR_SECOND / 2);
        reserved(rig);
    }
    if (n_bound(rig, "b/good") < n) {
        rig_fail(rig, "%zu members of the honest gang are bound, not %zu", n_bound(rig, "b/good"),
                 n);
    }
}

/* ---- objects ---- */

/* A text of n bytes: in the data of a map, or in the annotations of a pod. */
static void pad(struct rig *rig, enum rig_kind kind, const char *key, size_t n)
{
    struct rig_object *o = rig_find(rig, kind, key);
    SKR_AUTO_FREE char *text = skr_alloc(n + 1);
    memset(text, 'x', n);
    json_auto_t *patch =
        kind == RIG_MAP ? json_pack("{s:{s:s}}", "data", "padding", text)
                        : json_pack("{s:{s:{s:s}}}", "metadata", "annotations", "padding", text);
    rig_merge(o, patch);
    rig_changed(rig, o);
}

/* The API server refuses keys that make the map too large: at the plan, at Binding, or when the plan is to be
 * removed. The plan itself is an annotation, and goes alone. */
TEST(a_map_that_is_full_keeps_no_plan_on_its_way)
{
    for (size_t left = 0; left <= 1200; left += 100) {
        SKR_AUTO(rig_destroy) struct rig *rig = four_slots();
        rig_group(rig, "a/bad", SLOTS, 0, NULL);
        rig_run(rig, SKR_SECOND);
        pad(rig, RIG_MAP, "a/bad", (1 << 20) - 600 - left);
        rig_pods(rig, "a/bad", SLOTS, "bad", RIG_GATED);
        rig_run(rig, 2 * SKR_SECOND);
        add_gang(rig, "b/good", SLOTS, 0);
        rig_run(rig, 40 * SKR_SECOND);
        const struct seen seen = reserved(rig);
        if (seen.n[SKR_RESERVED_PLAN] + seen.n[SKR_RESERVED_BINDING] > 0 ||
            n_bound(rig, "a/bad") + n_bound(rig, "b/good") != SLOTS) {
            rig_fail(rig, "%zu bytes left: plans have room", left);
        }
        if (n_bound(rig, "a/bad") > 0) {
            delete_members(rig, "a/bad", 0);
        }
        good_is_bound(rig, SLOTS, 60 * SKR_SECOND);
    }
}

/* A user changes the map whenever the daemon has read it. */
TEST_RIG(four_slots(), a_map_that_is_changed_before_every_patch_costs_few_writes_and_yields)
{
    rig_fault(rig, SKR_WRITE_PATCH_CONFIGMAP, "a/bad", RIG_409, 1000000);
    add_gang(rig, "a/bad", SLOTS, 0);
    rig_run(rig, SKR_SECOND);
    add_gang(rig, "b/good", SLOTS, 0);
    good_is_bound(rig, SLOTS, (SKR_ACTIVATION_PATIENCE_S + 2) * SKR_SECOND);
    rig_run(rig, 60 * SKR_SECOND);
    assert_in_range(rig_count(rig, SKR_WRITE_PATCH_CONFIGMAP, NULL), 5, 40);
    assert_in_range(rig_count(rig, SKR_WRITE_GET_CONFIGMAP, NULL), 5, 40);
}

/* The API server has a limit of all annotations of an object: no member can carry its part of a plan. */
TEST_RIG(four_slots(), members_whose_annotations_are_full_hold_no_room)
{
    enum { FULL = (256 << 10) - 20 };
    add_gang(rig, "a/bad", SLOTS, 0);
    for (int i = 0; i < SLOTS; i++) {
        pad(rig, RIG_POD, test_text("a/bad-%d", i), FULL);
    }
    rig_run(rig, 2 * SKR_SECOND);
    assert_non_null(strstr(rig_key(rig, "a/bad", "message"), "are its annotations full?"));
    add_gang(rig, "b/good", SLOTS, 0);
    good_is_bound(rig, SLOTS, 3 * SKR_SECOND);
    delete_members(rig, "b/good", 0);
    rig_forget_counts(rig);
    rig_run(rig, 600 * SKR_SECOND);
    assert_in_range(rig_count(rig, SKR_WRITE_UNGATE_POD, NULL), 4, 60); /* with pauses */
}

/* ---- replacements of members that were lost in Binding ---- */

static struct rig *in_binding(void)
{
    struct rig *rig = four_slots();
    rig->hold_kind = SKR_WRITE_BINDING;
    add_gang(rig, "a/bad", SLOTS, 0);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_state(rig, "a/bad"), "Binding");
    delete_members(rig, "a/bad", 1);
    return rig;
}

static void let_bindings_go(struct rig *rig)
{
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    for (struct rig_write *w = rig->writes; w; w = w->next) {
        w->held = false;
    }
}

TEST_RIG(in_binding(), replacements_whose_claims_are_never_provisioned_outlast_no_deadline)
{
    for (int i = 1; i < SLOTS; i++) {
        char name[32];
        snprintf(name, sizeof name, "a/new-%d", i);
        rig_pod(rig, name, "bad", 0);
        claim_of(rig, name);
    }
    let_bindings_go(rig);
    for (skr_time t = 0; t < 2 * rig->settings.plan_timeout; t += 10 * SKR_SECOND) {
        rig_run(rig, 10 * SKR_SECOND);
        reserved(rig);
    }
    const struct seen seen = reserved(rig);
    assert_int_equal(seen.n[SKR_RESERVED_BINDING], 0);
    assert_string_equal(rig_state(rig, "a/bad"), "Bound");
}

TEST_RIG(in_binding(), a_replacement_that_is_larger_than_the_seat_does_not_take_it)
{
    rig_create_json(rig, RIG_POD, "a/new-1",
                    "{'metadata':{'labels':{'sakkara.group.name':'bad'}},'spec':{'schedulerName':"
                    "'sakkara','containers':[{'name':'c','resources':{'requests':{'cpu':'1000'}}}]"
                    "}}");
    let_bindings_go(rig);
    rig_group(rig, "b/good", 3, 0, NULL);
    rig_pods(rig, "b/good", 3, "good", RIG_GATED);
    good_is_bound(rig, 3, (SKR_VACANCY_S + 2) * SKR_SECOND);
}

/* ---- members, claims, budgets ---- */

TEST_RIG(four_slots(), a_planned_member_that_is_resized_to_a_thousand_nodes_ends_its_plan)
{
    rig->hold_scheduler = true;
    add_gang(rig, "a/bad", 2, 0);
    rig_run(rig, SKR_SECOND);
    rig_edit(rig, RIG_POD, "a/bad-0",
             "{'spec':{'containers':[{'name':'main','resources':{'requests':{'cpu':'1000'}}}]}}");
    rig_run(rig, SKR_SECOND);
    rig->hold_scheduler = false;
    add_gang(rig, "b/good", SLOTS, 0);
    good_is_bound(rig, SLOTS, (SKR_ACTIVATION_PATIENCE_S + 5) * SKR_SECOND);
}

/* One claim that is never provisioned, and room for three more members. */
TEST_RIG(four_slots(), a_gang_that_waits_for_one_claim_yields_the_room_of_its_other_members)
{
    add_gang(rig, "a/bad", SLOTS, 0);
    claim_of(rig, "a/bad-0");
    rig_run(rig, 2 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "a/bad"), "Holding");
    rig_group(rig, "b/good", 3, 0, NULL);
    rig_pods(rig, "b/good", 3, "good", RIG_GATED);
    rig_run(rig, (SKR_CLAIMS_PATIENCE_S - 5) * SKR_SECOND);
    assert_int_equal(n_bound(rig, "b/good"), 0);
    good_is_bound(rig, 3, 10 * SKR_SECOND);
}

/* A budget appears after the victims were chosen. The plan has room for three members beside them. */
TEST_RIG(four_slots(), victims_that_a_budget_keeps_hold_the_other_room_of_a_plan_until_its_deadline)
{
    add_gang(rig, "a/low", 1, 0);
    rig_run(rig, SKR_SECOND);
    rig_fault(rig, SKR_WRITE_EVICT, NULL, RIG_429, 1000000);
    add_gang(rig, "a/bad", SLOTS, 1);
    rig_run(rig, 2 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "a/bad"), "Preempting");
    rig_group(rig, "b/good", 3, 0, NULL);
    rig_pods(rig, "b/good", 3, "good", RIG_GATED);
    good_is_bound(rig, 3, skr_settings_victims_wait(&rig->settings) + 2 * SKR_SECOND);
}

/* ---- many groups ---- */

/* They came before the honest gang. Each has a plan for two seconds, then a member goes, and the next one
 * would have its turn. */
TEST_RIG(four_slots(),
         old_groups_that_take_turns_in_vain_do_not_come_before_another_namespace_for_long)
{
    enum { OLD = 20 };
    char name[32];
    int turns = 0;
    rig->hold_scheduler = true;
    for (int i = 0; i < OLD; i++) {
        snprintf(name, sizeof name, "a/bad%02d", i);
        add_gang(rig, name, SLOTS, 0);
        rig_run(rig, SKR_SECOND / 10);
    }
    add_gang(rig, "b/good", SLOTS, 0);
    for (; turns < OLD && !*rig_planned(rig, "b/good-0"); turns++) {
        rig_run(rig, 2 * SKR_SECOND);
        for (int i = 0; i < OLD; i++) {
            snprintf(name, sizeof name, "a/bad%02d-0", i);
            if (rig_find(rig, RIG_POD, name) && *rig_planned(rig, name)) {
                rig_delete(rig, RIG_POD, name);
                break;
            }
        }
        rig_run(rig, SKR_SECOND / 10);
    }
    assert_in_range(turns, 1, 3);
}
