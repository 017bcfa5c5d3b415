package snapshot

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
)

// A pickle is a program for a small stack machine. This one knows the opcodes that build data: numbers, strings, lists,
// tuples, sets and dictionaries. Those that name a class or call something are refused, so nothing is ever executed.

// list and dict are what a pickle builds; both are shared where the pickle says so.
type list struct{ items []any }

type dict struct{ of map[string]any }

// mark is where a container's items begin on the stack.
type mark struct{}

// limits keep a hostile file from taking all memory.
const (
	mostObjects = 60_000_000
	longestText = 64 << 20
)

type machine struct {
	r       *bufio.Reader
	stack   []any
	memo    map[uint32]any
	objects int
	read    int64
}

// unpickle reads one value.
func unpickle(r io.Reader) (any, error) {
	m := &machine{r: bufio.NewReaderSize(r, 1<<16), memo: map[uint32]any{}}
	for {
		op, err := m.byte()
		if err != nil {
			return nil, m.cut(err)
		}
		if op == '.' {
			if len(m.stack) == 0 {
				return nil, errors.New("the pickle is damaged: it ends without a value")
			}
			return m.stack[len(m.stack)-1], nil
		}
		if err := m.do(op); err != nil {
			return nil, m.cut(err)
		}
		if m.objects > mostObjects {
			return nil, fmt.Errorf("the pickle has more than %d million values", mostObjects/1_000_000)
		}
	}
}

// cut says that a file ends too early.
func (m *machine) cut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the pickle is truncated after %d bytes", m.read)
	}
	return err
}

var errDamaged = errors.New("the pickle is damaged: an operation lacks its values")

func (m *machine) do(op byte) error {
	switch op {
	case 0x80: // PROTO
		_, err := m.bytes(1)
		return err
	case 0x95: // FRAME
		_, err := m.bytes(8)
		return err
	case '(':
		return m.push(mark{})
	case 'N':
		return m.push(nil)
	case 0x88:
		return m.push(true)
	case 0x89:
		return m.push(false)
	case '}':
		return m.push(&dict{map[string]any{}})
	case ']', ')', 0x8f: // list, tuple, set
		return m.push(&list{})
	case '0': // POP
		_, err := m.pop()
		return err
	case '1': // POP_MARK
		_, err := m.items()
		return err
	case '2': // DUP
		if len(m.stack) == 0 {
			return errDamaged
		}
		return m.push(m.stack[len(m.stack)-1])
	case 'K', 'M', 'J', 0x8a, 0x8b, 'G', 'I', 'L', 'F':
		return m.number(op)
	case 'X', 0x8c, 0x8d, 'B', 'C', 0x8e, 'U', 'T', 0x96:
		return m.text(op)
	case 'a', 'e', 0x90, 't', 'l', 0x91, 0x85, 0x86, 0x87:
		return m.sequence(op)
	case 's', 'u', 'd':
		return m.mapping(op)
	case 'q', 'r', 0x94, 'h', 'j':
		return m.remember(op)
	case 'c', 0x93, 'R', 'b', 'i', 'o', 0x81, 0x92, 'P', 'Q', 0x82, 0x83, 0x84:
		return errors.New("not a memory snapshot: this pickle builds objects of classes, which would mean to execute code")
	}
	return fmt.Errorf("the pickle is damaged: unknown operation 0x%02x", op)
}

func (m *machine) number(op byte) error {
	switch op {
	case 'K':
		b, err := m.bytes(1)
		if err != nil {
			return err
		}
		return m.push(int64(b[0]))
	case 'M':
		b, err := m.bytes(2)
		if err != nil {
			return err
		}
		return m.push(int64(binary.LittleEndian.Uint16(b)))
	case 'J':
		b, err := m.bytes(4)
		if err != nil {
			return err
		}
		return m.push(int64(int32(binary.LittleEndian.Uint32(b))))
	case 'G':
		b, err := m.bytes(8)
		if err != nil {
			return err
		}
		return m.push(math.Float64frombits(binary.BigEndian.Uint64(b)))
	case 0x8a, 0x8b: // LONG1, LONG4: little-endian, two's complement
		n, err := m.length(map[byte]int{0x8a: 1, 0x8b: 4}[op], 1<<10)
		if err != nil {
			return err
		}
		b, err := m.bytes(n)
		if err != nil {
			return err
		}
		return m.push(long(b))
	}
	return errors.New("the pickle is of protocol 0; save the snapshot with torch.cuda.memory._dump_snapshot")
}

// long is an integer of any size; those beyond 64 bits, which no snapshot has, are cut to the largest.
func long(b []byte) int64 {
	if len(b) <= 8 {
		var v uint64
		for i, x := range b {
			v |= uint64(x) << (8 * i)
		}
		if n := len(b); n > 0 && n < 8 && b[n-1]&0x80 != 0 {
			v |= math.MaxUint64 << (8 * n)
		}
		return int64(v)
	}
	if len(b) == 9 && b[8] == 0 { // an address in the upper half
		return int64(binary.LittleEndian.Uint64(b))
	}
	reversed := make([]byte, len(b))
	for i, x := range b {
		reversed[len(b)-1-i] = x
	}
	if v := new(big.Int).SetBytes(reversed); v.IsInt64() {
		return v.Int64()
	}
	return math.MaxInt64
}

