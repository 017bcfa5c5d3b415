package dataset

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"saturate/internal/audio"
	"saturate/internal/shard"
)

// audioEndings are the names that are taken for audio in folders and archives. A file that is named
// itself may be called anything.
var audioEndings = append(audio.Endings(), // and those of ffmpeg
	".m4a", ".mp4", ".aac", ".wma", ".aiff", ".aif", ".au", ".amr", ".webm", ".w64", ".caf",
	".mka", ".weba", ".m4b", ".aifc", ".mp2", ".ac3", ".wv", ".tta", ".ape", ".spx", ".sph",
)

func isAudioName(name string) bool {
	return slices.Contains(audioEndings, strings.ToLower(filepath.Ext(name)))
}

// FindOptions say how arguments are read.
type FindOptions struct {
	PathColumn string // the column of a manifest that names the audio; "" for the usual names
	Dir        string // where relative paths of arguments start
	// Store opens an object store, for arguments that lie in one; nil where only files are read.
	Store func(place string) (shard.Store, error)
}

// Find lists what the arguments name: audio files, folders, patterns, tar archives and manifests. Folders
// and patterns are taken in the order of their paths, everything else in its own order.
func Find(ctx context.Context, args []string, opt FindOptions) (*List, error) {
	f := finder{ctx: ctx, opt: opt, list: &List{}}
	for _, arg := range args {
		if err := f.argument(arg); err != nil {
			return nil, err
		}
	}
	switch {
	case len(f.list.Items) == 0 && len(f.tables) > 0:
		return nil, isTable(f.tables[0])
	case len(f.list.Items) == 0:
		return nil, fmt.Errorf("%s: no audio files (.wav, .flac, .mp3, .ogg, .opus, .m4a …)", strings.Join(args, " "))
	}
	f.list.spans()
	return f.list, nil
}

type finder struct {
	ctx    context.Context
	opt    FindOptions
	list   *List
	tables []string // that folders hold
	// guessed is the column of a list whose cells are named like audio, where none has a usual name.
	guessed struct{ list, column string }
}

// path is where a typed path leads; it is recorded as typed.
func (f *finder) path(p string) string {
	if filepath.IsAbs(p) || f.opt.Dir == "" {
		return p
	}
	return filepath.Join(f.opt.Dir, p)
}

func (f *finder) argument(arg string) error {
	if shard.IsRemote(arg) {
		return f.remote(arg)
	}
	info, err := os.Stat(f.path(arg))
	switch {
	case err == nil && info.IsDir():
		if manifest := speechManifest(f.path(arg)); manifest != "" {
			return f.manifest(filepath.Join(arg, manifest))
		}
		if _, err := os.Stat(filepath.Join(f.path(arg), kaldiList)); err == nil {
			return f.manifest(filepath.Join(arg, kaldiList))
		}
		return f.folder(arg)
	case err == nil:
		return f.file(arg, info)
	case errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(arg, "*?["):
		return f.pattern(arg)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s does not exist; give audio files, folders or a list", arg)
	default:
		return fmt.Errorf("cannot read the input: %w", err)
	}
}

// speechManifest is the list that `saturate tts` leaves in its folder.
func speechManifest(dir string) string {
	if _, err := os.Stat(filepath.Join(dir, ".saturate-tts")); err != nil {
		return ""
	}
	for _, name := range []string{"manifest.json", "manifest.jsonl"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return name
		}
	}
	return ""
}

func (f *finder) file(path string, info fs.FileInfo) error {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".scp", ".txt", ".list", ".lst":
		return f.manifest(path)
	case ".tar":
		return f.tar(path)
	}
	if isTableName(path) {
		return isTable(path)
	}
	f.list.add(Item{Path: path, Size: info.Size(), Time: info.ModTime().UnixNano()})
	return nil
}

func isTableName(path string) bool {
	return strings.EqualFold(filepath.Ext(path), ".parquet") || strings.EqualFold(filepath.Ext(path), ".arrow")
}

// isTable says what to do with the files of Hugging Face's datasets, whose pages are compressed.
func isTable(path string) error {
	return fmt.Errorf("%s is a table with audio inside; mel reads audio files, lists and tar archives. Write the audio "+
		"to files first: see docs/mel.md", path)
}

