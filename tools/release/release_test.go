package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestArchive(t *testing.T) {
	var extra []file
	for _, name := range []string{"LICENSE", "man/saturate.1", "man/saturate-scan.1", "completions/saturate.bash", "completions/_saturate"} {
		extra = append(extra, file{name, []byte(name), 0o644})
	}
	base := filepath.Join(t.TempDir(), "saturate_1_linux_amd64")
	path, err := pack(base, file{"saturate", []byte("program"), 0o755}, extra)
	if err != nil || !strings.HasSuffix(path, ".tar.gz") {
		t.Fatal(path, err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	modes := map[string]int64{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		modes[h.Name] = h.Mode
	}
	if modes["saturate_1_linux_amd64/saturate"] != 0o755 || modes["saturate_1_linux_amd64/man/saturate.1"] != 0o644 {
		t.Errorf("modes %v", modes)
	}
	if path, err := pack(base, file{"saturate.exe", []byte("program"), 0o755}, extra); err != nil || !strings.HasSuffix(path, ".zip") {
		t.Error(path, err)
	}
	if _, err := pack(base, file{"saturate", nil, 0o755}, extra[1:]); err == nil {
		t.Error("an archive without a licence is accepted")
	}
}

func TestSBOM(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	data, err := sbom(binary)
	if err != nil {
		t.Fatal(err)
	}
	var bom struct {
		BOMFormat  string
		Components []component
	}
	if err := json.Unmarshal(data, &bom); err != nil || bom.BOMFormat != "CycloneDX" || len(bom.Components) == 0 || bom.Components[0].Name != "std" {
		t.Errorf("%+v, %v", bom, err)
	}
	if _, err := sbom([]byte("no program")); err == nil {
		t.Error("what is not a program has an SBOM")
	}
}
