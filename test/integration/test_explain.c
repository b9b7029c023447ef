/* SPDX-License-Identifier: Apache-2.0 */
/* Why a group is not placed, asked of the daemon from outside: map, API and command say the same.
 */
#include "test/integration/scene.h"
#include "test/test.h"
#include "test/unit/web.h"

static const char sentence[] =
    "group gang needs 14 slots, more than an empty cluster has under its rules; 12 fit now";

static json_t *ask(const struct scene *scene, const char *path, int *ret_status)
{
    char *body = NULL;
    *ret_status = web_get(daemon_admin_port(scene->d), path, &body);
    json_t *json = json_loads(body, 0, NULL);
    free(body);
    assert_non_null(json);
    return json;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* Exit code of `sakkara explain GROUP --server`; *ret_out: heap. */
static int explain(const struct scene *scene, const char *group, char **ret_out)
{
    char server[64], *err = NULL;
    snprintf(server, sizeof server, "http://127.0.0.1:%d", daemon_admin_port(scene->d));
    const char *argv[] = {"explain", group, "--server", server, NULL};
    int code = daemon_run(argv, ret_out, &err);
    free(err);
    return code;
}

TEST(map_api_and_command_have_one_sentence)
{
    struct scene scene;
    int status;
    char *out = NULL;
    scene_begin(&scene);
    cluster_racks(scene.c, 2, 3, 4);
    cluster_group(scene.c, "gang", 14, "{\"rack\":{\"hard\":true}}");
    cluster_pods(scene.c, "job", 14, "gang", true);
    scene_start_daemon(&scene);
    cluster_wait_key(scene.c, "gang", "reason", "NeverFits");
    cluster_wait_key(scene.c, "gang", "message", sentence);
    json_t *x = ask(&scene, "/v1/explain/default/gang", &status);
    assert_int_equal(status, 200);
    assert_string_equal(text_of(x, "sentence"), sentence);
    assert_string_equal(text_of(x, "reason"), "NeverFits");
    assert_int_equal(json_array_size(json_object_get(x, "domains")), 2);
    assert_true(json_array_size(json_object_get(x, "relaxations")) >= 2);
    json_decref(x);
    assert_int_equal(explain(&scene, "gang", &out), 4);
    assert_non_null(strstr(out, "NeverFits"));
    assert_non_null(strstr(out, "needs 14 slots, more than an empty cluster"));
    assert_non_null(strstr(out, "the rack constraint is soft"));
    free(out);
    daemon_wait_log(scene.d, sentence);
    cluster_patch(scene.c, "ConfigMap", "gang",
                  "{\"data\":{\"constraints\":\"{\\\"rack\\\":{\\\"hard\\\":false}}\"}}");
    scene_expect_bound(&scene, 14);
    assert_int_equal(explain(&scene, "gang", &out), 0);
    assert_non_null(strstr(out, "is placed: Bound"));
    free(out);
    scene_end(&scene);
}

TEST(who_is_not_there_is_not_found)
{
    struct scene scene;
    int status;
    char *out = NULL;
    scene_begin(&scene);
    scene_start_daemon(&scene);
    json_decref(ask(&scene, "/v1/explain/default/nobody", &status));
    assert_int_equal(status, 404);
    assert_int_equal(explain(&scene, "nobody", &out), 3);
    free(out);
    scene_end(&scene);
}

BEFORE_ALL
{
    web_init();
}
