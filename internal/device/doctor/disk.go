package doctor

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"time"

	"saturate/internal/files"
)

// Disk is the file system of the working folder.
type Disk struct {
	Dir        string `json:"dir"`               // the working folder
	FreeBytes  uint64 `json:"free_bytes"`        // free on its file system
	TotalBytes uint64 `json:"total_bytes"`       // size of its file system
	Read       *Read  `json:"read"`              // nil: not measured
	Problem    string `json:"problem,omitempty"` // why not
}

// Read is one sequential read of a file that was just written.
type Read struct {
	Dir           string  `json:"dir"`            // folder of the file
	Bytes         int64   `json:"bytes"`          // that were read
	Seconds       float64 `json:"seconds"`        // that it took
	CacheBypassed bool    `json:"cache_bypassed"` // the file was seen to be out of this machine's page cache
}

// GBps is the speed in 1e9 bytes a second.
func (r Read) GBps() float64 { return float64(r.Bytes) / r.Seconds / 1e9 }

const (
	readSize    = 256 << 20
	readBlock   = 8 << 20
	syncEvery   = 4           // blocks: so that the time is looked at often enough on a slow disk
	minRead     = 16 << 20    // less would time the first access
	phaseBudget = time.Second // for writing, and again for reading
	diskTimeout = 15 * time.Second
	neededFree  = 4 * readSize // room that the measurement must not take from anybody
)

func space(dir string) Disk {
	d := Disk{Dir: dir}
	var err error
	if d.FreeBytes, d.TotalBytes, err = files.Space(dir); err != nil {
		d.Problem = fmt.Sprintf("cannot read the free space of %s: %v", dir, err)
	}
	return d
}

// measureDisk tries the working folder, then the cache folder. A disk that hangs is left alone.
func measureDisk(ctx context.Context, d *Disk, opt Options) {
	read, err := readWithin(ctx, opt.Dir)
	if err != nil && opt.Cache != "" {
		_ = os.MkdirAll(opt.Cache, 0o777) // if that fails, so does what follows
		if second, secondErr := readWithin(ctx, opt.Cache); secondErr == nil {
			read, err = second, nil
		}
	}
	d.Read = read
	if err != nil {
		d.Problem = err.Error()
	}
}

func readWithin(ctx context.Context, dir string) (*Read, error) {
	ctx, cancel := context.WithTimeout(ctx, diskTimeout)
	defer cancel()
	type result struct {
		read *Read
		err  error
	}
	done := make(chan result, 1)
	go func() {
		read, err := measureRead(ctx, dir)
		done <- result{read, err}
	}()
	select {
	case r := <-done:
		return r.read, r.err
	case <-ctx.Done():
		return nil, fmt.Errorf("the disk of %s did not respond within %.0f s", dir, diskTimeout.Seconds())
	}
}

// measureRead writes a file of random bytes, gets it out of the page cache, and reads it.
func measureRead(ctx context.Context, dir string) (*Read, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if free, _, err := files.Space(dir); err == nil && free < neededFree {
		return nil, fmt.Errorf("not measured: %s has less than 1 GB free", dir)
	}
	file, err := os.CreateTemp(dir, ".saturate-read-*")
	if err != nil {
		return nil, fmt.Errorf("disk speed not measured: %w", err)
	}
	defer os.Remove(file.Name())
	defer file.Close()
	forget(file) // where an open file may be removed, a killed program leaves nothing behind

	block := make([]byte, readBlock)
	size, err := fill(ctx, file, block)
	if err != nil {
		return nil, err
	}
	dropCache(file)
	read := &Read{Dir: dir, CacheBypassed: cachedShare(file, size) < 0.05}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	start := time.Now()
	for time.Since(start) < phaseBudget && ctx.Err() == nil {
		n, err := file.Read(block)
		read.Bytes += int64(n)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	read.Seconds = time.Since(start).Seconds()
	if read.Bytes == 0 {
		return nil, fmt.Errorf("cannot read back from %s", dir)
	}
	return read, nil
}

// fill writes until the size or the time is reached. Random bytes, because some file systems compress.
func fill(ctx context.Context, file *os.File, block []byte) (size int64, err error) {
	source := rand.NewChaCha8([32]byte{})
	start := time.Now()
	for i := 1; size < readSize && ctx.Err() == nil; i++ {
		_, _ = source.Read(block) // never fails
		if _, err := file.Write(block); err != nil {
			return size, err
		}
		size += int64(len(block))
		if i%syncEvery != 0 {
			continue
		}
		if err := file.Sync(); err != nil { // dirty pages cannot be dropped
			return size, err
		}
		if size >= minRead && time.Since(start) > phaseBudget {
			break
		}
	}
	return size, ctx.Err()
}
