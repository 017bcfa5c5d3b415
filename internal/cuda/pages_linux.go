package cuda

import "syscall"

// hugePage is the size of one, and from which size of memory on they pay.
const hugePage = 2 << 20

// hugePages gives fresh memory in huge pages where the system has some, or nil when the driver had better do it.
func hugePages(size int) []byte {
	if size < hugePage {
		return nil
	}
	size = (size + hugePage - 1) &^ (hugePage - 1)
	pages, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		return nil
	}
	_ = syscall.Madvise(pages, syscall.MADV_HUGEPAGE) // small ones do too
	return pages
}

func freePages(pages []byte) { _ = syscall.Munmap(pages) }
