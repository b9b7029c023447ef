/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variables: b_u_x = 1 when unit u holds x > 0 members; at most one x a unit. What a unit holds is
 * the sum of x b_u_x, and that of its children; the root holds n. Rules decide which b_u_x exist
 * and how many children are used. d_l_x
 * counts the units of level l that hold x, d_l_0 the used ones: the digits of the key.
 */
#include "test/property/milp.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WEIGHT_MAX = 100000, STAGES_MAX = 200, FOLDER_MAX = 64, PATH_MAX_ = 128 };

static bool installed(const char *name)
{
    char command[64];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", name);
    return system(command) == 0;
}

const char *milp_program(void)
{
    const char *wanted = getenv("MILP");
    static const char *const name[] = {"glpsol", "cbc"};
    for (size_t i = 0; i < 2; i++) {
        if ((!wanted || strcmp(wanted, name[i]) == 0) && installed(name[i])) {
            return name[i];
        }
    }
    return NULL;
}

/* One digit of the key: a sum of variables of a level, to be minimised. */
struct digit {
    int32_t level;
    int32_t count; /* units that hold this many; 0: used units */
    int32_t sign;
    int32_t weight; /* in its stage */
};

struct stage {
    struct digit digit[32];
    int32_t n;
    int64_t value; /* of the solver's key */
};

struct program {
    const struct instance *in;
    struct stage stage[STAGES_MAX];
    int32_t n_stages;
};

static bool can_hold(const struct instance *in, int32_t level, int32_t unit, int32_t x)
{
    const struct skr_tree *tree = &in->tree;
    if (unit >= tree->first_leaf) {
        int32_t leaf = unit - tree->first_leaf;
        if (x < in->claimed[0][leaf] || x > instance_fit(in, leaf)) {
            return false;
        }
    }
    if (level == 0) {
        return x == in->problem.n;
    }
    const struct skr_rule *rule = &in->rule[level - 1];
    if (rule->hard) {
        return rule->type == SKR_RULE_PACK || x == 1;
    }
    bool pair = !(rule->min > 0 && rule->max > 0 && rule->min > rule->max);
    return (!pair || rule->min <= 0 || x >= rule->min) &&
           (!pair || rule->max <= 0 || x <= rule->max) &&
           (rule->factor <= 1 || x % rule->factor == 0);
}

/* " + x b_u_x" over all x, times factor. times_x: with x, else with 1. */
static bool write_sum(const struct instance *in, FILE *to, int32_t level, int32_t unit,
                      bool times_x, int32_t factor)
{
    bool any = false;
    for (int32_t x = 1; x <= in->problem.n; x++) {
        if (can_hold(in, level, unit, x)) {
            fprintf(to, " %s %" PRId32 " b_%" PRId32 "_%" PRId32 "%s", factor < 0 ? "-" : "+",
                    (factor < 0 ? -factor : factor) * (times_x ? x : 1), unit, x,
                    x % 8 == 0 ? "\n" : "");
            any = true;
        }
    }
    return any;
}

static void write_units(const struct instance *in, FILE *to)
{
    const struct skr_tree *tree = &in->tree;
    for (int32_t level = 0; level <= tree->n_levels; level++) {
        for (int32_t u = tree->level_first[level]; u < tree->level_first[level + 1]; u++) {
            bool claimed = level == tree->n_levels && in->claimed[0][u - tree->first_leaf] > 0;
            fprintf(to, " one_%" PRId32 ": 0 none", u);
            write_sum(in, to, level, u, false, 1);
            fprintf(to, " %s 1\n", level == 0 || claimed ? "=" : "<=");
        }
    }
}

static int32_t wanted_children(const struct skr_rule *rule)
{
    if (rule->hard) {
        return rule->type == SKR_RULE_PACK ? 1 : 0;
    }
    return rule->partitions > 0 ? rule->partitions : 0;
}

