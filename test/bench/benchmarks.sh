#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# benchmarks.sh COSTS RULES REFERENCE PLACEMENT PROPAGATION: runs the benchmarks and prints docs/benchmarks.md.
set -eu
costs=$1
rules=$2
reference=$3
placement=$4
propagation=$5

model=$(sed -nE 's/^model name[^:]*: *//p' /proc/cpuinfo 2>/dev/null | head -n 1)
memory=$(awk '/^MemTotal/ { printf "%.0f GiB", $2 / 1048576 }' /proc/meminfo 2>/dev/null)
system=$(sed -nE 's/^PRETTY_NAME="?([^"]*)"?$/\1/p' /etc/os-release 2>/dev/null)
load=$(cut -d' ' -f1 /proc/loadavg 2>/dev/null)

cat <<END
# Benchmarks

This page is for contributors who change the solver or a scheduler. It shows what each part costs,
and which times must hold.

Made by \`make benchmarks CHIC_SCHED=DIR\`; do not edit. $(date -u +%F), commit $(git rev-parse --short HEAD).

| machine | |
|---|---|
| processor | ${model:-unknown}, $(getconf _NPROCESSORS_ONLN) of its threads, $(uname -m) |
| memory | ${memory:-unknown} |
| system | ${system:-unknown}, $(uname -s) $(uname -r | cut -d- -f1) |
| compiler | $(${CC:-cc} --version | head -n 1), -O2 |
| load when this began | ${load:-unknown} |

One core does all the work of a solve. If the machine has other work, times of the worst percent
say more about that work than about the solver. Counts of instructions do not have this flaw
(\`make bench-counts\`, [counts](../test/bench/callgrind)).

## Beside the reference

The reference is the solver of [chic-sched](https://github.com/IBM/chic-sched) (Go), a greedy
heuristic with the same rules. The first table has its own demonstrations, with their trees, loads,
groups and rules. In one run each load is solved five times by either solver, and the least time
counts.

- Time of the reference: resources are summed up and the group is placed, as its own scaling
  demonstration measures.
- Our time: from free amounts to the finished optimum. Nothing is kept from the run before.
- *Optimal*: as good as our answer by the objective of [solver.md](solver.md).

A program with a garbage collector suffers more from a busy machine, so mind the load above.

$(CHIC_SCHED="${CHIC_SCHED:-}" "$reference")

The second table has random trees of 2 to 4 racks with 2 to 4 nodes of 0 to 6 slots (*flat*: 4 to
8 nodes), and 2 to 12 members. A row has the first 1,000 problems that have a valid placement
according to the plain dynamic program of the tests. The *greedy method* is
\`test/property/greedy.c\`, our own version of the heuristic.

To measure the reference, write an executable \`sakkara-bench\` on top of it, in \`DIR\`. It reads
problems from standard input, one line of JSON each, and answers each with a line before it reads
the next:

\`\`\`
{"children": [2,3,2], "demand": [1], "capacity": [4,4,4,4,4], "free": [1,2,3,2,1], "n": 4, "repeat": 5,
 "rules": [{"type": "pack", "hard": false, "partitions": 0, "min": 0, "max": 0, "factor": 0}, {"type": "spread", …}]}
{"microseconds": 3.7, "counts": [1,2,1,0,0]}
\`\`\`

The problem is one line; it is broken here.

- \`children\`: of the root, then of every unit, level by level from the top.
- \`capacity\` and \`free\`: all resources of the first node, then of the second.
- \`rules\`: the top level first; 0 is unset.
- \`microseconds\`: the least of \`repeat\` runs, each on a new tree.
- \`counts\`: members per node, left out if the group is refused.

## What every kind of rule costs

Nodes hold 0 to 8 members each, drawn evenly. *Cold*: the problem is new to the solver, and
*optimum* includes feasibility. *One node changed*: the problem is kept and one node gets another
number of free slots; the time is that of the change and the answer. In rows where few loads fit,
the times are those of the proof.

$("$rules")

## Cases with a floor

A floor is a time that must hold (p50): otherwise \`make bench-solver\` fails. A target is what we
would like.

$("$costs")

## Memory

These figures are kept by hand, from runs beside other work (loads of 15 to 30). The commands print
new ones.

| what | before | now | |
|---|---|---|---|
| a running pod that is in no group, in the daemon | 302 bytes (1,345 once) | 147 bytes | \`make bench-start NODES=100000 PODS=1000000\` |
| a node of five labels, in the daemon | 1.1 KB (2.0 once) | 0.75 KB | \`make bench-start NODES=100000\` |
| the daemon with 100,000 nodes and 1,000,000 such pods, at the most | 423 MB | 245 MB | |
| the same, 100,000 of the pods members of 10,000 groups (target: 400 MB) | 718 MB, 497 later | 391 MB, 412 at the most while it starts | \`make bench-start NODES=100000 PODS=1000000 GROUPS=10000\` |
| \`simulate\` of 20,000 nodes and 32,000 pods in gangs of 128, at the most (target: 400 MB) | 427 MB (more than 2,429 once) | 396 MB | \`make bench-simulate\` |
| its CPU (target: 5 s), each three times in turn on an idle machine | 5.0 s (4.9 to 5.2; 28.5, 12.1 and 8.4 once) | 4.3 s (4.2 to 4.5) | 17 % fewer instructions |
| 300,000 running pods at the start (1.3 GB of JSON, 10,000 nodes): CPU after the last byte of their list (target: 2 s) | 0.07 s | 0.02 s | \`make bench-start PODS=300000\` |
| the same, 100,000 of them members of 10,000 groups | | 0.66 s | \`make bench-start PODS=300000 GROUPS=10000\` |
| CPU of the first start in all: 12 to 13 us a pod, of which 5 are the bytes of its text | 4.2 s | 4.0 s | |
| CPU of the second in all, until it is ready, and until it has written what it had to (20,020 writes) | | 6.1 s, 8.3 s | |

What holds them, some seconds after the last write (heaptrack counted the sizes of blocks
with 2,000 groups):

| | MB | each |
|---|---|---|
| the program and its libraries | 13 | |
| 100,000 nodes | 73 | 0.75 KB: as it was read 250 bytes, in the ledger 180, entry and name 90, tree 60, watch 60, blocks |
| 900,000 pods that only take room: their table | 41 | 44 bytes: a row of 32, an index of 12 |
| the charges of all 1,000,000 | 44 | 44 bytes: a row of 32, an index of 12 |
| what the watch knows of all 1,000,000 | 60 | 60 bytes: a row of 48, an index of 12; stems of names |
| 100,000 members | about 83 | 830 bytes: pod with the labels of its own 560, entry 210, two indexes 40, blocks |
| 10,000 groups | about 46 | 4.6 KB: the map with placement and ranks 1.7 KB, group 1.4, texts as written 0.6, entry of the map 0.5, what the map says 0.3 |
| free, in pieces | about 28 | |

Decisions read 140 MB of it: the charges (44 MB), the nodes as they were read, in the ledger and in
the tree (50), groups and what their maps say (20), and the members' entries (25). What is under way
for a pod (a kick, a vote, a Binding, a patch, an eviction) is a separate block of 256 bytes. It
lives from the first of these until the pod is bound and all of them are over, so the start of a
cluster at rest makes none.

## Placements and bindings

One core. *From nothing* includes the work of the unit tests' API server. *Cluster by cluster* is
the definition of the selection, done as it is written; both answers are compared.

$("$placement")

Bindings of Karmada: one decision each, the best of several. *A plain walk* goes over all
combinations of regions and does nothing with them.

$("$propagation")
END
