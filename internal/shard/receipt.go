package shard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// Receipt says what was published for a shard. It holds nothing of who made it and when, so that it is the same bytes
// each time.
type Receipt struct {
	Plan    string          `json:"plan"` // its hash
	Shard   int             `json:"shard"`
	Inputs  int             `json:"inputs"`
	Rows    int64           `json:"rows"`
	Seconds float64         `json:"audio_seconds"`
	Failed  []Failed        `json:"failed"` // inputs that could not be used
	Files   []File          `json:"files"`
	Detail  json.RawMessage `json:"detail,omitempty"` // of the command
}

// File is one published file.
type File struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Failed is an input that could not be used.
type Failed struct {
	Input  string `json:"input"`  // that could not be used
	Reason string `json:"reason"` // why
}

const receipts = "done"

func receiptName(shard int) string { return fmt.Sprintf("%s/%06d.json", receipts, shard) }

// Name is a shard's in messages and files.
func Name(shard int) string { return fmt.Sprintf("%06d", shard) }

// Published lists the shards of a plan that have a receipt.
func Published(ctx context.Context, s Store, p *Plan) (map[int]bool, error) {
	done := map[int]bool{}
	err := s.List(ctx, receipts, func(i Info) error {
		name, ok := strings.CutSuffix(strings.TrimPrefix(i.Name, receipts+"/"), ".json")
		if n, err := strconv.Atoi(name); ok && err == nil && n >= 0 && n < len(p.Shards) {
			done[n] = true
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("cannot list what is published in %s: %w", s.Place(), err)
	}
	return done, nil
}

// isPublished asks for one shard.
func isPublished(ctx context.Context, s Store, shard int) (bool, error) {
	_, err := s.Stat(ctx, receiptName(shard))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// ReadReceipt reads a shard's receipt and makes sure that it belongs to the plan.
func ReadReceipt(ctx context.Context, s Store, p *Plan, shard int) (Receipt, error) {
	text, err := readAll(ctx, s, receiptName(shard), 0, -1)
	if err != nil {
		return Receipt{}, fmt.Errorf("cannot read the receipt of shard %d: %w", shard, err)
	}
	var r Receipt
	if err := json.Unmarshal(text, &r); err != nil {
		return r, fmt.Errorf("the receipt of shard %d is damaged: %w", shard, err)
	}
	if r.Plan != p.Hash || r.Shard != shard || r.Inputs != p.Shards[shard].Inputs {
		return r, fmt.Errorf("the receipt of shard %d is of another plan", shard)
	}
	return r, nil
}
