/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the devices of a cluster cost (core/devices/stock.h), as a Markdown table: bytes a device that are held, by
 * malloc and as the limit of the stock counts them, and times of the processor: a device until its slice is held, and a
 * node until it is known how many pods it serves: with one GPU, first, again and with a memo, and with one of its 56
 * smallest partitions. Nodes are as NVIDIA's driver shows them: 8 GPUs in one slice, or GPUs with all MIG profiles, 152
 * devices in 9 slices.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/devices/sequence.h"
#include "test/bench/times.h"
#include "topology/base/strbuf.h"
#include "topology/device_slices.h"

enum { GPUS = 8 };

/* sets: what names of sets of counters begin with; NULL: there are none. */
static void add_gpu(struct skr_strbuf *b, unsigned node, unsigned gpu, const char *sets)
{
    skr_strbuf_addf(
        b,
        "%s{\"name\":\"gpu-%u\",\"attributes\":{\"addressingMode\":{\"string\":\"HMM\"},"
        "\"architecture\":{\"string\":\"Hopper\"},\"brand\":{\"string\":\"Nvidia\"},"
        "\"cudaComputeCapability\":{\"version\":\"9.0.0\"},"
        "\"cudaDriverVersion\":{\"version\":\"12.8.0\"},"
        "\"driverVersion\":{\"version\":\"570.86.15\"},\"minor\":{\"int\":%u},"
        "\"productName\":{\"string\":\"NVIDIA H100 80GB HBM3\"},"
        "\"resource.kubernetes.io/pciBusID\":{\"string\":\"0000:%02x:00.0\"},"
        "\"resource.kubernetes.io/pcieRoot\":{\"string\":\"pci0000:%02x\"},"
        "\"type\":{\"string\":\"gpu\"},"
        "\"uuid\":{\"string\":\"GPU-%08x-%04x-4a7b-8c9d-0123456789ab\"}},"
        "\"capacity\":{\"memory\":{\"value\":\"81559Mi\"}}",
        gpu > 0 && !sets ? "," : "", gpu, gpu, gpu * 16 + 4, gpu * 16, node, gpu);
    if (sets) {
        skr_strbuf_addf(b, ",\"consumesCounters\":[{\"counterSet\":\"%s-%u\",\"counters\":{", sets,
                        gpu);
    }
    skr_strbuf_add(b, sets ? "" : "}");
}

static const char *const engine[] = {"copy-engines", "decoders", "encoders",
                                     "jpeg-engines", "memory",   "multiprocessors",
                                     "ofa-engines"};

static void add_counters(struct skr_strbuf *b, unsigned first_slice, unsigned slices)
{
    for (size_t i = 0; i < sizeof engine / sizeof engine[0]; i++) {
        skr_strbuf_addf(b, "%s\"%s\":{\"value\":\"%u\"}", i > 0 ? "," : "", engine[i], slices);
    }
    for (unsigned i = first_slice; i < first_slice + slices; i++) {
        skr_strbuf_addf(b, ",\"memory-slice-%u\":{\"value\":\"1\"}", i);
    }
    skr_strbuf_add(b, "}}");
}

