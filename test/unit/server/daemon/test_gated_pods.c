/* SPDX-License-Identifier: Apache-2.0 */
/* Pods behind the gate, as `sakkara check` counts them. */
#include "server/daemon/gated_pods.h"

#include "server/exit_code.h"
#include "server/kube/access.h"
#include "test/test.h"
#include "test/unit/fake_api.h"

#define POD(name, gates) \
    "{\"metadata\":{\"namespace\":\"team\",\"name\":\"" name "\"},\"spec\":{" gates "}}"
#define GATED   "\"schedulingGates\":[{\"name\":\"other\"},{\"name\":\"sakkara.gang\"}]"
#define FOREIGN "\"schedulingGates\":[{\"name\":\"other\"}]"

/* What is printed of an API server with these pages; the second is asked for by a token. */
static int print(const char *first, int status, const char *second, bool decided,
                 struct skr_strbuf *out)
{
    struct fake_api *api = fake_api_start(NULL, false);
    struct skr_kube_access access;
    struct skr_caller *caller = NULL;
    fake_api_expect(api, &(struct fake_step){.match = "&continue=next", .body = second});
    fake_api_expect(api, &(struct fake_step){
                             .match = "GET /api/v1/pods?fieldSelector=spec.nodeName%3D&limit=500",
                             .status = status,
                             .body = first});
    skr_kube_access_init(&access);
    assert_int_equal(skr_kube_access_set_server(
                         &access, test_text("http://127.0.0.1:%u", fake_api_port(api)), NULL),
                     0);
    assert_int_equal(skr_caller_create(&access, "test", &caller, NULL), 0);
    const int rc = skr_gated_pods_print(caller, decided, out);
    skr_caller_destroy(caller);
    fake_api_stop(api);
    return rc;
}

TEST(gated_pods_of_all_pages_are_counted_and_those_of_other_gates_are_not)
{
    SKR_STRBUF(out);
    const char *first = "{\"metadata\":{\"continue\":\"next\"},\"items\":[" POD("a", GATED) "," POD(
        "b", FOREIGN) "," POD("c", "") "]}";
    assert_int_equal(print(first, 200, "{\"items\":[" POD("d", GATED) "]}", true, &out),
                     SKR_EXIT_OK);
    assert_string_equal(out.s, "ok   gate: 2 pods wait behind the gate sakkara.gang\n");
}

TEST(without_a_daemon_gated_pods_are_a_finding_with_the_command_that_frees_one)
{
    SKR_STRBUF(out);
    assert_int_equal(print("{\"items\":[" POD("a", GATED) "]}", 200, "", false, &out),
                     SKR_EXIT_FINDINGS);
    assert_string_equal(out.s, "FAIL gate: 1 pod waits behind the gate sakkara.gang, and no daemon "
                               "decides; free one: kubectl -n team patch pod a --type=json -p "
                               "'[{\"op\":\"remove\",\"path\":\"/spec/schedulingGates\"}]'\n");
}

TEST(an_account_that_may_not_list_pods_gets_no_line)
{
    SKR_STRBUF(out);
    assert_int_equal(print("{}", 403, "", false, &out), SKR_EXIT_OK);
    assert_int_equal(out.len, 0);
}
