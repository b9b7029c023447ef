/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies of the verbs: shapes, cases, limits, malformed ones; and the one-pass reader against
 * libjansson on generated texts. */
#include "server/http/request_json.h"
#include "test/test.h"
#include "test/unit/pod_same.h"
#include "topology/base/arena.h"
#include "topology/base/strbuf.h"

#define POD                                                                                 \
    "{\"metadata\":{\"name\":\"a-0\",\"namespace\":\"default\",\"uid\":\"u-0\",\"labels\":" \
    "{\"sakkara.group.name\":\"a\"}},\"spec\":{\"schedulerName\":\"sakkara\"}}"

static int parse_n(enum skr_verb verb, const char *text, size_t n, struct skr_verb_args *ret,
                   struct skr_error *error)
{
    char *body = skr_alloc(n + 1);
    memcpy(body, text, n);
    *error = (struct skr_error){0};
    /* Every body with shapes that have seen its pod, too: the same comes out of it. */
    SKR_AUTO(skr_pod_shapes_destroy) struct skr_pod_shapes *shapes = skr_pod_shapes_create();
    struct skr_verb_args again;
    struct skr_error said;
    SKR_AUTO_FREE char *copy = skr_alloc(n + 1);
    memcpy(copy, text, n);
    int rc = skr_verb_args_parse(verb, body, n, NULL, ret, error);
    for (int i = 0; i < 2; i++) {
        char *once = skr_alloc(n + 1);
        memcpy(once, copy, n);
        assert_int_equal(skr_verb_args_parse(verb, once, n, shapes, &again, &said), rc);
        assert_true(rc != 0 || !ret->pod == !again.pod);
        if (rc == 0 && ret->pod) {
            assert_null(pod_difference(ret->pod, again.pod));
        }
        if (rc == 0) {
            skr_verb_args_fini(&again);
        }
    }
    return rc;
}

static int parse(enum skr_verb verb, const char *text, struct skr_verb_args *ret,
                 struct skr_error *error)
{
    return parse_n(verb, text, strlen(text), ret, error);
}

TEST(names_are_read_from_both_forms_in_any_case)
{
    static const struct {
        const char *body;
        bool nodes_form;
    } row[] = {
        {"{\"Pod\":" POD ",\"Nodes\":null,\"NodeNames\":[\"n1\",\"n2\"]}", false},
        {"{\"pod\":" POD ",\"nodes\":null,\"nodenames\":[\"n1\",\"n2\"]}", false},
        {" {\"NODENAMES\" : [ \"n1\" ,\t\"n2\" ] , \"X\":{\"y\":[1,{}]}, \"pOd\":" POD "}\n",
         false},
        {"{\"NodeNames\":[\"x\"],\"NodeNames\":[\"n\\u0031\",\"n2\"],\"Pod\":" POD "}", false},
        {"{\"Pod\":" POD ",\"NodeNames\":[\"n1\",\"n2\"],\"Nodes\":{\"items\":[]}}", false},
        {"{\"Pod\":" POD
         ",\"Nodes\":{\"metadata\":{},\"items\":[{\"metadata\":{\"labels\":{\"name\":"
         "\"x\"},\"name\":\"n1\"},\"spec\":{}},{\"kind\":\"Node\",\"metadata\":{\"name\":\"n2\"}}]}"
         ","
         "\"NodeNames\":null}",
         true},
        {"{\"nodes\":{\"Items\":[{\"metadata\":{\"name\":\"n1\"}},{\"metadata\":{\"name\":"
         "\"n\\u0032\"}}"
         "]},\"pod\":" POD "}",
         true},
    };

    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        for (int v = SKR_VERB_FILTER; v <= SKR_VERB_PRIORITIZE; v++) {
            struct skr_verb_args args;
            struct skr_error error;
            if (parse((enum skr_verb)v, row[i].body, &args, &error) != 0) {
                fail_msg("row %zu: %s", i, error.text);
            }
            assert_int_equal(args.n_nodes, 2);
            assert_string_equal(args.node[0], "n1");
            assert_string_equal(args.node[1], "n2");
            assert_int_equal(args.nodes_form, row[i].nodes_form);
            assert_string_equal(args.pod->meta.name, "a-0");
            assert_string_equal(args.pod->meta.uid, "u-0");
            skr_verb_args_fini(&args);
        }
    }
}

