/* SPDX-License-Identifier: Apache-2.0 */
/* A gang's way from its first pod to Bound, with nothing in its way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "test/unit/engine_rig.h"

#define PACK_SPREAD "{'rack':{'type':'pack'},'node':{'type':'spread'}}"

static void a_gang_is_bound_together(void **state)
{
    (void)state;
    struct rig *rig = rig_create();
    rig_racks(rig, 2, 3, 4);
    rig_group(rig, "group-a", 8, 0, PACK_SPREAD);
    rig_sync(rig);
    rig_pods(rig, "job-a", 8, "group-a", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "job-a", 8);
    rig_assert_clean(rig);
    assert_string_equal(rig_key(rig, "group-a", "status"), "Bound");
    rig_destroy(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gang_is_bound_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
