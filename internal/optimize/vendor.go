package optimize

import (
	"bytes"
	"os"
	"path/filepath"

	"saturate/internal/patch"
	"saturate/python"
)

const (
	replayModule   = "saturate_gpu.replay"
	vendoredReplay = "saturate_replay" // the same as a module of the project
)

// vendor lets changes import the project's own copy of what they need, beside the outermost package of the file that
// imports it.
func (p *protocol) vendor(t tree, changes []patch.Change) []patch.Change {
	if !p.Vendor {
		return changes
	}
	var copies []patch.Change
	for i, c := range changes {
		if !bytes.Contains(c.New, []byte(replayModule)) {
			continue
		}
		changes[i].New = bytes.ReplaceAll(c.New, []byte(replayModule), []byte(vendoredReplay))
		path := c.Path
		if !filepath.IsAbs(path) {
			path = filepath.Join(t.dir, path)
		}
		copies = append(copies, patch.Change{Path: filepath.Join(outsidePackages(filepath.Dir(path)), vendoredReplay+".py"), New: []byte(python.Text("replay"))})
	}
	return append(changes, copies...)
}

// outsidePackages is the folder that imports begin in.
func outsidePackages(dir string) string {
	for {
		if _, err := os.Stat(filepath.Join(dir, "__init__.py")); err != nil || filepath.Dir(dir) == dir {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}
