//go:build !linux

package cuda

func hugePages(int) []byte { return nil }

func freePages([]byte) {}
