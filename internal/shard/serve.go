package shard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

// Fetched is what came into a cache.
type Fetched struct {
	Files    int   `json:"files"`    // read from the store
	Bytes    int64 `json:"bytes"`    // in them
	Existing int   `json:"existing"` // files that the cache had
}

// answer is a line of Serve. One of path and error is set.
type answer struct {
	Name  string `json:"name"`
	Path  string `json:"path,omitempty"`
	Error string `json:"error,omitempty"`
}

// Serve fetches the files that lines of JSON name, several at a time, and answers each with its path, or why there is
// none. A line has name, bytes and sha256 of the index, or only the name of the index itself. It ends with the input.
func (c Cache) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var mu sync.Mutex
	write := json.NewEncoder(out)
	var group sync.WaitGroup
	defer group.Wait()
	free := make(chan struct{}, 8)
	for read := json.NewDecoder(in); ; {
		var f File
		if err := read.Decode(&f); errors.Is(err, io.EOF) {
			group.Wait()
			return nil
		} else if err != nil {
			return fmt.Errorf("stdin is not lines of JSON with name, bytes and sha256: %w", err)
		}
		group.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			a := answer{Name: f.Name}
			var err error
			if f.Name == indexName {
				a.Path, _, err = c.Index(ctx)
			} else {
				var got Cached
				got, err = c.Fetch(ctx, f)
				a.Path = got.Path
			}
			if err != nil {
				a.Path, a.Error = "", err.Error()
			}
			mu.Lock()
			defer mu.Unlock()
			if write.Encode(a) != nil {
				stop() // nobody reads
			}
		})
	}
}

// Fill fetches every file of the index.
func (c Cache) Fill(ctx context.Context, progress func(done, of int)) (Fetched, error) {
	_, index, err := c.Index(ctx)
	if err != nil {
		return Fetched{}, err
	}
	var all []File
	for _, s := range index.Shards {
		all = append(all, s.Files...)
	}
	var fetched, size, done atomic.Int64
	err = inParallel(ctx, len(all), func(i int) error {
		got, err := c.Fetch(ctx, all[i])
		if got.Fetched {
			fetched.Add(1)
			size.Add(all[i].Bytes)
		}
		progress(int(done.Add(1)), len(all))
		return err
	})
	return Fetched{int(fetched.Load()), size.Load(), len(all) - int(fetched.Load())}, err
}
