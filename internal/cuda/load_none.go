//go:build !linux || !(amd64 || arm64) || nocuda

package cuda

// Built says whether this program can load the driver library at all.
const (
	Built       = false
	whyNotBuilt = "this program was built without the CUDA loader, which exists for Linux on amd64 and arm64 only and is left out by the tag nocuda"
)

func dlopen(string) (uintptr, error)         { return 0, ErrUnavailable }
func dlsym(uintptr, string) (uintptr, error) { return 0, ErrUnavailable }
func ccall(uintptr, ...uintptr) uint32       { return NoDevice }
