package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// span is where a member of an object stands in a JSON text.
type span struct {
	open       int  // just after the object's brace
	key, end   int  // from the key's quote to the end of the value; 0, 0 when there is no such member
	value      int  // where the value begins
	first      bool // no member stands before it
	empty      bool // the object has no members
	wrongValue bool // the value is not an object
}

// locate finds a member of the object that begins at an offset. The text has been checked to be JSON.
func locate(text []byte, at int, name string) (s span, err error) {
	d := json.NewDecoder(bytes.NewReader(text[at:]))
	token, err := d.Token()
	if err != nil {
		return s, err
	}
	if token != json.Delim('{') {
		return span{wrongValue: true}, nil
	}
	s = span{open: at + int(d.InputOffset()), empty: true}
	for first := true; d.More(); first = false {
		s.empty = false
		before := at + int(d.InputOffset())
		key, err := d.Token()
		if err != nil {
			return s, err
		}
		begin := before + bytes.IndexByte(text[before:], '"')
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return s, err
		}
		if key == name {
			s.key, s.end, s.first = begin, at+int(d.InputOffset()), first
			s.value = s.end - len(value)
			return s, nil
		}
	}
	return s, nil
}

var errNotPlain = errors.New("it is not plain JSON (comments?); add the server by hand, as docs/agents.md shows")

// setMember sets a member of nested objects, and leaves every other byte alone. A file that is not there yet is made.
func setMember(text []byte, path []string, value []byte) ([]byte, error) {
	if text == nil {
		for i := len(path) - 1; i >= 0; i-- {
			value = fmt.Appendf(nil, "{%q:%s}", path[i], value)
		}
		var b bytes.Buffer
		if err := json.Indent(&b, value, "", "  "); err != nil {
			return nil, err
		}
		return append(b.Bytes(), '\n'), nil
	}
	if !json.Valid(text) {
		return nil, errNotPlain
	}
	at := 0
	for depth, name := range path {
		s, err := locate(text, at, name)
		switch {
		case err != nil:
			return nil, err
		case s.wrongValue:
			return nil, fmt.Errorf("%q is not an object", strings.Join(path[:depth], "."))
		case s.end > 0 && depth == len(path)-1:
			return replace(text, s.value, s.end, indented(value, depth+1)), nil
		case s.end > 0:
			at = s.value
			continue
		}
		for i := len(path) - 1; i > depth; i-- {
			value = fmt.Appendf(nil, "{%q:%s}", path[i], value)
		}
		margin := strings.Repeat("  ", depth+1)
		member := fmt.Appendf(nil, "\n%s%q: %s", margin, name, indented(value, depth+1))
		if s.empty {
			return replace(text, s.open, s.open, append(member, "\n"+margin[2:]...)), nil
		}
		return replace(text, s.open, s.open, append(member, ',')), nil
	}
	return text, nil
}

// removeMember takes a member out of nested objects. A file that holds nothing else goes.
func removeMember(text []byte, path []string) ([]byte, error) {
	if !json.Valid(text) {
		return nil, errNotPlain
	}
	at := 0
	for depth, name := range path {
		s, err := locate(text, at, name)
		switch {
		case err != nil:
			return nil, err
		case s.wrongValue || s.end == 0:
			return text, nil // nothing to remove
		case depth < len(path)-1:
			at = s.value
			continue
		}
		begin, end := s.key, s.end
		rest := bytes.TrimLeft(text[end:], " \t\r\n")
		switch {
		case len(rest) > 0 && rest[0] == ',': // another follows: with the comma, and the space before the key
			end = len(text) - len(rest) + 1
			begin = len(bytes.TrimRight(text[:begin], " \t\r\n"))
		case !s.first:
			begin = bytes.LastIndexByte(text[:begin], ',')
		default:
			begin = len(bytes.TrimRight(text[:begin], " \t\r\n"))
			end = len(text) - len(rest)
		}
		text = replace(text, begin, end, nil)
	}
	var left map[string]map[string]any
	if json.Unmarshal(text, &left) == nil && (len(left) == 0 || len(left) == 1 && len(left[path[0]]) == 0 &&
		left[path[0]] != nil) {
		return nil, nil
	}
	return text, nil
}

func replace(text []byte, begin, end int, with []byte) []byte {
	return append(append(append([]byte(nil), text[:begin]...), with...), text[end:]...)
}

func indented(value []byte, depth int) []byte {
	var b bytes.Buffer
	if json.Indent(&b, value, strings.Repeat("  ", depth), "  ") != nil {
		return value
	}
	return b.Bytes()
}
