package doctor

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// dropCache asks the kernel to drop the file's pages. It may decline: see cachedShare.
func dropCache(file *os.File) {
	_ = unix.Fadvise(int(file.Fd()), 0, 0, unix.FADV_DONTNEED)
}

// cachedShare is the part of the file that is in the page cache; all of it where the kernel does not tell.
func cachedShare(file *os.File, size int64) float64 {
	if size <= 0 {
		return 1
	}
	memory, err := unix.Mmap(int(file.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return 1
	}
	defer func() { _ = unix.Munmap(memory) }()
	page := int64(os.Getpagesize())
	resident := make([]byte, (size+page-1)/page)
	_, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&memory[0])), uintptr(size),
		uintptr(unsafe.Pointer(&resident[0])))
	if errno != 0 {
		return 1
	}
	cached := 0
	for _, flags := range resident {
		cached += int(flags & 1)
	}
	return float64(cached) / float64(len(resident))
}
