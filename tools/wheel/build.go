package main

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// platform is one wheel. More than one tag may fit the same binary.
type platform struct {
	tag      string // as in the file's name: tags separated by dots
	os, arch string
	static   bool // without CUDA, which needs the system's dynamic linker
}

var platforms = []platform{
	{tag: "manylinux_2_17_x86_64.manylinux2014_x86_64", os: "linux", arch: "amd64"},
	{tag: "manylinux_2_17_aarch64.manylinux2014_aarch64", os: "linux", arch: "arm64"},
	{tag: "musllinux_1_1_x86_64", os: "linux", arch: "amd64", static: true},
	{tag: "musllinux_1_1_aarch64", os: "linux", arch: "arm64", static: true},
	{tag: "macosx_12_0_arm64", os: "darwin", arch: "arm64"}, // what Go 1.26 starts on
	{tag: "macosx_12_0_x86_64", os: "darwin", arch: "amd64"},
	{tag: "win_amd64", os: "windows", arch: "amd64"},
}

func (p platform) file(release string) string {
	return fmt.Sprintf("saturate_gpu-%s-py3-none-%s.whl", release, p.tag)
}

func (p platform) binary() string {
	if p.os == "windows" {
		return "saturate.exe"
	}
	return "saturate"
}

func (p platform) build() ([]byte, error) {
	dir, err := os.MkdirTemp("", "wheel-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, p.binary())
	args := []string{"build", "-trimpath", "-buildvcs=auto", "-ldflags", "-s -w -buildid=", "-o", path}
	if p.static {
		args = append(args, "-tags", "nocuda")
	}
	cmd := exec.Command("go", append(args, "./cmd/saturate")...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.os, "GOARCH="+p.arch, "GOFLAGS=", "GOAMD64=v1",
		"GOARM64=v8.0")
	if said, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, said)
	}
	return os.ReadFile(path)
}

// check makes sure that a Linux binary keeps what its tag promises: musl's has no dynamic linker, and glibc's needs
// no symbol that is newer than 2.17.
func (p platform) check(binary []byte) error {
	if p.os != "linux" {
		return nil
	}
	f, err := elf.NewFile(bytes.NewReader(binary))
	if err != nil {
		return err
	}
	for _, prog := range f.Progs {
		if prog.Type == elf.PT_INTERP && p.static {
			return errors.New("the binary is not static")
		}
	}
	needed, err := f.DynamicVersionNeeds()
	if err != nil {
		return nil //nolint:nilerr // it has no such table, so it needs nothing
	}
	for _, library := range needed {
		for _, need := range library.Needs {
			if minor, ok := strings.CutPrefix(need.Dep, "GLIBC_2."); ok {
				if n, err := strconv.Atoi(strings.Split(minor, ".")[0]); err == nil && n > 17 {
					return fmt.Errorf("%s needs %s, newer than 2.17", library.Name, need.Dep)
				}
			}
		}
	}
	return nil
}

// commitTime is the time of all files: that of the commit, or of SOURCE_DATE_EPOCH.
func commitTime() (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		out, err := exec.Command("git", "log", "-1", "--format=%ct").Output()
		if err != nil {
			return time.Time{}, errors.New("the time of the commit is unknown; set SOURCE_DATE_EPOCH")
		}
		text = strings.TrimSpace(string(out))
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH is not a number of seconds: %q", text)
	}
	return time.Unix(seconds, 0).UTC(), nil
}
