package sqlite

import (
	"encoding/binary"
)

// The kinds of pages that a table is made of.
const (
	interior = 0x05
	leaf     = 0x0d
)

// deepest is deeper than any table: a page has hundreds of children.
const deepest = 40

// Each gives every row of the table, in the order of their numbers. The row is valid until the function returns.
func (t *Table) Each(give func(Row) error) error {
	w := &walk{t: t, give: give, left: t.db.pages}
	return w.page(t.root, 0)
}

type walk struct {
	t       *Table
	give    func(Row) error
	left    uint32 // pages that may still be visited
	pages   [][]byte
	payload []byte
	row     Row
}

func (w *walk) load(number uint32, depth int) ([]byte, error) {
	db := w.t.db
	if number == 0 || number > db.pages || depth >= deepest || w.left == 0 {
		return nil, db.damaged(number)
	}
	w.left--
	for len(w.pages) <= depth {
		w.pages = append(w.pages, make([]byte, db.pageSize))
	}
	page := w.pages[depth]
	if _, err := db.r.ReadAt(page, int64(number-1)*int64(db.pageSize)); err != nil {
		return nil, db.damaged(number)
	}
	return page, nil
}

func (w *walk) page(number uint32, depth int) error {
	page, err := w.load(number, depth)
	if err != nil {
		return err
	}
	head := page
	if number == 1 { // behind the file's own header
		head = page[100:]
	}
	kind, cells := head[0], int(binary.BigEndian.Uint16(head[3:]))
	pointers := head[8:]
	if kind == interior {
		pointers = head[12:]
	}
	if kind != interior && kind != leaf || 2*cells > len(pointers) {
		return w.t.db.damaged(number)
	}
	for i := range cells {
		at := int(binary.BigEndian.Uint16(pointers[2*i:]))
		if at+4 > w.t.db.usable {
			return w.t.db.damaged(number)
		}
		if kind == interior {
			err = w.page(binary.BigEndian.Uint32(page[at:]), depth+1)
		} else {
			err = w.cell(number, page[at:w.t.db.usable])
		}
		if err != nil {
			return err
		}
	}
	if kind == interior {
		return w.page(binary.BigEndian.Uint32(head[8:]), depth+1)
	}
	return nil
}

// mostPayload is the largest row that is read whole; of a larger one the beginning is.
const mostPayload = 16 << 20

// cell reads one row, which may go on in other pages.
func (w *walk) cell(number uint32, cell []byte) error {
	size, n := uvarint(cell)
	rowid, m := uvarint(cell[n:])
	if n == 0 || m == 0 {
		return w.t.db.damaged(number)
	}
	cell = cell[n+m:]
	usable := uint64(w.t.db.usable)
	most := usable - 35
	here := size
	if size > most { // how SQLite splits a row
		low := (usable-12)*32/255 - 23
		if here = low + (size-low)%(usable-4); here > most {
			here = low
		}
	}
	if uint64(len(cell)) < here {
		return w.t.db.damaged(number)
	}
	payload := cell[:here]
	if here < size {
		if uint64(len(cell)) < here+4 {
			return w.t.db.damaged(number)
		}
		var err error
		if payload, err = w.rest(payload, binary.BigEndian.Uint32(cell[here:]), size); err != nil {
			return err
		}
	}
	w.row.number, w.row.id = int64(rowid), w.t.rowid
	if !w.row.decode(payload, len(w.t.Columns)) {
		return w.t.db.damaged(number)
	}
	return w.give(w.row)
}

// rest collects a row from the pages that it goes on in.
func (w *walk) rest(first []byte, next uint32, size uint64) ([]byte, error) {
	db := w.t.db
	w.payload = append(w.payload[:0], first...)
	page := make([]byte, db.pageSize)
	for uint64(len(w.payload)) < size && len(w.payload) < mostPayload {
		if next == 0 || next > db.pages || w.left == 0 {
			return nil, db.damaged(next)
		}
		w.left--
		if _, err := db.r.ReadAt(page, int64(next-1)*int64(db.pageSize)); err != nil {
			return nil, db.damaged(next)
		}
		next = binary.BigEndian.Uint32(page)
		w.payload = append(w.payload, page[4:min(uint64(db.usable), 4+size-uint64(len(w.payload)))]...)
	}
	return w.payload, nil
}

// uvarint is SQLite's: big-endian, up to nine bytes; no bytes where it is cut off.
func uvarint(b []byte) (v uint64, n int) {
	for i := range min(len(b), 9) {
		if i == 8 {
			return v<<8 | uint64(b[i]), 9
		}
		v = v<<7 | uint64(b[i]&0x7f)
		if b[i] < 0x80 {
			return v, i + 1
		}
	}
	return 0, 0
}