TEST(node_objects_are_kept_byte_by_byte)
{
    static const char item[] =
        "{ \"metadata\" : {\"name\":\"n1\"}, \"x\":1.50 , \"y\":\"\\u00e9\" }";
    char body[512];
    struct skr_verb_args args;
    struct skr_error error;
    (void)snprintf(body, sizeof body, "{\"Pod\":" POD ",\"Nodes\":{\"items\":[ %s ]}}", item);
    assert_int_equal(parse(SKR_VERB_FILTER, body, &args, &error), 0);
    assert_int_equal(args.item[0].len, strlen(item));
    assert_memory_equal(args.item[0].s, item, strlen(item));
    skr_verb_args_fini(&args);
}

TEST(no_nodes_at_all_are_understood)
{
    static const char *const body[] = {
        "{\"Pod\":" POD "}",
        "{\"Pod\":" POD ",\"Nodes\":null,\"NodeNames\":null}",
        "{\"Pod\":" POD ",\"NodeNames\":[]}",
        "{\"Pod\":" POD ",\"Nodes\":{}}",
        "{\"Pod\":" POD ",\"Nodes\":{\"items\":null}}",
        "{\"Pod\":" POD ",\"Nodes\":{\"items\":[]}}",
    };
    for (size_t i = 0; i < sizeof body / sizeof body[0]; i++) {
        struct skr_verb_args args;
        struct skr_error error;
        if (parse(SKR_VERB_FILTER, body[i], &args, &error) != 0) {
            fail_msg("row %zu: %s", i, error.text);
        }
        assert_int_equal(args.n_nodes, 0);
        skr_verb_args_fini(&args);
    }
}

TEST(candidates_of_preempt_are_read_in_both_forms)
{
    static const char *const body[] = {
        "{\"Pod\":" POD ",\"NodeNameToVictims\":null,\"NodeNameToMetaVictims\":{\"n1\":{\"Pods\":[{"
        "\"UID\":\"v1\"},{\"UID\":\"v2\"}],\"NumPDBViolations\":3},\"n2\":{\"Pods\":null},\"n3\":"
        "null}}",
        "{\"pod\":" POD ",\"nodenametometavictims\":{\"n1\":{\"pods\":[{\"uid\":\"v1\"},{\"uid\":"
        "\"v2\"}],\"numpdbviolations\":3},\"n2\":{\"pods\":[]},\"n3\":{}}}",
        "{\"Pod\":" POD
        ",\"NodeNameToVictims\":{\"n1\":{\"Pods\":[{\"metadata\":{\"uid\":\"v1\"}},{"
        "\"metadata\":{\"uid\":\"v2\"},\"spec\":{}}],\"NumPDBViolations\":3},\"n2\":{\"Pods\":null}"
        ","
        "\"n3\":{\"Pods\":null,\"NumPDBViolations\":0}}}",
    };
    for (size_t i = 0; i < sizeof body / sizeof body[0]; i++) {
        struct skr_verb_args args;
        struct skr_error error;
        if (parse(SKR_VERB_PREEMPT, body[i], &args, &error) != 0) {
            fail_msg("row %zu: %s", i, error.text);
        }
        assert_int_equal(args.n_candidates, 3);
        assert_string_equal(args.candidate[0].node, "n1");
        assert_int_equal(args.candidate[0].n_uids, 2);
        assert_string_equal(args.candidate[0].uid[0], "v1");
        assert_string_equal(args.candidate[0].uid[1], "v2");
        assert_int_equal(args.pdb_violations[0], 3);
        assert_string_equal(args.candidate[1].node, "n2");
        assert_int_equal(args.candidate[1].n_uids, 0);
        assert_int_equal(args.candidate[2].n_uids, 0);
        skr_verb_args_fini(&args);
    }
}

TEST(a_preempt_request_without_candidates_is_understood)
{
    struct skr_verb_args args;
    struct skr_error error;
    assert_int_equal(parse(SKR_VERB_PREEMPT, "{\"Pod\":" POD "}", &args, &error), 0);
    assert_int_equal(args.n_candidates, 0);
    skr_verb_args_fini(&args);
}

