package files

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestMakeOwn(t *testing.T) {
	theirs := t.TempDir()
	ours := filepath.Join(theirs, "runs")
	for _, dir := range []string{theirs, ours, ours} {
		if err := MakeOwn(dir); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(filepath.Join(ours, ".gitignore")); err != nil || string(text) != "*\n" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(theirs, ".gitignore")); err == nil {
		t.Error("a folder of the user's got a .gitignore")
	}
	if err := MakeOwn(filepath.Join(ours, ".gitignore")); err == nil {
		t.Error("a file passes for a folder")
	}
	// Killed between the folder and the file.
	begun := filepath.Join(theirs, "begun")
	if err := errors.Join(os.Mkdir(begun, 0o700), os.WriteFile(Beside(filepath.Join(begun, ".gitignore")), nil, 0o600), MakeOwn(begun)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(begun, ".gitignore")); err != nil {
		t.Error(err)
	}
}
