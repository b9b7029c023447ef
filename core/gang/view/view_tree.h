/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_VIEW_VIEW_TREE_H
#define SKR_CORE_GANG_VIEW_VIEW_TREE_H
/* The page of the tree while it is made: the request (view_tree_asked.c), then the contents
 * (view_tree.c). */
#include "core/gang/cache/shapes.h"
#include "core/gang/view/view.h"

enum {
    SHOWN_MAX = 64,         /* resources of one answer */
    SHOWN_CLASSES_MAX = 16, /* of them, besides one that was asked for */
    CLASS_NAME_MAX = 262,   /* bytes of "class/NAME" */
};

struct shown_resource {
    const char *name;   /* "class/NAME" of a class of devices */
    const char *class_; /* NAME; NULL: it is a resource */
    int id;             /* -1: no node and no pod has it, or it is a class */
};

/* Members of a group on a leaf. */
struct presence {
    int32_t leaf;
    uint32_t group;     /* in (namespace, name) order */
    int32_t pods, held; /* members, seats held for replacements */
    uint8_t role;       /* of the members; 0 if the group has not several */
};

struct unit_sums {
    int64_t slots;
    int32_t leaves, ready;
    int32_t first_leaf, end_leaf; /* leaves below */
};

struct tree_page {
    struct view *v;
    const struct skr_tree *tree;
    struct node_entry *const *leaf;
    size_t n_resources;
    struct shown_resource resource[SHOWN_MAX];
    size_t looked_at; /* of resource: the one to show */
    struct slot_size size;
    const char *size_name[SKR_RESOURCES_MAX]; /* of size.item */
    char class_name[CLASS_NAME_MAX];          /* "class/NAME", asked for or usual; "": none */
    char of_class[SHOWN_CLASSES_MAX][CLASS_NAME_MAX]; /* the others */
    int64_t slot_devices;                             /* of the class, that a slot takes; 0: none */
    const struct skr_claim_spec *slot_spec;           /* of them; NULL: none */
    const struct group *of_group; /* a slot is a member of it; NULL: of any pod */
    struct shapes of_role;        /* of those members */
    int32_t domain;               /* the unit to show */
    struct unit_sums *sum;        /* [unit] */
    int64_t *allocatable, *charged, *unusable, *reserved; /* [unit * n_resources + r] */
    const struct group **group;
    size_t n_groups;
    struct presence *presence;
    size_t n_presences;
    int32_t *pods_of, *held_of; /* [group] scratch, 0 between uses */
    uint32_t *touched;          /* [group] scratch */
};

/* ---- view_devices.c: a class of devices ---- */

/* "gpu" of "class/gpu"; NULL: it is no class. */
const char *skr_view_class_of(const char *name);
/* Sets class_name, and returns it; NULL with *ret_code set: there is no such class, or another one was
 * chosen. */
const char *skr_view_class_choose(struct tree_page *p, const char *class_, int *ret_code);
bool skr_view_class_usual(struct tree_page *p); /* chooses one; false: there are no devices */
/* Sets of_class to the first classes by name, if there are slices; returns their number. */
size_t skr_view_class_list(struct tree_page *p);
/* What a pod asks for that takes n devices of the class. skr_devices_stock_forget_spec() it. */
const struct skr_claim_spec *skr_view_class_spec(const struct skr_gang *e, const char *class_,
                                                 int64_t n);
struct node_devices {
    int64_t all, taken, unusable; /* taken: 0 if the node is not Ready */
};
/* O(devices of the node). */
struct node_devices skr_view_class_node(const struct skr_gang *e, const struct node_entry *n,
                                        const char *class_);
/* slots, or fewer: pods of the spec that the node serves. spec: NULL allowed. */
int64_t skr_view_class_slots(struct skr_gang *e, const struct skr_claim_spec *spec,
                             const struct node_entry *n, int64_t slots);
/* Devices that the pod has on the node, or will have there; a claim that several pods share counts for
 * one of them. node: NULL: it has no node yet. paid: what pods before have; the pod is added. */
struct device_paid;
int64_t skr_view_class_pod(struct skr_gang *e, const char *class_, const struct pod_entry *p,
                           const char *node, struct device_paid *paid);

/* 404: there is no tree, and why. */
int skr_view_refuse_no_tree(struct view *v);
/* Reads resources, size and domain from the query. 200, or the code of the refusal written. */
int skr_view_tree_asked(struct tree_page *p);

#endif
