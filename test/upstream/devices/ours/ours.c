/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses devices with core/devices for the worlds that main.go makes: one a line on standard input, as
 * JSON; an answer a line on standard output, as main.go writes those of kube-scheduler's allocator.
 * Or it checks the answers of a record (run.sh).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/devices/sequence.h"
#include "core/volume/objects.h"
#include "topology/base/strbuf.h"

/* Devices of a request are ascending already, and results are in order of claims. */
static void see(void *context, const struct skr_node_rows *rows,
                const struct skr_devices_problem *problem, const struct skr_devices_result *result,
                size_t n)
{
    struct skr_strbuf *out = context;
    (void)problem;
    for (size_t i = 0; i < n; i++) {
        const struct skr_device_slice *slice = rows->row[result[i].row].slice->slice;
        skr_strbuf_addf(out, "%s/%s/%s ", slice->driver, slice->pool,
                        skr_node_rows_device(rows, result[i].row)->name);
    }
    skr_strbuf_add(out, "| ");
}

static void fill(struct skr_devices_stock *stock, const json_t *world)
{
    size_t i;
    const json_t *json;
    json_array_foreach(json_object_get(world, "slices"), i, json)
    {
        struct skr_device_slice *slice = NULL;
        if (skr_device_slice_decode(json, &slice, NULL) == 0) {
            skr_devices_stock_put_slice(stock, slice);
        }
    }
    json_array_foreach(json_object_get(world, "classes"), i, json)
    {
        struct skr_device_class *class = NULL;
        if (skr_device_class_decode(json, &class, NULL) == 0) {
            skr_devices_stock_put_class(stock, class);
            skr_device_class_destroy(class);
        }
    }
    json_array_foreach(json_object_get(world, "claims"), i, json)
    {
        struct skr_device_claim *claim = NULL;
        if (skr_device_claim_decode(json, &claim, NULL) == 0) {
            skr_devices_stock_allocate(stock, claim->meta.name, claim->taken, claim->n_taken);
            skr_device_claim_destroy(claim);
        }
    }
}

/* ---- the node ---- */

static void *parse(const char *selector)
{
    return skr_volume_of_selector(selector);
}

static void destroy(void *nodes)
{
    skr_volume_destroy(nodes);
}

static bool selects(void *context, const void *nodes, const char *name)
{
    const struct skr_node *node = context;
    return strcmp(node->meta.name, name) == 0 && skr_volume_reaches(nodes, node);
}

static struct skr_node *node_of(const json_t *world)
{
    struct skr_node *node = NULL;
    json_auto_t *json = json_pack("{s:{s:O,s:O?}}", "metadata", "name",
                                  json_object_get(world, "node"), "labels",
                                  json_object_get(world, "labels"));
    if (skr_node_decode(json, &node, NULL) < 0) {
        exit(2);
    }
    return node;
}

static void answer(const json_t *world, struct skr_strbuf *ret)
{
    static const char *const end[] = {"most", "none", "error", "unmodelled"};
    const struct skr_hash_seed seed = {{0}};
    static const struct skr_stock_selecting selecting = {parse, destroy, selects};
    struct skr_node *the_node = node_of(world);
    struct skr_devices_stock *stock = skr_devices_stock_create(&seed, NULL, the_node);
    const json_t *json, *pod = json_object_get(world, "pod");
    struct skr_pod_claims claims = {.n = json_array_size(pod)};
    const struct skr_claim_spec **spec = skr_alloc_array(claims.n + 1, sizeof *spec);
    size_t i;
    stock->version =
        (enum skr_devices_version)json_integer_value(json_object_get(world, "version"));
    stock->selecting = &selecting;
    fill(stock, world);
    json_array_foreach(pod, i, json)
    {
        struct skr_device_claim *claim = NULL;
        if (skr_device_claim_decode(json, &claim, NULL) == 0) {
            spec[i] = skr_devices_stock_spec(stock, claim->devices);
            skr_device_claim_destroy(claim);
        }
        if (!spec[i]) {
            exit(2);
        }
    }
    claims.spec = spec;
    SKR_STRBUF(out);
    const int32_t most = (int32_t)json_integer_value(json_object_get(world, "most"));
    const char *node = json_string_value(json_object_get(world, "node"));
    const struct skr_sequence sequence = skr_sequence_play(stock, node, &claims, most, see, &out);
    if (sequence.end == SKR_SEQUENCE_UNMODELLED) {
        skr_strbuf_addf(ret, "unmodelled: %s", sequence.why);
    } else {
        skr_strbuf_addf(ret, "%s%s", out.s, end[sequence.end]);
    }
    for (i = 0; i < claims.n; i++) {
        skr_devices_stock_forget_spec(stock, spec[i]);
    }
    free(spec);
    skr_devices_stock_destroy(stock);
    skr_node_destroy(the_node);
}

/* The line after the tab; *ret_kept is what is before it. */
static const char *world_of(char *line, const char **ret_kept)
{
    char *tab = strchr(line, '\t');
    *ret_kept = tab ? line : "";
    if (tab) {
        *tab = '\0';
    }
    return tab ? tab + 1 : line;
}

/* --recorded: each line begins with the right answer and a tab; the last line of the output counts. */
int main(int argc, char **argv)
{
    const bool recorded = argc == 2 && strcmp(argv[1], "--recorded") == 0;
    char *line = NULL;
    size_t room = 0, passed = 0, failed = 0;
    while (getline(&line, &room, stdin) > 0) {
        const char *kept;
        json_auto_t *world = json_loads(world_of(line, &kept), 0, NULL);
        SKR_STRBUF(text);
        if (!world) {
            return 2;
        }
        answer(world, &text);
        const bool same = strcmp(text.s, kept) == 0;
        passed += same;
        failed += !same;
        if (!recorded || !same) {
            printf("%s%s%s\n", recorded ? kept : "", recorded ? "\n" : "", text.s);
        }
        (void)fflush(stdout);
    }
    free(line);
    if (recorded) {
        printf("%zu passed, %zu failed\n", passed, failed);
    }
    return recorded && failed > 0;
}
