//go:build !linux || !(amd64 || arm64) || nocuda

package cuda

// Built says whether this program can load the driver library at all.
const (
	Built       = false
	whyNotBuilt = "this build has no CUDA loader: it needs Linux on amd64 or arm64, without the build tag nocuda"
)

func dlopen(string) (uintptr, error)         { return 0, ErrUnavailable }
func dlsym(uintptr, string) (uintptr, error) { return 0, ErrUnavailable }
func ccall(uintptr, ...uintptr) uint32       { return NoDevice }
