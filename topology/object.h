/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_OBJECT_H
#define SKR_TOPOLOGY_OBJECT_H
/*
 * What all API objects have in common, and the two kinds the tree is made of: ConfigMap and Node. A
 * decoded object is immutable, lives in one arena of its own, and is owned by whoever holds it
 * (usually the engine's cache). Decoding takes what we use and ignores the rest; unknown fields are
 * never an error, a field of the wrong JSON type is (with the path of the field).
 */
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "topology/base/arena.h"
#include "topology/base/error.h"
#include "topology/base/json.h"
#include "topology/labels.h"
#include "topology/resources.h"

/* Nanoseconds since 1970-01-01 UTC. */
typedef int64_t skr_time;
#define SKR_SECOND      ((skr_time)1000000000)
#define SKR_MILLISECOND ((skr_time)1000000)
#define SKR_TIME_NEVER  INT64_MAX

enum {
    SKR_OBJECT_BYTES_MAX = 8 * 1024 * 1024, /* arena limit of one decoded object */
};

/* Sets SKR_LIMIT "PATH: object larger than ..."; the arena is full or there is no memory. */
int skr_object_too_large(struct skr_error *error, const char *path);

struct skr_meta {
    const char *namespace_; /* "" for cluster-scoped objects */
    const char *name;
    const char *uid;           /* "" when absent */
    uint64_t resource_version; /* 0 when absent or not a number; larger is newer */
    skr_time created;          /* 0 when absent */
    bool deleting;             /* has a deletionTimestamp */
    skr_time deleted_at;       /* that, with the grace period in it; 0 when absent */
    int32_t deletion_grace_s;  /* deletionGracePeriodSeconds; -1 when absent */
    struct skr_labels labels;
    struct skr_labels annotations; /* skr_meta_annotations */
};

struct skr_configmap {
    struct skr_arena *arena;
    struct skr_meta meta;
    struct skr_labels data;
    bool immutable; /* nobody may change data any more; metadata is free */
};

enum skr_taint_effect {
    SKR_TAINT_NO_SCHEDULE,
    SKR_TAINT_NO_EXECUTE,
    SKR_TAINT_PREFER_NO_SCHEDULE,
    SKR_TAINT_OTHER,
    SKR_TAINT_EFFECT_COUNT
};

enum skr_taint_effect skr_taint_effect_find(const char *text);

struct skr_taint {
    const char *key;
    const char *value; /* "" when absent */
    enum skr_taint_effect effect;
};

struct skr_node {
    struct skr_arena *arena;
    struct skr_meta meta;
    bool unschedulable;
    bool ready; /* condition Ready is True; a node without that condition counts as ready */
    skr_time
        unready_since; /* lastTransitionTime of a condition Ready that is not True; 0: unknown */
    size_t n_taints;
    struct skr_taint *taints;
    struct skr_quantities allocatable; /* "pods" included */
};

/* Borrow json. *ret is owned by the caller. Errors: SKR_INVALID (path of the field), SKR_LIMIT. The _decode
 * functions take trees and do what the _read functions do. */
int skr_configmap_read(const struct skr_json *json, struct skr_configmap **ret,
                       struct skr_error *error);
int skr_configmap_decode(const json_t *json, struct skr_configmap **ret, struct skr_error *error);
void skr_configmap_destroy(struct skr_configmap *map); /* NULL allowed */
SKR_AUTO_DEFINE(struct skr_configmap, skr_configmap_destroy)
/* The instant that a text has; 0: it has none. NULL allowed. */
skr_time skr_object_time(const struct skr_json *value);
int skr_node_read(const struct skr_json *json, struct skr_node **ret, struct skr_error *error);
int skr_node_decode(const json_t *json, struct skr_node **ret, struct skr_error *error);
/* The same taints in the same order. */
bool skr_node_taints_equal(const struct skr_node *a, const struct skr_node *b);
void skr_node_destroy(struct skr_node *node);
SKR_AUTO_DEFINE(struct skr_node, skr_node_destroy)

/* For other kinds' decoders: fills meta from an object's "metadata". prefixes: NULL-terminated list
 * of label key prefixes to keep, NULL keeps all. Fields that are absent are "" or 0, the name too
 * (objects with generateName): decoders that need one check it. */
int skr_meta_decode(struct skr_arena *arena, const json_t *object, const char *const *prefixes,
                    struct skr_meta *ret, struct skr_error *error);

/* The members of "metadata" that decoders look at, looked up once. */
enum skr_meta_member {
    SKR_META_NAME,
    SKR_META_NAMESPACE,
    SKR_META_UID,
    SKR_META_VERSION,
    SKR_META_CREATED,
    SKR_META_DELETED,
    SKR_META_GRACE,
    SKR_META_LABELS,
    SKR_META_ANNOTATIONS,
    SKR_META_OWNERS,
    SKR_META_COUNT
};
struct skr_meta_members {
    const struct skr_json *metadata;           /* borrowed, as it is; NULL: absent */
    const struct skr_json *of[SKR_META_COUNT]; /* likewise; all NULL when it is no object */
};
/* metadata: any value, or NULL. */
void skr_meta_members_read(const struct skr_json *metadata, struct skr_meta_members *ret);
/* Beginnings of the annotations that objects keep: our own, and the size that LeaderWorkerSet writes on its
 * pods (core/group/workload.h), and the topology of Kueue. Ends with NULL. */
extern const char *const skr_meta_annotations[];
/* As skr_meta_decode(). */
int skr_meta_read(struct skr_arena *arena, const struct skr_meta_members *members,
                  const char *const *prefixes, struct skr_meta *ret, struct skr_error *error);
/* Whether it was created earlier; at one time the name decides. */
bool skr_meta_is_older(const struct skr_meta *meta, const struct skr_meta *than);
/* A resourceVersion as a number; 0: it is none. */
uint64_t skr_meta_version_parse(const char *text);
/* A JSON object of strings as a sorted list; prefixes as above. known: keys that are not copied, ends with
 * NULL; NULL: none. path is for the error text. */
int skr_labels_read(struct skr_arena *arena, const struct skr_json *object,
                    const char *const *prefixes, const char *const *known, const char *path,
                    struct skr_labels *ret, struct skr_error *error);
int skr_labels_decode(struct skr_arena *arena, const json_t *object, const char *const *prefixes,
                      const char *path, struct skr_labels *ret, struct skr_error *error);
/* Bytes that skr_labels_read() takes of an arena at most. */
size_t skr_labels_size(const struct skr_json *object, const char *const *prefixes,
                       const char *const *known);
/* A resource list ({"cpu":"2"}; numbers are tolerated) as sorted amounts. */
int skr_quantities_read(struct skr_arena *arena, const struct skr_json *object, const char *path,
                        struct skr_quantities *ret, struct skr_error *error);
int skr_quantities_decode(struct skr_arena *arena, const json_t *object, const char *path,
                          struct skr_quantities *ret, struct skr_error *error);
/* What caches name an object by: "namespace/name", or the name alone without a namespace. The caller
 * frees it. */
char *skr_object_key(const char *namespace_, const char *name);
/* RFC 3339 with optional fraction and offset. */
int skr_time_parse(const char *text, skr_time *ret, struct skr_error *error);
/* RFC 3339, nanoseconds with trailing zeros dropped, at the given offset from UTC; buffer >= 36
 * bytes. */
void skr_time_write(skr_time t, int32_t utc_offset_s, char *buffer, size_t size);

#endif
