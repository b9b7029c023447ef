/* SPDX-License-Identifier: Apache-2.0 */
/* One place says what is reserved, for which owner, until when. */
#include "core/gang/cache/ordinary.h"
#include "core/gang/group/reservation.h"
#include "core/gang/state/pages.h"
#include "test/unit/engine_test.h"

struct seen {
    size_t n;
    char owner[64], node[32];
    skr_time until;
    int32_t priority;
};

static void see(void *context, const struct reservation *r)
{
    struct seen *seen = (struct seen *)context + r->reason;
    seen->n++;
    snprintf(seen->owner, sizeof seen->owner, "%s", r->owner);
    snprintf(seen->node, sizeof seen->node, "%s", r->node);
    seen->until = r->until;
    seen->priority = r->priority;
}

/* So many for that reason and none for another one, all of that owner. */
static struct seen expect(struct rig *rig, enum skr_reservation_reason reason, size_t n,
                          const char *owner, int priority)
{
    struct seen all[SKR_RESERVED_COUNT] = {0};
    struct skr_error error;
    skr_reservations_each(rig->gang, see, all);
    for (size_t i = 0; i < SKR_RESERVED_COUNT; i++) {
        size_t want = i == reason ? n : 0;
        if (all[i].n != want) {
            rig_fail(rig, "%zu for reason %s, not %zu", all[i].n,
                     skr_reservation_name((enum skr_reservation_reason)i), want);
        }
    }
    assert_string_equal(all[reason].owner, owner);
    assert_int_equal(all[reason].priority, priority);
    assert_int_equal(skr_reservations_check(rig->gang, &error), 0);
    return all[reason];
}

static struct rig *cluster(void)
{
    struct rig *rig = rig_create();
    rig_racks(rig, 1, 3, 2);
    rig_group(rig, "g", 3, 5, NULL);
    rig_sync(rig);
    return rig;
}

TEST_RIG(cluster(), a_plan_reserves_until_its_timeout)
{
    rig->hold_scheduler = true;
    rig_pods(rig, "p", 3, "g", RIG_GATED);
    rig_run(rig, SKR_SECOND);
    struct seen seen = expect(rig, SKR_RESERVED_PLAN, 3, "default/g", 5);
    assert_true(seen.until > rig->now && seen.until <= rig->now + rig->settings.plan_timeout);
}

TEST_RIG(cluster(), a_group_in_state_binding_reserves_what_is_not_bound_yet)
{
    rig->hold_kind = SKR_WRITE_BINDING;
    rig_pods(rig, "p", 3, "g", RIG_GATED);
    rig_run(rig, SKR_SECOND);
    expect(rig, SKR_RESERVED_BINDING, 3, "default/g", 5);
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    for (struct rig_write *w; (w = rig_find_write(rig, SKR_WRITE_BINDING, NULL));) {
        rig_answer_write(rig, w, RIG_OK);
    }
    rig_run(rig, SKR_SECOND);
    rig_assert_bound(rig, "p", 3);
    size_t n[SKR_RESERVED_COUNT], sum = 0;
    skr_reservations_count(rig->gang, n);
    for (size_t i = 0; i < SKR_RESERVED_COUNT; i++) {
        sum += n[i];
    }
    assert_int_equal(sum, 0);
}

