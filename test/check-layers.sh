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
pure_symbols='memchr|memmem|memcmp|memcpy|memmove|memset|memrchr|strchr|strchrnul|strcmp|strcspn|strlen|strncmp'
pure_symbols="$pure_symbols|strnlen|strpbrk|strrchr|strspn|strstr|strcasecmp|strncasecmp|strdup|strndup|malloc|calloc|realloc|free"
pure_symbols="$pure_symbols|abort|qsort|bsearch|snprintf|vsnprintf|strtol|strtoll|strtoul|strtoull|strtod|fprintf|fwrite|stderr|exit|__assert_fail"
pure_symbols="$pure_symbols|__ctype_b_loc|__ctype_tolower_loc|__ctype_toupper_loc|__errno_location|tolower|toupper"
pure_symbols="$pure_symbols|__stack_chk_fail|_GLOBAL_OFFSET_TABLE_|__u?(div|mod)ti3|__u?divmodti4|__isoc99_sscanf|__isoc23_strto[a-z]+|json_[a-z0-9_]+|jansson_[a-z_]+|timegm|gmtime_r"

# What each folder may include of its own layer, besides itself. Of server also the root's files: what runs on a cluster
# (daemon, http, kube, client, lint) never includes the simulated one (lab). A folder that is named stands for its own folders,
# too; those of lab have an order among themselves. In core schedulers know nothing of each other; the table of them all is in
# the root. Pods and groups lean on each other, so does the group on what a rule is.
folders='
server/root:
server/object:
server/render: object
server/manifest: object
server/config: object manifest
server/kube: object manifest config
server/ui:
server/http: object manifest config ui
server/daemon: object render manifest config kube http
server/client: object render manifest config kube http
server/lint: object render manifest config kube http
server/lab/store: object manifest config
server/lab/cluster: object manifest config lab/store
server/lab/scheduler: object manifest config lab/store
server/lab/driver: object manifest config kube lab/store lab/cluster lab/scheduler
server/lab/report: object render manifest config lab/store lab/scheduler lab/driver
server/lab/replay: object render
server/lab/simulate: object render manifest config kube ui lab/store lab/cluster lab/scheduler lab/driver lab/report lab/replay
server/lab/sandbox: object render manifest config kube http lab/store lab/cluster lab/scheduler
server/solve: object render manifest config kube http
server/cli: object render manifest config kube http daemon client lint lab/simulate lab/sandbox solve
core/root: frame gang spotmix placement propagation
core/time: solver pod
core/frame:
core/cel:
core/devices: cel
core/solver:
core/pod: group
core/group: pod solver
core/volume: pod solver
core/spotmix: frame solver group pod
core/placement: frame solver group pod cel
core/propagation: frame solver group pod
'
# The folders of the gang scheduler, lowest first: each may include those before it, the files of the room itself all.
before=
for folder in state cache group problem plan report changes preempt restore planning bind explain time admission view; do
    folders="$folders
core/gang/$folder: frame solver group pod time volume cel devices $before"
    before="$before gang/$folder"
done
folders="$folders
core/gang: frame solver group pod time volume $before
"

