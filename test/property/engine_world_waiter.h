/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_PROPERTY_ENGINE_WORLD_WAITER_H
#define SKR_TEST_PROPERTY_ENGINE_WORLD_WAITER_H
/*
 * A group of a world as the API server's objects alone say, and whether its members have a place: all
 * placements are tried (at most nine nodes and twelve members). What judges measure the engine by.
 */
#include "test/property/engine_world.h"

struct group;

enum { WAITER_MEMBERS_MAX = 12 };

struct node_room {
    const char *name;
    int rack;  /* in the tree; -1: in none */
    bool open; /* ready for new pods */
    int64_t has, used, planned;
    int held; /* members that are bound here */
};

struct waiter {
    const char *name, *status, *reason, *message;
    const struct rig_object *home; /* NULL: labels */
    /* size: the minimum, without what has ended; waiting: with a seat; gated: so too, by others' gates */
    int size, most, ended, step, live, held, waiting, gated;
    bool open, plain; /* plain: its members are judged */
    bool pack, one_a_node;
    int64_t each;  /* cpu of a new member */
    int64_t holds; /* seconds that the members run at most; INT64_MAX: not known */
    int n_nodes;
    struct node_room node[WORLD_NODES];
    const struct rig_object *member[WAITER_MEMBERS_MAX]; /* that wait, oldest first */
    int n_members;
};

enum waiter_room { WAITER_NOW, WAITER_EMPTY, WAITER_UNLIMITED };

/* The topology map's tree; NULL: it cannot be read. To be released. */
json_t *waiter_tree(const struct world *w);
/* The one map or PodGroup that defines it, with rules that can be read; false: there is none, or more. */
bool waiter_home(const struct world *w, struct waiter *g, int group);
/* Nodes, rules and members, of a group that has a home; others' pods and plans are not there yet. */
void waiter_look(const struct world *w, struct waiter *g, const json_t *tree);
void waiter_look_at_others(const struct world *w, struct waiter *g);
/* Closes the nodes that time.spare keeps from its new members. */
void waiter_look_at_spares(const struct rig *rig, struct waiter *g, const struct group *self);
/* A single pod of a higher PriorityClass: plans of the group leave room for it, wherever it goes (ordinary.h). */
bool waiter_a_pod_goes_first(const struct rig *rig, const struct group *g);
/* What the engine keeps free for other groups, whether it is written or not, and for ordinary pods. */
void waiter_look_at_reserved(const struct rig *rig, struct waiter *g, const struct group *self);
/* Room that is reserved for others, of a group that the engine knows. */
void waiter_look_at_promises(const struct world *w, struct waiter *g, const struct group *self);
/* Seats that other groups hold: for long while one of their pods does not leave. */
void waiter_look_at_seats(const struct rig *rig, struct waiter *g, const struct group *self);
/* Others have reserved room there: what gives room back before they start counts for them already. */
bool waiter_is_promised(const struct rig *rig, const struct group *self, const char *node);
/* Limits the nodes that kube-scheduler has refused to the group itself within SKR_VETO_S to what it accepted. */
void waiter_look_at_refused_nodes(const struct rig *rig, struct waiter *g,
                                  const struct group *self);
struct node_room *waiter_room_at(struct waiter *g, const char *node); /* NULL: no such node */
int64_t waiter_cpu_of(const struct skr_quantities *q);

/* How many of its members that wait are placed together. */
int waiter_least(const struct waiter *g);
/* Whether n more members have a place. */
bool waiter_fits(const struct waiter *g, enum waiter_room kind, int n);
int waiter_most_that_fit(const struct waiter *g);
/* As the sentence counts: of each node no more than there are members. */
int waiter_free_slots(const struct waiter *g);

/* Fails unless so. */
void waiter_expect(struct world *w, const struct waiter *g, bool so, const char *what);

#endif
