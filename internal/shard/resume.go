package shard

import (
	"context"
	"io"
	"math/rand/v2"
	"time"

	"github.com/minio/minio-go/v7"
)

// again repeats what failed for a reason that passes, later each time, at moments that no two workers share. The client
// repeats requests itself; this is for replies that end half-way.
func (s *s3) again(ctx context.Context, do func() error) error {
	for try := 0; ; try++ {
		err := do()
		if err == nil || try >= s.tries || isFinal(err) || ctx.Err() != nil {
			return err
		}
		if !pause(ctx, try) {
			return err
		}
	}
}

func pause(ctx context.Context, try int) bool {
	most := min(100*time.Millisecond<<min(try, 8), 10*time.Second)
	select {
	case <-time.After(rand.N(most) + time.Millisecond):
		return true
	case <-ctx.Done():
		return false
	}
}

// resumed reads a part of an object, and asks for the rest when a reply breaks off. An object that is replaced
// meanwhile is an error.
type resumed struct {
	ctx     context.Context
	store   *s3
	name    string
	tag     string
	at, end int64
	body    io.ReadCloser
	failed  int
}

func (r *resumed) Read(p []byte) (int, error) {
	for {
		if r.at >= r.end {
			return 0, io.EOF
		}
		if len(p) == 0 {
			return 0, nil
		}
		n, err := r.some(p[:min(int64(len(p)), r.end-r.at)])
		r.at += int64(n)
		if n > 0 {
			r.failed = 0
			return n, nil
		}
		if err == nil {
			continue
		}
		r.Close()
		if r.failed >= r.store.tries || isFinal(err) || !pause(r.ctx, r.failed) {
			return 0, r.store.missing(r.name, err)
		}
		r.failed++
	}
}

func (r *resumed) some(p []byte) (int, error) {
	if r.body == nil {
		options := minio.GetObjectOptions{}
		if err := options.SetRange(r.at, r.end-1); err != nil {
			return 0, err
		}
		if r.tag != "" {
			if err := options.SetMatchETag(r.tag); err != nil {
				return 0, err
			}
		}
		core := minio.Core{Client: r.store.client}
		body, _, _, err := core.GetObject(r.ctx, r.store.bucket, r.store.key(r.name), options)
		if err != nil {
			return 0, err
		}
		r.body = body
	}
	n, err := r.body.Read(p)
	if n == 0 && err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func (r *resumed) Close() error {
	if r.body == nil {
		return nil
	}
	err := r.body.Close()
	r.body = nil
	return err
}
