package mp3

import "math"

// The polyphase synthesis turns 32 subband samples into 32 samples of sound. A DCT of each slot gives 32 values, a row.
// Output j is a sum over the last 16 rows: value 16+j of every even one, value 16-j of every odd one, times the
// window; output 32-j takes the same values with other weights. The order of a row is such that j runs over lanes.

const history = 15 // rows before the present one that count

// filter is the memory of one channel: rows of the granule before, then those of this one.
type filter struct {
	rows [(history + slots) * subbands]float32
}

// filterTables are the weights, in the order in which they are used.
type filterTables struct {
	// cosines of subband k and subband 31-k, which give the sums for even, the differences for odd values of a row.
	cosines [subbands / 2][subbands]float32
	// weights of the values of an even row, and of the next, odd one: outputs j, then outputs 32-j, for each.
	weights [8][4][subbands / 2]float32
	first   [8]float32 // for output 0 alone, of value 16 of odd rows
}

// A row has four parts of eight values: for even j those 16+j, those 16-j, and for odd j the same. Value 0, which only
// output 16 needs, stands where 16-0 would.
func rowValue(lane int) int {
	part, m := lane/8, lane%8
	switch part {
	case 0:
		return 16 + 2*m
	case 1:
		if m == 0 {
			return 0
		}
		return 16 - 2*m
	case 2:
		return 17 + 2*m
	}
	return 15 - 2*m
}

// laneOutput is the j of a lane of the weights.
func laneOutput(lane int) int {
	if lane < 8 {
		return 2 * lane
	}
	return 2*(lane-8) + 1
}

func (t *filterTables) make() {
	var d [512]float32
	for i := range d {
		switch {
		case i <= 256:
			d[i] = float32(windowHalf[i]) / 65536
		case i%64 == 0:
			d[i] = d[512-i]
		default:
			d[i] = -d[512-i]
		}
	}
	for k := range t.cosines {
		for lane := range t.cosines[k] {
			t.cosines[k][lane] = float32(math.Cos(math.Pi / 64 * float64((2*k+1)*rowValue(lane))))
		}
	}
	for i := range t.weights {
		w, d := &t.weights[i], d[64*i:64*i+64]
		for lane := range subbands / 2 {
			j := laneOutput(lane)
			w[0][lane] = d[j]
			if j == 0 { // output 0 and, in place of 32, output 16
				w[3][lane] = -d[48]
				continue
			}
			w[1][lane] = -d[32-j]
			w[2][lane] = -d[32+j]
			w[3][lane] = -d[64-j]
		}
		t.first[i] = -d[32]
	}
}

// synthesize turns 18 samples of each subband into 576 samples of sound.
func (t *filterTables) synthesize(f *filter, x, out *[lines]float32) {
	copy(f.rows[:history*subbands], f.rows[slots*subbands:])
	if vector {
		t.rowsVector(f, x)
		t.sumVector(f, out)
	} else {
		t.rowsPlain(f, x)
		t.sumPlain(f, out)
	}
}

func (t *filterTables) rowsPlain(f *filter, x *[lines]float32) {
	for slot := range slots {
		row := (*[subbands]float32)(f.rows[(history+slot)*subbands:])
		*row = [subbands]float32{}
		for k := range t.cosines {
			a, b := x[k*slots+slot], x[(subbands-1-k)*slots+slot]
			sum, difference := a+b, a-b
			c := &t.cosines[k]
			for lane := range 16 {
				row[lane] += sum * c[lane]
				row[16+lane] += difference * c[16+lane]
			}
		}
	}
}

func (t *filterTables) sumPlain(f *filter, out *[lines]float32) {
	for slot := range slots {
		var low, high [16]float32
		for i := range t.weights {
			even := (*[subbands]float32)(f.rows[(history+slot-2*i)*subbands:])
			odd := (*[subbands]float32)(f.rows[(history+slot-2*i-1)*subbands:])
			w := &t.weights[i]
			for lane := range 8 {
				a, b := even[lane], odd[8+lane]
				low[lane] += a*w[0][lane] + b*w[2][lane]
				high[lane] += a*w[1][lane] + b*w[3][lane]
				a, b = even[16+lane], odd[24+lane]
				low[8+lane] += a*w[0][8+lane] + b*w[2][8+lane]
				high[8+lane] += a*w[1][8+lane] + b*w[3][8+lane]
			}
			low[0] += odd[0] * t.first[i]
		}
		y := (*[subbands]float32)(out[slot*subbands:])
		for lane := range 8 {
			y[2*lane], y[2*lane+1] = low[lane], low[8+lane]
			y[31-2*lane] = high[8+lane]
			if lane > 0 {
				y[32-2*lane] = high[lane]
			}
		}
		y[16] = high[0]
	}
}
