package audio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
)

// formats are tried in this order; the first that knows the beginning of the file reads it.
var formats = []struct {
	name    string
	endings []string
	sniff   func(head []byte) bool
	open    func(r io.ReaderAt, size int64) (source, error)
}{
	{"wav", []string{".wav", ".wave"}, isWAV, openWAV},
	{"flac", []string{".flac"}, isFLAC, openFLAC},
	{"vorbis", []string{".ogg", ".oga"}, oggHolds("\x01vorbis"), openVorbis},
	{"opus", []string{".opus"}, oggHolds("OpusHead"), openOpus},
	{"mp3", []string{".mp3"}, isMP3, openMP3},
}

// Endings lists the usual file name extensions of the formats that need no ffmpeg.
func Endings() []string {
	var list []string
	for _, f := range formats {
		list = append(list, f.endings...)
	}
	return list
}

const sniffLength = 64

// open finds the decoder. What no built-in one takes goes to ffmpeg.
func open(ctx context.Context, r io.ReaderAt, size int64, opt Options) (src source, err error) {
	if size == 0 {
		return nil, errors.New("the file is empty (0 bytes)")
	}
	head, start, err := beginning(r, size)
	if err != nil {
		return nil, err
	}
	err = ErrUnsupported
	for _, f := range formats {
		if f.sniff(head) {
			src, err = guardedOpen(f.open, io.NewSectionReader(r, start, size-start), size-start)
			break
		}
	}
	if errors.Is(err, ErrUnsupported) {
		return openFFmpeg(ctx, r, size, head, opt, err)
	}
	return src, err
}

// beginning reads the first bytes behind the ID3 tags, which may stand before FLAC and MP3 alike.
func beginning(r io.ReaderAt, size int64) (head []byte, start int64, err error) {
	buf := make([]byte, sniffLength)
	for {
		n, err := r.ReadAt(buf[:min(sniffLength, size-start)], start)
		if n == 0 && err != nil {
			return nil, 0, fmt.Errorf("cannot read it: %w", err)
		}
		skip := id3Length(buf[:n])
		if skip == 0 || skip >= size-start {
			return buf[:n], start, nil
		}
		start += skip
	}
}

func guardedOpen(open func(io.ReaderAt, int64) (source, error), r io.ReaderAt, size int64) (src source, err error) {
	defer func() {
		if p := recover(); p != nil {
			src, err = nil, damaged(p)
		}
	}()
	return open(r, size)
}

// id3Length is the size of the ID3v2 tag at the beginning, 0 without one.
func id3Length(head []byte) int64 {
	if len(head) < 10 || string(head[:3]) != "ID3" {
		return 0
	}
	for _, b := range head[6:10] {
		if b >= 0x80 {
			return 0
		}
	}
	n := int64(head[6])<<21 | int64(head[7])<<14 | int64(head[8])<<7 | int64(head[9])
	if head[5]&0x10 != 0 {
		n += 10 // a footer
	}
	return n + 10
}

func isWAV(head []byte) bool {
	if len(head) < 12 || string(head[8:12]) != "WAVE" {
		return false
	}
	switch string(head[:4]) {
	case "RIFF", "RF64", "BW64":
		return true
	}
	return false
}

func isFLAC(head []byte) bool { return bytes.HasPrefix(head, []byte("fLaC")) }

// oggHolds knows an Ogg stream whose first packet begins with the magic.
func oggHolds(magic string) func([]byte) bool {
	return func(head []byte) bool {
		if len(head) < 28 || string(head[:4]) != "OggS" {
			return false
		}
		packet := 27 + int(head[26])
		return packet < len(head) && bytes.HasPrefix(head[packet:], []byte(magic))
	}
}
