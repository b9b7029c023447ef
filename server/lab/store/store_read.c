/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Serves GET and LIST. All pages of a list show the state of the first, as a read from etcd at a
 * revision does: objects that changed since come from the history. If the history no longer has
 * them, the list ends with 410.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/lab/store/store_parts.h"

void skr_store_do_get(struct skr_store_call *call)
{
    const struct skr_shelf_item *item = skr_store_find_asked(call);
    if (item) {
        skr_store_reply_object(call, 200, item->object);
    }
}

/* ---- where a list goes on ---- */

/* The token: REVISION/NAMESPACE/NAME of the first object not yet listed. */
struct position {
    uint64_t revision; /* 0: from the beginning */
    char namespace_[256];
    char name[256];
};

static json_t *write_position(uint64_t revision, const struct skr_shelf_item *next)
{
    return json_sprintf("%llu/%s/%s", (unsigned long long)revision, next->namespace_, next->name);
}

static bool read_position(const char *token, struct position *ret)
{
    char *end;
    ret->revision = strtoull(token, &end, 10);
    if (end == token || *end != '/' || ret->revision == 0) {
        return false;
    }
    const char *namespace_ = end + 1;
    const char *slash = strchr(namespace_, '/');
    if (!slash || (size_t)(slash - namespace_) >= sizeof ret->namespace_ ||
        strlen(slash + 1) >= sizeof ret->name) {
        return false;
    }
    (void)snprintf(ret->namespace_, sizeof ret->namespace_, "%.*s", (int)(slash - namespace_),
                   namespace_);
    (void)snprintf(ret->name, sizeof ret->name, "%s", slash + 1);
    return true;
}

/* ---- the past ---- */

/* The objects of a resource at a revision, as far as they differ from the present ones. */
struct past {
    struct skr_shelf before; /* JSON null: it was absent */
};

/* False: the history does not reach back that far. */
static bool read_past(const struct skr_store_call *call, uint64_t revision, struct past *ret)
{
    struct skr_store_change change;
    bool gone = false;
    *ret = (struct past){.before = {.n = 0}};
    for (uint64_t at = revision; skr_store_next_change(call->store, at, &change, &gone);
         at = change.revision) {
        const char *namespace_ = skr_path_text(change.object, "metadata.namespace");
        const char *name = skr_path_text(change.object, "metadata.name");
        if (change.resource == call->resource && !skr_shelf_find(&ret->before, namespace_, name)) {
            skr_shelf_insert(&ret->before, namespace_, name,
                             change.before ? skr_path_ref(change.before) : json_null());
        }
    }
    return !gone && revision <= skr_store_revision(call->store);
}

/* ---- lists ---- */

struct listing {
    struct skr_store_call *call;
    struct skr_selector *labels, *fields;
    json_t *items;
    struct skr_shelf_item *next; /* the first that does not fit on the page */
};

static bool is_wanted(const struct listing *l, const struct skr_shelf_item *item)
{
    return json_is_object(item->object) && skr_selector_matches(l->labels, item->object) &&
           skr_selector_matches(l->fields, item->object);
}

static bool in_namespace(const struct skr_store_call *call, const struct skr_shelf_item *item)
{
    return *call->request->namespace_ == '\0' ||
           strcmp(item->namespace_, call->request->namespace_) == 0;
}

/* The earlier of the two in order; both if they are the same object: then the past one counts. */
static struct skr_shelf_item *choose(struct skr_shelf_item **now, struct skr_shelf_item **was)
{
    struct skr_shelf_item *chosen;
    int order = -1;
    if (!*now || !*was) {
        order = !*now ? 1 : -1;
    } else {
        order = strcmp((*now)->namespace_, (*was)->namespace_);
        order = order != 0 ? order : strcmp((*now)->name, (*was)->name);
    }
    chosen = order < 0 ? *now : *was;
    if (order <= 0) {
        *now = (*now)->next[0];
    }
    if (order >= 0) {
        *was = (*was)->next[0];
    }
    return chosen;
}

static void fill(struct listing *l, const struct past *past, const char *namespace_,
                 const char *name)
{
    const int64_t limit = l->call->request->limit;
    struct skr_shelf_item *now =
        skr_shelf_from(skr_store_shelf(l->call->store, l->call->resource), namespace_, name);
    struct skr_shelf_item *was = skr_shelf_from(&past->before, namespace_, name);
    while (now || was) {
        struct skr_shelf_item *item = choose(&now, &was);
        if (!in_namespace(l->call, item)) {
            break;
        }
        if (!is_wanted(l, item)) {
            continue;
        }
        if (limit > 0 && (int64_t)json_array_size(l->items) >= limit) {
            l->next = item;
            break;
        }
        json_array_append_new(l->items, skr_store_present(l->call->asked, item->object));
    }
}

static void reply_list(struct listing *l, uint64_t revision)
{
    const struct skr_store_resource *asked = l->call->asked;
    json_t *meta =
        json_pack("{s:o}", "resourceVersion", json_sprintf("%llu", (unsigned long long)revision));
    if (l->next) {
        json_object_set_new(meta, "continue", write_position(revision, l->next));
    }
    l->call->reply->status = 200;
    l->call->reply->body = json_pack(
        "{s:o, s:o, s:o, s:o}", "kind", json_sprintf("%sList", asked->kind), "apiVersion",
        json_sprintf("%s%s%s", asked->group, *asked->group != '\0' ? "/" : "", asked->version),
        "metadata", meta, "items", l->items);
}

/* The first page of a namespace begins at its first object, of all at the very first. */
static bool begin_at(struct skr_store_call *call, struct position *ret)
{
    *ret = (struct position){.revision = 0};
    (void)snprintf(ret->namespace_, sizeof ret->namespace_, "%s", call->request->namespace_);
    if (*call->request->continue_ == '\0') {
        ret->revision = skr_store_revision(call->store);
        return true;
    }
    if (!read_position(call->request->continue_, ret)) {
        skr_status_fail(call->reply, 400, NULL, NULL,
                        "invalid continue token: continue key is not valid");
        return false;
    }
    return true;
}

void skr_store_do_list(struct skr_store_call *call)
{
    struct listing l = {.call = call};
    struct position position;
    struct past past = {.before = {.n = 0}};
    if (!begin_at(call, &position) || !skr_store_selectors(call, &l.labels, &l.fields)) {
        return;
    }
    if (read_past(call, position.revision, &past)) {
        l.items = json_array();
        fill(&l, &past, position.namespace_, position.name);
        reply_list(&l, position.revision);
    } else {
        skr_status_fail(call->reply, 410, NULL, NULL,
                        "The provided continue parameter is too old to display a consistent list "
                        "result. You can start a new list without the continue parameter.");
    }
    skr_shelf_fini(&past.before);
    skr_selector_destroy(l.labels);
    skr_selector_destroy(l.fields);
}
