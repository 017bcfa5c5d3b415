package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestBundleIsBuilt: the committed page was made from the committed source.
func TestBundleIsBuilt(t *testing.T) {
	var paths []string
	for _, dir := range []string{"src", "vendor"} {
		err := filepath.WalkDir(filepath.Join("ui", dir), func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				paths = append(paths, strings.TrimPrefix(filepath.ToSlash(path), "ui/"))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	paths = append(paths, "build.sh", "../../report/plot/plot.css")
	slices.Sort(paths)
	var list bytes.Buffer
	for _, path := range paths {
		data, err := os.ReadFile(filepath.Join("ui", filepath.FromSlash(path)))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&list, "%x  %s\n", sha256.Sum256(data), path)
	}
	sum := sha256.Sum256(list.Bytes())
	want, err := os.ReadFile(filepath.Join("ui", "dist", "sources.sha256"))
	if err != nil {
		t.Fatal(err)
	}
	if got := hex.EncodeToString(sum[:]); got != strings.TrimSpace(string(want)) {
		t.Error("the bundle is older than its source; run `make gen`")
	}
}

// TestBundleIsReproducible builds the page again.
func TestBundleIsReproducible(t *testing.T) {
	if os.Getenv("SATURATE_ACCEPT") == "" {
		t.Skip("compiles esbuild; set SATURATE_ACCEPT=1")
	}
	before := map[string][]byte{}
	for name := range kinds {
		before[name], _ = os.ReadFile(filepath.Join("ui", "dist", name))
	}
	if out, err := exec.Command("bash", filepath.Join("ui", "build.sh")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name := range kinds {
		if after, _ := os.ReadFile(filepath.Join("ui", "dist", name)); !bytes.Equal(after, before[name]) {
			t.Errorf("%s comes out differently", name)
		}
	}
}

// TestBundleIsSmall: the page must come through a slow tunnel.
func TestBundleIsSmall(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	for name := range kinds {
		data, err := assets.ReadFile("ui/dist/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := z.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	z.Close()
	if packed.Len() > 100_000 {
		t.Errorf("the page is %d bytes, compressed", packed.Len())
	}
	t.Logf("%d bytes, compressed", packed.Len())
}
