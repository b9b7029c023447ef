/* SPDX-License-Identifier: Apache-2.0 */
/* `sakkara timeline`: what a cell shows, which units, the scale. */
#include <string.h>

#include "server/lab/simulate/timeline.h"
#include "server/render/render.h"
#include "test/golden.h"
#include "test/test.h"

#define FOLDER "test/unit/server/lab/simulate/"

struct picture {
    struct skr_strbuf out, messages;
};

static void picture_set_up(struct picture *p)
{
    skr_strbuf_init(&p->out);
    skr_strbuf_init(&p->messages);
}

static void picture_tear_down(struct picture *p)
{
    skr_strbuf_fini(&p->out);
    skr_strbuf_fini(&p->messages);
}

static int draw(struct picture *p, const char *domain, const char *resource, const char *hours,
                bool ascii)
{
    static const char *const file[] = {FOLDER "timeline-picture.yaml"};
    const struct skr_simulate_timeline_options options = {
        .file = file, .n_files = 1, .now = "2026-01-01T14:05:00Z"};
    const struct skr_view_query query = {
        .path = "/v1/timeline",
        .argument = {
            [SKR_VIEW_DOMAIN] = domain, [SKR_VIEW_RESOURCE] = resource, [SKR_VIEW_HOURS] = hours}};
    json_auto_t *page = NULL;
    const int code = skr_simulate_timeline_page(&options, &query, &page, &p->messages);
    if (page) {
        skr_render_timeline(page, ascii, &p->out);
    }
    return code;
}

TEST_WITH(picture, racks_are_drawn)
{
    assert_int_equal(draw(picture, NULL, NULL, "2", true), 0);
    golden_check(FOLDER "timeline-picture.txt", picture->out.s);
    skr_strbuf_reset(&picture->out);
    assert_int_equal(draw(picture, NULL, NULL, "2", false), 0);
    golden_check(FOLDER "timeline-picture-drawn.txt", picture->out.s);
    assert_string_equal(picture->messages.s, "");
}

TEST_WITH(picture, nodes_of_a_rack_and_a_node_are_drawn)
{
    assert_int_equal(draw(picture, "rack-1", "gpu", "1", true), 0);
    assert_int_equal(draw(picture, "rack-0/node-2", "cpu", "4", true), 0);
    golden_check(FOLDER "timeline-picture-nodes.txt", picture->out.s);
}

TEST_WITH(picture, instants_of_another_day_have_the_day)
{
    assert_int_equal(draw(picture, NULL, NULL, "48", true), 0);
    assert_non_null(strstr(picture->out.s, ", a cell = 72 min, 14:05 to 03T14:05"));
    assert_non_null(strstr(picture->out.s, " 14:05     02T02:05  02T14:05  03T02:05\n"));
}

TEST_WITH(picture, what_is_not_there_is_refused)
{
    assert_int_equal(draw(picture, "rack-9", NULL, NULL, true), 3);
    assert_int_equal(draw(picture, NULL, "gpus", "4", true), 3);
    assert_int_equal(draw(picture, NULL, NULL, "0", true), 3);
    assert_int_equal(draw(picture, NULL, NULL, "1h", true), 3);
    assert_string_equal(picture->messages.s,
                        "sakkara timeline: no domain or node \"rack-9\" in the tree\n"
                        "sakkara timeline: no node has a resource \"gpus\"\n"
                        "sakkara timeline: hours is from 1 to 720, not \"0\"\n"
                        "sakkara timeline: hours is from 1 to 720, not \"1h\"\n");
}