// folder takes all audio files below a folder, which may be a link; links to folders below it are not followed.
// Names that begin with a dot are passed over. A metadata.csv, metadata.jsonl or .trans.txt on the way gives columns.
func (f *finder) folder(dir string) error {
	before := len(f.list.Items)
	var about []string
	top, err := filepath.EvalSymlinks(f.path(dir))
	if err != nil {
		return fmt.Errorf("cannot read the input: %w", err)
	}
	err = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err := f.ctx.Err(); err != nil {
			return err
		}
		shown := path
		if rel, e := filepath.Rel(top, path); e == nil {
			shown = filepath.Join(dir, rel)
		}
		if err != nil {
			f.list.add(Item{Path: shown, Bad: "cannot be read: " + reason(err).Error()})
			if d != nil && d.IsDir() && path != top {
				return filepath.SkipDir
			}
			return nil
		}
		switch {
		case path == top:
		case strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return filepath.SkipDir
			}
		case !isAudioName(path):
			switch {
			case isTableName(path):
				f.tables = append(f.tables, shown)
			case d.Name() == "metadata.csv" || d.Name() == "metadata.jsonl" || isTranscripts(path):
				about = append(about, shown)
			case d.Type()&fs.ModeSymlink != 0:
				f.link(path, shown)
			}
		case d.IsDir():
			f.list.add(Item{Path: shown, Bad: "is a folder"})
		default:
			f.add(Item{Path: shown})
		}
		return nil
	})
	if err == nil && len(about) > 0 {
		err = f.metadata(about, before)
	}
	return err
}

// link notes a link to a folder, which might lead round in a circle.
func (f *finder) link(path, shown string) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		f.list.Notes = append(f.list.Notes, shown+" is a link to a folder and was skipped; pass it as an input to include it")
	}
}

// add takes a file, with its size when it has one, and says whether anything has its name.
func (f *finder) add(it Item) (there bool) {
	info, err := os.Stat(f.path(it.Path))
	switch {
	case err != nil:
		it.Bad = "cannot be read: " + reason(err).Error()
	case info.IsDir():
		it.Bad = "is a folder"
	case !info.Mode().IsRegular():
		it.Bad = "is not a regular file"
	default:
		it.Size, it.Time = info.Size(), info.ModTime().UnixNano()
	}
	f.list.add(it)
	return !errors.Is(err, fs.ErrNotExist)
}

func (f *finder) pattern(pattern string) error {
	found, err := glob(f.path(pattern), func(folder string, err error) {
		f.list.add(Item{Path: f.typed(folder), Bad: "cannot be read: " + reason(err).Error()})
	})
	if err != nil {
		return fmt.Errorf("invalid pattern %s: %w", pattern, err)
	}
	if len(found) == 0 {
		return fmt.Errorf("no file matches %s", pattern)
	}
	hidden := strings.HasPrefix(filepath.Base(pattern), ".")
	for _, path := range found {
		if strings.HasPrefix(filepath.Base(path), ".") && !hidden {
			continue
		}
		if !filepath.IsAbs(pattern) {
			path = f.typed(path)
		}
		meant := strings.EqualFold(filepath.Ext(path), filepath.Ext(pattern))
		switch {
		case isText(path) && !meant:
			continue // a transcript beside the audio is not a list
		case isTableName(path) && !meant:
			f.tables = append(f.tables, path)
			continue
		}
		if err := f.argument(path); err != nil {
			return err
		}
	}
	return nil
}

// typed is a path as it would be typed.
func (f *finder) typed(path string) string {
	if rel, err := filepath.Rel(f.opt.Dir, path); err == nil && f.opt.Dir != "" {
		return rel
	}
	return path
}

// glob is filepath.Glob in which ** stands for any number of folders. It tells of folders that cannot be looked into.
func glob(pattern string, unread func(folder string, err error)) ([]string, error) {
	before, after, deep := strings.Cut(pattern, "**")
	if !deep {
		found, err := filepath.Glob(pattern)
		slices.Sort(found)
		return found, err
	}
	after = strings.TrimPrefix(after, string(filepath.Separator))
	if _, err := filepath.Match(after, "x"); err != nil {
		return nil, err
	}
	var found []string
	tops, err := filepath.Glob(filepath.Clean(before + "."))
	if err != nil {
		return nil, err
	}
	depth := strings.Count(after, string(filepath.Separator)) + 1
	for _, top := range tops {
		err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				unread(path, err)
				return nil
			}
			if d.IsDir() {
				return nil
			}
			parts := strings.Split(path, string(filepath.Separator))
			end := filepath.Join(parts[max(0, len(parts)-depth):]...)
			if ok, _ := filepath.Match(after, end); ok {
				found = append(found, path)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

// reason takes the operation and the path off an error whose place is already named.
func reason(err error) error {
	var of *fs.PathError
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}
