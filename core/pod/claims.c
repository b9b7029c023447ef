/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The claims that an unbound pod names. Of a bound pod nothing is kept: its claims are kubelet's. A
 * template counts until status.resourceClaimStatuses has the claim that was made of it. Names that are
 * no strings are left out: the API server has checked them.
 */
#include "core/pod/fields.h"
#include "core/pod/parts.h"
#include "topology/base/json.h"

#include <string.h>

struct found {
    enum skr_pod_claim_kind kind;
    const struct skr_json *name;
};

static const struct skr_json *text_at(const struct skr_json *object, const char *key)
{
    const struct skr_json *text =
        object && object->type == SKR_JSON_OBJECT ? skr_json_get(object, key) : NULL;
    return text && text->type == SKR_JSON_STRING && text->n > 0 ? text : NULL;
}

static const struct skr_json *list_at(const struct skr_json *object, const char *key)
{
    const struct skr_json *list = object ? skr_json_get(object, key) : NULL;
    return list && list->type == SKR_JSON_ARRAY ? list : NULL;
}

static bool same(const struct skr_json *a, const struct skr_json *b)
{
    return a && b && a->n == b->n && memcmp(a->text, b->text, a->n) == 0;
}

/* The pod's own name of a claim: whether the claim was made of its template. */
static bool is_made(const struct skr_pod_fields *f, const struct skr_json *name)
{
    size_t looked_at = 0;
    const struct skr_json *list = list_at(f->status, "resourceClaimStatuses");
    SKR_JSON_EACH(list, made)
    {
        if (same(text_at(made, "name"), name)) {
            return true;
        }
        if (++looked_at == SKR_POD_CLAIMS_MAX) {
            break;
        }
    }
    return false;
}

static size_t add(struct found *list, size_t n, enum skr_pod_claim_kind kind,
                  const struct skr_json *name)
{
    if (!name || n == SKR_POD_CLAIMS_MAX) {
        return n;
    }
    list[n] = (struct found){kind, name};
    return n + 1;
}

/* O(volumes + claims). */
static size_t find(const struct skr_pod_fields *f, struct found list[SKR_POD_CLAIMS_MAX])
{
    size_t n = 0, looked_at = 0;
    if (!f->late_capacity || (f->node && f->node->n > 0)) {
        return 0;
    }
    const struct skr_json *volumes = list_at(f->spec, "volumes");
    const struct skr_json *claims = list_at(f->spec, "resourceClaims");
    SKR_JSON_EACH(volumes, volume)
    {
        const struct skr_json *claim =
            volume->type == SKR_JSON_OBJECT ? skr_json_get(volume, "persistentVolumeClaim") : NULL;
        n = add(list, n, SKR_POD_CLAIM_VOLUME, text_at(claim, "claimName"));
    }
    SKR_JSON_EACH(claims, claim)
    {
        const struct skr_json *template = text_at(claim, "resourceClaimTemplateName");
        n = add(list, n, SKR_POD_CLAIM_DEVICES, text_at(claim, "resourceClaimName"));
        if (template && !is_made(f, text_at(claim, "name"))) {
            n = add(list, n, SKR_POD_CLAIM_TEMPLATE, template);
        }
        if (++looked_at == SKR_POD_CLAIMS_MAX) {
            break;
        }
    }
    return n;
}

size_t skr_pod_claims_size(const struct skr_pod_fields *fields)
{
    struct found list[SKR_POD_CLAIMS_MAX];
    const size_t n = find(fields, list);
    size_t size = n * sizeof(struct skr_pod_claim);
    for (size_t i = 0; i < n; i++) {
        size += list[i].name->n + 1;
    }
    return size;
}

int skr_pod_claims_read(const struct skr_pod_fields *fields, struct skr_pod *pod,
                        struct skr_error *error)
{
    struct found list[SKR_POD_CLAIMS_MAX];
    const size_t n = find(fields, list);
    struct skr_pod_claim *claim = n > 0 ? skr_arena_array(pod->arena, n, sizeof *claim) : NULL;
    if (n > 0 && !claim) {
        return skr_pod_no_room(error);
    }
    for (size_t i = 0; i < n; i++) {
        claim[i] = (struct skr_pod_claim){
            list[i].kind, skr_arena_strndup(pod->arena, list[i].name->text, list[i].name->n)};
        if (!claim[i].name) {
            return skr_pod_no_room(error);
        }
    }
    pod->n_claims = n;
    pod->claim = claim;
    return 0;
}
