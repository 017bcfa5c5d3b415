package shard

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Worker 0 of 2 has finished and takes over what worker 1, which is dead, left. Another helper finds nothing to do, and
// the dead worker's successor skips all.
func TestTakeOver(t *testing.T) {
	s := &folder{dir: t.TempDir()}
	p := planned(t, s, 10, 1)
	var made []int
	make := func(_ context.Context, j Job) (Made, error) {
		made = append(made, j.Shard)
		path := filepath.Join(j.Dir, "out")
		return Made{Rows: 1, Files: []Piece{{"shards/" + Name(j.Shard), path}}}, os.WriteFile(path, j.Lines, 0o600)
	}
	mine, others := Which{0, 2, ""}.Mine(10), Which{1, 2, ""}.Mine(10)
	if _, err := Work(t.Context(), s, p, mine, make, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := Work(t.Context(), s, p, others[:1], make, nil); err != nil { // and then it died
		t.Fatal(err)
	}
	w, err := TakeOver(t.Context(), s, p, mine, make, nil)
	if err != nil || w.Published != 4 {
		t.Error(w, err)
	}
	if w, err := TakeOver(t.Context(), s, p, mine, make, nil); err != nil || w.Shards != 0 {
		t.Error(w, err)
	}
	if w, err := Work(t.Context(), s, p, others, make, nil); err != nil || w.Skipped != 5 {
		t.Error(w, err)
	}
	slices.Sort(made)
	if len(made) != 10 || len(slices.Compact(made)) != 10 {
		t.Error(made)
	}
}
