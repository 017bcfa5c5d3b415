package dataset

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// built is a finished output, to be looked into.
type built struct {
	attributes map[string]any
	dims       []int64 // of the features
	texts      map[string][]string
	numbers    map[string][]float64
	// perRow says that rows have places and shapes of their own; dims and features are not set then.
	perRow  bool
	rowsAt  []func(dst []uint16) error
	rowDims [][]int64
	// features reads values from the first-th on.
	features func(first int64, dst []uint16) error
	closers  []func() error
}

func (b *built) close() error {
	var errs []error
	for _, c := range b.closers {
		errs = append(errs, c())
	}
	return errors.Join(errs...)
}

func (b *built) fail(err error) error {
	b.close()
	return err
}

func (b *built) addText(name string, list []string) {
	if b.texts == nil {
		b.texts = map[string][]string{}
	}
	b.texts[name] = list
}

func (b *built) addNumbers(name string, raw []byte, size int, float bool) {
	list := make([]float64, len(raw)/size)
	for i := range list {
		p := raw[i*size:]
		switch {
		case float:
			list[i] = math.Float64frombits(binary.LittleEndian.Uint64(p))
		case size == 8:
			list[i] = float64(int64(binary.LittleEndian.Uint64(p)))
		default:
			list[i] = float64(p[0])
		}
	}
	if b.numbers == nil {
		b.numbers = map[string][]float64{}
	}
	b.numbers[name] = list
}

// addRow takes the columns of one row.
func (b *built) addRow(columns map[string]any) {
	if b.texts == nil {
		b.texts, b.numbers = map[string][]string{}, map[string][]float64{}
	}
	for k, v := range columns {
		switch v := v.(type) {
		case string:
			b.texts[k] = append(b.texts[k], v)
		case float64:
			b.numbers[k] = append(b.numbers[k], v)
		case nil:
			b.numbers[k] = append(b.numbers[k], math.NaN())
		}
	}
}

// settings are the attributes as texts, to be compared.
func (b *built) settings() map[string]string {
	m := map[string]string{}
	for k, v := range b.attributes {
		m[k] = fmt.Sprint(v)
	}
	return m
}

// readHalf reads FP16 values at a place of a file.
func readHalf(r io.ReaderAt, at int64, dst []uint16) error {
	raw := make([]byte, 2*len(dst))
	if _, err := r.ReadAt(raw, at); err != nil {
		return err
	}
	for i := range dst {
		dst[i] = binary.LittleEndian.Uint16(raw[2*i:])
	}
	return nil
}