# check_sources LAYER ALLOWED-PREFIXES: one pass over all files, without comments, strings and characters
check_sources() {
    find "$1" -name '*.[ch]' | sort | xargs awk -v layer="$1" -v prefixes="$2" -v folders="$folders" \
        -v headers="$pure_headers" -v impure="(^|[^A-Za-z0-9_.>])($impure)[ \t]*\\(" \
        -v banned="(^|[^A-Za-z0-9_.>])($banned)[ \t]*\\(" '
    BEGIN {
        n = split(folders, line, "\n")
        for (i = 1; i <= n; i++) {
            folder = line[i]
            sub(/:.*/, "", folder)
            m = split(substr(line[i], length(folder) + 2), word, " ")
            known[folder] = 1
            for (k = 1; k <= m; k++) may[folder, word[k]] = 1
        }
        n = split(headers, word, /[ \n]+/)
        for (i = 1; i <= n; i++) pure[word[i]] = 1
        n = split(prefixes, word, " ")
        for (i = 1; i <= n; i++) below[word[i]] = 1
    }
    # The line without comments, string and character literals; state: what it begins inside of.
    function bare(text, out, at, c) {
        if (state == "" && text !~ /["\047]|\/[*\/]/) return text
        out = ""
        while (text != "") {
            if (state == "block") {
                at = index(text, "*/")
                if (!at) return out
                text = substr(text, at + 2)
                state = ""
                continue
            }
            if (state != "") {
                c = substr(text, 1, 1)
                if (c == "\\") text = substr(text, 3)
                else {
                    text = substr(text, 2)
                    if (c == state) {
                        out = out (c == "\"" ? "\"\"" : "")
                        state = ""
                    }
                }
                continue
            }
            if (!match(text, /["\047]|\/[*\/]/)) return out text
            out = out substr(text, 1, RSTART - 1)
            c = substr(text, RSTART, RLENGTH)
            text = substr(text, RSTART + RLENGTH)
            if (c == "//") return out
            if (c == "/*") { state = "block"; out = out " " }
            else state = c
        }
        return out
    }
    function say(what) { printf "%s:%d: %s\n", FILENAME, FNR, what }
    # The folder below the layer: "http", "lab/store", "root".
    function folder_of(file, path, n) {
        n = split(file, path, "/")
        return n < 3 ? "root" : n == 3 ? path[2] : path[2] "/" path[3]
    }
    function judge(target, first, from, to, path, n) {
        n = split(target, path, "/")
        first = n > 1 ? path[1] : ""
        if ($0 ~ /include[ \t]*"/ ? !(first in below) : layer != "server" && !(target in pure)) {
            # The calendar of the C library, which is pure.
            if (FILENAME ":" target != "topology/base/time.c:time.h") say(layer " may not include " target)
        }
        if (FILENAME == "server/main.c" || n < 3 || first != layer || layer == "topology") return
        to = folder_of(target)
        from = folder_of(FILENAME)
        if (from != to && !((layer "/" from, to) in may) && !((layer "/" from, path[2]) in may)) {
            say(layer "/" from " may not include " target)
        }
    }
    FNR == 1 { state = ""; words = 0 }
    state == "" && /^[ \t]*#[ \t]*include/ {
        target = $0
        sub(/.*include[ \t]*[<"]/, "", target)
        sub(/[>"].*/, "", target)
        judge(target)
        words = 0
        next
    }
    {
        text = bare($0)
        if (layer != "server" && FILENAME != "topology/base/attr.h") {
            # Last words before an abort are no output.
            if (held != "" && (FNR == 1 || text !~ /abort\(\);|skr_bug_on\(true\);/)) print held
            held = ""
            if (text ~ impure) {
                shown = text
                sub(/^[ \t]*/, "", shown)
                shown = FILENAME ":" FNR ": " layer " is pure: " shown
                if (text ~ /fprintf\(stderr/) held = shown
                else print shown
            }
        }
        if (text ~ banned) {
            sub(/^[ \t]*/, "", text)
            say("banned call: " text)
        }
    }
    END { if (held != "") print held }'
}

# Writable data that is never written: the end of string buffers that have no memory yet.
never_written='topology/base/strbuf.o: topology has writable data: empty'

# check_objects LAYER OBJECTS-BELOW LAYERS-IT-MAY-USE
check_objects() {
    # Objects of sources that are gone prove nothing.
    find "$1" -name '*.c' | sort | sed "s|^\(.*\)\.c$|$2/\1.o|" | while read -r object; do
        [ ! -e "$object" ] || echo "$object"
    done >"$scratch/objects"
    for l in $3; do
        find "$2/$l" -name '*.o' -exec nm -g --defined-only {} + 2>/dev/null | awk 'NF == 3 { print $3 }'
    done | sort -u >"$scratch/defined"
    xargs nm -uA <"$scratch/objects" | sed -E 's/^([^:]*): +[Uw] /\1 /' |
        awk -v layer="$1" -v pure="^($pure_symbols)(@.*)?$" '
            NR == FNR { defined[$1] = 1; next }
            !($2 in defined) && $2 !~ pure && $2 !~ /^__(asan|ubsan|tsan|sanitizer)_/ { print $1 ": " layer " wants " $2 }
        ' "$scratch/defined" -
    xargs objdump -t <"$scratch/objects" | awk -v layer="$1" '
        /: +file format / { object = $1 }
        NF >= 5 { section = $(NF - 2); size = $(NF - 1) }
        NF >= 5 && section ~ /^\.t?(data|bss)(\.|$)/ && section !~ /^\.data\.rel\.ro/ && size !~ /^0+$/ {
            print object " " layer " has writable data: " $NF
        }' | grep -vF "$never_written" || true
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
    plant_begin topology core server/http server/object
    printf '#include "server/object/o.h"\n#include "server/s.h"\n' >server/http/h.h
    echo 'int skr_o(void);' >server/object/o.h
    echo 'int skr_t(void);' >topology/t.h
    echo 'int skr_c(void);' >core/c.h
    echo 'int skr_s(void);' >server/s.h
    printf '#include <string.h>\n#include "topology/t.h"\n/* time(0); */\nint skr_t(void) { return (int)strlen("time(0)"); }\n' \
        >topology/t.c
    printf '#include "core/c.h"\n#include "topology/t.h"\nstatic const char *const names[] = {"a"};\nint skr_c(void) { return skr_t() + names[0][0]; }\n' \
        >core/c.c
    printf '#include <time.h>\n#include "core/c.h"\nint skr_s(void) { return skr_c() + (int)time(0); }\n' >server/s.c
    if [ -n "$1" ]; then
        mkdir -p "${1%/*}"
        printf '%b' "$2" >"$1"
    fi
    plant_judge "$1" "$3"
}

plant_all() {
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
    plant core/gang/cache/x.c '#include "core/gang/plan/x.h"\n' 'core/gang/cache may not include core/gang/plan/x.h'
    plant core/gang/view/x.c '#include "core/gang/scheduler.h"\n' 'core/gang/view may not include core/gang/scheduler.h'
    plant core/gang/odd/x.c '#include "core/gang/plan/x.h"\n' 'core/gang/odd may not include core/gang/plan/x.h'
    plant core/x.h '#include "core/solver/x.h"\n' 'core/root may not include core/solver/x.h'
    plant server/http/x.c '#include "server/lab/sandbox/x.h"\n' 'server/http may not include server/lab/sandbox/x.h'
    plant server/lab/store/x.c '#include "server/lab/cluster/x.h"\n' 'server/lab/store may not include server/lab/cluster/x.h'
    plant server/lab/report/x.h '#include "server/lab/sandbox/x.h"\n' 'server/lab/report may not include server/lab/sandbox/x.h'
    plant server/object/x.h '#include "server/http/h.h"\n' 'server/object may not include server/http/h.h'
    plant server/x.h '#include "server/object/o.h"\n' 'server/root may not include server/object/o.h'
    for folder in daemon kube client lint; do
        plant "server/$folder/x.c" '#include "server/lab/driver/x.h"\n' "server/$folder may not include server/lab/driver/x.h"
    done
    plant server/x.c '#include <string.h>\nvoid skr_x(char *a) { strcpy(a, ""); }' 'banned call'
    plant_end layers
}

. "$(dirname "$0")/plant.sh"
if [ "${1:-}" = --planted ]; then
    plant_all
    exit
fi
check_tree "layers: server -> core -> topology holds, topology and core are pure"
