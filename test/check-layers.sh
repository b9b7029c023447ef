#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Proves the layers: server -> core -> topology, the order of the folders in core and in server, and that topology and
# core are pure. Two ways, so that neither a header nor a declaration by hand slips through:
#   sources  what is included and which names are called, comments and strings taken out
#   objects  which symbols are wanted from outside, and that there is no writable data
# check-layers.sh             the tree (objects in build/obj, made by `make objects`)
# check-layers.sh --planted   plants one violation of each rule and expects it to be found
set -eu

# What pure code may include besides its own layers.
pure_headers='assert.h ctype.h errno.h inttypes.h limits.h stdalign.h stdarg.h stdatomic.h stdbool.h
    stddef.h stdint.h stdio.h stdlib.h string.h jansson.h utarray.h uthash.h utlist.h'

# Calls that no pure code makes: files, output, sockets, processes, clocks, threads, environment,
# randomness, locale.
# (Names that functions of ours may have too, such as send, are left to the objects.)
impure='printf|fprintf|vprintf|vfprintf|dprintf|puts|fputs|putchar|fopen|fdopen|freopen|fread|fwrite'
impure="$impure|fgets|fclose|mmap|scanf|fscanf|perror|tmpfile|socket|epoll_[a-z0-9_]+|fork|execv[a-z]*|system|popen"
impure="$impure|time|clock|clock_gettime|gettimeofday|localtime|localtime_r|mktime|tzset|sleep|usleep|nanosleep"
impure="$impure|pthread_[a-z_]+|thrd_[a-z_]+|mtx_[a-z_]+|getenv|setenv|secure_getenv|getpid|gethostname"
impure="$impure|rand|srand|rand_r|random|srandom|drand48|getrandom|arc4random[a-z_]*|setlocale|localeconv"
impure="$impure|sigaction|exit|_exit|atexit|json_load_file|json_loadf|json_loadfd|json_dump_file|json_dumpf|json_dumpfd"
# Calls that nobody makes.
banned='strcpy|strcat|strncat|sprintf|vsprintf|gets|atoi|atol|atoll|atof|strtok|alloca|asctime|ctime'

# Symbols that pure objects may want from the C library and the compiler. fprintf, fwrite and stderr are
# those of skr_bug_on() and of last words before abort(), exit and __assert_fail those of uthash and
# utlist; the source check allows them nowhere else.
pure_symbols='memchr|memcmp|memcpy|memmove|memset|memrchr|strchr|strchrnul|strcmp|strcspn|strlen|strncmp'
pure_symbols="$pure_symbols|strnlen|strpbrk|strrchr|strspn|strstr|strcasecmp|strncasecmp|strdup|strndup|malloc|calloc|realloc|free"
pure_symbols="$pure_symbols|abort|qsort|bsearch|snprintf|vsnprintf|strtol|strtoll|strtoul|strtoull|strtod|fprintf|fwrite|stderr|exit|__assert_fail"
pure_symbols="$pure_symbols|__ctype_b_loc|__ctype_tolower_loc|__ctype_toupper_loc|__errno_location|tolower|toupper"
pure_symbols="$pure_symbols|__stack_chk_fail|_GLOBAL_OFFSET_TABLE_|__u?(div|mod)ti3|__isoc99_sscanf|__isoc23_strto[a-z]+|json_[a-z0-9_]+|jansson_[a-z_]+|timegm|gmtime_r"

# What each folder of server may include of server, besides itself and the root's files. What runs on a cluster
# (daemon, http, kube, client, lint) never includes the simulated one (model, sandbox).
server_folder() {
    case $1 in
    object) echo ;;
    render) echo object ;;
    manifest) echo object ;;
    config) echo object manifest ;;
    kube | http | model) echo object manifest config ;;
    daemon | client | lint) echo object render manifest config kube http ;;
    simulate | sandbox | solve) echo object render manifest config kube http model ;;
    cli) echo object render manifest config kube http daemon client lint simulate sandbox solve ;;
    *) echo unknown ;;
    esac
}

