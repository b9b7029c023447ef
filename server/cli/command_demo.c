/* SPDX-License-Identifier: Apache-2.0 */
/* `sakkara demo` and the demos of devices, of Karmada and of the spot mix, without a cluster. */
#include "server/cli/cli.h"
#include "server/lab/simulate/binding_demo.h"
#include "server/lab/simulate/demo.h"
#include "server/lab/simulate/devices_demo.h"
#include "server/lab/simulate/spotmix_demo.h"

struct options {
    bool ascii;
    int verbosity;
};

#define ASCII_FLAG \
    SKR_FLAG(SWITCH, options, ascii, "--ascii", NULL, NULL, "draw with ASCII characters only")

static const struct skr_flag flags[] = {
    ASCII_FLAG,
    SKR_FLAG(COUNT, options, verbosity, "--verbose", "-v", NULL,
             "show every request and every write"),
    SKR_HELP_FLAG,
    {0},
};

static const struct skr_flag ascii_flags[] = {ASCII_FLAG, SKR_HELP_FLAG, {0}};

static int run_binding(const struct skr_call *call, struct skr_strbuf *out,
                       struct skr_strbuf *messages)
{
    (void)messages;
    const struct options *options = call->options;
    return skr_binding_demo_play(options->ascii, out);
}

static int run_devices(const struct skr_call *call, struct skr_strbuf *out,
                       struct skr_strbuf *messages)
{
    (void)messages;
    const struct options *options = call->options;
    return skr_devices_demo(options->ascii, out);
}

static int run_spotmix(const struct skr_call *call, struct skr_strbuf *out,
                       struct skr_strbuf *messages)
{
    (void)messages;
    const struct options *options = call->options;
    return skr_spotmix_demo(options->ascii, out);
}

static int run(const struct skr_call *call, struct skr_strbuf *out, struct skr_strbuf *messages)
{
    (void)messages;
    const struct options *options = call->options;
    return skr_demo_play(options->ascii, options->verbosity > 0, out);
}

static const struct skr_command binding_command = {
    .name = "demo binding",
    .usage = "sakkara demo binding [--ascii]",
    .summary = "provider and zone constraints of Karmada, no cluster needed",
    .text =
        "Decides one Deployment under four policies in five clusters of two providers: where its\n"
        "replicas go, and why the last policy cannot be met.\n",
    .examples = "  sakkara demo binding\n"
                "  sakkara demo binding --ascii | less\n",
    .next = "sakkara help simulate binding",
    .group = {{ascii_flags, 0}},
    .options_size = sizeof(struct options),
    .run = run_binding,
};

static const struct skr_command devices_command = {
    .name = "demo devices",
    .usage = "sakkara demo devices [--ascii]",
    .summary = "gangs on GPUs of ResourceSlices, no cluster needed",
    .text = "Two gangs ask for GPUs by ResourceClaims, through the daemon's engine and a model of\n"
            "kube-scheduler. Draws which pod has which device, and explains why the second gang\n"
            "waits until the first one is over.\n",
    .examples = "  sakkara demo devices\n"
                "  sakkara demo devices --ascii\n",
    .next = "sakkara help simulate",
    .group = {{ascii_flags, 0}},
    .options_size = sizeof(struct options),
    .run = run_devices,
};

static const struct skr_command spotmix_command = {
    .name = "demo spotmix",
    .usage = "sakkara demo spotmix [--ascii]",
    .summary = "on-demand and spot by strict count, no cluster needed",
    .text = "Creates the pods of a Deployment through the webhook's own code, takes some away,\n"
            "scales down and up, and draws which index is on-demand and which is spot.\n",
    .examples = "  sakkara demo spotmix\n"
                "  sakkara demo spotmix --ascii\n",
    .next = "sakkara help simulate spotmix",
    .group = {{ascii_flags, 0}},
    .options_size = sizeof(struct options),
    .run = run_spotmix,
};

static const struct skr_command *const modes[] = {
    &binding_command, &devices_command, &skr_command_demo_placement, &spotmix_command, NULL};

const struct skr_command skr_command_demo = {
    .name = "demo",
    .usage = "sakkara demo [--ascii] [-v]",
    .summary = "play the worked example, no cluster needed",
    .text = "Places a Job of eight pods in three situations, and a second one that does not fit: "
            "through\n"
            "the daemon's engine under a virtual clock, with a cluster in memory around it. Prints "
            "the\n"
            "groups' way, where pods and ranks went, and why the last one waits.\n",
    .examples = "  sakkara demo\n"
                "  sakkara demo -v          # with every request and every write\n"
                "  sakkara demo --ascii | less\n",
    .next = "sakkara sandbox",
    .group = {{flags, 0}},
    .options_size = sizeof(struct options),
    .run = run,
    .mode = modes,
};
