/* SPDX-License-Identifier: Apache-2.0 */
/* ResourceClaims: which pod each was made for, and whether it holds devices. */
#include "topology/device_claims.h"

#include "test/test.h"
#include "test/unit/json_text.h"

TEST(a_claim_says_for_which_pod_it_is_and_whether_it_is_allocated)
{
    static const struct {
        const char *json, *pod;
        bool allocated;
        size_t reserved;
    } row[] = {
        {"{'metadata':{'name':'c'}}", "", false, 0},
        {"{'metadata':{'name':'c','ownerReferences':[{'kind':'Pod','uid':'u','controller':true}]},"
         "'status':{'allocation':{},'reservedFor':[{'uid':'u'}]}}",
         "u", true, 1},
        {"{'metadata':{'name':'c','ownerReferences':[{'kind':'Pod','uid':'u'},"
         "{'kind':'Job','uid':'j','controller':true}]},'status':{'allocation':null}}",
         "", false, 0},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        json_auto_t *json = json_text_load(row[i].json);
        SKR_AUTO(skr_device_claim_destroy) struct skr_device_claim *claim = NULL;
        assert_int_equal(skr_device_claim_decode(json, &claim, NULL), 0);
        assert_string_equal(claim->pod_uid, row[i].pod);
        assert_int_equal(claim->allocated, row[i].allocated);
        assert_int_equal(claim->n_reserved, row[i].reserved);
    }
}

TEST(a_field_of_the_wrong_type_is_named)
{
    json_auto_t *json = json_text_load("{'metadata':{'name':'c'},'status':{'reservedFor':7}}");
    struct skr_device_claim *claim = NULL;
    struct skr_error error;
    assert_true(skr_device_claim_decode(json, &claim, &error) < 0);
    assert_non_null(strstr(error.text, "status.reservedFor"));
}
