/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_REPORT_SENTENCE_H
#define SKR_CORE_GANG_REPORT_SENTENCE_H
/*
 * Explanations of groups: the sentence, the tokens, and the solver's account of a group without a
 * placement, as JSON (docs/reference.md, "Explanations"). Used by core/gang/explain.
 *
 * The account is made on request by a separate solve (explain_request.c), and cached with the group
 * until a fact it rests on changes. A group that only waits has no such cost.
 */
#include "core/gang/state/gang.h"
#include "core/gang/state/solve_request.h"

enum {
    SKR_EXPLAIN_ASKERS_MAX = 32,      /* concurrent requests; more are refused */
    SKR_EXPLAIN_ASIDE_MAX = 8,        /* beyond so many requests groups are not explained aside */
    SKR_EXPLAIN_PATIENCE_S = 10,      /* from a request to its answer */
    SKR_EXPLAIN_STEPS_MAX = 512,      /* of the search for relaxations */
    SKR_EXPLAIN_TRIES_MAX = 3,        /* solves per request, if the group changes meanwhile */
    SKR_EXPLAIN_BLOCKERS_MAX = 8,     /* named per domain: groups and pods; nodes likewise */
    SKR_EXPLAIN_NODES_MAX = 5,        /* named in a warning */
    SKR_EXPLAIN_OPENED_MAX = 8,       /* closed nodes that a relaxation names */
    SKR_EXPLAIN_MOVED_MAX = 64,       /* nodes in the change of a group that starts anew */
    SKR_EXPLAIN_PHRASE_NODES_MAX = 3, /* nodes in the text of a relaxation */
};

/* The solver's account of a group, cached with it. */
struct explained {
    uint64_t seen;        /* the stamp when the problem was built */
    uint64_t input_epoch; /* of the group, then */
    char *account;        /* JSON members, comma in front of each: need, have, domains, ... */
    char *relaxations;    /* JSON objects, comma separated; NULL: none */
    char *smaller;        /* the last of them: another size; NULL: none */
    char *size;           /* that of smaller: "size=6", "roles.worker.size=6"; NULL: none */
    char *set;            /* "constraints.rack.hard=false": the first rule to change; NULL: none */
    char *preemption;     /* JSON of explain_preemption.h; NULL: not requested */
    uint64_t preemption_seen, preemption_input; /* as above, when that problem was built */
};

/* A solved problem and its explanation, while the account is written. */
struct account {
    struct skr_gang *e;
    const struct group *g;
    const struct skr_solve_request *request;
    const struct skr_explanation *x;
    const struct skr_roles_explanation *roles; /* NULL: the members are equal */
    int32_t claims[SKR_ROLES_MAX]; /* with roles: seats of each that are taken already */
    /* Index of the resource with the fewest slots; with roles: of which the newcomers need the
     * largest part. */
    size_t scarce;
};
void skr_account_init(struct account *a, struct skr_gang *e, const struct group *g,
                      const struct skr_solve_request *request, const struct skr_solution *s);
const char *skr_account_resource(const struct account *a,
                                 size_t r); /* name of problem resource r */
/* Leaves below a unit: *ret_first .. *ret_end - 1. */
void skr_account_leaves(const struct skr_tree *tree, int32_t unit, int32_t *ret_first,
                        int32_t *ret_end);
/* A node by its name, other units by their path: "zone-0/rack-1". */
void skr_account_unit_name(const struct skr_tree *tree, int32_t unit, struct skr_strbuf *b);
#define SKR_ACCOUNT_SPARE "Spare" /* option time.spare */
/* Why the node of a leaf is closed to members of a role of the group, as a word; NULL: it is open.
 * *ret_opens: it would be open if it were Ready, not cordoned, without taints and no spare. */
const char *skr_account_closed(const struct account *a, int32_t leaf, int role, bool *ret_opens);
/* ,"key":{"cpu":1000} of amounts, [problem.n_resources]; without those that no member needs. */
void skr_account_amounts(const struct account *a, const char *key, const int64_t *amount,
                         struct skr_strbuf *b);

void skr_explained_destroy(struct explained *x); /* NULL allowed; explain_account.c */

/* sentence.c: appends to b why the members of the problem have no place. If the group holds seats,
 * it needs only the others, its own are not called free, and the choice is named: the whole group
 * anew or a smaller size. */
void skr_explain_sentence(struct skr_gang *e, struct group *g, const struct skr_solution *s,
                          const struct skr_solve_request *request, struct skr_strbuf *b);
/* The role of the problem whose lack is the shortage of the unit. Of equal ones: some of it fit, then
 * role order. -1: no role alone is short. */
int skr_explain_short_role(const struct skr_roles *roles, const struct skr_bottleneck *unit);
/* "1 leader and 4 workers", of equal members "5 EQUAL". count: [role of the problem]. */
void skr_explain_say_counts(const struct group *g, const struct skr_solve_request *request,
                            const int32_t *count, const char *equal, struct skr_strbuf *b);
/* The level whose rule binds further members to the units of the others: the deciding one, else the
 * first that ties them to a number of units; 0: none. */
int32_t skr_explain_tying_level(const struct skr_explanation *x, const struct skr_problem *p);

/* explain_account.c: need, have, sizes; with domains. */
void skr_explain_account(const struct account *a, struct skr_strbuf *b);
/* explain_domains.c: the member "domains". */
void skr_explain_domains(const struct account *a, struct skr_strbuf *b);
/* explain_relaxations.c: room, of equal members, then rules: objects, comma separated. *ret_set as in struct explained,
 * may be NULL. */
void skr_explain_relaxations(const struct account *a, struct skr_strbuf *b, char **ret_set);
/* One object: the largest size that fits. Adds nothing if none does. *ret_set as above. */
void skr_explain_size(const struct account *a, struct skr_strbuf *b, char **ret_set);
/* One object: the whole group leaves its seats and starts anew. Adds nothing if there is no room
 * for that, or if it was not requested. */
void skr_explain_moved(const struct account *a, struct skr_strbuf *b);
/* One object: opens the closed leaves on which s places members. Adds nothing if there are none or
 * too many. */
void skr_explain_opened(const struct account *a, const struct skr_solution *s,
                        struct skr_strbuf *b);

/* State and reason of a group in its answer. */
struct explain_standing {
    const char *token; /* of its reason; not repeated under "also" */
    bool on_its_way, placed;
};
/* explain_also.c: the member "also". */
void skr_explain_also(struct skr_gang *e, const struct group *g,
                      const struct explain_standing *standing, struct skr_strbuf *b);

/* explain_next.c: the member "next" of a group that waits, by reason. */
void skr_explain_next(const struct skr_gang *e, const struct group *g, enum skr_reason reason,
                      bool preempt, struct skr_strbuf *b);
/* explain_answer.c: the whole answer; preempt: including victims. */
void skr_explain_answer_group(struct skr_gang *e, const struct group *g, bool preempt,
                              struct skr_strbuf *b);
void skr_explain_answer_map(struct skr_gang *e, const struct map_entry *m, struct skr_strbuf *b);

#endif
