package optimize

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"saturate/internal/patch"
)

// With --vendor, a recorded step imports a copy in the folder that imports begin in; without it, nothing changes.
func TestVendoredReplay(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"code/net/__init__.py", "code/net/parts/__init__.py"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const text = "import saturate_gpu.replay\n\n@saturate_gpu.replay.replayed(optimizer)\n"
	changes := func() []patch.Change {
		return []patch.Change{{Path: "code/net/parts/loop.py", New: []byte(text)}, {Path: "other.py", New: []byte("import torch\n")}}
	}
	p := &protocol{}
	if got := p.vendor(tree{dir: dir}, changes()); len(got) != 2 || string(got[0].New) != text {
		t.Errorf("without --vendor it becomes %q", got)
	}
	p.Vendor = true
	got := p.vendor(tree{dir: dir}, changes())
	if len(got) != 3 || strings.Contains(string(got[0].New), "saturate_gpu") {
		t.Fatalf("%d changes, the first: %s", len(got), got[0].New)
	}
	if want := filepath.Join(dir, "code", "saturate_replay.py"); got[2].Path != want || !strings.Contains(string(got[2].New), "class Replay") {
		t.Errorf("the copy is %s, want %s", got[2].Path, want)
	}
}
