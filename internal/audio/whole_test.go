package audio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"saturate/internal/files"
)

// probeFile reads a file's header alone. What only ffmpeg can read is ErrUnsupported here.
func probeFile(name string, r io.ReaderAt, size int64) (Info, error) {
	rd, err := NewReader(context.Background(), name, r, size, Options{FFmpeg: "none"})
	if err != nil {
		return Info{}, err
	}
	return rd.Info(), rd.Close()
}

// openFile streams the file at path.
func openFile(ctx context.Context, path string, opt Options) (*Reader, error) {
	f, err := files.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the audio: %w", err)
	}
	stat, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	opt.Path = path
	rd, err := NewReader(ctx, path, f, stat.Size(), opt)
	if err != nil {
		f.Close()
		return nil, err
	}
	rd.src = fileSource{rd.src, f}
	return rd, nil
}

// fileSource closes the file with the source that reads it.
type fileSource struct {
	source
	file *os.File
}

func (f fileSource) close() error { return errors.Join(f.source.close(), f.file.Close()) }
