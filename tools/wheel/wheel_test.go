package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"saturate/python"
)

func made(t *testing.T, p platform) []byte {
	t.Helper()
	data, err := pack(p, "0.1.0", []byte("\x7fELF binary"), python.Package(), time.Unix(1_700_000_000, 0).UTC())
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestTwoBuildsAreTheSame(t *testing.T) {
	t.Chdir("../..")
	if !bytes.Equal(made(t, platforms[0]), made(t, platforms[0])) {
		t.Error("two wheels of the same files differ")
	}
}

// What pip reads: every file with its hash, the tags of the name, the binary where scripts go, and executable.
func TestWheelIsWhole(t *testing.T) {
	t.Chdir("../..")
	for _, p := range platforms {
		t.Run(p.tag, func(t *testing.T) {
			data := made(t, p)
			z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
			if err != nil {
				t.Fatal(err)
			}
			texts := map[string]string{}
			for _, f := range z.File {
				r, err := f.Open()
				if err != nil {
					t.Fatal(err)
				}
				text, err := io.ReadAll(r)
				if err != nil {
					t.Fatal(err)
				}
				texts[f.Name] = string(text)
				if want := strings.Contains(f.Name, ".data/scripts/"); f.Mode()&0o111 != 0 != want {
					t.Errorf("%s has mode %v", f.Name, f.Mode())
				}
			}
			if z.File[len(z.File)-1].Name != "saturate_gpu-0.1.0.dist-info/RECORD" {
				t.Error("RECORD is not the last file")
			}
			var want strings.Builder
			for _, f := range z.File {
				if strings.HasSuffix(f.Name, "/RECORD") {
					fmt.Fprintf(&want, "%s,,\n", f.Name)
					continue
				}
				sum := sha256.Sum256([]byte(texts[f.Name]))
				fmt.Fprintf(&want, "%s,sha256=%s,%d\n", f.Name, base64.RawURLEncoding.EncodeToString(sum[:]), len(texts[f.Name]))
			}
			if got := texts["saturate_gpu-0.1.0.dist-info/RECORD"]; got != want.String() {
				t.Errorf("RECORD is\n%s\nwant\n%s", got, want.String())
			}
			for tag := range strings.SplitSeq(p.tag, ".") {
				if !strings.Contains(texts["saturate_gpu-0.1.0.dist-info/WHEEL"], "Tag: py3-none-"+tag+"\n") {
					t.Errorf("WHEEL lacks the tag %s", tag)
				}
			}
			for _, name := range []string{"saturate_gpu/py.typed", "saturate_gpu/__init__.py", "saturate_gpu/lab/torch_attention.py", "saturate_gpu-0.1.0.data/scripts/" + p.binary()} {
				if _, ok := texts[name]; !ok {
					t.Errorf("%s is missing", name)
				}
			}
		})
	}
}

// A binary that does not keep its tag's promise is refused.
func TestCheck(t *testing.T) {
	musl := platforms[2]
	if !musl.static {
		t.Fatal("the third platform is not musl's")
	}
	if err := musl.check([]byte("not a program")); err == nil {
		t.Error("not ELF, and accepted")
	}
}

func TestVersion(t *testing.T) {
	for version, want := range map[string]string{"0.1.0": "0.1.0", "1.2.3-rc.1": "1.2.3rc1", "1.2.3-beta2": "1.2.3b2", "1.2.3-dev.4": "1.2.3.dev4"} {
		if got, err := pep440(version); got != want || err != nil {
			t.Errorf("%s is %q, %v; want %q", version, got, err, want)
		}
	}
	for _, version := range []string{"", "1.2", "v1.2.3", "1.2.3-snapshot"} {
		if got, err := pep440(version); err == nil {
			t.Errorf("%s is accepted, as %s", version, got)
		}
	}
}
