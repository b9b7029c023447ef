// SPDX-License-Identifier: Apache-2.0

// Command agree compares the end states of runs of the suite, on a real control plane and on the sandbox:
//
//	agree REAL SANDBOX [REAL SANDBOX]...
//
// The first two folders must hold the same scenarios. What the planes differ in is printed with its place in
// the state. Where a scenario ran more than once, in further pairs of folders, a place holds as many values as
// it was seen with, and the planes differ there when they have none in common: what depends on who is first
// ends in several ways, on both. Values are compared exactly: what the clock decides, such as how often a group
// without a place was tried, is left out when the state is kept (cluster/state.go, state_test.go).
// The last line is "N passed, M failed", a scenario each.
package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) < 3 || len(os.Args)%2 == 0 {
		fmt.Fprintln(os.Stderr, "usage: agree REAL SANDBOX [REAL SANDBOX]...")
		os.Exit(2)
	}
	agreeing, differing, err := compareFolders(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "agree:", err)
		os.Exit(1)
	}
	fmt.Printf("%d passed, %d failed\n", agreeing, differing)
	if differing != 0 {
		os.Exit(1)
	}
}

// seen is what one place of a state held in all runs, on either plane.
type seen struct{ real, sandbox []any }

// compareFolders takes the folders in pairs, the real one first.
func compareFolders(folders []string) (agreeing, differing int, err error) {
	realOnes, sandboxOnes := map[string][]any{}, map[string][]any{}
	for i, folder := range folders {
		states, err := load(folder)
		if err != nil {
			return 0, 0, err
		}
		all := realOnes
		if i%2 == 1 {
			all = sandboxOnes
		}
		for name, state := range states {
			all[name] = append(all[name], state)
		}
	}
	all := maps.Clone(realOnes)
	maps.Copy(all, sandboxOnes)
	if len(all) == 0 {
		return 0, 0, fmt.Errorf("%s hold no state", strings.Join(folders, " and "))
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		var lines []string
		both := seen{realOnes[name], sandboxOnes[name]}
		switch {
		case len(both.real) == 0:
			lines = []string{"no state of the real control plane"}
		case len(both.sandbox) == 0:
			lines = []string{"no state of the sandbox"}
		default:
			lines = differences("", both)
		}
		if len(lines) == 0 {
			agreeing++
			continue
		}
		differing++
		fmt.Printf("--- DIFFER: %s\n    %s\n", name, strings.Join(lines, "\n    "))
	}
	return agreeing, differing, nil
}

// load reads the state files of a folder by scenario.
func load(folder string) (map[string]any, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return nil, err
	}
	states := map[string]any{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		var state any
		if err := json.Unmarshal(text, &state); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		states[strings.TrimSuffix(filepath.Base(path), ".json")] = state
	}
	return states, nil
}

// differences lists where JSON values differ, the real one's first.
func differences(at string, both seen) []string {
	if real, sandbox, ok := objects(both); ok {
		return differentKeys(at, real, sandbox)
	}
	onReal, onSandbox := texts(both.real), texts(both.sandbox)
	for _, one := range onReal {
		if slices.Contains(onSandbox, one) {
			return nil
		}
	}
	return []string{fmt.Sprintf("%s: real %s, sandbox %s", at, strings.Join(onReal, " or "), strings.Join(onSandbox, " or "))}
}

func differentKeys(at string, real, sandbox []map[string]any) (lines []string) {
	keys := map[string]any{}
	for _, object := range slices.Concat(real, sandbox) {
		maps.Copy(keys, object)
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		var both seen
		for _, object := range real {
			both.real = append(both.real, object[key])
		}
		for _, object := range sandbox {
			both.sandbox = append(both.sandbox, object[key])
		}
		lines = append(lines, differences(strings.TrimPrefix(at+"."+key, "."), both)...)
	}
	return lines
}

// objects are the values as objects, unless one of them has no parts.
func objects(both seen) (real, sandbox []map[string]any, ok bool) {
	var all []map[string]any
	for _, value := range slices.Concat(both.real, both.sandbox) {
		switch v := value.(type) {
		case map[string]any:
			all = append(all, v)
		case []any:
			all = append(all, keyed(v))
		default:
			return nil, nil, false
		}
	}
	n := len(both.real)
	return all[:n], all[n:], true
}

// keyed names the elements of a list by what they are called; words stand for themselves.
func keyed(list []any) map[string]any {
	elements := map[string]any{}
	for i, element := range list {
		name := fmt.Sprintf("[%d]", i)
		switch e := element.(type) {
		case string:
			name = "[" + e + "]"
		case map[string]any:
			for _, key := range []string{"Name", "Source"} {
				if word, ok := e[key].(string); ok {
					name = "[" + word + "]"
				}
			}
		}
		elements[name] = element
	}
	return elements
}

func text(value any) string {
	if value == nil {
		return "nothing"
	}
	encoded, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(encoded)
}

// texts are the values for people, each once.
func texts(values []any) (all []string) {
	for _, value := range values {
		if one := text(value); !slices.Contains(all, one) {
			all = append(all, one)
		}
	}
	return all
}
