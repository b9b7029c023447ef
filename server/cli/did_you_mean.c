/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates come from the answers of the client; skr_suggest() chooses among them. */
#include "server/cli/did_you_mean.h"

#include <stdlib.h>
#include <string.h>

#include "server/render/page.h"
#include "topology/base/arena.h"
#include "topology/base/json_field.h"
#include "topology/base/suggest.h"
#include "topology/tree.h"

struct names {
    const char **item;
    size_t n, cap;
};

static void add(struct names *names, const char *name)
{
    if (*name) {
        skr_grow(&names->item, &names->cap, names->n + 1, sizeof *names->item);
        names->item[names->n++] = name;
    }
}

static void say_name(const char *name, struct skr_strbuf *messages)
{
    skr_strbuf_add(messages, "did you mean ");
    skr_page_add_clean(messages, name, false);
    skr_strbuf_add(messages, "?\n");
}

static bool say(const struct names *names, const char *word, struct skr_strbuf *messages)
{
    const char *near = skr_suggest(word, names->item, names->n);
    if (!near) {
        return false;
    }
    say_name(near, messages);
    return true;
}

/* ---- trees ---- */

static void add_units(struct names *names, const json_t *root)
{
    const json_t *list[SKR_LEVELS_MAX + 1];
    size_t at[SKR_LEVELS_MAX + 1], depth = 0;
    list[depth] = skr_page_list(root, "children");
    at[depth++] = 0;
    while (depth > 0) {
        const json_t *unit = json_array_get(list[depth - 1], at[depth - 1]++);
        if (!unit) {
            depth--;
            continue;
        }
        add(names, skr_object_text(unit, "name"));
        if (depth <= SKR_LEVELS_MAX && skr_page_list(unit, "children")) {
            list[depth] = skr_page_list(unit, "children");
            at[depth++] = 0;
        }
    }
}

/* Their full names, and what is behind the slash. */
static void add_resources(struct names *names, const json_t *page)
{
    size_t i;
    const json_t *name;
    json_array_foreach(skr_page_list(page, "resources"), i, name)
    {
        const char *text = json_string_value(name);
        const char *slash = text ? strrchr(text, '/') : NULL;
        add(names, text ? text : "");
        add(names, slash ? slash + 1 : "");
    }
}

/* The name before "=" of one part of a size. */
static bool say_slot(const struct names *names, const char *slot, struct skr_strbuf *messages)
{
    bool said = false;
    while (slot && *slot && !said) {
        char word[SKR_SUGGEST_WORD_MAX + 1] = "";
        const size_t n = strcspn(slot, "=,");
        if (n < sizeof word) {
            memcpy(word, slot, n);
            bool known = false;
            for (size_t i = 0; i < names->n; i++) {
                known = known || strcmp(names->item[i], word) == 0;
            }
            said = !known && say(names, word, messages);
        }
        slot += strcspn(slot, ",");
        slot += *slot == ',';
    }
    return said;
}

void skr_suggest_from_tree(struct skr_client *client, const struct skr_view_query *query,
                           struct skr_strbuf *messages)
{
    const struct skr_view_query whole = {.path = "/v1/tree"};
    const char *domain = query->argument[SKR_VIEW_DOMAIN];
    const char *resource = query->argument[SKR_VIEW_RESOURCE];
    struct names units = {0}, resources = {0};
    json_t *page = NULL;
    if (skr_client_fetch(client, &whole, "Tree", &page, NULL) < 0) {
        return;
    }
    add_units(&units, json_object_get(page, "root"));
    add_resources(&resources, page);
    bool known = false;
    for (size_t i = 0; resource && i < resources.n; i++) {
        known = known || strcmp(resources.item[i], resource) == 0;
    }
    if (!(resource && !known && say(&resources, resource, messages)) &&
        !say_slot(&resources, query->argument[SKR_VIEW_SLOT], messages) && domain) {
        say(&units, domain, messages);
    }
    free(units.item);
    free(resources.item);
    json_decref(page);
}

/* ---- groups ---- */

/* Whether name, without its kind, is word, or of the workload word: what follows is a part of it or
 * a suffix that its controller gives. */
static bool is_part_of(const char *name, const char *word)
{
    const char *rest = strchr(name, '/');
    const size_t n = strlen(word);
    return rest && n > 0 && strncmp(rest + 1, word, n) == 0 && strchr("-/", rest[1 + n]);
}

/* Whether a group is of a workload that is named without its kind, or by the kind above: of
 * cronjob/nightly job/nightly-1, of sparkapplication/pi the one that is SparkApplication/pi. */
static bool is_made_by(const json_t *item, const char *word)
{
    const char *slash = strchr(word, '/');
    word = slash ? slash + 1 : word;
    return is_part_of(skr_object_text(item, "name"), word) ||
           is_part_of(skr_object_text(item, "owner"), word);
}

void skr_suggest_group(struct skr_client *client, const char *namespace_, const char *name,
                       struct skr_strbuf *messages)
{
    const struct skr_view_query all = {.path = "/v1/groups"};
    struct names names = {0};
    json_t *page = NULL;
    const json_t *item, *made = NULL;
    bool made_waits = false;
    size_t i;
    if (skr_client_fetch(client, &all, "GroupList", &page, NULL) < 0) {
        return;
    }
    const json_t *items = skr_page_list(page, "items");
    json_array_foreach(items, i, item)
    {
        if (strcmp(skr_object_text(item, "name"), name) == 0) {
            skr_strbuf_add(messages, "there is one in namespace ");
            skr_page_add_clean(messages, skr_object_text(item, "namespace"), false);
            skr_strbuf_add(messages, ": -n ");
            skr_page_add_clean(messages, skr_object_text(item, "namespace"), false);
            skr_strbuf_addc(messages, '\n');
            json_decref(page);
            free(names.item);
            return;
        }
        if (strcmp(skr_object_text(item, "namespace"), namespace_) == 0) {
            add(&names, skr_object_text(item, "name"));
            /* the last one that waits; of several revisions or runs it is asked about */
            const bool waits = strcmp(skr_object_text(item, "status"), "Bound") != 0;
            made = is_made_by(item, name) && (waits || !made_waits) ? item : made;
            made_waits = made_waits || (made == item && waits);
        }
    }
    if (made) {
        say_name(skr_object_text(made, "name"), messages);
    } else if (!say(&names, name, messages) && strchr(name, '/')) {
        skr_strbuf_add(
            messages, "pods of a workload are a group if their template has schedulerName: sakkara "
                      "and annotation sakkara.gang: auto; sakkara lint FILE finds mistakes\n");
    }
    free(names.item);
    json_decref(page);
}
