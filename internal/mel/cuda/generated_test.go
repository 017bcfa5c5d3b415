package melcuda

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unsafe"
)

func readPTX(t *testing.T) []byte {
	t.Helper()
	ptx, err := os.ReadFile("logmel.ptx")
	if err != nil {
		t.Fatal(err)
	}
	return ptx
}

// The embedded code says which source it was made from.
func TestPTXIsOfThisSource(t *testing.T) {
	ptx := readPTX(t)
	source, err := os.ReadFile("logmel.cu")
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("// source sha256 %x\n", sha256.Sum256(source)); !bytes.Contains(ptx, []byte(want)) {
		t.Error("logmel.ptx was made from another logmel.cu: run make gen")
	}
	generator, err := os.ReadFile("_gen/ptx")
	if err != nil {
		t.Fatal(err)
	}
	compiler := regexp.MustCompile(`(?m)^// compiler (.*)$`).FindSubmatch(ptx)
	if compiler == nil {
		t.Fatal("logmel.ptx does not say what compiled it")
	}
	for _, word := range strings.Fields(string(compiler[1])) {
		if !bytes.Contains(generator, []byte(`"`+word+`"`)) {
			t.Errorf("_gen/ptx does not use %s any more: run make gen", word)
		}
	}
}

// Where the compiler is installed, the code is made again and must be the same.
func TestPTXIsFresh(t *testing.T) {
	out := filepath.Join(t.TempDir(), "logmel.ptx")
	text, err := exec.Command("_gen/ptx", "--offline", "-o", out).CombinedOutput()
	var failed *exec.ExitError
	switch {
	case errors.As(err, &failed) && failed.ExitCode() != 3:
		t.Fatalf("_gen/ptx: %v\n%s", err, text)
	case err != nil:
		t.Skipf("_gen/ptx: %v\n%s", err, text)
	}
	fresh, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(fresh, readPTX(t)) {
		t.Error("logmel.ptx is not what _gen/ptx makes of logmel.cu: run make gen")
	}
}

// The host's numbers are the source's.
func TestLayout(t *testing.T) {
	source, err := os.ReadFile("logmel.cu")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{
		"HOP": hopSamples, "FRAME": frameSamples, "PAIRS": blockFrames / 2, "MOST_TAPS": mostTaps, "MOST_MELS": mostMels,
		"FINISH_THREADS": finishThreads, "FINISH_VALUES": finishValues,
	} {
		m := regexp.MustCompile(`(?m)^#define ` + name + ` (\d+)`).FindSubmatch(source)
		if m == nil || string(m[1]) != strconv.Itoa(want) {
			t.Errorf("logmel.cu has %s for %s, the host has %d", m, name, want)
		}
	}
	if blockThreads != 20*blockFrames/2 || sharedBytes != 8*frameSamples*blockFrames/2 {
		t.Errorf("blocks of %d threads with %d bytes do not follow from the numbers", blockThreads, sharedBytes)
	}
	fields := regexp.MustCompile(`(?s)struct Clip \{(.*?)\};`).FindSubmatch(source)
	if fields == nil {
		t.Fatal("logmel.cu has no struct Clip")
	}
	offset := uintptr(0)
	var d descriptor
	want := []uintptr{
		unsafe.Offsetof(d.samples), unsafe.Offsetof(d.out), unsafe.Offsetof(d.count), unsafe.Offsetof(d.length), unsafe.Offsetof(d.frames),
		unsafe.Offsetof(d.sounding), unsafe.Offsetof(d.peak), unsafe.Offsetof(d.isFloats),
	}
	names := regexp.MustCompile(`(?m)^\s*(long long|int) (\w+);`).FindAllSubmatch(fields[1], -1)
	if len(names) != len(want) {
		t.Fatalf("struct Clip has %d fields, the host's has %d", len(names), len(want))
	}
	for i, m := range names {
		if offset != want[i] {
			t.Errorf("%s lies at %d in logmel.cu and at %d on the host", m[2], offset, want[i])
		}
		if string(m[1]) == "int" {
			offset += 4
		} else {
			offset += 8
		}
	}
}
