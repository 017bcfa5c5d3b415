package dataset

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
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
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=72m"); err != nil {
		t.Skipf("a small disk cannot be made here: %v", err)
	}
	defer syscall.Unmount(disk, syscall.MNT_DETACH)
	f, err := os.Create(filepath.Join(disk, "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := newMapping(f, 0, 3*piece)
	if err != nil {
		t.Fatal(err)
	}
	row := make([]byte, 1<<20)
	written := 0
	for at := int64(0); at < 3*piece && err == nil; at += 1 << 20 {
		if err = m.write(row, at); err == nil {
			written++
		}
	}
	if !errors.Is(err, syscall.ENOSPC) || written < 40 || written > 72 { // some of it was made ready ahead
		t.Errorf("%d MB written, then %v", written, err)
	}
	if err := m.close(); err != nil {
		t.Error(err)
	}
}

// A window is unmapped by who fills it, the first one too, which begins with what no row is written to.
func TestFullWindowIsUnmapped(t *testing.T) {
	f, err := os.CreateTemp("/dev/shm", "saturate-window-*")
	if err != nil {
		t.Skip(err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	const first, size = 4096, 2 << 20
	m, err := newMapping(f, first, size)
	if err != nil {
		t.Skipf("rows cannot be written as memory here: %v", err)
	}
	row := make([]byte, (size-first)/2)
	for i, mapped := range []bool{true, false} {
		if err := m.write(row, first+int64(i*len(row))); err != nil {
			t.Fatal(err)
		}
		if (m.windows[0].data != nil) != mapped {
			t.Errorf("after row %d of 2 the window is mapped: %v", i+1, !mapped)
		}
	}
	if err := m.close(); err != nil {
		t.Error(err)
	}
}

// On a disk, who finds enough others making pages waits for one of them.
func TestPagesAreMadeByFew(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := newMapping(f, 0, 2*span)
	if err != nil || m.ownRoom {
		t.Skipf("no disk whose files can be written as memory: %v", err)
	}
	for range atATime {
		m.turns <- struct{}{}
	}
	written := make(chan error, 1)
	go func() { written <- m.write(make([]byte, 1000), span) }()
	select {
	case err := <-written:
		t.Fatalf("written without a turn: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	<-m.turns
	if err := errors.Join(<-written, m.close()); err != nil {
		t.Error(err)
	}
}

// In memory, pages that are there are looked up, and others are made, before and behind those that are.
func TestPagesThatAreThere(t *testing.T) {
	const size = 8 << 20
	for _, c := range []struct {
		made  int
		there bool
	}{{0, false}, {size / 2, false}, {size, true}, {size + 4096, true}} {
		f, err := os.CreateTemp("/dev/shm", "saturate-pages-*")
		if err != nil {
			t.Skip(err)
		}
		defer os.Remove(f.Name())
		defer f.Close()
		if _, err := f.Write(bytes.Repeat([]byte{0xAB}, c.made)); err != nil {
			t.Fatal(err)
		}
		m, err := newMapping(f, 0, size)
		if err != nil {
			t.Skipf("rows cannot be written as memory here: %v", err)
		}
		if m.ownRoom && m.there != c.there {
			t.Errorf("%d of %d bytes made beforehand: there = %v", c.made, size, m.there)
		}
		row := bytes.Repeat([]byte{1, 2, 3, 4}, 1<<18)
		for at := int64(0); at < size; at += int64(len(row)) {
			if err := m.write(row, at); err != nil {
				t.Fatal(err)
			}
		}
		if err := m.close(); err != nil {
			t.Error(err)
		}
		got, err := os.ReadFile(f.Name())
		if err != nil || !bytes.Equal(got[:size], bytes.Repeat(row, size/len(row))) {
			t.Errorf("%d of %d bytes made beforehand: other bytes: %v", c.made, size, err)
		}
	}
}

// A file that somebody cuts off meanwhile is an error, where plain memory would end the program: on a disk, and in
// memory.
func TestMappingCutOff(t *testing.T) {
	for _, folder := range []string{t.TempDir(), "/dev/shm"} {
		f, err := os.CreateTemp(folder, "saturate-cut-*")
		if err != nil {
			t.Logf("left out: %v", err)
			continue
		}
		defer f.Close()
		defer os.Remove(f.Name())
		m, err := newMapping(f, 0, 1<<20)
		if err != nil {
			t.Logf("rows cannot be written as memory in %s: %v", folder, err)
			continue
		}
		row := bytes.Repeat([]byte{1}, 1<<16)
		if err := m.write(row, 0); err != nil {
			t.Fatal(err)
		}
		if err := f.Truncate(1 << 16); err != nil {
			t.Fatal(err)
		}
		if err := m.write(row, 1<<19); err == nil || !strings.Contains(err.Error(), "truncated the file") {
			t.Errorf("%s: %v", folder, err)
		}
		if err := m.close(); err != nil {
			t.Error(err)
		}
	}
}
