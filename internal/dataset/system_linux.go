package dataset

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// willNeed asks the system to read the beginning of a file, which will be read from front to back.
func willNeed(f *os.File, size int64) {
	fd := int(f.Fd())
	unix.Fadvise(fd, 0, size, unix.FADV_WILLNEED)
}

// bootID names this run of the machine.
func bootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}

// allocate gives a file its size on the disk.
func allocate(f *os.File, size int64) error {
	err := unix.Fallocate(int(f.Fd()), 0, 0, size)
	if errors.Is(err, unix.EOPNOTSUPP) {
		return fmt.Errorf("the file system cannot reserve space, so rows cannot be computed in place; leave out --map")
	}
	return err
}

func mapFile(f *os.File, size int64) ([]byte, error) {
	return unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
}

func unmapFile(data []byte) error { return unix.Munmap(data) }

// freeMemory is how much memory can be had, 0 when nobody knows.
func freeMemory() int64 {
	text, err := os.ReadFile("/proc/meminfo")
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
