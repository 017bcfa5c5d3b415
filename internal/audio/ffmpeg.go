package audio

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"

	"saturate/internal/human"
	"saturate/internal/process"
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
	if promised := promisedSize(head); promised > size {
		return nil, fmt.Errorf("%w: the header says %s bytes, the file has %s", ErrTruncated, human.Count(promised),
			human.Count(size))
	}
	program := opt.FFmpeg
	if program == "" {
		program = "ffmpeg"
	}
	program, err := exec.LookPath(program)
	if err != nil {
		return nil, fmt.Errorf("%w: %w; install it to read this file (Debian: apt-get install ffmpeg)", reason, errNoFFmpeg)
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
	whole := ctx
	ctx, cancel := context.WithCancel(whole)
	cmd := process.Command(ctx, program, "-nostdin", "-hide_banner", "-loglevel", "error",
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
		return nil, errors.Join(fmt.Errorf("cannot start ffmpeg: %w", err), remove())
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
		switch {
		case err != nil && whole.Err() != nil:
			err = whole.Err() // it was stopped, and is not to blame
		case err != nil:
			err = fmt.Errorf("ffmpeg cannot decode it: %s", complaint(stderr.String(), path, err))
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
		return "", fmt.Errorf("cannot create a file for ffmpeg: %w", err)
	}
	_, err = io.Copy(f, io.NewSectionReader(r, 0, size))
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(f.Name())
		return "", fmt.Errorf("cannot write a file for ffmpeg: %w", err)
	}
	return f.Name(), nil
}

// promisedSize is how long a file is at least by its own first bytes, 0 where they do not tell. ffmpeg takes what is
// there of uncompressed samples without a word. Some programs count a header of 8 bytes twice, which is let pass.
func promisedSize(head []byte) int64 {
	if len(head) < 12 {
		return 0
	}
	var size int64
	switch big, little := binary.BigEndian, binary.LittleEndian; string(head[:4]) {
	case "FORM": // AIFF
		size = int64(big.Uint32(head[4:]))
	case "RIFF":
		size = int64(little.Uint32(head[4:]))
	case ".snd": // AU
		size = int64(big.Uint32(head[4:])) + int64(big.Uint32(head[8:])) - 8
	}
	if size >= streamedSize {
		return 0 // nobody filled it in
	}
	return size
}

// notAudio names what servers and broken pipelines leave instead of audio, so that ffmpeg is not asked.
func notAudio(head []byte) string {
	text := strings.ToLower(string(bytes.TrimSpace(head)))
	switch {
	case strings.HasPrefix(text, "<!doctype") || strings.HasPrefix(text, "<html") || strings.HasPrefix(text, "<?xml"):
		return "a web page"
	case strings.HasPrefix(text, "{") || strings.HasPrefix(text, "["):
		return "JSON"
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		return "compressed by gzip (unpack it first)"
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return "a zip archive (unpack it first)"
	case strings.HasPrefix(text, "#extm3u"):
		return "a playlist"
	case strings.HasPrefix(text, "version https://git-lfs"):
		return "a Git LFS pointer (run git lfs pull)"
	case isText(head):
		return "text"
	}
	return ""
}

// isText recognises lists and transcripts. The files of NIST begin with lines of text.
func isText(head []byte) bool {
	if bytes.HasPrefix(head, []byte("NIST_1A")) || !bytes.ContainsRune(head, '\n') {
		return false
	}
	for len(head) > 0 {
		r, n := utf8.DecodeRune(head)
		switch {
		case r == utf8.RuneError && len(head) >= utf8.UTFMax, r < ' ' && !strings.ContainsRune("\t\n\r", r):
			return false
		}
		head = head[n:]
	}
	return true
}

// component is the part of ffmpeg that complains, with an address that is another every time.
var component = regexp.MustCompile(`\[[^]\n]* @ 0x[0-9a-f]+\] `)

// complaint is the first line of what ffmpeg said, the same for the same bytes wherever they lie: without addresses
// in memory, and without the path, in which ffmpeg writes control characters as question marks.
func complaint(text, path string, err error) string {
	shown := strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\r' && r != '\t' {
			return '?'
		}
		return r
	}, path)
	text = component.ReplaceAllString(strings.ReplaceAll(text, "file:"+shown+": ", ""), "")
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
