package optimize

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// compileCaches are the variables that name where torch.compile keeps what it has compiled, and the folders in the
// state folder that they are set to: what one run has compiled, the next need not. Kernels are found by what they hold,
// so no program gets another's.
var compileCaches = []struct{ variable, folder string }{
	{"TORCHINDUCTOR_CACHE_DIR", "inductor"}, {"TRITON_CACHE_DIR", "triton"}, {"CUDA_CACHE_PATH", "cuda"},
}

const compiledFolder = "compiled"

// WithCaches is an environment in which the programs of a protocol share what they compile. What the user has set
// stays.
func WithCaches(environ []string, state string) []string {
	list := slices.Clone(environ)
	for _, c := range compileCaches {
		if !slices.ContainsFunc(environ, func(v string) bool { return strings.HasPrefix(v, c.variable+"=") }) {
			list = append(list, c.variable+"="+filepath.Join(state, compiledFolder, c.folder))
		}
	}
	return list
}

// makeCaches makes the folders: programs may only write to those that exist.
func (p *protocol) makeCaches() error {
	for _, c := range compileCaches {
		if err := os.MkdirAll(p.path(compiledFolder, c.folder), 0o755); err != nil {
			return err
		}
	}
	return nil
}
