/* SPDX-License-Identifier: Apache-2.0 */
/* The world's objects and log of changes, and the daemon as a child process. */
#include "test/integration/world.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "topology/arena.h"
#include "topology/strbuf.h"

/* ---- objects ---- */

void world_note(struct world *w, enum skr_demo_kind kind, const char *type, json_t *object)
{
    skr_grow(&w->log, &w->cap_log, w->n_log + 1, sizeof *w->log);
    w->log[w->n_log++] = (struct world_change){
        .kind = kind,
        .version = strtoull(skr_demo_text(object, "metadata.resourceVersion"), NULL, 10),
        .type = type,
        .object = json_deep_copy(object)};
    pthread_cond_broadcast(&w->change);
}

static void create(struct world *w, const char *text)
{
    json_error_t where;
    enum skr_demo_kind kind;
    struct skr_error error;
    json_t *object = json_loads(text, 0, &where);
    if (!object) {
        fail_msg("%s: %s", text, where.text);
    }
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    pthread_mutex_lock(&w->lock);
    int rc = skr_demo_objects_add(w->objects, object, now.tv_sec * SKR_SECOND, &kind, &error);
    if (rc == 0) {
        world_note(w, kind, "ADDED", object);
    }
    pthread_mutex_unlock(&w->lock);
    if (rc < 0) {
        fail_msg("%s", error.text);
    }
}

void world_create(struct world *w, const char *format, ...)
{
    char text[8192];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    assert_true(n > 0 && (size_t)n < sizeof text);
    create(w, text);
}

void world_patch(struct world *w, enum skr_demo_kind kind, const char *namespace_, const char *name,
                 const char *patch)
{
    json_t *json = json_loads(patch, 0, NULL);
    assert_non_null(json);
    pthread_mutex_lock(&w->lock);
    int status = skr_demo_objects_patch(w->objects, kind, namespace_, name, json);
    if (status == 200) {
        world_note(w, kind, "MODIFIED", skr_demo_objects_get(w->objects, kind, namespace_, name));
    }
    pthread_mutex_unlock(&w->lock);
    json_decref(json);
    assert_int_equal(status, 200);
}

void world_delete(struct world *w, enum skr_demo_kind kind, const char *namespace_,
                  const char *name)
{
    json_t *nothing = json_object();
    pthread_mutex_lock(&w->lock);
    /* The deletion has a version of its own. */
    if (skr_demo_objects_patch(w->objects, kind, namespace_, name, nothing) == 200) {
        json_t *object = skr_demo_objects_get(w->objects, kind, namespace_, name);
        world_note(w, kind, "DELETED", object);
        skr_demo_objects_remove(w->objects, kind, namespace_, name);
    }
    pthread_mutex_unlock(&w->lock);
    json_decref(nothing);
}

void world_add_node(struct world *w, const char *name, int cpu)
{
    world_create(w,
                 "{\"kind\":\"Node\",\"metadata\":{\"name\":\"%s\"},\"spec\":{},\"status\":{"
                 "\"allocatable\":{\"cpu\":\"%d\",\"memory\":\"64Gi\",\"pods\":\"110\"}}}",
                 name, cpu);
}

void world_add_member(struct world *w, const char *name, const char *group, bool gated)
{
    world_create(w,
                 "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"%s\",\"namespace\":\"d\",\"labels\":{"
                 "\"sakkara.group.name\":\"%s\"}},\"spec\":{\"schedulerName\":\"sakkara\",%s"
                 "\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"1\"}}}]},"
                 "\"status\":{\"phase\":\"Pending\"}}",
                 name, group, gated ? "\"schedulingGates\":[{\"name\":\"sakkara.gang\"}]," : "");
}

