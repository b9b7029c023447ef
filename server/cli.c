/* SPDX-License-Identifier: Apache-2.0 */
/* Commands and flags as tables, a parser over them, and the texts they yield. */
#include "server/cli.h"

#include <stdio.h>
#include <string.h>

#include "server/config.h"
#include "server/config_value.h"
#include "server/exit_code.h"
#include "server/suggest.h"
#include "server/version.h"

#ifdef __GLIBC__
#include <gnu/libc-version.h>
#define LIBC_NAME    "glibc "
#define LIBC_VERSION gnu_get_libc_version()
#else
#define LIBC_NAME    "musl or other"
#define LIBC_VERSION ""
#endif

enum flag_id {
    FLAG_CONFIG,
    FLAG_KUBECONFIG,
    FLAG_LOG_FORMAT,
    FLAG_LEVEL,
    FLAG_VERBOSE,
    FLAG_ASCII,
    FLAG_FILE,
    FLAG_UNTIL,
    FLAG_SEED,
    FLAG_OUTPUT,
    FLAG_PICTURE,
    FLAG_TIMINGS,
    FLAG_HELP,
    FLAG_NONE
};

struct flag {
    enum flag_id id;
    const char *name;     /* with dashes */
    const char *letter;   /* "-v" or NULL */
    const char *argument; /* NULL: takes none */
    const char *text;
};

enum { FLAGS_MAX = 12 };

struct command {
    const char *name;
    const char *usage;
    const char *summary;
    const char *text;
    const char *examples;
    const char *next;
    struct flag flag[FLAGS_MAX];
};

#define HELP_FLAG                                    \
    {                                                \
        FLAG_HELP, "--help", "-h", NULL, "this text" \
    }
#define NO_FLAG                           \
    {                                     \
        FLAG_NONE, NULL, NULL, NULL, NULL \
    }

static const struct command commands[] = {
    {"serve",
     "sakkara serve [--config FILE] [--kubeconfig FILE] [--log-format text|json] [-v LEVEL]",
     "run the daemon beside a kube-scheduler",
     "Answers filter, prioritize, preempt and bind, watches the cluster and binds groups of pods\n"
     "as a whole. Runs until SIGTERM, which ends requests in flight within 5 s; a second one ends\n"
     "it at once. SIGHUP raises the log level by 2, beyond 6 back to where it started.\n",
     "  sakkara serve --config configs/sakkara.yaml --kubeconfig ~/.kube/config\n"
     "  sakkara serve --log-format json -v 4        # in a pod: the account of the pod\n",
     "sakkara help config",
     {{FLAG_CONFIG, "--config", NULL, "FILE",
       "configuration file; without it every option has its default"},
      {FLAG_KUBECONFIG, "--kubeconfig", NULL, "FILE",
       "kubeconfig of the API server; wins over the configuration"},
      {FLAG_LOG_FORMAT, "--log-format", NULL, "FORMAT", "text (default) or json"},
      {FLAG_LEVEL, "--v", "-v", "LEVEL",
       "log level 0..10, default 2; 4 debugging, 6 every request"},
      HELP_FLAG,
      NO_FLAG}},
    {"demo",
     "sakkara demo [--ascii] [-v]",
     "play the worked example, no cluster needed",
     "Places a Job of eight pods in three situations, and a second one that does not fit: through\n"
     "the daemon's engine under a virtual clock, with a cluster in memory around it. Prints the\n"
     "groups' way, where pods and ranks went, and why the last one waits.\n",
     "  sakkara demo\n"
     "  sakkara demo -v          # with every request and every write\n"
     "  sakkara demo --ascii | less\n",
     "sakkara serve --help",
     {{FLAG_ASCII, "--ascii", NULL, NULL, "draw with ASCII characters only"},
      {FLAG_VERBOSE, "--verbose", "-v", NULL, "show every request and every write"},
      HELP_FLAG,
      NO_FLAG}},
    {"simulate",
     "sakkara simulate -f FILE|DIR|- [-f ...] [--until DURATION] [--seed N] [-o text|json]\n"
     "                        [--picture] [--ascii] [--config FILE] [--timings] [-v]",
     "run objects through the whole scheduler, no cluster needed",
     "Reads what kubectl reads: nodes, pods, groups, Jobs, dumps of a cluster, and Scenario\n"
     "documents with timed steps. Runs them through the daemon's engine and models of\n"
     "kube-scheduler, kubelets and controllers under a virtual clock, and prints who went where "
     "and\n"
     "why the others wait. The same input gives the same output. Exit code 4 when some seat of "
     "some\n"
     "group is not bound.\n",
     "  sakkara simulate -f cluster.yaml -f gang.yaml --picture\n"
     "  kubectl get nodes,pods,configmaps -A -o json | sakkara simulate -f - -f gang.yaml\n"
     "  sakkara simulate -f scenario/ -o json --until 10m\n",
     "sakkara help demo",
     {{FLAG_FILE, "--filename", "-f", "FILE", "file, folder, or - for standard input; may repeat"},
      {FLAG_UNTIL, "--until", NULL, "DURATION", "end there; default: when nothing more can happen"},
      {FLAG_SEED, "--seed", NULL, "N", "of uids, and of the choice among equal nodes; default 0"},
      {FLAG_OUTPUT, "--output", "-o", "FORMAT", "text (default) or json"},
      {FLAG_PICTURE, "--picture", NULL, NULL, "draw every group before and after"},
      {FLAG_ASCII, "--ascii", NULL, NULL, "draw with ASCII characters only"},
      {FLAG_CONFIG, "--config", NULL, "FILE", "configuration of the daemon, for its settings"},
      {FLAG_TIMINGS, "--timings", NULL, NULL, "say on stderr how long it took"},
      {FLAG_VERBOSE, "--verbose", "-v", NULL,
       "show decisions, verbs, writes; twice: rejections too"},
      HELP_FLAG,
      NO_FLAG}},
    {"solve",
     "sakkara solve FILE",
     "place one group written down in a file",
     "Runs the solver on a topology, loads, claims and a group, and prints placement, key,\n"
     "explanation and statistics as JSON. FILE is \"-\" for standard input. Exit code 4 when the\n"
     "group cannot be placed. docs/reference.md describes the file.\n",
     "  sakkara solve problem.json\n"
     "  sakkara solve - <problem.json | jq .explanation.relaxations\n",
     "sakkara demo",
     {HELP_FLAG, NO_FLAG}},
    {"version",
     "sakkara version",
     "what was built",
     "Version, commit, date of the commit, C library.\n",
     "  sakkara version\n"
     "  sakkara --version\n",
     "sakkara help",
     {HELP_FLAG, NO_FLAG}},
    {"help",
     "sakkara help [COMMAND|config]",
     "help on a command or on the configuration file",
     "",
     "  sakkara help serve\n"
     "  sakkara help config      # options of the configuration file\n",
     "sakkara demo",
     {HELP_FLAG, NO_FLAG}},
};
_Static_assert(sizeof commands / sizeof commands[0] == SKR_COMMAND_COUNT, "one row a command");

