package project

import (
	"encoding/json"
	"errors"
	"fmt"

	"saturate/internal/pysrc"
)

// parseJSON reads a JSON file. It skips comments and trailing commas, which many tools allow.
func parseJSON(f *Settings) error {
	r := &jsonReader{file: f, text: f.Text, limit: mostNodes}
	r.space()
	top, err := r.value(nil)
	if err != nil {
		return err
	}
	if top.Kind != MappingSetting {
		return errNoSettings
	}
	f.Top = top
	return nil
}

// errNoSettings is the error for a valid file that holds data, not settings.
var errNoSettings = errors.New("it is not a mapping")

type jsonReader struct {
	file  *Settings
	text  []byte
	at    int
	depth int
	count int
	limit int
}

func (r *jsonReader) fail(what string) error {
	line, column := r.file.position(int32(r.at))
	return fmt.Errorf("line %d, column %d: %s", line, column, what)
}

func (r *jsonReader) space() {
	for r.at < len(r.text) {
		switch c := r.text[r.at]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			r.at++
		case c == '/' && r.at+1 < len(r.text) && r.text[r.at+1] == '/':
			for r.at < len(r.text) && r.text[r.at] != '\n' {
				r.at++
			}
		default:
			return
		}
	}
}

func (r *jsonReader) peek() byte {
	if r.at < len(r.text) {
		return r.text[r.at]
	}
	return 0
}

func (r *jsonReader) value(parent *Setting) (*Setting, error) {
	r.depth++
	defer func() { r.depth-- }()
	if r.count++; r.count > r.limit {
		return nil, errTooBig
	}
	if r.depth > 200 {
		return nil, r.fail("it is nested more than 200 levels deep")
	}
	s := &Setting{File: r.file, Parent: parent, Span: pysrc.Span{Start: int32(r.at)}}
	var err error
	switch c := r.peek(); {
	case c == '{':
		err = r.mapping(s)
	case c == '[':
		err = r.list(s)
	case c == '"':
		s.Scalar.Type = String
		s.Scalar.Text, err = r.str()
	default:
		err = r.word(s)
	}
	s.Span.End = int32(r.at)
	return s, err
}

func (r *jsonReader) mapping(s *Setting) error {
	s.Kind = MappingSetting
	for r.at++; ; {
		r.space()
		if r.peek() == '}' {
			r.at++
			return nil
		}
		start := r.at
		key, err := r.str()
		if err != nil {
			return err
		}
		keySpan := pysrc.Span{Start: int32(start), End: int32(r.at)}
		if r.space(); r.peek() != ':' {
			return r.fail("missing colon")
		}
		r.at++
		r.space()
		c, err := r.value(s)
		if err != nil {
			return err
		}
		c.Key, c.KeySpan = key, keySpan
		s.Children = append(s.Children, c)
		if r.space(); r.peek() == ',' {
			r.at++
		} else if r.peek() != '}' {
			return r.fail("missing comma or closing brace")
		}
	}
}

func (r *jsonReader) list(s *Setting) error {
	s.Kind = ListSetting
	for r.at++; ; {
		r.space()
		if r.peek() == ']' {
			r.at++
			return nil
		}
		c, err := r.value(s)
		if err != nil {
			return err
		}
		s.Children = append(s.Children, c)
		if r.space(); r.peek() == ',' {
			r.at++
		} else if r.peek() != ']' {
			return r.fail("missing comma or closing bracket")
		}
	}
}

func (r *jsonReader) str() (string, error) {
	if r.peek() != '"' {
		return "", r.fail("missing string")
	}
	n := quoted(r.text[r.at:])
	if n == 0 {
		return "", r.fail("unterminated string")
	}
	raw := r.text[r.at : r.at+n]
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", r.fail("invalid string")
	}
	r.at += n
	return s, nil
}

// word reads true, false, null or a number.
func (r *jsonReader) word(s *Setting) error {
	start := r.at
	for r.at < len(r.text) {
		c := r.text[r.at]
		if c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-' || c == '+' || c == '.' {
			r.at++
			continue
		}
		break
	}
	switch text := string(r.text[start:r.at]); text {
	case "true", "false":
		s.Scalar = Scalar{Type: Bool, Bool: text == "true"}
	case "null", "NaN", "Infinity", "-Infinity":
	case "":
		return r.fail("missing value")
	default:
		n, err := number(text)
		if err != nil {
			r.at = start
			return r.fail("invalid value")
		}
		s.Scalar = n
	}
	return nil
}
