#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# seeds.sh NAME: the folders whose files fuzz_NAME starts from: its corpus, and the cases of the command
# that reads such files.
here=$(cd "$(dirname "$0")" && pwd)
[ ! -d "$here/corpus/$1" ] || echo "$here/corpus/$1"
case $1 in
binding) echo "$here/../bindings" ;;
manifest) echo "$here/../simulate" ;;
lint | placement | solve | views) echo "$here/../$1" ;;
esac
