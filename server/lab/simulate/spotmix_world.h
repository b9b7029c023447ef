/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SIMULATE_SPOTMIX_WORLD_H
#define SKR_SERVER_LAB_SIMULATE_SPOTMIX_WORLD_H
/*
 * The environment of the spot mix when events are replayed from a file. The mix is the daemon's;
 * the rest is here:
 * - an API server that sends AdmissionReviews and applies the returned patches
 * - watches that may be late
 * - a scheduler that knows only classes of nodes
 * - the ReplicaSet controller's choice of pods to delete
 * The scheduler's row over the lab's store is not used. The file says what each watch has seen, and
 * its objects may lack what an API server requires. It names all pods of the wrong class at once;
 * the row evicts them one at a time.
 */
#include "core/spotmix/view.h"

/* A ReplicaSet, StatefulSet or other controller of pods. */
struct skr_spotmix_sim_owner {
    const char *id, *kind, *hash; /* borrowed from the configuration; hash "" when absent */
    char name[254], uid[48];
    int64_t revision; /* ReplicaSet of a Deployment; 0: not rolled out yet */
};

struct skr_spotmix_sim_pod {
    char *alias;
    struct skr_spotmix_sim_owner *owner; /* NULL: none */
    json_t *object;                      /* in the API server, stored or not */
    json_t *reviewed;                    /* after its review */
    size_t number;
    bool patched;
    json_t *warnings; /* array */
    json_t *patch;    /* NULL: none */
    bool persisted, observed, terminating, gone;
    bool evict; /* the reconciler has requested it */
};

struct skr_spotmix_world {
    const json_t *config; /* of the file */
    struct skr_spotmix_settings settings;
    struct skr_spotmix *mix; /* NULL: the webhook is down */
    skr_time now;
    json_t *workload; /* its object */
    struct skr_spotmix_sim_owner *owner;
    size_t n_owners;
    const struct skr_spotmix_sim_owner *current; /* of the Deployment */
    int64_t nodes[SKR_SPOTMIX_CLASS_COUNT];
    struct skr_spotmix_sim_pod **pod; /* in order of creation */
    size_t n_pods, cap_pods;
    size_t surplus;   /* pods that a scale-down must still delete */
    uint64_t reviews; /* number sent so far: uids and tokens follow from it */
    bool settled;     /* the last round wrote nothing */
    struct skr_strbuf *messages;
};

/* Borrows config and messages. Errors: SKR_INVALID. Call _fini() in any case. */
int skr_spotmix_world_init(struct skr_spotmix_world *world, const json_t *config,
                           struct skr_strbuf *messages, struct skr_error *error);
void skr_spotmix_world_fini(struct skr_spotmix_world *world);

/* The latest pod of that alias, or NULL. */
struct skr_spotmix_sim_pod *skr_spotmix_world_find(const struct skr_spotmix_world *world,
                                                   const char *alias);
bool skr_spotmix_sim_pod_is_live(const struct skr_spotmix_sim_pod *pod);

/* Creates a pod: reviewed, patched, stored unless persist is false or it is a dry run; not
 * observed. Returns the HTTP status. fields: those of the event. *ret: NULL allowed. */
unsigned skr_spotmix_world_create(struct skr_spotmix_world *world, const json_t *fields,
                                  struct skr_spotmix_sim_pod **ret);
/* Sends any body to the webhook. */
unsigned skr_spotmix_world_post(struct skr_spotmix_world *world, const char *body, size_t len,
                                json_t **ret_response);
void skr_spotmix_world_observe(struct skr_spotmix_world *world, struct skr_spotmix_sim_pod *pod);
void skr_spotmix_world_terminate(struct skr_spotmix_world *world, struct skr_spotmix_sim_pod *pod);
void skr_spotmix_world_remove(struct skr_spotmix_world *world, struct skr_spotmix_sim_pod *pod);
/* Deletes the rest of the surplus, as the controllers choose. */
void skr_spotmix_world_shrink(struct skr_spotmix_world *world);
void skr_spotmix_world_scale(struct skr_spotmix_world *world, int64_t replicas);
void skr_spotmix_world_label(struct skr_spotmix_world *world, const json_t *labels);
void skr_spotmix_world_rollout(struct skr_spotmix_world *world,
                               struct skr_spotmix_sim_owner *owner);
struct skr_spotmix_sim_owner *skr_spotmix_world_owner(const struct skr_spotmix_world *world,
                                                      const char *id);
void skr_spotmix_world_set_nodes(struct skr_spotmix_world *world, const json_t *nodes);
/* event: ignored. */
void skr_spotmix_world_stop(struct skr_spotmix_world *world, const json_t *event);
/* Starts with empty caches and lists everything. event: ignored. */
void skr_spotmix_world_start(struct skr_spotmix_world *world, const json_t *event);
/* The scheduler binds and the mix repairs until nothing changes. */
void skr_spotmix_world_settle(struct skr_spotmix_world *world);
/* uids of pods whose class is wrong, by index; borrowed until the next event. */
size_t skr_spotmix_world_wrong(const struct skr_spotmix_world *world, const char **ret, size_t max);

#endif