static void write_parents(const struct instance *in, FILE *to)
{
    const struct skr_tree *tree = &in->tree;
    for (int32_t level = 0; level < tree->n_levels; level++) {
        int32_t wanted = wanted_children(&in->rule[level]);
        for (int32_t p = tree->level_first[level]; p < tree->level_first[level + 1]; p++) {
            fprintf(to, " sum_%" PRId32 ": 0 none", p);
            write_sum(in, to, level, p, true, -1);
            for (int32_t c = 0; c < tree->child_count[p]; c++) {
                write_sum(in, to, level + 1, tree->child_first[p] + c, true, 1);
            }
            fprintf(to, " = 0\n");
            if (wanted > 0) {
                fprintf(to, " used_%" PRId32 ": 0 none", p);
                write_sum(in, to, level, p, false, -wanted);
                for (int32_t c = 0; c < tree->child_count[p]; c++) {
                    write_sum(in, to, level + 1, tree->child_first[p] + c, false, 1);
                }
                fprintf(to, " = 0\n");
            }
        }
    }
}

/* d_l_x = units of level l that hold x (0: used units). */
static void write_digits(const struct instance *in, FILE *to, const struct stage *stage)
{
    const struct skr_tree *tree = &in->tree;
    for (int32_t d = 0; d < stage->n; d++) {
        const struct digit *digit = &stage->digit[d];
        fprintf(to, " digit_%" PRId32 "_%" PRId32 ": - 1 d_%" PRId32 "_%" PRId32, digit->level,
                digit->count, digit->level, digit->count);
        for (int32_t u = tree->level_first[digit->level]; u < tree->level_first[digit->level + 1];
             u++) {
            if (digit->count == 0) {
                write_sum(in, to, digit->level, u, false, 1);
            } else if (can_hold(in, digit->level, u, digit->count)) {
                fprintf(to, " + 1 b_%" PRId32 "_%" PRId32 "\n", u, digit->count);
            }
        }
        fprintf(to, " = 0\n");
    }
}

static void write_stage(FILE *to, const struct stage *stage)
{
    for (int32_t d = 0; d < stage->n; d++) {
        const struct digit *digit = &stage->digit[d];
        fprintf(to, " %s %" PRId32 " d_%" PRId32 "_%" PRId32 "\n", digit->sign < 0 ? "-" : "+",
                digit->weight, digit->level, digit->count);
    }
}

/* Everything up to the stage: those before it are held. */
static void write_program(const struct program *p, int32_t stage, FILE *to)
{
    const struct instance *in = p->in;
    const struct skr_tree *tree = &in->tree;
    fprintf(to, "Minimize\n obj:");
    write_stage(to, &p->stage[stage]);
    fprintf(to, "\nSubject To\n");
    write_units(in, to);
    write_parents(in, to);
    for (int32_t s = 0; s <= stage; s++) {
        write_digits(in, to, &p->stage[s]);
    }
    for (int32_t s = 0; s < stage; s++) {
        fprintf(to, " stage_%" PRId32 ":", s);
        write_stage(to, &p->stage[s]);
        fprintf(to, " = %" PRId64 "\n", p->stage[s].value);
    }
    fprintf(to, "Bounds\n none <= 1\nBinary\n");
    for (int32_t level = 0; level <= tree->n_levels; level++) {
        for (int32_t u = tree->level_first[level]; u < tree->level_first[level + 1]; u++) {
            for (int32_t x = 1; x <= in->problem.n; x++) {
                if (can_hold(in, level, u, x)) {
                    fprintf(to, " b_%" PRId32 "_%" PRId32 "\n", u, x);
                }
            }
        }
    }
    fprintf(to, "End\n");
}

static int32_t value_in_key(const struct skr_level_key *key, int32_t count)
{
    for (size_t r = 0; r < key->n_runs; r++) {
        if (key->run[r].count == count) {
            return key->run[r].mult;
        }
    }
    return 0;
}

static void add_digit(struct program *p, const struct skr_level_key *key, int32_t level,
                      int32_t count, int32_t sign, int32_t *scale)
{
    int32_t n = p->in->problem.n;
    int32_t most = count == 0 ? n : n / count;
    struct stage *stage = p->n_stages > 0 ? &p->stage[p->n_stages - 1] : NULL;
    if (!stage || *scale > WEIGHT_MAX / (most + 1) || stage->n == 32) {
        stage = &p->stage[p->n_stages++];
        *stage = (struct stage){.n = 0};
        *scale = 1;
    }
    *scale *= most + 1;
    for (int32_t d = 0; d < stage->n; d++) {
        stage->digit[d].weight *= most + 1;
    }
    stage->digit[stage->n++] =
        (struct digit){.level = level, .count = count, .sign = sign, .weight = 1};
    int32_t value = !key         ? 0
                    : count == 0 ? key[level - 1].used
                                 : value_in_key(&key[level - 1], count);
    stage->value = stage->value * (most + 1) + sign * value;
}