TEST(bind_names_pod_and_node)
{
    static const char *const body[] = {
        "{\"PodName\":\"a-0\",\"PodNamespace\":\"default\",\"PodUID\":\"u-0\",\"Node\":\"n1\"}",
        "{\"podname\":\"a-0\",\"podnamespace\":\"default\",\"poduid\":\"u-0\",\"node\":\"n1\","
        "\"z\":0}",
    };
    for (size_t i = 0; i < sizeof body / sizeof body[0]; i++) {
        struct skr_verb_args args;
        struct skr_error error;
        assert_int_equal(parse(SKR_VERB_BIND, body[i], &args, &error), 0);
        assert_string_equal(args.namespace_, "default");
        assert_string_equal(args.name, "a-0");
        assert_string_equal(args.uid, "u-0");
        assert_string_equal(args.bind_node, "n1");
        skr_verb_args_fini(&args);
    }
}

TEST(what_is_malformed_is_refused_with_its_place)
{
    static const struct {
        enum skr_verb verb;
        const char *body, *text;
    } row[] = {
        {SKR_VERB_FILTER, "", "byte 0: an object is expected"},
        {SKR_VERB_FILTER, "null", "byte 0: an object is expected"},
        {SKR_VERB_FILTER, "[]", "byte 0: an object is expected"},
        {SKR_VERB_FILTER, "{", "byte 1: a string is expected"},
        {SKR_VERB_FILTER, "{\"Pod\":" POD, "',' or '}' is expected"},
        {SKR_VERB_FILTER, "{\"Pod\":" POD "} x", "text after the value"},
        {SKR_VERB_FILTER, "{\"NodeNames\":[]}", "Pod: missing"},
        {SKR_VERB_FILTER, "{\"Pod\":null}", "Pod: must be an object"},
        {SKR_VERB_FILTER, "{\"Pod\":[]}", "Pod: must be an object"},
        {SKR_VERB_FILTER, "{\"Pod\":{\"metadata\":7}}", "Pod: "},
        {SKR_VERB_FILTER, "{\"Pod\":" POD ",\"NodeNames\":{}}", "NodeNames: byte"},
        {SKR_VERB_FILTER, "{\"Pod\":" POD ",\"NodeNames\":[1]}", "NodeNames: byte"},
        {SKR_VERB_FILTER, "{\"Pod\":" POD ",\"NodeNames\":[\"a\",]}", "NodeNames: byte"},
        {SKR_VERB_FILTER, "{\"Pod\":" POD ",\"NodeNames\":[\"a\" \"b\"]}",
         "',' or ']' is expected"},
        {SKR_VERB_FILTER, "{\"Pod\":" POD ",\"NodeNames\":[\"a]}", "string not closed"},
        {SKR_VERB_FILTER, "{\"Pod\":" POD ",\"NodeNames\":[\"\xff\"]}", "not UTF-8"},
        {SKR_VERB_FILTER, "{\"Pod\":" POD ",\"NodeNames\":[\"\\u0000\"]}", "U+0000"},
        {SKR_VERB_FILTER, "{\"Pod\":" POD ",\"NodeNames\":[\"\\ud800\"]}", "surrogate"},
        {SKR_VERB_FILTER, "{\"Pod\":" POD ",\"Nodes\":[]}", "Nodes: byte"},
        {SKR_VERB_FILTER, "{\"Pod\":" POD ",\"Nodes\":{\"items\":{}}}", "Nodes: byte"},
        {SKR_VERB_FILTER, "{\"Pod\":" POD ",\"Nodes\":{\"items\":[{}]}}",
         "Nodes.items[0]: no metadata.name"},
        {SKR_VERB_FILTER, "{\"Pod\":" POD ",\"Nodes\":{\"items\":[{\"metadata\":{\"name\":1}}]}}",
         "Nodes.items[0]: no metadata.name"},
        {SKR_VERB_PREEMPT, "{}", "Pod: must be an object"},
        {SKR_VERB_PREEMPT, "{\"Pod\":" POD ",\"NodeNameToMetaVictims\":[]}", "must be an object"},
        {SKR_VERB_PREEMPT, "{\"Pod\":" POD ",\"NodeNameToMetaVictims\":{\"n1\":{\"Pods\":[{}]}}}",
         "victims of node n1: Pods[0] has no UID"},
        {SKR_VERB_PREEMPT,
         "{\"Pod\":" POD ",\"NodeNameToMetaVictims\":{\"n1\":{\"NumPDBViolations\":5.0}}}",
         "NumPDBViolations must be an integer"},
        {SKR_VERB_PREEMPT,
         "{\"Pod\":" POD ",\"NodeNameToMetaVictims\":{\"n1\":{\"NumPDBViolations\":1e1}}}",
         "NumPDBViolations must be an integer"},
        {SKR_VERB_BIND, "{\"PodName\":\"a\",\"PodNamespace\":\"b\",\"PodUID\":\"c\"}",
         "Node: missing"},
        {SKR_VERB_BIND, "{\"PodName\":1,\"PodNamespace\":\"b\",\"Node\":\"n\"}",
         "PodName: must be a string"},
        {SKR_VERB_BIND, "{\"PodName\":\"a\",", "byte "},
        {SKR_VERB_BIND, "7", "byte 0: an object is expected"},
    };

    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct skr_verb_args args;
        struct skr_error error;
        if (parse(row[i].verb, row[i].body, &args, &error) == 0) {
            fail_msg("row %zu: accepted", i);
        }
        if (!strstr(error.text, row[i].text)) {
            fail_msg("row %zu: \"%s\" instead of \"%s\"", i, error.text, row[i].text);
        }
    }
}

