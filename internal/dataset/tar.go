package dataset

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"saturate/internal/files"
	"saturate/internal/human"
	"saturate/internal/rows"
)

// tar takes the audio of an archive, in its order. As in WebDataset, members that share a name up to the
// first dot belong together: key.json gives columns to key.wav, key.txt gives it a text.
func (f *finder) tar(name string) error {
	file, err := files.Open(f.path(name))
	if err != nil {
		return fmt.Errorf("cannot read the archive: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("cannot read the archive: %w", err)
	}
	before := len(f.list.Items)
	members, unread, err := readTar(file)
	if len(unread) > 0 {
		f.list.Notes = append(f.list.Notes,
			fmt.Sprintf("%s: %s gave no columns, the first is %s; expected a JSON object or a text of at most %d MB",
				name, human.Plural(len(unread), "member"), clean(unread[0]), mostSide>>20))
	}
	for _, m := range members {
		m.item.Tar, m.item.Time = name, info.ModTime().UnixNano()
		if m.item.At+m.item.Size > info.Size() {
			m.item.Bad = "the archive is cut off in it"
		}
		for i, column := range m.names {
			m.item.set(f.list.column(clean(column)), m.values[i])
		}
		f.list.add(m.item)
	}
	switch {
	case err != nil && len(f.list.Items) > before:
		f.list.add(Item{Path: name, Bad: fmt.Sprintf("it is damaged after its member %s: %v",
			clean(members[len(members)-1].item.Path), err)})
	case err != nil:
		return fmt.Errorf("%s: %w", name, err)
	case len(f.list.Items) == before:
		return fmt.Errorf("%s has no audio", name)
	}
	return nil
}

type tarMember struct {
	item   Item
	names  []string
	values []value
}

// counted knows how far a reader has come, which archive/tar does not tell.
type counted struct {
	io.ReadSeeker
	at int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.ReadSeeker.Read(p)
	c.at += int64(n)
	return n, err
}

func (c *counted) Seek(offset int64, whence int) (int64, error) {
	at, err := c.ReadSeeker.Seek(offset, whence)
	c.at = at
	return at, err
}

// mostSide is the largest text that a member of an archive may add to another.
const mostSide = 1 << 20

// readTar lists the audio of an archive with what its neighbors say of it, and the neighbors that cannot be
// understood. With an error, it gives what came before.
func readTar(r io.ReadSeeker) (members []tarMember, unread []string, err error) {
	in := &counted{ReadSeeker: r}
	archive := tar.NewReader(in)
	sides := map[string]*tarMember{} // by key: what to add to its audio
	key := func(name string) string {
		dir, base := path.Split(name)
		base, _, _ = strings.Cut(base, ".")
		return dir + base
	}
	at := map[string][]int{}
	for {
		h, err := archive.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return attach(members, sides, at), unread, err
		}
		k := key(h.Name)
		switch {
		case h.Typeflag != tar.TypeReg || strings.HasPrefix(path.Base(h.Name), "."):
		case isAudioName(h.Name):
			at[k] = append(at[k], len(members))
			members = append(members, tarMember{item: Item{Path: h.Name, At: in.at, Size: h.Size}})
		case path.Ext(h.Name) != ".json" && path.Ext(h.Name) != ".txt":
		case h.Size > mostSide:
			unread = append(unread, h.Name)
		default:
			text, err := files.ReadAll(archive, mostSide)
			if err != nil {
				return attach(members, sides, at), unread, err
			}
			side := sides[k]
			if side == nil {
				side = &tarMember{}
				sides[k] = side
			}
			if path.Ext(h.Name) == ".txt" {
				side.names = append(side.names, "text")
				side.values = append(side.values, value{text: clean(strings.TrimSpace(string(text)))})
			} else if e, err := rows.Object(text, h.Name); err != nil || e.Names == nil || !json.Valid(text) {
				unread = append(unread, h.Name)
			} else {
				side.names = append(side.names, e.Names...)
				for i := range e.Names {
					v := valueOf(e, i)
					side.values = append(side.values, value{clean(v.text), v.number})
				}
			}
		}
	}
	if len(members)+len(sides) == 0 {
		// An empty archive is two blocks of zeros; anything else that begins with zeros ends the same way.
		if end, err := r.Seek(0, io.SeekEnd); err == nil && end%512 != 0 {
			return nil, nil, errors.New("it is not a tar archive")
		}
	}
	return attach(members, sides, at), unread, nil
}

// attach gives each audio member what stood beside it, before or behind.
func attach(members []tarMember, sides map[string]*tarMember, at map[string][]int) []tarMember {
	for k, side := range sides {
		for _, i := range at[k] {
			members[i].names, members[i].values = side.names, side.values
		}
	}
	return members
}
