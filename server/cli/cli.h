/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_CLI_CLI_H
#define SKR_SERVER_CLI_CLI_H
/*
 * The command line. Each command is a file of this folder, command_NAME.c: its texts, its flags,
 * the struct its flags are written to, and what it does. table.c lists them. The parser, help,
 * documents and completion read only the table that they get.
 *
 * A command may have modes. A mode has its own flags, and a file of its own unless it is small. The
 * word behind the command chooses the mode: "simulate placement" is a mode of "simulate". Any word that
 * begins with "placement/" chooses the mode "explain placement/NAME"; that word is also the mode's
 * first argument.
 *
 * Flags are "--flag VALUE", "--flag=VALUE", "-v 4", "-v4"; they may stand before and after other
 * words of their command; "--" ends them.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topology/base/strbuf.h"

/* Types of the fields that flags are written to. */
enum skr_flag_kind {
    SKR_FLAG_TEXT,     /* const char *, not empty, borrowed from argv */
    SKR_FLAG_SWITCH,   /* bool: set to true */
    SKR_FLAG_COUNT,    /* int: one more each time */
    SKR_FLAG_NUMBER,   /* int64_t: 0 .. max */
    SKR_FLAG_DURATION, /* skr_time: "90s", "10m" */
    SKR_FLAG_CHOICE,   /* int: index into choice */
    SKR_FLAG_VARIANT,  /* int: 1 without a value; with =VALUE 2 and more, its index in choice */
    SKR_FLAG_LIST,     /* struct skr_text_list: may repeat */
    SKR_FLAG_HELP      /* nothing: `sakkara help COMMAND` is run instead */
};

enum {
    SKR_FLAG_GROUPS_MAX = 5, /* tables of flags that one command takes together */
    SKR_FLAGS_MAX = 64,      /* flags of one command */
    SKR_TEXT_LIST_MAX = 256, /* values of one flag that may repeat */
    SKR_WORDS_MAX = 4096,    /* words of one command line that are no flags */
};

struct skr_text_list {
    const char *item[SKR_TEXT_LIST_MAX];
    size_t n;
};

struct skr_flag {
    const char *name;     /* "--config"; NULL ends a table */
    const char *letter;   /* "-c" or NULL */
    const char *argument; /* "FILE"; NULL: takes none */
    const char *text;     /* one line of help */
    enum skr_flag_kind kind;
    bool required;
    size_t offset;             /* of the field, from the group's base */
    int64_t max;               /* NUMBER */
    const char *const *choice; /* CHOICE; ends with NULL */
};

/* A row: kind, the struct that it is written to and the field there, the texts; then what else there is,
 * ".required = true". */
#define SKR_FLAG(KIND, owner, field, n, l, a, ...)                      \
    {                                                                   \
        .name = n, .letter = l, .argument = a, .kind = SKR_FLAG_##KIND, \
        .offset = offsetof(struct owner, field), .text = __VA_ARGS__    \
    }

/* The row that every command has. */
#define SKR_HELP_FLAG                                                                \
    {                                                                                \
        .name = "--help", .letter = "-h", .text = "this text", .kind = SKR_FLAG_HELP \
    }

/* Rows that several commands have: how the answer is written, and what it is made from. */
enum { SKR_OUTPUT_TEXT, SKR_OUTPUT_JSON };
extern const char *const skr_output_names[];
#define SKR_OUTPUT_FLAG(owner, field)                                                    \
    SKR_FLAG(CHOICE, owner, field, "--output", "-o", "FORMAT", "text (default) or json", \
             .choice = skr_output_names)
#define SKR_FILES_FLAG(owner, field)                         \
    SKR_FLAG(LIST, owner, field, "--filename", "-f", "FILE", \
             "file, folder, or - for standard input; may repeat", .required = true)

/* A table of flags and where its struct begins in the command's options: tables can be shared. */
struct skr_flag_group {
    const struct skr_flag *flag; /* NULL: no more groups */
    size_t base;
};

struct skr_call;

/* Texts are constant; usage, examples and next begin commands with "sakkara ". */
struct skr_command {
    const char *name;
    const char *usage;
    const char *summary; /* one line */
    const char *text;    /* lines with "\n"; "" allowed */
    const char *examples;
    const char *next;
    const char *word; /* "file": what its words are, for messages; NULL: takes none */
    size_t words_min, words_max;
    struct skr_flag_group group[SKR_FLAG_GROUPS_MAX];
    size_t options_size;
    const void *defaults; /* of options; NULL: all zero */
    /* The result goes to out (stdout), other texts to messages (stderr); both are printed when it
     * returns. Commands that print while they run do so themselves. Returns an exit code. With
     * SKR_EXIT_USAGE the message begins as refusals of the parser do: skr_cli_refuse(). */
    int (*run)(const struct skr_call *call, struct skr_strbuf *out, struct skr_strbuf *messages);
    bool raw; /* all words are taken unchecked, flags too */
    /* Entered by the word right behind the command's name; ends with NULL; NULL: none. A mode's
     * name is "COMMAND WORD", or "COMMAND WORD/" for one that its first word belongs to. */
    const struct skr_command *const *mode;
};

