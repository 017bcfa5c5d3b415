// Command gen writes the assembly of package kernel, for AVX-512 and for AVX2, into the folder
// named by -o.
//
// isa.go is what the two have in common and how each masks the end of a row; panel.go is the inner
// loop of products, pack.go brings operands into its layout, rows.go has the loops over a row.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

func main() {
	folder := flag.String("o", "..", "folder to write into")
	flag.Parse()
	for _, t := range []*isa{newAVX512(), newAVX2()} {
		if err := t.write(*folder); err != nil {
			fmt.Fprintln(os.Stderr, "gen:", err)
			os.Exit(1)
		}
	}
}

func (t *isa) write(folder string) error {
	t.ConstraintExpr("amd64,!noasm")
	t.writePanel()
	if !t.wide {
		t.writeTranspose() // serves both
	}
	t.writePack()
	t.writeLargest()
	t.writeExps()
	t.writeTimes()
	t.writeStreams()
	t.writeConstants()
	file, err := t.Result()
	if err != nil {
		return err
	}
	if err := pass.Compile.Execute(file); err != nil {
		return err
	}
	text, err := printer.NewGoAsm(printer.Config{Name: "internal/bench/kernel/_gen", Pkg: "kernel"}).Print(file)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "loops_"+t.file+"_amd64.s"), text, 0o644)
}
