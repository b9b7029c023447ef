// SPDX-License-Identifier: Apache-2.0

// Command volumes has random gangs with volumes planned on random clusters (ours/ours.c), and plays the plans with
// kube-scheduler's own plugins for volumes, as Go modules. They have to accept each member of a plan. Where there is
// no plan, they must not accept any placement of all members, in any order.
//
//	volumes -ours build/obj/test/upstream/volumes/ours/ours -n 1000 -seed 1
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

type seat struct{ pod, node string }

// parse reads "g-0=n1 g-1=n2 | g-2=n1": turns of a plan.
func parse(line string) (plan [][]seat) {
	for _, turn := range strings.Split(line, "|") {
		seats := []seat{}
		for _, word := range strings.Fields(turn) {
			pod, node, _ := strings.Cut(word, "=")
			seats = append(seats, seat{pod, node})
		}
		plan = append(plan, seats)
	}
	return plan
}

func main() {
	program := flag.String("ours", "", "the program to compare")
	n := flag.Int("n", 1000, "random clusters")
	seed := flag.Int64("seed", 1, "of the first; each one has the next number")
	record := flag.Bool("record", false, "print each cluster with the plan instead")
	most := flag.Int("most", 5, "differences that are shown")
	flag.Parse()
	ours := exec.Command(*program)
	ours.Stderr = os.Stderr
	in, _ := ours.StdinPipe()
	out, _ := ours.StdoutPipe()
	if err := ours.Start(); err != nil {
		fmt.Println(err)
		os.Exit(2)
	}
	lines := bufio.NewReader(out)
	planned, none, wrong := 0, 0, 0
	for i := 0; i < *n && wrong < *most; i++ {
		w := newWorld(*seed + int64(i))
		text, _ := json.Marshal(w)
		fmt.Fprintf(in, "%s\n", text)
		line, err := lines.ReadString('\n')
		if err != nil {
			fmt.Printf("seed %d: %v\n%s\n", w.seed, err, text)
			os.Exit(2)
		}
		line = strings.TrimSpace(line)
		j, why := newJudge(w), ""
		if line != "none" {
			why = j.play(w, parse(line))
		} else if found := j.search(w, w.Members); found != "" {
			why = "it accepts " + found
		}
		switch {
		case why != "":
			wrong++
			fmt.Printf("seed %d: the plan is %s; kube-scheduler: %s\n%s\n", w.seed, line, why, text)
		case *record:
			fmt.Printf("%s\t%s\n", line, text)
		case line == "none":
			none++
		default:
			planned++
		}
	}
	in.Close()
	ours.Wait()
	if !*record {
		fmt.Printf("volumes: %d planned, %d without a placement\n%d passed, %d failed\n", planned, none, planned+none, wrong)
	}
	if wrong > 0 {
		os.Exit(1)
	}
}
