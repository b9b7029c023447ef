/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The solver for members that are not equal beside an integer program, as a Markdown table; CPU time
 * of one core. The program is glpsol (GLPK) or cbc, whichever is installed (MILP: which one). Without
 * one the table is skipped.
 *
 * Variables are members of each role on each node, used nodes, used racks, and sets in each rack. The
 * program minimises the used racks, then the used nodes: the first digits of our key, since all gangs
 * here fit into one rack. We decide the whole key, and ties. Status 1 when the program finds a valid
 * placement with fewer racks or nodes. Its placement is checked before it is believed.
 *
 * SECONDS (environment, default 20) is what the program may take for each of the two.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/solver/solver.h"
#include "test/bench/roles_load.h"
#include "test/bench/times.h"
#include "test/property/milp.h"

enum { FOLDER_MAX = 64, PATH_MAX_ = 128 };

struct files {
    char folder[FOLDER_MAX], lp[PATH_MAX_], out[PATH_MAX_];
};

static void write_demand(const struct roles_load *load, FILE *to, int32_t leaf, size_t d)
{
    for (size_t r = 0; r < load->roles.n_roles; r++) {
        if (load->role[r].demand[d] > 0) {
            fprintf(to, " + %" PRId64 " x%zu_%" PRId32, load->role[r].demand[d], r, leaf);
        }
    }
}

/* The sum of a role over the leaves of a unit. */
static void write_members(const struct roles_load *load, FILE *to, size_t r, int32_t unit)
{
    const struct skr_tree *tree = load->problem.tree;
    int32_t first = unit == 0 ? 0 : tree->child_first[unit] - tree->first_leaf;
    int32_t n = unit == 0 ? tree->n_leaves : tree->child_count[unit];
    for (int32_t leaf = first; leaf < first + n; leaf++) {
        fprintf(to, " + x%zu_%" PRId32 "%s", r, leaf, leaf % 8 == 7 ? "\n" : "");
    }
}

static void write_leaves(const struct roles_load *load, FILE *to)
{
    const struct skr_tree *tree = load->problem.tree;
    for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        for (size_t d = 0; d < ROLES_LOAD_RESOURCES; d++) {
            int64_t free_ = load->free[(size_t)leaf * ROLES_LOAD_RESOURCES + d];
            fprintf(to, " r%zu_%" PRId32 ":", d, leaf);
            write_demand(load, to, leaf, d);
            fprintf(to, " - %" PRId64 " u_%" PRId32 " <= 0\n", free_, leaf);
        }
        fprintf(to, " k_%" PRId32 ": u_%" PRId32 " - v_%" PRId32 " <= 0\n", leaf, leaf,
                tree->parent[tree->first_leaf + leaf]);
    }
}

static void write_sets(const struct roles_load *load, FILE *to)
{
    const struct skr_tree *tree = load->problem.tree;
    for (size_t k = 0; k < load->roles.n_kinds; k++) {
        for (int32_t rack = 1; rack < tree->first_leaf; rack++) {
            for (size_t r = 0; r < load->roles.n_roles; r++) {
                fprintf(to, " s%zu_%" PRId32 ":", r, rack);
                write_members(load, to, r, rack);
                fprintf(to, " - %" PRId32 " q_%" PRId32 " = 0\n", load->kind.each[r], rack);
            }
        }
    }
}

/* before: " +" in sums. */
static void write_units(FILE *to, const char *before, const char *name, int32_t first, int32_t end)
{
    for (int32_t u = first; u < end; u++) {
        fprintf(to, "%s %s_%" PRId32 "%s", before, name, u, u % 8 == 7 ? "\n" : "");
    }
}

/* racks >= 0: the used racks are so many, and nodes are minimised. */
static bool write_program(const struct roles_load *load, int64_t racks, const char *path)
{
    const struct skr_tree *tree = load->problem.tree;
    FILE *to = fopen(path, "w");
    if (!to) {
        return false;
    }
    fprintf(to, "Minimize\n obj:");
    if (racks < 0) {
        write_units(to, " +", "v", 1, tree->first_leaf);
    } else {
        write_units(to, " +", "u", 0, tree->n_leaves);
    }
    fprintf(to, "\nSubject To\n");
    for (size_t r = 0; r < load->roles.n_roles; r++) {
        fprintf(to, " n%zu:", r);
        write_members(load, to, r, 0);
        fprintf(to, " = %" PRId32 "\n", load->role[r].n);
    }
    write_leaves(load, to);
    write_sets(load, to);
    if (racks >= 0) {
        fprintf(to, " racks:");
        write_units(to, " +", "v", 1, tree->first_leaf);
        fprintf(to, " = %" PRId64 "\n", racks);
    }
    fprintf(to, "Binary\n");
    write_units(to, "", "v", 1, tree->first_leaf);
    write_units(to, "", "u", 0, tree->n_leaves);
    fprintf(to, "\nGeneral\n");
    for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        for (size_t r = 0; r < load->roles.n_roles; r++) {
            fprintf(to, " x%zu_%" PRId32 "\n", r, leaf);
        }
    }
    for (int32_t rack = 1; rack < tree->first_leaf && load->roles.n_kinds > 0; rack++) {
        fprintf(to, " q_%" PRId32 "\n", rack);
    }
    fprintf(to, "End\n");
    return fclose(to) == 0;
}

