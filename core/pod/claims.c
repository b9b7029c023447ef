/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The claims that a pod names, of a bound pod those of volumes alone: its devices are kubelet's. The claim
 * of an ephemeral volume is called after the pod and the volume. A template counts until
 * status.resourceClaimStatuses has the claim that was made of it, which counts then. Names that are no
 * strings are left out: the API server has checked them.
 */
#include "core/pod/fields.h"
#include "core/pod/parts.h"
#include "topology/base/json.h"
#include "topology/base/strbuf.h"

#include <string.h>

struct found {
    enum skr_pod_claim_kind kind;
    const struct skr_json *pod; /* the name begins with this and "-"; NULL: it does not */
    const struct skr_json *name;
    bool made;
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

/* name: the pod's own name of a claim. The entry about the claim that was made of its template. */
static const struct skr_json *made_of(const struct skr_pod_fields *f, const struct skr_json *name)
{
    size_t looked_at = 0;
    const struct skr_json *list = list_at(f->status, "resourceClaimStatuses");
    SKR_JSON_EACH(list, made)
    {
        if (same(text_at(made, "name"), name)) {
            return made;
        }
        if (++looked_at == SKR_POD_CLAIMS_MAX) {
            break;
        }
    }
    return NULL;
}

static size_t add(struct found *list, size_t n, enum skr_pod_claim_kind kind,
                  const struct skr_json *pod, const struct skr_json *name)
{
    if (!name || n == SKR_POD_CLAIMS_MAX) {
        return n;
    }
    list[n] = (struct found){kind, pod, name, false};
    return n + 1;
}

static size_t add_volume(struct found *list, size_t n, const struct skr_pod_fields *f,
                         const struct skr_json *volume)
{
    const struct skr_json *pod = f->meta.of[SKR_META_NAME];
    const bool named = pod && pod->type == SKR_JSON_STRING;
    n = add(list, n, SKR_POD_CLAIM_VOLUME, NULL,
            text_at(skr_json_get(volume, "persistentVolumeClaim"), "claimName"));
    const struct skr_json *ephemeral = skr_json_get(volume, "ephemeral");
    const bool is = named && ephemeral && ephemeral->type == SKR_JSON_OBJECT;
    return is ? add(list, n, SKR_POD_CLAIM_VOLUME, pod, text_at(volume, "name")) : n;
}

/* O(volumes + claims). */
static size_t find(const struct skr_pod_fields *f, struct found list[SKR_POD_CLAIMS_MAX])
{
    size_t n = 0, looked_at = 0;
    if (!f->late_capacity) {
        return 0;
    }
    const bool bound = f->node && f->node->n > 0;
    const struct skr_json *volumes = list_at(f->spec, "volumes");
    const struct skr_json *claims = bound ? NULL : list_at(f->spec, "resourceClaims");
    SKR_JSON_EACH(volumes, volume)
    {
        n = volume->type == SKR_JSON_OBJECT ? add_volume(list, n, f, volume) : n;
    }
    SKR_JSON_EACH(claims, claim)
    {
        const struct skr_json *template = text_at(claim, "resourceClaimTemplateName");
        n = add(list, n, SKR_POD_CLAIM_DEVICES, NULL, text_at(claim, "resourceClaimName"));
        const struct skr_json *made = template ? made_of(f, text_at(claim, "name")) : NULL;
        if (made) {
            const size_t was = n;
            n = add(list, n, SKR_POD_CLAIM_DEVICES, NULL, text_at(made, "resourceClaimName"));
            if (n > was) {
                list[was].made = true;
            }
        } else {
            n = add(list, n, SKR_POD_CLAIM_TEMPLATE, NULL, template);
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
        size += list[i].name->n + 1 + (list[i].pod ? list[i].pod->n + 1 : 0);
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
        SKR_STRBUF(name);
        if (list[i].pod) {
            skr_strbuf_addn(&name, list[i].pod->text, list[i].pod->n);
            skr_strbuf_addc(&name, '-');
        }
        skr_strbuf_addn(&name, list[i].name->text, list[i].name->n);
        claim[i] = (struct skr_pod_claim){
            list[i].kind, skr_arena_strndup(pod->arena, name.s, name.len), list[i].made};
        if (!claim[i].name) {
            return skr_pod_no_room(error);
        }
    }
    pod->n_claims = n;
    pod->claim = claim;
    return 0;
}
