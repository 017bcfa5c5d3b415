package report

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
)

// member and object are a JSON object that keeps the order of its fields.
type (
	member struct {
		key   string
		value any
	}
	object []member
)

// MarshalJSON writes the members in their order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := marshal(m.key)
		if err != nil {
			return nil, err
		}
		value, err := marshal(m.value)
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// marshal writes any value as encoding/json does, except that NaN and infinities become null
// instead of an error: one NaN loss must not cost the user the whole result.
func marshal(v any) ([]byte, error) {
	raw, err := encode(v)
	var unsupported *json.UnsupportedValueError
	if !errors.As(err, &unsupported) {
		return raw, err
	}
	lenient, err := withoutNaN(reflect.ValueOf(v), 0)
	if err != nil {
		return nil, err
	}
	return encode(lenient)
}

// encode is json.Marshal without the escapes that only matter inside HTML.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

var (
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
)

// deepest nesting followed; a value that contains itself is deeper than any.
const deepest = 200

// withoutNaN rebuilds a value from objects, slices and plain values, with nil for NaN and infinities.
func withoutNaN(v reflect.Value, depth int) (any, error) {
	if depth > deepest {
		return nil, errors.New("a value is nested too deeply, or contains itself")
	}
	if !v.IsValid() {
		return nil, nil
	}
	if v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return nil, nil
		}
	}
	if !v.CanInterface() { // an embedded struct of unexported type; its exported fields count
		return structWithoutNaN(v, depth)
	}
	if o, ok := v.Interface().(object); ok {
		return objectWithoutNaN(o, depth)
	}
	if v.Type().Implements(jsonMarshaler) || v.Type().Implements(textMarshaler) {
		return v.Interface(), nil
	}
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, nil
		}
		return v.Interface(), nil
	case reflect.Pointer, reflect.Interface:
		return withoutNaN(v.Elem(), depth+1)
	case reflect.Struct:
		return structWithoutNaN(v, depth)
	case reflect.Map:
		return mapWithoutNaN(v, depth)
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && (v.IsNil() || v.Type().Elem().Kind() == reflect.Uint8) {
			return v.Interface(), nil
		}
		return listWithoutNaN(v, depth)
	}
	return v.Interface(), nil
}

func objectWithoutNaN(o object, depth int) (any, error) {
	out := make(object, len(o))
	for i, m := range o {
		value, err := withoutNaN(reflect.ValueOf(m.value), depth+1)
		if err != nil {
			return nil, err
		}
		out[i] = member{m.key, value}
	}
	return out, nil
}

func listWithoutNaN(v reflect.Value, depth int) (any, error) {
	out := make([]any, v.Len())
	for i := range out {
		value, err := withoutNaN(v.Index(i), depth+1)
		if err != nil {
			return nil, err
		}
		out[i] = value
	}
	return out, nil
}

// structWithoutNaN follows the json tags: name, "-", omitempty, omitzero and embedded structs.
func structWithoutNaN(v reflect.Value, depth int) (any, error) {
	var out object
	var named [][]int // embedded structs that have a name of their own, or are left out: their fields are not promoted
	for _, field := range reflect.VisibleFields(v.Type()) {
		tag := field.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		embedded := field.Anonymous && isStruct(field.Type)
		if inside(field.Index, named) || !field.IsExported() && !(embedded && field.Type.Kind() == reflect.Struct) {
			continue
		}
		if embedded && name == "" {
			continue // its fields come by themselves
		}
		if embedded {
			named = append(named, field.Index)
		}
		if tag == "-" {
			continue
		}
		if name == "" {
			name = field.Name
		}
		value, err := v.FieldByIndexErr(field.Index)
		if err != nil {
			continue // promoted through a nil pointer
		}
		if has(options, "omitempty") && empty(value) || has(options, "omitzero") && value.IsZero() {
			continue
		}
		lenient, err := withoutNaN(value, depth+1)
		if err != nil {
			return nil, err
		}
		out = append(out, member{name, lenient})
	}
	if out == nil {
		out = object{}
	}
	return out, nil
}

// isStruct is whether a type is a struct, or a pointer to one.
func isStruct(t reflect.Type) bool {
	return t.Kind() == reflect.Struct || t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct
}

func mapWithoutNaN(v reflect.Value, depth int) (any, error) {
	if v.IsNil() {
		return nil, nil
	}
	var out object
	for key, value := range v.Seq2() {
		lenient, err := withoutNaN(value, depth+1)
		if err != nil {
			return nil, err
		}
		name := fmt.Sprint(key.Interface())
		if m, ok := key.Interface().(encoding.TextMarshaler); ok {
			text, err := m.MarshalText()
			if err != nil {
				return nil, err
			}
			name = string(text)
		}
		out = append(out, member{name, lenient})
	}
	slices.SortFunc(out, func(a, b member) int { return strings.Compare(a.key, b.key) })
	if out == nil {
		out = object{}
	}
	return out, nil
}

func inside(index []int, parents [][]int) bool {
	for _, p := range parents {
		if len(index) > len(p) && slices.Equal(index[:len(p)], p) {
			return true
		}
	}
	return false
}

func has(options, name string) bool {
	return slices.Contains(strings.Split(options, ","), name)
}

// empty is what omitempty leaves out.
func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}
