#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Proves that no circle in topology, core and server is larger than three files. A file is a stem here, X.c with X.h, and
# there are two pictures:
#   includes  A -> B when A.c or A.h includes B.h. What a folder shares without being one file's (a struct of entries, say)
#             is a header of its own without a .c
#   calls     A -> B when the object of A wants a symbol that the object of B defines
# A circle is a strongly connected component: every file of it reaches every other one.
# check-circles.sh             the tree (objects in build/obj, made by `make objects`)
# check-circles.sh --planted   plants circles and expects them to be found
set -eu

most=3

include_edges() { # in the current folder
    find topology core server -name '*.[ch]' -exec grep -HE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' {} + |
        sed -E 's/^([^:]*)\.[ch]:.*"([^"]*)\.h".*/\1 \2/' | awk '$1 != $2' | sort -u
}

call_edges() { # OBJECTS-BELOW
    # Objects of sources that are gone prove nothing.
    find topology core server -name '*.c' | sed "s|^\(.*\)\.c$|$1/\1.o|" | sort | while read -r object; do
        [ ! -e "$object" ] || echo "$object"
    done | xargs nm -gA | sed -E "s|^$1/([^:]*)\.o:|\1 |" | awk '
        $(NF - 1) == "U" { n++; from[n] = $1; wants[n] = $NF; next }
        { defined[$NF] = $1 }
        END {
            for (i = 1; i <= n; i++) {
                to = defined[wants[i]]
                if (to != "" && to != from[i]) print from[i], to
            }
        }' | sort -u
}

# Kosaraju: files in the order in which a search forwards leaves them, last first; what each of them reaches backwards, among
# those not yet taken, is one component.
circles() { # WHAT: edges from stdin; prints what is too large
    awk -v what="$1" -v most=$most '
        function forward(v, i) {
            seen[v] = 1
            for (i = 1; i <= n_out[v]; i++) if (!(out[v, i] in seen)) forward(out[v, i])
            left[++n_left] = v
        }
        function backward(v, i) {
            taken[v] = 1
            size++
            list = list " " v
            for (i = 1; i <= n_in[v]; i++) if (!(into[v, i] in taken)) backward(into[v, i])
        }
        {
            out[$1, ++n_out[$1]] = $2
            into[$2, ++n_in[$2]] = $1
            file[$1] = file[$2] = 1
        }
        END {
            for (v in file) if (!(v in seen)) forward(v)
            for (k = n_left; k >= 1; k--) {
                if (left[k] in taken) continue
                size = 0
                list = ""
                backward(left[k])
                if (size > most) printf "%d files in a circle of %s:%s\n", size, what, list
            }
        }' | sort
}

check() { # OBJECTS-BELOW: prints what is wrong in the tree of the current folder
    {
        include_edges | circles includes
        call_edges "$1" | circles calls
    } >"$scratch/found"
    [ ! -s "$scratch/found" ]
}

# plant EXPECTED FILE TEXT...: a tree of four files in a row, and what is planted in it
plant() {
    expected=$1
    shift
    plant_begin topology core server
    for pair in a:b b:c c:d d:; do
        stem=${pair%:*}
        next=${pair#*:}
        echo "int skr_$stem(void);" >"core/$stem.h"
        {
            echo "#include \"core/$stem.h\""
            [ -z "$next" ] || echo "#include \"core/$next.h\""
            echo "int skr_$stem(void) { return ${next:+skr_$next() + }1; }"
        } >"core/$stem.c"
    done
    echo 'int skr_t(void) { return 0; }' >topology/t.c
    where=${1:-}
    while [ $# -gt 0 ]; do
        printf '%b' "$2" >>"$1"
        shift 2
    done
    plant_judge "$where" "$expected"
}

plant_all() {
    plant clean
    plant 'clean' core/c.c '#include "core/a.h"\nint skr_e(void) { return skr_a(); }\n'
    plant '4 files in a circle of includes' core/d.c '#include "core/a.h"\n'
    plant '4 files in a circle of includes' core/d.h '#  include "core/a.h"\n'
    plant '4 files in a circle of calls' core/d.c 'int skr_a(void);\nint skr_e(void) { return skr_a(); }\n'
    plant '4 files in a circle of calls' core/d.c 'extern int skr_n;\nint *skr_e(void) { return &skr_n; }\n' core/a.c 'int skr_n;\n'
    plant_end circles
}

. "$(dirname "$0")/plant.sh"
if [ "${1:-}" = --planted ]; then
    plant_all
    exit
fi
check_tree "circles: none of more than $most files, by includes or by calls"
