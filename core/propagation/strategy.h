/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_PROPAGATION_STRATEGY_H
#define SKR_CORE_PROPAGATION_STRATEGY_H
/*
 * The registry of assignment strategies: how replicas are given to the selected clusters. A row is
 * a strategy; selection and the main flow know the registry alone. It is built once at start-up and
 * not changed afterwards.
 */
#include "core/propagation/decision.h"

enum { SKR_STRATEGIES_MAX = 16 };

/* Candidates of one assignment, in the order they were picked. given is the result. */
struct skr_assign_item {
    const struct skr_candidate *candidate;
    int64_t given;
};
struct skr_assign_call {
    const struct skr_binding_decision *decision;
    int64_t replicas; /* to give */
    size_t n;
    struct skr_assign_item *item;
    char message[160]; /* with an error */
};

struct skr_strategy {
    const char *name;
    enum skr_division_kind kind; /* the kind of placement that it serves */
    /* Writes given of every item. Returns PLACED or a code, with the message. */
    enum skr_propagation_code (*assign)(struct skr_assign_call *call);
};

struct skr_strategies {
    size_t n;
    const struct skr_strategy *row[SKR_STRATEGIES_MAX];
};

/* Errors: SKR_CONFLICT (a strategy of that name or for that kind is there), SKR_LIMIT. Borrows. */
int skr_strategies_register(struct skr_strategies *strategies, const struct skr_strategy *strategy,
                            struct skr_error *error);
/* NULL: none serves that kind. */
const struct skr_strategy *skr_strategies_get(const struct skr_strategies *strategies,
                                              enum skr_division_kind kind);
/* Duplicated, StaticWeight, DynamicWeight, Aggregated. */
void skr_strategies_register_built_in(struct skr_strategies *strategies);

#endif