/* Whether the solution in the file is a placement by our checker. Lines of both programs have a
 * number, a name, and the value, glpsol's with a mark before it. */
static bool is_valid(const struct roles_load *load, const char *path)
{
    size_t n_leaves = (size_t)load->problem.tree->n_leaves;
    int32_t *count = calloc(load->roles.n_roles * n_leaves, sizeof *count);
    FILE *file = fopen(path, "r");
    char line[256];
    while (file && count && fgets(line, sizeof line, file)) {
        size_t r = 0;
        size_t leaf = 0;
        double value = 0;
        if (sscanf(line, " %*d x%zu_%zu * %lf", &r, &leaf, &value) == 3 ||
            sscanf(line, " %*d x%zu_%zu %lf", &r, &leaf, &value) == 3) {
            if (r < load->roles.n_roles && leaf < n_leaves) {
                count[r * n_leaves + leaf] = (int32_t)(value + 0.5);
            }
        }
    }
    bool valid = file && count && skr_roles_check(&load->problem, NULL, count, NULL) == 0;
    if (file) {
        fclose(file);
    }
    free(count);
    return valid;
}

/* CPU seconds of the children that have ended. */
static double children_s(void)
{
    struct rusage use;
    getrusage(RUSAGE_CHILDREN, &use);
    return (double)use.ru_utime.tv_sec + (double)use.ru_stime.tv_sec +
           (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
}

struct verdict {
    double us;
    const char *text;
    bool worse; /* we are */
};

static struct verdict ask(const struct roles_load *load, const struct skr_solution *ours,
                          const struct files *files, int seconds)
{
    struct verdict ret = {.text = "equal"};
    const double began = children_s();
    int64_t racks = -1;
    for (int stage = 0; stage < 2 && !ret.worse; stage++) {
        int64_t value = 0;
        if (!write_program(load, racks, files->lp) ||
            milp_run(files->lp, files->out, seconds, &value) != 1) {
            ret.text = "not decided";
            break;
        }
        if (value < ours->key[stage].used) {
            ret.worse = is_valid(load, files->out);
            ret.text = ret.worse ? "**the program is better**" : "the program is not valid";
        } else if (value > ours->key[stage].used) {
            ret.text = "the program is worse";
        }
        racks = ours->key[0].used;
    }
    ret.us = (children_s() - began) * 1e6;
    return ret;
}

/* Whether the program finds nothing better. */
static bool compare(const char *name, const struct roles_load_case *of, const struct files *files,
                    int seconds)
{
    struct roles_load load;
    struct skr_solution *ours = NULL;
    roles_load_init(&load, of, 1);
    const double began = cluster_now_us();
    if (skr_solve(&load.problem, &ours, NULL) != 0 || ours->status != SKR_SOLVE_PLACED ||
        ours->key[0].used != 1) {
        abort(); /* the comparison is for gangs in one rack */
    }
    const double us = cluster_now_us() - began;
    struct verdict verdict = ask(&load, ours, files, seconds);
    printf("| %s | %" PRId32 " | %" PRId32 " | ", name, of->racks * of->per_rack,
           ours->key[1].used);
    times_print(us);
    printf(" | ");
    times_print(verdict.us);
    printf(" | %s |\n", verdict.text);
    fflush(stdout);
    skr_solution_destroy(ours);
    roles_load_fini(&load);
    return !verdict.worse;
}

int main(void)
{
    static const struct {
        const char *name;
        struct roles_load_case load;
    } gangs[] = {{"1 leader, 64 workers", {4, 64, {1}, 64, 0, 0}},
                 {"4 + 4, 64 workers", {4, 64, {4, 4}, 64, 0, 0}},
                 {"8 sets of 1 + 7", {4, 64, {8}, 56, 8, 0}},
                 {"1 leader, 64 workers", {10, 100, {1}, 64, 0, 0}},
                 {"4 + 4, 64 workers", {10, 100, {4, 4}, 64, 0, 0}},
                 {"8 sets of 1 + 7", {10, 100, {8}, 56, 8, 0}}};
    struct files files = {.folder = "/tmp/sakkara-program-XXXXXX"};
    const int seconds = getenv("SECONDS") ? atoi(getenv("SECONDS")) : 20;
    printf("### Beside an integer program\n\n");
    if (!milp_program()) {
        printf("SKIP: neither glpsol (package glpk-utils) nor cbc (coinor-cbc) is installed\n");
        return 0;
    }
    if (!mkdtemp(files.folder)) {
        return 1;
    }
    snprintf(files.lp, sizeof files.lp, "%s/problem.lp", files.folder);
    snprintf(files.out, sizeof files.out, "%s/result", files.folder);
    printf("%s, %d s for racks and for nodes; we decide the whole key.\n\n", milp_program(),
           seconds);
    printf("| gang | nodes | used | ours | program | |\n|---|---|---|---|---|---|\n");
    bool equal = true;
    for (size_t g = 0; g < sizeof gangs / sizeof *gangs; g++) {
        equal = compare(gangs[g].name, &gangs[g].load, &files, seconds) && equal;
    }
    remove(files.lp);
    remove(files.out);
    rmdir(files.folder);
    return equal ? 0 : 1;
}
