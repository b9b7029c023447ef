// SPDX-License-Identifier: Apache-2.0

// Command scenarios writes the list of end-to-end scenarios from their sources, or compares it with
// the shipped list:
//
//	scenarios FOLDER            to standard output
//	scenarios FOLDER LIST.md    an error if the lists differ
//
// The first paragraph of a scenario's comment says what it proves. Its calls of realOnly, anyNode,
// anyMoment, anyRetries and anyEvents say where it runs and what its two runs may differ in.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const head = `# End-to-end scenarios

This page lists what the end-to-end suite (test/e2e/suite) proves. Use it to find the scenario that
covers a behaviour.

A scenario marked *both* is played twice from one description: on a real control plane (etcd,
kube-apiserver, kube-controller-manager and kube-scheduler 1.36.3: ` + "`make e2e`" + `) and on the sandbox's
model of one (` + "`make e2e-sandbox`" + `). The daemon is the shipped one. Both runs must end in the same
state:

- nodes, ranks, labels and conditions of pods;
- status, reason, message, ranks and placement of groups;
- what topologies report;
- the daemon's Events.

` + "`test/e2e/agree.sh`" + ` compares the two runs. Where they differ, the real one is right. During a
scenario every change is recorded and judged: no pod is bound before its whole gang may be, no pod
is bound twice, and no node holds more than it has.

Three things are never compared, because no scenario decides them: uids, times and generated names.
Pods of a Job are numbered in the order in which they get their nodes. *Free* names what else a
scenario leaves to chance. *Real* says why a scenario does not run on the sandbox.

This list is made from the sources of the suite, and a test compares the two: ` + "`make scenarios`" + `
rewrites it.

`

const columns = 100

// scenario is one Test function.
type scenario struct{ name, proves, realOnly, free string }

func main() {
	if len(os.Args) < 2 || len(os.Args) > 3 {
		fmt.Fprintln(os.Stderr, "usage: scenarios FOLDER [LIST.md]")
		os.Exit(2)
	}
	list, err := write(os.Args[1])
	if err == nil && len(os.Args) == 2 {
		_, err = os.Stdout.WriteString(list)
	} else if err == nil {
		err = same(list, os.Args[2])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "scenarios:", err)
		os.Exit(1)
	}
}

func same(list, path string) error {
	shipped, err := os.ReadFile(path)
	if err == nil && string(shipped) != list {
		err = fmt.Errorf("%s is not what the sources say; make scenarios writes it anew", path)
	}
	return err
}

func write(folder string) (string, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		return "", err
	}
	slices.Sort(paths)
	var text strings.Builder
	text.WriteString(head)
	for _, path := range paths {
		scenarios, err := read(path)
		if err != nil {
			return "", err
		}
		for _, s := range scenarios {
			wrap(&text, fmt.Sprintf("- `%s`, %s. %s%s", s.name, s.runsOn(), s.proves, s.free))
		}
	}
	return text.String(), nil
}

func (s *scenario) runsOn() string {
	if s.realOnly != "" {
		return "*real*: " + s.realOnly
	}
	return "*both*"
}

// wrap writes an item of a list in lines of at most columns characters.
func wrap(text *strings.Builder, item string) {
	used := 0
	for i, word := range strings.Fields(item) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case used+1+n > columns:
			text.WriteString("\n  ")
			used = 2
		default:
			text.WriteString(" ")
			used++
		}
		text.WriteString(word)
		used += n
	}
	text.WriteString("\n")
}

// read finds the Test functions of a file; benchmarks are none.
func read(path string) (scenarios []scenario, err error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	for _, declaration := range file.Decls {
		function, ok := declaration.(*ast.FuncDecl)
		if !ok || !strings.HasPrefix(function.Name.Name, "Test") || function.Name.Name == "TestMain" ||
			strings.HasPrefix(function.Name.Name, "TestBench") {
			continue
		}
		s := scenario{name: strings.TrimPrefix(function.Name.Name, "Test")}
		if s.proves = proves(function); s.proves == "" {
			return nil, fmt.Errorf("%s: %s has no comment that says what it proves", path, function.Name.Name)
		}
		ast.Inspect(function.Body, s.visit)
		scenarios = append(scenarios, s)
	}
	return scenarios, nil
}

// proves is the first paragraph of the comment without the function's name.
func proves(function *ast.FuncDecl) string {
	paragraph, _, _ := strings.Cut(function.Doc.Text(), "\n\n")
	words := strings.Join(strings.Fields(paragraph), " ")
	words = strings.TrimPrefix(words, function.Name.Name)
	words = strings.TrimSpace(strings.TrimPrefix(words, ":"))
	if words == "" {
		return ""
	}
	return strings.ToUpper(words[:1]) + words[1:]
}

// visit takes in these calls.
func (s *scenario) visit(node ast.Node) bool {
	call, ok := node.(*ast.CallExpr)
	if !ok {
		return true
	}
	switch callee(call) {
	case "realOnly":
		s.realOnly = literal(call, 1)
	case "anyNode":
		s.free += fmt.Sprintf(" Free: nodes of `%s*`, %s.", literal(call, 0), literal(call, 1))
	case "anyMoment":
		s.free += fmt.Sprintf(" Free: texts of `%s`, %s.", literal(call, 0), literal(call, 1))
	case "anyRetries":
		s.free += fmt.Sprintf(" Free: retries, %s.", literal(call, 0))
	case "anyEvents":
		s.free += fmt.Sprintf(" Free: Events, %s.", literal(call, 0))
	}
	return true
}

func callee(call *ast.CallExpr) string {
	switch function := call.Fun.(type) {
	case *ast.Ident:
		return function.Name
	case *ast.SelectorExpr:
		return function.Sel.Name
	}
	return ""
}

func literal(call *ast.CallExpr, i int) string {
	if i < len(call.Args) {
		if literal, ok := call.Args[i].(*ast.BasicLit); ok {
			if text, err := strconv.Unquote(literal.Value); err == nil {
				return text
			}
		}
	}
	return "?"
}
