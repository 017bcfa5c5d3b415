// Tile writes a Kineto trace several times in a row, as one recording that is so many
// times longer: times, steps, correlations, external ids and arrows go on from copy to
// copy. Measurements of how cost grows with size use it.
//
//	go run ./peers/trace/tile -n 12 launchbound.pt.trace.json.gz big.json.gz
package main

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"

	"saturate/internal/trace"
	"saturate/internal/trace/open"
)

func main() {
	n := flag.Int("n", 4, "how many copies")
	flag.Parse()
	if flag.NArg() != 2 || *n < 1 {
		fmt.Fprintln(os.Stderr, "usage: tile [-n copies] FROM.json.gz TO.json[.gz]")
		os.Exit(2)
	}
	if err := tile(flag.Arg(0), flag.Arg(1), *n); err != nil {
		fmt.Fprintln(os.Stderr, "tile:", err)
		os.Exit(1)
	}
}

// shift is what each copy adds to the numbers of the one before.
type shift struct {
	time        int64 // µs
	correlation int64
	external    int64
	step        int64
}

func tile(from, to string, n int) error {
	by, err := measure(from)
	if err != nil {
		return err
	}
	f, err := os.Create(to)
	if err != nil {
		return err
	}
	defer f.Close()
	var out io.Writer = f
	if strings.HasSuffix(to, ".gz") {
		z, err := gzip.NewWriterLevel(f, gzip.BestSpeed)
		if err != nil {
			return err
		}
		defer z.Close()
		out = z
	}
	w := bufio.NewWriterSize(out, 1<<20)
	for i := range n {
		if err := copyOnce(w, from, by, int64(i), i == n-1); err != nil {
			return err
		}
	}
	return w.Flush()
}

// measure finds how far apart the copies must be.
func measure(path string) (by shift, err error) {
	traces, err := open.Read(context.Background(), []string{path}, open.Options{})
	if err != nil {
		return by, err
	}
	t := traces[0]
	by.time = t.Window().Length()/1000 + 1000
	for i := range t.Len() {
		if v, ok := t.Int(trace.EventID(i), trace.Correlation); ok {
			by.correlation = max(by.correlation, v+1)
		}
		if v, ok := t.Int(trace.EventID(i), trace.External); ok {
			by.external = max(by.external, v+1)
		}
	}
	by.step = int64(len(t.StepMarkers()))
	return by, nil
}

// copyOnce writes the i-th copy: the first brings the head of the file, the last its end.
func copyOnce(w *bufio.Writer, path string, by shift, i int64, last bool) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	lines := bufio.NewReaderSize(z, 1<<20)
	inEvents := false
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return err
		}
		switch {
		case !inEvents:
			inEvents = bytes.Contains(line, []byte(`"traceEvents": [`))
			if i > 0 {
				line = nil
			}
			if i > 0 && inEvents {
				line = []byte(",\n")
			}
		case bytes.Equal(line, []byte("  ],\n")):
			if !last {
				return nil
			}
			inEvents = false
			if _, err := w.Write(line); err != nil {
				return err
			}
			_, err := io.Copy(w, lines)
			return err
		default:
			line = by.renumber(line, i)
		}
		if _, werr := w.Write(line); werr != nil {
			return werr
		}
		if err == io.EOF {
			return nil
		}
	}
}

// renumber moves the numbers of a line of Kineto's layout on by i copies.
func (by shift) renumber(line []byte, i int64) []byte {
	if i == 0 {
		return line
	}
	for _, key := range []struct {
		text string
		add  int64
	}{
		{`"ts": `, by.time},
		{`"correlation": `, by.correlation},
		{`"External id": `, by.external},
		{`"id": `, by.correlation},
		{`"name": "ProfilerStep#`, by.step},
		{`"Sequence number": `, by.external},
	} {
		at := bytes.Index(line, []byte(key.text))
		if at < 0 {
			continue
		}
		at += len(key.text)
		end := at
		for end < len(line) && line[end] >= '0' && line[end] <= '9' {
			end++
		}
		if v, err := strconv.ParseInt(string(line[at:end]), 10, 64); err == nil {
			moved := strconv.AppendInt(append([]byte(nil), line[:at]...), v+i*key.add, 10)
			line = append(moved, line[end:]...)
		}
	}
	return line
}