/* 19 devices: the GPU, and partitions of so many slices of memory at their places. */
static void add_partitions(struct skr_strbuf *b, unsigned node, unsigned gpu, const char *sets)
{
    static const unsigned partition[][2] = {{0, 1}, {1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1},
                                            {6, 1}, {0, 2}, {2, 2}, {4, 2}, {0, 3}, {4, 3},
                                            {0, 4}, {4, 4}, {0, 8}, {6, 2}, {1, 2}, {3, 2}};
    add_gpu(b, node, gpu, sets);
    add_counters(b, 0, 8);
    skr_strbuf_add(b, "]}");
    for (size_t i = 0; i < sizeof partition / sizeof partition[0]; i++) {
        const unsigned at = partition[i][0], n = partition[i][1];
        skr_strbuf_addf(
            b,
            ",{\"name\":\"gpu-%u-mig-%ug-%u\",\"attributes\":{"
            "\"architecture\":{\"string\":\"Hopper\"},\"brand\":{\"string\":\"Nvidia\"},"
            "\"cudaComputeCapability\":{\"version\":\"9.0.0\"},"
            "\"cudaDriverVersion\":{\"version\":\"12.8.0\"},"
            "\"driverVersion\":{\"version\":\"570.86.15\"},\"parentMinor\":{\"int\":%u},"
            "\"parentUUID\":{\"string\":\"GPU-%08x-%04x-4a7b-8c9d-0123456789ab\"},"
            "\"productName\":{\"string\":\"NVIDIA H100 80GB HBM3\"},"
            "\"profile\":{\"string\":\"%ug.%ugb\"},"
            "\"resource.kubernetes.io/pciBusID\":{\"string\":\"0000:%02x:00.0\"},"
            "\"resource.kubernetes.io/pcieRoot\":{\"string\":\"pci0000:%02x\"},"
            "\"type\":{\"string\":\"mig\"}},\"capacity\":{",
            gpu, n, at, gpu, node, gpu, n, n * 10, gpu * 16 + 4, gpu * 16);
        for (size_t k = 0; k < sizeof engine / sizeof engine[0]; k++) {
            skr_strbuf_addf(b, "%s\"%s\":{\"value\":\"%u\"}", k > 0 ? "," : "", engine[k], n);
        }
        skr_strbuf_addf(b, "},\"consumesCounters\":[{\"counterSet\":\"%s-%u\",\"counters\":{", sets,
                        gpu);
        add_counters(b, at, n);
        skr_strbuf_add(b, "]}");
    }
}

static void put(struct skr_devices_stock *stock, unsigned node, const char *name, unsigned n_slices,
                const char *rest)
{
    SKR_STRBUF(b);
    struct skr_device_slice *slice = NULL;
    skr_strbuf_addf(
        &b,
        "{\"metadata\":{\"name\":\"node-%05u-gpu.nvidia.com-%s\",\"uid\":"
        "\"01234567-89ab-4cde-8f01-%012u\",\"resourceVersion\":\"1\","
        "\"creationTimestamp\":\"2026-01-02T03:04:05Z\"},\"spec\":{\"driver\":"
        "\"gpu.nvidia.com\",\"nodeName\":\"node-%05u\",\"pool\":{\"name\":\"node-%05u\","
        "\"generation\":1,\"resourceSliceCount\":%u},%s}}",
        node, name, node, node, node, n_slices, rest);
    json_t *json = json_loads(b.s, 0, NULL);
    if (skr_device_slice_decode(json, &slice, NULL) < 0) {
        abort();
    }
    json_decref(json);
    skr_devices_stock_put_slice(stock, slice);
}

static void put_plain(struct skr_devices_stock *stock, unsigned node, const char *ignored)
{
    SKR_STRBUF(b);
    (void)ignored;
    skr_strbuf_add(&b, "\"devices\":[");
    for (unsigned gpu = 0; gpu < GPUS; gpu++) {
        add_gpu(&b, node, gpu, NULL);
    }
    skr_strbuf_add(&b, "]");
    put(stock, node, "abcde", 1, b.s);
}

static void put_mig(struct skr_devices_stock *stock, unsigned node, const char *sets)
{
    SKR_STRBUF(counters);
    char set[64], name[16];
    snprintf(set, sizeof set, "%s-%u", sets, strcmp(sets, "node") == 0 ? node : 0);
    skr_strbuf_add(&counters, "\"sharedCounters\":[");
    for (unsigned gpu = 0; gpu < GPUS; gpu++) {
        SKR_STRBUF(b);
        skr_strbuf_add(&b, "\"devices\":[");
        add_partitions(&b, node, gpu, set);
        skr_strbuf_add(&b, "]");
        snprintf(name, sizeof name, "%u", gpu);
        put(stock, node, name, GPUS + 1, b.s);
        skr_strbuf_addf(&counters, "%s{\"name\":\"%s-%u\",\"counters\":{", gpu > 0 ? "," : "", set,
                        gpu);
        add_counters(&counters, 0, 8);
    }
    skr_strbuf_add(&counters, "]");
    put(stock, node, "counters", GPUS + 1, counters.s);
}

