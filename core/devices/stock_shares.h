/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_DEVICES_STOCK_SHARES_H
#define SKR_CORE_DEVICES_STOCK_SHARES_H
/*
 * What one namespace may use of a stock, so that the others do not notice it:
 *
 * - steps of evaluation and search (answers.h): SKR_SHARE_STEPS a minute. The allowance grows all the time, up to that of
 *   a minute. A namespace that has used it up is *over* until it has a sixth of it again
 * - distinct specs that its pods need at a time, and their selectors
 * - bytes of the texts that its claims and templates brought
 * - kube-scheduler, where that alone evaluates claims (core/gang/group/uncounted.h): one *attempt* at a time, then a
 *   pause as long as the attempt took. After a refusal the pause is a second at least, and doubles with each one in a
 *   row, up to SKR_SHARE_PAUSE_MAX_S
 *
 * A namespace that uses nothing has no row.
 */
#include "core/devices/stock_state.h"
#include "topology/object.h"

enum {
    SKR_SHARE_STEPS = 20000000, /* a minute */
    SKR_SHARE_SPECS_MAX = 512,
    SKR_SHARE_SELECTORS_MAX = 1024,
    SKR_SHARE_TEXT_BYTES_MAX = 8 * 1024 * 1024,
    SKR_SHARE_PAUSE_MAX_S = 300,
    SKR_SHARE_ROW_KEPT_S = 600, /* after the last pause */
};

struct skr_stock_share {
    UT_hash_handle hh; /* by name */
    size_t n_specs, n_selectors;
    size_t text_bytes;
    int64_t left; /* steps, as of at */
    skr_time at;
    bool over;
    size_t attempts;  /* of kube-scheduler, under way */
    uint32_t refused; /* in a row */
    skr_time opens;   /* no attempt before */
    size_t waiting;   /* pods that kube-scheduler has, as of the stock's waiting_at; uncounted.c */
    char name[];
};

/* O(1), and O(namespaces) for a new one. */
struct skr_stock_share *skr_stock_share_get(struct skr_devices_stock *stock,
                                            const char *namespace_);
void skr_stock_share_spend(struct skr_devices_stock *stock, const char *namespace_, uint64_t steps,
                           skr_time now);
/* Steps that are left; 0: it is over. */
int64_t skr_stock_share_left(const struct skr_devices_stock *stock, const char *namespace_,
                             skr_time now);
/* When it is over no more. */
skr_time skr_stock_share_until(const struct skr_devices_stock *stock, const char *namespace_,
                               skr_time now);
void skr_stock_share_attempt(struct skr_devices_stock *stock, const char *namespace_);
enum skr_stock_attempt {
    SKR_STOCK_TAKEN,
    SKR_STOCK_REFUSED,
    SKR_STOCK_ENDED, /* by something else: the row of refusals stays */
};
/* took: how long kube-scheduler had it. */
void skr_stock_share_attempted(struct skr_devices_stock *stock, const char *namespace_,
                               enum skr_stock_attempt how, skr_time took, skr_time now);
/* As skr_devices_stock_spec(), for a pod of the namespace. *ret_why: the limit that is reached, a clause. */
const struct skr_claim_spec *skr_stock_share_spec(struct skr_devices_stock *stock,
                                                  const char *namespace_, const char *text,
                                                  const char **ret_why);
bool skr_stock_share_limits(const char *why); /* whether the reason is such a limit; NULL allowed */
void skr_stock_shares_fini(struct skr_devices_stock *stock);

#endif
