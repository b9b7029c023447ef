/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes as caches hold them. */
#include "test/test.h"
#include "topology/node_keep.h"

static struct skr_node *decode(const char *name, const char *rack)
{
    struct skr_node *node = NULL;
    char text[1024];
    (void)snprintf(
        text, sizeof text,
        "{\"metadata\": {\"name\": \"%s\", \"uid\": \"uid-of-%s\", \"resourceVersion\": \"7\","
        "\"creationTimestamp\": \"2026-01-01T00:00:00Z\", \"labels\": {"
        "\"kubernetes.io/hostname\": \"%s\", \"sakkara.topology.rack\": \"%s\"},"
        "\"annotations\": {\"sakkara.x\": \"y\"}}, \"spec\": {\"unschedulable\": true, \"taints\":"
        "[{\"key\": \"a\", \"value\": \"v\", \"effect\": \"NoExecute\"}]}, \"status\": {"
        "\"allocatable\": {\"cpu\": \"8\", \"pods\": \"110\"},"
        "\"conditions\": [{\"type\": \"Ready\", \"status\": \"False\"}]}}",
        name, name, name, rack);
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    assert_int_equal(skr_node_decode(json, &node, NULL), 0);
    json_decref(json);
    return node;
}

static struct skr_node *keep(struct skr_node_shared *shared, const char *name, const char *rack)
{
    struct skr_node *node = decode(name, rack);
    struct skr_node *kept = skr_node_keep(shared, node, name);
    skr_node_destroy(node);
    return kept;
}

TEST(a_node_that_is_kept_says_what_the_decoded_one_said)
{
    struct skr_node_shared shared = {.texts = {.item = {0}}};
    struct skr_node *node = decode("n1", "r1");
    struct skr_node *kept = keep(&shared, "n1", "r1");
    assert_string_equal(kept->meta.name, "n1");
    assert_string_equal(kept->meta.namespace_, "");
    assert_string_equal(kept->meta.uid, "uid-of-n1");
    assert_int_equal(kept->meta.resource_version, 7);
    assert_true(kept->meta.created == node->meta.created);
    assert_true(kept->unschedulable);
    assert_false(kept->ready);
    assert_true(skr_labels_equal(&kept->meta.labels, &node->meta.labels));
    assert_true(skr_labels_equal(&kept->meta.annotations, &node->meta.annotations));
    assert_true(skr_node_taints_equal(kept, node));
    assert_true(skr_quantities_equal(&kept->allocatable, &node->allocatable));
    skr_node_destroy(node);
    skr_node_forget(&shared, kept);
    skr_node_forget(&shared, NULL);
    assert_int_equal(skr_texts_count(&shared.texts), 0);
    skr_node_shared_fini(&shared);
}

TEST(nodes_share_what_they_have_alike_and_borrow_their_name)
{
    struct skr_node_shared shared = {.texts = {.item = {0}}};
    struct skr_node *a = keep(&shared, "n1", "r1");
    const size_t n = skr_texts_count(&shared.texts);
    struct skr_node *b = keep(&shared, "n2", "r1");
    assert_int_equal(skr_texts_count(&shared.texts), n); /* its own are its name and uid */
    assert_ptr_equal(skr_labels_get(&a->meta.labels, "sakkara.topology.rack"),
                     skr_labels_get(&b->meta.labels, "sakkara.topology.rack"));
    assert_ptr_equal(skr_labels_get(&b->meta.labels, "kubernetes.io/hostname"), b->meta.name);
    assert_ptr_equal(a->allocatable.item, b->allocatable.item);
    struct skr_node *c = keep(&shared, "n3", "r2");
    assert_int_equal(skr_texts_count(&shared.texts), n + 1);
    skr_node_forget(&shared, a);
    assert_string_equal(skr_labels_get(&b->meta.labels, "sakkara.topology.rack"), "r1");
    assert_string_equal(b->taints[0].value, "v");
    assert_int_equal(b->allocatable.item[1].amount, 110);
    skr_node_forget(&shared, b);
    assert_int_equal(skr_texts_count(&shared.texts), n);
    skr_node_forget(&shared, c);
    assert_int_equal(skr_texts_count(&shared.texts), 0);
    assert_int_equal(shared.offers.n, 0);
    skr_node_shared_fini(&shared);
}

TEST(a_node_of_a_name_alone_is_kept)
{
    struct skr_node_shared shared = {.texts = {.item = {0}}};
    struct skr_node *node = NULL;
    json_t *json = json_loads("{\"metadata\": {\"name\": \"n\"}}", 0, NULL);
    assert_int_equal(skr_node_decode(json, &node, NULL), 0);
    json_decref(json);
    struct skr_node *kept = skr_node_keep(&shared, node, "n");
    skr_node_destroy(node);
    assert_string_equal(kept->meta.uid, "");
    assert_int_equal(kept->meta.labels.n + kept->n_taints + kept->allocatable.n, 0);
    assert_true(kept->ready);
    skr_node_forget(&shared, kept);
    skr_node_shared_fini(&shared);
}
