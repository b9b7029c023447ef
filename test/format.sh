#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# format.sh fix|check FILE...: clang-format 14, the version whose output the sources have.
set -eu
mode=$1
shift
tool=
for candidate in clang-format-14 clang-format; do
    if command -v "$candidate" >/dev/null 2>&1 && "$candidate" --version | grep -q 'version 14\.'; then
        tool=$candidate
        break
    fi
done
if [ -z "$tool" ]; then
    echo "clang-format 14 is not here: format is not checked"
    [ "$mode" = check ]
    exit
fi
if [ "$mode" = fix ]; then
    exec "$tool" -i "$@"
fi
exec "$tool" --dry-run -Werror "$@"
