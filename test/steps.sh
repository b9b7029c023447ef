# SPDX-License-Identifier: Apache-2.0
# Sourced by check.sh and .ci/run: steps with times, those of the clock and of the processors, and their results
# in one sum.
#   step NAME COMMAND...   runs it; a step that reports numbers of its own (SKR_RESULTS) counts as
#                          those, another one as one test
#   steps_of NAME COMMAND...  runs a command that is made of steps itself and counts what it counted
#   step_beside NAME COMMAND...  begins a step that goes on beside those that follow
#   step_join              waits for all of those and reports them
#   step_skip NAME WHY
#   steps_end              what failed, by name, and the closing line; its status is the sum's
# The output of a step is shown when it fails, or always with VERBOSE=1; what it calls UNSTEADY is always shown.

steps_dir=$(mktemp -d)
trap 'rm -rf "$steps_dir"' EXIT
steps_passed=0
steps_failed=0
steps_skipped=''
steps_beside=0
steps_cpu=0
steps_begin=$(date +%s)
export STEPS_NAMES="${STEPS_NAMES:-$steps_dir/names}" # of those that run others, in one place

# step_timed RESULTS FILE COMMAND...: runs it with SKR_RESULTS, leaves what `times` says in the file
step_timed() (
    export SKR_RESULTS="$1"
    step_file=$2
    shift 2
    "$@"
    step_code=$?
    times >"$step_file" # not in a pipeline: that would be a shell with other children
    exit $step_code
)

# step_run FOLDER COMMAND...: leaves output, results, status and the times it took there
step_run() {
    step_folder=$1
    shift
    mkdir -p "$step_folder"
    step_begin=$(date +%s)
    : >"$step_folder/results"
    step_timed "$step_folder/results" "$step_folder/cpu" "$@" >"$step_folder/output" 2>&1 </dev/null
    echo $? >"$step_folder/code"
    echo $(($(date +%s) - step_begin)) >"$step_folder/seconds"
}

# step_seconds FILE: user and system time of the children in what step_timed left
step_seconds() {
    cat "$1" 2>/dev/null | awk 'NR == 2 { gsub(/[ms]/, " "); n = int($1 * 60 + $2 + $3 * 60 + $4 + 0.5) } END { print n + 0 }'
}

# step_names OUTPUT NAME: keeps the names of what failed for the end, a line each
step_names() {
    [ "$step_f" = 0 ] || {
        echo "failed: $2"
        sed -nE '/^ *(FAILED: |--- DIFFER: |\[  FAILED  \] [a-z])/p' "$1" | awk '!seen[$0]++' | head -n 80
    } >>"$STEPS_NAMES"
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
        step_names "$1/output" "$2"
    else
        sed -n 's/^UNSTEADY/    &/p' "$1/output"
    fi
    step_line "$2" "$(cat "$1/seconds" 2>/dev/null || echo 0)" "$(step_seconds "$1/cpu")"
}

# step_line NAME SECONDS CPU: what was counted, shown and added
step_line() {
    printf '%-34s %5d passed %3d failed  %5d s %5d s of CPU\n' "$1" "$step_p" "$step_f" "$2" "$3"
    steps_passed=$((steps_passed + step_p))
    steps_failed=$((steps_failed + step_f))
    steps_cpu=$((steps_cpu + $3))
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
    step_timed "$steps_dir/results" "$steps_dir/cpu" "$@" </dev/null
    step_code=$?
    step_p=$(awk '{ n += $1 } END { print n + 0 }' "$steps_dir/results")
    step_f=$(awk '{ n += $2 } END { print n + 0 }' "$steps_dir/results")
    if [ $step_code != 0 ] && [ "$step_f" = 0 ]; then
        step_f=1
    fi
    step_line "$step_name" "$(($(date +%s) - step_begin))" "$(step_seconds "$steps_dir/cpu")"
}

step_skip() {
    printf '%-34s skipped: %s\n' "$1" "$2"
    steps_skipped="$steps_skipped $1"
}

steps_end() {
    [ ! -s "$steps_dir/names" ] || cat "$steps_dir/names" # of a whole run
    echo "$(($(date +%s) - steps_begin)) s, $steps_cpu s of CPU${steps_skipped:+, skipped:$steps_skipped}"
    [ -z "${SKR_RESULTS:-}" ] || echo "$steps_passed $steps_failed" >>"$SKR_RESULTS"
    echo "$steps_passed passed, $steps_failed failed"
    [ "$steps_failed" = 0 ]
}