TEST(depth_and_number_of_nodes_are_limited)
{
    SKR_STRBUF(body);
    struct skr_verb_args args;
    struct skr_error error;

    skr_strbuf_add(&body, "{\"x\":");
    for (int i = 0; i < 100000; i++) {
        skr_strbuf_addc(&body, '[');
    }
    assert_int_not_equal(parse(SKR_VERB_FILTER, body.s, &args, &error), 0);
    assert_non_null(strstr(error.text, "512 levels"));
    skr_strbuf_reset(&body);
    skr_strbuf_add(&body, "{\"NodeNames\":[\"n\"");
    for (int i = 0; i < SKR_VERB_NODES_MAX; i++) {
        skr_strbuf_add(&body, ",\"n\"");
    }
    skr_strbuf_add(&body, "],\"Pod\":" POD "}");
    assert_int_equal(parse(SKR_VERB_FILTER, body.s, &args, &error), -SKR_LIMIT);
    assert_non_null(strstr(error.text, "more than 262144 nodes"));
}

TEST(every_cut_of_a_body_is_refused)
{
    static const char *const body[] = {
        "{\"Pod\":" POD ",\"NodeNames\":[\"n1\",\"\\u00e9\\ud83d\\ude00\"],\"x\":[-1.5e+3,true]}",
        "{\"Nodes\":{\"items\":[{\"metadata\":{\"name\":\"n1\"}}]},\"Pod\":" POD "}",
    };
    for (size_t b = 0; b < sizeof body / sizeof body[0]; b++) {
        for (size_t n = 0; n < strlen(body[b]); n++) {
            struct skr_verb_args args;
            struct skr_error error;
            assert_int_not_equal(parse_n(SKR_VERB_FILTER, body[b], n, &args, &error), 0);
        }
    }
}

/* ---- against libjansson ---- */

static uint64_t random_state;

static uint64_t next_random(uint64_t below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state % below;
}

static void random_string(struct skr_strbuf *out)
{
    static const char *const piece[] = {
        "n",    "node-",  "7",        "\\u0041",        "\\n",
        "\\\\", "\\\"",   "\xc3\xa9", "\\ud83d\\ude00", "\xe2\x82\xac",
        "/",    "\\u00e9"};
    skr_strbuf_addc(out, '"');
    for (uint64_t n = next_random(6); n > 0; n--) {
        skr_strbuf_add(out, piece[next_random(sizeof piece / sizeof piece[0])]);
    }
    skr_strbuf_addc(out, '"');
}

