package shard

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"saturate/internal/files"
)

// contract is the form of plans and receipts; another number is another contract.
const contract = "saturate-shards/1"

// The names of a plan's files in its store.
const (
	planName   = "plan.json"
	inputsName = "inputs.jsonl"
	indexName  = "dataset.json"
)

// Plan is all the work, split into shards.
type Plan struct {
	Contract string          `json:"contract"`
	Kind     string          `json:"kind"` // the command that works: mel or tts
	Hash     string          `json:"hash"` // of everything that decides the result
	Settings json.RawMessage `json:"settings"`
	Dir      string          `json:"dir,omitempty"` // where relative inputs start; decides nothing
	Inputs   int             `json:"inputs"`
	Bytes    int64           `json:"bytes"` // of the inputs
	Shards   []Part          `json:"shards"`
}

// Part is one shard's share of the inputs.
type Part struct {
	First  int    `json:"first"` // the number of its first input
	Inputs int    `json:"inputs"`
	Bytes  int64  `json:"bytes"`
	At     int64  `json:"at"`     // where its lines begin in the list of inputs
	Length int64  `json:"length"` // of its lines
	Hash   string `json:"hash"`   // of its lines
}

// Input is one thing to work on: a line of the list, and how many bytes it has.
type Input struct {
	Line  []byte // JSON without a line end
	Bytes int64
}

// Draft is a plan under construction: its list of inputs is in a file, so that memory does not grow with it.
type Draft struct {
	Plan
	per  int
	list *os.File
	sum  []byte // lines of the open shard
	open Part
}

// NewDraft begins a plan of so many inputs a shard. Its list is kept in a temporary file of the folder, or of the
// system's.
func NewDraft(kind string, settings any, dir string, per int, scratch string) (*Draft, error) {
	if per < 1 {
		return nil, fmt.Errorf("a shard needs 1 input or more, not %d", per)
	}
	text, err := json.Marshal(settings)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp(scratch, "saturate-plan-*")
	if err != nil {
		return nil, fmt.Errorf("cannot write the list of inputs: %w", err)
	}
	f, err := files.Create(filepath.Join(folder, inputsName), files.Shared)
	if err != nil {
		os.Remove(folder)
		return nil, fmt.Errorf("cannot write the list of inputs: %w", err)
	}
	return &Draft{Plan: Plan{Contract: contract, Kind: kind, Settings: text, Dir: dir}, per: per, list: f}, nil
}

// Add takes the next input.
func (d *Draft) Add(in Input) error {
	d.sum = append(append(d.sum, in.Line...), '\n')
	d.open.Inputs++
	d.open.Bytes += in.Bytes
	if d.open.Inputs < d.per {
		return nil
	}
	return d.cut()
}

func (d *Draft) cut() error {
	p := d.open
	if p.Inputs == 0 {
		return nil
	}
	sum := sha256.Sum256(d.sum)
	p.Length, p.Hash = int64(len(d.sum)), hex.EncodeToString(sum[:16])
	if _, err := d.list.Write(d.sum); err != nil {
		return fmt.Errorf("cannot write the list of inputs: %w", err)
	}
	d.Shards = append(d.Shards, p)
	d.Inputs += p.Inputs
	d.Bytes += p.Bytes
	d.open, d.sum = Part{First: d.Inputs, At: p.At + p.Length}, d.sum[:0]
	return nil
}

// Close removes what is temporary.
func (d *Draft) Close() {
	d.list.Close()
	os.RemoveAll(filepath.Dir(d.list.Name()))
}

