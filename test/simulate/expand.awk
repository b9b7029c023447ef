# SPDX-License-Identifier: Apache-2.0
# Writes a scenario out in full: awk -f test/simulate/expand.awk FILE | sakkara simulate -f -
#
# `# cluster: 2 racks of 3 nodes, {cpu: 4, pods: 110}` is a topology map default/cluster-topology and
# its nodes, node-0 to node-5, with that allocatable. `# repeat 0..19` as the first line of a document
# writes the document once for each number, which stands in place of every $. Numbers have leading
# zeros where the first one has some (00..19), as nodes have where there are more than ten.

function cluster(racks, nodes, allocatable,    n, r, tree)
{
    split("", name)
    for (n = 0; n < racks * nodes; n++) {
        name[n] = sprintf("node-%0" length(racks * nodes - 1) "d", n)
        r = int(n / nodes)
        if (n % nodes == 0) {
            tree = tree (r ? "}," : "") sprintf("\"rack-%0" length(racks - 1) "d\":{", r)
        }
        tree = tree (n % nodes ? "," : "") "\"" name[n] "\":{}"
    }
    print "apiVersion: v1\nkind: ConfigMap"
    print "metadata: {name: cluster-topology, namespace: default, labels: {sakkara.topology: \"\"}}"
    print "data:\n  level-names: '[\"rack\",\"node\"]'\n  tree: '{" tree "}}'"
    for (n = 0; n < racks * nodes; n++) {
        print "---\napiVersion: v1\nkind: Node\nmetadata: {name: " name[n] "}"
        print "status: {allocatable: " allocatable "}"
    }
}

function end_of_document(    i, copy)
{
    for (i = first; i <= last; i++) {
        copy = text
        if (repeated) {
            gsub(/\$/, sprintf("%0" width "d", i), copy)
        }
        printf "%s", (i > first ? "---\n" : "") copy
    }
    text = ""
    repeated = first = last = 0
}

/^---$/ { end_of_document(); print; next }
/^# cluster: / {
    split($0, word, " ")
    at = index($0, "{")
    cluster(word[3], word[6], substr($0, at))
    next
}
/^# repeat / {
    split($3, end, /\.\./)
    repeated = 1
    first = end[1]; last = end[2]; width = length(first)
    next
}
{ text = text $0 "\n" }
END { end_of_document() }