void world_add_group(struct world *w, const char *name, int size, int priority,
                     const char *constraints)
{
    struct skr_strbuf quoted;
    skr_strbuf_init(&quoted);
    skr_strbuf_add_json(&quoted, constraints);
    world_create(w,
                 "{\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"%s\",\"namespace\":\"d\","
                 "\"labels\":{\"sakkara.group\":\"\"}},\"data\":{\"name\":\"%s\",\"size\":\"%d\","
                 "\"priority\":\"%d\",\"constraints\":%s}}",
                 name, name, size, priority, quoted.s);
    skr_strbuf_fini(&quoted);
}

bool world_group_is_bound(struct world *w, const void *name)
{
    const json_t *map = skr_demo_objects_get(w->objects, SKR_DEMO_CONFIGMAP, "d", name);
    return strcmp(skr_demo_text(map, "data.status"), "Bound") == 0;
}

void world_freeze(struct world *w, const char *name, bool frozen)
{
    pthread_mutex_lock(&w->lock);
    const json_t *pod = skr_demo_objects_get(w->objects, SKR_DEMO_POD, "d", name);
    struct world_pod *seen = world_find_pod(w, skr_demo_text(pod, "metadata.uid"));
    seen->frozen = frozen;
    seen->tried = 0;
    pthread_cond_broadcast(&w->change);
    pthread_mutex_unlock(&w->lock);
}

/* ---- waiting ---- */

static void show(struct world *w)
{
    char path[128];
    const json_t *map;
    for (size_t i = 0; (map = skr_demo_objects_at(w->objects, SKR_DEMO_CONFIGMAP, i)); i++) {
        char *text = json_dumps(json_object_get(map, "data"), JSON_COMPACT);
        print_error("%s: %s\n", skr_demo_text(map, "metadata.name"), text);
        free(text);
    }
    snprintf(path, sizeof path, "tail -n 60 %s/log >&2", w->directory);
    if (system(path) != 0) {
        print_error("no log\n");
    }
}

void world_wait(struct world *w, const char *what,
                bool (*holds)(struct world *w, const void *context), const void *context)
{
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += WORLD_DEADLINE_S;
    int rc = 0;
    pthread_mutex_lock(&w->lock);
    bool reached = holds(w, context);
    while (!reached && rc != ETIMEDOUT) {
        rc = pthread_cond_timedwait(&w->change, &w->lock, &deadline);
        reached = holds(w, context);
    }
    if (!reached) {
        show(w);
    }
    pthread_mutex_unlock(&w->lock);
    if (!reached) {
        fail_msg("not within %d s: %s", WORLD_DEADLINE_S, what);
    }
}

/* ---- the daemon ---- */

