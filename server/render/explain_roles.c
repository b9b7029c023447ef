/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of roles among the domains of an explanation. */
#include "server/render/explain_parts.h"

#include <string.h>

#include "server/object/path.h"
#include "server/render/page.h"
#include "topology/base/json_field.h"

const json_t *skr_explain_role_of(const json_t *domain, const char *name)
{
    return name ? skr_path_find(skr_page_list(domain, "roles"), "name", name) : domain;
}

static bool is_short(const json_t *explanation, const char *name)
{
    const json_t *domain;
    size_t i;
    json_array_foreach(skr_page_list(explanation, "domains"), i, domain)
    {
        const json_t *role = skr_explain_role_of(domain, name);
        if (json_object_get(role, "fits") &&
            skr_page_int(role, "fits") < skr_page_int(role, "needs")) {
            return true;
        }
    }
    return false;
}

struct role_columns skr_explain_role_columns(const json_t *explanation, bool verbose)
{
    const json_t *list = skr_page_list(json_object_get(explanation, "need"), "roles"), *role;
    const size_t all = json_array_size(list) < SKR_EXPLAIN_ROLES_MAX ? json_array_size(list)
                                                                     : SKR_EXPLAIN_ROLES_MAX;
    const size_t most = verbose || all < SKR_EXPLAIN_ROLES_SHOWN ? all : SKR_EXPLAIN_ROLES_SHOWN;
    bool shown[SKR_EXPLAIN_ROLES_MAX] = {false};
    struct role_columns columns = {0};
    size_t n = 0, i;
    for (int lacking = 1; lacking >= 0; lacking--) {
        for (i = 0; i < all && n < most; i++) {
            role = json_array_get(list, i);
            if (is_short(explanation, skr_object_text(role, "name")) == (lacking == 1)) {
                shown[i] = true;
                n++;
            }
        }
    }
    json_array_foreach(list, i, role)
    {
        if (i < all && shown[i]) {
            columns.name[columns.n++] = skr_object_text(role, "name");
        }
    }
    columns.n += columns.n == 0;
    return columns;
}
