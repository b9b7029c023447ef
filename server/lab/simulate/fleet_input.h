/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SIMULATE_FLEET_INPUT_H
#define SKR_SERVER_LAB_SIMULATE_FLEET_INPUT_H
/*
 * Reads the objects that a scheduler watches from files, as kubectl writes them, into the caches of
 * that scheduler's engine. The engine decides nothing: decisions are computed from its caches.
 */
#include "core/frame/engine.h"
#include "server/manifest/manifest.h"

struct skr_fleet_object {
    const struct skr_object_type *type;
    const struct skr_meta *meta;
    void *object;  /* of the type; in the caches */
    size_t number; /* the index of its manifest in reading order */
};

/* Differences between schedulers. */
struct skr_fleet_rules {
    const struct skr_scheduler *scheduler;
    const void *settings; /* the scheduler's */
    bool any_version;     /* of the groups that it watches */
    bool into_default;    /* an object without a namespace is in "default" */
    size_t one_cache; /* watches from this one on share a cache: no duplicate name; 0: none do */
    /* Appends a message for a kind that is not watched. */
    void (*ignored)(const char *kind, const char *api_version, struct skr_strbuf *out);
    /* Appends a warning for an object that is read; NULL: none. */
    void (*doubted)(const struct skr_object_type *type, const json_t *object,
                    struct skr_strbuf *out);
    /* An extra check after decoding, while the text is available; NULL: none. */
    int (*check)(const struct skr_object_type *type, const void *object, struct skr_error *error);
    /* A duplicate object: writes its message. False: it is an error, else the last one counts. */
    bool (*twice)(const struct skr_manifest *first, const struct skr_fleet_object *object,
                  struct skr_strbuf *messages);
};

struct skr_fleet_input {
    const struct skr_fleet_rules *rules;
    struct skr_manifests manifests;
    /* After skr_fleet_input_finish(): */
    struct skr_engine *engine;
    struct skr_fleet_object *object; /* by kind in the order of the watches, then namespace, name */
    size_t n;
};

void skr_fleet_input_init(struct skr_fleet_input *input, const struct skr_fleet_rules *rules);
void skr_fleet_input_fini(struct skr_fleet_input *input);
/* A file, a folder, or "-"; writes errors with positions to errors. Errors: those of
 * skr_manifests_read(). */
int skr_fleet_input_read(struct skr_fleet_input *input, const char *path,
                         struct skr_strbuf *errors);
int skr_fleet_input_parse(struct skr_fleet_input *input, const char *name, const char *text,
                          size_t n, struct skr_strbuf *errors);
/* Call after the last file. Names ignored kinds in messages, once each. Errors, reported in
 * messages: SKR_INVALID. */
int skr_fleet_input_finish(struct skr_fleet_input *input, struct skr_strbuf *messages);

/* The first object of a type; *ret_n of them are adjacent. */
const struct skr_fleet_object *skr_fleet_input_of(const struct skr_fleet_input *input,
                                                  const struct skr_object_type *type,
                                                  size_t *ret_n);
/* NULL: none. */
const void *skr_fleet_input_find(const struct skr_fleet_input *input,
                                 const struct skr_object_type *type, const char *namespace_,
                                 const char *name);

#endif
