/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The daemon is killed with SIGKILL after its k-th applied write, for every k, and started again:
 * the gang ends bound, each pod once, in state Binding only (the guard of the cluster watches), and
 * no pod keeps a nomination of a plan that is gone.
 */
#include <signal.h>

#include "server/object/path.h"
#include "test/integration/scene.h"
#include "test/test.h"
#include "test/unit/web.h"

enum { MEMBERS = 4, WRITES_MAX = 60 };

struct bomb {
    int pid; /* 0: not lit */
    size_t left;
    bool gone_off;
    struct scheduler *scheduler;
};

/* Runs with the cluster's lock held: the write is applied, its answer not yet sent. */
static void burn(void *context, enum skr_write_kind kind, const char *name)
{
    struct bomb *bomb = context;
    (void)name;
    if (!bomb->pid || bomb->gone_off || kind == SKR_WRITE_CREATE_EVENT || --bomb->left > 0) {
        return;
    }
    bomb->gone_off = true;
    scheduler_cut_off(bomb->scheduler);
    (void)kill(bomb->pid, SIGKILL);
}

struct watch {
    const struct bomb *bomb;
    const struct cluster *c;
};

static bool is_over(void *context)
{
    const struct watch *w = context;
    const json_t *map = cluster_get(w->c, "ConfigMap", "default", "gang");
    return w->bomb->gone_off || strcmp(skr_path_text(map, "data.status"), "Bound") == 0;
}

/* False: the gang was bound before the k-th write. */
static bool play(size_t k, bool gated, bool old_api, bool is_refused)
{
    struct scene scene;
    scene_begin(&scene);
    struct bomb bomb = {.left = k, .scheduler = scene.s};
    struct watch watch = {&bomb, scene.c};
    scene.options.level = 2;
    scene.c->bindings_carry_labels = !old_api;
    if (is_refused) {
        cluster_racks(scene.c, 2, 3, 4);
    } else {
        scene_add_gang(&scene, MEMBERS);
    }
    scene_start_daemon(&scene);
    if (is_refused) { /* kube-scheduler has to be woken: each member is nominated */
        cluster_pods(scene.c, "job", MEMBERS, "gang", gated);
        cluster_wait_refused(scene.c, "job", MEMBERS);
    }
    cluster_lock(scene.c);
    scene.c->on_write = burn;
    scene.c->on_write_context = &bomb;
    bomb.pid = daemon_pid(scene.d);
    cluster_unlock(scene.c);
    if (is_refused) {
        cluster_group(scene.c, "gang", MEMBERS, PACK_SPREAD);
    } else {
        cluster_pods(scene.c, "job", MEMBERS, "gang", gated);
    }
    cluster_wait(scene.c, is_over, &watch, "the k-th write");
    cluster_lock(scene.c);
    bool killed = bomb.gone_off;
    bomb.pid = 0;
    cluster_unlock(scene.c);
    if (killed) {
        daemon_kill(scene.d);
        scene_start_daemon(&scene);
    }
    scene_expect_bound(&scene, MEMBERS);
    scene_end(&scene);
    return killed;
}

/* writes: at least so many of a member; its group's plan and state Binding come to them. */
static void play_all(bool gated, bool old_api, bool is_refused, size_t writes)
{
    size_t k = 1;
    const size_t step = SCENE_IS_SLOW ? 4 : 1;
    while (k < WRITES_MAX && play(k, gated, old_api, is_refused)) {
        k += step;
    }
    assert_true(k > writes * MEMBERS + 2);
    assert_true(k < WRITES_MAX);
}

/* Where kube-scheduler looks at every node, who needs no waking has nothing but its Binding. */
TEST(killed_after_every_write_of_an_ungated_gang)
{
    play_all(false, false, false, 1);
}

TEST(killed_after_every_write_of_a_gang_that_is_nominated)
{
    play_all(false, false, true, 2);
}

TEST(killed_after_every_write_of_a_gated_gang)
{
    play_all(true, true, false, 2);
}

BEFORE_ALL
{
    web_init();
}
