/* SPDX-License-Identifier: Apache-2.0 */
/* Stamps of changes. */
#include "core/gang/state/seen.h"

#include "test/test.h"

TEST(an_answer_is_old_after_a_change_of_a_kind_that_it_rests_on_and_not_after_others)
{
    struct skr_seen seen;
    skr_seen_init(&seen);
    const uint64_t answered = seen.now;
    assert_false(skr_seen_changed(&seen, SEEN_CAPACITY | SEEN_FACTS, answered));
    skr_seen_note(&seen, SEEN_ROOM | SEEN_JOBS);
    assert_false(skr_seen_changed(&seen, SEEN_CAPACITY | SEEN_FACTS, answered));
    assert_true(skr_seen_changed(&seen, SEEN_CAPACITY | SEEN_JOBS, answered));
    assert_false(skr_seen_changed(&seen, SEEN_JOBS, seen.now));
    const uint64_t last = skr_seen_note(&seen, SEEN_FACTS);
    assert_int_equal(last, skr_seen_last(&seen, SEEN_CAPACITY | SEEN_FACTS));
    skr_seen_note(&seen, 0);
    assert_false(skr_seen_changed(&seen, (1U << SEEN_COUNT) - 1, last));
}

TEST(an_answer_that_was_never_made_is_older_than_every_change)
{
    struct skr_seen seen;
    skr_seen_init(&seen);
    for (unsigned kind = 1; kind < 1U << SEEN_COUNT; kind <<= 1) {
        assert_true(skr_seen_changed(&seen, kind, 0));
    }
}