func (m *machine) text(op byte) error {
	n, err := m.length(map[byte]int{'X': 4, 0x8c: 1, 0x8d: 8, 'B': 4, 'C': 1, 0x8e: 8, 'U': 1, 'T': 4, 0x96: 8}[op], longestText)
	if err != nil {
		return err
	}
	b, err := m.bytes(n)
	if err != nil {
		return err
	}
	return m.push(string(b))
}

func (m *machine) sequence(op byte) error {
	var items []any
	var err error
	switch op {
	case 'a':
		v, err := m.pop()
		if err != nil {
			return err
		}
		return m.extend([]any{v})
	case 'e', 0x90:
		if items, err = m.items(); err != nil {
			return err
		}
		return m.extend(items)
	case 0x85, 0x86, 0x87:
		n := int(op-0x85) + 1
		if len(m.stack) < n {
			return errDamaged
		}
		items = append(items, m.stack[len(m.stack)-n:]...)
		m.stack = m.stack[:len(m.stack)-n]
	default:
		if items, err = m.items(); err != nil {
			return err
		}
	}
	return m.push(&list{items})
}

func (m *machine) extend(items []any) error {
	if len(m.stack) == 0 {
		return errDamaged
	}
	l, ok := m.stack[len(m.stack)-1].(*list)
	if !ok {
		return errDamaged
	}
	l.items = append(l.items, items...)
	return nil
}

func (m *machine) mapping(op byte) error {
	var items []any
	var err error
	if op == 's' {
		if len(m.stack) < 2 {
			return errDamaged
		}
		items = append(items, m.stack[len(m.stack)-2:]...)
		m.stack = m.stack[:len(m.stack)-2]
	} else if items, err = m.items(); err != nil {
		return err
	}
	if op == 'd' {
		if err := m.push(&dict{map[string]any{}}); err != nil {
			return err
		}
	}
	if len(m.stack) == 0 || len(items)%2 != 0 {
		return errDamaged
	}
	d, ok := m.stack[len(m.stack)-1].(*dict)
	if !ok {
		return errDamaged
	}
	for i := 0; i < len(items); i += 2 {
		if name, ok := items[i].(string); ok { // no other key is of use
			d.of[name] = items[i+1]
		}
	}
	return nil
}

func (m *machine) remember(op byte) error {
	at := uint32(len(m.memo))
	if op != 0x94 {
		n, err := m.length(map[byte]int{'q': 1, 'h': 1, 'r': 4, 'j': 4}[op], math.MaxInt32)
		if err != nil {
			return err
		}
		at = uint32(n)
	}
	if op == 'h' || op == 'j' {
		v, ok := m.memo[at]
		if !ok {
			return errDamaged
		}
		return m.push(v)
	}
	if len(m.stack) == 0 {
		return errDamaged
	}
	m.memo[at] = m.stack[len(m.stack)-1]
	return nil
}

func (m *machine) push(v any) error {
	m.objects++
	m.stack = append(m.stack, v)
	return nil
}

func (m *machine) pop() (any, error) {
	if len(m.stack) == 0 {
		return nil, errDamaged
	}
	v := m.stack[len(m.stack)-1]
	m.stack = m.stack[:len(m.stack)-1]
	return v, nil
}

// items takes what stands above the last mark.
func (m *machine) items() ([]any, error) {
	for i := len(m.stack) - 1; i >= 0; i-- {
		if _, ok := m.stack[i].(mark); ok {
			items := append([]any(nil), m.stack[i+1:]...)
			m.stack = m.stack[:i]
			return items, nil
		}
	}
	return nil, errDamaged
}

func (m *machine) byte() (byte, error) {
	b, err := m.r.ReadByte()
	if err == nil {
		m.read++
	}
	return b, err
}

// length reads a size of so many bytes.
func (m *machine) length(width int, most int64) (int, error) {
	b, err := m.bytes(width)
	if err != nil {
		return 0, err
	}
	var v uint64
	for i, x := range b {
		v |= uint64(x) << (8 * i)
	}
	if v > uint64(most) {
		return 0, fmt.Errorf("the pickle is damaged: a value of %d bytes", v)
	}
	return int(v), nil
}

// bytes reads so many bytes; a long value grows as it comes, so that a wrong length costs no memory.
func (m *machine) bytes(n int) ([]byte, error) {
	const piece = 1 << 16
	b := make([]byte, min(n, piece))
	for done := 0; ; {
		k, err := io.ReadFull(m.r, b[done:])
		m.read += int64(k)
		if err != nil {
			return nil, err
		}
		if done = len(b); done == n {
			return b, nil
		}
		b = append(b, make([]byte, min(n-done, piece))...)
	}
}
