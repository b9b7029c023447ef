/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `sakkara simulate` costs of the cluster of gangs.h. CPU and memory are those of the program
 * alone.
 *
 *   bench_simulate [NODES [GANGS [SIZE]]]        20000 250 128
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/bench/gangs.h"
#include "topology/base/arena.h"

static pid_t start(const char *path)
{
    const char *program = getenv("SAKKARA") ? getenv("SAKKARA") : "build/sakkara";
    pid_t pid = fork();
    skr_bug_on(pid < 0);
    if (pid == 0) {
        (void)dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
        execl(program, program, "simulate", "-f", path, (char *)NULL);
        _exit(127);
    }
    return pid;
}

static double seconds(const struct timeval *t)
{
    return (double)t->tv_sec + (double)t->tv_usec / 1e6;
}

int main(int argc, char **argv)
{
    const size_t nodes = argc > 1 ? strtoull(argv[1], NULL, 10) : 20000;
    const size_t gangs = argc > 2 ? strtoull(argv[2], NULL, 10) : 250;
    const size_t size = argc > 3 ? strtoull(argv[3], NULL, 10) : 128;
    char path[] = "/tmp/sakkara-bench-simulate-XXXXXX.yaml";
    int fd = mkstemps(path, (int)strlen(".yaml"));
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
    skr_bug_on(!f);
    gangs_write(f, nodes, gangs, size);
    skr_bug_on(fclose(f) != 0);
    struct rusage used;
    int status;
    skr_bug_on(wait4(start(path), &status, 0, &used) < 0);
    (void)unlink(path);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fprintf(stderr, "bench_simulate: not all gangs were bound\n");
        return 1;
    }
    printf(
        "simulate of %zu nodes and %zu pods in gangs of %zu: %.1f s of CPU, %.0f MB at the most\n",
        nodes, gangs * size, size, seconds(&used.ru_utime) + seconds(&used.ru_stime),
        (double)used.ru_maxrss * 1024 / 1e6);
    return 0;
}
