/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_ROOM_H
#define SKR_TOPOLOGY_ROOM_H
/* Room: how much of a resource is left of a node, below 0 where more is charged than there is. */
#include <stddef.h>
#include <stdint.h>

#define SKR_ROOM_UNLIMITED INT64_MAX

/* The sum, or the nearest number that fits: an amount may be the largest there is. */
static inline int64_t skr_amount_sum(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? (b > 0 ? INT64_MAX : INT64_MIN) : sum;
}
/* The same of a product of amounts >= 0. */
static inline int64_t skr_amount_times(int64_t a, int64_t b)
{
    int64_t product;
    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}
/* Room and what comes to it, or goes (amount < 0). */
static inline int64_t skr_room_plus(int64_t room, int64_t amount)
{
    return room == SKR_ROOM_UNLIMITED ? room : skr_amount_sum(room, amount);
}
/* For sums: 0 of room without a limit, and of less than none. */
static inline int64_t skr_room_counted(int64_t room)
{
    return room == SKR_ROOM_UNLIMITED || room < 0 ? 0 : room;
}
/* How many members with this demand the room holds; SKR_ROOM_UNLIMITED where nothing limits them. */
static inline int64_t skr_room_holds(int64_t room, int64_t demand)
{
    return demand <= 0 || room == SKR_ROOM_UNLIMITED ? SKR_ROOM_UNLIMITED
           : room <= 0                               ? 0
                                                     : room / demand;
}
/* The least of all resources, room[n] and demand[n], and at most most. */
static inline int64_t skr_room_holds_all(const int64_t *room, const int64_t *demand, size_t n,
                                         int64_t most)
{
    for (size_t i = 0; i < n; i++) {
        const int64_t holds = skr_room_holds(room[i], demand[i]);
        most = holds < most ? holds : most;
    }
    return most;
}

#endif
