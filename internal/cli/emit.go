package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"saturate/internal/dataset"
	"saturate/internal/files"
	"saturate/internal/report"
)

// emitReader writes the Python module that reads what `saturate mel` makes.
func emitReader(env *Env, o melOptions, args []string) (report.Report, error) {
	if o.check != "" {
		return report.Report{}, usage("--emit and --check exclude each other; remove one")
	}
	if err := emitPossible(o.emit, args); err != nil {
		return report.Report{}, err
	}
	path := o.output
	if path == "" {
		path = "saturate_mel.py"
	}
	if err := give(env, []gift{{path, signed(dataset.PythonModule)}}, o.build.Replace, otherName); err != nil {
		return report.Report{}, err
	}
	return report.Report{
		Title: "Features",
		Summary: []string{fmt.Sprintf("Wrote %s: MelDataset(\"train.h5\") is a torch Dataset "+
			"that reads the output of saturate mel.", path)},
		Data: melData{Script: path},
	}, nil
}

func emitPossible(language string, args []string) error {
	if err := emitsPython(language); err != nil {
		return err
	}
	if len(args) > 0 {
		return usage("--emit takes no input; remove %s", args[0])
	}
	return nil
}

// emitsPython refuses every other language.
func emitsPython(language string) error {
	if language != "python" {
		return usage("--emit cannot be %q: use python", language)
	}
	return nil
}

// gift is a file that is the user's from then on, to be changed as they like.
type gift struct {
	path string // as the user would type it
	text []byte
}

// otherName is what to do where the place of a file cannot be had.
const otherName = "choose another name with --output"

// give writes such files. Where one was changed since, or was never ours, none is written: only --replace does that.
func give(env *Env, gifts []gift, replace bool, elsewhere string) error {
	if !replace {
		if err := inTheWay(env, gifts, elsewhere); err != nil {
			return err
		}
	}
	for _, f := range gifts {
		full := env.path(f.path)
		err := os.MkdirAll(filepath.Dir(full), 0o755)
		if err == nil {
			_, err = putWhole(context.Background(), full, containing(f.text))
		}
		if err != nil {
			return fmt.Errorf("cannot write %s: %w; %s", f.path, reason(err), elsewhere)
		}
	}
	return nil
}

// inTheWay names the files that are not to be written over.
func inTheWay(env *Env, gifts []gift, elsewhere string) error {
	var changed []string
	for _, f := range gifts {
		full := env.path(f.path)
		if info, err := os.Stat(full); errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
			continue // a pipe is written as it stands, and a folder is not written over
		}
		data, err := files.Read(full, files.MaxSource)
		if err != nil {
			return fmt.Errorf("cannot check whether %s was edited: %w; %s", f.path, reason(err), elsewhere)
		}
		if !bytes.Equal(data, f.text) && !untouched(data) {
			changed = append(changed, f.path)
		}
	}
	if len(changed) > 0 {
		return usage("%s was edited, or not written by saturate; %s, or overwrite it with --replace",
			strings.Join(changed, ", "), elsewhere)
	}
	return nil
}

// signature begins the last line of a program that was given away. A hash of everything above it follows: so a program
// of an earlier saturate can be told from one that somebody has changed.
const signature = "# Written by saturate, which overwrites this file only if it was not edited: "

func signed[T string | []byte](text T) []byte {
	sum := sha256.Sum256([]byte(text))
	return fmt.Appendf(slices.Clip([]byte(text)), "%s%x\n", signature, sum[:16])
}

// untouched reports whether a file is as it was signed, except for empty lines behind that: a text that is printed ends with
// some.
func untouched(data []byte) bool {
	at := bytes.LastIndex(data, []byte(signature))
	return at >= 0 && bytes.Equal(bytes.TrimRight(data, "\n"), bytes.TrimRight(signed(data[:at]), "\n"))
}
