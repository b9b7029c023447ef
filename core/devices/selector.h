/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_DEVICES_SELECTOR_H
#define SKR_CORE_DEVICES_SELECTOR_H
/*
 * Selectors of devices: expressions of CEL (core/cel/cel.h) over one variable, device, with the fields
 * driver, allowMultipleAllocations, attributes and capacity. `device.attributes["DOMAIN"]` of a domain
 * that the device does not have is an empty map; an unknown attribute is an error, as in
 * k8s.io/dynamic-resource-allocation/cel.
 *
 * What is not served, such as the map of all domains as a value, is not guessed: the selector is
 * *unmodelled*, with the position. So is an evaluation that costs more than SKR_SELECTOR_COST_MAX.
 */
#include <uthash.h>

#include "core/cel/cel.h"
#include "topology/base/hash.h"
#include "topology/device_slices.h"

enum {
    SKR_SELECTOR_COST_MAX = 10000, /* of one evaluation */
    SKR_SELECTOR_RUN_STEPS = 32,   /* that an evaluation costs whatever the expression is */
    SKR_SELECTOR_DOMAINS_MAX = 64, /* that one expression names */
    SKR_SELECTOR_READS_MAX = 64, /* attributes that are told apart; with more, all count as read */
    SKR_SELECTOR_BYTES_MAX = 2 * 1024 * 1024, /* of one, compiled */
};

enum skr_device_selector_answer {
    SKR_SELECTOR_NO,
    SKR_SELECTOR_YES,
    SKR_SELECTOR_FAILS,      /* an error of evaluation: kube-scheduler fails the pod */
    SKR_SELECTOR_UNMODELLED, /* not known */
};

struct skr_device_selector {
    struct skr_arena *arena;
    const char *text;
    UT_hash_handle hh; /* the owner's, as refs and id */
    size_t refs;
    uint32_t id;
    const struct skr_cel_program *program; /* NULL: unmodelled */
    const char *why;                       /* of that: "a selector, at LINE:COLUMN: sentence"; "" */
    size_t n_domains;
    const char *domain[SKR_SELECTOR_DOMAINS_MAX]; /* constants that name one */
    /* Attributes by domain and id: its answer about a device rests on the values of these, and on whether all values
     * of the device can be read. */
    bool reads_all;
    size_t n_reads;
    struct {
        const char *domain, *id;
    } read[SKR_SELECTOR_READS_MAX];
    /* Its answers by what it reads of a device (answers.c), the owner's. */
    struct skr_hash_index by_content;
    struct skr_device_answer *answer;
    size_t n_answers, cap_answers;
};

/* Never NULL, whatever the text. Aborts without memory. */
struct skr_device_selector *skr_device_selector_create(const char *text);
void skr_device_selector_destroy(struct skr_device_selector *selector); /* NULL allowed */
/* *steps grows with what the evaluation costs: cost of the expression, and attributes of the device. */
enum skr_device_selector_answer skr_device_selector_ask(const struct skr_device_selector *selector,
                                                        const char *driver,
                                                        const struct skr_device *device,
                                                        uint64_t *steps);
/* Whether the answer rests on an attribute of this name ("DOMAIN/ID", or "ID" of the driver's own). */
bool skr_device_selector_reads(const struct skr_device_selector *selector, const char *driver,
                               const char *name);
/* answer: [device] enum skr_device_selector_answer. O(devices * (attributes + cost)). */
void skr_device_selector_evaluate(const struct skr_device_selector *selector,
                                  const struct skr_device_slice *slice, uint8_t *answer);

#endif
