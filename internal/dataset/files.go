package dataset

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"saturate/internal/files"
)

// writeFile writes a file of an output that is still under construction.
func writeFile(path string, content func(io.Writer) error) error {
	f, err := files.EmptyOwn(path, files.Shared)
	if err != nil {
		return fmt.Errorf("cannot write the output: %w", err)
	}
	w := bufio.NewWriterSize(f, 1<<16)
	err = content(w)
	if err = errors.Join(err, w.Flush(), f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("cannot write the output: %w", err)
	}
	return nil
}

// appendField adds a column's value to a JSON object that line has begun.
func appendField(line []byte, c *column, r *rowInfo) []byte {
	if len(line) > 0 && line[len(line)-1] != '{' {
		line = append(line, ", "...)
	}
	line = append(appendText(line, c.name), ": "...)
	switch c.kind {
	case texts:
		return appendText(line, c.text(r))
	case reals:
		v := c.real(r)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return append(line, "null"...)
		}
		return strconv.AppendFloat(line, v, 'g', -1, 64)
	}
	return strconv.AppendInt(line, c.whole(r), 10)
}

func appendText(line []byte, s string) []byte {
	text, err := json.Marshal(s)
	if err != nil {
		return append(line, `""`...) // strings always encode
	}
	return append(line, text...)
}
