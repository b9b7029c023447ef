/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/time/away.h"

#include <stdlib.h>

enum { ROUND_BYTES_MAX = 64 * 1024 * 1024 };

struct away *skr_away_create(struct skr_gang *e,
                             int (*run)(struct skr_round *round, struct skr_error *error))
{
    struct away *a = skr_alloc(sizeof *a);
    a->run = run;
    a->in = (struct gathering){.e = e,
                               .live = true,
                               .seen = e->rounds.seen,
                               .now = skr_instant_up(skr_frame_now(e->frame)),
                               .arena = skr_arena_create(ROUND_BYTES_MAX, 0)};
    skr_bug_on(!a->in.arena);
    return a;
}

void skr_away_destroy(void *away)
{
    struct away *a = away;
    if (a->moves) {
        skr_moves_fini(&a->moves->found);
        skr_movers_fini(&a->moves->movers);
        free(a->moves);
    }
    gathering_fini(&a->in);
    for (size_t i = 0; i < a->in.n_labels; i++) {
        free(a->in.label[i]);
    }
    free(a->in.label);
    skr_arena_destroy(a->in.arena);
    free(a);
}

static void run(void *input, struct skr_solver_cache *cache)
{
    struct away *a = input;
    a->round.cache = cache;
    a->rc = a->run(&a->round, &a->error);
    struct away_moves *m = a->moves;
    if (m && a->rc == 0 && a->in.group[m->of].question.problem &&
        !skr_movers_is_soon(&a->in, &a->in.group[m->of], m->after)) {
        a->rc = skr_movers_search(&a->in, m->of, cache, &m->movers, m->most, &m->found, &a->error);
    }
}

uint64_t skr_away_send(struct skr_gang *e, struct away *a, bool aside)
{
    struct skr_solve_request *request = skr_solve_request_create();
    gathering_set_round(&a->in, &a->round);
    request->work.aside = aside;
    request->tree = skr_tree_ref(e->topology.tree);
    request->other = run;
    request->destroy_other = skr_away_destroy;
    request->input = a;
    for (size_t i = 0; i < a->in.n_complete; i++) {
        a->in.waiting[i].group = NULL;
        if (a->in.waiting[i].request) {
            a->in.waiting[i].request->problem.cancel = &request->work.cancel;
        }
    }
    if (a->moves) {
        skr_movers_stop_by(&a->moves->movers, &request->work.cancel);
    }
    return skr_frame_work(e->frame, &request->work);
}
