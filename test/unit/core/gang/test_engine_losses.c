/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes that fail under a running gang, 1 to 64 at once: who is left stays where it is, the replacements are planned
 * together as soon as they are there, each with the rank of a lost one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/test.h"
#include "test/unit/engine_rig.h"

enum { GANG = 96, RACKS = 4, NODES = 48 }; /* a node holds one member */

struct seat {
    char node[32], rank[8];
};

static struct seat seat_of(const struct rig *rig, const char *pod)
{
    struct seat s;
    snprintf(s.node, sizeof s.node, "%s", rig_node_of(rig, pod));
    snprintf(s.rank, sizeof s.rank, "%s", rig_label(rig, pod, "sakkara.member.rank"));
    return s;
}

static void name_of(const char *prefix, int i, char *name, size_t size)
{
    snprintf(name, size, "%s-%d", prefix, i);
}

static struct rig *running_gang(const char *constraints)
{
    struct rig *rig = rig_create();
    rig->check_every = 64;
    rig_racks(rig, RACKS, NODES, 1);
    rig_sync(rig);
    rig_group(rig, "g", GANG, 0, constraints);
    rig_pods(rig, "p", GANG, "g", RIG_GATED);
    rig_run(rig, 2 * SKR_SECOND);
    rig_assert_bound(rig, "p", GANG);
    return rig;
}

/* The nodes of the first k members fail, and their pods go. */
static void lose(struct rig *rig, int k, struct seat *lost)
{
    for (int i = 0; i < k; i++) {
        char pod[16];
        name_of("p", i, pod, sizeof pod);
        lost[i] = seat_of(rig, pod);
        rig_edit(
            rig, RIG_NODE, lost[i].node,
            "{'spec':{'taints':[{'key':'node.kubernetes.io/unreachable','effect':'NoExecute'}]},"
            "'status':{'conditions':[{'type':'Ready','status':'Unknown'}]}}");
        rig_delete(rig, RIG_POD, pod);
    }
    rig_run(rig, SKR_SECOND);
}

static bool holds(const struct seat *seat, int n, const char *rank)
{
    bool found = false;
    for (int i = 0; i < n; i++) {
        found = found || strcmp(seat[i].rank, rank) == 0;
    }
    return found;
}

TEST(d9_lost_members_are_replaced_together_and_nobody_else_moves)
{
    for (int k = 1; k <= 64; k *= 2) {
        struct seat before[GANG], lost[GANG], after[GANG];
        struct rig *rig = running_gang(NULL);
        char pod[16];
        for (int i = 0; i < GANG; i++) {
            name_of("p", i, pod, sizeof pod);
            before[i] = seat_of(rig, pod);
        }
        lose(rig, k, lost);
        rig_forget_counts(rig);
        rig_pods(rig, "q", k, "g", RIG_GATED);
        rig_run(rig, SKR_SECOND);
        rig_assert_bound(rig, "q", k); /* within a second */
        assert_int_equal(rig->n_solves, 1);
        assert_int_equal(rig_count(rig, SKR_WRITE_BINDING, NULL), k);
        for (int i = 0; i < k; i++) {
            name_of("q", i, pod, sizeof pod);
            after[i] = seat_of(rig, pod);
            assert_true(holds(lost, k, after[i].rank) && !holds(after, i, after[i].rank));
        }
        for (int i = k; i < GANG; i++) {
            name_of("p", i, pod, sizeof pod);
            struct seat now = seat_of(rig, pod);
            assert_string_equal(now.node, before[i].node);
            assert_string_equal(now.rank, before[i].rank);
            assert_int_equal(rig_count(rig, SKR_WRITE_BINDING, pod), 0);
        }
        assert_string_equal(rig_key(rig, "g", "status"), "Bound");
        assert_string_equal(rig_key(rig, "g", "reason"), "");
        rig_destroy(rig);
    }
}

TEST(replacements_that_come_one_by_one_do_not_wait_for_each_other)
{
    struct seat lost[GANG];
    struct rig *rig = running_gang(NULL);
    lose(rig, 8, lost);
    for (int i = 0; i < 8; i++) {
        char pod[16];
        name_of("q", i, pod, sizeof pod);
        rig_pod(rig, pod, "g", RIG_GATED);
        rig_run(rig, SKR_SECOND);
        assert_true(*rig_node_of(rig, pod) != '\0');
    }
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
    rig_destroy(rig);
}
