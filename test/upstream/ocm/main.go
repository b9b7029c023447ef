// SPDX-License-Identifier: Apache-2.0

// Command ocm decides random Placements with OCM's own controller, as a Go module, and with
// `sakkara simulate placement`, and compares the answers. Both read the same objects: the controller
// typed, sakkara as the JSON that Go writes of them. It does the same with bare CEL expressions and
// cel-go (bare.go).
//
//	ocm -sakkara build/sakkara -n 500 -seed 1
//
// Where sakkara differs on purpose, the difference is one of the classes in compare.go, which are rows
// of the table in docs/placements.md. Everything else is printed with its objects, and the program
// ends with 1.
package main

import (
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"k8s.io/klog/v2"

	"sakkara/test/upstream/record"
)

func main() {
	klog.SetLogger(klog.Logger{})
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	program := flag.String("sakkara", "build/sakkara", "the program to compare")
	n := flag.Int("n", 500, "random Placements")
	seed := flag.Int64("seed", 1, "of the first Placement; each one has the next number")
	bare := flag.Int("bare", 3000, "random expressions for cel-go itself")
	docs := flag.String("docs", "", "page whose table of differences has to have the classes here")
	file := flag.String("record", "", "file that keeps the problems if all are decided the same")
	sources := flag.String("sources", "", "sum of the sources, for -record")
	hub := flag.String("serve", "", "kubeconfig: run OCM's controller there, and nothing else")
	flag.Parse()
	if *hub != "" {
		if err := serve(*hub); err != nil {
			fmt.Fprintln(os.Stderr, "ocm:", err)
			os.Exit(1)
		}
		return
	}
	if *docs != "" {
		checkDocs(*docs)
	}
	same, wrong := 0, 0
	counts := map[string]int{}
	for i := 0; i < *n; i++ {
		world := newWorld(*seed + int64(i))
		theirs, err := decideUpstream(world)
		if err != nil {
			fatal(world, err)
		}
		ours, err := decideOurs(*program, world)
		if err != nil {
			fatal(world, err)
		}
		class, difference := compare(world, theirs, ours)
		switch {
		case difference != "":
			wrong++
			fmt.Printf("seed %d: %s\n%s\n", world.seed, difference, world.manifest())
		case class != "":
			counts[class]++
		default:
			same++
		}
		if wrong >= 5 {
			break
		}
	}
	fmt.Printf("ocm: %d decided the same", same)
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		fmt.Printf(", %d differ by %s", counts[name], name)
		same += counts[name]
	}
	alike, unlike, err := compareBare(*program, *bare, *seed)
	if err != nil {
		fmt.Println("expressions:", err)
		os.Exit(2)
	}
	fmt.Printf("; %d expressions alike", alike)
	same, wrong = same+alike, wrong+unlike
	fmt.Printf("\n%d passed, %d failed\n", same, wrong)
	if wrong > 0 {
		os.Exit(1)
	}
	if *file != "" {
		if err := (&record.Record{Sources: *sources, Rows: classes, Cases: asked}).Write(*file); err != nil {
			fmt.Fprintln(os.Stderr, "ocm:", err)
			os.Exit(2)
		}
	}
}

func fatal(world *world, err error) {
	fmt.Printf("seed %d: %v\n%s\n", world.seed, err, world.manifest())
	os.Exit(2)
}
