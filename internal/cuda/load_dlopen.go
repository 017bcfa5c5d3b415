//go:build linux && (amd64 || arm64) && !nocuda

package cuda

import "github.com/ebitengine/purego"

// Built says whether this program can load the driver library at all.
const (
	Built       = true
	whyNotBuilt = ""
)

func dlopen(path string) (uintptr, error) {
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func dlsym(library uintptr, name string) (uintptr, error) { return purego.Dlsym(library, name) }

// ccall calls a C function that returns a CUresult.
//
//go:uintptrescapes
func ccall(function uintptr, args ...uintptr) uint32 {
	result, _, _ := purego.SyscallN(function, args...)
	return uint32(result)
}
