# SPDX-License-Identifier: Apache-2.0
# Sourced by check.sh and .ci/run: steps with times, and their results in one sum.
#   step NAME COMMAND...   runs it; a step that reports numbers of its own (SKR_RESULTS) counts as
#                          those, another one as one test
#   steps_of NAME COMMAND...  runs a command that is made of steps itself and counts what it counted
#   step_skip NAME WHY
#   steps_end              the closing line; its status is the sum's
# The output of a step is shown when it fails, or always with VERBOSE=1.

steps_dir=$(mktemp -d)
trap 'rm -rf "$steps_dir"' EXIT
steps_passed=0
steps_failed=0
steps_skipped=''
steps_begin=$(date +%s)

step() {
    step_name=$1
    shift
    step_begin=$(date +%s)
    : >"$steps_dir/results"
    if SKR_RESULTS=$steps_dir/results "$@" >"$steps_dir/output" 2>&1 </dev/null; then
        step_code=0
    else
        step_code=$?
    fi
    step_p=$(awk '{ n += $1 } END { print n + 0 }' "$steps_dir/results")
    step_f=$(awk '{ n += $2 } END { print n + 0 }' "$steps_dir/results")
    if [ ! -s "$steps_dir/results" ] && [ $step_code = 0 ]; then
        step_p=1
    fi
    # Something besides its tests went wrong: did not build, crashed.
    if [ $step_code != 0 ] && [ "$step_f" = 0 ]; then
        step_f=1
    fi
    if [ "$step_f" != 0 ] || [ "${VERBOSE:-}" = 1 ]; then
        sed 's/^/    /' "$steps_dir/output" | tail -n "${STEP_LINES:-400}"
    fi
    printf '%-34s %5d passed %3d failed  %5d s\n' "$step_name" "$step_p" "$step_f" "$(($(date +%s) - step_begin))"
    steps_passed=$((steps_passed + step_p))
    steps_failed=$((steps_failed + step_f))
}

# A command made of steps: its lines are shown as they come.
steps_of() {
    step_name=$1
    shift
    step_begin=$(date +%s)
    : >"$steps_dir/results"
    SKR_RESULTS=$steps_dir/results "$@" </dev/null
    step_code=$?
    step_p=$(awk '{ n += $1 } END { print n + 0 }' "$steps_dir/results")
    step_f=$(awk '{ n += $2 } END { print n + 0 }' "$steps_dir/results")
    if [ $step_code != 0 ] && [ "$step_f" = 0 ]; then
        step_f=1
    fi
    printf '%-34s %5d passed %3d failed  %5d s\n' "$step_name" "$step_p" "$step_f" "$(($(date +%s) - step_begin))"
    steps_passed=$((steps_passed + step_p))
    steps_failed=$((steps_failed + step_f))
}

step_skip() {
    printf '%-34s skipped: %s\n' "$1" "$2"
    steps_skipped="$steps_skipped $1"
}

steps_end() {
    echo "$(($(date +%s) - steps_begin)) s${steps_skipped:+, skipped:$steps_skipped}"
    [ -z "${SKR_RESULTS:-}" ] || echo "$steps_passed $steps_failed" >>"$SKR_RESULTS"
    echo "$steps_passed passed, $steps_failed failed"
    [ "$steps_failed" = 0 ]
}
