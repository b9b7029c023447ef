/* SPDX-License-Identifier: Apache-2.0 */
/* The three patches, tables of target, patch and result; the examples of RFC 7386 and RFC 6902, and
 * strategic patches as kubectl and our writer send them. */
#include "server/lab/store/store_parts.h"
#include "test/test.h"
#include "test/unit/json_text.h"

struct example {
    const char *target, *patch, *result; /* result NULL: refused */
};

static void check(const struct example *e, json_t *result, json_t *target, const char *before)
{
    char *after = json_dumps(target, JSON_ENCODE_ANY);
    json_t *expected = e->result ? json_text_load(e->result) : NULL;
    char *text = result ? json_dumps(result, JSON_ENCODE_ANY | JSON_SORT_KEYS) : NULL;

    assert_string_equal(before, after); /* the target is never changed */
    if ((!result) != (!expected) || (result && !json_equal(result, expected))) {
        fail_msg("%s + %s = %s", e->target, e->patch, text ? text : "refused");
    }
    free(text);
    free(after);
    json_decref(expected);
    json_decref(result);
}

TEST(merge_patches_follow_rfc_7386)
{
    static const struct example table[] = {
        {"{'a':'b'}", "{'a':'c'}", "{'a':'c'}"},
        {"{'a':'b'}", "{'b':'c'}", "{'a':'b','b':'c'}"},
        {"{'a':'b'}", "{'a':null}", "{}"},
        {"{'a':'b','b':'c'}", "{'a':null}", "{'b':'c'}"},
        {"{'a':['b']}", "{'a':'c'}", "{'a':'c'}"},
        {"{'a':'c'}", "{'a':['b']}", "{'a':['b']}"},
        {"{'a':{'b':'c'}}", "{'a':{'b':'d','c':null}}", "{'a':{'b':'d'}}"},
        {"{'a':[{'b':'c'}]}", "{'a':[1]}", "{'a':[1]}"},
        {"{'e':null}", "{'a':1}", "{'e':null,'a':1}"},
        {"[1,2]", "{'a':'b','c':null}", "{'a':'b'}"},
        {"{}", "{'a':{'bb':{'ccc':null}}}", "{'a':{'bb':{}}}"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        json_t *target = json_text_load(table[i].target), *patch = json_text_load(table[i].patch);
        char *before = json_dumps(target, JSON_ENCODE_ANY);
        check(&table[i], skr_patch_merge(target, patch), target, before);
        free(before);
        json_decref(target);
        json_decref(patch);
    }
}

TEST(json_patches_follow_rfc_6902)
{
    static const struct example table[] = {
        {"{'foo':'bar'}", "[{'op':'add','path':'/baz','value':'qux'}]",
         "{'baz':'qux','foo':'bar'}"},
        {"{'foo':['bar','baz']}", "[{'op':'add','path':'/foo/1','value':'qux'}]",
         "{'foo':['bar','qux','baz']}"},
        {"{'baz':'qux','foo':'bar'}", "[{'op':'remove','path':'/baz'}]", "{'foo':'bar'}"},
        {"{'foo':['bar','qux','baz']}", "[{'op':'remove','path':'/foo/1'}]",
         "{'foo':['bar','baz']}"},
        {"{'baz':'qux'}", "[{'op':'replace','path':'/baz','value':'boo'}]", "{'baz':'boo'}"},
        {"{'foo':{'bar':'baz','waldo':'fred'},'qux':{}}",
         "[{'op':'move','from':'/foo/waldo','path':'/qux/thud'}]",
         "{'foo':{'bar':'baz'},'qux':{'thud':'fred'}}"},
        {"{'foo':['all','grass','cows','eat']}", "[{'op':'move','from':'/foo/1','path':'/foo/3'}]",
         "{'foo':['all','cows','eat','grass']}"},
        {"{'baz':'qux','foo':['a',2,'c']}",
         "[{'op':'test','path':'/baz','value':'qux'},{'op':'test','path':'/foo/1','value':2}]",
         "{'baz':'qux','foo':['a',2,'c']}"},
        {"{'baz':'qux'}", "[{'op':'test','path':'/baz','value':'bar'}]", NULL},
        {"{'foo':'bar'}", "[{'op':'add','path':'/child','value':{'grandchild':{}}}]",
         "{'foo':'bar','child':{'grandchild':{}}}"},
        {"{'foo':'bar'}", "[{'op':'add','path':'/baz/bat','value':'qux'}]", NULL},
        {"{'foo':['bar']}", "[{'op':'add','path':'/foo/-','value':['abc','def']}]",
         "{'foo':['bar',['abc','def']]}"},
        {"{'foo':['bar']}", "[{'op':'add','path':'/foo/2','value':1}]", NULL},
        {"{'foo':['bar']}", "[{'op':'add','path':'/foo/01','value':1}]", NULL},
        {"{'/':9,'~1':10}", "[{'op':'test','path':'/~01','value':10},{'op':'remove','path':'/~1'}]",
         "{'~1':10}"},
        {"{'a':1}", "[{'op':'test','path':'/~2','value':10}]", NULL},
        {"{'a':{'b':1}}", "[{'op':'move','from':'/a','path':'/a/b'}]", NULL},
        {"{'a':1}", "[{'op':'copy','from':'/a','path':'/b'}]", "{'a':1,'b':1}"},
        {"{'a':1}", "[{'op':'copy','from':'/x','path':'/b'}]", NULL},
        {"{'a':1}", "[{'op':'replace','path':'','value':{'b':2}}]", "{'b':2}"},
        {"{'a':1}", "[{'op':'remove','path':'/b'}]", NULL},
        {"{'a':1}", "[{'op':'replace','path':'/b','value':1}]", NULL},
        {"{'a':1}", "[{'op':'what','path':'/a','value':1}]", NULL},
        {"{'a':1}", "[{'op':'add','path':'/a'}]", NULL},
        {"{'a':1}", "[7]", NULL},
        {"{'a':1}", "{}", NULL},
    };
    struct skr_error error;

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        json_t *target = json_text_load(table[i].target), *patch = json_text_load(table[i].patch);
        char *before = json_dumps(target, JSON_ENCODE_ANY);
        check(&table[i], skr_patch_json(target, patch, &error), target, before);
        free(before);
        json_decref(target);
        json_decref(patch);
    }
}

