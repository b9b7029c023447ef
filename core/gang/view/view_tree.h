/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_VIEW_VIEW_TREE_H
#define SKR_CORE_GANG_VIEW_VIEW_TREE_H
/* The page of the tree while it is made: the request (view_tree_asked.c), then the contents
 * (view_tree.c). */
#include "core/gang/cache/shapes.h"
#include "core/gang/view/view.h"

enum { SHOWN_MAX = 64 }; /* resources of one answer */

struct shown_resource {
    const char *name;
    int id; /* -1: no node and no pod has it */
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
    char class_name[262];                     /* "class/NAME", one of resource; "": none is */
    int64_t slot_devices;                     /* of the class, that a slot takes; 0: none */
    const struct skr_claim_spec *slot_spec;   /* of them; NULL: none */
    const struct group *of_group;             /* a slot is a member of it; NULL: of any pod */
    struct shapes of_role;                    /* of those members */
    int32_t domain;                           /* the unit to show */
    struct unit_sums *sum;                    /* [unit] */
    int64_t *allocatable, *charged, *unusable, *reserved; /* [unit * n_resources + r] */
    const struct group **group;
    size_t n_groups;
    struct presence *presence;
    size_t n_presences;
    int32_t *pods_of, *held_of; /* [group] scratch, 0 between uses */
    uint32_t *touched;          /* [group] scratch */
};

/* ---- view_devices.c: a class of devices ---- */

bool skr_view_is_class(const char *word, size_t len);
/* 200, or the code of the refusal written. */
int skr_view_class_choose(struct tree_page *p, const char *word, size_t len);
bool skr_view_class_usual(struct tree_page *p); /* chooses one; false: there are no devices */
/* Around the sums. */
void skr_view_class_begin(struct tree_page *p);
void skr_view_class_end(struct tree_page *p);
/* The amounts of the node, at this place. */
void skr_view_class_sum(struct tree_page *p, const struct node_entry *n, size_t at);
/* slots, or fewer. */
int64_t skr_view_class_slots(struct tree_page *p, const struct node_entry *n, int64_t slots);

/* 404: there is no tree, and why. */
int skr_view_refuse_no_tree(struct view *v);
/* Reads resources, size and domain from the query. 200, or the code of the refusal written. */
int skr_view_tree_asked(struct tree_page *p);

#endif