static void write_file(const struct world *w, const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", w->directory, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void write_files(struct world *w)
{
    char text[1024];
    snprintf(text, sizeof text,
             "apiVersion: v1\nkind: Config\n"
             "clusters: [{name: c, cluster: {server: \"http://127.0.0.1:%u\"}}]\n"
             "users: [{name: u, user: {}}]\n"
             "contexts: [{name: c, context: {cluster: c, user: u}}]\ncurrent-context: c\n",
             w->port);
    write_file(w, "kubeconfig", text);
    write_file(w, "sakkara.yaml",
               "apiVersion: sakkara/v1\nkind: SakkaraConfiguration\n"
               "extender: {listen: '127.0.0.1:0', bindListen: '127.0.0.1:0'}\n"
               "admin: {listen: '127.0.0.1:0'}\n");
}

static uint16_t number_after(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    return at ? (uint16_t)strtoul(at + strlen(key), NULL, 10) : 0;
}

/* The ports from the last "Daemon started" of the log. */
static bool read_ports(struct world *w)
{
    char path[128], line[4096];
    size_t started = 0;
    snprintf(path, sizeof path, "%s/log", w->directory);
    FILE *file = fopen(path, "r");
    if (!file) {
        return false;
    }
    while (fgets(line, sizeof line, file)) {
        if (strstr(line, "\"Daemon started\"")) {
            started++;
            w->extender_port = number_after(line, "extenderPort=");
            w->bind_port = number_after(line, "bindPort=");
            w->admin_port = number_after(line, "adminPort=");
        }
    }
    fclose(file);
    return started == w->starts;
}

static void run_daemon(const struct world *w)
{
    char config[128], kubeconfig[128], log[128];
    const char *program = getenv("SAKKARA");
    program = program ? program : "build/sakkara";
    snprintf(config, sizeof config, "%s/sakkara.yaml", w->directory);
    snprintf(kubeconfig, sizeof kubeconfig, "%s/kubeconfig", w->directory);
    snprintf(log, sizeof log, "%s/log", w->directory);
    if (!freopen(log, "a", stderr)) {
        _exit(127);
    }
    execl(program, program, "serve", "--config", config, "--kubeconfig", kubeconfig, "-v", "4",
          (char *)NULL);
    _exit(127);
}

void world_start_daemon(struct world *w)
{
    w->starts++;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        run_daemon(w);
    }
    struct timespec pause = {0, 5000000};
    bool ready = false;
    for (int i = 0; i < WORLD_DEADLINE_S * 200 && !ready; i++) {
        pthread_mutex_lock(&w->lock);
        ready = read_ports(w);
        w->daemon = pid;
        if (!ready) {
            w->extender_port = w->bind_port = 0;
        }
        pthread_mutex_unlock(&w->lock);
        if (waitpid(pid, NULL, WNOHANG) == pid) {
            pthread_mutex_lock(&w->lock);
            w->daemon = 0;
            bool killed = w->kill_at_write && w->n_writes >= w->kill_at_write;
            pthread_mutex_unlock(&w->lock);
            if (!killed) {
                show(w);
                fail_msg("the daemon ended at its start");
            }
            return;
        }
        if (!ready) {
            nanosleep(&pause, NULL);
        }
    }
    assert_true(ready);
}

static int reap(struct world *w)
{
    int status = 0;
    pid_t pid = w->daemon;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    pthread_mutex_lock(&w->lock);
    w->daemon = 0;
    w->extender_port = w->bind_port = 0;
    pthread_mutex_unlock(&w->lock);
    return status;
}

void world_kill_daemon(struct world *w)
{
    kill(w->daemon, SIGKILL);
    reap(w);
}

void world_stop_daemon(struct world *w)
{
    kill(w->daemon, SIGTERM);
    int status = reap(w);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        show(w);
        fail_msg("the daemon ended with status %#x", (unsigned)status);
    }
}

bool world_revive(struct world *w)
{
    int status = 0;
    if (w->daemon == 0 || waitpid(w->daemon, &status, WNOHANG) != w->daemon) {
        return false;
    }
    pthread_mutex_lock(&w->lock);
    w->daemon = 0;
    w->extender_port = w->bind_port = 0;
    w->kill_at_write = 0;
    pthread_mutex_unlock(&w->lock);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL) {
        show(w);
        fail_msg("the daemon ended by itself with status %#x", (unsigned)status);
    }
    world_start_daemon(w);
    return true;
}

/* ---- life ---- */

void world_begin(struct world *w)
{
    memset(w, 0, sizeof *w);
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->change, NULL);
    w->objects = skr_demo_objects_create();
    snprintf(w->directory, sizeof w->directory, "/tmp/sakkara-test-XXXXXX");
    assert_non_null(mkdtemp(w->directory));
    world_start_api(w);
    write_files(w);
    world_start_scheduler(w);
}

void world_end(struct world *w)
{
    if (w->daemon > 0) {
        world_stop_daemon(w);
    }
    world_stop_api(w);
    world_stop_scheduler(w);
    for (size_t i = 0; i < w->n_log; i++) {
        json_decref(w->log[i].object);
    }
    free(w->log);
    skr_demo_objects_destroy(w->objects);
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", w->directory);
    assert_int_equal(system(command), 0);
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->change);
}
