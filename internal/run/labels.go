package run

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"unicode/utf8"

	"saturate/internal/files"
	"saturate/internal/human"
)

// labelsName is the file of what a person says about a Run. It is apart from the manifest, which the recorder owns.
const (
	labelsName    = "labels.json"
	largestLabels = 64 << 10
	longestNote   = 2000
	mostTags      = 32
)

// labels is labels.json.
type labels struct {
	Tags []string `json:"tags"`
	Note string   `json:"note,omitempty"`
}

var tagForm = regexp.MustCompile(`^[\pL\pN][\pL\pN._:/+-]{0,39}$`)

// readLabels takes what a person has said about the Run. A damaged file says nothing.
func (r *Run) readLabels() {
	r.Tags, r.Note = nil, ""
	data, err := files.Read(filepath.Join(r.Dir, labelsName), largestLabels)
	var l labels
	if err != nil || json.Unmarshal(data, &l) != nil {
		return
	}
	for _, tag := range l.Tags {
		if tagForm.MatchString(tag) && !slices.Contains(r.Tags, tag) && len(r.Tags) < mostTags {
			r.Tags = append(r.Tags, tag)
		}
	}
	if len(l.Note) <= 4*longestNote {
		r.Note = human.Line(l.Note)
	}
}

// Label adds tags to a Run, takes tags from it, and replaces its note unless that is nil.
func (r *Run) Label(add, remove []string, note *string) error {
	for _, tag := range add {
		if !tagForm.MatchString(tag) {
			return fmt.Errorf("%q is not a tag: use up to 40 letters, digits and ._:/+-", tag)
		}
	}
	if note != nil && utf8.RuneCountInString(*note) > longestNote {
		return fmt.Errorf("the note is too long: at most %d characters", longestNote)
	}
	tags := slices.DeleteFunc(slices.Clone(r.Tags), func(t string) bool { return slices.Contains(remove, t) })
	for _, tag := range add {
		if !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
	}
	if len(tags) > mostTags {
		return fmt.Errorf("too many tags: at most %d for each run", mostTags)
	}
	slices.Sort(tags)
	l := labels{Tags: tags, Note: r.Note}
	if note != nil {
		l.Note = human.Line(*note)
	}
	data, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return err
	}
	if err := files.Write(filepath.Join(r.Dir, labelsName), append(data, '\n')); err != nil {
		return fmt.Errorf("cannot keep the tags: %w", err)
	}
	r.Tags, r.Note = l.Tags, l.Note
	return nil
}
