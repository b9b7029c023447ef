/* SPDX-License-Identifier: Apache-2.0 */
/* A walk down the tree; what a unit's children hold is added when they have all been seen. */
#include "server/client/node_classes.h"

#include "server/client/source.h"
#include "server/client/spotmix_dump.h"
#include "topology/tree.h"

#define PAGE "/v1/spotmix/nodes"

enum { DEPTH_MAX = SKR_LEVELS_MAX + 1 };

struct tally {
    json_int_t nodes, pods;
};

/* A unit, with what is below it as far as it was seen. */
struct frame {
    json_t *unit;
    size_t next;
    struct tally tally[SKR_SPOTMIX_CLASS_COUNT];
};

static void write_tallies(const struct frame *frame)
{
    json_auto_t *classes = json_object();
    for (int i = 0; i < SKR_SPOTMIX_CLASS_COUNT; i++) {
        if (frame->tally[i].nodes > 0) {
            json_object_set_new(classes, skr_spotmix_class_name[i],
                                json_pack("{s:I, s:I}", "nodes", frame->tally[i].nodes, "pods",
                                          frame->tally[i].pods));
        }
    }
    if (json_object_size(classes) > 0) {
        json_object_set(frame->unit, "classes", classes);
    }
}

static void add_tallies(struct frame *to, const struct frame *from)
{
    for (int i = 0; i < SKR_SPOTMIX_CLASS_COUNT; i++) {
        to->tally[i].nodes += from->tally[i].nodes;
        to->tally[i].pods += from->tally[i].pods;
    }
}

static void look_up(struct frame *frame, const json_t *by_name)
{
    const char *name = json_string_value(json_object_get(frame->unit, "name"));
    const json_t *node = name ? json_object_get(by_name, name) : NULL;
    const enum skr_spotmix_class class_ =
        skr_spotmix_class_parse(json_string_value(json_object_get(node, "class")));
    if (class_ != SKR_SPOTMIX_NO_CLASS) {
        frame->tally[class_].nodes = 1;
        frame->tally[class_].pods = json_integer_value(json_object_get(node, "pods"));
    }
}

/* Borrows the nodes. */
static json_t *by_name_of(const json_t *nodes)
{
    json_t *by_name = json_object(), *node;
    size_t i;
    json_array_foreach(json_object_get(nodes, "nodes"), i, node)
    {
        const char *name = json_string_value(json_object_get(node, "name"));
        if (name) {
            json_object_set(by_name, name, node);
        }
    }
    return by_name;
}

void skr_node_classes_add(json_t *tree, const json_t *nodes)
{
    struct frame frame[DEPTH_MAX + 1] = {{.unit = json_object_get(tree, "root")}};
    json_auto_t *by_name = by_name_of(nodes);
    size_t depth = 1;
    while (depth > 0) {
        struct frame *f = &frame[depth - 1];
        json_t *children = json_object_get(f->unit, "children");
        if (f->next < json_array_size(children) && depth <= DEPTH_MAX) {
            frame[depth++] = (struct frame){.unit = json_array_get(children, f->next++)};
            continue;
        }
        if (!children) {
            look_up(f, by_name);
        }
        write_tallies(f);
        if (--depth > 0) {
            add_tallies(&frame[depth - 1], f);
        }
    }
}

int skr_node_classes_fetch(struct skr_client *client, const struct skr_spotmix_settings *settings,
                           json_t **ret, struct skr_error *error)
{
    const struct skr_manifests *objects = skr_client_objects(client);
    return objects ? skr_spotmix_dump_nodes(objects, settings, ret, error)
                   : skr_client_fetch_path(client, PAGE, ret, error);
}
