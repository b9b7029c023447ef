#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cppcheck.sh FILE...: cppcheck without the system's headers but with those of uthash, whose macros it
# has to expand: it takes DL_FOREACH for a function otherwise.
set -eu
include=build/cppcheck/include
mkdir -p $include
for header in uthash.h utlist.h utarray.h; do
    path=$(printf '#include <%s>\n' "$header" | cc -E - | sed -nE "s|^# [0-9]+ \"(/.*/$header)\".*|\1|p" | head -n 1)
    cmp -s "$path" "$include/$header" || cp "$path" "$include/$header"
done
exec cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr \
    --suppress=missingIncludeSystem "--suppress=*:$include/*" --error-exitcode=1 \
    -j "$(nproc 2>/dev/null || echo 2)" --cppcheck-build-dir=build/cppcheck -I$include -I. -D_GNU_SOURCE "$@"
