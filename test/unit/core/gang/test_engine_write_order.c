/* SPDX-License-Identifier: Apache-2.0 */
/* In which order writes go out when only one may be on its way at a time: by class and order, as
 * server/kube/backlog.h sends them. */

#include <utlist.h>

#include "test/unit/engine_test.h"
#include "topology/base/strbuf.h"

static struct rig_write *first_of(struct rig *rig)
{
    struct rig_write *w, *first = NULL;
    DL_FOREACH(rig->writes, w)
    {
        bool before = !first || w->class < first->class ||
                      (w->class == first->class && w->order < first->order);
        first = before ? w : first;
    }
    return first;
}

/* What members get, one word each, as "nominate a-0"; after each the cluster does what follows. */
static void send_one_by_one(struct rig *rig, struct skr_strbuf *log)
{
    struct rig_write *w;
    rig_settle(rig);
    rig_run(rig, SKR_SECOND); /* plans of both groups come one after the other */
    while ((w = first_of(rig))) {
        const char *what = w->kind == SKR_WRITE_PATCH_POD_STATUS ? "nominate"
                           : w->kind == SKR_WRITE_UNGATE_POD     ? "ungate"
                           : w->kind == SKR_WRITE_BINDING        ? "bind"
                                                                 : NULL;
        if (what) {
            skr_strbuf_addf(log, "%s%s %s", log->len > 0 ? ", " : "", what,
                            strchr(w->key, '/') + 1);
        }
        rig_answer_write(rig, w, RIG_OK);
        rig_settle(rig);
    }
}

static void two_gangs(int racks, int flags, const char *want)
{
    SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
    SKR_STRBUF(log);
    rig_racks(rig, racks, 4, 2);
    rig_group(rig, "a", 2, 0, NULL);
    rig_group(rig, "b", 2, 0, NULL);
    rig_sync(rig);
    rig_run(rig, SKR_SECOND);
    rig_hear(rig, "sakkara", "node-0 node-1"); /* a sample, where it may be one */
    rig->hold_writes = true;
    rig_pods(rig, "a", 2, "a", flags);
    rig_pods(rig, "b", 2, "b", flags);
    send_one_by_one(rig, &log);
    assert_string_equal(log.s, want);
    rig_assert_bound(rig, "a", 2);
    rig_assert_bound(rig, "b", 2);
}

TEST(a_gangs_bindings_go_out_before_the_next_gangs_nominations)
{
    two_gangs(1, 0,
              "nominate a-0, nominate a-1, bind a-0, bind a-1, "
              "nominate b-0, nominate b-1, bind b-0, bind b-1");
}

TEST(a_gangs_bindings_go_out_before_the_next_gangs_gates)
{
    two_gangs(1, RIG_GATED,
              "ungate a-0, ungate a-1, bind a-0, bind a-1, "
              "ungate b-0, ungate b-1, bind b-0, bind b-1");
}

TEST(a_gangs_bindings_go_out_before_the_next_gangs_nominations_of_gated_members)
{
    two_gangs(25, RIG_GATED,
              "nominate a-0, nominate a-1, ungate a-0, ungate a-1, bind a-0, bind a-1, "
              "nominate b-0, nominate b-1, ungate b-0, ungate b-1, bind b-0, bind b-1");
}
