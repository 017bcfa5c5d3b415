package dataset

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Room that the user made beforehand, whatever is in it, is used, and nothing of it is seen afterwards.
func TestRoomMadeBeforehand(t *testing.T) {
	dir := corpus(t, 40)
	l := find(t, dir)
	for _, to := range []string{"hdf5", "parquet"} {
		for _, workers := range []int{2, manyWriters} {
			o := small(t, dir, to)
			o.Workers = workers
			build(t, l, o)
			want := fingerprint(t, o.Output)
			o.Output = filepath.Join(t.TempDir(), "out")
			write(t, PartName(o.Output), bytes.Repeat([]byte{0xAB}, 20<<20))
			before, err := os.Stat(PartName(o.Output))
			if err != nil {
				t.Fatal(err)
			}
			build(t, l, o)
			after, err := os.Stat(o.Output)
			if err != nil || !os.SameFile(before, after) {
				t.Errorf("%s: the file that was there is not the output: %v", to, err)
			}
			if fingerprint(t, o.Output) != want {
				t.Errorf("%s by %d workers: other bytes", to, workers)
			}
		}
	}
}

// Rows that a full disk has no room for are an error, those before them are not.
func TestMappingOnSmallDisk(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=40m"); err != nil {
		t.Skipf("a small disk cannot be made here: %v", err)
	}
	defer syscall.Unmount(disk, syscall.MNT_DETACH)
	f, err := os.Create(filepath.Join(disk, "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := newMapping(f, 3*piece)
	if err != nil {
		t.Fatal(err)
	}
	row := make([]byte, 1000)
	if err := m.write(row, piece-1000); err != nil {
		t.Error(err)
	}
	if err := m.write(row, piece-1); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("%v", err)
	}
	if err := m.close(); err != nil {
		t.Error(err)
	}
}

// A file that somebody cuts off meanwhile is an error, where plain memory would end the program.
func TestMappingCutOff(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := newMapping(f, 1<<20)
	if err != nil {
		t.Skipf("rows cannot be written as memory here: %v", err)
	}
	row := bytes.Repeat([]byte{1}, 1<<16)
	if err := m.write(row, 0); err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(1 << 16); err != nil {
		t.Fatal(err)
	}
	if err := m.write(row, 1<<19); err == nil || !strings.Contains(err.Error(), "cut the file off") {
		t.Errorf("%v", err)
	}
	if err := m.close(); err != nil {
		t.Error(err)
	}
}
