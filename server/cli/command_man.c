/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `sakkara __man PAGE`: man pages of the commands, from the tables that help and parser use; `make
 * man` calls it. The pages of the file formats are written by hand: docs/man.
 */
#include <string.h>

#include "server/cli/client_flags.h"
#include "server/config/config.h"
#include "server/exit_code.h"
#include "server/version.h"

struct page {
    const char *name, *section, *title, *summary, *text, *program;
    bool client_only; /* commands that ask a daemon, the others by name alone */
    bool daemon;
};

static const struct page pages[] = {
    {"sakkara", "8", "SAKKARA", "topology-aware gang scheduling beside kube-scheduler",
     "An extender of kube-scheduler that places whole groups of pods on a tree of racks and nodes, "
     "binds them together or not at all, and says why a group waits; a simulated cluster; and the "
     "commands that look at either.",
     "sakkara", false, true},
    {"kubectl-sakkara", "1", "KUBECTL-SAKKARA",
     "look at groups and racks of a cluster with sakkara",
     "The same program as sakkara(8) as a plugin of kubectl: it asks the daemon through kubectl, "
     "with "
     "kubectl's contexts and sign-in. Every command of sakkara(8) works; here are those that ask a "
     "daemon.",
     "kubectl sakkara", true, false},
};

/* One line of text for the formatter: a dash stays one, nothing is taken for a request. */
static void add_text(struct skr_strbuf *out, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool begins = i == 0 || s[i - 1] == '\n';
        if (begins && (s[i] == '.' || s[i] == '\'')) {
            skr_strbuf_add(out, "\\&");
        }
        if (s[i] == '\\') {
            skr_strbuf_add(out, "\\e");
        } else if (s[i] == '-') {
            skr_strbuf_add(out, "\\-");
        } else {
            skr_strbuf_addc(out, s[i]);
        }
    }
}

static void add(struct skr_strbuf *out, const char *s)
{
    add_text(out, s, strlen(s));
}

/* Commands in a text of ours begin with "sakkara ". */
static void add_commands(struct skr_strbuf *out, const struct page *page, const char *s)
{
    static const char own[] = "sakkara ";
    for (const char *at; (at = strstr(s, own)); s = at + sizeof own - 1) {
        bool begins = at == s || at[-1] == ' ' || at[-1] == '\n';
        add_text(out, s, (size_t)(at - s));
        add(out, begins ? page->program : "sakkara");
        skr_strbuf_addc(out, ' ');
    }
    add(out, s);
}

static bool asks_a_daemon(const struct skr_command *command)
{
    for (size_t g = 0; g < SKR_FLAG_GROUPS_MAX && command->group[g].flag; g++) {
        if (command->group[g].flag == skr_client_flag_table) {
            return true;
        }
    }
    return false;
}

static void write_flag(struct skr_strbuf *out, const struct skr_flag *flag)
{
    skr_strbuf_add(out, ".TP\n");
    if (flag->letter) {
        skr_strbuf_add(out, "\\fB");
        add(out, flag->letter);
        skr_strbuf_add(out, "\\fR, ");
    }
    skr_strbuf_add(out, "\\fB");
    add(out, flag->name);
    skr_strbuf_add(out, "\\fR");
    if (flag->argument) {
        skr_strbuf_add(out, " \\fI");
        add(out, flag->argument);
        skr_strbuf_add(out, "\\fR");
    }
    skr_strbuf_addc(out, '\n');
    add(out, flag->text);
    skr_strbuf_addc(out, '\n');
}

static void write_verbatim(struct skr_strbuf *out, const struct page *page, const char *text)
{
    skr_strbuf_add(out, ".nf\n");
    add_commands(out, page, text);
    skr_strbuf_add(out, ".fi\n");
}

