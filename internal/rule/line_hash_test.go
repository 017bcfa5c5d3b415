package rule

import (
	"slices"
	"testing"
)

// The values are those that GitHub's own implementation is tested with.
func TestLineHashes(t *testing.T) {
	trailing := []string{
		"e9496ae3ebfced30:1", "fb7c023a8b9ccb3f:1", "ce8ba1a563dcdaca:1", "e20e36e16fcb0cc8:1", "b3edc88f2938467e:1",
		"c8e28b0b4002a3a0:1", "c129715d7a2bc9a3:1",
	}
	for text, want := range map[string][]string{
		"":                   {"c129715d7a2bc9a3:1"},
		" a\nb\n  \t\tc\n d": {"271789c17abda88f:1", "54703d4cd895b18:1", "180aee12dab6264:1", "a23a3dc5e078b07b:1"},
		" hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End": {
			"8b7cf3e952e7aeb2:1", "b1ae1287ec4718d9:1", "bff680108adb0fcc:1", "c6805c5e1288b612:1", "b86d3392aea1be30:1",
			"e6ceba753e1a442:1",
		},
		" hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End\n":             trailing,
		" hello; \t\r\nworld!!!\r\n\r\n\r\n  \t\tGreetings\r\n End\r\n": trailing,
		" hello; \t\nworld!!!\r\r\r  \t\tGreetings\r End\r":             trailing,
	} {
		var got []string
		hashes := lineHashesOf([]byte(text))
		for i := range hashes {
			got = append(got, hashes.of(i+1))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
