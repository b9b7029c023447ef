// SPDX-License-Identifier: Apache-2.0

// Command agree compares the end states of two runs of the suite, one on a real control plane and one on
// the sandbox:
//
//	agree REAL SANDBOX
//
// Both folders must hold the same scenarios. What differs is printed with its place in the state. The last
// line is "N passed, M failed", a scenario each.
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
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: agree REAL SANDBOX")
		os.Exit(2)
	}
	agreeing, differing, err := compareFolders(os.Args[1], os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, "agree:", err)
		os.Exit(1)
	}
	fmt.Printf("%d passed, %d failed\n", agreeing, differing)
	if differing != 0 {
		os.Exit(1)
	}
}

func compareFolders(realFolder, sandboxFolder string) (agreeing, differing int, err error) {
	realOnes, err := load(realFolder)
	if err != nil {
		return 0, 0, err
	}
	sandboxOnes, err := load(sandboxFolder)
	if err != nil {
		return 0, 0, err
	}
	all := maps.Clone(realOnes)
	maps.Copy(all, sandboxOnes)
	if len(all) == 0 {
		return 0, 0, fmt.Errorf("%s and %s hold no state", realFolder, sandboxFolder)
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		var lines []string
		onReal, ran := realOnes[name]
		onSandbox, ranThere := sandboxOnes[name]
		switch {
		case !ran:
			lines = []string{"no state of the real control plane"}
		case !ranThere:
			lines = []string{"no state of the sandbox"}
		default:
			lines = differences("", onReal, onSandbox)
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

// differences lists where two JSON values differ, the real one's first.
func differences(at string, real, sandbox any) []string {
	if a, ok := real.(map[string]any); ok {
		if b, ok := sandbox.(map[string]any); ok {
			return differentKeys(at, a, b)
		}
	}
	if a, ok := real.([]any); ok {
		if b, ok := sandbox.([]any); ok {
			return differentKeys(at, keyed(a), keyed(b))
		}
	}
	if text(real) == text(sandbox) {
		return nil
	}
	return []string{fmt.Sprintf("%s: real %s, sandbox %s", at, text(real), text(sandbox))}
}

func differentKeys(at string, real, sandbox map[string]any) (lines []string) {
	keys := maps.Clone(real)
	maps.Copy(keys, sandbox)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		lines = append(lines, differences(strings.TrimPrefix(at+"."+key, "."), real[key], sandbox[key])...)
	}
	return lines
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
