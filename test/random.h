/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_RANDOM_H
#define SKR_TEST_RANDOM_H
/* Numbers that a seed decides. */
#include <stdint.h>

/* The next one: splitmix64. Any state is a seed. */
static inline uint64_t random_of(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

#endif
