// SPDX-License-Identifier: Apache-2.0

// Command scenarios writes the list of end-to-end scenarios from their sources, or compares it with the one
// that is shipped:
//
//	scenarios FOLDER            to standard output
//	scenarios FOLDER LIST.md    an error when the list is not the same
//
// What a scenario proves is the first paragraph of its comment. Where it runs, and what its two runs need not
// agree in, are its calls of realOnly, anyNode, anyMoment, anyRetries and anyEvents.
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
)

const head = `# End-to-end scenarios

What the end-to-end suite (test/e2e/suite) plays, scenario by scenario. Every scenario of the first column "both" is played from one description on
a real control plane (etcd, kube-apiserver, kube-controller-manager and kube-scheduler 1.36.3: ` + "`make e2e`" + `) and on the sandbox's model of one
(` + "`make e2e-sandbox`" + `), each time with the daemon as it is shipped, and has to leave the same state on both: nodes, ranks, labels and
conditions of pods; status, reason, message, ranks and placement of groups; what is said about topologies; the daemon's Events.
` + "`test/e2e/agree.sh`" + ` compares the two; where they differ, the real one is right. During a scenario every change is recorded and judged: nobody
is bound before its whole gang may be, nobody twice, no node holds more than it has.

In every scenario these are left out of the comparison, because they are not decided by anything that the scenario describes: uids, times and generated
names (the pods of a Job are numbered in the order in which they are dealt out). A scenario that leaves more to chance says so.

This list is made from the sources of the suite, and a test compares it with them: ` + "`make scenarios`" + ` writes it anew.

| scenario | what it proves | runs on |
|---|---|---|
`

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
			fmt.Fprintf(&text, "| %s | %s%s | %s |\n", s.name, s.proves, s.free, s.runsOn())
		}
	}
	return text.String(), nil
}

func (s *scenario) runsOn() string {
	if s.realOnly != "" {
		return "real: " + s.realOnly
	}
	return "both"
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
	return strings.ToUpper(words[:1]) + strings.ReplaceAll(words[1:], "|", "\\|")
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
		s.free += fmt.Sprintf(" Free: nodes of %s*, %s.", literal(call, 0), literal(call, 1))
	case "anyMoment":
		s.free += fmt.Sprintf(" Free: texts of %s, %s.", literal(call, 0), literal(call, 1))
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
