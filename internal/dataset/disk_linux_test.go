package dataset

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A disk that fills up on the way, and one that cannot be written: said, nothing lost, finished later.
func TestFullAndReadOnlyDisk(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=600k"); err != nil {
		t.Skipf("a small disk cannot be made here: %v", err)
	}
	defer syscall.Unmount(disk, syscall.MNT_DETACH)
	dir := corpus(t, 40)
	l := find(t, dir)
	o := small(t, dir, "hdf5")
	want := ""
	{
		whole := o
		whole.Layout = Ragged
		build(t, l, whole)
		want = fingerprint(t, whole.Output)
	}
	o.Output = filepath.Join(disk, "out.h5")
	if _, err := Build(t.Context(), l, o); err == nil || !strings.Contains(err.Error(), "free, but the rows need") {
		t.Errorf("%v", err)
	}
	os.Remove(journalName(o.Output))
	o.Layout = Ragged // nobody knows the size before
	_, err := Build(t.Context(), l, o)
	var stopped *Stopped
	if !errors.As(err, &stopped) || !strings.Contains(err.Error(), "the disk is full") || stopped.Done == 0 {
		t.Fatalf("%v", err)
	}
	remount := func(options string, flags uintptr) {
		t.Helper()
		if err := syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT|flags, options); err != nil {
			t.Fatal(err)
		}
	}
	remount("size=600k", syscall.MS_RDONLY)
	if _, err := Build(t.Context(), l, o); err == nil || !strings.Contains(err.Error(), "read-only file system") || !strings.Contains(err.Error(), "--output") {
		t.Errorf("%v", err)
	}
	remount("size=20m", 0)
	if r := build(t, l, o); r.Resumed != stopped.Done {
		t.Errorf("%d were finished, %d are resumed", stopped.Done, r.Resumed)
	}
	if fingerprint(t, o.Output) != want {
		t.Error("other bytes after a full disk")
	}
	// In place, all of the space is taken before the first row.
	o.Layout, o.Map, o.Output = Fixed, MapYes, filepath.Join(disk, "mapped.h5")
	o.Length = 2 * time.Second
	remount("size=1200k", 0)
	if _, err := Build(t.Context(), l, o); err == nil {
		t.Error("a disk that is too small for a mapped output is not noticed")
	}
}
