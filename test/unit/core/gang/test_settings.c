/* SPDX-License-Identifier: Apache-2.0 */
/* The defaults that the reference documents. */
#include "core/gang/settings.h"
#include "test/test.h"

TEST(defaults_are_those_of_the_reference)
{
    struct skr_settings s;
    skr_settings_default(&s);
    assert_string_equal(s.topology_namespace, "default");
    assert_int_equal(s.n_scheduler_names, 2);
    assert_string_equal(s.scheduler_name[0], "sakkara");
    assert_string_equal(s.scheduler_name[1], "sakkara-scheduler");
    assert_false(s.label_fallback);
    assert_false(s.heterogeneous_refuse);
    assert_false(s.victims_labelled);
    assert_true(s.preemption);
    assert_true(s.preempt_force_after == SKR_TIME_NEVER);
    assert_true(s.plan_timeout == 5 * 60 * SKR_SECOND);
    assert_true(s.plan_delay == 50 * SKR_MILLISECOND);
    assert_true(s.seat_hold == 60 * SKR_SECOND);
    assert_false(s.rollback_partial);
    assert_int_equal(s.tie_break, SKR_TIE_TREE);
    assert_true(s.release_gate_after == SKR_TIME_NEVER);
    assert_true(s.bind_timeout == 330 * SKR_SECOND);
    assert_int_equal(s.utc_offset_s, 0);
    assert_string_equal(s.instance, "sakkara");
}

TEST(parked_binds_outlive_a_plan_by_default)
{
    struct skr_settings s;
    skr_settings_default(&s);
    assert_true(s.bind_timeout >= s.plan_timeout + 30 * SKR_SECOND);
}
