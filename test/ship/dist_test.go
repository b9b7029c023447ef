// SPDX-License-Identifier: Apache-2.0

package ship

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// What `make dist` wrote to SAKKARA_DIST: for each architecture archive, packages and SBOMs are one program, and the
// indexes name what is there. test/ship/dist.sh runs these.

func dist(t *testing.T) (folder, version string, arches []string) {
	t.Helper()
	folder = tool(t, "SAKKARA_DIST")
	archives, _ := filepath.Glob(folder + "/*-linux-*.tar.gz")
	for _, name := range archives {
		before, arch, _ := strings.Cut(strings.TrimSuffix(filepath.Base(name), ".tar.gz"), "-linux-")
		version, arches = strings.TrimPrefix(before, "sakkara-"), append(arches, arch)
	}
	if len(arches) == 0 {
		t.Fatalf("no archive in %s", folder)
	}
	return folder, version, arches
}

// tarball is files and links of a .tar.gz, by name without the first folder. Entries that are packed twice are an error.
func tarball(t *testing.T, name string) map[string][]byte {
	t.Helper()
	zipped, err := gzip.NewReader(strings.NewReader(read(t, name)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for reader := tar.NewReader(zipped); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return files
		} else if err != nil {
			t.Fatal(err)
		}
		_, inner, _ := strings.Cut(header.Name, "/")
		content, err := io.ReadAll(reader)
		if err != nil || files[inner] != nil {
			t.Fatalf("%s: %v", header.Name, err)
		}
		if header.Typeflag != tar.TypeDir {
			files[inner] = append(content, header.Linkname...)
		}
	}
}

// program is the one of an archive, and what it loads.
func program(t *testing.T, folder, version, arch string) (bytesOf []byte, needed []string) {
	t.Helper()
	content := tarball(t, fmt.Sprintf("%s/sakkara-%s-linux-%s.tar.gz", folder, version, arch))["sakkara"]
	file, err := elf.NewFile(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	if machine := map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}[arch]; file.Machine != machine {
		t.Errorf("%s is a program of %v", arch, file.Machine)
	}
	needed, err = file.ImportedLibraries()
	if err != nil || len(needed) < 3 {
		t.Fatalf("%s loads %v, %v", arch, needed, err)
	}
	return content, needed
}

// packageOf is the beginning of the name of Debian's package of a library.
var packageOf = map[string]string{"libcurl.so.4": "libcurl4", "libgnutls.so.30": "libgnutls30", "libc.so.6": "libc6",
	"ld-linux-aarch64.so.1": "libc6", "libpthread.so.0": "libc6", "jansson": "libjansson", "yaml": "libyaml", "microhttpd": "libmicrohttpd"}

// TestDist_SBOMsAreWhatTheProgramIsMadeOf: The libraries of both SBOMs are those that the program loads and the archives of
// its link map, each with the package that has it; the sum is the program's.
func TestDist_SBOMsAreWhatTheProgramIsMadeOf(t *testing.T) {
	folder, version, arches := dist(t)
	for _, arch := range arches {
		content, needed := program(t, folder, version, arch)
		want := map[string]string{}
		for _, library := range needed {
			want[packageOf[library]] = "DYNAMIC_LINK"
		}
		linked := regexp.MustCompile(`(?m)^/\S*/lib(jansson|yaml|microhttpd|curl|gnutls)\.a\(`)
		for _, match := range linked.FindAllStringSubmatch(read(t, fmt.Sprintf("%s/build/dist-obj/%s/link.map", root, arch)), -1) {
			want[packageOf[match[1]]] = "STATIC_LINK"
		}
		var spdx struct {
			Packages []struct {
				Name      string
				Checksums []struct{ ChecksumValue string }
			}
			Relationships []struct{ RelatedSpdxElement, RelationshipType string }
		}
		var cdx struct{ Components []struct{ Name string } }
		base := fmt.Sprintf("%s/sakkara-%s-linux-%s", folder, version, arch)
		if err := errors.Join(json.Unmarshal([]byte(read(t, base+".spdx.json")), &spdx), json.Unmarshal([]byte(read(t, base+".cdx.json")), &cdx)); err != nil {
			t.Fatal(err)
		}
		if len(spdx.Packages) != len(want)+1 || len(cdx.Components) != len(want) || len(want) < 6 {
			t.Errorf("%s: SPDX has %d packages, CycloneDX %d components, the program %v", arch, len(spdx.Packages), len(cdx.Components), want)
		}
		for prefix, link := range want {
			is := func(name string) bool {
				return prefix != "" && strings.HasPrefix(strings.TrimPrefix(name, "SPDXRef-"), prefix)
			}
			found := false
			for _, relation := range spdx.Relationships {
				found = found || is(relation.RelatedSpdxElement) && relation.RelationshipType == link
			}
			if !found || !slices.ContainsFunc(cdx.Components, func(c struct{ Name string }) bool { return is(c.Name) }) {
				t.Errorf("%s: an SBOM lacks %q as %s", arch, prefix, link)
			}
		}
		if sum := fmt.Sprintf("%x", sha256.Sum256(content)); spdx.Packages[0].Checksums[0].ChecksumValue != sum {
			t.Errorf("%s: the sum is not the program's, %s", arch, sum)
		}
	}
}

