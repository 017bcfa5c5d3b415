//go:build !linux

package kernel

// useLargePages does nothing: only Linux is asked.
func useLargePages([]float32) {}
