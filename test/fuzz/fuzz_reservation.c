/* SPDX-License-Identifier: Apache-2.0 */
/* The text of annotation sakkara.reservation: what is read is well formed. */
#include "core/gang/time/stored.h"
#include "test/fuzz/fuzz.h"

static struct skr_tree *make_tree(void)
{
    static const char *const levels[] = {"node"};
    struct skr_tree_builder *b = skr_tree_builder_create("t");
    struct skr_tree *tree = NULL;
    struct skr_error error;
    fuzz_check(skr_tree_builder_add(b, 1, "node-0", &error) == 0);
    fuzz_check(skr_tree_builder_add(b, 1, "node-1", &error) == 0);
    fuzz_check(skr_tree_builder_finish(b, levels, 1, NULL, 0, &tree, NULL, &error) == 0);
    skr_tree_builder_destroy(b);
    return tree;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct skr_arena *arena = skr_arena_create(1 << 20, 0);
    struct skr_tree *tree = make_tree();
    char *text = fuzz_text(data, size);
    const struct skr_stored_reservation *s = skr_stored_reservation_read(text, tree, arena);
    for (size_t i = 0; s && i < s->n; i++) {
        fuzz_check(s->at[i].count >= 1 && s->at[i].leaf >= 0 && s->at[i].leaf < 2);
        fuzz_check(i == 0 || s->at[i - 1].leaf < s->at[i].leaf);
    }
    fuzz_check(!s || (s->start > 0 && s->promised > 0 && (!s->anywhere || s->n == 0)));
    free(text);
    skr_tree_unref(tree);
    skr_arena_destroy(arena);
    return 0;
}
