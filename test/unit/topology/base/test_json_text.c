/* SPDX-License-Identifier: Apache-2.0 */
/* Trees as text of malloc(). */
#include "test/test.h"
#include "topology/base/attr.h"
#include "topology/base/json_text.h"

TEST(a_tree_is_written_as_libjansson_writes_it)
{
    json_auto_t *tree = json_pack("{s:[i, b, n], s:s}", "list", 1, 1, "text", "a \"b\"");
    SKR_AUTO_FREE char *text = skr_json_text(tree, JSON_COMPACT);
    assert_string_equal(text, "{\"list\":[1,true,null],\"text\":\"a \\\"b\\\"\"}");
}

TEST(what_libjansson_does_not_write_is_null)
{
    json_auto_t *text = json_string("alone");
    assert_null(skr_json_text(text, 0));
    assert_null(skr_json_text(NULL, JSON_ENCODE_ANY));
    SKR_AUTO_FREE char *written = skr_json_text(text, JSON_ENCODE_ANY);
    assert_string_equal(written, "\"alone\"");
}