# What each folder of core may include of core, besides itself. Schedulers know nothing of each other; the
# table of them all is in the root. Pods and groups lean on each other, so does the group on what a rule is.
core_folder() {
    case $1 in
    root) echo frame gang spotmix placement propagation ;;
    frame | solver) echo ;;
    pod) echo group ;;
    group) echo pod solver ;;
    gang | spotmix | placement | propagation) echo frame solver group pod ;;
    *) echo unknown ;;
    esac
}

# Prints the file without comments, string and character literals; lines stay lines.
bare() {
    awk '
    BEGIN { state = "code" }
    {
        out = ""
        n = length($0)
        if (state == "line") state = "code"
        for (i = 1; i <= n; i++) {
            c = substr($0, i, 1)
            two = substr($0, i, 2)
            if (state == "code") {
                if (two == "/*") { state = "block"; i++; out = out " " }
                else if (two == "//") { state = "line" }
                else if (c == "\"" && $0 !~ /^[ \t]*#[ \t]*include/) { state = "string" }
                else if (c == "\047") { state = "char" }
                else out = out c
            } else if (state == "block") {
                if (two == "*/") { state = "code"; i++ }
            } else if (state == "string") {
                if (c == "\\") i++
                else if (c == "\"") { state = "code"; out = out "\"\"" }
            } else if (state == "char") {
                if (c == "\\") i++
                else if (c == "\047") state = "code"
            }
        }
        print out
    }' "$1"
}

# check_sources LAYER ALLOWED-PREFIXES
check_sources() {
    layer=$1
    allowed=$2
    find "$layer" -name '*.[ch]' | sort | while read -r file; do
        bare "$file" >"$scratch/bare"
        grep -nE '^[[:space:]]*#[[:space:]]*include' "$scratch/bare" | while read -r line; do
            number=${line%%:*}
            target=$(printf '%s\n' "$line" | sed -E 's/.*include[[:space:]]*[<"]([^>"]*)[>"].*/\1/')
            case $line in
            *\"*)
                fine=no
                for prefix in $allowed; do
                    case $target in "$prefix"/*) fine=yes ;; esac
                done
                ;;
            *)
                fine=yes
                if [ "$layer" != server ]; then
                    case " $(echo $pure_headers) " in *" $target "*) ;; *) fine=no ;; esac
                    # The calendar of the C library, which is pure.
                    [ "$file:$target" != topology/base/time.c:time.h ] || fine=yes
                fi
                ;;
            esac
            [ $fine = yes ] || echo "$file:$number: $layer may not include $target"
            case $file,$target in
            server/main.c,*) ;;
            server/*,server/*/* | core/*,core/*/*)
                from=${file#*/}
                to=${target#*/}
                to=${to%%/*}
                case $layer:$from in
                core:*/*) from=${from%/*} allowed_here=$(core_folder "${from%%/*}") ;;
                core:*) from=root allowed_here=$(core_folder root) ;;
                server:*/*) from=${from%/*} allowed_here=$(server_folder "$from") ;;
                *) from=root allowed_here= ;;
                esac
                case " $from $allowed_here " in
                *" $to "*) ;;
                *) echo "$file:$number: $layer/$from may not include $target" ;;
                esac
                ;;
            esac
        done
        if [ "$layer" != server ] && [ "$file" != topology/base/attr.h ]; then
            awk '{ if (NR > 1) print ($0 ~ /abort\(\);|skr_bug_on\(true\);/ && last ~ /fprintf\(stderr/) ? "" : last; last = $0 }
                END { print last }' "$scratch/bare" |
                grep -nE "(^|[^A-Za-z0-9_.>])($impure)[[:space:]]*\(" |
                sed -E "s|^([0-9]+):[[:space:]]*(.*)|$file:\1: $layer is pure: \2|"
        fi
        grep -nE "(^|[^A-Za-z0-9_.>])($banned)[[:space:]]*\(" "$scratch/bare" |
            sed -E "s|^([0-9]+):[[:space:]]*(.*)|$file:\1: banned call: \2|"
        true
    done
}

# Writable data that is never written: the end of string buffers that have no memory yet.
never_written='topology/base/strbuf.o: topology has writable data: empty'

# check_objects LAYER OBJECTS-BELOW LAYERS-IT-MAY-USE
check_objects() {
    layer=$1
    below=$2
    for l in $3; do
        find "$below/$l" -name '*.o' -exec nm -g --defined-only {} + 2>/dev/null | awk 'NF == 3 { print $3 }'
    done | sort -u >"$scratch/defined"
    find "$below/$layer" -name '*.o' | sort | while read -r object; do
        # Objects of sources that are gone prove nothing.
        [ -e "${object#"$below"/}" ] || [ -e "$(echo "${object#"$below"/}" | sed 's/\.o$/.c/')" ] || continue
        nm -u "$object" | awk '{ print $NF }' | sort -u | grep -vxFf "$scratch/defined" |
            grep -vxE "($pure_symbols)(@.*)?" | grep -vE '^__(asan|ubsan|tsan|sanitizer)_' |
            sed "s|^|$object: $layer wants |"
        objdump -t "$object" | awk -v object="$object" -v layer="$layer" '
            NF >= 5 { section = $(NF - 2); size = $(NF - 1) }
            NF >= 5 && section ~ /^\.t?(data|bss)(\.|$)/ && section !~ /^\.data\.rel\.ro/ && size !~ /^0+$/ {
                print object ": " layer " has writable data: " $NF
            }' | grep -vF "$never_written" || true
    done
}

check() { # check OBJECTS-BELOW: prints what is wrong in the tree of the current folder
    {
        check_sources topology 'topology'
        check_sources core 'core topology'
        check_sources server 'server core topology'
        check_objects topology "$1" 'topology'
        check_objects core "$1" 'core topology'
    } >"$scratch/found"
    [ ! -s "$scratch/found" ]
}

# plant LAYER/FILE TEXT EXPECTED: a tree of its own that differs by one violation
plant() {
    rm -rf "$scratch/tree"
    mkdir -p "$scratch/tree/topology" "$scratch/tree/core" "$scratch/tree/server" "$scratch/tree/build"
    mkdir -p "$scratch/tree/server/http" "$scratch/tree/server/object"
    printf '#include "server/object/o.h"\n#include "server/s.h"\n' >"$scratch/tree/server/http/h.h"
    printf 'int skr_o(void);\n' >"$scratch/tree/server/object/o.h"
    printf 'int skr_t(void);\n' >"$scratch/tree/topology/t.h"
    printf 'int skr_c(void);\n' >"$scratch/tree/core/c.h"
    printf 'int skr_s(void);\n' >"$scratch/tree/server/s.h"
    printf '#include <string.h>\n#include "topology/t.h"\n/* time(0); */\nint skr_t(void) { return (int)strlen("time(0)"); }\n' \
        >"$scratch/tree/topology/t.c"
    printf '#include "core/c.h"\n#include "topology/t.h"\nstatic const char *const names[] = {"a"};\nint skr_c(void) { return skr_t() + names[0][0]; }\n' \
        >"$scratch/tree/core/c.c"
    printf '#include <time.h>\n#include "core/c.h"\nint skr_s(void) { return skr_c() + (int)time(0); }\n' \
        >"$scratch/tree/server/s.c"
    [ -z "$1" ] || mkdir -p "$scratch/tree/${1%/*}"
    [ -z "$1" ] || printf '%b' "$2" >"$scratch/tree/$1"
    (
        cd "$scratch/tree"
        for source in topology/*.c core/*.c server/*.c; do
            mkdir -p "build/${source%/*}"
            cc -std=c17 -D_GNU_SOURCE -w -I. -c -o "build/${source%.c}.o" "$source"
        done
        check build
    ) && result=clean || result=$(cat "$scratch/found")
    case $result in
    *"$3"*) planted_passed=$((planted_passed + 1)) ;;
    *)
        echo "planted in $1, expected: $3" >&2
        echo "found: $result" >&2
        planted_failed=$((planted_failed + 1))
        ;;
    esac
}

plant_all() {
    planted_passed=0
    planted_failed=0
    plant '' '' clean
    plant core/x.c '#include "server/s.h"\nint x;' 'core/x.c:1: core may not include server/s.h'
    plant topology/x.c '#include "core/c.h"\nint skr_x(void) { return 0; }' 'topology may not include core/c.h'
    plant topology/x.h '#  include "server/s.h"\n' 'topology may not include server/s.h'
    plant core/x.c '#include <pthread.h>\n' 'core may not include pthread.h'
    plant core/x.c '#include <time.h>\n' 'core may not include time.h'
    plant server/x.c '#include "test/x.h"\n' 'server may not include test/x.h' 2>/dev/null || true
    plant core/x.c '#include <stdio.h>\nvoid skr_x(void) { printf("a"); }' 'core/x.c:2: core is pure: void skr_x(void) { printf("");'
    plant core/x.c '#include <stdlib.h>\nchar *skr_x(void) { return getenv ("a"); }' 'core is pure'
    plant topology/x.c 'long time(long *);\nlong skr_x(void) { long (*f)(long *) = time; return f(0); }' 'topology wants time'
    plant topology/x.c 'int skr_s(void);\nint skr_x(void) { return skr_s(); }' 'topology wants skr_s'
    plant core/x.c 'int skr_x(void) { static int n; return n++; }' 'core has writable data: n'
    plant topology/x.c 'int skr_n = 5;' 'topology has writable data: skr_n'
    plant core/frame/x.c '#include "core/gang/x.h"\n' 'core/frame may not include core/gang/x.h'
    plant core/solver/x.h '#include "core/frame/x.h"\n' 'core/solver may not include core/frame/x.h'
    plant core/pod/x.h '#include "core/frame/x.h"\n' 'core/pod may not include core/frame/x.h'
    plant core/group/x.h '#include "core/gang/x.h"\n' 'core/group may not include core/gang/x.h'
    for folder in spotmix placement propagation; do
        plant "core/$folder/x.c" '#include "core/gang/x.h"\n' "core/$folder may not include core/gang/x.h"
        plant core/gang/x.c "#include \"core/$folder/x.h\"\n" "core/gang may not include core/$folder/x.h"
    done
    plant core/x.h '#include "core/solver/x.h"\n' 'core/root may not include core/solver/x.h'
    plant server/http/x.c '#include "server/sandbox/x.h"\n' 'server/http may not include server/sandbox/x.h'
    plant server/object/x.h '#include "server/http/h.h"\n' 'server/object may not include server/http/h.h'
    plant server/x.h '#include "server/object/o.h"\n' 'server/root may not include server/object/o.h'
    for folder in daemon kube client lint; do
        plant "server/$folder/x.c" '#include "server/model/x.h"\n' "server/$folder may not include server/model/x.h"
    done
    plant server/x.c '#include <string.h>\nvoid skr_x(char *a) { strcpy(a, ""); }' 'banned call'
    echo "layers, planted violations: $planted_passed passed, $planted_failed failed"
    [ $planted_failed = 0 ]
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if [ "${1:-}" = --planted ]; then
    plant_all
    exit
fi
cd "$(dirname "$0")/.."
if ! check build/obj; then
    cat "$scratch/found"
    exit 1
fi
echo "layers: server -> core -> topology holds, topology and core are pure"