const char *skr_cli_command_name(enum skr_command command)
{
    return commands[command].name;
}

const char *skr_cli_flag_name(enum skr_command command, size_t i)
{
    return i < FLAGS_MAX ? commands[command].flag[i].name : NULL;
}

/* ---- texts ---- */

static void write_command_help(const struct command *command, struct skr_strbuf *out)
{
    skr_strbuf_addf(out, "Examples:\n%s\nUsage: %s\n\n%s", command->examples, command->usage,
                    command->text);
    skr_strbuf_add(out, command->text[0] ? "\nFlags:\n" : "Flags:\n");
    for (const struct flag *flag = command->flag; flag->name; flag++) {
        struct skr_strbuf left;
        skr_strbuf_init(&left);
        skr_strbuf_addf(&left, "%s%s%s%s%s", flag->letter ? flag->letter : "",
                        flag->letter ? ", " : "", flag->name, flag->argument ? " " : "",
                        flag->argument ? flag->argument : "");
        skr_strbuf_addf(out, "  %-22s %s\n", left.s, flag->text);
        skr_strbuf_fini(&left);
    }
    skr_strbuf_addf(out, "\nNext: %s\n", command->next);
}

static void write_overview(struct skr_strbuf *out)
{
    skr_strbuf_add(out,
                   "Topology-aware gang scheduling beside kube-scheduler.\n\n"
                   "Examples:\n"
                   "  sakkara demo\n"
                   "  sakkara serve --config configs/sakkara.yaml --kubeconfig ~/.kube/config\n"
                   "\nCommands:\n");
    for (int i = 0; i < SKR_COMMAND_COUNT; i++) {
        skr_strbuf_addf(out, "  %-8s %s\n", commands[i].name, commands[i].summary);
    }
    skr_strbuf_add(out, "\nExit codes: 0 ok, 1 error, 2 usage, 3 not found, 4 not placed,\n"
                        "            5 findings, 6 server unreachable.\n"
                        "\nNext: sakkara demo\n");
}

