/* SPDX-License-Identifier: Apache-2.0 */
/* Roles in an explanation: what each needs, and its column among the domains. */
#include "server/render/explain_parts.h"

#include <string.h>

#include "server/object/path.h"
#include "server/render/page.h"
#include "topology/amount_text.h"
#include "topology/base/json_field.h"

const json_t *skr_explain_role_of(const json_t *domain, const char *name)
{
    return skr_path_find(skr_page_list(domain, "roles"), "name", name);
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
    return columns;
}

static void add_role_need(const json_t *role, const char *resource, struct skr_strbuf *b)
{
    const int64_t slots = skr_page_int(role, "slots"), held = skr_page_int(role, "held");
    const int64_t each = skr_page_int(json_object_get(role, "each"), resource);
    if (slots == 0 && held > 0) {
        skr_strbuf_addf(b, "%lld %s pod%s", (long long)held, skr_object_text(role, "name"),
                        held == 1 ? " runs" : "s run");
        return;
    }
    skr_strbuf_addf(b, "%lld %s%s pod%s", (long long)slots, held > 0 ? "more " : "",
                    skr_object_text(role, "name"), slots == 1 ? "" : "s");
    if (each > 0 && strcmp(resource, "pods") != 0) {
        skr_strbuf_add(b, " x ");
        skr_amount_add(b, resource, each);
    }
    if (held > 0) {
        skr_strbuf_addf(b, " beside %lld", (long long)held);
    }
}

void skr_explain_add_roles_need(const json_t *explanation, struct skr_strbuf *b)
{
    const json_t *need = json_object_get(explanation, "need"), *role;
    const json_t *free_ = json_object_get(json_object_get(explanation, "have"), "free");
    const char *resource = skr_object_text(explanation, "resource");
    const char *constraint = skr_object_text(need, "constraint");
    size_t i;
    skr_strbuf_addc(b, '(');
    json_array_foreach(skr_page_list(need, "roles"), i, role)
    {
        skr_strbuf_add(b, i > 0 ? ", " : "");
        add_role_need(role, resource, b);
    }
    skr_strbuf_addf(b, "%s%s; ", constraint[0] ? ", " : "", constraint);
    skr_amount_add(b, resource, skr_page_int(free_, resource));
    skr_strbuf_add(b, " free in all)");
}
