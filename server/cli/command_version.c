/* SPDX-License-Identifier: Apache-2.0 */
/* `sakkara version`: what was built. */
#include "server/cli/cli.h"
#include "server/exit_code.h"
#include "server/version.h"

#ifdef __GLIBC__
#include <gnu/libc-version.h>
#define LIBC_NAME    "glibc "
#define LIBC_VERSION gnu_get_libc_version()
#else
#define LIBC_NAME    "musl or other"
#define LIBC_VERSION ""
#endif

static const struct skr_flag flags[] = {SKR_HELP_FLAG, {0}};

void skr_cli_write_version(struct skr_strbuf *out)
{
    skr_strbuf_addf(out, "sakkara %s\ncommit %s\ndate %s\nlibc %s%s\n", skr_version, skr_revision,
                    skr_date, LIBC_NAME, LIBC_VERSION);
}

static int run(const struct skr_call *call, struct skr_strbuf *out, struct skr_strbuf *messages)
{
    (void)call;
    (void)messages;
    skr_cli_write_version(out);
    return SKR_EXIT_OK;
}

const struct skr_command skr_command_version = {
    .name = "version",
    .usage = "sakkara version",
    .summary = "what was built",
    .text = "Version, commit, date of the commit, C library.\n",
    .examples = "  sakkara version\n"
                "  sakkara --version\n",
    .next = "sakkara help",
    .group = {{flags, 0}},
    .run = run,
};
