/* SPDX-License-Identifier: Apache-2.0 */
/* What is read of claims, volumes, classes and CSINodes, and which nodes reach a volume. */
#include <string.h>

#include "core/volume/objects.h"
#include "test/test.h"
#include "test/unit/json_text.h"

static struct skr_volume *volume(const char *text)
{
    json_auto_t *json = json_text_load(text);
    struct skr_volume *ret = NULL;
    struct skr_error error;
    assert_int_equal(skr_volume_decode(json, &ret, &error), 0);
    return ret;
}

static bool reached_from(const struct skr_volume *v, const char *labels)
{
    char text[300];
    struct skr_error error;
    struct skr_node *node = NULL;
    snprintf(text, sizeof text, "{'metadata':{'name':'n','labels':{%s}}}", labels);
    json_auto_t *json = json_text_load(text);
    assert_int_equal(skr_node_decode(json, &node, &error), 0);
    const bool is = skr_volume_reaches(v, node);
    skr_node_destroy(node);
    return is;
}

TEST(node_affinity_and_zone_labels_say_which_nodes_reach_a_volume)
{
    struct skr_volume *v = volume(
        "{'metadata':{'name':'v','labels':{'topology.kubernetes.io/zone':'a__b'}},'spec':{"
        "'nodeAffinity':{'required':{'nodeSelectorTerms':[{'matchExpressions':[{'key':'disk',"
        "'operator':'Exists'}]}]}}}}");
    assert_null(v->host);
    assert_true(reached_from(v, "'disk':'','topology.kubernetes.io/zone':'b'"));
    assert_false(reached_from(v, "'disk':'','topology.kubernetes.io/zone':'c'"));
    assert_false(reached_from(v, "'topology.kubernetes.io/zone':'b'"));
    assert_true(reached_from(v, "'disk':''")); /* a node without zones is in all */
    assert_false(reached_from(v, "'disk':'','topology.kubernetes.io/region':'r'"));
    skr_volume_destroy(v);
}

TEST(an_older_zone_label_matches_the_newer_one_of_a_node)
{
    struct skr_volume *v = volume("{'metadata':{'name':'v','labels':{"
                                  "'failure-domain.beta.kubernetes.io/zone':'a'}},'spec':{}}");
    assert_true(reached_from(v, "'topology.kubernetes.io/zone':'a'"));
    assert_false(reached_from(v, "'topology.kubernetes.io/zone':'b'"));
    skr_volume_destroy(v);
}

TEST(a_local_volume_names_its_host)
{
    struct skr_volume *v =
        volume("{'metadata':{'name':'v'},'spec':{'capacity':{'storage':'1.5'},'accessModes':["
               "'ReadWriteOnce','ReadOnlyMany'],'csi':{'driver':'d','volumeHandle':'h'},"
               "'nodeAffinity':{'required':{'nodeSelectorTerms':[{'matchExpressions':[{'key':"
               "'kubernetes.io/hostname','operator':'In','values':['n-1']}]}]}}},"
               "'status':{'phase':'Available'}}");
    assert_string_equal(v->host, "n-1");
    assert_string_equal(v->driver, "d");
    assert_true(v->free);
    assert_int_equal(v->modes, 3 + 64); /* Filesystem */
    assert_int_equal(v->bytes, 2);
    skr_volume_destroy(v);
}

