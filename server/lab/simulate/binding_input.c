/* SPDX-License-Identifier: Apache-2.0 */
/* Reading clusters and bindings. Every object is decoded while its text is at hand, so that what is
 * wrong is reported with its position. */
#include "server/lab/simulate/binding_input.h"

#include <stdlib.h>
#include <string.h>

#include "server/object/path.h"
#include "topology/base/arena.h"

enum kind { KIND_OTHER, KIND_CLUSTER, KIND_BINDING };

static enum kind kind_of(const json_t *object)
{
    const char *version = skr_path_text(object, "apiVersion");
    const char *kind = skr_path_text(object, "kind");
    if (strcmp(version, "cluster.karmada.io/v1alpha1") == 0) {
        return strcmp(kind, "Cluster") == 0 ? KIND_CLUSTER : KIND_OTHER;
    }
    bool binding =
        strcmp(kind, "ResourceBinding") == 0 || strcmp(kind, "ClusterResourceBinding") == 0;
    return binding && strcmp(version, "work.karmada.io/v1alpha2") == 0 ? KIND_BINDING : KIND_OTHER;
}

static int check(void *context, const json_t *object, struct skr_error *error)
{
    struct skr_member_cluster *cluster = NULL;
    struct skr_binding *binding = NULL;
    int rc = 0;
    (void)context;
    switch (kind_of(object)) {
    case KIND_CLUSTER:
        rc = skr_member_cluster_decode(object, &cluster, error);
        skr_member_cluster_destroy(cluster);
        break;
    case KIND_BINDING:
        rc = skr_binding_decode(object, &binding, error);
        skr_binding_destroy(binding);
        break;
    case KIND_OTHER:
        break;
    }
    return rc;
}

void skr_binding_input_init(struct skr_binding_input *input)
{
    *input = (struct skr_binding_input){.n_clusters = 0};
    skr_manifests_init(&input->manifests);
}

void skr_binding_input_fini(struct skr_binding_input *input)
{
    for (size_t i = 0; i < input->n_clusters; i++) {
        skr_member_cluster_destroy(input->cluster[i]);
    }
    for (size_t i = 0; i < input->n_bindings; i++) {
        skr_binding_destroy(input->binding[i]);
    }
    free(input->cluster);
    free(input->binding);
    skr_manifests_fini(&input->manifests);
}

int skr_binding_input_read(struct skr_binding_input *input, const char *path,
                           struct skr_strbuf *errors)
{
    return skr_manifests_read(&input->manifests, path, check, NULL, errors);
}

int skr_binding_input_parse(struct skr_binding_input *input, const char *name, const char *text,
                            size_t n, struct skr_strbuf *errors)
{
    return skr_manifests_parse(&input->manifests, name, text, n, check, NULL, errors);
}

/* Once a kind. */
static void warn(const struct skr_binding_input *input, size_t i, struct skr_strbuf *warnings)
{
    const struct skr_manifest *item = &input->manifests.item[i];
    const char *kind = skr_path_text(item->object, "kind");
    for (size_t k = 0; k < i; k++) {
        const json_t *before = input->manifests.item[k].object;
        if (kind_of(before) == KIND_OTHER && strcmp(skr_path_text(before, "kind"), kind) == 0) {
            return;
        }
    }
    skr_strbuf_addf(warnings, "%s:%zu:%zu: warning: %s %s plays no part here\n", item->file,
                    item->line, item->column, skr_path_text(item->object, "apiVersion"), kind);
}

static int decode(struct skr_binding_input *input, const json_t *object, struct skr_error *error)
{
    if (kind_of(object) == KIND_CLUSTER) {
        skr_grow(&input->cluster, &input->cap_clusters, input->n_clusters + 1,
                 sizeof *input->cluster);
        int rc = skr_member_cluster_decode(object, &input->cluster[input->n_clusters], error);
        input->n_clusters += rc == 0 ? 1 : 0;
        return rc;
    }
    skr_grow(&input->binding, &input->cap_bindings, input->n_bindings + 1, sizeof *input->binding);
    int rc = skr_binding_decode(object, &input->binding[input->n_bindings], error);
    input->n_bindings += rc == 0 ? 1 : 0;
    return rc;
}

static int by_name(const void *a, const void *b)
{
    const struct skr_member_cluster *const *x = a;
    const struct skr_member_cluster *const *y = b;
    return strcmp((*x)->meta.name, (*y)->meta.name);
}

static bool is_same(const struct skr_binding *a, const struct skr_binding *b)
{
    return strcmp(a->meta.namespace_, b->meta.namespace_) == 0 &&
           strcmp(a->meta.name, b->meta.name) == 0;
}

static int find_duplicates(const struct skr_binding_input *input, struct skr_strbuf *errors)
{
    int rc = 0;
    for (size_t i = 1; i < input->n_clusters; i++) {
        if (by_name(&input->cluster[i - 1], &input->cluster[i]) == 0) {
            skr_strbuf_addf(errors, "Cluster \"%s\" is there twice\n",
                            input->cluster[i]->meta.name);
            rc = -SKR_INVALID;
        }
    }
    for (size_t i = 1; i < input->n_bindings; i++) {
        for (size_t k = 0; k < i; k++) {
            if (is_same(input->binding[i], input->binding[k])) {
                skr_strbuf_addf(errors, "binding \"%s/%s\" is there twice\n",
                                input->binding[i]->meta.namespace_, input->binding[i]->meta.name);
                return -SKR_INVALID;
            }
        }
    }
    return rc;
}

int skr_binding_input_finish(struct skr_binding_input *input, struct skr_strbuf *warnings,
                             struct skr_strbuf *errors)
{
    for (size_t i = 0; i < input->manifests.n; i++) {
        const struct skr_manifest *item = &input->manifests.item[i];
        struct skr_error error = {.text = ""};
        if (kind_of(item->object) == KIND_OTHER) {
            warn(input, i, warnings);
        } else if (decode(input, item->object, &error) < 0) {
            skr_strbuf_addf(errors, "%s:%zu:%zu: %s\n", item->file, item->line, item->column,
                            error.text);
            return -SKR_INVALID;
        }
    }
    if (input->n_clusters > 1) {
        qsort(input->cluster, input->n_clusters, sizeof(struct skr_member_cluster *), by_name);
    }
    return find_duplicates(input, errors);
}

const struct skr_binding *skr_binding_input_find(const struct skr_binding_input *input,
                                                 const char *name)
{
    const char *slash = strchr(name, '/');
    size_t n_namespace = slash ? (size_t)(slash - name) : 0;
    const struct skr_binding *found = NULL;
    size_t n = 0;
    for (size_t i = 0; i < input->n_bindings; i++) {
        const struct skr_binding *binding = input->binding[i];
        const char *namespace_ = binding->meta.namespace_;
        if (strcmp(binding->meta.name, slash ? slash + 1 : name) != 0) {
            continue;
        }
        if (strlen(namespace_) == n_namespace && strncmp(namespace_, name, n_namespace) == 0) {
            return binding;
        }
        found = binding;
        n++;
    }
    return !slash && n == 1 ? found : NULL;
}