TEST(copies_of_copies_end)
{
    struct skr_error error;
    json_t *target = json_text_load("{'a':[1,2,3]}"), *patch = json_array();

    for (int i = 0; i < 40; i++) {
        json_array_append_new(patch, json_text_load("{'op':'copy','from':'/a','path':'/a/-'}"));
    }
    assert_null(skr_patch_json(target, patch, &error));
    json_decref(target);
    json_decref(patch);
}

TEST(strategic_patches_merge_lists_by_their_keys)
{
    static const struct example table[] = {
        {"{'spec':{'schedulingGates':[{'name':'a'},{'name':'b'}]}}",
         "{'spec':{'schedulingGates':[{'$patch':'delete','name':'a'}]}}",
         "{'spec':{'schedulingGates':[{'name':'b'}]}}"},
        {"{'spec':{'schedulingGates':[{'name':'a'}]}}",
         "{'spec':{'schedulingGates':[{'$patch':'delete','name':'x'}]}}",
         "{'spec':{'schedulingGates':[{'name':'a'}]}}"},
        {"{'containers':[{'name':'a','image':'1'},{'name':'b'}]}",
         "{'containers':[{'name':'a','image':'2'},{'name':'c'}]}",
         "{'containers':[{'name':'a','image':'2'},{'name':'b'},{'name':'c'}]}"},
        {"{'containers':[{'name':'a','env':[{'name':'x','value':'1'},{'name':'y'}]}]}",
         "{'containers':[{'name':'a','env':[{'name':'x','value':'2'}]}]}",
         "{'containers':[{'name':'a','env':[{'name':'x','value':'2'},{'name':'y'}]}]}"},
        {"{'tolerations':[{'key':'a'}]}", "{'tolerations':[{'key':'b'}]}",
         "{'tolerations':[{'key':'b'}]}"},
        {"{'taints':[{'key':'a'}]}", "{'taints':null}", "{}"},
        {"{'metadata':{'finalizers':['a','b']}}", "{'metadata':{'finalizers':['b','c']}}",
         "{'metadata':{'finalizers':['a','b','c']}}"},
        {"{'metadata':{'finalizers':['a','b']}}",
         "{'metadata':{'$deleteFromPrimitiveList/finalizers':['a']}}",
         "{'metadata':{'finalizers':['b']}}"},
        {"{'containers':[{'name':'a'},{'name':'s'},{'name':'b'}]}",
         "{'$setElementOrder/containers':[{'name':'b'},{'name':'a'}],'containers':[{'name':'b',"
         "'image':'x'}]}",
         "{'containers':[{'name':'b','image':'x'},{'name':'a'},{'name':'s'}]}"},
        {"{'a':{'b':1,'c':2}}", "{'a':{'$patch':'replace','d':3}}", "{'a':{'d':3}}"},
        {"{'a':{'b':1,'c':2}}", "{'a':{'$patch':'delete'}}", "{'a':{}}"},
        {"{'containers':[{'name':'a'}]}", "{'containers':[{'$patch':'replace'},{'name':'z'}]}",
         "{'containers':[{'name':'z'}]}"},
        {"{'strategy':{'type':'R','rollingUpdate':{'a':1}}}",
         "{'strategy':{'$retainKeys':['type'],'type':'Recreate'}}",
         "{'strategy':{'type':'Recreate'}}"},
        {"{'ports':[{'containerPort':80}]}", "{'ports':[{'containerPort':80,'name':'h'}]}",
         "{'ports':[{'containerPort':80,'name':'h'}]}"},
        {"{'containers':[{'name':'a'}]}", "{'containers':[{'image':'x'}]}", NULL},
        {"{'a':1}", "{'$patch':'what'}", NULL},
        {"{'a':1}", "{'$what/x':[]}", NULL},
        {"{'a':1}", "[]", NULL},
    };
    struct skr_error error;

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        json_t *target = json_text_load(table[i].target), *patch = json_text_load(table[i].patch);
        char *before = json_dumps(target, JSON_ENCODE_ANY);
        check(&table[i], skr_patch_strategic(target, patch, "Pod", &error), target, before);
        free(before);
        json_decref(target);
        json_decref(patch);
    }
}

TEST(what_a_patch_did_not_touch_is_shared)
{
    json_t *target = json_text_load("{'spec':{'x':[1]},'metadata':{'labels':{'a':'b'}}}");
    json_t *patch = json_text_load("{'metadata':{'labels':{'c':'d'}}}");

    json_t *result = skr_patch_merge(target, patch);
    assert_ptr_equal(json_object_get(result, "spec"), json_object_get(target, "spec"));
    assert_ptr_not_equal(json_object_get(result, "metadata"), json_object_get(target, "metadata"));
    json_decref(result);
    result = skr_patch_strategic(target, patch, "Pod", NULL);
    assert_ptr_equal(json_object_get(result, "spec"), json_object_get(target, "spec"));
    json_decref(result);
    json_decref(target);
    json_decref(patch);
}
