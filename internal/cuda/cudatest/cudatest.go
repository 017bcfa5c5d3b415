// Package cudatest builds a driver library without a GPU behind it, so that tests can load
// the real thing's interface on any Linux machine with a C compiler.
package cudatest

import (
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

//go:embed testdata/libcuda.c
var source []byte

// Library compiles libcuda.so.1 into a folder of its own and returns the file's path. The defines
// (NO_DEVICE, TOO_OLD, FULL, HANGS, CRASHES) give it the faults of broken installations.
func Library(t testing.TB, defines ...string) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("CUDA is supported only on Linux")
	}
	compiler, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler (cc) to build the test's driver library")
	}
	dir := t.TempDir()
	c, so := filepath.Join(dir, "libcuda.c"), filepath.Join(dir, "libcuda.so.1")
	if err := os.WriteFile(c, source, 0o666); err != nil {
		t.Fatal(err)
	}
	args := []string{"-shared", "-fPIC", "-O1", "-w", "-o", so, c}
	for _, define := range defines {
		args = append(args, "-D"+define)
	}
	if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
		t.Fatalf("compiling the test's driver library: %v\n%s", err, out)
	}
	return so
}
