/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Broken input, file by file below test/integration/broken, each with the message it must give in
 * the .txt file of its name, exactly. That every defect has its message is proven by the unit tests
 * of the parsers; here, that messages come to where users look, also several at once.
 *
 *   config, kubeconfig   NAME.yaml: exit code 1 and this on stderr; @ stands for the file's path
 *   topology, group      NAME.json, data of the map: "REASON: MESSAGE" as written to the map
 *   request              NAME.http, a line "POST PATH", then the body: the answer's body (status
 *                        200), then the message in the log
 */
#include <dirent.h>

#include "server/object/path.h"
#include "test/golden.h"
#include "test/integration/scene.h"
#include "test/test.h"
#include "test/unit/web.h"
#include "topology/base/strbuf.h"

#define FOLDER "test/integration/broken"

enum { FILES_MAX = 20 };

struct file {
    char *name; /* without folder and suffix */
    char *path;
    char *golden; /* path of what has to be said about it */
    char *text;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct file *)a)->name, ((const struct file *)b)->name);
}

/* All files of a folder with this suffix, sorted; free_files() them. */
static size_t read_files(const char *folder, const char *suffix, struct file *file)
{
    char path[512];
    size_t n = 0;
    snprintf(path, sizeof path, FOLDER "/%s", folder);
    DIR *list = opendir(path);
    if (!list) {
        fail_msg("%s is not here: run this from the root of the repository", path);
    }
    for (const struct dirent *e; (e = readdir(list));) {
        const char *dot = strrchr(e->d_name, '.');
        if (!dot || strcmp(dot, suffix) != 0) {
            continue;
        }
        assert_true(n < FILES_MAX);
        file[n] = (struct file){.name = strndup(e->d_name, (size_t)(dot - e->d_name))};
        snprintf(path, sizeof path, FOLDER "/%s/%s", folder, e->d_name);
        file[n].path = strdup(path);
        file[n].text = golden_read(path);
        snprintf(path, sizeof path, FOLDER "/%s/%s.txt", folder, file[n].name);
        file[n].golden = strdup(path);
        n++;
    }
    (void)closedir(list);
    assert_true(n > 0);
    qsort(file, n, sizeof *file, by_name);
    return n;
}

static void free_files(struct file *file, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(file[i].name);
        free(file[i].path);
        free(file[i].text);
        free(file[i].golden);
    }
}

/* ---- files of the daemon ---- */

/* With @ for the path. Heap. */
static char *without_path(const char *text, const char *path)
{
    struct skr_strbuf out;
    skr_strbuf_init(&out);
    for (const char *found; (found = strstr(text, path)); text = found + strlen(path)) {
        skr_strbuf_addn(&out, text, (size_t)(found - text));
        skr_strbuf_addc(&out, '@');
    }
    skr_strbuf_add(&out, text);
    return skr_strbuf_take(&out, NULL);
}

static void serve_refuses(const char *folder, const char *flag)
{
    struct file file[FILES_MAX];
    size_t n = read_files(folder, ".yaml", file), bad = 0;
    for (size_t i = 0; i < n; i++) {
        const char *argv[] = {"serve", flag, file[i].path, NULL, NULL, NULL};
        char *out = NULL, *err = NULL;
        /* Free ports, so that nothing else can go wrong. */
        if (strcmp(flag, "--kubeconfig") == 0) {
            argv[3] = "--config";
            argv[4] = FOLDER "/free-ports.yaml";
        }
        int code = daemon_run(argv, &out, &err);
        SKR_AUTO_FREE char *text = without_path(err, file[i].path);
        if (code != 1 || out[0]) {
            print_error("%s: exit %d, stdout '%s'\n", file[i].path, code, out);
        }
        bad += !golden_is(file[i].golden, text) || code != 1 || out[0];
        free(out);
        free(err);
    }
    free_files(file, n);
    assert_int_equal(bad, 0);
}

TEST(every_error_of_a_configuration_is_shown_at_once)
{
    serve_refuses("config", "--config");
}

TEST(a_kubeconfig_that_cannot_be_used_says_why)
{
    serve_refuses("kubeconfig", "--kubeconfig");
}

/* ---- maps ---- */

struct wish {
    struct cluster *c;
    const char *map;
};

static bool has_reason(void *context)
{
    const struct wish *w = context;
    const json_t *map = cluster_get(w->c, "ConfigMap", "default", w->map);
    return skr_path_text(map, "data.reason")[0] && skr_path_text(map, "data.message")[0];
}

/* "REASON: MESSAGE\n" once both are there. Heap. */
static char *reason_of(struct cluster *c, const char *map)
{
    struct skr_strbuf out;
    struct wish wish = {c, map};
    cluster_wait(c, has_reason, &wish, map);
    char *reason = cluster_key(c, map, "reason"), *message = cluster_key(c, map, "message");
    skr_strbuf_init(&out);
    skr_strbuf_addf(&out, "%s: %s\n", reason, message);
    free(reason);
    free(message);
    return skr_strbuf_take(&out, NULL);
}

