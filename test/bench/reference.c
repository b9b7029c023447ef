/* SPDX-License-Identifier: Apache-2.0 */
#include "test/bench/reference.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct reference {
    pid_t pid;
    FILE *to;
    FILE *from;
    char *line;
    size_t size;
    int32_t *count;
};

static void die(const char *what)
{
    fprintf(stderr, "reference: %s\n", what);
    exit(1);
}

static pid_t start(const char *path, int *ret_to, int *ret_from)
{
    int to[2];
    int from[2];
    if (pipe(to) != 0 || pipe(from) != 0) {
        die(strerror(errno));
    }
    pid_t pid = fork();
    if (pid < 0) {
        die(strerror(errno));
    }
    if (pid == 0) {
        if (dup2(to[0], STDIN_FILENO) < 0 || dup2(from[1], STDOUT_FILENO) < 0) {
            _exit(127);
        }
        close(to[0]);
        close(to[1]);
        close(from[0]);
        close(from[1]);
        execl(path, path, (char *)NULL);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    *ret_to = to[1];
    *ret_from = from[0];
    return pid;
}

struct reference *reference_open(const char *folder, const char **ret_why)
{
    static char why[600];
    char path[512];
    *ret_why = why;
    if (!folder || folder[0] == '\0') {
        snprintf(why, sizeof why, "no CHIC_SCHED=DIR");
        return NULL;
    }
    snprintf(path, sizeof path, "%s/sakkara-bench", folder);
    if (access(path, X_OK) != 0) {
        snprintf(why, sizeof why, "%s: %s", path, strerror(errno));
        return NULL;
    }
    struct reference *reference = calloc(1, sizeof *reference);
    int to = -1;
    int from = -1;
    if (!reference) {
        die("out of memory");
    }
    signal(SIGPIPE, SIG_IGN);
    reference->pid = start(path, &to, &from);
    reference->to = fdopen(to, "w");
    reference->from = fdopen(from, "r");
    if (!reference->to || !reference->from) {
        die("out of memory");
    }
    return reference;
}

void reference_close(struct reference *reference)
{
    if (reference) {
        fclose(reference->to);
        fclose(reference->from);
        waitpid(reference->pid, NULL, 0);
        free(reference->line);
        free(reference->count);
        free(reference);
    }
}

static void write_numbers(FILE *to, const char *name, const int64_t *number, size_t n)
{
    fprintf(to, "\"%s\": [", name);
    for (size_t i = 0; i < n; i++) {
        fprintf(to, "%s%" PRId64, i == 0 ? "" : ",", number[i]);
    }
    fprintf(to, "], ");
}

static void write_problem(FILE *to, const struct skr_problem *problem, int repeat)
{
    const struct skr_tree *tree = problem->tree;
    size_t amounts = (size_t)tree->n_leaves * problem->n_resources;
    fprintf(to, "{\"children\": [");
    for (int32_t u = 0; u < tree->first_leaf; u++) {
        fprintf(to, "%s%" PRId32, u == 0 ? "" : ",", tree->child_count[u]);
    }
    fprintf(to, "], ");
    write_numbers(to, "demand", problem->demand, problem->n_resources);
    write_numbers(to, "capacity", problem->capacity ? problem->capacity : problem->free, amounts);
    write_numbers(to, "free", problem->free, amounts);
    fprintf(to, "\"n\": %" PRId32 ", \"repeat\": %d, \"rules\": [", problem->n, repeat);
    for (int32_t level = 0; level < tree->n_levels; level++) {
        const struct skr_rule *rule = &problem->rule[level];
        fprintf(to,
                "%s{\"type\": \"%s\", \"hard\": %s, \"partitions\": %" PRId32 ", \"min\": %" PRId32
                ", \"max\": %" PRId32 ", \"factor\": %" PRId32 "}",
                level == 0 ? "" : ", ", rule->type == SKR_RULE_PACK ? "pack" : "spread",
                rule->hard ? "true" : "false", rule->partitions, rule->min, rule->max,
                rule->factor);
    }
    fprintf(to, "]}\n");
}

struct reference_answer reference_solve(struct reference *reference,
                                        const struct skr_problem *problem, int repeat)
{
    struct reference_answer answer = {0};
    size_t n_leaves = (size_t)problem->tree->n_leaves;
    write_problem(reference->to, problem, repeat);
    if (fflush(reference->to) != 0 ||
        getline(&reference->line, &reference->size, reference->from) <= 0) {
        die("sakkara-bench has ended");
    }
    json_t *json = json_loads(reference->line, 0, NULL);
    const json_t *counts = json_object_get(json, "counts");
    answer.us = json_number_value(json_object_get(json, "microseconds"));
    if (answer.us <= 0 || (counts && json_array_size(counts) != n_leaves)) {
        die("sakkara-bench answers something else than it should");
    }
    int32_t *count = realloc(reference->count, n_leaves * sizeof *count);
    if (!count) {
        die("out of memory");
    }
    reference->count = count;
    for (size_t leaf = 0; leaf < n_leaves && counts; leaf++) {
        count[leaf] = (int32_t)json_integer_value(json_array_get(counts, leaf));
    }
    json_decref(json);
    answer.placed = counts;
    answer.count = count;
    return answer;
}
