/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_VETOES_H
#define SKR_CORE_GANG_CACHE_VETOES_H
/*
 * What kube-scheduler has shown of a group's pods of one shape: nodes that it refused although the
 * daemon found that the pods fit (vetoes), and nodes that passed its filters afterwards (probed).
 *
 * A veto is a number: how many of the group's pods of the shape the node takes. If kube-scheduler
 * refuses the third pod of a plan on a node, and has accepted two there, the number is 2. The plugin may
 * count what the daemon does not: devices, volumes. A number of 0 closes the node. On nodes without a
 * veto, a number above 0 is a first guess if they offer the same as the node that taught it
 * (skr_vetoes_guess()): it is dropped if the group has no place with it.
 *
 * Vetoes are the group's own. Two groups of one shape may differ in what a shape leaves out: volumes,
 * resource claims, and the namespace that decides about both. The refusal of a pod of one group
 * therefore closes the node for that group alone, for SKR_VETO_S. Members that differ only in their
 * volumes share vetoes: the group needs nodes that are open to all of its members anyway.
 *
 * Memory: a group has vetoes of at most SHAPES_MAX shapes. A set has at most one veto and one bit a
 * node. It goes SKR_VETO_S after its last refusal, or with the group's last pod of the shape.
 */
#include "core/gang/cache/shapes.h"

enum {
    SKR_VETO_S = 60,
    SKR_VETO_GUESSES = 16, /* vetoes that are looked at for a guess, the newest first */
};

struct veto {
    UT_hash_handle hh; /* by node; those that end first come first */
    char *node;
    skr_time until;
    int32_t most; /* unbound pods of the shape that the node takes; 0: it is closed */
    /* A planned node. A probe proves less: the other members were no part of it. */
    bool refused;
    bool
        doubtful; /* members held devices of an earlier plan: perhaps these were the cause; or another
                    * choice of members may fit */
};

struct veto_set {
    struct veto_set *prev, *next;   /* in group->vetoes.set */
    struct veto_set *gprev, *gnext; /* in gang->vetoes */
    struct group *group;
    struct shape *shape; /* a reference */
    skr_time until;      /* of the last veto */
    struct veto *item;
    uint8_t *probed; /* bits by node_entry.number */
    size_t probed_bytes;
};

/* NULL: there is none. g NULL: the pod is in no group, and has none. */
struct veto_set *skr_vetoes_find(const struct group *g, const struct shape *s);
/* INT32_MAX: there is no veto. */
int32_t skr_vetoes_most(const struct skr_gang *e, const struct group *g, const struct shape *s,
                        const char *node);
bool skr_vetoes_close(const struct skr_gang *e, const struct group *g, const struct shape *s,
                      const char *node); /* that is 0 */
/* The group has a veto above 0 for the shape. */
bool skr_vetoes_have_counted(const struct skr_gang *e, const struct group *g,
                             const struct shape *s);
/* For a node without a veto: the largest number above 0 that a node taught which offers the same.
 * INT32_MAX: there is none. O(SKR_VETO_GUESSES * resources). */
int32_t skr_vetoes_guess(const struct skr_gang *e, const struct group *g, const struct shape *s,
                         const struct skr_node *node);
/* A probe left the node out. A number above 0 that stands stays: a refusal taught it. */
void skr_vetoes_add(struct skr_gang *e, struct group *g, struct shape *s, const char *node);
/* The node was planned, and refused to a pod beside `most` others of its plan: no probe ends that veto.
 * A smaller number that stands stays. */
void skr_vetoes_refuse(struct skr_gang *e, struct group *g, struct shape *s, const char *node,
                       int32_t most, bool doubtful);
/* The devices of the node do not serve more pods of this plan: they differ. A smaller number stays. */
void skr_vetoes_limit(struct skr_gang *e, struct group *g, struct shape *s, const char *node,
                      int32_t most);
/* Ends those that are doubtful. O(vetoes of the group). */
void skr_vetoes_end_doubtful(struct skr_gang *e, struct group *g);
/* Planned nodes that are refused now. *ret_counted: those of them that take some pods. */
size_t skr_vetoes_count_refused(const struct skr_gang *e, const struct group *g,
                                const struct shape *s, size_t *ret_counted);
/* Appends "2 on node-0, 1 on node-1, some on 4 others": what such nodes take. false: there are none. */
bool skr_vetoes_say_accepted(const struct skr_gang *e, const struct group *g, const struct shape *s,
                             struct skr_strbuf *b);
/* A probe lists the node. true: that ended a veto. Noted only while there is a set. */
bool skr_vetoes_note_listed(struct skr_gang *e, const struct group *g, const struct shape *s,
                            const char *node);
/* The set has probed nodes. */
bool skr_vetoes_have_probed(const struct veto_set *set);
bool skr_vetoes_was_probed(const struct skr_gang *e, const struct veto_set *set, const char *node);
/* The node or its devices changed, or room on it was given back, also room that kube-scheduler had given to a pod which
 * it only assumed there: what was refused may pass now. O(sets). */
void skr_vetoes_end(struct skr_gang *e, const char *node);
/* Devices that several nodes reach, or rules about devices, changed. O(vetoes). */
void skr_vetoes_end_all(struct skr_gang *e);
/* The same when a member of g gives back room that its plan has had from `since` on. Vetoes of g stay:
 * its own refusal is what gave the room back. Vetoes that are as old as the plan stay, too: that room
 * was free then. Otherwise two groups would end each other's vetoes again and again. */
void skr_vetoes_end_of_others(struct skr_gang *e, const char *node, const struct group *g,
                              skr_time since);
/* Removes what has lasted SKR_VETO_S. O(sets). */
void skr_vetoes_expire(struct skr_gang *e);
/* A member left, or has another shape now. O(members) if the group has vetoes of that shape. */
void skr_vetoes_member_gone(struct skr_gang *e, struct group *g, const struct shape *s);
/* The group goes. */
void skr_vetoes_fini(struct skr_gang *e, struct group *g);

#endif
