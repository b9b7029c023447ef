/* SPDX-License-Identifier: Apache-2.0 */
/* Device classes: what is read of them, and which one serves a resource. */
#include "test/test.h"
#include "test/unit/json_text.h"
#include "topology/device_classes.h"

/* JSON with single quotes. */
static int decode(const char *text, struct skr_device_class **ret, struct skr_error *error)
{
    json_auto_t *json = json_text_load(text);
    return skr_device_class_decode(json, ret, error);
}

/* created: seconds; resource NULL: none. */
static void put(struct skr_device_classes *classes, const char *name, const char *resource,
                int created)
{
    struct skr_device_class class = {.meta = {.name = name, .created = created * SKR_SECOND},
                                     .resource = resource ? resource : ""};
    skr_device_classes_put(classes, &class);
}

static void assert_class(const struct skr_device_classes *classes, const char *resource,
                         const char *expected)
{
    const char *found = skr_device_classes_find(classes, resource);
    assert_string_equal(found ? found : "none", expected);
}

TEST(a_class_is_read_with_the_resource_that_it_names)
{
    static const struct {
        const char *text, *resource, *error;
    } rows[] = {
        {"{'metadata':{'name':'c'},'spec':{'extendedResourceName':'example.com/gpu',"
         "'selectors':[{'cel':{'expression':'true'}}]}}",
         "example.com/gpu", NULL},
        {"{'metadata':{'name':'c'},'spec':{}}", "", NULL},
        {"{'metadata':{'name':'c'}}", "", NULL},
        {"{'metadata':{'name':'c'},'spec':{'extendedResourceName':null}}", "", NULL},
        /* It would take the name that another class has by itself. */
        {"{'metadata':{'name':'c'},'spec':{'extendedResourceName':"
         "'deviceclass.resource.kubernetes.io/other'}}",
         "", NULL},
        {"{'metadata':{'name':'c'},'spec':7}", NULL, "spec: must be an object, got a number"},
        {"{'metadata':{'name':'c'},'spec':{'extendedResourceName':7}}", NULL,
         "spec.extendedResourceName: must be a string, got a number"},
        {"[]", NULL, "deviceclass: must be an object, got an array"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct skr_device_class *class = NULL;
        struct skr_error error = {0};
        int rc = decode(rows[i].text, &class, &error);
        if (rows[i].error) {
            assert_int_equal(rc, -SKR_INVALID);
            assert_string_equal(error.text, rows[i].error);
            continue;
        }
        assert_int_equal(rc, 0);
        assert_string_equal(class->resource, rows[i].resource);
        skr_device_class_destroy(class);
    }
    skr_device_class_destroy(NULL);
}

TEST(a_class_serves_the_resource_that_it_names_and_one_by_its_own_name)
{
    struct skr_device_classes *classes = skr_device_classes_create();
    assert_class(classes, "example.com/gpu", "none");
    put(classes, "gpu", "example.com/gpu", 1);
    put(classes, "nic", NULL, 1);
    assert_class(classes, "example.com/gpu", "gpu");
    assert_class(classes, "deviceclass.resource.kubernetes.io/gpu", "gpu");
    assert_class(classes, "deviceclass.resource.kubernetes.io/nic", "nic");
    assert_class(classes, "deviceclass.resource.kubernetes.io/", "none");
    assert_class(classes, "gpu", "none");
    put(classes, "gpu", "example.com/other", 1);
    assert_class(classes, "example.com/gpu", "none");
    assert_class(classes, "example.com/other", "gpu");
    put(classes, "gpu", NULL, 1);
    assert_class(classes, "example.com/other", "none");
    skr_device_classes_remove(classes, "gpu");
    assert_class(classes, "deviceclass.resource.kubernetes.io/gpu", "none");
    assert_class(classes, "deviceclass.resource.kubernetes.io/nic", "nic");
    const uint64_t version = skr_device_classes_version(classes);
    skr_device_classes_remove(classes, "gpu");
    assert_true(skr_device_classes_version(classes) == version);
    skr_device_classes_destroy(classes);
    skr_device_classes_destroy(NULL);
}

TEST(of_two_classes_for_a_resource_the_younger_counts_then_the_first_by_name)
{
    struct skr_device_classes *classes = skr_device_classes_create();
    put(classes, "b", "example.com/gpu", 5);
    put(classes, "a", "example.com/gpu", 3);
    assert_class(classes, "example.com/gpu", "b");
    put(classes, "d", "example.com/gpu", 9);
    put(classes, "c", "example.com/gpu", 9);
    assert_class(classes, "example.com/gpu", "c");
    skr_device_classes_remove(classes, "c");
    assert_class(classes, "example.com/gpu", "d");
    skr_device_classes_remove(classes, "d");
    skr_device_classes_remove(classes, "b");
    assert_class(classes, "example.com/gpu", "a");
    skr_device_classes_destroy(classes);
}
