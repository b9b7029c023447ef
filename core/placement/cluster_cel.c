/* SPDX-License-Identifier: Apache-2.0 */
/* CEL selectors: OCM's dialect, compilation with the Placement, evaluation on one cluster. */
#include "core/placement/cluster_cel.h"

#include <stdio.h>

#include "core/cel/cel.h"

enum { LIST_COST = 10, ITEM_COST = 31 };

/* ---- the dialect ---- */

static const struct skr_addon_score *find_score(const struct skr_cluster_cel *cel,
                                                const struct skr_cel_value *cluster,
                                                const struct skr_cel_value *resource)
{
    const struct skr_cel_value *metadata = skr_cel_get_text(cluster, "metadata");
    const struct skr_cel_value *name = metadata ? skr_cel_get_text(metadata, "name") : NULL;
    char key[SKR_CEL_TEXT_MAX / 8];
    return name && name->kind == SKR_CEL_STRING && skr_cel_copy_plain(resource, key, sizeof key)
               ? cel->score(cel->context, name->text, key)
               : NULL;
}

static struct skr_cel_value scores(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    const struct skr_addon_score *score = find_score(run->context, &arg[0], &arg[1]);
    if (!score) {
        return skr_cel_errorf(run, "the cluster has no AddOnPlacementScore \"%.*s\"",
                              (int)(arg[1].n < 64 ? arg[1].n : 64), arg[1].text);
    }
    struct skr_cel_value *item = skr_cel_room(run, score->n, sizeof *item);
    struct skr_cel_entry *entry = skr_cel_room(run, 2 * score->n, sizeof *entry);
    if (!item || !entry || !skr_cel_charge(run, LIST_COST + ITEM_COST * score->n)) {
        return skr_cel_over(run);
    }
    for (size_t i = 0; i < score->n; i++) {
        struct skr_cel_entry *pair = &entry[2 * i];
        pair[0] = (struct skr_cel_entry){skr_cel_text("name"), skr_cel_text(score->item[i].name)};
        pair[1] = (struct skr_cel_entry){skr_cel_text("value"), skr_cel_int(score->item[i].value)};
        item[i] = (struct skr_cel_value){.kind = SKR_CEL_MAP, .n = 2, .entry = pair};
    }
    return (struct skr_cel_value){.kind = SKR_CEL_LIST, .n = (uint32_t)score->n, .item = item};
}

static struct skr_cel_value parse_json(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    /* A value of JSON takes less than 32 bytes of cost a byte of text. */
    if (!skr_cel_charge(run, arg[0].n + ITEM_COST)) {
        return skr_cel_over(run);
    }
    json_auto_t *json = json_loadb(
        arg[0].text, arg[0].n, JSON_DECODE_ANY | JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL, NULL);
    return json ? skr_cel_of_json(json, true, run->arena) : skr_cel_is_no(run, &arg[0], "JSON");
}

static const struct skr_cel_root roots[] = {{"managedCluster", "Ms?"}, {0}};
static const struct skr_cel_function functions[] = {
    {"scores", SKR_CEL_MEMBER, "?s:L?", scores, SKR_CEL_FREE, 0},
    {"parseJSON", SKR_CEL_MEMBER, "s:?", parse_json, SKR_CEL_FREE, 0},
    {0},
};
static const struct skr_cel_dialect dialect = {.root = roots, .function = functions};

/* ---- decoding ---- */

void skr_cel_selector_read(const struct skr_fields *selector, size_t number,
                           struct skr_cluster_selector *ret)
{
    const struct skr_fields root = skr_fields_of(selector->decoding, selector->json);
    const struct skr_fields cel = skr_fields_object(&root, "celSelector");
    const char **text;
    const size_t n = skr_fields_texts(&cel, "celExpressions", SKR_PLACEMENT_TERMS_MAX, &text);
    ret->cel = skr_fields_room(selector, n, sizeof(const struct skr_cel_program *));
    for (size_t i = 0; ret->cel && i < n; i++) {
        struct skr_error error = {0};
        if (skr_cel_compile(&dialect, text[i], selector->decoding->arena, &ret->cel[i], &error) <
            0) {
            const bool full = error.code == SKR_NO_MEMORY;
            skr_fields_refuse(selector, full ? SKR_LIMIT : error.code,
                              "predicates[%zu].celExpressions[%zu]: %.240s", number, i,
                              full ? "too many and too long expressions" : error.text);
            return;
        }
        ret->n_cel++;
    }
}

bool skr_cel_selector_reads_scores(const struct skr_cluster_selector *selector)
{
    bool reads = false;
    for (size_t i = 0; !reads && i < selector->n_cel; i++) {
        reads = skr_cel_program_calls(selector->cel[i], "scores");
    }
    return reads;
}

/* ---- evaluation ---- */

static void explain(struct skr_cluster_cel *cel, size_t number,
                    const struct skr_cel_program *program, const struct skr_cel_value *error)
{
    char text[SKR_ERROR_TEXT_MAX];
    const struct skr_position at = skr_cel_position(program, error->n);
    if (cel->texts) {
        (void)snprintf(text, sizeof text, "celExpressions[%zu]: %zu:%zu: %s", number, at.line,
                       at.column, error->text);
        cel->why = skr_arena_strdup(cel->texts, text);
    }
}

bool skr_cel_selector_holds(struct skr_cluster_cel *cel,
                            const struct skr_cluster_selector *selector,
                            const struct skr_managed_cluster *cluster)
{
    bool holds = true;
    if (selector->n_cel == 0) {
        return true;
    }
    SKR_AUTO(skr_arena_destroy)
    struct skr_arena *arena = skr_arena_create(SKR_CEL_RUN_BYTES_MAX, 0);
    struct skr_cel_run run = {.arena = arena, .root = &cluster->object, .context = cel};
    for (size_t i = 0; arena && holds && i < selector->n_cel; i++) {
        if (cel->cost + run.cost > SKR_PLACEMENT_CEL_COST_MAX) {
            holds = false;
            break;
        }
        run.cost_max = run.cost + SKR_CEL_COST_MAX;
        const struct skr_cel_value result = skr_cel_evaluate(selector->cel[i], &run);
        if (result.kind == SKR_CEL_ERROR) {
            explain(cel, i, selector->cel[i], &result);
        }
        holds = result.kind == SKR_CEL_BOOL && result.boolean;
    }
    cel->cost += run.cost;
    return arena && holds;
}
