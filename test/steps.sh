# SPDX-License-Identifier: Apache-2.0
# Sourced by check.sh and .ci/run: steps with times, and their results in one sum.
#   step NAME COMMAND...   runs it; a step that reports numbers of its own (SKR_RESULTS) counts as
#                          those, another one as one test
#   steps_of NAME COMMAND...  runs a command that is made of steps itself and counts what it counted
#   step_beside NAME COMMAND...  begins a step that goes on beside those that follow
#   step_join              waits for all of those and reports them
#   step_skip NAME WHY
#   steps_end              the closing line; its status is the sum's
# The output of a step is shown when it fails, or always with VERBOSE=1; what it calls UNSTEADY is always shown.

steps_dir=$(mktemp -d)
trap 'rm -rf "$steps_dir"' EXIT
steps_passed=0
steps_failed=0
steps_skipped=''
steps_beside=0
steps_begin=$(date +%s)

# step_run FOLDER COMMAND...: leaves output, results, status and the time it took there
step_run() {
    step_folder=$1
    shift
    mkdir -p "$step_folder"
    step_begin=$(date +%s)
    : >"$step_folder/results"
    if SKR_RESULTS=$step_folder/results "$@" >"$step_folder/output" 2>&1 </dev/null; then
        echo 0 >"$step_folder/code"
    else
        echo $? >"$step_folder/code"
    fi
    echo $(($(date +%s) - step_begin)) >"$step_folder/seconds"
}

# step_report FOLDER NAME
step_report() {
    step_code=$(cat "$1/code" 2>/dev/null || echo 1)
    step_p=$(awk '{ n += $1 } END { print n + 0 }' "$1/results")
    step_f=$(awk '{ n += $2 } END { print n + 0 }' "$1/results")
    if [ ! -s "$1/results" ] && [ "$step_code" = 0 ]; then
        step_p=1
    fi
    # Something besides its tests went wrong: did not build, crashed.
    if [ "$step_code" != 0 ] && [ "$step_f" = 0 ]; then
        step_f=1
    fi
    if [ "$step_f" != 0 ] || [ "${VERBOSE:-}" = 1 ]; then
        sed 's/^/    /' "$1/output" | tail -n "${STEP_LINES:-400}"
    else
        sed -n 's/^UNSTEADY/    &/p' "$1/output"
    fi
    printf '%-34s %5d passed %3d failed  %5d s\n' "$2" "$step_p" "$step_f" "$(cat "$1/seconds" 2>/dev/null || echo 0)"
    steps_passed=$((steps_passed + step_p))
    steps_failed=$((steps_failed + step_f))
}

step() {
    step_name=$1
    shift
    step_run "$steps_dir/step" "$@"
    step_report "$steps_dir/step" "$step_name"
}

step_beside() {
    steps_beside=$((steps_beside + 1))
    step_folder=$steps_dir/beside-$steps_beside
    mkdir -p "$step_folder"
    echo "$1" >"$step_folder/name"
    : >"$step_folder/results"
    shift
    step_run "$step_folder" "$@" &
    echo $! >"$step_folder/pid"
}

step_join() {
    step_n=0
    while [ $step_n -lt $steps_beside ]; do
        step_n=$((step_n + 1))
        step_folder=$steps_dir/beside-$step_n
        wait "$(cat "$step_folder/pid")"
        step_report "$step_folder" "$(cat "$step_folder/name")"
    done
    steps_beside=0
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
