//go:build unix

package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"saturate/internal/files"
)

// A pipe is written into and a link's target is replaced: neither may become a file of its own.
func TestOutputIntoWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip("no pipes here: ", err)
	}
	reader, err := os.OpenFile(pipe, os.O_RDWR, 0) // both ways, so that nobody waits for the other
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if err := checkPlace(pipe); err != nil {
		t.Error(err)
	}
	if err := writeWhole(t.Context(), pipe, []byte("result")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(pipe); err != nil || info.Mode().IsRegular() {
		t.Fatalf("the pipe became %v, %v", info.Mode(), err)
	}
	got := make([]byte, 6)
	if _, err := io.ReadFull(reader, got); string(got) != "result" || err != nil {
		t.Errorf("%q came out, %v", got, err)
	}

	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	for _, err := range []error{os.WriteFile(target, nil, 0o600), os.Symlink(target, link), writeWhole(t.Context(), link, []byte("result"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link became %v, %v", info.Mode(), err)
	}
	if got, _ := os.ReadFile(target); string(got) != "result" {
		t.Errorf("the target holds %q", got)
	}
}

// Ctrl-C ends the wait for a pipe that nobody writes to.
func TestStoppedAtAnIdlePipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip("no pipes here: ", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	_, err := files.Await(ctx, func() (*os.File, error) { return os.Open(pipe) })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if text := errorText(err); text != "stopped" { // nothing was finished, so nothing is kept
		t.Errorf("it says %q", text)
	}
	if f, err := os.OpenFile(pipe, os.O_RDWR, 0); err == nil { // lets the reader go
		f.Close()
	}
}
