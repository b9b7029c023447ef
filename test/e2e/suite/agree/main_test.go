// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDifferencesNameTheirPlace(t *testing.T) {
	cases := []struct{ what, real, sandbox, want string }{
		{"equal states", `{"Pods":[{"Name":"g.0","Node":"n1"}]}`, `{"Pods":[{"Node":"n1","Name":"g.0"}]}`, ""},
		{"a node", `{"Pods":[{"Name":"g.0","Node":"n1"}]}`, `{"Pods":[{"Name":"g.0","Node":"n2"}]}`, `Pods.[g.0].Node: real "n1", sandbox "n2"`},
		{"a pod more", `{"Pods":[]}`, `{"Pods":[{"Name":"g.0"}]}`, `Pods.[g.0]: real nothing, sandbox {"Name":"g.0"}`},
		{"an event less", `{"Events":["a b"]}`, `{"Events":[]}`, `Events.[a b]: real "a b", sandbox nothing`},
		{"another type", `{"Events":["a"]}`, `{"Events":"a"}`, `Events: real ["a"], sandbox "a"`},
	}
	for _, one := range cases {
		realFolder, sandboxFolder := t.TempDir(), t.TempDir()
		write(t, realFolder, one.real)
		write(t, sandboxFolder, one.sandbox)
		onReal, err := load(realFolder)
		if err != nil {
			t.Fatal(err)
		}
		onSandbox, err := load(sandboxFolder)
		if err != nil {
			t.Fatal(err)
		}
		both := seen{[]any{onReal["TestX"]}, []any{onSandbox["TestX"]}}
		if got := strings.Join(differences("", both), "; "); got != one.want {
			t.Errorf("%s: %s", one.what, got)
		}
	}
}

func TestAScenarioThatRanOnOneSideOnlyDiffers(t *testing.T) {
	realFolder, sandboxFolder := t.TempDir(), t.TempDir()
	if _, _, err := compareFolders([]string{realFolder, sandboxFolder}); err == nil {
		t.Error("two empty folders agree")
	}
	write(t, realFolder, `{}`)
	if agreeing, differing, err := compareFolders([]string{realFolder, sandboxFolder}); err != nil || agreeing != 0 || differing != 1 {
		t.Error(agreeing, differing, err)
	}
	write(t, sandboxFolder, `{}`)
	if agreeing, differing, err := compareFolders([]string{realFolder, sandboxFolder}); err != nil || agreeing != 1 || differing != 0 {
		t.Error(agreeing, differing, err)
	}
}

func TestWhatIsLeftToChanceAgreesOnceBothPlanesHadIt(t *testing.T) {
	cases := []struct {
		what    string
		states  []string // real, sandbox, real, sandbox...
		differs bool
	}{
		{"chance", []string{`{"A":1}`, `{"A":2}`, `{"A":2}`, `{"A":2}`}, false},
		{"chance in two places", []string{`{"A":1,"B":1}`, `{"A":2,"B":2}`, `{"A":2,"B":1}`, `{"A":2,"B":1}`}, false},
		{"not there at times", []string{`{"A":["x"]}`, `{"A":[]}`, `{"A":[]}`, `{"A":[]}`}, false},
		{"always another", []string{`{"A":1}`, `{"A":2}`, `{"A":1}`, `{"A":3}`}, true},
		{"always another among equals", []string{`{"A":1,"B":1}`, `{"A":2,"B":1}`, `{"A":1,"B":2}`, `{"A":2,"B":1}`}, true},
	}
	for _, one := range cases {
		var folders []string
		for _, state := range one.states {
			folder := t.TempDir()
			write(t, folder, state)
			folders = append(folders, folder)
		}
		if _, differing, err := compareFolders(folders); err != nil || (differing != 0) != one.differs {
			t.Error(one.what, differing, err)
		}
	}
}

func write(t *testing.T, folder, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, "TestX.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
