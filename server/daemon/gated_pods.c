/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the pods without a node, page by page, and counts those with our gate. */
#include "server/daemon/gated_pods.h"

#include <stdio.h>

#include "server/exit_code.h"
#include "server/object/path.h"
#include "topology/base/attr.h"

#define GATE "sakkara.gang"

struct count {
    size_t n;
    bool cut;       /* there are more pages */
    char name[400]; /* of the first one: -n NAMESPACE pod NAME */
};

static bool is_gated(const json_t *pod)
{
    return skr_path_find(skr_path_get(pod, "spec.schedulingGates"), "name", GATE);
}

static void add_page(const json_t *list, struct count *count)
{
    const json_t *pod;
    size_t i;
    json_array_foreach(json_object_get(list, "items"), i, pod)
    {
        const json_t *meta = json_object_get(pod, "metadata");
        const char *namespace_ = json_string_value(json_object_get(meta, "namespace"));
        const char *name = json_string_value(json_object_get(meta, "name"));
        if (is_gated(pod) && count->n++ == 0) {
            (void)snprintf(count->name, sizeof count->name, "-n %.63s patch pod %.253s",
                           namespace_ ? namespace_ : "", name ? name : "");
        }
    }
}

/* false: the pods cannot be listed. The token of the next page is opaque, and safe in a URL as the
 * API server makes it: unpadded Base64. */
static bool count_all(struct skr_caller *caller, struct count *count)
{
    SKR_STRBUF(target);
    SKR_STRBUF(next);
    for (int page = 0; page < SKR_GATED_PAGES_MAX; page++) {
        SKR_CLEANUP(skr_call_answer_fini) struct skr_call_answer answer = {0};
        skr_strbuf_reset(&target);
        skr_strbuf_addf(&target, "/api/v1/pods?fieldSelector=spec.nodeName%%3D&limit=%d%s%s",
                        SKR_GATED_PAGE, next.len > 0 ? "&continue=" : "",
                        next.len > 0 ? next.s : "");
        const struct skr_call request = {
            .method = "GET", .target = target.s, .timeout = 30 * SKR_SECOND};
        skr_caller_call(caller, &request, &answer);
        if (answer.http_status != 200) {
            return false;
        }
        add_page(answer.json, count);
        const char *more = json_string_value(
            json_object_get(json_object_get(answer.json, "metadata"), "continue"));
        if (!more || !more[0]) {
            return true;
        }
        skr_strbuf_reset(&next);
        skr_strbuf_add(&next, more);
    }
    count->cut = true;
    return true;
}

int skr_gated_pods_print(struct skr_caller *caller, bool decided, struct skr_strbuf *out)
{
    struct count count = {0};
    if (!count_all(caller, &count)) {
        return SKR_EXIT_OK;
    }
    const bool stuck = count.n > 0 && !decided;
    skr_strbuf_addf(out, "%s gate: %s%zu %s behind the gate " GATE, stuck ? "FAIL" : "ok  ",
                    count.cut ? "at least " : "", count.n,
                    count.n == 1 ? "pod waits" : "pods wait");
    if (stuck) {
        skr_strbuf_addf(out,
                        ", and no daemon decides; free one: kubectl %s --type=json -p "
                        "'[{\"op\":\"remove\",\"path\":\"/spec/schedulingGates\"}]'",
                        count.name);
    }
    skr_strbuf_addc(out, '\n');
    return stuck ? SKR_EXIT_FINDINGS : SKR_EXIT_OK;
}