static void make_stages(struct program *p, const struct skr_level_key *key)
{
    int32_t scale = WEIGHT_MAX;
    for (int32_t level = 1; level <= p->in->tree.n_levels; level++) {
        bool pack = p->in->rule[level - 1].type == SKR_RULE_PACK;
        if (pack) {
            add_digit(p, key, level, 0, 1, &scale);
        }
        for (int32_t x = p->in->problem.n; x >= 1; x--) {
            add_digit(p, key, level, x, pack ? -1 : 1, &scale);
        }
    }
}

/* Reads what the program wrote: 1 optimal, 0 infeasible, -1 unclear. */
static int read_result(const char *path, int64_t *ret)
{
    char line[256];
    int found = -1;
    FILE *file = fopen(path, "r");
    if (!file) {
        return -1;
    }
    while (fgets(line, sizeof line, file)) {
        const char *objective = strstr(line, "obj = ");
        const char *value = strstr(line, "objective value");
        if (strstr(line, "INTEGER EMPTY") || strncmp(line, "Infeasible", 10) == 0 ||
            strncmp(line, "Integer infeasible", 18) == 0) {
            found = 0;
        } else if (strstr(line, "INTEGER OPTIMAL")) {
            found = 1;
        } else if (strncmp(line, "Optimal", 7) == 0 && value) {
            found = 1;
            double number = strtod(value + 15, NULL);
            *ret = (int64_t)(number < 0 ? number - 0.5 : number + 0.5);
        }
        if (objective) {
            double number = strtod(objective + 6, NULL);
            *ret = (int64_t)(number < 0 ? number - 0.5 : number + 0.5);
        }
    }
    fclose(file);
    return found;
}

int milp_run(const char *lp, const char *out, int seconds, int64_t *ret)
{
    char command[4 * PATH_MAX_];
    if (strcmp(milp_program(), "glpsol") == 0) {
        snprintf(command, sizeof command,
                 "glpsol --lp %s --nopresol --cuts --tmlim %d -o %s >/dev/null 2>&1", lp, seconds,
                 out);
    } else {
        snprintf(command, sizeof command, "cbc %s sec %d solve solution %s >/dev/null 2>&1", lp,
                 seconds, out);
    }
    return system(command) == 0 ? read_result(out, ret) : -1;
}

static int run(const struct program *p, int32_t stage, const char *folder, int64_t *ret)
{
    char lp[PATH_MAX_];
    char out[PATH_MAX_];
    snprintf(lp, sizeof lp, "%s/problem.lp", folder);
    snprintf(out, sizeof out, "%s/result", folder);
    FILE *file = fopen(lp, "w");
    if (!file) {
        return -1;
    }
    write_program(p, stage, file);
    fclose(file);
    int rc = milp_run(lp, out, 60, ret);
    remove(lp);
    remove(out);
    return rc;
}

static enum milp_verdict compare_stages(const struct program *p, bool placed, const char *folder)
{
    for (int32_t s = 0; s < p->n_stages; s++) {
        int64_t value = 0;
        int found = run(p, s, folder, &value);
        if (found < 0) {
            return MILP_FAILED;
        }
        if ((found == 1) != placed) {
            return MILP_DISAGREES;
        }
        if (!placed) {
            return MILP_AGREES;
        }
        if (value != p->stage[s].value) {
            printf("  stage %" PRId32 ": solver %" PRId64 ", program %" PRId64 "\n", s,
                   p->stage[s].value, value);
            return MILP_DISAGREES;
        }
    }
    return MILP_AGREES;
}

enum milp_verdict milp_compare(const struct instance *in, const struct skr_level_key *key)
{
    char folder[FOLDER_MAX] = "/tmp/sakkara-milp-XXXXXX";
    SKR_AUTO_FREE struct program *p = calloc(1, sizeof *p);
    enum milp_verdict verdict = MILP_FAILED;
    if (p && mkdtemp(folder)) {
        p->in = in;
        make_stages(p, key);
        verdict = compare_stages(p, key, folder);
        rmdir(folder);
    }
    return verdict;
}
