package run

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// FuzzSteps reads any bytes as steps.jsonl. What was understood must survive being written and read again.
func FuzzSteps(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		steps, _, err := ImportSteps(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		Steady(steps)
		Parts(steps)
		var again bytes.Buffer
		for _, s := range steps {
			line, err := json.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			again.Write(append(line, '\n'))
		}
		read, notes, err := ImportSteps(&again)
		if err != nil || len(notes) != 0 {
			t.Fatalf("written steps cannot be read: %v, %v", notes, err)
		}
		if diff := cmp.Diff(steps, read, sameNumbers, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("written and read again:\n%s", diff)
		}
	})
}

// FuzzManifest reads any bytes as run.json. It is Damaged and says why, or it can be written and read again.
func FuzzManifest(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		r := decodeManifest(data)
		for _, a := range r.Artefacts {
			if !filepath.IsLocal(a.Path) {
				t.Errorf("artefact %q lies outside", a.Path)
			}
		}
		if r.State == Damaged {
			return
		}
		written, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if again := decodeManifest(written); again.State != r.State || again.ID != r.ID || len(again.Series) != len(r.Series) {
			t.Errorf("%+v became %+v", r, again)
		}
	})
}
