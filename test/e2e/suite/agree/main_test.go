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
		if got := strings.Join(differences("", onReal["TestX"], onSandbox["TestX"]), "; "); got != one.want {
			t.Errorf("%s: %s", one.what, got)
		}
	}
}

func TestAScenarioThatRanOnOneSideOnlyDiffers(t *testing.T) {
	realFolder, sandboxFolder := t.TempDir(), t.TempDir()
	if _, _, err := compareFolders(realFolder, sandboxFolder); err == nil {
		t.Error("two empty folders agree")
	}
	write(t, realFolder, `{}`)
	if agreeing, differing, err := compareFolders(realFolder, sandboxFolder); err != nil || agreeing != 0 || differing != 1 {
		t.Error(agreeing, differing, err)
	}
	write(t, sandboxFolder, `{}`)
	if agreeing, differing, err := compareFolders(realFolder, sandboxFolder); err != nil || agreeing != 1 || differing != 0 {
		t.Error(agreeing, differing, err)
	}
}

func write(t *testing.T, folder, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, "TestX.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
