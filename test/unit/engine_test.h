/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_ENGINE_TEST_H
#define SKR_TEST_UNIT_ENGINE_TEST_H
#include "test/test.h"
#include "test/unit/engine_rig.h"

/* A test on a rig that an expression makes; it is destroyed behind the test. */
#define TEST_RIG(make, test_name)                \
    static void test_name##_on(struct rig *rig); \
    TEST(test_name)                              \
    {                                            \
        struct rig *rig = (make);                \
        test_name##_on(rig);                     \
        rig_destroy(rig);                        \
    }                                            \
    static void test_name##_on(struct rig *rig)

#endif