static void write_command(struct skr_strbuf *out, const struct page *page,
                          const struct skr_command *command)
{
    const struct skr_flag *flag;
    skr_strbuf_add(out, ".SS ");
    add(out, command->name);
    skr_strbuf_addc(out, '\n');
    add(out, command->summary);
    skr_strbuf_add(out, "\n.PP\n");
    SKR_STRBUF(usage);
    skr_help_add_usage(&usage, "", command->usage);
    write_verbatim(out, page, usage.s);
    if (command->text[0]) {
        skr_strbuf_add(out, ".PP\n");
        add_commands(out, page, command->text);
    }
    for (size_t i = 0; (flag = skr_command_flag(command, i, NULL)); i++) {
        write_flag(out, flag);
    }
    skr_strbuf_add(out, ".PP\nExamples:\n.PP\n");
    write_verbatim(out, page, command->examples);
}

static void write_end(struct skr_strbuf *out, const struct page *page)
{
    skr_strbuf_add(out, ".SH EXIT STATUS\n"
                        "0 ok, 1 error, 2 usage, 3 not found, 4 not placed, 5 findings, 6 server "
                        "unreachable.\n");
    if (page->daemon) {
        skr_strbuf_add(out, ".SH SIGNALS\n"
                            "Of serve: SIGTERM and SIGINT end it, requests in flight within 5\\~s; "
                            "the second one ends it at once. SIGHUP raises the log level by 2, "
                            "beyond 6 back to where it started.\n"
                            ".SH CONFIGURATION FILE\n"
                            "YAML; a dot stands for a nested key.\n.PP\n.nf\n");
        SKR_STRBUF(options);
        skr_config_write_help(&options);
        add(out, options.s);
        skr_strbuf_add(out, ".fi\n");
    }
    skr_strbuf_add(out, ".SH ENVIRONMENT\n"
                        "NO_COLOR and TERM=dumb turn colour off. Without a kubeconfig, serve takes "
                        "the account of its pod: KUBERNETES_SERVICE_HOST and "
                        "KUBERNETES_SERVICE_PORT.\n"
                        ".SH SEE ALSO\n");
    skr_strbuf_addf(out,
                    ".BR %s ,\n.BR sakkara\\-topology (5),\n.BR sakkara\\-group (5),\n"
                    ".BR kubectl (1)\n",
                    page->daemon ? "kubectl\\-sakkara (1)" : "sakkara (8)");
}

static void write_page(struct skr_strbuf *out, const struct page *page,
                       const struct skr_command_table *table)
{
    skr_strbuf_addf(out,
                    ".\\\" Made by `make man`.\n.TH %s %s \"%.10s\" \"sakkara %s\"\n.SH NAME\n",
                    page->title, page->section, skr_date, skr_version);
    add(out, page->name);
    skr_strbuf_add(out, " \\- ");
    add(out, page->summary);
    skr_strbuf_add(out, "\n.SH SYNOPSIS\n.B ");
    add(out, page->program);
    skr_strbuf_add(out, "\n.I COMMAND\n.RI [ FLAGS ]\n.SH DESCRIPTION\n");
    add(out, page->text);
    skr_strbuf_add(out, "\n.SH COMMANDS\n");
    const struct skr_command *command;
    for (size_t i = 0; (command = skr_command_at(table, i)); i++) {
        if (!page->client_only || asks_a_daemon(command)) {
            write_command(out, page, command);
        }
    }
    write_end(out, page);
}

static int run(const struct skr_call *call, struct skr_strbuf *out, struct skr_strbuf *messages)
{
    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++) {
        if (strcmp(pages[i].name, call->word[0]) == 0) {
            write_page(out, &pages[i], call->table);
            return SKR_EXIT_OK;
        }
    }
    return skr_cli_refuse(call->command, "there is no page", call->word[0], messages);
}

static const struct skr_flag flags[] = {SKR_HELP_FLAG, {0}};

const struct skr_command skr_command_man = {
    .name = "__man",
    .usage = "sakkara __man sakkara|kubectl-sakkara",
    .summary = "a man page",
    .text = "",
    .examples = "",
    .next = "sakkara help",
    .word = "page",
    .words_min = 1,
    .words_max = 1,
    .group = {{flags, 0}},
    .run = run,
};