enum { SKR_COMMANDS_MAX = 32 };
struct skr_command_table {
    const struct skr_command *const *command; /* in the order of the overview; ends with NULL */
    const struct skr_command *const *hidden;  /* likewise: not for people */
};

/* A command line that was understood. Texts are borrowed from argv. */
struct skr_call {
    const struct skr_command_table *table; /* that it was found in */
    const struct skr_command *command;
    void *options; /* of options_size */
    const char **word;
    size_t n_words;
};

/* argv without the program's name. 0, or an exit code with the message for stderr in out. *ret is
 * to be finished in either case. */
int skr_cli_parse(const struct skr_command_table *table, int argc, char *const *argv,
                  struct skr_call *ret, struct skr_strbuf *out);
void skr_call_fini(struct skr_call *call);
/* The forms of a usage, each from the column behind the label, in lines of 80 columns. */
void skr_help_add_usage(struct skr_strbuf *out, const char *label, const char *usage);
/* "sakkara NAME: WHAT WORD", usage, where to read on. Returns SKR_EXIT_USAGE. */
int skr_cli_refuse(const struct skr_command *command, const char *what, const char *word,
                   struct skr_strbuf *out);

/* topic: NULL, a command or mode by its whole name, or "config". If there is no such topic, the exit code is
 * not 0 and out has the message. */
int skr_cli_write_help(const struct skr_command_table *table, const char *topic,
                       struct skr_strbuf *out);
/* "unknown command NAME", with a suggestion. Returns SKR_EXIT_USAGE. */
int skr_cli_refuse_command(const struct skr_command_table *table, const char *name,
                           struct skr_strbuf *out);
void skr_cli_write_version(struct skr_strbuf *out);
/* The configuration in a file, or the defaults if path is NULL, and over it the options of --set
 * (sets: NULL for none); findings go to messages. Returns an exit code; *ret is set with SKR_EXIT_OK
 * only. */
struct skr_config;
int skr_cli_load_config(const char *path, const struct skr_text_list *sets, struct skr_config **ret,
                        struct skr_strbuf *messages);

/* The API server of the kubeconfig: that of the flag (NULL: none), else the configured one ("":
 * none), else what kubectl reads: the files of KUBECONFIG, else ~/.kube/config. Without any, and in
 * pods without KUBECONFIG, the account of the pod. ret is the caller's to end if 0 is returned; else
 * messages has the reason, for "sakkara COMMAND". */
struct skr_kube_access;
int skr_cli_load_access(const char *command, const char *configured, const char *flag,
                        struct skr_kube_access *ret, struct skr_strbuf *messages);

/* ---- the tables ---- */

extern const struct skr_command_table skr_commands; /* all of them: for main(), and tests */
/* NULL: none. name: of a command, or a mode's whole name. */
const struct skr_command *skr_command_find(const struct skr_command_table *table, const char *name);
/* The mode that word enters, or NULL. */
const struct skr_command *skr_command_mode(const struct skr_command *command, const char *word);
/* "placement" or "placement/": what enters the mode. */
const char *skr_command_mode_word(const struct skr_command *mode);
/* Whether the word that enters the mode is its first word too. */
bool skr_command_mode_keeps_word(const struct skr_command *mode);
/* Commands in the order of the table, each followed by its modes; NULL at the end. */
const struct skr_command *skr_command_at(const struct skr_command_table *table, size_t i);
/* The i-th flag over all groups; NULL at the end. ret_base: NULL allowed. */
const struct skr_flag *skr_command_flag(const struct skr_command *command, size_t i,
                                        size_t *ret_base);
/* The flag that word spells ("--v", "--v=4", "-v4"), or NULL. *ret_value: what follows "=" or the
 * letter, NULL when nothing does. */
const struct skr_flag *skr_command_spelled(const struct skr_command *command, const char *word,
                                           size_t *ret_i, size_t *ret_base, const char **ret_value);

extern const struct skr_command skr_command_complete; /* hidden: __complete */
extern const struct skr_command skr_command_completion;
extern const struct skr_command skr_command_create;
extern const struct skr_command skr_command_man; /* hidden: __man */
extern const struct skr_command skr_command_serve;
extern const struct skr_command skr_command_tree;
extern const struct skr_command skr_command_ui;
extern const struct skr_command skr_command_get;
extern const struct skr_command skr_command_group;
extern const struct skr_command skr_command_demo;
extern const struct skr_command skr_command_simulate;
extern const struct skr_command skr_command_explain_binding;
extern const struct skr_command skr_command_simulate_binding;
extern const struct skr_command skr_command_simulate_spotmix;
extern const struct skr_command skr_command_simulate_timeline;
extern const struct skr_command skr_command_spotmix;
extern const struct skr_command skr_command_timeline;
extern const struct skr_command skr_command_simulate_placement;
extern const struct skr_command skr_command_demo_placement;
extern const struct skr_command skr_command_explain_placement;
extern const struct skr_command skr_command_sandbox;
extern const struct skr_command skr_command_explain;
extern const struct skr_command skr_command_solve;
extern const struct skr_command skr_command_lint;
extern const struct skr_command skr_command_check;
extern const struct skr_command skr_command_check_upgrade;
extern const struct skr_command skr_command_version;
extern const struct skr_command skr_command_help;

#endif
