package project

import (
	"strings"
	"testing"
)

// TestShownCommands reads a README whose sentences hold code between three signs, and blocks that hold other fences.
func TestShownCommands(t *testing.T) {
	text := "Put it into\n```data/```.\n\n```bash\npython a.py\n```\nand then\n````\n```python\npython b.py\n```\n````\nnot python c.py\n~~~\npython d.py\n~~~\n"
	got := strings.Fields(string(shownCommands([]byte(text))))
	if want := "python a.py ```python python b.py ``` python d.py"; strings.Join(got, " ") != want {
		t.Errorf("shown is %q, want %q", strings.Join(got, " "), want)
	}
}
