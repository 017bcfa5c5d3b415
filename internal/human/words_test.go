package human

import "testing"

func TestPlural(t *testing.T) {
	for n, want := range map[int]string{0: "0 files", 1: "1 file", 2: "2 files", 1500: "1,500 files", 9999999: "9,999,999 files"} {
		if got := Plural(n, "file"); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func TestAndAndShell(t *testing.T) {
	for want, words := range map[string][]string{"": nil, "a": {"a"}, "a and b": {"a", "b"}, "a, b and c": {"a", "b", "c"}} {
		if got := And(words); got != want {
			t.Errorf("%q: %q, want %q", words, got, want)
		}
	}
	for word, want := range map[string]string{"": "''", "a=b/c.py": "a=b/c.py", "a b'c": `'a b'\''c'`, "$HOME": "'$HOME'", "é": "'é'"} {
		if got := Shell(word); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
}

// TestShellOnOneLine: a word that is shown to be pasted stays one word of one line, whatever it holds.
func TestShellOnOneLine(t *testing.T) {
	for text, want := range map[string]string{
		"a\nrm -rf x": `$'a\nrm -rf x'`, "a\x1b'b": `$'a\x1b\'b'`, "\u202e": `$'\u202e'`, "$(x)": `'$(x)'`, "\xff": `$'\xff'`, "a b": "'a b'",
	} {
		if got := Shell(text); got != want {
			t.Errorf("Shell(%q) = %s, want %s", text, got, want)
		}
	}
}