static const struct command *find_command(const char *name)
{
    for (int i = 0; i < SKR_COMMAND_COUNT; i++) {
        if (strcmp(commands[i].name, name) == 0) {
            return &commands[i];
        }
    }
    return NULL;
}

static int refuse_command(const char *name, struct skr_strbuf *out)
{
    const char *names[SKR_COMMAND_COUNT + 1];
    for (int i = 0; i < SKR_COMMAND_COUNT; i++) {
        names[i] = commands[i].name;
    }
    names[SKR_COMMAND_COUNT] = "config";
    const char *near = skr_suggest(name, names, SKR_COMMAND_COUNT + 1);
    skr_strbuf_addf(out, "sakkara: unknown command %.64s", name);
    if (near) {
        skr_strbuf_addf(out, ", did you mean %s?", near);
    }
    skr_strbuf_add(out, "\nsee: sakkara help\n");
    return SKR_EXIT_USAGE;
}

int skr_cli_write_help(const char *topic, struct skr_strbuf *out)
{
    if (!topic) {
        write_overview(out);
        return SKR_EXIT_OK;
    }
    if (strcmp(topic, "config") == 0) {
        skr_strbuf_add(out,
                       "Options of the configuration file with their defaults; a dot stands for a\n"
                       "nested key. configs/sakkara.yaml is a complete example.\n\n");
        skr_config_write_help(out);
        skr_strbuf_add(out, "\nNext: sakkara serve --help\n");
        return SKR_EXIT_OK;
    }
    const struct command *command = find_command(topic);
    if (!command) {
        return refuse_command(topic, out);
    }
    write_command_help(command, out);
    return SKR_EXIT_OK;
}

void skr_cli_write_version(struct skr_strbuf *out)
{
    skr_strbuf_addf(out, "sakkara %s\ncommit %s\ndate %s\nlibc %s%s\n", skr_version, skr_revision,
                    skr_date, LIBC_NAME, LIBC_VERSION);
}

/* ---- parser ---- */

struct parser {
    const struct command *command;
    struct skr_cli *cli;
    struct skr_strbuf *out;
    int argc;
    char *const *argv;
    int next;
    bool wants_help;
};

/* "sakkara serve: WHAT WORD" and where to read on. */
static int refuse(const struct parser *p, const char *what, const char *word)
{
    skr_strbuf_addf(p->out, "sakkara %s: %s %.64s\nusage: %s\nsee: sakkara help %s\n",
                    p->command->name, what, word, p->command->usage, p->command->name);
    return SKR_EXIT_USAGE;
}

static int refuse_flag(const struct parser *p, const char *word)
{
    const char *names[FLAGS_MAX];
    size_t n = 0;
    for (const struct flag *flag = p->command->flag; flag->name; flag++) {
        names[n++] = flag->name;
    }
    const char *near = skr_suggest(word, names, n);
    if (!near) {
        return refuse(p, "unknown flag", word);
    }
    char text[256];
    snprintf(text, sizeof text, "unknown flag %.64s, did you mean", word);
    return refuse(p, text, near);
}

/* The flag that word spells. *ret_value: what follows "=" or the letter, NULL when nothing does. */
static const struct flag *find_flag(const struct parser *p, const char *word,
                                    const char **ret_value)
{
    for (const struct flag *flag = p->command->flag; flag->name; flag++) {
        size_t n = strlen(flag->name);
        if (strncmp(word, flag->name, n) == 0 && (word[n] == '\0' || word[n] == '=')) {
            *ret_value = word[n] == '=' ? word + n + 1 : NULL;
            return flag;
        }
        bool has_letter = flag->letter && strncmp(word, flag->letter, 2) == 0;
        if (has_letter && (word[2] == '\0' || flag->argument)) {
            const char *value = word[2] == '=' ? word + 3 : word + 2;
            *ret_value = word[2] == '\0' ? NULL : value;
            return flag;
        }
    }
    return NULL;
}

