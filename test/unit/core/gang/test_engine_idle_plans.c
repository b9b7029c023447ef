/* SPDX-License-Identifier: Apache-2.0 */
/* Plans beyond the bound of their namespace that kube-scheduler passes by: they yield. */
#include "core/gang/plan/scheduler_progress.h"
#include "test/unit/engine_test.h"

/* kube-scheduler itself refuses every node to the pods of the group a/bad. */
static bool refuses_bad(void *context, const struct skr_pod *pod, const char *node)
{
    (void)context;
    (void)node;
    return strncmp(pod->meta.name, "bad", 3) != 0;
}

static void add_gang(struct rig *rig, const char *namespace_, const char *name, int size,
                     int priority)
{
    char key[64], pod[64], group[64];
    snprintf(key, sizeof key, "%s/%s", namespace_, name);
    snprintf(group, sizeof group, "%s", name);
    rig_group(rig, key, size, priority, NULL);
    for (int i = 0; i < size; i++) {
        snprintf(pod, sizeof pod, "%s/%s-%d", namespace_, name, i);
        rig_pod(rig, pod, group, RIG_GATED);
    }
}

/* Four slots, all planned for a/bad. */
static struct rig *passed_by(int priority)
{
    struct rig *rig = rig_create();
    rig->in_tree = refuses_bad;
    rig_racks(rig, 1, 2, 2);
    rig_sync(rig);
    add_gang(rig, "a", "bad", 4, priority);
    rig_run(rig, SKR_SECOND);
    assert_string_not_equal(rig_planned(rig, "a/bad-0"), "");
    return rig;
}

static size_t n_bound(struct rig *rig, const char *prefix, int n)
{
    size_t bound = 0;
    for (int i = 0; i < n; i++) {
        bound += *rig_node_of(rig, test_text("%s-%d", prefix, i)) != '\0';
    }
    return bound;
}

static void set_class(struct rig *rig, const char *prefix, int n, int class)
{
    for (int i = 0; i < n; i++) {
        rig_edit(rig, RIG_POD, test_text("%s-%d", prefix, i), "{'spec':{'priority':%d}}", class);
    }
}

/* Within its namespace a plan goes for a map of higher priority, idle or not. */
TEST(an_idle_plan_beyond_the_bound_of_its_namespace_yields_to_others)
{
    static const struct {
        const char *namespace_;
        int priority, class, bound;
    } row[] = {{"b", 0, 0, 4},   {"b", 1, 0, 4}, {"b", -1, 0, 0}, {"b", -1, 1, 4},
               {"b", -1, -1, 0}, {"a", 0, 0, 0}, {"a", 1, 0, 4},  {"a", -1, 1, 0}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char prefix[32];
        SKR_AUTO(rig_destroy) struct rig *rig = passed_by(0);
        add_gang(rig, row[i].namespace_, "good", 4, row[i].priority);
        snprintf(prefix, sizeof prefix, "%s/good", row[i].namespace_);
        set_class(rig, prefix, 4, row[i].class);
        rig_run(rig, SKR_SECOND);
        if (strcmp(row[i].namespace_, "b") == 0 && row[i].priority <= 0) {
            assert_int_equal(n_bound(rig, prefix, 4), 0); /* it is not idle yet */
        }
        rig_run(rig, (SKR_PLAN_IDLE_S + 1) * SKR_SECOND);
        if ((int)n_bound(rig, prefix, 4) != row[i].bound) {
            rig_fail(rig, "row %zu: %zu are bound", i, n_bound(rig, prefix, 4));
        }
    }
}

/* The namespace runs as much as it has planned. */
TEST_RIG(rig_create(), an_idle_plan_within_the_bound_of_its_namespace_does_not_yield)
{
    rig->in_tree = refuses_bad;
    rig_racks(rig, 1, 4, 2);
    rig_sync(rig);
    add_gang(rig, "a", "runs", 4, 0);
    rig_run(rig, SKR_SECOND);
    assert_int_equal(n_bound(rig, "a/runs", 4), 4);
    add_gang(rig, "a", "bad", 4, 0);
    rig_run(rig, SKR_SECOND);
    add_gang(rig, "b", "good", 4, 0);
    rig_run(rig, (SKR_PLAN_IDLE_S + 1) * SKR_SECOND);
    assert_int_equal(n_bound(rig, "b/good", 4), 0);
}

/* Two plans are idle; the room of one suffices. */
TEST_RIG(rig_create(), no_more_idle_plans_end_than_are_needed)
{
    rig->in_tree = refuses_bad;
    rig_racks(rig, 1, 2, 2);
    rig_sync(rig);
    add_gang(rig, "a", "bad", 2, 0);
    add_gang(rig, "a", "bad2", 2, 0);
    rig_run(rig, SKR_SECOND);
    add_gang(rig, "b", "good", 2, 0);
    rig_run(rig, (SKR_PLAN_IDLE_S + 1) * SKR_SECOND);
    assert_int_equal(n_bound(rig, "b/good", 2), 2);
    bool first = *rig_planned(rig, "a/bad-0"), second = *rig_planned(rig, "a/bad2-0");
    assert_true(first != second);
}
