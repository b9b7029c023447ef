/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `sakkara check upgrade`: what this program would change in a cluster where an older one is
 * installed. It asks the API server under the rights of an administrator and writes nothing.
 *
 * Objects that the daemon reads are read by the rules of `sakkara lint`. The permissions are those
 * that the daemon's account has before the new manifests are applied.
 */
#include "server/cli/cli.h"
#include "server/daemon/upgrade.h"
#include "server/exit_code.h"
#include "server/kube/kubeconfig.h"
#include "server/lint/lint.h"

struct options {
    const char *namespace_;
    const char *kubeconfig; /* NULL: what kubectl reads, else the account of the pod */
};

static const struct options defaults = {.namespace_ = "sakkara"};

static const struct skr_flag flags[] = {
    SKR_FLAG(TEXT, options, namespace_, "--namespace", "-n", "NAME",
             "namespace of the installation; default: sakkara"),
    SKR_FLAG(
        TEXT, options, kubeconfig, "--kubeconfig", NULL, "FILE",
        "kubeconfig of the API server; default: the files of KUBECONFIG, merged as by kubectl"),
    SKR_HELP_FLAG,
    {0},
};

static void take_object(void *context, const char *name, const char *text, size_t n)
{
    skr_lint_add(context, name, text, n);
}

static int check(const struct options *options, struct skr_kube_access *access,
                 struct skr_strbuf *out)
{
    SKR_AUTO(skr_lint_destroy) struct skr_lint *lint = skr_lint_create();
    const struct skr_upgrade_options upgrade = {
        .namespace_ = options->namespace_, .object = take_object, .context = lint};
    int rc = skr_upgrade_print(&upgrade, access, out);
    if (rc == SKR_EXIT_UNREACHABLE) {
        return rc;
    }
    (void)skr_lint_finish(lint);
    if (skr_lint_count(lint) > 0) {
        skr_strbuf_add(out, "FAIL objects: this program reads them with findings\n");
        skr_lint_write_text(lint, out);
        rc = SKR_EXIT_FINDINGS;
    }
    skr_strbuf_add(out, rc == SKR_EXIT_OK
                            ? "next: see docs/upgrade.md, then helm upgrade or kubectl apply\n"
                            : "next: see docs/upgrade.md, then sakkara check upgrade again\n");
    return rc;
}

static int run(const struct skr_call *call, struct skr_strbuf *out, struct skr_strbuf *messages)
{
    const struct options *options = call->options;
    struct skr_kube_access access;
    if (skr_cli_load_access("check upgrade", "", options->kubeconfig, &access, messages) < 0) {
        return SKR_EXIT_ERROR;
    }
    const int rc = check(options, &access, out);
    skr_kube_access_fini(&access);
    return rc;
}

const struct skr_command skr_command_check_upgrade = {
    .name = "check upgrade",
    .usage = "sakkara check upgrade [-n NAMESPACE] [--kubeconfig FILE]",
    .summary = "what this program would change where an older one is installed",
    .text =
        "Run it with the new program, before an upgrade, under an account of an administrator.\n"
        "It writes nothing. It looks at\n"
        "  the versions of API server, daemon and scheduler\n"
        "  the permissions that this program needs and the daemon's account lacks\n"
        "  the configuration, topology and group maps, PodGroups and rules of alerts, as\n"
        "  sakkara lint does\n"
        "  the plans that the next daemon takes over\n"
        "Exit code 5 when something is to be done first, 6 when the API server cannot be\n"
        "reached.\n",
    .examples = "  sakkara check upgrade\n"
                "  sakkara check upgrade -n scheduling --kubeconfig ~/.kube/config\n",
    .next = "sakkara lint --help",
    .group = {{flags, 0}},
    .options_size = sizeof(struct options),
    .defaults = &defaults,
    .run = run,
};
