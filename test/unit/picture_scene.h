/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_PICTURE_SCENE_H
#define SKR_TEST_UNIT_PICTURE_SCENE_H
/*
 * A gang engine with a cluster of any size and a picture of it: nodes in racks of 40, groups whose
 * members all run, with limits. What a description costs is measured here, by bench_picture and by a test.
 */
#include "core/frame/engine.h"
#include "core/frame/picture.h"
#include "topology/base/strbuf.h"

enum { PICTURE_SIZE = 45, PICTURE_CHANGED = 4, PICTURE_MOVED = 10 };

struct picture_scene {
    struct skr_engine *engine;
    struct skr_actions actions;
    skr_time now;
    struct skr_picture *picture;
    int nodes, groups;
    int round;
    size_t bytes; /* of the last description, or document */
};

/* groups of PICTURE_SIZE members each, with up to 8 members on a node. */
void picture_scene_init(struct picture_scene *s, int nodes, int groups);
void picture_scene_fini(struct picture_scene *s);
/* PICTURE_MOVED members of each of PICTURE_CHANGED groups succeed, or run again: 40 nodes change. */
void picture_scene_change(struct picture_scene *s);
/* A description; CPU time in microseconds. Fails if the news are others. */
double picture_scene_draw(struct picture_scene *s, enum skr_picture_news wanted);
double picture_scene_hours(struct picture_scene *s); /* /v1/timeline */
double picture_scene_write(struct picture_scene *s); /* the document */

#endif
