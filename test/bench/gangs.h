/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_BENCH_GANGS_H
#define SKR_TEST_BENCH_GANGS_H
/* A cluster for `sakkara simulate`, as YAML: nodes in racks of 32, each with eight GPUs, and Jobs whose
 * pods of one GPU are a gang each, packed in racks. */
#include <stddef.h>
#include <stdio.h>

void gangs_write(FILE *file, size_t nodes, size_t gangs, size_t size);

#endif
