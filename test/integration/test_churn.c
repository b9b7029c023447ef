/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps, pods and nodes change all the time, from several sides at once, while gangs come and
 * go and a watch is cut now and then. What was promised holds (the guard of the cluster watches),
 * and when it is quiet again the next gang is bound. For ThreadSanitizer above all.
 */
#include <pthread.h>

#include "test/integration/scene.h"
#include "test/test.h"
#include "test/unit/web.h"

enum { ROUNDS = 8, EDITS = 150 };

/* Nodes change their labels and close, one of them is not needed; the topology map is rewritten. */
static void *change_nodes(void *context)
{
    const struct scene *scene = context;
    for (int i = 0; i < EDITS; i++) {
        char name[16];
        snprintf(name, sizeof name, "node-%d", i % 6);
        cluster_patch(scene->c, "Node", name, "{'metadata':{'labels':{'round':'%d'}}}", i);
        cluster_patch(scene->c, "Node", "node-5", "{'spec':{'unschedulable':%s}}",
                      i % 2 ? "true" : "false");
        cluster_patch(scene->c, "ConfigMap", "topology", "{'data':{'name':'tree-%d'}}", i);
        if (i % 50 == 25) {
            cluster_lock(scene->c);
            (void)fake_api_break(scene->c->api, "/pods?watch", NULL, FAKE_RESET);
            (void)fake_api_break(scene->c->api, "/nodes?watch", "{\"type\":", FAKE_CLOSE);
            cluster_unlock(scene->c);
        }
        cluster_pause(scene->c);
    }
    return NULL;
}

/* Pods of nobody's group come and go, group maps are rewritten. */
static void *change_pods(void *context)
{
    const struct scene *scene = context;
    for (int i = 0; i < EDITS; i++) {
        char name[32];
        snprintf(name, sizeof name, "noise%d", i);
        cluster_pods(scene->c, name, 1, i % 2 ? "nothing" : NULL, i % 3 == 0);
        cluster_patch(scene->c, "ConfigMap", "noise", "{'data':{'size':'%d'}}", i % 5 + 1);
        cluster_pause(scene->c);
        snprintf(name, sizeof name, "noise%d-0", i);
        cluster_delete(scene->c, "Pod", name);
    }
    return NULL;
}

static void delete_gang(const struct scene *scene, int round)
{
    for (int i = 0; i < 4; i++) {
        char name[32];
        snprintf(name, sizeof name, "round%d-%d", round, i);
        cluster_delete(scene->c, "Pod", name);
    }
    char name[32];
    snprintf(name, sizeof name, "gang%d", round);
    cluster_delete(scene->c, "ConfigMap", name);
}

TEST(d25_gangs_are_bound_in_the_middle_of_churn)
{
    struct scene scene;
    pthread_t thread[2];
    scene_begin(&scene);
    scene_add_gang(&scene, 8);
    cluster_group(scene.c, "noise", 3, "{}");
    scene_start_daemon(&scene);
    assert_int_equal(pthread_create(&thread[0], NULL, change_nodes, &scene), 0);
    assert_int_equal(pthread_create(&thread[1], NULL, change_pods, &scene), 0);
    for (int round = 0; round < ROUNDS; round++) {
        char pods[32], gang[32];
        snprintf(pods, sizeof pods, "round%d", round);
        snprintf(gang, sizeof gang, "gang%d", round);
        cluster_group(scene.c, gang, 4, PACK_SPREAD);
        cluster_pods(scene.c, pods, 4, gang, round % 2 == 0);
        /* Every third goes before it is bound, or while it is. */
        if (round % 3 != 2) {
            cluster_wait_bound(scene.c, pods, 4);
        }
        delete_gang(&scene, round);
    }
    assert_int_equal(pthread_join(thread[0], NULL), 0);
    assert_int_equal(pthread_join(thread[1], NULL), 0);
    cluster_patch(scene.c, "Node", "node-5", "{'spec':{'unschedulable':false}}");
    cluster_pods(scene.c, "job", 8, "gang", true);
    cluster_wait_bound(scene.c, "job", 8);
    cluster_expect_bound(scene.c, "gang", "job", 8);
    scene_end(&scene);
}

BEFORE_ALL
{
    web_init();
}
