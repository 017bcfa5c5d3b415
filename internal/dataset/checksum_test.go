package dataset

import (
	"slices"
	"testing"
)

// Without checksums the features are the same, an output has no such column, and inputs are still compared by what they
// give.
func TestNoChecksum(t *testing.T) {
	for _, to := range FormatNames() {
		dir := corpus(t, 20)
		l := find(t, dir)
		var equal [2]int
		for i, sum := range []string{CRC32C, NoChecksum} {
			o := small(t, dir, to)
			o.Checksum = sum
			build(t, l, o)
			b, _, err := openAny(o.Output)
			if err != nil {
				t.Fatal(err)
			}
			if has := b.texts["checksum"] != nil; has != (sum != NoChecksum) {
				t.Errorf("%s, checksum %s: a column of them: %v", to, sum, has)
			}
			b.close()
			c, err := Check(t.Context(), o.Output, Options{Dir: dir}, 0)
			if err != nil || len(c.Problems) > 0 || c.Equal == 0 {
				t.Errorf("%s, checksum %s: %+v, %v", to, sum, c, err)
			}
			equal[i] = c.Equal
			if sum == NoChecksum {
				name := l.Items[slices.IndexFunc(l.Items, func(it Item) bool { return it.Size > 1000 })].Path
				write(t, o.path(name), wav(t, 16000, 1, voice(9000, 99)))
				if c, err := Check(t.Context(), o.Output, Options{Dir: dir}, 0); err != nil || len(c.Problems) == 0 {
					t.Errorf("%s: a changed input was not noticed: %+v, %v", to, c, err)
				}
			}
		}
		if equal[0] != equal[1] {
			t.Errorf("%s: %d rows are equal with checksums, %d without", to, equal[0], equal[1])
		}
	}
}
