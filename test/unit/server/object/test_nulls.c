/* SPDX-License-Identifier: Apache-2.0 */
/* Nulls as kube-apiserver reads them. */
#include "server/object/nulls.h"
#include "test/test.h"
#include "test/unit/json_text.h"

struct example {
    const char *object, *result;
};

static void check(const struct example *e, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        json_auto_t *object = json_text_load(e[i].object);
        json_auto_t *expected = json_text_load(e[i].result);
        json_auto_t *result = skr_nulls_resolved_alone(object);
        char *text = json_dumps(result, JSON_SORT_KEYS);
        if (!json_equal(result, expected)) {
            fail_msg("%s: %s", e[i].object, text);
        }
        free(text);
    }
}

TEST(null_in_a_map_is_the_zero_of_its_type)
{
    static const struct example table[] = {
        {"{'apiVersion':'v1','kind':'ConfigMap','metadata':{'labels':{'sakkara.group':null},"
         "'annotations':{'a':null,'b':'1'}},'data':{'size':null},'binaryData':{'b':null}}",
         "{'apiVersion':'v1','kind':'ConfigMap','metadata':{'labels':{'sakkara.group':''},"
         "'annotations':{'a':'','b':'1'}},'data':{'size':''},'binaryData':{'b':''}}"},
        {"{'apiVersion':'v1','kind':'Secret','data':{'a':null},'stringData':{'b':null}}",
         "{'apiVersion':'v1','kind':'Secret','data':{'a':''},'stringData':{'b':''}}"},
        {"{'apiVersion':'v1','kind':'Pod','spec':{'nodeSelector':{'zone':null},'overhead':{'cpu':"
         "null},'containers':[{'resources':{'requests':{'cpu':null},'limits':{'cpu':null}}}]}}",
         "{'apiVersion':'v1','kind':'Pod','spec':{'nodeSelector':{'zone':''},'overhead':{'cpu':"
         "'0'},'containers':[{'resources':{'requests':{'cpu':'0'},'limits':{'cpu':'0'}}}]}}"},
        {"{'apiVersion':'batch/v1','kind':'Job','spec':{'selector':{'matchLabels':{'a':null}},"
         "'template':{'metadata':{'labels':{'a':null,'labels':null}}}}}",
         "{'apiVersion':'batch/v1','kind':'Job','spec':{'selector':{'matchLabels':{'a':''}},"
         "'template':{'metadata':{'labels':{'a':'','labels':''}}}}}"},
        {"{'apiVersion':'v1','kind':'Node','status':{'capacity':{'cpu':null},'allocatable':"
         "{'pods':null}}}",
         "{'apiVersion':'v1','kind':'Node','status':{'capacity':{'cpu':'0'},'allocatable':"
         "{'pods':'0'}}}"},
        {"{'apiVersion':'v1','kind':'Service','spec':{'selector':{'app':null}}}",
         "{'apiVersion':'v1','kind':'Service','spec':{'selector':{'app':''}}}"},
        {"{'apiVersion':'storage.k8s.io/v1','kind':'StorageClass','parameters':{'a':null}}",
         "{'apiVersion':'storage.k8s.io/v1','kind':'StorageClass','parameters':{'a':''}}"},
        {"{'apiVersion':'v1','kind':'ResourceQuota','spec':{'hard':{'pods':null}}}",
         "{'apiVersion':'v1','kind':'ResourceQuota','spec':{'hard':{'pods':'0'}}}"},
    };
    check(table, sizeof table / sizeof *table);
}

TEST(a_field_that_is_null_is_absent)
{
    static const struct example table[] = {
        {"{'apiVersion':'v1','kind':'ConfigMap','metadata':{'labels':null,'annotations':{}},"
         "'data':null}",
         "{'apiVersion':'v1','kind':'ConfigMap','metadata':{'annotations':{}}}"},
        {"{'apiVersion':'apps/v1','kind':'Deployment','spec':{'selector':{'matchLabels':null},"
         "'replicas':null,'template':{'spec':{'nodeSelector':null,'containers':[{'name':'c',"
         "'image':null,'resources':null}]}}}}",
         "{'apiVersion':'apps/v1','kind':'Deployment','spec':{'selector':{},'template':{'spec':"
         "{'containers':[{'name':'c'}]}}}}"},
        {"{'apiVersion':'storage.k8s.io/v1','kind':'CSIStorageCapacity','capacity':null}",
         "{'apiVersion':'storage.k8s.io/v1','kind':'CSIStorageCapacity'}"},
    };
    check(table, sizeof table / sizeof *table);
}

TEST(null_in_a_list_is_the_zero_of_its_elements)
{
    static const struct example table[] = {
        {"{'apiVersion':'v1','kind':'Pod','metadata':{'finalizers':['a/b',null]},'spec':{"
         "'containers':[{'args':[null],'command':['sh',null],'env':[null]}],'tolerations':[null,"
         "{'key':'k'}]}}",
         "{'apiVersion':'v1','kind':'Pod','metadata':{'finalizers':['a/b','']},'spec':{"
         "'containers':[{'args':[''],'command':['sh',''],'env':[{}]}],'tolerations':[{},"
         "{'key':'k'}]}}"},
        {"{'apiVersion':'batch/v1','kind':'Job','spec':{'selector':{'matchExpressions':[{'key':"
         "'a','values':[null]}]}}}",
         "{'apiVersion':'batch/v1','kind':'Job','spec':{'selector':{'matchExpressions':[{'key':"
         "'a','values':['']}]}}}"},
        {"{'apiVersion':'ray.io/v1','kind':'RayCluster','spec':{'a':['b',null]}}",
         "{'apiVersion':'ray.io/v1','kind':'RayCluster','spec':{'a':['b',null]}}"},
    };
    check(table, sizeof table / sizeof *table);
}

TEST(of_a_custom_resource_the_metadata_alone_are_typed)
{
    static const struct example table[] = {
        {"{'apiVersion':'jobset.x-k8s.io/v1alpha2','kind':'JobSet','metadata':{'labels':{'a':null},"
         "'annotations':{'b':null}},'spec':{'replicatedJobs':[{'template':{'metadata':{'labels':"
         "{'a':null,'c':'d'}}}}],'suspend':null}}",
         "{'apiVersion':'jobset.x-k8s.io/v1alpha2','kind':'JobSet','metadata':{'labels':{'a':''},"
         "'annotations':{'b':''}},'spec':{'replicatedJobs':[{'template':{'metadata':{'labels':"
         "{'c':'d'}}}}]}}"},
    };
    check(table, sizeof table / sizeof *table);
}

TEST(what_has_no_null_is_shared)
{
    json_auto_t *object = json_text_load("{'apiVersion':'v1','kind':'Pod','metadata':{'labels':"
                                         "{'a':null}},'spec':{'nodeName':'n'}}");
    json_auto_t *result = skr_nulls_resolved_alone(object);
    json_auto_t *again = skr_nulls_resolved_alone(result);
    assert_ptr_equal(json_object_get(result, "spec"), json_object_get(object, "spec"));
    assert_ptr_equal(again, result);
    assert_true(skr_nulls_any(object));
    assert_false(skr_nulls_any(result));
}