static int apply_flag(struct parser *p, const struct flag *flag, const char *value)
{
    int64_t level;
    switch (flag->id) {
    case FLAG_CONFIG:
        p->cli->config = value;
        break;
    case FLAG_KUBECONFIG:
        p->cli->kubeconfig = value;
        break;
    case FLAG_LOG_FORMAT:
        if (!skr_log_format_parse(value, &p->cli->log_format)) {
            return refuse(p, "--log-format is text or json, not", value);
        }
        break;
    case FLAG_LEVEL:
        if (skr_integer_parse(value, &level, NULL) < 0 || level > SKR_LOG_LEVEL_MAX) {
            return refuse(p, "-v is a number from 0 to 10, not", value);
        }
        p->cli->verbosity = (int)level;
        break;
    case FLAG_VERBOSE:
        p->cli->verbosity++;
        break;
    case FLAG_ASCII:
        p->cli->ascii = true;
        break;
    case FLAG_FILE:
        if (p->cli->n_files == SKR_CLI_FILES_MAX) {
            return refuse(p, "too many files, the last is", value);
        }
        p->cli->files[p->cli->n_files++] = value;
        break;
    case FLAG_UNTIL:
        if (skr_duration_parse(value, &p->cli->until, NULL) < 0) {
            return refuse(p, "--until is a duration such as 90s or 10m, not", value);
        }
        break;
    case FLAG_SEED:
        if (skr_integer_parse(value, &p->cli->seed, NULL) < 0) {
            return refuse(p, "--seed is a number, not", value);
        }
        break;
    case FLAG_OUTPUT:
        p->cli->json = strcmp(value, "json") == 0;
        if (!p->cli->json && strcmp(value, "text") != 0) {
            return refuse(p, "--output is text or json, not", value);
        }
        break;
    case FLAG_PICTURE:
        p->cli->picture = true;
        break;
    case FLAG_TIMINGS:
        p->cli->timings = true;
        break;
    case FLAG_HELP:
        p->wants_help = true;
        break;
    case FLAG_NONE:
        break;
    }
    return SKR_EXIT_OK;
}

static int take_flag(struct parser *p, const char *word)
{
    const char *value;
    const struct flag *flag = find_flag(p, word, &value);
    if (!flag) {
        return refuse_flag(p, word);
    }
    if (!flag->argument && value) {
        return refuse(p, "no value is taken by", flag->name);
    }
    if (flag->argument && !value) {
        if (p->next == p->argc) {
            return refuse(p, "a value is missing after", word);
        }
        value = p->argv[p->next++];
    }
    if (flag->argument && value[0] == '\0') {
        return refuse(p, "the value is empty after", flag->name);
    }
    return apply_flag(p, flag, value ? value : "");
}

static int take_word(struct parser *p, const char *word)
{
    if (p->cli->command == SKR_COMMAND_SOLVE && !p->cli->file) {
        p->cli->file = word;
        return SKR_EXIT_OK;
    }
    if (p->cli->command != SKR_COMMAND_HELP || p->cli->topic) {
        return refuse(p, "unexpected argument", word);
    }
    p->cli->topic = word;
    return SKR_EXIT_OK;
}

static int take_rest(struct parser *p)
{
    bool flags_ended = false;
    while (p->next < p->argc) {
        const char *word = p->argv[p->next++];
        int rc;
        if (!flags_ended && strcmp(word, "--") == 0) {
            flags_ended = true;
            continue;
        }
        if (!flags_ended && word[0] == '-' && word[1]) {
            rc = take_flag(p, word);
        } else {
            rc = take_word(p, word);
        }
        if (rc != SKR_EXIT_OK) {
            return rc;
        }
    }
    return SKR_EXIT_OK;
}

int skr_cli_parse(int argc, char *const *argv, struct skr_cli *ret, struct skr_strbuf *out)
{
    *ret = (struct skr_cli){.command = SKR_COMMAND_HELP, .until = SKR_TIME_NEVER};
    if (argc == 0) {
        skr_cli_write_help(NULL, out);
        return SKR_EXIT_USAGE;
    }
    if (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0) {
        return SKR_EXIT_OK;
    }
    const char *name = strcmp(argv[0], "--version") == 0 ? "version" : argv[0];
    const struct command *command = find_command(name);
    if (!command) {
        return refuse_command(name, out);
    }
    ret->command = (enum skr_command)(command - commands);
    ret->verbosity = ret->command == SKR_COMMAND_SERVE ? SKR_LOG_LEVEL_DEFAULT : 0;
    struct parser p = {command, ret, out, argc, argv, 1, false};
    int rc = take_rest(&p);
    if (rc == SKR_EXIT_OK && ret->command == SKR_COMMAND_SOLVE && !ret->file && !p.wants_help) {
        return refuse(&p, "a file is missing after", "solve");
    }
    if (rc == SKR_EXIT_OK && ret->command == SKR_COMMAND_SIMULATE && ret->n_files == 0 &&
        !p.wants_help) {
        return refuse(&p, "a file is missing:", "-f FILE");
    }
    if (rc == SKR_EXIT_OK && p.wants_help) {
        ret->topic = command->name;
        ret->command = SKR_COMMAND_HELP;
    }
    return rc;
}
