/* SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/role_scene.h"

#include <stdio.h>
#include <string.h>

#include "topology/base/strbuf.h"

void role_member(struct rig *rig, const char *name, const char *role, int cpu, int gpu)
{
    char gpus[64] = "", roles[96] = "";
    if (gpu > 0) {
        snprintf(gpus, sizeof gpus, ",'nvidia.com/gpu':'%d'", gpu);
    }
    if (role) {
        snprintf(roles, sizeof roles, "'annotations':{'sakkara.group.role':'%s'},", role);
    }
    rig_create_json(rig, RIG_POD, name,
                    "{'metadata':{%s'labels':{'sakkara.group.name':'g'}},'spec':{"
                    "'schedulerName':'sakkara','schedulingGates':[{'name':'sakkara.gang'}],"
                    "'containers':[{'name':'main','resources':{'requests':{'cpu':'%d'%s}}}]},"
                    "'status':{'phase':'Pending'}}",
                    roles, cpu, gpus);
}

void role_members(struct rig *rig, const char *prefix, int n, const char *role, int cpu, int gpu)
{
    char name[64];
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "%s-%d", prefix, i);
        role_member(rig, name, role, cpu, gpu);
    }
}

/* In a string of the rig's JSON. */
static void add_quoted(struct skr_strbuf *b, const char *text)
{
    for (const char *c = text; *c; c++) {
        if (*c == '\'') {
            skr_strbuf_add(b, "\\\"");
        } else {
            skr_strbuf_addc(b, *c);
        }
    }
}

void role_map(struct rig *rig, const char *roles, const char *constraints)
{
    SKR_STRBUF(keys);
    SKR_STRBUF(rules);
    add_quoted(&keys, roles);
    add_quoted(&rules, constraints);
    rig_create_json(rig, RIG_MAP, "g",
                    "{'metadata':{'labels':{'sakkara.group':''}},'data':{'name':'g','roles':\"%s\","
                    "'constraints':\"%s\"}}",
                    keys.s, rules.s);
}

const char role_set_of_three[] = "{'sets':[{'level':'rack','roles':{'leader':1,'worker':2}}]}";

void role_gang(struct rig *rig, int leaders, int workers, const int cpu[2], const char *constraints)
{
    char roles[64];
    snprintf(roles, sizeof roles, "{'leader':{'size':%d},'worker':{'size':%d}}", leaders, workers);
    role_map(rig, roles, constraints);
    rig_sync(rig);
    role_members(rig, "l", leaders, "leader", cpu[0], 0);
    role_members(rig, "w", workers, "worker", cpu[1], 0);
    rig_run(rig, 3 * SKR_SECOND);
    rig_assert_bound(rig, "l", leaders);
    rig_assert_bound(rig, "w", workers);
}

void role_leader_and(struct rig *rig, int n, const char *constraints)
{
    role_gang(rig, 1, n, (const int[]){1, 1}, constraints);
}

void role_edit_map(struct rig *rig, const char *roles)
{
    SKR_STRBUF(keys);
    add_quoted(&keys, roles);
    rig_edit(rig, RIG_MAP, "g", "{'data':{'roles':\"%s\"}}", keys.s);
    rig_run(rig, 3 * SKR_SECOND);
}

void role_expect_rank(struct rig *rig, const char *pod, const char *rank)
{
    if (strcmp(rig_label(rig, pod, "sakkara.member.rank"), rank) != 0) {
        rig_fail(rig, "%s has rank %s, not %s", pod, rig_label(rig, pod, "sakkara.member.rank"),
                 rank);
    }
}
