/* SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/limits_scene.h"

#include "core/gang/group/group_table.h"
#include "core/time/end.h"

void limits_pod(struct rig *rig, const char *name, const char *group, int64_t deadline)
{
    char labels[128] = "", limit[64] = "";
    if (group) {
        snprintf(labels, sizeof labels, "'sakkara.group.name':'%s'", group);
    }
    if (deadline > 0) {
        snprintf(limit, sizeof limit, ",'activeDeadlineSeconds':%lld", (long long)deadline);
    }
    rig_create_json(rig, RIG_POD, name,
                    "{'metadata':{'labels':{%s}},'spec':{'schedulerName':'sakkara',"
                    "'terminationGracePeriodSeconds':0%s,'schedulingGates':[{'name':'sakkara.gang'}"
                    "],'containers':[{'name':'main','resources':{'requests':{'cpu':'1'}}}]},"
                    "'status':{'phase':'Pending'}}",
                    labels, limit);
}

void limits_gang(struct rig *rig, const char *name, int size, int priority, int64_t limit)
{
    char pod[64];
    rig_group(rig, name, size, priority, NULL);
    for (int i = 0; i < size; i++) {
        snprintf(pod, sizeof pod, "%s-%d", name, i);
        limits_pod(rig, pod, name, limit);
    }
}

void limits_job_gang(struct rig *rig, const char *name, int size, int deadline)
{
    char pod[64], text[48];
    skr_time_write(rig->now - rig->now % SKR_SECOND, 0, text, sizeof text);
    rig_create_json(rig, RIG_JOB, name,
                    "{'spec':{'activeDeadlineSeconds':%d,'parallelism':%d,'completions':%d},"
                    "'status':{'startTime':'%s'}}",
                    deadline, size, size, text);
    rig_group(rig, name, size, 0, NULL);
    for (int i = 0; i < size; i++) {
        const struct rig_object *o = rig_find(rig, RIG_JOB, name);
        snprintf(pod, sizeof pod, "%s-%d", name, i);
        rig_create_json(rig, RIG_POD, pod,
                        "{'metadata':{'labels':{'sakkara.group.name':'%s'},'ownerReferences':["
                        "{'apiVersion':'batch/v1','kind':'Job','name':'%s','uid':'%s','controller':"
                        "true}]},'spec':{'schedulerName':'sakkara','terminationGracePeriodSeconds'"
                        ":0,'schedulingGates':[{'name':'sakkara.gang'}],'containers':[{'name':'c',"
                        "'resources':{'requests':{'cpu':'1'}}}]},'status':{'phase':'Pending'}}",
                        name, name, skr_object_text(json_object_get(o->json, "metadata"), "uid"));
    }
}

int limits_bound(const struct rig *rig, const char *name)
{
    return (int)rig_n_bound(rig, name);
}

void limits_start(struct rig *rig, const char *name, int size)
{
    char pod[64], text[48];
    skr_time_write(rig->now - rig->now % SKR_SECOND, 0, text, sizeof text);
    for (int i = 0; i < size; i++) {
        snprintf(pod, sizeof pod, "%s-%d", name, i);
        rig_edit(rig, RIG_POD, pod, "{'status':{'phase':'Running','startTime':'%s'}}", text);
    }
    rig_settle(rig);
}

void limits_end(struct rig *rig, const char *name, int size)
{
    char pod[64];
    for (int i = 0; i < size; i++) {
        snprintf(pod, sizeof pod, "%s-%d", name, i);
        rig_phase(rig, pod, "Succeeded");
    }
    rig_settle(rig);
}

const struct group *limits_group(const struct rig *rig, const char *name)
{
    char key[64];
    snprintf(key, sizeof key, "default/%s", name);
    return skr_groups_find(rig->gang, key);
}

int64_t limits_now(const struct rig *rig)
{
    return skr_instant_up(rig->now);
}

struct rig *limits_four_nodes(int64_t reservations)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.preemption = false;
    settings.reservations = reservations;
    struct rig *rig = rig_create_with(&settings);
    rig_racks(rig, 1, 4, 1);
    rig_sync(rig);
    return rig;
}

/* Two of four nodes are busy until 100 s from now; big needs four. */
struct rig *limits_waiting(int64_t reservations)
{
    struct rig *rig = limits_four_nodes(reservations);
    limits_gang(rig, "run", 2, 0, 100);
    rig_run(rig, SKR_SECOND);
    assert_int_equal(limits_bound(rig, "run"), 2);
    limits_start(rig, "run", 2);
    limits_gang(rig, "big", 4, 0, 50);
    rig_run(rig, SKR_SECOND);
    assert_int_equal(limits_bound(rig, "big"), 0);
    return rig;
}
