package stat

import (
	"encoding/json"
	"fmt"
	"math"
)

// Number is a float64 that survives JSON: NaN and the infinities are the strings
// "NaN", "Infinity" and "-Infinity". A loss that became NaN is a result, not an encoding error.
type Number float64

// Finite reports whether n is neither NaN nor infinite.
func (n Number) Finite() bool { return isFinite(float64(n)) }

// MarshalJSON writes a JSON number, or a string where JSON has no number.
func (n Number) MarshalJSON() ([]byte, error) {
	switch f := float64(n); {
	case math.IsNaN(f):
		return []byte(`"NaN"`), nil
	case math.IsInf(f, 1):
		return []byte(`"Infinity"`), nil
	case math.IsInf(f, -1):
		return []byte(`"-Infinity"`), nil
	default:
		return json.Marshal(f)
	}
}

// UnmarshalJSON reads a number, one of the strings that MarshalJSON writes, or null, which is NaN:
// that is how JavaScript writes it.
func (n *Number) UnmarshalJSON(data []byte) error {
	switch string(data) {
	case `"NaN"`, `"nan"`, "null":
		*n = Number(math.NaN())
		return nil
	case `"Infinity"`, `"+Infinity"`, `"Inf"`, `"+Inf"`, `"inf"`:
		*n = Number(math.Inf(1))
		return nil
	case `"-Infinity"`, `"-Inf"`, `"-inf"`:
		*n = Number(math.Inf(-1))
		return nil
	}
	var f float64
	if err := json.Unmarshal(data, &f); err != nil {
		return fmt.Errorf("%.40s is not a number", data)
	}
	*n = Number(f)
	return nil
}
