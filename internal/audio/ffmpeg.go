package audio

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// openFFmpeg lets an installed ffmpeg decode what nothing here can, for the given reason.
// Arguments are passed one by one, never through a shell, and only the file itself may be opened.
func openFFmpeg(ctx context.Context, r io.ReaderAt, size int64, head []byte, opt Options, reason error) (source, error) {
	if opt.FFmpeg == "none" {
		return nil, reason
	}
	if what := notAudio(head); what != "" {
		return nil, fmt.Errorf("the file is %s, not audio", what)
	}
	program := opt.FFmpeg
	if program == "" {
		program = "ffmpeg"
	}
	program, err := exec.LookPath(program)
	if err != nil {
		return nil, fmt.Errorf("%w: %w, which could read it; install it (Debian: apt-get install ffmpeg)", reason, ErrNoFFmpeg)
	}
	path, remove := opt.Path, func() error { return nil }
	if path == "" {
		if path, err = spill(r, size); err != nil {
			return nil, err
		}
		spilled := path
		remove = func() error { return os.Remove(spilled) }
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, program, "-nostdin", "-hide_banner", "-loglevel", "error",
		"-xerror", // nothing else has looked at the file: damage must not pass unseen
		"-protocol_whitelist", "file,pipe", "-i", "file:"+path,
		"-map", "0:a:0", "-c:a", "pcm_f32le", "-f", "wav", "-bitexact", "pipe:1")
	var stderr bytes.Buffer
	cmd.Stderr = &limited{w: &stderr, left: 4096}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		cancel()
		return nil, errors.Join(fmt.Errorf("ffmpeg cannot be started: %w", err), remove())
	}
	stop := func() error {
		// Ends a decoder that is still busy; one that has given everything is not hurt.
		rest, _ := io.Copy(io.Discard, io.LimitReader(out, 1))
		if rest > 0 {
			cancel()
		}
		err := cmd.Wait()
		cancel()
		if rest > 0 && ctx.Err() != nil {
			err = nil
		}
		if err != nil {
			err = fmt.Errorf("ffmpeg cannot decode it: %s", firstLine(stderr.String(), err))
		}
		return errors.Join(err, remove())
	}
	buffered := bufio.NewReaderSize(out, 1<<16)
	h, err := readWAVHeader(buffered, -1)
	if err != nil {
		if failed := stop(); failed != nil {
			err = failed
		}
		return nil, err
	}
	h.length = -1
	return &ffmpegSource{newWAVSource(h, buffered, -1, stop)}, nil
}

// ffmpegSource is the WAV stream that ffmpeg writes.
type ffmpegSource struct{ *wavSource }

func (f *ffmpegSource) info() Info {
	i := f.wavSource.info()
	i.Format, i.Bits = "ffmpeg", 0
	return i
}

// spill writes the bytes to a temporary file: some formats keep their index at the end.
func spill(r io.ReaderAt, size int64) (string, error) {
	f, err := os.CreateTemp("", "saturate-audio-*")
	if err != nil {
		return "", fmt.Errorf("cannot make a file for ffmpeg: %w", err)
	}
	_, err = io.Copy(f, io.NewSectionReader(r, 0, size))
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(f.Name())
		return "", fmt.Errorf("cannot write a file for ffmpeg: %w", err)
	}
	return f.Name(), nil
}

// notAudio names what servers and broken pipelines leave instead of audio, so that ffmpeg is not asked.
func notAudio(head []byte) string {
	text := strings.ToLower(string(bytes.TrimSpace(head)))
	switch {
	case strings.HasPrefix(text, "<!doctype") || strings.HasPrefix(text, "<html") || strings.HasPrefix(text, "<?xml"):
		return "a web page"
	case strings.HasPrefix(text, "{") || strings.HasPrefix(text, "["):
		return "JSON"
	case strings.HasPrefix(text, "#extm3u"):
		return "a playlist"
	case strings.HasPrefix(text, "version https://git-lfs"):
		return "a Git LFS pointer (run git lfs pull)"
	}
	return ""
}

func firstLine(text string, err error) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if line == "" {
		return err.Error()
	}
	return line
}

// limited keeps the beginning of what is written to it.
type limited struct {
	w    io.Writer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	n := min(l.left, len(p))
	l.left -= n
	if _, err := l.w.Write(p[:n]); err != nil {
		return 0, err
	}
	return len(p), nil
}
