/* SPDX-License-Identifier: Apache-2.0 */
/* The commands for people against the real daemon: what they show is what is. */
#include <jansson.h>

#include "test/integration/scene.h"
#include "test/test.h"
#include "test/unit/web.h"

enum { WORDS_MAX = 12 };

/* A command with --server; its output. Heap. */
static char *run(const struct scene *scene, int expected, const char *line)
{
    char words[256], url[64], *out = NULL, *err = NULL;
    const char *argv[WORDS_MAX + 3];
    size_t n = 0;
    snprintf(words, sizeof words, "%s", line);
    for (char *rest = words, *word; n < WORDS_MAX && (word = strtok_r(rest, " ", &rest));) {
        argv[n++] = word;
    }
    snprintf(url, sizeof url, "http://127.0.0.1:%u", daemon_admin_port(scene->d));
    argv[n++] = "--server";
    argv[n++] = url;
    argv[n] = NULL;
    const int code = daemon_run(argv, &out, &err);
    if (code != expected) {
        fail_msg("%s: exit code %d: %s", line, code, err);
    }
    free(err);
    return out;
}

static void expect(const char *text, const char *part)
{
    if (!strstr(text, part)) {
        fail_msg("\"%s\" is not in:\n%s", part, text);
    }
}

static json_t *load(const struct scene *scene, const char *line)
{
    SKR_AUTO_FREE char *text = run(scene, 0, line);
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    return json;
}

static int64_t number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

/* A gang of 8 on two racks of three nodes with four cpus, and one of 40 that never fits. */
static void begin(struct scene *scene)
{
    scene_begin(scene);
    scene_add_gang(scene, 8);
    cluster_group(scene->c, "wide", 40, PACK_SPREAD);
    scene_start_daemon(scene);
    cluster_pods(scene->c, "job", 8, "gang", true);
    cluster_pods(scene->c, "too", 40, "wide", true);
    scene_expect_bound(scene, 8);
    daemon_wait_metric(scene->d, "sakkara_groups{status=\"Bound\"} 1");
    daemon_wait_metric(scene->d,
                       "sakkara_unplaced_groups{reason=\"NeverFits\",class=\"capacity\"} 1");
}

TEST(groups_and_tree_show_the_gang_where_it_is)
{
    struct scene scene;
    begin(&scene);
    char *text = run(&scene, 0, "get groups");
    expect(text, "gang  Bound     8/8   0         <none>  <none>     ");
    expect(text, "wide  Unplaced  0/40  0         ?       NeverFits  ");
    free(text);
    text = run(&scene, 0, "tree --resource cpu");
    expect(text, "root        6/6    8/24  ███░░░░░  16     gang\n");
    free(text);
    text = run(&scene, 0, "get groups -A -o name");
    assert_string_equal(text, "group/gang\ngroup/wide\n");
    free(text);
    text = run(&scene, 3, "group gnag");
    free(text);
    scene_end(&scene);
}

TEST(a_group_in_full_has_its_ranks_times_and_events)
{
    struct scene scene;
    size_t i, ranked = 0;
    json_t *item;
    bool seen[8] = {false};
    begin(&scene);
    json_t *page = load(&scene, "group gang -o json");
    json_array_foreach(json_object_get(page, "members"), i, item)
    {
        const int64_t rank = number(item, "rank");
        assert_in_range(rank, 0, 7);
        assert_false(seen[rank]);
        seen[rank] = true;
        ranked++;
        assert_true(json_is_true(json_object_get(item, "bound")));
    }
    assert_int_equal(ranked, 8);
    assert_true(number(page, "solveMicroseconds") > 0);
    assert_true(number(page, "totalMilliseconds") >= 0);
    json_array_foreach(json_object_get(page, "constraints"), i, item)
    {
        assert_true(json_is_true(json_object_get(item, "met")));
    }
    assert_int_equal(i, 2);
    json_decref(page);
    char *text = run(&scene, 0, "group gang");
    expect(text, "Status:       Bound (8 of 8 pods bound)\n");
    expect(text, "node  spread (soft)   satisfied: 3 + 3 + 2\n");
    expect(text, "GroupBound  ");
    free(text);
    text = run(&scene, 0, "group wide");
    expect(text, "Reason:       NeverFits\nMessage:      group wide needs 40 slots, ");
    expect(text, "Warning  GroupUnplaced");
    free(text);
    scene_end(&scene);
}

/* What is reserved by a plan that waits in the middle shows as used, and its group as Assigned. */
TEST(a_plan_on_its_way_is_shown)
{
    struct scene scene;
    scene_begin(&scene);
    scene_add_gang(&scene, 8);
    scene_start_daemon(&scene);
    scheduler_stop(scene.s); /* nobody asks to bind */
    cluster_pods(scene.c, "job", 8, "gang", true);
    daemon_wait_metric(scene.d, "sakkara_groups{status=\"Assigned\"} 1");
    char *text = run(&scene, 0, "tree root --resource cpu");
    expect(text, "root        6/6    8/24  ███░░░░░  16     gang\n");
    free(text);
    text = run(&scene, 0, "get groups");
    expect(text, "gang  Assigned  0/8   0         <none>");
    free(text);
    daemon_stop(scene.d);
    cluster_stop(scene.c);
}

/* What a module decides that is off is not live, and nothing else is said of it. */
TEST(what_is_off_is_explained_as_off)
{
    static const char off[] = "Not live: the daemon's module karmada is off. karmada.enabled: true";
    struct scene scene;
    scene_begin(&scene);
    scene_start_daemon(&scene);
    char *text = run(&scene, 4, "explain binding/web --file test/bindings/zones.yaml");
    assert_memory_equal(text, off, sizeof off - 1);
    expect(text, "binding default/web: 10 replicas, 3 of 5 clusters selected");
    free(text);
    text = run(&scene, 4, "explain binding/web --file test/bindings/zones.yaml -o json");
    json_auto_t *json = json_loads(text, 0, NULL);
    const json_t *module = json_object_get(json, "module");
    assert_true(json_is_false(json_object_get(module, "enabled")));
    assert_string_equal(json_string_value(json_object_get(module, "setting")), "karmada.enabled");
    assert_true(json_is_array(json_object_get(json, "clusters")));
    free(text);
    free(run(&scene, 3, "spotmix"));
    free(run(&scene, 3, "spotmix explain shop/web"));
    scene_end(&scene);
}

BEFORE_ALL
{
    web_init();
}