/* Of all nodes, which serve n pods each. */
static double count_us(const struct skr_devices_stock *stock, const struct skr_claim_spec *spec,
                       unsigned nodes, int32_t n, struct skr_sequence_memo *memo)
{
    const struct skr_pod_claims pod = {1, &spec};
    char name[16];
    const double begin = times_now_s(CLOCK_PROCESS_CPUTIME_ID);
    for (unsigned node = 0; node < nodes; node++) {
        snprintf(name, sizeof name, "node-%05u", node);
        if (skr_sequence_count(stock, name, NULL, 0, NULL, &pod, n + 1, memo).n != n) {
            abort();
        }
    }
    return (times_now_s(CLOCK_PROCESS_CPUTIME_ID) - begin) * 1e6 / nodes;
}

static const struct {
    const char *name, *sets;
    void (*put)(struct skr_devices_stock *, unsigned node, const char *sets);
    unsigned nodes;
    int32_t partitions;
} cases[] = {
    {"8 plain GPUs", "", put_plain, 5000, 0},
    {"all MIG profiles of 8 GPUs", "gpu", put_mig, 500, 56},
    {"the same, sets of counters named after the node", "node", put_mig, 500, 56},
};

int main(void)
{
    static const char *gpu = "device.attributes['gpu.nvidia.com'].type == 'gpu'",
                      *mig = "device.attributes['gpu.nvidia.com'].type == 'mig' && "
                             "device.attributes['gpu.nvidia.com'].profile == '1g.10gb'";
    const struct skr_device_class gpus = {.meta.name = "gpu", .n_selectors = 1, .selector = &gpu},
                                  migs = {.meta.name = "mig", .n_selectors = 1, .selector = &mig};
    printf("| node | bytes a device | as counted | us a device | us a node | again | with a memo | "
           "56 partitions |\n|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct skr_hash_seed seed = {{0}};
        const size_t before = mallinfo2().uordblks;
        struct skr_devices_stock *stock = skr_devices_stock_create(&seed, NULL, NULL);
        const double begin = times_now_s(CLOCK_PROCESS_CPUTIME_ID);
        for (unsigned node = 0; node < cases[i].nodes; node++) {
            cases[i].put(stock, node, cases[i].sets);
        }
        const double us = (times_now_s(CLOCK_PROCESS_CPUTIME_ID) - begin) * 1e6;
        const double n = (double)stock->n_devices;
        printf("| %s | %.0f | %.0f | %.2f |", cases[i].name,
               (double)(mallinfo2().uordblks - before) / n,
               (double)(stock->n_bytes + stock->kinds.n_bytes) / n, us / n);
        skr_devices_stock_put_class(stock, &gpus);
        skr_devices_stock_put_class(stock, &migs);
        const struct skr_claim_spec *spec = skr_devices_stock_extended(stock, "gpu", 1);
        struct skr_sequence_memo *memo = skr_sequence_memo_create();
        printf(" %.0f |", count_us(stock, spec, cases[i].nodes, GPUS, NULL));
        printf(" %.0f |", count_us(stock, spec, cases[i].nodes, GPUS, NULL));
        printf(" %.1f |", count_us(stock, spec, cases[i].nodes, GPUS, memo));
        spec = skr_devices_stock_extended(stock, "mig", 1);
        printf(" %.0f |\n", cases[i].partitions > 0
                                ? count_us(stock, spec, cases[i].nodes, cases[i].partitions, NULL)
                                : 0);
        skr_sequence_memo_destroy(memo);
        skr_devices_stock_destroy(stock);
    }
    return 0;
}
