/* SPDX-License-Identifier: Apache-2.0 */
/* How many members the room of a node holds. */
#include "test/test.h"
#include "topology/room.h"

TEST(room_holds_whole_members_and_none_where_more_is_charged_than_there_is)
{
    assert_int_equal(skr_room_holds(7, 2), 3);
    assert_int_equal(skr_room_holds(1, 2), 0);
    assert_int_equal(skr_room_holds(0, 2), 0);
    assert_int_equal(skr_room_holds(-7, 2), 0);
}

TEST(what_is_not_requested_and_what_has_no_limit_holds_any_number)
{
    assert_true(skr_room_holds(-7, 0) == SKR_ROOM_UNLIMITED);
    assert_true(skr_room_holds(SKR_ROOM_UNLIMITED, INT64_C(1) << 40) == SKR_ROOM_UNLIMITED);
}

TEST(the_scarcest_resource_counts_and_at_most_what_is_wanted)
{
    const int64_t room[] = {9, SKR_ROOM_UNLIMITED, 5, -1}, demand[] = {2, 3, 2, 0};
    assert_int_equal(skr_room_holds_all(room, demand, 4, INT32_MAX), 2);
    assert_int_equal(skr_room_holds_all(room, demand, 4, 1), 1);
    assert_int_equal(skr_room_holds_all(room, demand, 0, 8), 8);
}
