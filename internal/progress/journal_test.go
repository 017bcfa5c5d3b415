package progress

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// TestJournal: a task's beginning and end are in the file, also when nothing is shown, and the file goes with the
// command.
func TestJournal(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "live")
	j := &Journal{Folder: folder, Command: "mel"}
	d := &Display{Quiet: true, Journal: j}
	task := d.Start("building", "files", 10)
	task.Add(7)
	task.Note("a.wav")
	task.Done()
	j.Result(Result{Name: "SAT101", Outcome: "kept", Before: 1, After: 0.5})
	found, err := filepath.Glob(filepath.Join(folder, "mel-*"+JournalEnding))
	if err != nil || len(found) != 1 {
		t.Fatalf("%v %v", found, err)
	}
	data, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	var lines []Line
	for raw := range bytes.Lines(data) {
		var l Line
		if err := json.Unmarshal(raw, &l); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, l)
	}
	tried := lines[len(lines)-1].Result
	if tried == nil || tried.Name != "SAT101" || tried.After != 0.5 {
		t.Errorf("the result is not the last line: %+v", tried)
	}
	last := lines[len(lines)-2]
	if lines[0].Ended || lines[0].Label != "building" || !last.Ended || last.Done != 7 || last.Total != 10 || last.Note != "a.wav" || last.Command != "mel" {
		t.Errorf("%+v", lines)
	}
	j.Close()
	if _, err := os.Stat(found[0]); err == nil {
		t.Error("the file is still there")
	}
}