static void random_value(struct skr_strbuf *out, int depth)
{
    static const char *const scalar[] = {"null", "true", "false", "0",
                                         "-12",  "3.25", "1e2",   "-0.5E-1"};
    const uint64_t kind = next_random(depth > 0 ? 4 : 2);
    if (kind == 0) {
        skr_strbuf_add(out, scalar[next_random(sizeof scalar / sizeof scalar[0])]);
    } else if (kind == 1) {
        random_string(out);
    } else {
        skr_strbuf_addc(out, kind == 2 ? '[' : '{');
        for (uint64_t n = next_random(4), i = 0; i < n; i++) {
            skr_strbuf_add(out, i > 0 ? " , " : "");
            if (kind == 3) {
                random_string(out);
                skr_strbuf_add(out, ":");
            }
            random_value(out, depth - 1);
        }
        skr_strbuf_addc(out, kind == 2 ? ']' : '}');
    }
}

static void random_body(struct skr_strbuf *out)
{
    static const char *const key[] = {"NodeNames", "nodenames", "NODENAMES"};
    skr_strbuf_reset(out);
    skr_strbuf_add(out, "{\"before\":");
    random_value(out, 3);
    skr_strbuf_addf(out, ",\"%s\" : [", key[next_random(3)]);
    for (uint64_t n = next_random(6), i = 0; i < n; i++) {
        skr_strbuf_add(out, i > 0 ? "," : " ");
        random_string(out);
    }
    skr_strbuf_add(out, "],\"after\":");
    random_value(out, 3);
    skr_strbuf_add(out, ",\"Pod\":" POD "}");
}

/* One byte changed, dropped or doubled. */
static void damage(struct skr_strbuf *text)
{
    static const char byte[] = "{}[],:\"\\ue0x1.-\t\n\x01\x80\xff";
    const size_t at = (size_t)next_random(text->len);
    switch (next_random(3)) {
    case 0:
        text->s[at] = byte[next_random(sizeof byte - 1)];
        break;
    case 1:
        memmove(text->s + at, text->s + at + 1, text->len - at);
        text->len--;
        break;
    default:
        text->len = at;
        text->s[at] = 0;
        break;
    }
}

/* Whether what the one-pass reader read is what the tree holds, spelled the simple way. */
static void compare(const struct skr_verb_args *args, json_t *tree, const char *text)
{
    json_t *names = NULL;
    const char *key;
    json_t *value;
    json_object_foreach(tree, key, value)
    {
        if (strcasecmp(key, "NodeNames") == 0 && !json_is_null(value)) {
            names = value;
        }
    }
    if (args->n_nodes != json_array_size(names)) {
        fail_msg("%zu names instead of %zu in %s", args->n_nodes, json_array_size(names), text);
    }
    for (size_t i = 0; i < args->n_nodes; i++) {
        const char *want = json_string_value(json_array_get(names, i));
        if (strcmp(args->node[i], want ? want : "") != 0) {
            fail_msg("name %zu is \"%s\" in %s", i, args->node[i], text);
        }
    }
}

TEST(the_one_pass_reader_agrees_with_libjansson)
{
    struct skr_strbuf text;
    size_t accepted = 0;
    size_t refused = 0;
    random_state = 0x9E3779B97F4A7C15u;
    skr_strbuf_init(&text);
    for (int i = 0; i < 20000; i++) {
        struct skr_verb_args args;
        struct skr_error error;
        json_error_t where;
        random_body(&text);
        if (i % 2 == 1) {
            damage(&text);
        }
        json_auto_t *tree = json_loadb(text.s, text.len, 0, &where);
        const int rc = parse_n(SKR_VERB_FILTER, text.s, text.len, &args, &error);
        if (rc == 0) {
            if (!tree) {
                fail_msg("accepted, but: %s: %s", where.text, text.s);
            }
            compare(&args, tree, text.s);
            skr_verb_args_fini(&args);
            accepted++;
        } else {
            /* Valid JSON may be refused for what it says (no pod, a name that is a number), not for
             * how it is written. */
            if (tree && !strstr(error.text, "Pod: ") &&
                !strstr(error.text, "a string is expected") &&
                !strstr(error.text, "an array is expected")) {
                fail_msg("refused with %s: %s", error.text, text.s);
            }
            refused++;
        }
    }
    skr_strbuf_fini(&text);
    assert_true(accepted > 8000);
    assert_true(refused > 2000);
}
