/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_VOLUME_OBJECTS_H
#define SKR_CORE_VOLUME_OBJECTS_H
/*
 * What plans need of storage objects: PersistentVolumeClaims, PersistentVolumes, StorageClasses,
 * CSINodes, CSIDrivers, CSIStorageCapacities and VolumeAttachments. A node is judged as by the plugins of
 * kube-scheduler (pkg/scheduler/framework/plugins/volumebinding, volumezone).
 *
 * Objects are immutable; each lives in an arena of its own.
 */
#include "core/pod/pod.h"
#include "topology/fields.h"

/* Bits of modes that stand for the volumeMode. */
#define SKR_VOLUME_MODE_BITS UINT32_C(96)

enum {
    SKR_VOLUME_MODES_MAX = 64,    /* access modes of an object */
    SKR_VOLUME_ZONES_MAX = 1024,  /* values of one zone label of a volume, divided by "__" */
    SKR_CSI_DRIVERS_MAX = 256,    /* of a node */
    SKR_TOPOLOGY_TERMS_MAX = 256, /* allowedTopologies of a class; expressions of one */
    SKR_TOPOLOGY_LABELS_MAX = 64, /* of a nodeTopology */
};

struct skr_volume_claim {
    struct skr_arena *arena;
    struct skr_meta meta;
    const char *volume; /* spec.volumeName; "": it has none */
    const char *class_; /* storageClassName, or the old annotation; "" */
    /* The node that kube-scheduler has chosen for a volume which is not made yet, and keeps; "". */
    const char *selected;
    bool one_pod; /* an access mode is ReadWriteOncePod */
    const char *
        selector; /* volumes by their labels, as a node selector: skr_volume_of_selector(); "": any */
    const char *
        attributes; /* volumeAttributesClassName; a volume serves the claim only if it has the same */
    /* A bit for each access mode and for the volumeMode: a volume serves the claim only if it has all of them. */
    uint32_t modes;
    int64_t bytes; /* that it requests, rounded up */
};
int skr_volume_claim_decode(const json_t *json, struct skr_volume_claim **ret,
                            struct skr_error *error);
void skr_volume_claim_destroy(struct skr_volume_claim *claim);
SKR_AUTO_DEFINE(struct skr_volume_claim, skr_volume_claim_destroy)

/* Zone labels of volumes from before node affinity: a node with any zone label needs one of the values. */
struct skr_volume_zone {
    const char *key;
    size_t n_values;
    const char **value;
};

struct skr_volume {
    struct skr_arena *arena;
    struct skr_meta meta;
    const char *class_;
    const char *driver, *handle;                          /* of a CSI volume; "": it is none */
    bool free;                                            /* Available, and for no claim */
    const char *claim_namespace, *claim_name, *claim_uid; /* claimRef; "": none */
    const char *attributes;
    const char *labels; /* metadata.labels as text with sorted keys; "": none */
    uint32_t modes;
    int64_t bytes;
    /* Node affinity; no other part of the shape is set. */
    struct skr_pod_shape reach;
    size_t n_zones;
    struct skr_volume_zone zone[4];
    const char *reach_key; /* equal texts: the same nodes reach them; "": all do */
    const char *host;      /* the only requirement is this value of kubernetes.io/hostname; NULL */
};
int skr_volume_decode(const json_t *json, struct skr_volume **ret, struct skr_error *error);
void skr_volume_destroy(struct skr_volume *volume);
SKR_AUTO_DEFINE(struct skr_volume, skr_volume_destroy)
/* One that the nodes of this selector reach, nodeSelectorTerms as text; NULL: it cannot be read. */
struct skr_volume *skr_volume_of_selector(const char *selector);
/* Whether a selector over labels of volumes (skr_volume_of_selector()) selects one with these labels. */
bool skr_volume_selects(const struct skr_volume *selector, const char *labels);
/* Whether a free volume serves the claim, but for the node: FindMatchingVolume() of
 * k8s.io/component-helpers/storage/volume. */
bool skr_volume_suits(const struct skr_volume *volume, const struct skr_volume_claim *claim);
/* Whether the node reaches the volume. */
bool skr_volume_reaches(const struct skr_volume *volume, const struct skr_node *node);

struct skr_storage_class {
    struct skr_arena *arena;
    struct skr_meta meta;
    const char *provisioner;
    bool late; /* volumeBindingMode: WaitForFirstConsumer */
    const char
        *reach; /* allowedTopologies as a node selector: skr_volume_of_selector(); "": all nodes */
};
int skr_storage_class_decode(const json_t *json, struct skr_storage_class **ret,
                             struct skr_error *error);
void skr_storage_class_destroy(struct skr_storage_class *class_);
SKR_AUTO_DEFINE(struct skr_storage_class, skr_storage_class_destroy)

/* Drivers of a node, and how many of their volumes it attaches. */
struct skr_csi_node {
    struct skr_arena *arena;
    struct skr_meta meta;
    size_t n;
    struct skr_csi_limit {
        const char *driver;
        int32_t most; /* INT32_MAX: no limit */
    } * limit;
};
int skr_csi_node_decode(const json_t *json, struct skr_csi_node **ret, struct skr_error *error);
void skr_csi_node_destroy(struct skr_csi_node *node);

struct skr_csi_driver {
    struct skr_arena *arena;
    struct skr_meta meta;
    bool says_capacity; /* storageCapacity: its CSIStorageCapacities count */
    bool must_run; /* preventPodSchedulingIfMissing: pods go to nodes alone whose CSINode has it */
};
int skr_csi_driver_decode(const json_t *json, struct skr_csi_driver **ret, struct skr_error *error);
void skr_csi_driver_destroy(struct skr_csi_driver *driver);

/* Room for volumes of a class on some nodes. */
struct skr_csi_capacity {
    struct skr_arena *arena;
    struct skr_meta meta;
    const char *class_;
    /* Of the largest volume: maximumVolumeSize, else capacity; -1: of none, on no node. */
    int64_t bytes;
    /* nodeTopology: labels of its nodes, by ascending keys. */
    size_t n_labels;
    struct skr_csi_label {
        const char *key, *value;
    } * label;
    bool labels_alone; /* it has no expressions */
    const char
        *selector; /* all of it as a node selector: skr_volume_of_selector(); "": all nodes */
};
int skr_csi_capacity_decode(const json_t *json, struct skr_csi_capacity **ret,
                            struct skr_error *error);
void skr_csi_capacity_destroy(struct skr_csi_capacity *capacity);

/* A volume on a node. */
struct skr_volume_attachment {
    struct skr_arena *arena;
    struct skr_meta meta;
    const char *driver, *node;
    const char *volume; /* a PersistentVolume; "": none */
};
int skr_volume_attachment_decode(const json_t *json, struct skr_volume_attachment **ret,
                                 struct skr_error *error);
void skr_volume_attachment_destroy(struct skr_volume_attachment *attachment);

#endif
