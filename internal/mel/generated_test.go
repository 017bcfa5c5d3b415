package mel

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"unsafe"
)

// TestGeneratedIsFresh runs the generator again and expects the same bytes.
func TestGeneratedIsFresh(t *testing.T) {
	folder := t.TempDir()
	program := filepath.Join(folder, "gen")
	build := exec.Command("go", "build", "-C", "_gen", "-o", program, ".")
	build.Env = append(os.Environ(), "GOOS=", "GOARCH=") // for this machine, whatever the tests are for
	if out, err := build.CombinedOutput(); err != nil {
		t.Skipf("the generator's module cannot be built here: %v\n%s", err, out)
	}
	out := t.TempDir()
	if text, err := exec.Command(program, "-o", out).CombinedOutput(); err != nil {
		t.Fatalf("the generator failed: %v\n%s", err, text)
	}
	files, err := os.ReadDir(out)
	if err != nil || len(files) != 4 {
		t.Fatalf("the generator wrote %d files, %v", len(files), err)
	}
	for _, f := range files {
		fresh, err := os.ReadFile(filepath.Join(out, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		kept, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(fresh, kept) {
			t.Errorf("%s is not what _gen writes: run make gen", f.Name())
		}
	}
}

// TestLayoutOfBlock compares the offsets that the generator uses with the Go type's.
func TestLayoutOfBlock(t *testing.T) {
	source, err := os.ReadFile("_gen/kernel.go")
	if err != nil {
		t.Fatal(err)
	}
	var b block
	for name, offset := range map[string]uintptr{
		"Next": unsafe.Offsetof(b.next), "Blocks": unsafe.Offsetof(b.blocks), "Rows": unsafe.Offsetof(b.rows),
		"Work": unsafe.Offsetof(b.work), "Window": unsafe.Offsetof(b.window), "Counts": unsafe.Offsetof(b.counts),
		"Taps": unsafe.Offsetof(b.taps), "Out": unsafe.Offsetof(b.out), "Stride": unsafe.Offsetof(b.stride),
		"Mels": unsafe.Offsetof(b.mels), "Mode": unsafe.Offsetof(b.mode), "Log": unsafe.Offsetof(b.log),
		"Peak": unsafe.Offsetof(b.peak), "Seen": unsafe.Offsetof(b.seen),
		"InStep": unsafe.Offsetof(b.inStep), "OutStep": unsafe.Offsetof(b.outStep),
	} {
		m := regexp.MustCompile(`\bblock` + name + `\s+= (\d+)`).FindSubmatch(source)
		if m == nil {
			t.Errorf("the generator has no offset of %s", name)
			continue
		}
		if n, _ := strconv.Atoi(string(m[1])); uintptr(n) != offset {
			t.Errorf("block's %s lies at %d, the generator has %d", name, offset, n)
		}
	}
	if size := unsafe.Sizeof(tap{}); size != 12 {
		t.Errorf("a tap has %d bytes, the generator has 12", size)
	}
	if size := unsafe.Sizeof(b.log); size != 40 {
		t.Errorf("a logTable has %d bytes, the generator has 10 float32", size)
	}
}
