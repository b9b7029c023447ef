/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page, judged whenever a world comes to rest: a picture that has followed the changes of this life of the daemon
 * shows what one that begins now shows. It looks at what was stamped since its last look (core/gang/view/view_picture.c), so
 * that a change without a stamp is found here.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/gang/state/pages.h"
#include "test/property/engine_world.h"
#include "test/test.h"
#include "test/unit/picture_text.h"

static const struct skr_hash_seed seed;

static bool draw(const struct world *w, struct skr_picture *picture)
{
    SKR_STRBUF(change);
    enum skr_picture_news news;
    const struct skr_view_query query = {.path = "/v1/picture"};
    return skr_gang_draw(w->rig->gang, &query, w->rig->now, picture, &news, &change) == 200;
}

static void begin(struct world *w)
{
    skr_picture_destroy(w->picture);
    w->picture = skr_picture_create("gangs", &seed);
    w->picture_life = w->rig->n_lives;
}

/* The document without the time at which it is drawn, which picture_text() does not read. */
static void add_drawn(const struct skr_picture *picture, struct skr_strbuf *out)
{
    SKR_STRBUF(document);
    skr_picture_write(picture, &document);
    skr_strbuf_add(out, strstr(document.s, "\"tree\":"));
}

static void judge(const struct skr_picture *follows, const struct skr_picture *begins)
{
    SKR_STRBUF(followed);
    SKR_STRBUF(begun);
    picture_text(follows, &followed);
    picture_text(begins, &begun);
    if (strcmp(followed.s, begun.s) != 0) {
        fail_msg("the page shows\n%sand would show\n%s", followed.s, begun.s);
    }
}

void world_check_picture(struct world *w)
{
    SKR_STRBUF(drawn);
    if (!w->pictures || !w->rig->gang) {
        return;
    }
    if (!w->picture || w->picture_life != w->rig->n_lives) {
        begin(w);
    }
    if (!draw(w, w->picture)) {
        return;
    }
    struct skr_picture *fresh = skr_picture_create("gangs", &seed);
    assert_true(draw(w, fresh));
    add_drawn(w->picture, &drawn);
    add_drawn(fresh, &drawn);
    if (!w->drawn || strcmp(w->drawn, drawn.s) != 0) {
        judge(w->picture, fresh);
        free(w->drawn);
        w->drawn = skr_strbuf_take(&drawn, NULL);
    }
    skr_picture_destroy(fresh);
}
