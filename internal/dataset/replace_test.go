package dataset

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// --replace removes outputs, and nothing that anybody else made or that the build reads.
func TestReplaceSparesOthers(t *testing.T) {
	for _, to := range FormatNames() {
		dir := corpus(t, 3)
		write(t, filepath.Join(dir, "thesis", "chapter 1.txt"), []byte("precious"))
		write(t, filepath.Join(dir, "list.csv"), []byte("path\n0000.wav\n"))
		before := fingerprint(t, dir)
		o := small(t, dir, to)
		o.Replace = true
		for _, tt := range []struct{ input, output, want string }{
			{".", "thesis", "did not make"},
			{".", ".", "did not make"},
			{"list.csv", "..", "did not make"},
			{"0000.wav", "0000.wav", "where the input 0000.wav is read from"},
			{"list.csv", "list.csv", "where the input list.csv is read from"},
			{".", "/", "cannot be an output"},
			{".", os.DevNull, "neither a plain file nor a folder"},
		} {
			o.Output = o.path(tt.output)
			if _, err := Build(t.Context(), find(t, dir, tt.input), o); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s, %s: %v, want %q", to, tt.output, err, tt.want)
			}
		}
		if after := fingerprint(t, dir); after != before {
			t.Fatalf("%s: --replace changed somebody else's files", to)
		}
		// A file, an empty folder and an output of another format go.
		o.Output = filepath.Join(t.TempDir(), "out")
		write(t, o.Output, []byte("notes"))
		build(t, find(t, dir), o)
		for _, other := range FormatNames() {
			o.To = other
			build(t, find(t, dir), o)
		}
	}
}

// The hint does not advise what will be refused, and an empty folder is as good as none.
func TestExistingFolder(t *testing.T) {
	dir := corpus(t, 3)
	for _, to := range []string{"npy", "webdataset"} {
		o := small(t, dir, to)
		if err := os.Mkdir(o.Output, 0o755); err != nil {
			t.Fatal(err)
		}
		build(t, find(t, dir), o)
		o.Output = filepath.Join(t.TempDir(), "mine")
		write(t, filepath.Join(o.Output, "notes"), []byte("x"))
		_, err := Build(t.Context(), find(t, dir), o)
		if err == nil || !strings.Contains(err.Error(), "attributes.json: no such file") || strings.Contains(err.Error(), "--replace") {
			t.Errorf("%s: %v", to, err)
		}
		// Nor is a folder taken that has the name of an unfinished output.
		o.Output = filepath.Join(t.TempDir(), "fresh")
		write(t, filepath.Join(PartName(o.Output), "notes"), []byte("x"))
		if _, err := Build(t.Context(), find(t, dir), o); err == nil || !strings.Contains(err.Error(), "no journal says that it is an unfinished output") {
			t.Errorf("%s: %v", to, err)
		}
		if _, err := os.Stat(filepath.Join(PartName(o.Output), "notes")); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(journalName(o.Output)); err == nil {
			t.Errorf("%s: a journal is left", to)
		}
	}
}
