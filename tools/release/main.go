// Command release puts a release together on one machine, from the wheels in dist/: archives with manual pages and
// shell completions, an SBOM for each, and SHA256SUMS. GoReleaser makes the same files in CI and publishes them.
//
//		make wheels && go run ./tools/release        # into dist/
//		go run ./tools/release -docs build/docs      # manual pages and completions alone
//
//	 1. the binaries of the wheels (main.go)
//	 2. manual pages and completions, by the program itself (docs.go)
//	 3. archives, and what is checked in them (archive.go)
//	 4. what each binary was built from (sbom.go)
package main

import (
	"archive/zip"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"saturate/internal/version"
)

func main() {
	dist := flag.String("o", "dist", "`FOLDER` with the wheels, for the archives")
	docs := flag.String("docs", "", "write manual pages and completions to this `FOLDER`, and nothing else")
	flag.Parse()
	err := error(nil)
	if *docs != "" {
		err = writeDocs(*docs)
	} else {
		err = run(*dist)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// names are those of the archives, by a part of the wheel's tag.
var names = []struct{ tag, name string }{
	{"manylinux_2_17_x86_64", "linux_amd64"},
	{"manylinux_2_17_aarch64", "linux_arm64"},
	{"musllinux_1_1_x86_64", "linux_amd64_static"},
	{"musllinux_1_1_aarch64", "linux_arm64_static"},
	{"macosx_12_0_arm64", "darwin_arm64"},
	{"macosx_12_0_x86_64", "darwin_amd64"},
	{"win_amd64", "windows_amd64"},
}

func run(dist string) error {
	folder, err := os.MkdirTemp("", "release-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if err := writeDocs(folder); err != nil {
		return err
	}
	extra, err := collect(folder, "LICENSE", "README.md", "CHANGELOG.md")
	if err != nil {
		return err
	}
	var made []string
	for _, n := range names {
		wheels, _ := filepath.Glob(filepath.Join(dist, "saturate_gpu-*-py3-none-"+n.tag+"*.whl"))
		if len(wheels) != 1 {
			return fmt.Errorf("%d wheels for %s in %s, want 1; run make wheels", len(wheels), n.tag, dist)
		}
		binary, err := binaryOf(wheels[0])
		if err != nil {
			return fmt.Errorf("%s: %w", wheels[0], err)
		}
		base := filepath.Join(dist, "saturate_"+version.Version+"_"+n.name)
		archive, err := pack(base, binary, extra)
		if err != nil {
			return err
		}
		bom, err := sbom(binary.data)
		if err == nil {
			err = os.WriteFile(archive+".cdx.json", bom, 0o644)
		}
		if err != nil {
			return err
		}
		made = append(made, wheels[0], archive, archive+".cdx.json")
	}
	return sums(dist, made)
}

// file is one file of an archive.
type file struct {
	name string
	data []byte
	mode os.FileMode
}

// binaryOf takes the program out of a wheel.
func binaryOf(wheel string) (file, error) {
	z, err := zip.OpenReader(wheel)
	if err != nil {
		return file{}, err
	}
	defer z.Close()
	for _, f := range z.File {
		if !strings.Contains(f.Name, ".data/scripts/") {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return file{}, err
		}
		data, err := io.ReadAll(r)
		return file{filepath.Base(f.Name), data, 0o755}, errors.Join(err, r.Close())
	}
	return file{}, errors.New("it has no program")
}

// sums writes the hashes of all files, and reads them once more from the disk to do so.
func sums(dist string, paths []string) error {
	slices.Sort(paths)
	var b strings.Builder
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(data), filepath.Base(path))
		fmt.Printf("%s  %.1f MB\n", path, float64(len(data))/1e6)
	}
	return os.WriteFile(filepath.Join(dist, "SHA256SUMS"), []byte(b.String()), 0o644)
}
