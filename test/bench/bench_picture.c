/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the page /ui costs the engine: 5,000 nodes in racks of 40, 500 groups of 45 bound members. The
 * first description, a description without news, one after 40 nodes and 4 groups have changed, and
 * the document. CPU time.
 *
 * usage: bench_picture [ROUNDS]      default 100
 */
#include <stdio.h>
#include <stdlib.h>

#include "test/bench/times.h"
#include "test/unit/picture_scene.h"
#include "topology/base/arena.h"

enum { NODES = 5000, GROUPS = 500 };

static void say(const char *what, double *took, int n, const struct picture_scene *s)
{
    printf("| %-40s | %9.0f | %9.0f | %9zu |\n", what, times_percentile(took, n, 50),
           times_percentile(took, n, 99), s->bytes);
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 100;
    struct picture_scene scene, *s = &scene;
    double *took = skr_alloc_array((size_t)rounds + 1, sizeof *took), first;
    picture_scene_init(s, NODES, GROUPS);
    printf("| 5,000 nodes, 500 groups, 22,500 pods     | median us |    p99 us |     bytes |\n"
           "|------------------------------------------|-----------|-----------|-----------|\n");
    first = picture_scene_draw(s, SKR_PICTURE_ANEW);
    say("first description", &first, 1, s);
    for (int i = 0; i < rounds; i++) {
        took[i] = picture_scene_draw(s, SKR_PICTURE_SAME);
    }
    say("no news", took, rounds, s);
    for (int i = 0; i < rounds; i++) {
        picture_scene_change(s);
        took[i] = picture_scene_draw(s, SKR_PICTURE_CHANGED);
    }
    say("40 nodes and 4 groups changed", took, rounds, s);
    for (int i = 0; i < rounds; i++) {
        took[i] = picture_scene_write(s);
    }
    say("the document", took, rounds, s);
    for (int i = 0; i < rounds; i++) {
        took[i] = picture_scene_hours(s);
    }
    say("the next hours", took, rounds, s);
    free(took);
    picture_scene_fini(s);
    return 0;
}
