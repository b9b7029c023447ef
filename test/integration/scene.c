/* SPDX-License-Identifier: Apache-2.0 */
#include "test/integration/scene.h"

#include <stdlib.h>

void scene_begin(struct scene *scene)
{
    *scene = (struct scene){.c = cluster_start(NULL, false)};
    scene->s = scheduler_start(scene->c, NULL);
}

void scene_add_gang(struct scene *scene, int n)
{
    cluster_racks(scene->c, 2, 3, 4);
    cluster_group(scene->c, "gang", n, PACK_SPREAD);
}

void scene_start_daemon(struct scene *scene)
{
    scene->d = daemon_start(scene->c, &scene->options);
    daemon_wait_ready(scene->d);
    scheduler_point(scene->s, daemon_port(scene->d), daemon_bind_port(scene->d));
}

void scene_end(struct scene *scene)
{
    if (scene->d) {
        daemon_stop(scene->d);
    }
    scheduler_stop(scene->s);
    cluster_stop(scene->c);
}

/* Every key of a bound group is there, and no reason. */
static void expect_keys(struct scene *scene)
{
    static const char *const keys[] = {"placement",           "rank",
                                       "schedBeginTime",      "schedEndTime",
                                       "schedTotalTimeMilli", "schedSolverTimeMilli",
                                       "conditions"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        SKR_AUTO_FREE char *text = cluster_key(scene->c, "gang", keys[i]);
        if (!text[0]) {
            cluster_fail(scene->c, "the map has no %s", keys[i]);
        }
    }
    cluster_wait_key(scene->c, "gang", "reason", NULL);
    cluster_wait_key(scene->c, "gang", "message", NULL);
}

void scene_expect_bound(struct scene *scene, int n)
{
    cluster_wait_bound(scene->c, "job", n);
    cluster_expect_bound(scene->c, "gang", "job", n);
    expect_keys(scene);
    scheduler_wait_idle(scene->s);
    if (cluster_writes(scene->c, SKR_WRITE_BINDING) != (size_t)n) {
        cluster_fail(scene->c, "%zu Bindings for %d pods",
                     cluster_writes(scene->c, SKR_WRITE_BINDING), n);
    }
}

void scene_fault(struct scene *scene, const char *match, enum fake_mode mode, int status, int skip)
{
    const struct fake_step step = {
        .match = match,
        .mode = mode,
        .status = status,
        .skip = skip,
        .body = "{\"kind\":\"Status\",\"status\":\"Failure\",\"message\":\"a fault of the test\"}"};
    fake_api_expect(scene->c->api, &step);
}
