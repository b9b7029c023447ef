/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the requests and constraints of a claim. */
#include "core/devices/claim_spec.h"

#include <stdlib.h>
#include <string.h>

#include "topology/fields.h"

struct reading {
    struct skr_claim_spec *spec;
    size_t room_requests;
};

static void unmodelled(struct reading *r, const char *why)
{
    if (!*r->spec->why) {
        r->spec->why = why;
    }
}

/* ---- parts of a request ---- */

static void read_selectors(struct reading *r, const struct skr_fields *in,
                           struct skr_claim_request *request)
{
    const struct skr_fields list = skr_fields_list(in, "selectors", SKR_CLAIM_LIST_MAX);
    request->selector_text = skr_fields_room(in, list.n + 1, sizeof *request->selector_text);
    request->selector = skr_fields_room(in, list.n + 1, sizeof *request->selector);
    for (size_t i = 0; request->selector && skr_fields_more(&list, i); i++) {
        const struct skr_fields entry = skr_fields_entry(&list, i);
        const struct skr_fields cel = skr_fields_object(&entry, "cel");
        if (!cel.json) {
            unmodelled(r, "a selector is no expression of CEL");
        }
        request->selector_text[request->n_selectors++] = skr_fields_text(&cel, "expression");
    }
}

static void read_tolerations(const struct skr_fields *in, struct skr_claim_request *request)
{
    const struct skr_fields list = skr_fields_list(in, "tolerations", SKR_CLAIM_LIST_MAX);
    struct skr_claim_toleration *item =
        list.n > 0 ? skr_fields_room(in, list.n, sizeof *item) : NULL;
    for (size_t i = 0; item && skr_fields_more(&list, i); i++) {
        const struct skr_fields entry = skr_fields_entry(&list, i);
        item[request->n_tolerations++] = (struct skr_claim_toleration){
            skr_fields_text(&entry, "key"), skr_fields_text(&entry, "operator"),
            skr_fields_text(&entry, "value"), skr_fields_text(&entry, "effect")};
    }
    request->toleration = item;
}

static void read_amounts(const struct skr_fields *in, struct skr_claim_request *request)
{
    const struct skr_fields capacity = skr_fields_object(in, "capacity");
    const struct skr_fields requests = skr_fields_object(&capacity, "requests");
    const size_t n = requests.json ? json_object_size(requests.json) : 0;
    struct skr_claim_amount *item = n > 0 ? skr_fields_room(in, n, sizeof *item) : NULL;
    const char *name;
    json_t *ignored;
    if (!item) {
        return;
    }
    json_object_foreach(requests.json, name, ignored)
    {
        item[request->n_amounts++] = (struct skr_claim_amount){skr_fields_copy(&requests, name),
                                                               skr_fields_nano(&requests, name)};
    }
    request->amount = item;
}

static void read_request(struct reading *r, const struct skr_fields *in, const char *name)
{
    const char *mode = skr_fields_word(in, "allocationMode");
    if (r->spec->n_requests == r->room_requests) {
        return;
    }
    struct skr_claim_request *request = &r->spec->request[r->spec->n_requests++];
    request->name = name;
    request->class_ = skr_fields_text(in, "deviceClassName");
    request->all = strcmp(mode, "All") == 0;
    request->admin = skr_fields_bool(in, "adminAccess");
    request->count = skr_fields_int64(in, "count", 1);
    read_selectors(r, in, request);
    read_tolerations(in, request);
    read_amounts(in, request);
    if (!request->all && *mode && strcmp(mode, "ExactCount") != 0) {
        unmodelled(r, "a request has an allocationMode that is not known");
    }
    if (skr_fields_has(in, "derivedAttributes")) {
        unmodelled(r, "derived attributes are not modelled");
    }
    if (!*request->class_) {
        unmodelled(r, "a request names no device class");
    }
}

/* ---- requests ---- */

static void read_ask(struct reading *r, const struct skr_fields *in)
{
    const struct skr_fields exactly = skr_fields_object(in, "exactly");
    const struct skr_fields first = skr_fields_list(in, "firstAvailable", SKR_CLAIM_LIST_MAX);
    struct skr_claim_ask *ask = &r->spec->ask[r->spec->n_asks++];
    ask->name = skr_fields_text(in, "name");
    ask->first = r->spec->n_requests;
    ask->alternatives = first.n > 0;
    if (exactly.json) {
        read_request(r, &exactly, ask->name);
    } else if (first.n == 0) {
        unmodelled(r, "a request is neither exact nor a list of alternatives");
    }
    for (size_t i = 0; !exactly.json && skr_fields_more(&first, i); i++) {
        const struct skr_fields alternative = skr_fields_entry(&first, i);
        read_request(r, &alternative, skr_fields_text(&alternative, "name"));
    }
    ask->n = r->spec->n_requests - ask->first;
}

