/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_INTEGRATION_SCENE_H
#define SKR_TEST_INTEGRATION_SCENE_H
/* What most tests begin and end with: a cluster of racks, a scheduler, the daemon. */
#include "test/integration/daemon.h"
#include "test/integration/scheduler.h"

#define PACK_SPREAD "{'rack':{'type':'pack'},'node':{'type':'spread'}}"

/* Whether this is a build under a sanitizer: fewer repetitions there. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define SCENE_IS_SLOW true
#else
#define SCENE_IS_SLOW false
#endif

struct scene {
    struct cluster *c;
    struct scheduler *s;
    struct daemon *d;
    struct daemon_options options;
};

/* An empty cluster and a scheduler that knows no daemon yet. */
void scene_begin(struct scene *scene);
/* Two racks of three nodes with four cpus and a group "gang" of n. */
void scene_add_gang(struct scene *scene, int n);
/* The daemon, ready, with the scheduler pointed at it. */
void scene_start_daemon(struct scene *scene);
/* Ends with SIGTERM; everything must be well. */
void scene_end(struct scene *scene);
/* The whole gang "gang" of pods job-* is bound as it should be, each pod with one Binding. */
void scene_expect_bound(struct scene *scene, int n);
/* A fault for the next matching request after skip others. */
void scene_fault(struct scene *scene, const char *match, enum fake_mode mode, int status, int skip);

#endif
