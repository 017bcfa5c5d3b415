package audio

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// seeds adds the files of a format, and their beginnings.
func seeds(f *testing.F, endings ...string) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil || len(files) == 0 {
		f.Fatal("no files: ", err)
	}
	for _, file := range files {
		for _, ending := range endings {
			if !strings.HasSuffix(file, ending) {
				continue
			}
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data[:min(len(data), 6000)])
			f.Add(data[:min(len(data), 900)])
		}
	}
}

// hostile decodes bytes that may hold anything: whole and in pieces, with the same outcome.
func hostile(t *testing.T, data []byte) {
	opt := Options{FFmpeg: "none", Rate: 16000, Limit: 2 * time.Second}
	clip, err := Decode(context.Background(), "x", data, opt)
	if err == nil && clip.Len() > 32000 {
		t.Errorf("%d samples in 2 s", clip.Len())
	}
	r, err2 := NewReader(context.Background(), "x", bytes.NewReader(data), int64(len(data)), opt)
	var pieces []float32
	if err2 == nil {
		defer r.Close()
		buf := make([]float32, 777)
		for {
			n, err := r.Read(buf)
			pieces = append(pieces, buf[:n]...)
			if err != nil {
				if err != io.EOF {
					err2 = err
				}
				break
			}
		}
	}
	if (err == nil) != (err2 == nil) {
		t.Fatalf("whole: %v, in pieces: %v", err, err2)
	}
	if err == nil && (len(pieces) != clip.Len() || largestDifference(pieces, clip.Float32(nil)) != 0) {
		t.Errorf("whole: %d samples, in pieces: %d, difference %g", clip.Len(), len(pieces), largestDifference(pieces, clip.Float32(nil)))
	}
}

func FuzzWAV(f *testing.F) {
	for _, v := range variants(wavFile0{code: 1, rate: 8000, channels: 2, bits: 16, data: make([]byte, 64)}) {
		f.Add(wavFile(v))
	}
	for _, code := range []int{wavPCM, wavFloat, wavALaw, wavMuLaw} {
		for _, bits := range []int{8, 16, 24, 32, 64} {
			f.Add(wavFile(wavFile0{code: code, rate: 16000, channels: 1, bits: bits, data: make([]byte, 64)}))
		}
	}
	f.Fuzz(hostile)
}

func FuzzFLAC(f *testing.F) {
	seeds(f, ".flac")
	f.Fuzz(hostile)
}

func FuzzMP3(f *testing.F) {
	seeds(f, ".mp3")
	f.Fuzz(hostile)
}

func FuzzVorbis(f *testing.F) {
	seeds(f, ".ogg")
	f.Fuzz(func(t *testing.T, data []byte) { hostile(t, mended(data)) })
}

func FuzzOpus(f *testing.F) {
	seeds(f, ".opus")
	f.Fuzz(func(t *testing.T, data []byte) { hostile(t, mended(data)) })
}

// mended has right checksums, so that changed bytes reach the decoder behind them.
func mended(data []byte) []byte {
	data = bytes.Clone(data)
	size := int64(len(data))
	for at := int64(0); at < size; {
		p, err := readOggPage(bytes.NewReader(data), at, size)
		if err != nil {
			break
		}
		end := p.body + p.size
		clear(data[at+22 : at+26])
		binary.LittleEndian.PutUint32(data[at+22:], oggChecksum(0, data[at:end]))
		at = end
	}
	return data
}

// FuzzFLACChannel gives the decoder of one channel what checksums would otherwise keep from it.
func FuzzFLACChannel(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.flac")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		_, start, err := readFLACHeader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data[start+6:min(len(data), int(start)+3000)], uint16(4096), uint8(16))
	}
	f.Add([]byte{0b0100_0000, 1, 2, 3}, uint16(3), uint8(8))
	f.Fuzz(func(t *testing.T, data []byte, size uint16, wide uint8) {
		out := make([]int32, int(size)+1)
		err := subframe(newFLACBits(bytes.NewReader(data)), out, uint(wide%29)+4)
		_ = err // any error will do; what is tested is that it comes back
	})
}
