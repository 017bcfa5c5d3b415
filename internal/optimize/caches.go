package optimize

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// compileCaches are the variables for torch.compile's cache folders, and the folders in the state folder that they are
// set to, so that a run reuses what an earlier one compiled. Kernels are looked up by content, so no program gets
// another's.
var compileCaches = []struct{ variable, folder string }{
	{"TORCHINDUCTOR_CACHE_DIR", "inductor"}, {"TRITON_CACHE_DIR", "triton"}, {"CUDA_CACHE_PATH", "cuda"},
}

const compiledFolder = "compiled"

// WithCaches returns an environment in which the programs of a protocol share compiled code. The user's own variables
// win.
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