/* name: what data.name is when the file has none; NULL: left out. */
static void create_map(struct cluster *c, const struct file *file, const char *label,
                       const char *name)
{
    json_auto_t *data = json_loads(file->text, 0, NULL);
    assert_non_null(data);
    if (name && !json_object_get(data, "name")) {
        json_object_set_new(data, "name", json_string(name));
    }
    SKR_AUTO_FREE char *text = json_dumps(data, JSON_COMPACT);
    cluster_create(c,
                   "{'kind':'ConfigMap','apiVersion':'v1','metadata':{'namespace':'default',"
                   "'name':'%s','labels':{'%s':''}},'data':%s}",
                   file->name, label, text);
}

static size_t count_wrong_reasons(struct cluster *c, const struct file *file, size_t n)
{
    size_t bad = 0;
    for (size_t i = 0; i < n; i++) {
        SKR_AUTO_FREE char *text = reason_of(c, file[i].name);
        bad += !golden_is(file[i].golden, text);
    }
    return bad;
}

TEST(a_malformed_topology_map_is_told_why)
{
    struct file file[FILES_MAX];
    size_t n = read_files("topology", ".json", file);
    struct scene scene;
    scene_begin(&scene);
    scene_add_gang(&scene, 4);
    scene_start_daemon(&scene);
    for (size_t i = 0; i < n; i++) {
        create_map(scene.c, &file[i], "sakkara.topology", NULL);
    }
    size_t bad = count_wrong_reasons(scene.c, file, n);
    cluster_wait_event(scene.c, "TopologyInvalid");
    /* The one in force is broken; its last good version stays. */
    cluster_patch(scene.c, "ConfigMap", "topology", "{'data':{'level-names':'[]'}}");
    cluster_wait_key(scene.c, "topology", "reason", "TopologyInvalid");
    cluster_pods(scene.c, "job", 4, "gang", false);
    scene_expect_bound(&scene, 4);
    cluster_patch(scene.c, "ConfigMap", "topology",
                  "{'data':{'level-names':'[\\'rack\\',\\'node\\']'}}");
    cluster_wait_key(scene.c, "topology", "reason", NULL);
    cluster_wait_key(scene.c, "topology", "message", NULL);
    scene_end(&scene);
    free_files(file, n);
    assert_int_equal(bad, 0);
}

TEST(a_malformed_group_map_is_told_why)
{
    struct file file[FILES_MAX];
    size_t n = read_files("group", ".json", file);
    struct scene scene;
    scene_begin(&scene);
    scene_add_gang(&scene, 4);
    scene_start_daemon(&scene);
    for (size_t i = 0; i < n; i++) {
        create_map(scene.c, &file[i], "sakkara.group", file[i].name);
    }
    size_t bad = count_wrong_reasons(scene.c, file, n);
    for (size_t i = 0; i < n; i++) {
        cluster_wait_key(scene.c, file[i].name, "status", "Failed");
    }
    cluster_wait_event(scene.c, "GroupUnplaced");
    /* Others are not concerned. */
    cluster_pods(scene.c, "job", 4, "gang", false);
    scene_expect_bound(&scene, 4);
    /* Repaired, it is a group as any other. */
    cluster_patch(scene.c, "ConfigMap", "size-is-a-word", "{'data':{'size':'2'}}");
    cluster_wait_key(scene.c, "size-is-a-word", "status", "Waiting");
    cluster_wait_key(scene.c, "size-is-a-word", "reason", "MembersMissing");
    scene_end(&scene);
    free_files(file, n);
    assert_int_equal(bad, 0);
}

/* ---- requests ---- */

/* n: how many malformed ones this daemon has seen with this one. */
static bool request_is_answered(struct scene *scene, const struct file *file, size_t n)
{
    char path[64] = "";
    assert_int_equal(sscanf(file->text, "POST %63s", path), 1);
    const char *body = strchr(file->text, '\n') + 1;
    bool is_bind = strcmp(path, "/v1/bind") == 0;
    struct web_answer answer =
        web_ask("POST", is_bind ? daemon_bind_port(scene->d) : daemon_port(scene->d), path, body,
                NULL, 20000);
    SKR_AUTO_FREE char *line = daemon_take_log(scene->d, "Request was malformed", n);
    const char *message = strstr(line, "] ");
    SKR_STRBUF(both);
    skr_strbuf_addf(&both, "%s\n%s\n", answer.body, message ? message + 2 : "");
    bool same = golden_is(file->golden, both.s) && answer.status == 200 && line[0] == 'W';
    free(answer.body);
    return same;
}

TEST(a_malformed_request_is_answered_200_with_an_error)
{
    struct file file[FILES_MAX];
    size_t n = read_files("request", ".http", file), bad = 0;
    struct scene scene;
    assert_true(n < 10); /* ten lines a second are logged */
    scene_begin(&scene);
    scene_start_daemon(&scene);
    for (size_t i = 0; i < n; i++) {
        bad += !request_is_answered(&scene, &file[i], i + 1);
    }
    scene_end(&scene);
    free_files(file, n);
    assert_int_equal(bad, 0);
}

BEFORE_ALL
{
    web_init();
}
