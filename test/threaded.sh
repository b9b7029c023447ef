#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# threaded.sh SOURCE...: of these sources of unit tests, those whose programs can start a thread. That is read off the
# programs of the default variant (`make unit`): they link what starts one. A program that is not built, or older than its
# sources, counts as one that can if it includes a header of the server; topology and core have no threads.
set -eu
cd "$(dirname "$0")/.."
obj=build/obj
for source in "$@"; do
    program=$obj/${source%.c}
    if [ -x "$program" ] && [ -z "$(find "$source" $obj/libserver.a $obj/libskr.a $obj/test/unit/libhelp.a -newer "$program")" ]; then
        ! grep -qE 'pthread_create|MHD_start_daemon|curl_multi_init' "$program" || echo "$source"
    else
        ! grep -q '"server/' "$source" || echo "$source"
    fi
done
