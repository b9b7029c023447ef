#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compares what the scenarios left behind on the real control plane and on the sandbox, after both have run:
#   agree.sh
# The last line counts the scenarios that agree, and those that do not.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
states=$(cd "$here/../../build/e2e" && pwd)
cd "$here/suite"
exec go run ./agree "$states/real" "$states/sandbox"
