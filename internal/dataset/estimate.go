package dataset

import (
	"context"
	"path/filepath"
	"time"

	"saturate/internal/files"
	"saturate/internal/mel"
)

// Estimate is what a build would take.
type Estimate struct {
	Files        int     `json:"files"`         // to be read
	Rows         int64   `json:"rows"`          // to be written
	Bytes        int64   `json:"bytes"`         // of the output
	FreeBytes    int64   `json:"free_bytes"`    // -1 when nobody knows
	AudioSeconds float64 `json:"audio_seconds"` // length of the audio
	Seconds      float64 `json:"seconds"`       // that the build would take
	Tried        int     `json:"tried"`         // files that were decoded and computed to find out
	Bad          int     `json:"bad"`           // of them, those that would be quarantined
	Cut          Cut     `json:"cut"`           // of them, what rows have no room for
}

// tryFor is how long files are tried at most.
const tryFor = 2 * time.Second

// Plan computes a few files, spread over the list, and tells what all would take. It writes nothing.
func Plan(ctx context.Context, list *List, opt Options) (Estimate, error) {
	b, err := prepare(list, opt)
	if err != nil {
		return Estimate{}, err
	}
	e := Estimate{Files: len(list.Items), FreeBytes: files.Room(filepath.Dir(PartName(b.opt.Output)))}
	tars, err := openTars(list, b.opt)
	defer func() {
		for _, f := range tars {
			f.Close()
		}
	}()
	if err != nil {
		return e, err
	}
	x, err := mel.New(opt.Params)
	if err != nil {
		return e, err
	}
	d := &decoder{opt: b.opt, shape: b.shape, list: list, tars: tars}
	const most = 64
	step := max(1, len(list.Items)/most)
	start, s := time.Now(), &slot{}
	var rows, values, seconds float64
	var dst []uint16
	for i := 0; i < len(list.Items) && time.Since(start) < tryFor && ctx.Err() == nil; i += step {
		e.Tried++
		s.item = i
		stream, src := d.read(ctx, s, i, &readAhead{open: map[int]source{}, taken: -1})
		if stream != nil { // too long to try: its header tells
			s.out.seconds = stream.Info().Duration().Seconds()
			s.out.samples = int64(s.out.seconds * float64(stream.Rate()))
			stream.Close()
			src.close()
		}
		if s.out.state == quarantined {
			e.Bad++
			rows++
			continue
		}
		e.Cut.add(b.shape, s.out.seconds)
		n := b.shape.rows(s.out.samples)
		size := b.shape.params.Mels * b.shape.frames(b.shape.rowSamples(s.out.samples))
		rows, values, seconds = rows+float64(n), values+float64(n)*float64(size), seconds+s.out.seconds
		if stream == nil {
			for k := range n {
				if cap(dst) < size {
					dst = make([]uint16, size)
				}
				if _, err := x.Half(dst[:size], b.shape.piece(s.clip, k), b.shape.rowSamples(s.out.samples)); err != nil {
					return e, err
				}
			}
		}
		s.rest()
	}
	took := time.Since(start).Seconds()
	scale := float64(len(list.Items)) / float64(max(1, e.Tried))
	e.Rows, e.Bytes, e.AudioSeconds = int64(rows*scale), int64(2*values*scale), seconds*scale
	if !b.inOrder {
		e.Rows = int64(len(list.Items))
		e.Bytes = 2 * e.Rows * int64(b.shape.params.Mels) * int64(b.shape.frames(b.shape.length))
	}
	e.Seconds = took * scale / float64(b.opt.Workers)
	return e, ctx.Err()
}
