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
			{".", "thesis", "did not create"},
			{".", ".", "did not create"},
			{"list.csv", "..", "did not create"},
			{"0000.wav", "0000.wav", "is or contains the input 0000.wav, which --replace would delete"},
			{"list.csv", "list.csv", "is or contains the input list.csv, which --replace would delete"},
			{".", "/", "cannot be an output"},
			{".", os.DevNull, "is a link or a device"},
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

// An output of other inputs is refused with what is not the same: a list that was changed, a column that has come, a
// folder that is called otherwise.
func TestOtherInputs(t *testing.T) {
	for _, to := range FormatNames() {
		dir := corpus(t, 3)
		list := func(text string) { write(t, filepath.Join(dir, "metadata.csv"), []byte(text)) }
		o := small(t, dir, to)
		o.Replace = true
		for _, tt := range []struct{ before, beforeArg, after, afterArg, want string }{
			{"file_name\n0000.wav\n", "metadata.csv", "file_name,text\n0000.wav,one\n", "metadata.csv", "the inputs have a new column text"},
			{"file_name,text\n0000.wav,one\n", "metadata.csv", "file_name\n0000.wav\n", "metadata.csv", "the inputs no longer have a column text"},
			{"file_name\n0000.wav\n", "metadata.csv", "file_name\n0000.wav\n0001.wav\n", "metadata.csv", "it has no row for 0001.wav"},
			{"file_name\n0000.wav\n0001.wav\n", "metadata.csv", "file_name\n0000.wav\n", "metadata.csv", "it has a row for 0001.wav, which is no longer an input"},
			{"file_name,text\n0000.wav,one\n", "metadata.csv", "file_name,text\n0000.wav,two\n", "metadata.csv", "the list of inputs changed"},
			{"file_name\n0000.wav\n", "0000.wav", "", filepath.Join(dir, "0000.wav"), filepath.Join(dir, "0000.wav") + " was given as 0000.wav, and"},
		} {
			list(tt.before)
			build(t, find(t, dir, tt.beforeArg), o)
			list(tt.after)
			again := o
			again.Replace = false
			_, err := Build(t.Context(), find(t, dir, tt.afterArg), again)
			if err == nil || !strings.Contains(err.Error(), "exists with different settings: "+tt.want) {
				t.Errorf("%s: %v, want %q", to, err, tt.want)
			}
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
		if _, err := Build(t.Context(), find(t, dir), o); err == nil || !strings.Contains(err.Error(), "and not an unfinished output") {
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