// Publish finishes the plan and puts it into a store. An existing plan that is the same is fine; a different one is not
// touched.
func (d *Draft) Publish(ctx context.Context, s Store) (existing bool, err error) {
	if err := errors.Join(d.cut(), d.list.Sync()); err != nil {
		return false, err
	}
	if len(d.Shards) == 0 {
		return false, errors.New("there is nothing to plan: no inputs")
	}
	d.Hash = d.hash()
	there, err := ReadPlan(ctx, s)
	switch {
	case err == nil && there.Hash == d.Hash:
		return true, nil
	case err == nil:
		return false, fmt.Errorf("%s holds a different plan (%s, this is %s); choose another folder with --output", s.Place(),
			there.Hash[:8], d.Hash[:8])
	case !errors.Is(err, fs.ErrNotExist):
		return false, err
	}
	if err := s.Replace(ctx, inputsName, d.list.Name()); err != nil {
		return false, err
	}
	text, err := json.MarshalIndent(d.Plan, "", " ")
	if err != nil {
		return false, err
	}
	published, err := publishBytes(ctx, s, planName, append(text, '\n'))
	if err == nil && !published { // somebody else planned at the same time
		return d.Publish(ctx, s)
	}
	return false, err
}

// hash covers what decides the result: the contract, the command, its settings and every shard's inputs.
func (p *Plan) hash() string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%s\n", p.Contract, p.Kind, p.Settings)
	for _, s := range p.Shards {
		fmt.Fprintf(h, "%d %s\n", s.Inputs, s.Hash)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// ReadPlan reads a store's plan and makes sure that it is whole.
func ReadPlan(ctx context.Context, s Store) (*Plan, error) {
	text, err := readAll(ctx, s, planName, 0, -1)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s holds no plan: %w", s.Place(), err)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the plan in %s: %w", s.Place(), err)
	}
	p, err := parsePlan(text)
	if err != nil {
		return nil, fmt.Errorf("the plan in %s cannot be used: %w", s.Place(), err)
	}
	return p, nil
}

func parsePlan(text []byte) (*Plan, error) {
	var p Plan
	if err := json.Unmarshal(text, &p); err != nil {
		return nil, err
	}
	if p.Contract != contract {
		return nil, fmt.Errorf("it is a plan of %q, and this program works by %q", p.Contract, contract)
	}
	var compact json.RawMessage
	if err := json.Unmarshal(p.Settings, &compact); err != nil {
		return nil, err
	}
	p.Settings = compactJSON(p.Settings)
	at, first := int64(0), 0
	for i, s := range p.Shards {
		if s.Inputs < 1 || s.Length < 1 || s.At != at || s.First != first {
			return nil, fmt.Errorf("shard %d is damaged", i)
		}
		at, first = at+s.Length, first+s.Inputs
	}
	if len(p.Shards) == 0 || p.Hash != p.hash() {
		return nil, errors.New("it was changed after it was made")
	}
	return &p, nil
}

// Lines are the inputs of a shard, one JSON value each.
func (p *Plan) Lines(ctx context.Context, s Store, shard int) ([]byte, error) {
	part := p.Shards[shard]
	text, err := readAll(ctx, s, inputsName, part.At, part.Length)
	if err != nil {
		return nil, fmt.Errorf("cannot read the inputs of shard %d: %w", shard, err)
	}
	if sum := sha256.Sum256(text); hex.EncodeToString(sum[:16]) != part.Hash {
		return nil, fmt.Errorf("the inputs of shard %d were changed after the plan was made; make a new plan", shard)
	}
	return text, nil
}

// readAll reads a part of a file, or all of it.
func readAll(ctx context.Context, s Store, name string, at, length int64) ([]byte, error) {
	r, err := s.Read(ctx, name, at, length)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return files.ReadAll(r, files.MaxJournal)
}

// publishBytes publishes what is not in a file yet.
func publishBytes(ctx context.Context, s Store, name string, data []byte) (published bool, err error) {
	dir, err := s.Scratch("bytes")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "bytes")
	if err := files.Write(path, data); err != nil {
		return false, err
	}
	return s.Publish(ctx, name, path)
}

// replaceBytes writes what may change.
func replaceBytes(ctx context.Context, s Store, name string, content func(io.Writer) error) error {
	dir, err := s.Scratch("bytes")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "bytes")
	if _, err := files.Stream(path, content); err != nil {
		return err
	}
	return s.Replace(ctx, name, path)
}
