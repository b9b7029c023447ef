/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_INTEGRATION_DAEMON_H
#define SKR_TEST_INTEGRATION_DAEMON_H
/*
 * The real binary as a process: the one that the environment variable SAKKARA names, else
 * build/sakkara. Its log is read line by line; at its end every line must parse in the format that
 * was asked for, and hold no token. The process dies with the test.
 */
#include <sys/types.h>

#include "test/integration/cluster.h"

struct daemon_options {
    const char *config;        /* YAML lines added to the configuration; NULL: none */
    const char *gate;          /* the gate section as a flow mapping without listen; NULL: off */
    const char *tls;           /* of extender, the same */
    const char *format;        /* NULL: text */
    const char *user;          /* flow mapping of the kubeconfig's user; NULL: the token */
    const char *plan_delay;    /* NULL: 10ms */
    const char *const *runner; /* put before the program, NULL at the end; NULL: nothing */
    int level;                 /* 0: 4 */
};

struct daemon;
/* Starts it and waits for its ports. options NULL: all defaults. */
struct daemon *daemon_start(struct cluster *cluster, const struct daemon_options *options);
uint16_t daemon_port(const struct daemon *d);
uint16_t daemon_bind_port(const struct daemon *d);
uint16_t daemon_admin_port(const struct daemon *d);
uint16_t daemon_gate_port(const struct daemon *d);
int daemon_pid(const struct daemon *d);
const char *daemon_folder(const struct daemon *d); /* its temporary one */

void daemon_wait_ready(struct daemon *d); /* /readyz */
/* Until a line of the log holds the text. */
void daemon_wait_log(struct daemon *d, const char *text);
bool daemon_has_log(struct daemon *d, const char *text);
size_t daemon_count_log(struct daemon *d, const char *text);
/* The newest of n lines that hold the text, waited for; heap. */
char *daemon_take_log(struct daemon *d, const char *text, size_t n);
/* Until /metrics has this line, "name{label=\"x\"} 7". */
void daemon_wait_metric(struct daemon *d, const char *line);

/* SIGTERM, exit code 0 within 5 s (more under valgrind or sanitizers), log checked, freed. */
void daemon_stop(struct daemon *d);
/* Waits for its end, freed; the wait status. */
int daemon_join(struct daemon *d);
/* kill -9, waited for and freed. */
void daemon_kill(struct daemon *d);

/* Runs a command to its end, at most 60 s: exit code, or -1. Outputs: heap. argv without the
 * program, NULL at the end. */
int daemon_run(const char *const *argv, char **ret_out, char **ret_err);
const char *daemon_program(void);
/* Starts a command, argv[0] the program; out, err: its outputs. It dies with the test. */
pid_t daemon_spawn(const char *const *argv, int out, int err);

/* NULL: the line is well formed. */
const char *log_line_check(const char *line, const char *format);
/* The i-th key that lines may have, NULL behind the last one. */
const char *log_line_key(size_t i);

/* A file below a folder; mode 0600. */
void write_text_file(const char *folder, const char *name, const char *text);
/* mkdtemp below /tmp; heap. */
char *make_folder(void);
void remove_folder(char *folder); /* with its files; frees */

#endif
