package tts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"saturate/internal/files"
	"saturate/internal/rows"
)

// Manifests are the forms of the list of files: an array of objects, or one object a line as NeMo wants it.
var Manifests = []string{"json", "nemo"}

func manifestFile(form string) string {
	if form == "json" {
		return "manifest.json"
	}
	return "manifest.jsonl"
}

// ownFields are the columns that are ours; the input's of the same name are kept with "input_" before it.
var ownFields = []string{"audio_filepath", "text", "duration", "voice", "engine", "sha256"}

// field is one name and value of an object whose order matters to those who read it.
type field struct {
	name  string
	value any
}

// writeManifest lists the finished entries in the order of the input. Absent files are absent entries.
func (st *store) writeManifest(p Plan, form string, absolute bool) (string, error) {
	var out bytes.Buffer
	if form == "json" {
		out.WriteString("[")
	}
	count := 0
	for _, e := range p.Entries {
		m, ok := st.done[p.Jobs[e.Job].Key]
		if !ok {
			continue
		}
		if form == "json" {
			if count > 0 {
				out.WriteString(",")
			}
			out.WriteString("\n")
		}
		object, err := entryJSON(st.dir, p, e, m, absolute)
		if err != nil {
			return "", err
		}
		out.Write(object)
		if form != "json" {
			out.WriteString("\n")
		}
		count++
	}
	if form == "json" {
		out.WriteString("\n]\n")
	}
	path := filepath.Join(st.dir, manifestFile(form))
	if err := files.Write(path, out.Bytes()); err != nil {
		return "", fmt.Errorf("cannot write the manifest: %w", err)
	}
	return path, nil
}

func entryJSON(dir string, p Plan, e Entry, m made, absolute bool) ([]byte, error) {
	job := p.Jobs[e.Job]
	file := job.File()
	if absolute {
		whole, err := filepath.Abs(filepath.Join(dir, filepath.FromSlash(file)))
		if err != nil {
			return nil, err
		}
		file = whole
	}
	fields := []field{
		{"audio_filepath", file},
		{"text", e.Item.Text},
		{"duration", json.Number(fmt.Sprintf("%.6f", float64(m.Samples)/float64(p.Settings.Rate)))},
		{"voice", job.Request.Voice},
		{"engine", p.Settings.Engine + " " + p.Settings.Identity.Version},
		{"sha256", m.SHA256},
	}
	names := make([]string, len(e.Item.Columns))
	for i, c := range e.Item.Columns {
		names[i] = c.Name
	}
	for _, c := range e.Item.Columns {
		fields = append(fields, field{rows.Beside(c.Name, ownFields, names), c.Value})
	}
	return orderedJSON(fields)
}

func orderedJSON(fields []field) ([]byte, error) {
	var b bytes.Buffer
	for i, f := range fields {
		b.WriteString(map[bool]string{true: "{", false: ", "}[i == 0])
		for k, part := range []any{f.name, f.value} {
			encoder := json.NewEncoder(&b)
			encoder.SetEscapeHTML(false)
			if err := encoder.Encode(part); err != nil {
				return nil, err
			}
			b.Truncate(b.Len() - 1) // the encoder's line end
			if k == 0 {
				b.WriteString(": ")
			}
		}
	}
	b.WriteString("}")
	return b.Bytes(), nil
}

const failuresName = "failures.jsonl"

// writeFailures lists what is not spoken, and removes the list when there is nothing to list.
func (st *store) writeFailures(failed []Rejected) (string, error) {
	path := filepath.Join(st.dir, failuresName)
	if len(failed) == 0 {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", fmt.Errorf("cannot remove the old list of failures: %w", err)
		}
		return "", nil
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	for _, f := range failed {
		if err := encoder.Encode(f); err != nil {
			return "", err
		}
	}
	if err := files.Write(path, out.Bytes()); err != nil {
		return "", fmt.Errorf("cannot write the list of failures: %w", err)
	}
	return path, nil
}
