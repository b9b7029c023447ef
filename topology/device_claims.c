/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes ResourceClaims. */
#include "topology/device_claims.h"

#include <string.h>

#include "topology/fields.h"

enum { OWNERS_MAX = 4096 };

static void add_class(struct skr_device_claim *claim, const struct skr_fields *request)
{
    const char *name = skr_fields_word(request, "deviceClassName");
    size_t i = 0;
    while (i < claim->n_classes && strcmp(claim->class_[i], name) != 0) {
        i++;
    }
    if (*name && i == claim->n_classes && i < SKR_CLAIM_CLASSES_MAX) {
        claim->class_[claim->n_classes++] = skr_fields_copy(request, name);
    }
}

/* too_large: what stands for a text that is. */
static const char *text_of(const struct skr_fields *object, const char *too_large)
{
    const char *text = object->json ? skr_fields_json(object, JSON_SORT_KEYS) : "";
    return strlen(text) <= SKR_CLAIM_TEXT_MAX ? text : too_large;
}

/* spec: of a claim. */
static void read_spec(struct skr_device_claim *claim, const struct skr_fields *spec)
{
    const struct skr_fields devices = skr_fields_object(spec, "devices");
    claim->devices = text_of(&devices, SKR_CLAIM_NOT_KEPT);
    const struct skr_fields list = skr_fields_list(&devices, "requests", SKR_CLAIM_REQUESTS_MAX);
    for (size_t i = 0; skr_fields_more(&list, i); i++) {
        const struct skr_fields request = skr_fields_entry(&list, i);
        const struct skr_fields exactly = skr_fields_object(&request, "exactly");
        const struct skr_fields first =
            skr_fields_list(&request, "firstAvailable", SKR_CLAIM_ALTERNATIVES_MAX);
        add_class(claim, &exactly);
        for (size_t k = 0; skr_fields_more(&first, k); k++) {
            const struct skr_fields alternative = skr_fields_entry(&first, k);
            add_class(claim, &alternative);
        }
    }
}

static void fill_template(void *object, const struct skr_fields *json)
{
    struct skr_device_claim *claim = object;
    const struct skr_fields spec = skr_fields_object(json, "spec");
    const struct skr_fields of_claim = skr_fields_object(&spec, "spec");
    claim->pod_uid = "";
    claim->devices = "";
    claim->reach = "";
    read_spec(claim, &of_claim);
}

/* Whether the node selector of the allocation names one node. */
static bool is_of_one_node(const struct skr_fields *selector)
{
    const struct skr_fields terms =
        skr_fields_list(selector, "nodeSelectorTerms", SKR_CLAIM_TERMS_MAX);
    bool one = terms.n == 1;
    for (size_t i = 0; one && skr_fields_more(&terms, i); i++) {
        const struct skr_fields term = skr_fields_entry(&terms, i);
        const struct skr_fields list = skr_fields_list(&term, "matchFields", SKR_CLAIM_TERMS_MAX);
        one = list.n == 1;
        for (size_t k = 0; one && skr_fields_more(&list, k); k++) {
            const struct skr_fields field = skr_fields_entry(&list, k);
            const char **values;
            one = strcmp(skr_fields_word(&field, "key"), "metadata.name") == 0 &&
                  skr_fields_texts(&field, "values", SKR_CLAIM_TERMS_MAX, &values) == 1;
        }
    }
    return one;
}

static void read_consumed(struct skr_claim_device *taken, const struct skr_fields *result)
{
    const struct skr_fields list = skr_fields_object(result, "consumedCapacity");
    const size_t n = list.json ? json_object_size(list.json) : 0;
    const char **capacity = n > 0 ? skr_fields_room(result, n, sizeof *capacity) : NULL;
    skr_int128 *consumed = n > 0 ? skr_fields_room(result, n, sizeof *consumed) : NULL;
    const char *name;
    json_t *ignored;
    json_object_foreach(capacity && consumed ? list.json : NULL, name, ignored)
    {
        capacity[taken->n_consumed] = skr_fields_copy(&list, name);
        consumed[taken->n_consumed++] = skr_fields_nano(&list, name);
    }
    taken->capacity = capacity;
    taken->consumed = consumed;
}

/* kube-scheduler counts results without admin access; those with a shareID are shares. */
static void read_results(struct skr_device_claim *claim, const struct skr_fields *allocation)
{
    const struct skr_fields devices = skr_fields_object(allocation, "devices");
    const struct skr_fields list = skr_fields_list(&devices, "results", SKR_CLAIM_RESULTS_MAX);
    struct skr_claim_device *taken =
        list.n > 0 ? skr_fields_room(&list, list.n, sizeof *taken) : NULL;
    for (size_t i = 0; taken && skr_fields_more(&list, i); i++) {
        const struct skr_fields result = skr_fields_entry(&list, i);
        if (skr_fields_bool(&result, "adminAccess")) {
            continue;
        }
        struct skr_claim_device *one = &taken[claim->n_taken++];
        one->driver = skr_fields_text(&result, "driver");
        one->pool = skr_fields_text(&result, "pool");
        one->device = skr_fields_text(&result, "device");
        one->shared = skr_fields_has(&result, "shareID");
        read_consumed(one, &result);
    }
    claim->taken = taken;
}

static void read_reserved(struct skr_device_claim *claim, const struct skr_fields *status)
{
    const struct skr_fields list = skr_fields_list(status, "reservedFor", SKR_CLAIM_RESERVED_MAX);
    claim->reserved_for =
        list.n > 0 ? skr_fields_room(&list, list.n, sizeof *claim->reserved_for) : NULL;
    for (size_t i = 0; claim->reserved_for && skr_fields_more(&list, i); i++) {
        const struct skr_fields consumer = skr_fields_entry(&list, i);
        claim->reserved_for[claim->n_reserved++] = skr_fields_text(&consumer, "uid");
    }
}

static void fill(void *object, const struct skr_fields *json)
{
    struct skr_device_claim *claim = object;
    const struct skr_fields meta = skr_fields_object(json, "metadata");
    const struct skr_fields owners = skr_fields_list(&meta, "ownerReferences", OWNERS_MAX);
    const struct skr_fields status = skr_fields_object(json, "status");
    claim->pod_uid = "";
    claim->devices = "";
    claim->reach = "";
    for (size_t i = 0; skr_fields_more(&owners, i); i++) {
        const struct skr_fields owner = skr_fields_entry(&owners, i);
        if (skr_fields_bool(&owner, "controller") &&
            strcmp(skr_fields_word(&owner, "kind"), "Pod") == 0) {
            claim->pod_uid = skr_fields_text(&owner, "uid");
        }
    }
    const struct skr_fields allocation = skr_fields_object(&status, "allocation");
    const struct skr_fields selector = skr_fields_object(&allocation, "nodeSelector");
    claim->allocated = skr_fields_has(&status, "allocation");
    claim->fabric = claim->allocated && !is_of_one_node(&selector);
    claim->reach = claim->allocated && !*claim->pod_uid ? text_of(&selector, "") : "";
    read_reserved(claim, &status);
    read_results(claim, &allocation);
    if (!claim->allocated) {
        const struct skr_fields spec = skr_fields_object(json, "spec");
        read_spec(claim, &spec);
    }
}

SKR_OBJECT_KIND(device_claim, "resourceclaim", fill)
SKR_OBJECT_DECODER(skr_device_template_decode, skr_device_claim, "resourceclaimtemplate",
                   fill_template)
