/* SPDX-License-Identifier: Apache-2.0 */
/* Memory for JSON values. */
#include <stdint.h>

#include "server/lab/simulate/json_pool.h"
#include "test/test.h"

enum { MANY = 5000 };

TEST(pieces_of_all_sizes_do_not_overlap)
{
    static unsigned char *piece[MANY];
    for (size_t i = 0; i < MANY; i++) {
        const size_t size = i % (SKR_JSON_POOL_LARGEST + 8);
        piece[i] = skr_json_pool_alloc(size);
        assert_non_null(piece[i]);
        assert_true((uintptr_t)piece[i] % 8 == 0);
        memset(piece[i], (int)(i % 251), size);
    }
    for (size_t i = 0; i < MANY; i++) {
        for (size_t k = 0; k < i % (SKR_JSON_POOL_LARGEST + 8); k++) {
            assert_int_equal(piece[i][k], i % 251);
        }
        skr_json_pool_free(piece[i]);
    }
}

TEST(what_is_given_back_is_handed_out_next)
{
    void *a = skr_json_pool_alloc(72), *other = skr_json_pool_alloc(200);
    skr_json_pool_free(a);
    skr_json_pool_free(other);
    void *b = skr_json_pool_alloc(65); /* of the same multiple of 8 */
    assert_ptr_equal(a, b);
    skr_json_pool_free(b);
}

TEST(memory_of_malloc_may_be_given_back_too)
{
    skr_json_pool_free(malloc(100));
    skr_json_pool_free(NULL);
    void *large = skr_json_pool_alloc(SKR_JSON_POOL_LARGEST + 1);
    assert_non_null(large);
    free(large);
}
