package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"saturate/internal/human"
)

// renderJSON writes schema and version, then the fields of Data, then what Data does not hold of the Report.
func renderJSON(r Report, opt Options) ([]byte, error) {
	out := object{
		{"schema", "saturate/" + r.Command + "/1"},
		{"version", opt.Version},
	}
	fields, err := members(r.Data)
	if err != nil {
		return nil, fmt.Errorf("cannot write the result of %s as JSON: %w", r.Command, err)
	}
	held := map[string]bool{"schema": true, "version": true}
	for _, m := range fields {
		if !held[m.key] {
			out = append(out, m)
			held[m.key] = true
		}
	}
	add := func(key string, value any, empty bool) {
		if !held[key] && !empty {
			out = append(out, member{key, value})
		}
	}
	add("summary", r.Summary, len(r.Summary) == 0)
	add("warnings", r.Warnings, len(r.Warnings) == 0)
	add("findings", r.Findings, len(r.Findings) == 0)
	if r.Data == nil {
		add("title", r.Title, r.Title == "")
		add("figures", r.Figures, len(r.Figures) == 0)
		add("blocks", blocksJSON(r.Blocks), len(r.Blocks) == 0)
	}
	add("next", r.Next, len(r.Next) == 0)

	var b bytes.Buffer
	for i, m := range out {
		if err := writeMember(&b, m, i == 0); err != nil {
			return nil, fmt.Errorf("cannot write the result of %s as JSON: %w", r.Command, err)
		}
	}
	b.WriteString("\n}\n")
	return escapeHidden(b.Bytes()), nil
}

// writeMember writes one field of the document, indented. Fields of Data are written already and may be large.
func writeMember(b *bytes.Buffer, m member, first bool) error {
	raw, written := m.value.(json.RawMessage)
	if !written {
		var err error
		if raw, err = marshal(m.value); err != nil {
			return err
		}
	}
	key, err := marshal(m.key)
	if err != nil {
		return err
	}
	if first {
		b.WriteString("{\n  ")
	} else {
		b.WriteString(",\n  ")
	}
	b.Write(key)
	b.WriteString(": ")
	return json.Indent(b, raw, "  ", "  ")
}

// members are the fields of a value in their order. A value that is not an object goes under "data".
func members(v any) (object, error) {
	if v == nil {
		return nil, nil
	}
	raw, err := marshal(v)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if first, err := d.Token(); err != nil || first != json.Delim('{') {
		return object{{"data", json.RawMessage(raw)}}, err
	}
	var out object
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		out = append(out, member{key.(string), value})
	}
	return out, nil
}

// blocksJSON is the evidence of a command that has no fields of its own.
func blocksJSON(blocks []Block) []object {
	var out []object
	for _, b := range blocks {
		o := object{}
		if b.Heading != "" {
			o = append(o, member{"heading", b.Heading})
		}
		switch b.kind() {
		case "table":
			o = append(o, member{"table", b.Table})
		case "plot":
			o = append(o, member{"plot", object{{"title", b.Plot.Title()}, {"text", b.Plot.Text()}}})
		case "code":
			o = append(o, member{"code", b.Code})
		default:
			o = append(o, member{"text", b.Text})
		}
		out = append(out, o)
	}
	return out
}

// escapeHidden writes characters that steer a terminal as escapes. In JSON they only occur within strings,
// so the value stays the same.
func escapeHidden(raw []byte) []byte {
	if bytes.IndexFunc(raw, human.Hidden) < 0 {
		return raw
	}
	out := make([]byte, 0, len(raw)+64)
	for len(raw) > 0 {
		r, n := utf8.DecodeRune(raw)
		switch {
		case !human.Hidden(r):
			out = append(out, raw[:n]...)
		case r < 0x10000:
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			r -= 0x10000
			out = fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		}
		raw = raw[n:]
	}
	return out
}
