package project

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestGrowth: files that somebody made to be expensive are read in a time that grows with their length.
func TestGrowth(t *testing.T) {
	dir := t.TempDir()
	var chain, diamonds, wide strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&chain, "class C%d(C%d): pass\n", i, i+1)
		fmt.Fprintf(&wide, "class W%d(Wide, C0): pass\n", i)
	}
	for i := range 60 { // 2 to the 60 ways up
		fmt.Fprintf(&diamonds, "class L%d(L%d, R%d): pass\nclass R%d(R%d, L%d): pass\n", i, i+1, i+1, i, i+1, i+1)
	}
	write(t, filepath.Join(dir, "chain.py"), []byte(chain.String()))
	write(t, filepath.Join(dir, "diamonds.py"), []byte(diamonds.String()))
	write(t, filepath.Join(dir, "wide.py"), []byte("class Top: pass\nclass Wide(Top): pass\n"+wide.String()))
	cell := `{"cell_type": "code", "source": "%matplotlib inline"},`
	write(t, filepath.Join(dir, "cells.ipynb"), []byte(`{"cells": [`+strings.TrimSuffix(strings.Repeat(cell, 20000), ",")+`]}`))
	write(t, filepath.Join(dir, "long.ipynb"), []byte(`{"cells": [{"cell_type": "code", "source": "`+strings.Repeat(`x = 1\n`, 1<<20)+`"}]}`))
	p := load(t, dir)
	var said []string
	for _, w := range p.Warnings {
		said = append(said, w.Message)
	}
	if len(said) != 1 || !strings.Contains(said[0], "its cells have 6,291,456 bytes of Python; the limit is 5,242,880") {
		t.Errorf("warnings %q", said)
	}
	for _, m := range p.Modules {
		for _, c := range m.Classes {
			if c.Derives("torch.nn.Module") || c.LibraryBase() == "torch.nn.Module" {
				t.Fatalf("%s derives from a class that nobody named", c.FullName())
			}
		}
	}
}
