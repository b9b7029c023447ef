/* SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/spotmix_shop.h"

#include <stdio.h>
#include <string.h>

#define K "cloudpilot.ai/webhook-scheduler"

static void answered(void *context, uint64_t request, const void *body)
{
    struct shop *shop = context;
    const struct skr_spotmix_reply *reply = body;
    (void)request;
    shop->status = reply->status;
    shop->result = reply->result;
    shop->answers++;
}

static void add_node(struct shop *shop, const char *name, const char *class_)
{
    frame_rig_add(shop->rig, &skr_spotmix_nodes, name,
                  "{'metadata':{'labels':{'node.kubernetes.io/capacity':'%s'}},'status':{"
                  "'conditions':[{'type':'Ready','status':'True'}]}}",
                  class_);
}

const char *shop_uid_of(const struct shop *shop, const struct skr_resource *resource,
                        const char *key)
{
    return frame_rig_text(shop->rig, resource, key, "metadata.uid");
}

void shop_add_replica_set(struct shop *shop, const char *name, int revision)
{
    char key[64];
    snprintf(key, sizeof key, "shop/%s", name);
    frame_rig_add(shop->rig, &skr_spotmix_replica_sets, key,
                  "{'metadata':{'annotations':{'deployment.kubernetes.io/revision':'%d'},"
                  "'ownerReferences':[{'apiVersion':'apps/v1','kind':'Deployment','name':'web',"
                  "'uid':'%s','controller':true}]},'spec':{'replicas':4}}",
                  revision, shop_uid_of(shop, &skr_spotmix_deployments, "shop/web"));
}

void shop_add_pod(struct shop *shop, const char *name, const char *owner, const char *class_,
                  int index, bool ready)
{
    char key[64], labels[256] = "", annotations[256] = "";
    snprintf(key, sizeof key, "shop/%s", owner);
    const char *uid = shop_uid_of(shop, &skr_spotmix_replica_sets, key);
    if (class_) {
        snprintf(labels, sizeof labels, "'" K "-class':'%s','" K "-index':'%d'", class_, index);
        snprintf(annotations, sizeof annotations,
                 "'" SKR_SPOTMIX_COST_KEY "':'%s','" K "-token':'5e0c'",
                 strcmp(class_, "spot") == 0 ? "1" : "100");
    }
    snprintf(key, sizeof key, "shop/%s", name);
    frame_rig_add(shop->rig, &skr_spotmix_pods, key,
                  "{'metadata':{'labels':{%s},'annotations':{%s},'ownerReferences':[{'apiVersion':"
                  "'apps/v1','kind':'ReplicaSet','name':'%s','uid':'%s','controller':true}]},"
                  "'spec':{'nodeName':'%s-0'},'status':{'phase':'Running','conditions':[{'type':"
                  "'Ready','status':'%s'}]}}",
                  labels, annotations, owner, uid,
                  class_ && strcmp(class_, "spot") == 0 ? "spot" : "on", ready ? "True" : "False");
}

void shop_set_max(struct shop *shop, const char *max)
{
    frame_rig_edit(shop->rig, &skr_spotmix_deployments, "shop/web",
                   "{'metadata':{'labels':{'" K "-max-on-demand-count':'%s'}}}", max);
    if (shop->rig->engine) {
        frame_rig_run(shop->rig);
    }
}

void shop_set_up(struct shop *shop)
{
    skr_spotmix_settings_default(&shop->settings);
    shop->rig = frame_rig_create(&skr_spotmix_scheduler, &shop->settings);
    shop->rig->answer = answered;
    shop->rig->context = shop;
    add_node(shop, "on-0", "on-demand");
    add_node(shop, "spot-0", "spot");
    frame_rig_add(shop->rig, &skr_spotmix_deployments, "shop/web",
                  "{'metadata':{'labels':{'" K "':'true','" K "-max-on-demand-count':'2'}},"
                  "'spec':{'replicas':4}}");
    shop_add_replica_set(shop, "web-a", 1);
}

void shop_tear_down(struct shop *shop)
{
    frame_rig_destroy(shop->rig);
}

void shop_serve(struct shop *shop)
{
    frame_rig_start(shop->rig);
    frame_rig_advance(shop->rig, SKR_SPOTMIX_SETTLING_TIME + SKR_SPOTMIX_REACH_TIME);
}

void shop_add_four(struct shop *shop)
{
    shop_add_pod(shop, "p-0", "web-a", "on-demand", 0, true);
    shop_add_pod(shop, "p-1", "web-a", "on-demand", 1, true);
    shop_add_pod(shop, "p-2", "web-a", "spot", 2, true);
    shop_add_pod(shop, "p-3", "web-a", "spot", 3, true);
}

size_t shop_told(const struct shop *shop, const char *text)
{
    size_t n = 0;
    for (size_t i = 0; i < shop->rig->n_decisions; i++) {
        n += strstr(shop->rig->decision[i], text) ? 1 : 0;
    }
    return n;
}
