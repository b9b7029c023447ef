/* SPDX-License-Identifier: Apache-2.0 */
/* The program: runs the command of the command line and prints its two texts. */
#include <stdio.h>
#include <string.h>

#include "server/cli/cli.h"
#include "server/cli/plugin.h"
#include "server/exit_code.h"

/* Output that could not be written is a failure (a full disk, a closed pipe). */
static int print(struct skr_strbuf *text, FILE *to, int code)
{
    const char *bytes = text->s ? text->s : "";
    const bool written = fwrite(bytes, 1, text->len, to) == text->len && fflush(to) == 0;
    return written ? code : SKR_EXIT_ERROR;
}

int main(int argc, char **argv)
{
    struct skr_call call;
    SKR_STRBUF(out);
    SKR_STRBUF(messages);
    int code = skr_cli_parse(&skr_commands, argc > 0 ? argc - 1 : 0, argc > 0 ? argv + 1 : argv,
                             &call, &messages);
    if (code == SKR_EXIT_OK) {
        code = call.command->run(&call, &out, &messages);
    }
    if (argc > 0 && skr_cli_is_plugin(argv[0])) {
        skr_cli_as_plugin(&messages);
        if (call.command && /* NULL: none of that name */
            (call.command == &skr_command_help || strncmp(call.command->name, "explain", 7) == 0)) {
            skr_cli_as_plugin(&out);
        }
    }
    skr_call_fini(&call);
    code = print(&messages, stderr, code);
    return print(&out, stdout, code);
}
