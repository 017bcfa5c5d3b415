package rows

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"strings"
	"testing"
)

// FuzzTable compares with encoding/csv wherever that takes a table, and every row is as wide as the first.
func FuzzTable(f *testing.F) {
	for _, text := range []string{"a,b\n1,\"x\"\n", "a,b\n\n\"1\n\"\"2\",\n", "a\n\"", "a,b\n1,2,3\n", "\"a\",\"\"\n\"\",x\"\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := csv.NewReader(strings.NewReader(text))
		want, theirs := r.ReadAll()
		if strings.Contains(text, "\r") {
			t.Skip() // ends of lines are trimmed otherwise
		}
		var got [][]string
		ours := table(bufio.NewReader(strings.NewReader(text)), ',', func(row Row) error {
			var cells []string
			for _, c := range row.Cells {
				cells = append(cells, c.Text)
			}
			got = append(got, cells)
			return nil
		})
		if theirs != nil || len(want) == 0 {
			return
		}
		if ours != nil || fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want[1:]) {
			t.Errorf("%q: %q and %v, want %q", text, got, ours, want[1:])
		}
	})
}
