/* SPDX-License-Identifier: Apache-2.0 */
/* The picture of the spot mix: nodes by class, pods of workloads as their parts. */
#include "core/spotmix/page.h"
#include "test/test.h"
#include "test/unit/picture_text.h"
#include "test/unit/spotmix_shop.h"

struct world {
    struct shop shop;
    struct skr_picture *picture;
    enum skr_picture_news news;
};

static void world_set_up(struct world *world)
{
    static const struct skr_hash_seed seed;
    shop_set_up(&world->shop);
    world->picture = skr_picture_create("spotmix", &seed);
}

static void world_tear_down(struct world *world)
{
    skr_picture_destroy(world->picture);
    shop_tear_down(&world->shop);
}

static void expect(struct world *world, const char *text)
{
    SKR_STRBUF(change);
    SKR_STRBUF(out);
    const struct skr_spotmix *mix =
        skr_spotmix_scheduler_mix(skr_engine_self(world->shop.rig->engine));
    assert_true(skr_spotmix_draw(mix, world->shop.rig->now, world->picture, &world->news, &change));
    picture_text(world->picture, &out);
    assert_string_equal(out.s, text);
}

TEST_WITH(world, pods_are_parts_of_nodes_under_their_classes)
{
    shop_add_four(&world->shop);
    shop_serve(&world->shop);
    expect(world, "place on-demand/on-0 Ready 2/2 slots 0: shop/web 2 pods 2\n"
                  "place spot/spot-0 Ready 2/2 slots 0: shop/web 2 pods 2\n"
                  "subject shop/web AsWanted 4/4: max 2, on-demand 2 of 2, spot 2 of 2, drift 0\n");
    assert_int_equal(world->news, SKR_PICTURE_ANEW);
    shop_set_max(&world->shop, "1"); /* one of the wrong class is evicted */
    expect(world, "place on-demand/on-0 Ready 1/2 slots 0: shop/web 1 pods 1\n"
                  "place spot/spot-0 Ready 2/2 slots 0: shop/web 2 pods 2\n"
                  "subject shop/web AsWanted 3/4: max 1, on-demand 1 of 1, spot 2 of 3, drift 0\n");
    assert_int_equal(world->news, SKR_PICTURE_CHANGED);
}
