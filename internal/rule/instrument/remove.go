package instrument

import "bytes"

const (
	mark    = "  # saturate instrument"
	opening = "# >>> saturate instrument: `saturate instrument --remove` removes this"
	closing = "# <<< saturate instrument"
)

// Remove takes out every line that Write added, and nothing else.
func Remove(text []byte) []byte {
	var out [][]byte
	within := false
	for _, line := range bytes.SplitAfter(text, []byte("\n")) {
		bare := bytes.TrimRight(line, " \t\r\n")
		begins := bytes.HasPrefix(bare, []byte(opening))
		ends := bytes.HasPrefix(bare, []byte(closing))
		ours := within || begins || ends || bytes.HasSuffix(bare, []byte(mark))
		within = (within || begins) && !ends
		switch {
		case !ours:
			out = append(out, line)
		case !bytes.HasSuffix(line, []byte("\n")) && len(out) > 0:
			// The program ended without a newline; the line was added behind one.
			last := bytes.TrimSuffix(bytes.TrimSuffix(out[len(out)-1], []byte("\n")), []byte("\r"))
			out[len(out)-1] = last
		}
	}
	return bytes.Join(out, nil)
}