// TestDist_PackagesHaveTheSameFilesAndAskForWhatIsLoaded: deb, rpm and apk of all architectures have the same files, and
// depend on what the program loads.
func TestDist_PackagesHaveTheSameFilesAndAskForWhatIsLoaded(t *testing.T) {
	folder, version, arches := dist(t)
	first := ""
	for _, arch := range arches {
		_, needed := program(t, folder, version, arch)
		base := fmt.Sprintf("%s/sakkara-%s-%s", folder, version, arch)
		listings := map[string]string{}
		if _, err := exec.LookPath("dpkg-deb"); err == nil {
			run(t, "dpkg-deb", "--info", base+".deb")
			listings["deb"] = run(t, "sh", "-c", "dpkg-deb --fsys-tarfile '"+base+".deb' | tar -t | grep -v '/$' | sed 's,^\\.*/,,'")
			depends := run(t, "dpkg-deb", "-f", base+".deb", "Depends")
			for _, library := range needed {
				if !strings.Contains(depends, packageOf[library]) {
					t.Errorf("%s.deb loads %s and depends on %s", arch, library, depends)
				}
			}
		}
		if _, err := exec.LookPath("rpm"); err == nil {
			listings["rpm"] = run(t, "sh", "-c", "rpm -qpl --noartifact '"+base+".rpm' 2>/dev/null | sed 's,^/,,'")
			requires := run(t, "rpm", "-qpR", base+".rpm")
			for _, library := range needed {
				if !strings.Contains(requires, library+"(") {
					t.Errorf("%s.rpm loads %s and requires %s", arch, library, requires)
				}
			}
		}
		listings["apk"] = run(t, "sh", "-c", "tar -tzf '"+base+".apk' 2>/dev/null | grep -v '/$\\|^\\.'")
		info := run(t, "sh", "-c", "tar -xzOf '"+base+".apk' .PKGINFO 2>/dev/null")
		for _, library := range needed {
			if !strings.Contains(info, "depend = so:"+library+"\n") {
				t.Errorf("%s.apk loads %s and says\n%s", arch, library, info)
			}
		}
		for kind, listing := range listings {
			names := strings.Fields(listing)
			slices.Sort(names)
			names = slices.DeleteFunc(names, func(name string) bool {
				return !strings.Contains(name, ".") && path.Ext(name) == "" && isFolder(names, name)
			})
			text := strings.Join(names, "\n")
			if first == "" {
				first = text
			}
			if text != first || len(names) < 20 {
				t.Errorf("%s of %s has other files:\n%s\nthe first one has\n%s", kind, arch, text, first)
			}
		}
	}
}

// isFolder: rpm lists folders like files.
func isFolder(names []string, name string) bool {
	return slices.ContainsFunc(names, func(other string) bool { return strings.HasPrefix(other, name+"/") })
}

// krewPlatform is what Krew's schema has of one.
type krewPlatform struct {
	Selector    struct{ MatchLabels map[string]string }
	URI, Sha256 string
	Files       []struct{ From, To string }
	Bin         string
}

// TestDist_KrewNamesWhatIsThere: The manifest is of Krew's schema, with the archives of this folder, their sums and files.
func TestDist_KrewNamesWhatIsThere(t *testing.T) {
	folder, version, arches := dist(t)
	var krew struct {
		APIVersion, Kind string
		Metadata         struct{ Name string }
		Spec             struct {
			Version, Homepage, ShortDescription, Description string
			Platforms                                        []krewPlatform
		}
	}
	if err := yaml.UnmarshalStrict([]byte(read(t, folder+"/krew.yaml")), &krew); err != nil {
		t.Fatal(err)
	}
	spec, want := krew.Spec, []krewPlatform{}
	for _, arch := range arches {
		archive := fmt.Sprintf("sakkara-%s-linux-%s.tar.gz", version, arch)
		one := krewPlatform{Bin: "kubectl-sakkara", URI: spec.Homepage + "/releases/download/v" + version + "/" + archive}
		one.Sha256 = fmt.Sprintf("%x", sha256.Sum256([]byte(read(t, folder+"/"+archive))))
		one.Selector.MatchLabels = map[string]string{"os": "linux", "arch": arch}
		one.Files = []struct{ From, To string }{{"*/sakkara", one.Bin}, {"*/LICENSE", "."}}
		want = append(want, one)
		if files := tarball(t, folder+"/"+archive); len(files["sakkara"]) == 0 || len(files["LICENSE"]) == 0 {
			t.Errorf("%s lacks a file of krew.yaml", archive)
		}
	}
	if krew.APIVersion+krew.Kind+krew.Metadata.Name != "krew.googlecontainertools.github.com/v1alpha2Pluginsakkara" || spec.Version != "v"+version ||
		!strings.HasPrefix(spec.Homepage, "https://") || spec.Description == "" || spec.ShortDescription == "" || len(spec.ShortDescription) > 50 ||
		!reflect.DeepEqual(spec.Platforms, want) {
		t.Errorf("krew.yaml is %+v, its platforms have to be %+v", krew, want)
	}
}

// TestDist_TheChartIsOfThisVersion: Its versions and its annotations for Artifact Hub are those of this release.
func TestDist_TheChartIsOfThisVersion(t *testing.T) {
	folder, version, _ := dist(t)
	var about struct {
		Version, AppVersion, Home string
		Annotations               map[string]string
	}
	if err := yaml.Unmarshal(tarball(t, folder+"/sakkara-chart-"+version+".tgz")["Chart.yaml"], &about); err != nil {
		t.Fatal(err)
	}
	images := []struct{ Name, Image string }{}
	if err := yaml.UnmarshalStrict([]byte(about.Annotations["artifacthub.io/images"]), &images); err != nil || len(images) != 1 || !strings.HasSuffix(images[0].Image, ":"+version) {
		t.Errorf("images of the chart: %v, %v", images, err)
	}
	if about.Version != version || about.AppVersion != version || !strings.HasPrefix(about.Home, "https://") || about.Annotations["artifacthub.io/license"] != "Apache-2.0" ||
		read(t, folder+"/artifacthub-repo.yml") == "" {
		t.Errorf("Chart.yaml: %+v", about)
	}
}
