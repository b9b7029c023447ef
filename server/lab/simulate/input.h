/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SIMULATE_INPUT_H
#define SKR_SERVER_LAB_SIMULATE_INPUT_H
/*
 * The input of `sakkara simulate`: initial objects, and the timed steps of Scenario documents
 * (server/manifest/scenario.h).
 *
 * Names: an object with generateName gets the same name in every run. "job-a-" gives job-a for a
 * workload and job-a-0 for a pod; if that is used, the next free number is appended.
 */
#include "core/gang/state/settings.h"
#include "server/config/config.h"
#include "server/lab/store/store.h"
#include "server/manifest/manifest.h"

enum skr_simulate_step_kind {
    SKR_SIMULATE_CREATE,
    SKR_SIMULATE_DELETE,
    SKR_SIMULATE_PATCH,
    SKR_SIMULATE_STEP_KIND_COUNT
};

struct skr_simulate_step {
    skr_time at; /* since the beginning */
    enum skr_simulate_step_kind kind;
    const json_t *body;               /* borrowed from its manifest */
    const struct skr_manifest *where; /* the Scenario, for messages */
    size_t number;                    /* in it, from 0 */
};

struct skr_simulate_input {
    struct skr_manifests manifests;
    struct skr_simulate_step *step; /* sorted by time, then order of writing */
    size_t n_steps, cap_steps;
    size_t n_unplayed; /* objects with pod templates, of kinds that are not simulated */
    int percentage;    /* 0: the default */
    const struct skr_label_levels *label_levels; /* option topology, borrowed; NULL: none */
    skr_time start; /* of the clock: 2025-01-01, or the first second after all creation times */
};

/* The daemon's configuration in a file, or its defaults if path is NULL. NULL: refused, which
 * messages say. */
struct skr_config *skr_simulate_config(const char *path, struct skr_strbuf *messages);

void skr_simulate_input_init(struct skr_simulate_input *input);
void skr_simulate_input_fini(struct skr_simulate_input *input);

/* Adds a file, a folder or "-". Errors: of skr_manifests_read(), written to errors. Objects of
 * engine and scheduler are decoded here too, so that errors have positions. */
int skr_simulate_input_read(struct skr_simulate_input *input, const char *path,
                            struct skr_strbuf *errors);
/* The same for several, to the last one. Returns the exit code of the first error. */
int skr_simulate_input_read_all(struct skr_simulate_input *input, const char *const *path, size_t n,
                                struct skr_strbuf *errors);
/* The same for a text. */
int skr_simulate_input_parse(struct skr_simulate_input *input, const char *name, const char *text,
                             size_t n, struct skr_strbuf *errors);
/* Call after the last file: orders the steps, computes the start, and warns once per kind about
 * what is ignored or not modelled. */
void skr_simulate_input_finish(struct skr_simulate_input *input, struct skr_strbuf *warnings);

/* Settings by the kinds of devices and volumes that are there, and a note of those that are not
 * (server/manifest/dump_kinds.h). Call after skr_simulate_input_finish(). */
void skr_simulate_input_kinds(const struct skr_simulate_input *input, struct skr_settings *settings,
                              struct skr_strbuf *notes);

/* Creates the initial objects. Calls tick regularly, so that watchers can keep up. Errors:
 * SKR_INVALID, reported in errors with positions. */
int skr_simulate_input_load(const struct skr_simulate_input *input, struct skr_store *store,
                            skr_time now, void (*tick)(void *context), void *context,
                            struct skr_strbuf *errors);
/* Executes a step. */
int skr_simulate_step_apply(const struct skr_simulate_step *step, struct skr_store *store,
                            skr_time now, struct skr_strbuf *errors);

/* Frees the initial objects; pointers borrowed from them are void. The steps stay. */
void skr_simulate_input_drop(struct skr_simulate_input *input);

#endif
