package human

import "testing"

func TestExit(t *testing.T) {
	for code, want := range map[int]string{
		0: "exit code 0", 3: "exit code 3", -1: "exit code -1", 137: "exit code 137 (killed; memory may have run out)", 200: "exit code 200",
	} {
		if got := Exit(code); got != want {
			t.Errorf("%d is %q, want %q", code, got, want)
		}
	}
}
