/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_DEVICES_ANSWERS_H
#define SKR_CORE_DEVICES_ANSWERS_H
/*
 * What selectors say about devices: the only place that evaluates them for a cluster. A selector is asked once about
 * equal devices, whichever claim, class, pod or namespace names its text, and on whichever nodes the devices are.
 * Devices are equal for it if driver and kind are, and the values that it reads.
 *
 * Evaluation is work, and so are the searches of sequence.h. It is counted in *steps*: the cost of expressions, devices
 * that are looked at, steps of searches. The owner sets how many may be taken until it gives more. Beyond that
 * there are no new answers, and what needs some is *later*: it is not known yet, and asking again goes on where this
 * ended, since answers are kept.
 *
 * Memory: 24 bytes an answer. At SKR_STOCK_ANSWERS_MAX the selector with the most answers, the oldest of several,
 * loses its answers.
 */
#include "core/devices/stock_state.h"

enum { SKR_STOCK_ANSWERS_MAX = 4 * 1024 * 1024 };

/* Steps of one stock. Begins with most UINT64_MAX: there is no bound. */
struct skr_devices_work {
    uint64_t steps; /* that were taken; grows */
    uint64_t most;  /* that may be taken, as steps counts them */
    uint64_t asked; /* evaluations, since the stock was created */
    size_t n_answers;
};

/* The reason of what is later, a clause; compare the pointer. */
extern const char skr_devices_later[];

static inline bool skr_devices_are_later(const struct skr_devices_stock *stock)
{
    return stock->work->steps >= stock->work->most;
}

/* [device] enum skr_device_selector_answer; borrowed until the next call for this slice. NULL: later. O(devices of the
 * slice), and their evaluation the first time. */
const uint8_t *skr_devices_stock_answers(const struct skr_devices_stock *stock,
                                         struct skr_stock_slice *slice,
                                         struct skr_device_selector *selector);
void skr_device_answers_forget(struct skr_devices_stock *stock,
                               struct skr_device_selector *selector);

/* These, and those after them in the list of a slice. */
void skr_slice_answers_forget(struct skr_stock_answers **first);

#endif
