// SPDX-License-Identifier: Apache-2.0

// Command replay gives sakkara the problems of a record, whose answers have to be those that were accepted beside upstream's.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"strings"

	"sakkara/test/upstream/record"
)

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "replay:", err)
		os.Exit(1)
	}
}

// isEmpty: A report leaves out what is empty, or not.
func isEmpty(v any) bool {
	list, isList := v.([]any)
	return v == nil || v == "" || isList && len(list) == 0
}

// has tells whether a report has all that is wanted of it.
func has(got, want any) bool {
	switch want := want.(type) {
	case map[string]any:
		object, _ := got.(map[string]any)
		for key, value := range want {
			if !has(object[key], value) {
				return false
			}
		}
		return object != nil
	case []any:
		list, _ := got.([]any)
		for i := range want {
			if i >= len(list) || !has(list[i], want[i]) {
				return false
			}
		}
		return len(list) == len(want)
	}
	return isEmpty(want) && isEmpty(got) || reflect.DeepEqual(got, want)
}

// play runs one case and returns what is wrong.
func play(sakkara string, c *record.Case) string {
	command := exec.Command(sakkara, c.Arguments...)
	command.Stdin = strings.NewReader(c.Input)
	text, err := command.Output() // what is not placed has an exit code
	var report any
	if json.Unmarshal(text, &report) != nil {
		return fmt.Sprintf("%v: %s", err, text)
	}
	if !has(report, c.Answer) {
		want, _ := json.MarshalIndent(c.Answer, "", " ")
		return fmt.Sprintf("is\n%s\nhas to have\n%s", text, want)
	}
	return ""
}

func main() {
	sakkara := flag.String("sakkara", "build/sakkara", "the program")
	docs := flag.String("docs", "", "page with the table of differences")
	sources := flag.String("sources", "", "sum of the sources that decide")
	flag.Parse()
	name := flag.Arg(0)
	r, err := record.Read(name)
	must(err)
	if r.Sources != *sources {
		must(fmt.Errorf("%s was made by other sources than those here: run `make upstream-record`", name))
	}
	page, err := os.ReadFile(*docs)
	must(err)
	for _, row := range r.Rows {
		if !strings.Contains(string(page), "\n| "+row+" |") {
			must(fmt.Errorf("%s has no row %q in its table of differences", *docs, row))
		}
	}
	passed, failed := 0, 0
	for i := range r.Cases {
		c := &r.Cases[i]
		if wrong := play(*sakkara, c); wrong == "" {
			passed += c.Problems
		} else if failed += c.Problems; failed <= 5*c.Problems {
			fmt.Printf("sakkara %s with\n%s\n%s\n", strings.Join(c.Arguments, " "), c.Input, wrong)
		}
	}
	fmt.Printf("%d passed, %d failed\n", passed, failed)
	if failed > 0 || passed == 0 {
		os.Exit(1)
	}
}
