package dataset

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"saturate/internal/files"
)

// willNeed asks the system to read the beginning of a file, which will be read from front to back.
func willNeed(f *os.File, size int64) {
	fd := int(f.Fd())
	unix.Fadvise(fd, 0, size, unix.FADV_WILLNEED)
}

// bootID names this run of the machine.
func bootID() string {
	id, err := files.Read("/proc/sys/kernel/random/boot_id", files.MaxSystem)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}

// allocate gives a part of a file its place on the disk.
func allocate(f *os.File, at, size int64) error {
	err := unix.Fallocate(int(f.Fd()), 0, at, size)
	if errors.Is(err, unix.EOPNOTSUPP) {
		return fmt.Errorf("--map yes is unsupported: the file system cannot reserve space: %w; remove --map yes",
			errors.ErrUnsupported)
	}
	return err
}

// manyWriters is from how many writers on, each with a processor, writing a file as memory pays: two are as fast by
// plain writes, one is faster.
const manyWriters = 4

// mappingPays reports whether rows are best written as memory: where many would wait for each other, and what fallocate
// has given cannot be taken away by a full disk, as it can where files are copied on write.
func mappingPays(f *os.File, writers int) bool {
	if writers < manyWriters {
		return false
	}
	switch fileSystem(f) {
	case unix.TMPFS_MAGIC, unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC:
		return true
	}
	return false
}

func mapFile(f *os.File, at, size int64) ([]byte, error) {
	return unix.Mmap(int(f.Fd()), at, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
}

// populate brings the pages of a part of a mapping in, all of them in one call: a fault for each takes three times as
// long. If there is no room for them, that is an error and not a crash. Kernels before 5.14 do not know it.
func populate(mapping []byte, from, size int) error {
	return bringIn(mapping, from, size, unix.MADV_POPULATE_WRITE)
}

// lookUp is populate for a file in memory that has all its pages: many of them are found at a time.
func lookUp(mapping []byte, from, size int) error {
	return bringIn(mapping, from, size, unix.MADV_POPULATE_READ)
}

func bringIn(mapping []byte, from, size, how int) error {
	page := os.Getpagesize()
	err := unix.Madvise(mapping[from&^(page-1):from+size], how)
	if err == unix.EFAULT || err == unix.ENOMEM {
		return unix.ENOSPC
	}
	return err
}

// allThere reports whether every page of a file has its place already.
func allThere(info os.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && s.Blocks*512 >= info.Size()
}

// inMemory reports whether a file's place is memory, not a disk. To reserve that is to clear it, one page after the
// other; whoever writes a row can do so beside others.
func inMemory(f *os.File) bool { return fileSystem(f) == unix.TMPFS_MAGIC }

// fileSystem is the kind that a file lies on, as the kernel numbers them; 0 when nobody knows.
func fileSystem(f *os.File) int64 {
	var s unix.Statfs_t
	if unix.Fstatfs(int(f.Fd()), &s) != nil {
		return 0
	}
	return int64(s.Type)
}

func unmapFile(data []byte) error { return unix.Munmap(data) }

// freeMemory is how much memory can be had, 0 when nobody knows.
func freeMemory() int64 {
	text, err := files.Read("/proc/meminfo", files.MaxSystem)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		var kb int64
		if n, _ := fmt.Sscanf(line, "MemAvailable: %d kB", &kb); n == 1 {
			return kb << 10
		}
	}
	return 0
}
