package run

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"saturate/internal/human"
)

// longestLine is the longest line of steps that is read; a step takes a few hundred bytes.
const longestLine = 1 << 20

// ImportSteps reads steps in JSON lines, {"step": 7, "s": 0.41, "loss": 2.3}, from any program.
// Only "s" is required; without "step" the steps are counted. Lines that are not steps are left out,
// and notes say which. NaN and Infinity may stand bare, as Python writes them.
func ImportSteps(r io.Reader) (steps []Step, notes []string, err error) {
	lines := bufio.NewReaderSize(r, longestLine)
	var bad badLines
	for number := 1; ; number++ {
		line, err := lines.ReadSlice('\n')
		tooLong := errors.Is(err, bufio.ErrBufferFull)
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = lines.ReadSlice('\n')
		}
		if err != nil && err != io.EOF {
			return steps, bad.notes(), fmt.Errorf("line %d: %w", number, err)
		}
		if number == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		cut := err == io.EOF // a whole line ends with a newline
		switch line = bytes.TrimSpace(line); {
		case tooLong:
			bad.add(number, fmt.Errorf("it is longer than %d bytes", longestLine))
		case len(line) > 0:
			next := 0
			if len(steps) > 0 {
				next = steps[len(steps)-1].Index + 1
			}
			step, err := decodeStep(line, next)
			switch {
			case err == nil:
				steps = append(steps, step)
			case cut:
				bad.cut = fmt.Sprintf("skipped line %d: it is truncated, as when the program is killed", number)
			default:
				bad.add(number, err)
			}
		}
		if err == io.EOF {
			return steps, bad.notes(), nil
		}
	}
}

// badLines gathers what was left out: the first lines one by one, then only their number.
type badLines struct {
	first []string
	more  int
	cut   string
}

func (b *badLines) add(number int, why error) {
	if len(b.first) == 3 {
		b.more++
		return
	}
	b.first = append(b.first, fmt.Sprintf("skipped line %d: %v", number, why))
}

func (b *badLines) notes() []string {
	notes := b.first
	if b.more > 0 {
		notes = append(notes, fmt.Sprintf("skipped %s", human.Plural(b.more, "more line")))
	}
	if b.cut != "" {
		notes = append(notes, b.cut)
	}
	return notes
}

// jsonStep is a Step as it stands in JSON, where NaN and the infinities are strings.
type jsonStep struct {
	Index    *json.Number `json:"step"`
	Seconds  *Number      `json:"s"`
	Parts    jsonParts    `json:"parts,omitempty"`
	Host     jsonParts    `json:"host,omitempty"`
	Samples  Number       `json:"samples,omitempty"`
	Tokens   Number       `json:"tokens,omitempty"`
	Elements Number       `json:"elements,omitempty"`
	Micro    int          `json:"micro,omitempty"`
	Loss     *Number      `json:"loss,omitempty"`
	Tags     []string     `json:"tags,omitempty"`
}

type jsonPart struct {
	Name    string `json:"name"`
	Seconds Number `json:"s"`
}

type jsonParts []jsonPart

func toJSON(parts []Part) (out jsonParts) {
	for _, p := range parts {
		out = append(out, jsonPart{p.Name, Number(p.Seconds)})
	}
	return out
}

func (j jsonParts) parts() (parts []Part) {
	for _, p := range j {
		parts = append(parts, Part{p.Name, float64(p.Seconds)})
	}
	return parts
}

// MarshalJSON writes the step so that NaN and infinite values survive.
func (s Step) MarshalJSON() ([]byte, error) {
	index, seconds := json.Number(strconv.Itoa(s.Index)), Number(s.Seconds)
	return json.Marshal(jsonStep{
		Index: &index, Seconds: &seconds, Parts: toJSON(s.Parts), Host: toJSON(s.Host),
		Samples: Number(s.Samples), Tokens: Number(s.Tokens), Elements: Number(s.Elements), Micro: s.Micro,
		Loss: s.Loss, Tags: s.Tags,
	})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (s *Step) UnmarshalJSON(data []byte) (err error) {
	*s, err = decodeStep(data, 0)
	return err
}

// decodeStep reads a step; index is its number when it does not tell one.
func decodeStep(line []byte, index int) (Step, error) {
	var in jsonStep
	err := json.Unmarshal(line, &in)
	if err != nil {
		// Python writes NaN and Infinity bare.
		if again := json.Unmarshal(quoteBare(line), &in); again != nil {
			return Step{}, errors.New("not a JSON step: " + err.Error())
		}
	}
	if in.Seconds == nil {
		return Step{}, errors.New(`it has no field "s" (seconds per step)`)
	}
	step := Step{
		Index: index, Seconds: float64(*in.Seconds), Parts: in.Parts.parts(), Host: in.Host.parts(),
		Samples: float64(in.Samples), Tokens: float64(in.Tokens), Elements: float64(in.Elements), Micro: in.Micro,
		Loss: in.Loss, Tags: in.Tags,
	}
	if in.Index != nil {
		if step.Index, err = wholeNumber(in.Index.String()); err != nil {
			return Step{}, err
		}
	}
	return step, nil
}

// wholeNumber reads 3, and 3.0 as well, which is what some programs make of an integer.
func wholeNumber(text string) (int, error) {
	if n, err := strconv.Atoi(text); err == nil {
		return n, nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, fmt.Errorf("step %s is not a whole number", text)
	}
	return int(f), nil
}

// quoteBare puts NaN, Infinity and -Infinity into quotes where they stand outside strings.
func quoteBare(line []byte) []byte {
	var out []byte
	inString := false
	for i := 0; i < len(line); i++ {
		c := line[i]
		if inString {
			out = append(out, c)
			if c == '\\' && i+1 < len(line) {
				i++
				out = append(out, line[i])
			}
			inString = c != '"'
			continue
		}
		bare := ""
		for _, word := range []string{"NaN", "Infinity", "-Infinity"} {
			if bytes.HasPrefix(line[i:], []byte(word)) {
				bare = word
			}
		}
		if bare != "" {
			out = append(append(append(out, '"'), bare...), '"')
			i += len(bare) - 1
			continue
		}
		out = append(out, c)
		inString = c == '"'
	}
	return out
}
