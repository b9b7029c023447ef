/* SPDX-License-Identifier: Apache-2.0 */
#include "topology/fields.h"

#include <stdlib.h>
#include <string.h>

#include "test/test.h"
#include "test/unit/json_text.h"

enum { BYTES = 4096 };

struct world {
    struct skr_error error;
    struct skr_decoding decoding;
    json_t *json;
    struct skr_fields root;
};

static void make(struct world *w, const char *text)
{
    *w = (struct world){.error = {.text = ""}, .json = json_text_load(text)};
    w->decoding = (struct skr_decoding){
        .what = "thing", .arena = skr_arena_create(BYTES, 0), .error = &w->error};
    w->root = skr_fields_of(&w->decoding, w->json);
}

static void done(struct world *w, int code, const char *says)
{
    assert_int_equal(w->decoding.rc, -code);
    assert_string_equal(w->error.text, says);
    skr_arena_destroy(w->decoding.arena);
    json_decref(w->json);
}

TEST(fields_are_read_by_their_type)
{
    struct world w;
    make(&w, "{'a':{'text':'x','n':-7,'big':5000000000,'yes':true,'at':'1970-01-01T00:00:01Z',"
             "'amount':'1500m','number':0.1,'names':['b','a']}}");
    const struct skr_fields a = skr_fields_object(&w.root, "a");
    const char **names;
    bool is_set;
    assert_string_equal(skr_fields_text(&a, "text"), "x");
    assert_int_equal(skr_fields_int32(&a, "n", 1), -7);
    assert_true(skr_fields_int64(&a, "big", 1) == 5000000000);
    assert_true(skr_fields_bool(&a, "yes"));
    assert_true(skr_fields_time(&a, "at", &is_set) == SKR_SECOND);
    assert_true(is_set);
    assert_true(skr_fields_nano(&a, "amount") == 1500000000);
    assert_true(skr_fields_nano(&a, "number") == 100000000);
    assert_int_equal(skr_fields_texts(&a, "names", 2, &names), 2);
    assert_string_equal(names[1], "a");
    done(&w, 0, "");
}

TEST(what_is_absent_or_null_has_the_value_for_absent)
{
    struct world w;
    make(&w, "{'text':null,'list':null}");
    const struct skr_fields none = skr_fields_object(&w.root, "none");
    const char **names;
    bool is_set;
    assert_null(none.json);
    assert_string_equal(skr_fields_text(&none, "text"), "");
    assert_string_equal(skr_fields_text(&w.root, "text"), "");
    assert_false(skr_fields_has(&w.root, "text"));
    assert_int_equal(skr_fields_int32(&none, "n", 3), 3);
    assert_true(skr_fields_int64(&none, "n", -3) == -3);
    assert_true(skr_fields_nano(&none, "n") == 0);
    assert_true(skr_fields_time(&none, "at", &is_set) == 0);
    assert_false(is_set);
    assert_int_equal(skr_fields_list(&w.root, "list", 1).n, 0);
    assert_int_equal(skr_fields_texts(&none, "names", 1, &names), 0);
    done(&w, 0, "");
}

TEST(the_first_error_stays_and_everything_behind_it_is_absent)
{
    struct world w;
    make(&w, "{'n':'one','m':'two','text':'x','list':[{'k':1},{'k':2}]}");
    const struct skr_fields list = skr_fields_list(&w.root, "list", 2);
    assert_true(skr_fields_more(&list, 1));
    assert_int_equal(skr_fields_int32(&w.root, "n", 1), 1);
    assert_int_equal(skr_fields_int32(&w.root, "m", 2), 2);
    assert_string_equal(skr_fields_text(&w.root, "text"), "");
    assert_false(skr_fields_has(&w.root, "text"));
    assert_false(skr_fields_more(&list, 0));
    assert_null(skr_fields_room(&w.root, 1, 1));
    skr_fields_refuse(&w.root, SKR_LIMIT, "too late");
    skr_fields_fail(&w.root, "m", SKR_LIMIT, "too late");
    done(&w, SKR_INVALID, "n: must be an integer, got a string");
}

static const struct wrong {
    const char *title, *json, *says;
    int code;
} wrongs[] = {
    {"a text", "{'list':[{},{'text':1}]}", "list[1].text: must be a string, got a number",
     SKR_INVALID},
    {"an entry", "{'list':[{},7]}", "list[1]: must be an object, got a number", SKR_INVALID},
    {"a list", "{'list':{}}", "list: must be an array, got an object", SKR_INVALID},
    {"a long list", "{'list':[{},{},{}]}", "list: 3 entries, at most 2 are supported", SKR_LIMIT},
    {"an amount", "{'list':[{'amount':[]}]}", "list[0].amount: must be a quantity, got an array",
     SKR_INVALID},
    {"names", "{'list':[{'names':['a',null]}]}", "list[0].names[1]: must be a string, got null",
     SKR_INVALID},
    {"a large number", "{'list':[{'n':3000000000}]}",
     "list[0].n: 3000000000 does not fit into 32 bits", SKR_INVALID},
    {"an integer", "{'list':[{'big':1.5}]}", "list[0].big: must be an integer, got a number",
     SKR_INVALID},
};

TEST_EACH(wrong, wrongs, an_error_has_the_path_of_its_field)
{
    struct world w;
    const char **names;
    make(&w, wrong->json);
    const struct skr_fields list = skr_fields_list(&w.root, "list", 2);
    for (size_t i = 0; skr_fields_more(&list, i); i++) {
        const struct skr_fields entry = skr_fields_entry(&list, i);
        (void)skr_fields_text(&entry, "text");
        (void)skr_fields_nano(&entry, "amount");
        (void)skr_fields_texts(&entry, "names", 2, &names);
        (void)skr_fields_int32(&entry, "n", 0);
        (void)skr_fields_int64(&entry, "big", 0);
    }
    done(&w, wrong->code, wrong->says);
}

TEST(an_object_beyond_its_memory_is_an_error_that_names_its_kind)
{
    struct world w;
    make(&w, "{'text':'xxxxxxxxxxxxxxxx'}");
    for (size_t i = 0; i < BYTES; i++) {
        assert_non_null(skr_fields_text(&w.root, "text"));
    }
    done(&w, SKR_LIMIT, "thing: larger than 8388608 bytes decoded");
}

struct thing {
    struct skr_arena *arena;
    struct skr_meta meta;
    int32_t n;
};

static void fill(void *object, const struct skr_fields *json)
{
    ((struct thing *)object)->n = skr_fields_int32(json, "n", 0);
}

TEST(an_object_has_its_metadata_before_the_rest_is_read)
{
    struct skr_error error = {.text = ""};
    void *object = NULL;
    json_auto_t *good = json_text_load("{'metadata':{'name':'x'},'n':4}");
    json_auto_t *bad = json_text_load("{'metadata':{'name':1},'n':'four'}");
    assert_int_equal(skr_object_decode(bad, "thing", sizeof(struct thing), fill, &object, &error),
                     -SKR_INVALID);
    assert_string_equal(error.text, "metadata.name: must be a string, got a number");
    assert_null(object);
    assert_int_equal(skr_object_decode(good, "thing", sizeof(struct thing), fill, &object, NULL),
                     0);
    assert_string_equal(skr_object_meta(object)->name, "x");
    assert_int_equal(((struct thing *)object)->n, 4);
    skr_object_destroy(object);
    skr_object_destroy(NULL);
}
