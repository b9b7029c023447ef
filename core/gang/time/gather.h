/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_TIME_GATHER_H
#define SKR_CORE_GANG_TIME_GATHER_H
/* The input of a round, from the caches: ends of pods on the timeline, waiting groups with their
 * problems. Private to core/gang/time. */
#include "core/gang/state/groups.h"
#include "core/gang/state/solve_request.h"
#include "core/gang/time/answer.h"

enum {
    SKR_TIMELINE_GROUPS_MAX = 4096, /* waiting groups of one round on paper */
    /* Waiting groups without a reservation, of a round of the daemon: at least the minimum, and so many
     * more that their problems have GATHERED_LEAVES. */
    GATHERED_LIVE_MAX = 64,
    GATHERED_LIVE_MIN = 4,
    GATHERED_LEAVES = 1 << 14,
    GATHERED_NAMESPACE_MAX = 8, /* reservations of one, from half of SKR_RESERVATIONS_MAX on */
};

/* A group that waits. */
struct waiting_group {
    struct group *group; /* NULL while the round is away */
    char *key;           /* of the group */
    uint64_t input;      /* its input_epoch */
    skr_time begin;
    bool complete;                     /* it has its members, and has a turn */
    bool paper;                        /* it is gathering.paper */
    int64_t cut;                       /* the end by a Job's deadline; SKR_INSTANT_NEVER: none */
    struct skr_solve_request *request; /* NULL: no problem can be made */
    int32_t *running;
};

struct gathering {
    struct skr_gang *e;
    const struct skr_timeline_request *asked; /* NULL: live */
    bool live;           /* for the daemon: only groups that may have a turn, at most GATHERED_* */
    size_t forecasts;    /* live: instead the first so many without a reservation; 0: a round */
    struct group *paper; /* that is in no table, and would wait from now on; NULL: none */
    uint64_t seen;       /* live: rounds.seen when it began */
    skr_time rests;      /* groups are to be looked at then; 0: none are left */
    struct skr_arena *arena;
    int64_t now;
    struct skr_timeline *timeline;
    uint8_t *overrun; /* [leaf] */
    size_t n_labels, cap_labels;
    char **label; /* namespace/name of groups and pods, sorted: their numbers in the timeline.
                     The caller frees them */
    size_t n, cap;
    struct waiting_group *waiting; /* in the order of groups; incomplete ones last */
    struct skr_round_group *group; /* [n], of those that are complete */
    size_t n_complete;
    int64_t moves_steps; /* left for the moves of all groups */
    /* Live: others may move for this one. Only it and groups with a reservation are in the round, and
     * groups with key movable have labels; NULL: it is another round. */
    const struct group *moves_for;
    int64_t
        *share; /* [SKR_RESOURCES_MAX] part of a namespace of all nodes; NULL: not added up yet */
};

/* Errors: SKR_LIMIT. Always follow with gathering_fini(). */
int gathering_run(struct gathering *in, struct skr_error *error);
void gathering_fini(struct gathering *in);
/* A copy, for the list of labels. */
char *gathering_add_label(struct gathering *in, const char *text);
/* gather_room.c: puts on the timeline what is known of room, and sorts the labels. Those of groups are
 * there. */
int gathering_put_room(struct gathering *in, struct skr_error *error);
/* The number of a label, namespace/name; of one that is not there any number up to n_labels. */
uint32_t gathering_number(const struct gathering *in, const char *label);
/* Sets what the question needs of the times of these pods. False: the limit of the group is over. */
bool gathering_window(const struct gathering *in, const struct group *g,
                      struct pod_entry *const *pod, size_t n, struct skr_start_question *ret);
/* [leaf] members that stay while newcomers are placed. free() it. */
int32_t *gathering_running(const struct gathering *in, const struct group *g,
                           struct pod_entry *const *newcomers, size_t n);
/* When its wait began. */
int64_t gathering_begin(const struct gathering *in, const struct group *g);
/* Whether the daemon may start or reserve for the group when room comes. */
bool gathering_has_turn(const struct skr_gang *e, const struct group *g);
/* What settings say of a round over what was gathered. */
void gathering_set_round(const struct gathering *in, struct skr_round *ret);

#endif
