// Package patch holds edits of byte ranges in files that belong to someone else.
package patch

// Safety says how much a repair may change what the program computes.
type Safety string

const (
	Safe        Safety = "safe"         // the program computes the same
	Unsafe      Safety = "unsafe"       // the result may change, within what the title says
	DisplayOnly Safety = "display-only" // shown to a person, never applied
)

// Edit replaces the bytes [Start, End) of the file at Path with Text.
type Edit struct {
	Path  string `json:"path"`  // of the file
	Start int    `json:"start"` // offset of the first byte
	End   int    `json:"end"`   // offset behind the last byte
	Text  string `json:"text"`  // that replaces them
}

// Patch is one repair: all of its edits or none.
type Patch struct {
	Title  string `json:"title"`  // what the repair does
	Safety Safety `json:"safety"` // how far the repair can be trusted
	Edits  []Edit `json:"edits"`  // all of them or none
	// Asks are the questions of analyze --what-if that predict it; nil: those of its rule.
	Asks []string `json:"-"`
	// Records is the part of a file that it records as a CUDA graph; nil for another repair. Nothing that runs there may wait for
	// the GPU or copy from pageable memory.
	Records *Part `json:"-"`
	// Ranges are where the edits lie, one for each, for formats that count lines; nil where nobody asked.
	Ranges []Range `json:"-"`
}

// Part is a part of a file, in bytes.
type Part struct {
	Path       string
	Start, End int
}

// Range is a part of a file. Lines and columns count from 1, columns in characters; the end is behind the last one.
type Range struct {
	Line      int `json:"line"`       // of the start
	Column    int `json:"column"`     // of the start
	EndLine   int `json:"end_line"`   // of the end
	EndColumn int `json:"end_column"` // of the end
}
