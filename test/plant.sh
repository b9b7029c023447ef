# SPDX-License-Identifier: Apache-2.0
# Sourced by check-layers.sh and check-circles.sh: small trees with one violation each, which their check() has to find.
# It prints into $scratch/found what is wrong in the tree of the current folder, whose objects are in build/.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
planted_passed=0
planted_failed=0

# plant_begin FOLDER...: an empty tree, which is then the current folder
plant_begin() {
    cd "$scratch"
    rm -rf tree
    mkdir tree
    cd tree
    mkdir -p build "$@"
}

# plant_judge WHERE EXPECTED: compiles and checks. An object is made again when its source is another one than it was.
plant_judge() {
    for source in topology/*.c core/*.c server/*.c; do
        [ -e "$source" ] || continue
        kept=$scratch/kept/$source
        mkdir -p "build/${source%/*}" "${kept%/*}"
        if ! cmp -s "$source" "$kept"; then
            cc -std=c17 -D_GNU_SOURCE -w -I. -c -o "$kept.o" "$source"
            cp "$source" "$kept"
        fi
        cp "$kept.o" "build/${source%.c}.o"
    done
    check build && result=clean || result=$(cat "$scratch/found")
    case $result in
    *"$2"*) planted_passed=$((planted_passed + 1)) ;;
    *)
        printf '%s\n' "planted in $1, expected: $2" "found: $result" >&2
        planted_failed=$((planted_failed + 1))
        ;;
    esac
}

plant_end() { # WHAT
    echo "$1, planted violations: $planted_passed passed, $planted_failed failed"
    [ $planted_failed = 0 ]
}

# check_tree SAY: of the tree this file is in
check_tree() {
    cd "$(dirname "$0")/.."
    if ! check build/obj; then
        cat "$scratch/found"
        exit 1
    fi
    echo "$1"
}