static void read_constraints(struct reading *r, const struct skr_fields *devices)
{
    const struct skr_fields list = skr_fields_list(devices, "constraints", SKR_CLAIM_LIST_MAX);
    struct skr_claim_constraint *item = skr_fields_room(devices, list.n + 1, sizeof *item);
    for (size_t i = 0; item && skr_fields_more(&list, i); i++) {
        const struct skr_fields entry = skr_fields_entry(&list, i);
        struct skr_claim_constraint *c = &item[r->spec->n_constraints++];
        c->n_requests = skr_fields_texts(&entry, "requests", SKR_CLAIM_LIST_MAX, &c->request);
        c->attribute = skr_fields_text(&entry, "matchAttribute");
        if (!*c->attribute) {
            c->distinct = true;
            c->attribute = skr_fields_text(&entry, "distinctAttribute");
        }
        if (!*c->attribute) {
            unmodelled(r, "a constraint is of a kind that is not known");
        }
    }
    r->spec->constraint = item;
}

static void read_devices(struct reading *r, const struct skr_fields *devices)
{
    const struct skr_fields list = skr_fields_list(devices, "requests", SKR_CLAIM_LIST_MAX);
    struct skr_claim_spec *spec = r->spec;
    for (size_t i = 0; skr_fields_more(&list, i); i++) {
        const struct skr_fields entry = skr_fields_entry(&list, i);
        r->room_requests += skr_fields_list(&entry, "firstAvailable", SKR_CLAIM_LIST_MAX).n + 1;
    }
    spec->ask = skr_fields_room(devices, list.n + 1, sizeof *spec->ask);
    spec->request = skr_fields_room(devices, r->room_requests + 1, sizeof *spec->request);
    for (size_t i = 0; spec->request && skr_fields_more(&list, i); i++) {
        const struct skr_fields entry = skr_fields_entry(&list, i);
        read_ask(r, &entry);
    }
    read_constraints(r, devices);
}

struct skr_claim_spec *skr_claim_spec_create(const char *text)
{
    struct skr_claim_spec *spec = skr_alloc(sizeof *spec);
    spec->text = skr_strdup(text);
    spec->why = "";
    return spec;
}

void skr_claim_spec_read(struct skr_claim_spec *spec)
{
    struct skr_error error = {.text = ""};
    struct reading reading = {.spec = spec};
    if (spec->arena) {
        return;
    }
    spec->arena = skr_arena_create(SKR_CLAIM_SPEC_BYTES_MAX, 2048);
    skr_bug_on(!spec->arena);
    json_auto_t *json = json_loads(spec->text, 0, NULL);
    struct skr_decoding decoding = {"claim", spec->arena, &error, 0};
    const struct skr_fields root = skr_fields_of(&decoding, json);
    if (!json_is_object(json)) {
        spec->why = "it is too large, or cannot be read";
        return;
    }
    read_devices(&reading, &root);
    if (decoding.rc < 0) {
        const char *why = skr_arena_strdup(spec->arena, error.text);
        spec->why = why ? why : "it is too large";
        spec->n_asks = spec->n_requests = spec->n_constraints = 0;
    }
}

void skr_claim_spec_unread(struct skr_claim_spec *spec)
{
    free(spec->region);
    skr_arena_destroy(spec->arena);
    spec->region = NULL;
    spec->arena = NULL;
    spec->n_regions = spec->n_asks = spec->n_requests = spec->n_constraints = 0;
    spec->reach_epoch = 0;
    spec->why = "";
}

void skr_claim_spec_destroy(struct skr_claim_spec *spec)
{
    if (spec) {
        skr_claim_spec_unread(spec);
        free(spec->text);
        free(spec);
    }
}

/* ---- questions ---- */

bool skr_claim_constraint_is_about(const struct skr_claim_constraint *constraint,
                                   const struct skr_claim_ask *ask,
                                   const struct skr_claim_request *request)
{
    const size_t n = strlen(ask->name);
    bool is = constraint->n_requests == 0;
    for (size_t i = 0; !is && i < constraint->n_requests; i++) {
        const char *name = constraint->request[i];
        is = strcmp(name, ask->name) == 0 ||
             (ask->alternatives && strncmp(name, ask->name, n) == 0 && name[n] == '/' &&
              strcmp(name + n + 1, request->name) == 0);
    }
    return is;
}

bool skr_claim_tolerates(const struct skr_claim_request *request,
                         const struct skr_device_taint *taint)
{
    bool tolerates = false;
    for (size_t i = 0; !tolerates && i < request->n_tolerations; i++) {
        const struct skr_claim_toleration *t = &request->toleration[i];
        const bool equals = !*t->operator_ || strcmp(t->operator_, "Equal") == 0;
        tolerates =
            (!*t->effect || strcmp(t->effect, taint->effect) == 0) &&
            (!*t->key || strcmp(t->key, taint->key) == 0) &&
            (equals ? strcmp(t->value, taint->value) == 0 : strcmp(t->operator_, "Exists") == 0);
    }
    return tolerates;
}
