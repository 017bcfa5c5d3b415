package dataset

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"saturate/internal/files"
	"saturate/internal/shard"
)

// tagged begins the checksum of an object: it is the store's, and only the store can compare it.
const tagged = "etag:"

// splitRemote parts s3://bucket/key.
func splitRemote(place string) (bucket, key string) {
	bucket, key, _ = strings.Cut(strings.TrimPrefix(place, "s3://"), "/")
	return "s3://" + bucket, key
}

// remote takes an object, or all audio and archives below a prefix.
func (f *finder) remote(arg string) error {
	if f.opt.Store == nil {
		return fmt.Errorf("%s: inputs in object stores need a plan; try: saturate mel plan %s -o FOLDER", arg, arg)
	}
	bucket, key := splitRemote(arg)
	store, err := f.opt.Store(bucket)
	if err != nil {
		return err
	}
	take := func(i shard.Info) error {
		place := bucket + "/" + i.Name
		switch {
		case strings.HasPrefix(path.Base(i.Name), "."):
		case strings.EqualFold(path.Ext(i.Name), ".tar"):
			return f.remoteTar(store, place, i)
		case isAudioName(i.Name):
			f.list.add(Item{Path: place, Size: i.Bytes, Sum: tagged + i.Tag})
		}
		return nil
	}
	if isAudioName(key) || strings.EqualFold(path.Ext(key), ".tar") {
		info, err := store.Stat(f.ctx, key)
		if err != nil {
			return fmt.Errorf("cannot read the input: %w", err)
		}
		return take(info)
	}
	if ext := path.Ext(key); ext == ".jsonl" || ext == ".json" || ext == ".csv" || ext == ".tsv" {
		return fmt.Errorf("%s: lists are read from files; download it first", arg)
	}
	return store.List(f.ctx, strings.Trim(key, "/"), take)
}

// remoteTar lists an archive's members while it streams by.
func (f *finder) remoteTar(store shard.Store, place string, info shard.Info) error {
	r := &seeker{ctx: f.ctx, store: store, info: info}
	defer r.close()
	members, unread, err := readTar(r)
	if err != nil {
		return fmt.Errorf("%s: %w", place, err)
	}
	if len(unread) > 0 {
		f.list.Notes = append(f.list.Notes, fmt.Sprintf("%s: %d members gave no columns, the first is %s", place, len(unread),
			clean(unread[0])))
	}
	for _, m := range members {
		m.item.Tar, m.item.Sum = place, tagged+info.Tag
		for i, column := range m.names {
			m.item.set(f.list.column(clean(column)), m.values[i])
		}
		f.list.add(m.item)
	}
	return nil
}

// seeker reads an object in order, and passes over short stretches without another request.
type seeker struct {
	ctx    context.Context
	store  shard.Store
	info   shard.Info
	at     int64 // of the next byte for the reader
	body   io.ReadCloser
	buffer *bufio.Reader
}

// shortStretch is what is rather read than skipped by another request.
const shortStretch = 1 << 20

func (s *seeker) Read(p []byte) (int, error) {
	if s.at >= s.info.Bytes {
		return 0, io.EOF
	}
	if s.body == nil {
		body, err := s.store.Part(s.ctx, s.info, s.at, -1)
		if err != nil {
			return 0, err
		}
		s.body, s.buffer = body, bufio.NewReaderSize(body, 1<<16)
	}
	n, err := s.buffer.Read(p)
	s.at += int64(n)
	return n, err
}

func (s *seeker) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += s.at
	case io.SeekEnd:
		offset += s.info.Bytes
	}
	if offset < 0 {
		return s.at, errors.New("before the beginning")
	}
	if skip := offset - s.at; s.body != nil && skip >= 0 && skip <= shortStretch {
		if _, err := s.buffer.Discard(int(skip)); err != nil && err != io.EOF {
			return s.at, err
		}
	} else if skip != 0 {
		s.close()
	}
	s.at = offset
	return offset, nil
}

func (s *seeker) close() {
	if s.body != nil {
		s.body.Close()
		s.body = nil
	}
}

// fetchers is how many objects are fetched at a time: a store answers each after a while.
const fetchers = 32

// stage copies the objects among a shard's inputs to a local folder: each file, and of an archive the stretch from its
// first member to its last, in one request.
func stage(ctx context.Context, list *List, dir string, open func(place string) (shard.Store, error)) error {
	type span struct {
		items     []*Item
		from, end int64
	}
	spans, order := map[string]*span{}, []string{}
	for i := range list.Items {
		it := &list.Items[i]
		place, from := it.Path, int64(0)
		if it.Tar != "" {
			place, from = it.Tar, it.At
		}
		if it.Bad != "" || !shard.IsRemote(place) {
			continue
		}
		s := spans[place]
		if s == nil {
			s = &span{from: from}
			spans[place] = s
			order = append(order, place)
		}
		s.items = append(s.items, it)
		s.from, s.end = min(s.from, from), max(s.end, from+it.Size)
	}
	if len(order) == 0 {
		return nil
	}
	if open == nil {
		return errors.New("object stores cannot be read here")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return shard.InParallel(ctx, len(order), fetchers, func(ctx context.Context, i int) error {
		s, place := spans[order[i]], order[i]
		local := filepath.Join(dir, fmt.Sprintf("%06d%s", i, filepath.Ext(place)))
		tag := strings.TrimPrefix(s.items[0].Sum, tagged)
		if err := fetch(ctx, open, place, tag, s.from, s.end, local); err != nil {
			return err
		}
		for _, it := range s.items {
			it.local, it.localAt = local, it.At-s.from
		}
		return nil
	})
}

func fetch(ctx context.Context, open func(place string) (shard.Store, error), place, tag string, from, end int64, local string) error {
	bucket, key := splitRemote(place)
	store, err := open(bucket)
	if err != nil {
		return err
	}
	r, err := store.Part(ctx, shard.Info{Name: key, Bytes: end, Tag: tag}, from, end-from)
	if err != nil {
		return err
	}
	defer r.Close()
	f, err := files.Create(local, files.Private)
	if err != nil {
		return err
	}
	n, err := io.Copy(f, r)
	if err == nil && n != end-from {
		err = fmt.Errorf("%s is shorter than planned", place)
	}
	return errors.Join(err, f.Close())
}
