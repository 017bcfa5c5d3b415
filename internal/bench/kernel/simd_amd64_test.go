//go:build !noasm

package kernel

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"unsafe"
)

// TestLayoutOfCalls compares the offsets that the generator uses with those of the Go types.
func TestLayoutOfCalls(t *testing.T) {
	var source []byte
	for _, name := range []string{"panel.go", "pack.go", "rows.go"} {
		text, err := os.ReadFile(filepath.Join("_gen", name))
		if err != nil {
			t.Fatal(err)
		}
		source = append(source, text...)
	}
	var panel panelCall
	var pack packCall
	var row rowCall
	for name, offset := range map[string]uintptr{
		"panelC": unsafe.Offsetof(panel.c), "panelCStep": unsafe.Offsetof(panel.cStep), "panelA": unsafe.Offsetof(panel.a),
		"panelAStep": unsafe.Offsetof(panel.aStep), "panelB": unsafe.Offsetof(panel.b), "panelRows": unsafe.Offsetof(panel.rows),
		"panelDepth": unsafe.Offsetof(panel.depth), "panelAdd": unsafe.Offsetof(panel.add), "panelTwo": unsafe.Offsetof(panel.two),
		"panelLast": unsafe.Offsetof(panel.last),
		"packTo":    unsafe.Offsetof(pack.to), "packToStep": unsafe.Offsetof(pack.toStep), "packFrom": unsafe.Offsetof(pack.from),
		"packFromStep": unsafe.Offsetof(pack.fromStep), "packCount": unsafe.Offsetof(pack.count),
		"rowTo": unsafe.Offsetof(row.to), "rowA": unsafe.Offsetof(row.a), "rowB": unsafe.Offsetof(row.b), "rowCount": unsafe.Offsetof(row.count),
		"rowLargest": unsafe.Offsetof(row.largest), "rowFactor": unsafe.Offsetof(row.factor), "rowResult": unsafe.Offsetof(row.result),
	} {
		m := regexp.MustCompile(`(?m)^\t` + name + `\s+= (\d+)`).FindSubmatch(source)
		if m == nil {
			t.Errorf("the generator has no offset %s", name)
			continue
		}
		if n, _ := strconv.Atoi(string(m[1])); uintptr(n) != offset {
			t.Errorf("%s lies at %d, the generator has %d", name, offset, n)
		}
	}
}
