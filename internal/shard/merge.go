package shard

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

// State is how far a plan is.
type State struct {
	Place     string   `json:"place"`           // folder or address of the object store
	Plan      string   `json:"plan"`            // hash of the plan
	Kind      string   `json:"kind"`            // command that works: mel or tts
	Inputs    int      `json:"inputs"`          // in the plan
	Shards    int      `json:"shards"`          // in the plan
	Published int      `json:"published"`       // shards that are done
	Missing   []int    `json:"missing"`         // the first hundred
	Rows      int64    `json:"rows"`            // of what is published, where receipts were read
	Seconds   float64  `json:"audio_seconds"`   // length of the published audio
	Bytes     int64    `json:"bytes"`           // of the published files
	Unusable  []Failed `json:"unusable"`        // the first hundred
	Failed    int      `json:"failed"`          // how many inputs could not be used
	Checked   int      `json:"checked"`         // files whose bytes were read and compared
	Index     string   `json:"index,omitempty"` // file that lists all shards, once they are done
}

const shown = 100

// Status counts what is published.
func Status(ctx context.Context, s Store, p *Plan) (State, error) {
	st := State{
		Place: s.Place(), Plan: p.Hash, Kind: p.Kind, Inputs: p.Inputs, Shards: len(p.Shards), Missing: []int{},
		Unusable: []Failed{},
	}
	done, err := Published(ctx, s, p)
	if err != nil {
		return st, err
	}
	for i := range p.Shards {
		switch {
		case done[i]:
			st.Published++
		case len(st.Missing) < shown:
			st.Missing = append(st.Missing, i)
		}
	}
	return st, nil
}

// Index is the whole dataset in one file: what readers open.
type Index struct {
	Contract string          `json:"contract"`
	Kind     string          `json:"kind"`
	Plan     string          `json:"plan"`
	Settings json.RawMessage `json:"settings"`
	Inputs   int             `json:"inputs"`
	Rows     int64           `json:"rows"`
	Shards   []IndexShard    `json:"shards"`
}

// IndexShard is one shard in it.
type IndexShard struct {
	Rows   int64           `json:"rows"`
	Files  []File          `json:"files"`
	Detail json.RawMessage `json:"detail,omitempty"`
}

// Merge makes sure that every shard is published and every file has its size, and writes the index. With check, every
// byte is read. The index is returned too, and missing shards are an error.
func Merge(ctx context.Context, s Store, p *Plan, check bool, progress func(done int)) (State, *Index, error) {
	st, err := Status(ctx, s, p)
	if err != nil {
		return st, nil, err
	}
	if n := len(p.Shards) - st.Published; n > 0 {
		return st, nil, fmt.Errorf("%d of %d shards are missing, the first is %d; run their workers again", n, len(p.Shards),
			st.Missing[0])
	}
	list := make([]Receipt, len(p.Shards))
	checked := 0
	var mu sync.Mutex
	ended := 0
	err = inParallel(ctx, len(list), func(i int) error {
		r, err := ReadReceipt(ctx, s, p, i)
		if err != nil {
			return err
		}
		n, err := r.holds(ctx, s, check)
		if err != nil {
			return fmt.Errorf("shard %d: %w", i, err)
		}
		list[i] = r
		mu.Lock()
		defer mu.Unlock()
		checked += n
		ended++
		if progress != nil {
			progress(ended)
		}
		return nil
	})
	if err != nil {
		return st, nil, err
	}
	st.Checked = checked
	index := &Index{
		Contract: contract, Kind: p.Kind, Plan: p.Hash, Settings: p.Settings, Inputs: p.Inputs,
		Shards: make([]IndexShard, len(list)),
	}
	for i, r := range list {
		st.Rows, st.Seconds, st.Failed = st.Rows+r.Rows, st.Seconds+r.Seconds, st.Failed+len(r.Failed)
		for _, f := range r.Files {
			st.Bytes += f.Bytes
		}
		if room := shown - len(st.Unusable); room > 0 {
			st.Unusable = append(st.Unusable, r.Failed[:min(room, len(r.Failed))]...)
		}
		index.Rows += r.Rows
		index.Shards[i] = IndexShard{r.Rows, r.Files, r.Detail}
		s.Sweep(Name(i))
	}
	s.Sweep("bytes")
	st.Index = indexName
	return st, index, replaceBytes(ctx, s, indexName, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", " ")
		return e.Encode(index)
	})
}

// holds compares what is stored with what the receipt says, and gives how many files were read for it.
func (r *Receipt) holds(ctx context.Context, s Store, check bool) (read int, err error) {
	for _, f := range r.Files {
		info, err := s.Stat(ctx, f.Name)
		if err == nil && info.Bytes != f.Bytes {
			err = fmt.Errorf("it has %d bytes instead of %d", info.Bytes, f.Bytes)
		}
		if err == nil && check {
			read++
			info, err = sumOf(ctx, onlyBytes{s}, f.Name)
			if err == nil && info.SHA256 != f.SHA256 {
				err = fmt.Errorf("its SHA-256 is %.8s… instead of %.8s…", info.SHA256, f.SHA256)
			}
		}
		if err != nil {
			return read, fmt.Errorf("%s is damaged: %w; remove it and the shard's receipt in %s/, and run the worker again",
				f.Name, err, receipts)
		}
	}
	return read, nil
}

// onlyBytes hides the sums that a store keeps: a check reads.
type onlyBytes struct{ Store }

func (o onlyBytes) Stat(ctx context.Context, name string) (Info, error) {
	i, err := o.Store.Stat(ctx, name)
	i.SHA256 = ""
	return i, err
}

// inParallel calls do for 0 to n-1, 16 at a time.
func inParallel(ctx context.Context, n int, do func(i int) error) error {
	return InParallel(ctx, n, 16, func(_ context.Context, i int) error { return do(i) })
}

// InParallel calls do for 0 to n-1, some at a time: a store answers each after a while. The first error ends it.
func InParallel(ctx context.Context, n, atOnce int, do func(ctx context.Context, i int) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	next := make(chan int)
	var group sync.WaitGroup
	for range min(n, atOnce) {
		group.Go(func() {
			for i := range next {
				if err := do(ctx, i); err != nil {
					stop(err)
				}
			}
		})
	}
	for i := range n {
		select {
		case next <- i:
			continue
		case <-ctx.Done():
		}
		break
	}
	close(next)
	group.Wait()
	return context.Cause(ctx)
}