TEST(a_field_of_another_type_is_named)
{
    static const struct {
        const char *text, *error;
    } row[] = {
        {"{'metadata':{'name':'v'},'spec':{'csi':[]}}",
         "spec.csi: must be an object, got an array"},
        {"{'metadata':{'name':'v'},'spec':{'nodeAffinity':{'required':{'nodeSelectorTerms':7}}}}",
         "spec.nodeAffinity.required.nodeSelectorTerms: must be an array, got a number"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        json_auto_t *json = json_text_load(row[i].text);
        struct skr_volume *v = NULL;
        struct skr_error error;
        assert_true(skr_volume_decode(json, &v, &error) < 0);
        assert_null(v);
        assert_string_equal(error.text, row[i].error);
    }
}

TEST(claims_classes_and_limits_are_read)
{
    struct skr_error error;
    json_auto_t *text =
        json_text_load("{'metadata':{'namespace':'ns','name':'c','annotations':{"
                       "'volume.beta.kubernetes.io/storage-class':'old'}},'spec':{'accessModes':["
                       "'ReadWriteOncePod'],'storageClassName':'new','selector':{'matchLabels':{"
                       "'kind':'x'}},'volumeAttributesClassName':'gold','volumeMode':'"
                       "Block','resources':{'requests':{"
                       "'storage':'1Ki'}}}}");
    struct skr_volume_claim *claim = NULL;
    assert_int_equal(skr_volume_claim_decode(text, &claim, &error), 0);
    assert_string_equal(claim->class_, "old");
    assert_string_equal(claim->volume, "");
    assert_true(claim->one_pod);
    assert_string_equal(claim->attributes, "gold");
    assert_string_equal(claim->selector,
                        "{\"nodeSelectorTerms\":[{\"matchExpressions\":[{\"key\":\"kind\","
                        "\"operator\":\"In\",\"values\":[\"x\"]}]}]}");
    assert_int_equal(claim->modes, 8 + 32);
    assert_int_equal(claim->bytes, 1024);
    struct skr_volume *v =
        volume("{'metadata':{'name':'v','labels':{'kind':'x'}},'spec':{'storageClassName':'old','"
               "capacity':"
               "{'storage':'1Ki'},'accessModes':['ReadWriteOncePod'],'volumeMode':'Block',"
               "'volumeAttributesClassName':'gold'},'status':{'phase':'Available'}}");
    assert_true(skr_volume_suits(v, claim));
    v->labels = "{\"kind\":\"y\"}";
    assert_false(skr_volume_suits(v, claim));
    v->labels = "{\"kind\":\"x\"}";
    v->attributes = "";
    assert_false(skr_volume_suits(v, claim));
    skr_volume_destroy(v);
    skr_volume_claim_destroy(claim);
    json_auto_t *drivers =
        json_text_load("{'metadata':{'name':'n'},'spec':{'drivers':[{'name':'a'},{'name':'b',"
                       "'allocatable':{'count':7}}]}}");
    struct skr_csi_node *node = NULL;
    assert_int_equal(skr_csi_node_decode(drivers, &node, &error), 0);
    assert_int_equal(node->n, 2);
    assert_int_equal(node->limit[0].most, INT32_MAX);
    assert_string_equal(node->limit[1].driver, "b");
    assert_int_equal(node->limit[1].most, 7);
    skr_csi_node_destroy(node);
}

static struct skr_csi_capacity *capacity(const char *fields)
{
    char text[500];
    struct skr_error error;
    struct skr_csi_capacity *ret = NULL;
    snprintf(text, sizeof text, "{'metadata':{'namespace':'ns','name':'c'},%s}", fields);
    json_auto_t *json = json_text_load(text);
    assert_int_equal(skr_csi_capacity_decode(json, &ret, &error), 0);
    return ret;
}

TEST(room_for_a_volume_is_the_largest_one_if_the_driver_says_that)
{
    struct skr_csi_capacity *c =
        capacity("'storageClassName':'s','nodeTopology':{'matchLabels':{'z':'1','a':'2'}},"
                 "'capacity':'10Gi','maximumVolumeSize':'1Ki'");
    assert_int_equal(c->bytes, 1024);
    assert_int_equal(c->n_labels, 2);
    assert_string_equal(c->label[0].key, "a");
    assert_string_equal(c->label[1].value, "1");
    assert_true(c->labels_alone);
    skr_csi_capacity_destroy(c);
    c = capacity("'storageClassName':'s','capacity':'1'"); /* on no node */
    assert_int_equal(c->bytes, -1);
    skr_csi_capacity_destroy(c);
    c = capacity("'storageClassName':'s','nodeTopology':{}");
    assert_int_equal(c->bytes, -1);
    skr_csi_capacity_destroy(c);
    c = capacity("'storageClassName':'s','capacity':'1','nodeTopology':{'matchLabels':{'a':'1'},"
                 "'matchExpressions':[{'key':'b','operator':'DoesNotExist'}]}");
    struct skr_volume *v = skr_volume_of_selector(c->selector);
    assert_true(reached_from(v, "'a':'1'"));
    assert_false(reached_from(v, "'a':'1','b':''"));
    assert_false(reached_from(v, "'b':''"));
    skr_volume_destroy(v);
    skr_csi_capacity_destroy(c);
}
