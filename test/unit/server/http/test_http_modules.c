/* SPDX-License-Identifier: Apache-2.0 */
/* Which modules are on, as programs ask for it, and what a module that is off answers. */
#include "server/http/modules.h"

#include <jansson.h>

#include "test/test.h"
#include "test/unit/http_client.h"

struct world {
    struct skr_admin *admin;
    struct skr_clock clock;
    struct skr_modules modules;
};

/* What the pages of the gang scheduler are in the daemon: everything below /v1. */
static void on_route(void *context, struct skr_http_request *request)
{
    (void)context;
    skr_http_reply_text(request, 200, "text/plain", request->path);
}

static void start(struct world *world, bool spotmix)
{
    struct skr_error error;
    skr_clock_init(&world->clock);
    world->modules = (struct skr_modules){.clock = &world->clock,
                                          .n = 2,
                                          .item = {{.name = "ocm",
                                                    .setting = "ocm.enabled",
                                                    .enabled = true,
                                                    .n_decides_by = 1,
                                                    .decides_by = {{"spreadMode", "weighted"}}},
                                                   {.name = "spotmix",
                                                    .setting = "spotmix.enabled",
                                                    .pages = "/v1/spotmix",
                                                    .enabled = spotmix}}};
    struct skr_admin_options options = {
        .listen = "127.0.0.1:0", .n_routes = 1, .route = {{.prefix = "/v1", .handle = on_route}}};
    options.n_routes += skr_modules_routes(&world->modules, &options.route[options.n_routes]);
    if (skr_admin_create(&options, &world->admin, &error) != 0) {
        fail_msg("%s", error.text);
    }
}

static json_t *ask(struct world *world, const char *method, const char *path, int status)
{
    struct http_answer got = http_request(skr_admin_port(world->admin), method, path);
    if (got.status != status) {
        fail_msg("%s %s: %d %s", method, path, got.status, got.body);
    }
    json_t *json = json_loads(got.body, 0, NULL);
    http_answer_free(&got);
    return json;
}

static const char *text(const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    return value ? value : "";
}

TEST(the_page_lists_each_module_with_its_option)
{
    struct world world;
    start(&world, false);
    json_auto_t *page = ask(&world, "GET", "/v1/modules", 200);
    const json_t *items = json_object_get(page, "items");
    assert_string_equal(text(page, "kind"), "ModuleList");
    assert_true(text(page, "time")[0] != '\0');
    assert_int_equal(json_array_size(items), 2);
    assert_string_equal(text(json_array_get(items, 0), "name"), "ocm");
    assert_true(json_is_true(json_object_get(json_array_get(items, 0), "enabled")));
    assert_string_equal(text(json_object_get(json_array_get(items, 0), "decidesBy"), "spreadMode"),
                        "weighted");
    assert_null(json_object_get(json_array_get(items, 1), "decidesBy"));
    assert_string_equal(text(json_array_get(items, 1), "setting"), "spotmix.enabled");
    assert_true(json_is_false(json_object_get(json_array_get(items, 1), "enabled")));
    json_decref(ask(&world, "GET", "/v1/modules/ocm", 404));
    json_decref(ask(&world, "POST", "/v1/modules", 405));
    skr_admin_destroy(world.admin);
}

TEST(pages_of_a_module_that_is_off_are_refused_with_a_code_and_the_option)
{
    static const char *const paths[] = {"/v1/spotmix", "/v1/spotmix/nodes", "/v1/spotmix/shop/web"};
    struct world world;
    start(&world, false);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        json_auto_t *status = ask(&world, "GET", paths[i], 404);
        const json_t *causes = json_object_get(json_object_get(status, "details"), "causes");
        assert_string_equal(text(status, "reason"), "NotFound");
        assert_string_equal(text(json_array_get(causes, 0), "reason"), "ModuleOff");
        assert_string_equal(text(json_array_get(causes, 0), "field"), "spotmix.enabled");
        assert_string_equal(text(status, "message"),
                            "sakkara: the daemon's module spotmix is off; spotmix.enabled: true in "
                            "its configuration switches it on");
    }
    skr_admin_destroy(world.admin);
}

TEST(pages_of_a_module_that_is_on_are_its_own)
{
    struct world world;
    start(&world, true);
    json_decref(ask(&world, "GET", "/v1/spotmix", 200));
    skr_admin_destroy(world.admin);
}
