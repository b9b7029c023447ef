/* SPDX-License-Identifier: Apache-2.0 */
/* Our own name in our own texts. */
#include "server/cli/plugin.h"

#include <string.h>
#include <strings.h>

static const char name[] = "sakkara ";

bool skr_cli_is_plugin(const char *argv0)
{
    const char *slash = argv0 ? strrchr(argv0, '/') : NULL;
    const char *base = slash ? slash + 1 : argv0;
    return base && strncmp(base, "kubectl-", 8) == 0;
}

/* Whether a command may begin at this place of the line. */
static bool is_command(const char *line, const char *at)
{
    static const char *const before[] = {"usage: ", "see: ", "next: ", "| "};
    const size_t n = (size_t)(at - line);
    if (strspn(line, " ") >= n) {
        return true;
    }
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        const size_t len = strlen(before[i]);
        if (n >= len && strncasecmp(at - len, before[i], len) == 0) {
            return true;
        }
    }
    return false;
}

void skr_cli_as_plugin(struct skr_strbuf *text)
{
    SKR_STRBUF(out);
    const char *line = text->s ? text->s : "", *rest = line, *at;
    while ((at = strstr(rest, name))) {
        for (const char *end = strchr(line, '\n'); end && end < at; end = strchr(line, '\n')) {
            line = end + 1;
        }
        skr_strbuf_addn(&out, rest, (size_t)(at - rest));
        skr_strbuf_add(&out, is_command(line, at) ? "kubectl " : "");
        skr_strbuf_add(&out, name);
        rest = at + sizeof name - 1;
    }
    skr_strbuf_add(&out, rest);
    skr_strbuf_reset(text);
    skr_strbuf_addn(text, out.s, out.len);
}
