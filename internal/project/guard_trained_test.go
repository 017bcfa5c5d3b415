package project

import (
	"strings"
	"testing"

	"saturate/internal/pysrc"
)

// What is missing may be made by a function, also behind a comment that is written as a text.
func TestFillsByCall(t *testing.T) {
	for name, c := range map[string]struct {
		body  string
		fills bool
	}{
		"a call":             {"self.make()", true},
		"a text, and a call": {"\"\"\"Made when it is first asked for.\"\"\"\n            self.make()", true},
		"a text alone":       {"\"\"\"Nothing to do.\"\"\"", false},
		"another call":       {"self.show()", false},
	} {
		t.Run(name, func(t *testing.T) {
			p := loadText(t, map[string]string{"table.py": "class Table:\n    def make(self):\n        self.rows = [1]\n\n    def show(self):\n        print(self.rows)\n\n" +
				"    def get(self):\n        if self.rows is None:\n            " + c.body + "\n        return self.rows\n"})
			m := p.Modules[0]
			test := m.StatementAt(int32(strings.Index(string(m.Text), "if self.rows"))).(*pysrc.If)
			if got := m.fillsByCall(test); got != c.fills {
				t.Errorf("fills: %v, want %v", got, c.fills)
			}
		})
	}
}