TEST_RIG(cluster(), a_group_that_waits_for_victims_reserves_their_room)
{
    rig_pods(rig, "p", 3, "g", RIG_GATED);
    rig_run(rig, SKR_SECOND);
    rig->grace = 100 * SKR_SECOND;
    rig_group(rig, "urgent", 6, 9, NULL);
    rig_pods(rig, "u", 6, "urgent", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    expect(rig, SKR_RESERVED_VICTIMS, 6, "default/urgent", 9);
}

TEST_RIG(cluster(), a_lost_member_of_a_group_that_runs_reserves_its_seat)
{
    rig_pods(rig, "p", 3, "g", RIG_GATED);
    rig_run(rig, SKR_SECOND);
    char node[32];
    snprintf(node, sizeof node, "%s", rig_node_of(rig, "p-0"));
    rig_delete(rig, RIG_POD, "p-0");
    rig_settle(rig);
    struct seen seen = expect(rig, SKR_RESERVED_SEAT, 1, "default/g", 5);
    assert_string_equal(seen.node, node);
    assert_int_equal(seen.until, rig->now + rig->settings.seat_hold);
}

TEST_RIG(cluster(), a_single_pod_reserves_by_its_priority_its_claim_or_its_call)
{
    rig->hold_scheduler = true;
    rig_pod(rig, "late", NULL, 0);
    rig_edit(rig, RIG_POD, "late",
             "{'spec':{'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'c'}}]}}");
    rig_settle(rig);
    rig_filter(rig, "late", "node-1");
    struct seen seen = expect(rig, SKR_RESERVED_CLAIMS, 1, "default/late", 0);
    assert_string_equal(seen.node, "node-1");
    assert_int_equal(seen.until, rig->now + SKR_POD_LATE_S * SKR_SECOND);
    rig->hold_kind = SKR_WRITE_BINDING;
    rig_bind(rig, "late", "node-1");
    seen = expect(rig, SKR_RESERVED_CALL, 1, "default/late", 0);
    assert_string_equal(seen.node, "node-1");
    rig_delete(rig, RIG_POD, "late");
    rig_settle(rig);

    rig_pod(rig, "first", NULL, 0);
    rig_edit(rig, RIG_POD, "first", "{'spec':{'priority':6}}");
    rig_group(rig, "h", 6, 5, NULL);
    rig_pods(rig, "p", 6, "h", RIG_GATED);
    rig_run(rig, SKR_SECOND);
    seen = expect(rig, SKR_RESERVED_FIRST, 1, "default/first", 6);
    assert_true(seen.until > rig->now);
}

/* ---- where it is shown ---- */

static struct rig *held(void)
{
    struct rig *rig = cluster();
    rig_pods(rig, "p", 3, "g", RIG_GATED);
    rig_run(rig, SKR_SECOND);
    rig_delete(rig, RIG_POD, "p-0");
    rig_run(rig, SKR_SECOND);
    return rig;
}

static json_t *page(struct rig *rig, const char *path, const char *namespace_, int code)
{
    SKR_STRBUF(text);
    struct skr_view_query query = {.path = path};
    query.argument[SKR_VIEW_NAMESPACE] = namespace_;
    assert_int_equal(skr_gang_view(rig->gang, &query, rig->now, &text), code);
    json_t *json = json_loads(text.s, 0, NULL);
    assert_non_null(json);
    return json;
}

TEST_RIG(held(), the_page_of_reservations_names_owner_reason_node_and_deadline)
{
    json_auto_t *all = page(rig, "/v1/reservations", NULL, 200);
    const json_t *items = json_object_get(all, "items"), *one = json_array_get(items, 0);
    assert_int_equal(json_array_size(items), 1);
    assert_string_equal(json_string_value(json_object_get(one, "reason")), "seat");
    assert_string_equal(json_string_value(json_object_get(one, "group")), "default/g");
    assert_int_equal(json_integer_value(json_object_get(one, "priority")), 5);
    assert_int_equal(json_integer_value(json_object_get(one, "secondsLeft")), 59);
    json_auto_t *own = page(rig, "/v1/reservations", "default", 200);
    assert_int_equal(json_array_size(json_object_get(own, "items")), 1);
    json_auto_t *other = page(rig, "/v1/reservations", "def", 200);
    assert_int_equal(json_array_size(json_object_get(other, "items")), 0);
    json_decref(page(rig, "/v1/reservations/default", NULL, 404));
}

TEST_RIG(held(), an_explanation_counts_the_room_that_others_hold)
{
    rig_group(rig, "h", 6, 0, NULL);
    rig_pods(rig, "q", 6, "h", RIG_GATED);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_also(rig, "h", "RoomReserved"),
                        "room of 1 pod is reserved: 1 seat, for 58s at most");
}
