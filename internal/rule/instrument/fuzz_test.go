package instrument

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
)

// FuzzWrite: whatever the program, what Write adds Remove takes out, and Remove alone never adds or repeats.
func FuzzWrite(f *testing.F) {
	for _, name := range programs {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte("import torch\nfor x in y:\n  l = model(x)\n  l.backward()\n  optimizer.step()"))
	f.Add([]byte(opening + "\nx = 1\n" + closing))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, program []byte) {
		bare := Remove(program)
		if len(bare) > len(program) || !bytes.Equal(Remove(bare), bare) {
			t.Fatalf("Remove of %q gives %q", program, bare)
		}
		path := filepath.Join(dir, "train.py")
		if err := os.WriteFile(path, program, 0o644); err != nil {
			t.Fatal(err)
		}
		result, err := Write(context.Background(), path, program)
		if err == nil && !bytes.Equal(Remove(result.Text), bare) {
			t.Fatalf("of %q Write and Remove leave %q", program, Remove(result.Text))
		}
	})
}
