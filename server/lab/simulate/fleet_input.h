/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SIMULATE_FLEET_INPUT_H
#define SKR_SERVER_LAB_SIMULATE_FLEET_INPUT_H
/*
 * The objects that a scheduler watches, from files as kubectl writes them, in the caches of an
 * engine of that scheduler. The engine decides nothing: what would be decided is asked of its caches.
 */
#include "core/frame/engine.h"
#include "server/manifest/manifest.h"

struct skr_fleet_object {
    const struct skr_object_type *type;
    const struct skr_meta *meta;
    void *object;  /* of the type; in the caches */
    size_t number; /* in the order of reading: of its manifest */
};

/* What differs from scheduler to scheduler. */
struct skr_fleet_rules {
    const struct skr_scheduler *scheduler;
    const void *settings; /* the scheduler's */
    bool any_version;     /* of the groups that it watches */
    bool into_default;    /* an object without a namespace is in "default" */
    size_t one_cache;     /* watches from this one on share a cache: no name twice; 0: none do */
    /* Appends what a kind that it does not watch is told. */
    void (*ignored)(const char *kind, const char *api_version, struct skr_strbuf *out);
    /* Appends what an object is told, although it is read; NULL: nothing. */
    void (*doubted)(const struct skr_object_type *type, const json_t *object,
                    struct skr_strbuf *out);
    /* Beyond the decoder, while the text is at hand; NULL: nothing. */
    int (*check)(const struct skr_object_type *type, const void *object, struct skr_error *error);
    /* A second object of one kind and name; its message. false: it is an error, else the last counts. */
    bool (*twice)(const struct skr_manifest *first, const struct skr_fleet_object *object,
                  struct skr_strbuf *messages);
};

struct skr_fleet_input {
    const struct skr_fleet_rules *rules;
    struct skr_manifests manifests;
    /* Once finished: */
    struct skr_engine *engine;
    struct skr_fleet_object *object; /* by kind in the order of the watches, then namespace, name */
    size_t n;
};

void skr_fleet_input_init(struct skr_fleet_input *input, const struct skr_fleet_rules *rules);
void skr_fleet_input_fini(struct skr_fleet_input *input);
/* A file, a folder, or "-"; what is wrong is reported in errors with its position. Errors: those of
 * skr_manifests_read(). */
int skr_fleet_input_read(struct skr_fleet_input *input, const char *path,
                         struct skr_strbuf *errors);
int skr_fleet_input_parse(struct skr_fleet_input *input, const char *name, const char *text,
                          size_t n, struct skr_strbuf *errors);
/* After the last file. Kinds that play no part are named in messages, once each. Errors, reported in
 * messages: SKR_INVALID. */
int skr_fleet_input_finish(struct skr_fleet_input *input, struct skr_strbuf *messages);

/* The first object of a type, *ret_n of them in a row. */
const struct skr_fleet_object *skr_fleet_input_of(const struct skr_fleet_input *input,
                                                  const struct skr_object_type *type,
                                                  size_t *ret_n);
/* NULL: there is none. */
const void *skr_fleet_input_find(const struct skr_fleet_input *input,
                                 const struct skr_object_type *type, const char *namespace_,
                                 const char *name);

#endif
