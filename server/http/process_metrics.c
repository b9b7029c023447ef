/* SPDX-License-Identifier: Apache-2.0 */
/* proc(5): /proc/self/stat counts CPU time and start time in clock ticks, /proc/self/statm counts
 * memory in pages. A value that cannot be read keeps its last number. */
#include "server/http/process_metrics.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "server/file.h"

enum { PROC_BYTES_MAX = 4 * 1024 * 1024 };

enum which { CPU, RESIDENT, VIRTUAL, OPEN_FILES, MAX_FILES, START, THREADS, COUNT };

/* One process, one set of series. */
struct process_metrics {
    struct skr_metric *metric[COUNT];
};

static const struct skr_metric_spec spec[COUNT] = {
    [CPU] = {.name = "process_cpu_seconds_total",
             .help = "User and system CPU time spent in seconds.",
             .type = SKR_COUNTER,
             .unit = SKR_UNIT_NANOSECONDS},
    [RESIDENT] = {.name = "process_resident_memory_bytes",
                  .help = "Resident memory size in bytes.",
                  .type = SKR_GAUGE},
    [VIRTUAL] = {.name = "process_virtual_memory_bytes",
                 .help = "Virtual memory size in bytes.",
                 .type = SKR_GAUGE},
    [OPEN_FILES] = {.name = "process_open_fds",
                    .help = "Number of open file descriptors.",
                    .type = SKR_GAUGE},
    [MAX_FILES] = {.name = "process_max_fds",
                   .help = "Maximum number of open file descriptors.",
                   .type = SKR_GAUGE},
    [START] = {.name = "process_start_time_seconds",
               .help = "Start time of the process since the Unix epoch in seconds.",
               .type = SKR_GAUGE,
               .unit = SKR_UNIT_NANOSECONDS},
    [THREADS] = {.name = "process_threads",
                 .help = "Number of threads of the process.",
                 .type = SKR_GAUGE},
};

/* A file of /proc; NULL: it cannot be read. free(). */
static char *read_proc(const char *path)
{
    char *text = NULL;
    size_t n;
    return skr_file_read(path, PROC_BYTES_MAX, &text, &n, NULL) == 0 ? text : NULL;
}

static int64_t ticks_to_ns(uint64_t ticks)
{
    const long hz = sysconf(_SC_CLK_TCK);
    return hz > 0 ? (int64_t)(ticks * (1000000000 / (uint64_t)hz)) : 0;
}

/* When the machine was started, ns since the epoch. */
static int64_t boot_ns(void)
{
    SKR_AUTO_FREE char *text = read_proc("/proc/stat");
    const char *line = text ? strstr(text, "\nbtime ") : NULL;
    int64_t seconds = 0;
    return line && sscanf(line, " btime %" SCNd64, &seconds) == 1 ? seconds * 1000000000 : 0;
}

static void collect_stat(struct process_metrics *process)
{
    SKR_AUTO_FREE char *text = read_proc("/proc/self/stat");
    uint64_t user = 0;
    uint64_t system = 0;
    uint64_t start = 0;
    int64_t threads = 0;
    const char *after_name = text ? strrchr(text, ')') : NULL; /* the name may hold anything */
    if (!after_name || sscanf(after_name + 1,
                              " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64
                              " %*d %*d %*d %*d %" SCNd64 " %*d %" SCNu64,
                              &user, &system, &threads, &start) != 4) {
        return;
    }
    skr_metric_set(process->metric[CPU], ticks_to_ns(user + system));
    skr_metric_set(process->metric[THREADS], threads);
    skr_metric_set(process->metric[START], boot_ns() + ticks_to_ns(start));
}

static void collect_memory(struct process_metrics *process)
{
    SKR_AUTO_FREE char *text = read_proc("/proc/self/statm");
    uint64_t total = 0;
    uint64_t resident = 0;
    const long page = sysconf(_SC_PAGESIZE);
    if (!text || page <= 0 || sscanf(text, "%" SCNu64 " %" SCNu64, &total, &resident) != 2) {
        return;
    }
    skr_metric_set(process->metric[VIRTUAL], (int64_t)(total * (uint64_t)page));
    skr_metric_set(process->metric[RESIDENT], (int64_t)(resident * (uint64_t)page));
}

static void collect_files(struct process_metrics *process)
{
    struct rlimit limit;
    int64_t n = 0;
    DIR *dir = opendir("/proc/self/fd");
    if (dir) {
        while (readdir(dir)) {
            n++;
        }
        closedir(dir);
        skr_metric_set(process->metric[OPEN_FILES], n > 3 ? n - 3 : 0); /* ".", "..", itself */
    }
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        skr_metric_set(process->metric[MAX_FILES],
                       limit.rlim_cur > INT64_MAX ? INT64_MAX : (int64_t)limit.rlim_cur);
    }
}

static void collect(void *context)
{
    struct skr_metrics *metrics = context;
    struct process_metrics process;
    for (int i = 0; i < COUNT; i++) {
        process.metric[i] = skr_metric_get(skr_metrics_family(metrics, &spec[i]), NULL);
    }
    collect_stat(&process);
    collect_memory(&process);
    collect_files(&process);
}

void skr_process_metrics_register(struct skr_metrics *metrics)
{
    skr_metrics_on_collect(metrics, collect, metrics);
}
