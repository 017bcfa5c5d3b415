package analyze

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// TraceLens' rates, which peers/ranks/tracelens_values.py wrote. Two differences are its own choice:
//
//   - it counts the addition of a bias, one for each element of the result
//   - of a convolution's backward pass it counts the gradient of the input also where none is computed
func TestTraceLensRates(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "tracelens_values.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want []Rate
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	ours := map[string]Rate{}
	for _, r := range analysed(t, "fixed", Options{Step: -1, Rank: -1, Top: -1}).Rates {
		ours[r.Operator+fmt.Sprint(r.Shapes)] = r
	}
	for _, w := range want {
		name, more := w.Operator, 1.0
		switch name {
		case "aten::_scaled_dot_product_cudnn_attention": // which calls this
			name = "aten::_cudnn_attention_forward"
		case "aten::addmm":
			more += 1 / float64(2*w.Shapes[1][1])
		case "aten::convolution_backward":
			if w.Shapes[1][1] == 80 { // mels: the first layer, whose input needs no gradient
				more = 2
			}
		}
		r, ok := ours[name+fmt.Sprint(w.Shapes)]
		switch {
		case !ok:
			t.Errorf("%s%v is missing", name, w.Shapes)
		case r.Count != w.Count || math.Abs(r.GFLOP*more/w.GFLOP-1) > 1e-9 || math.Abs(r.MeanTFLOP*more/w.MeanTFLOP-1) > 1e-4:
			t.Errorf("%s%v: %d calls of %g GFLOP with %g TFLOP/s, TraceLens has %d, %g, %g", name, w.Shapes, r.Count, r.GFLOP*more, r.MeanTFLOP*more, w.Count, w.GFLOP, w.MeanTFLOP)
		}
	}
}
