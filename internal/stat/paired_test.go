package stat

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// normal draws n values around mean with standard deviation sd, always the same ones for a seed.
func normal(seed uint64, n int, mean, sd float64) []float64 {
	random := rand.New(rand.NewPCG(seed, 7))
	values := make([]float64, n)
	for i := range values {
		values[i] = mean + sd*random.NormFloat64()
	}
	return values
}

// Every assignment of signs, one by one, against the sorted halves.
func TestSignFlipCountsEveryAssignment(t *testing.T) {
	for n := 1; n <= 12; n++ {
		d := normal(uint64(n), n, 0.05, 0.1)
		if n%3 == 0 { // ties
			for i := range d {
				d[i] = math.Round(20*d[i]) / 20
			}
		}
		var observed, extreme, less, greater float64
		for _, v := range d {
			observed += v
		}
		for signs := range 1 << n {
			var sum float64
			for i, v := range d {
				if signs>>i&1 == 1 {
					v = -v
				}
				sum += v
			}
			const tie = 1e-13
			if math.Abs(sum) >= math.Abs(observed)-tie {
				extreme++
			}
			if sum <= observed+tie {
				less++
			}
			if sum >= observed-tie {
				greater++
			}
		}
		all := math.Exp2(float64(n))
		got, err := SignFlip(d)
		if err != nil || !got.Exact || got.P != extreme/all || got.PLess != less/all || got.PGreater != greater/all {
			t.Errorf("n = %d: %+v (%v), want p %g, %g, %g", n, got, err, extreme/all, less/all, greater/all)
		}
	}
}

func TestSignFlipMonteCarlo(t *testing.T) {
	d := normal(3, 45, 0.02, 0.1)
	got, err := SignFlip(d)
	if err != nil || got.Exact || got.Resamples == 0 {
		t.Fatalf("%+v, %v", got, err)
	}
	again, _ := SignFlip(d)
	if got != again {
		t.Errorf("two runs differ: %+v, %+v", got, again)
	}
	// The sum under random signs is nearly normal with variance Σd².
	var sum, squares float64
	for _, v := range d {
		sum, squares = sum+v, squares+v*v
	}
	want := math.Erfc(math.Abs(sum) / math.Sqrt(2*squares))
	if math.Abs(got.P-want) > 0.01 {
		t.Errorf("p = %g, the normal approximation gives %g", got.P, want)
	}
	if never, _ := SignFlip(repeat(1, 64)); never.P != 1/float64(never.Resamples+1) {
		t.Errorf("p = %g: the observed signs are one of the assignments, so p cannot be 0", never.P)
	}
	if exact, _ := SignFlip(d[:30]); !exact.Exact {
		t.Errorf("30 pairs are not exact")
	}
}

func TestSignFlipEdges(t *testing.T) {
	for _, test := range []struct {
		d    []float64
		want float64
	}{
		{[]float64{0.5}, 1},
		{[]float64{0, 0, 0, 0, 0, 0, 0}, 1},
		{repeat(0.1, 5), 0.0625},
		{repeat(0.1, 6), 0.03125},
		{repeat(-math.MaxFloat64, 6), 0.03125},
		{repeat(5e-324, 6), 0.03125},
		{repeat(1, 30), math.Exp2(-29)},
	} {
		if got, err := SignFlip(test.d); err != nil || got.P != test.want {
			t.Errorf("%v: p = %g, %v; want %g", test.d, got.P, err, test.want)
		}
	}
	for _, d := range [][]float64{nil, {nan}, {1, inf}} {
		if _, err := SignFlip(d); err == nil {
			t.Errorf("%v: no error", d)
		}
	}
}

func TestHodgesLehmannListsNothing(t *testing.T) {
	for n := 1; n <= 40; n += 3 {
		d := normal(uint64(n), n, 1, 2)
		if n%2 == 0 { // ties
			for i := range d {
				d[i] = math.Round(d[i])
			}
		}
		var means []float64
		for i := range d {
			for j := range i + 1 {
				means = append(means, d[i]/2+d[j]/2)
			}
		}
		slices.Sort(means)
		got, err := HodgesLehmann(d, 0.9)
		if err != nil {
			t.Fatal(err)
		}
		if want := quantile(means, 0.5); math.Abs(float64(got.Value)-want) > 1e-12 {
			t.Errorf("n = %d: %g, want %g", n, float64(got.Value), want)
		}
		k, _ := signedRankBound(n, 0.05)
		if k > 0 && (float64(got.Interval.Lo) != means[k-1] || float64(got.Interval.Hi) != means[len(means)-k]) {
			t.Errorf("n = %d: %v, want %g and %g", n, got.Interval, means[k-1], means[len(means)-k])
		}
	}
}

func TestHodgesLehmannLarge(t *testing.T) {
	d := normal(1, 100_000, 0.25, 1)
	got, err := HodgesLehmann(d, 0.95)
	if err != nil || got.Exact || !got.Interval.Contains(0.25) || got.Interval.Hi-got.Interval.Lo > 0.02 {
		t.Errorf("%+v, %v", got, err)
	}
	shift, err := hodgesLehmannShift(d, normal(2, 80_000, 0.5, 1), 0.95)
	if err != nil || shift.Exact || !shift.Interval.Contains(0.25) || shift.Interval.Hi-shift.Interval.Lo > 0.03 {
		t.Errorf("%+v, %v", shift, err)
	}
}

// At the border between the exact distributions and their approximations the bounds agree.
func TestNormalBoundsAgreeWithExactOnes(t *testing.T) {
	const n = exactSignedRank
	exact, _ := signedRankBound(n, 0.025)
	approximate, _ := normalBound(n*(n+1)/4, n*(n+1)*(2*n+1)/24.0, 0.025)
	if difference := exact - approximate; difference < -5 || difference > 5 {
		t.Errorf("signed rank: exact %d, approximate %d", exact, approximate)
	}
	const m = exactMannWhitney
	exact, _ = mannWhitneyBound(m, m, 0.025)
	approximate, _ = normalBound(m*m/2, m*m*(2*m+1)/12.0, 0.025)
	if difference := exact - approximate; difference < -2 || difference > 2 {
		t.Errorf("Mann-Whitney: exact %d, approximate %d", exact, approximate)
	}
}

func TestHodgesLehmannEdges(t *testing.T) {
	five, err := HodgesLehmann(repeat(0.1, 5), 0.95)
	if err != nil || five.Value != 0.1 || !math.IsInf(float64(five.Interval.Lo), -1) || len(five.Warnings) != 1 || !strings.Contains(five.Warnings[0], "at least 6") {
		t.Errorf("five pairs: %+v, %v", five, err)
	}
	six, err := HodgesLehmann(repeat(0.1, 6), 0.95)
	if err != nil || six.Interval.Lo != 0.1 || six.Interval.Hi != 0.1 || six.Interval.Confidence != 1-2.0/64 || len(six.Warnings) != 0 {
		t.Errorf("six pairs: %+v, %v", six, err)
	}
	if one, err := hodgesLehmannShift([]float64{1}, []float64{3}, 0.95); err != nil || one.Value != 2 || len(one.Warnings) != 1 {
		t.Errorf("one each: %+v, %v", one, err)
	}
	if wide, err := HodgesLehmann([]float64{-math.MaxFloat64, math.MaxFloat64}, 0.5); err != nil || wide.Value != 0 {
		t.Errorf("the widest: %+v, %v", wide, err)
	}
	if ratio := six.Exp(); math.Abs(float64(ratio.Value)-math.Exp(0.1)) > 1e-15 || !ratio.Interval.Contains(math.Exp(0.1)) {
		t.Errorf("as a ratio: %+v", ratio)
	}
	for _, fails := range []func() error{
		func() error { _, err := HodgesLehmann(nil, 0.95); return err },
		func() error { _, err := HodgesLehmann([]float64{nan}, 0.95); return err },
		func() error { _, err := HodgesLehmann([]float64{1}, 1); return err },
		func() error { _, err := HodgesLehmann([]float64{1}, nan); return err },
		func() error { _, err := hodgesLehmannShift(nil, []float64{1}, 0.95); return err },
		func() error { _, err := hodgesLehmannShift([]float64{1}, []float64{inf}, 0.95); return err },
	} {
		if fails() == nil {
			t.Error("no error")
		}
	}
}

func TestSignedRanks(t *testing.T) {
	got := signedRanks([]float64{2, -1, 0, 1, -7, 1})
	if want := []float64{5, -3, 0, 3, -6, 3}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestEquivalence(t *testing.T) {
	percent := math.Log(1.01)
	if got, err := Equivalence(normal(1, 12, 0, 0.003), percent); err != nil || !got.Equivalent || !got.Interval.Within(-percent, percent) {
		t.Errorf("noise alone: %+v, %v", got, err)
	}
	if got, err := Equivalence(normal(1, 12, 0.02, 0.003), percent); err != nil || got.Equivalent || got.PUpper < 0.9 {
		t.Errorf("two per cent slower: %+v, %v", got, err)
	}
	if got, err := Equivalence(repeat(0, 4), percent); err != nil || got.Equivalent || len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], "at least 5") {
		t.Errorf("four pairs: %+v, %v", got, err)
	}
	if got, err := Equivalence(repeat(0, 5), percent); err != nil || !got.Equivalent || got.P != 1.0/32 {
		t.Errorf("five pairs: %+v, %v", got, err)
	}
	if got, err := Equivalence(repeat(percent, 20), percent); err != nil || got.Equivalent || got.P != 1 {
		t.Errorf("exactly at the margin: %+v, %v", got, err)
	}
	for _, margin := range []float64{0, -1, nan, inf} {
		if _, err := Equivalence([]float64{0}, margin); err == nil {
			t.Errorf("margin %g: no error", margin)
		}
	}
	if _, err := Equivalence([]float64{nan}, 1); err == nil {
		t.Error("NaN: no error")
	}
}

func TestHolmEdges(t *testing.T) {
	if got, err := Holm(nil); err != nil || len(got) != 0 {
		t.Errorf("%v, %v", got, err)
	}
	for _, p := range [][]float64{{nan}, {-0.1}, {0.1, 1.1}} {
		if _, err := Holm(p); err == nil {
			t.Errorf("%v: no error", p)
		}
	}
}

func TestPairNoise(t *testing.T) {
	root := func(x float64) float64 { return math.Sqrt(x) }
	for _, test := range []struct {
		name                     string
		calibration, differences []float64
		sd                       float64
		freedom                  int
	}{
		{"nothing", nil, nil, nan, 0},
		{"one pair tells nothing about its own noise", nil, []float64{0.3}, nan, 0},
		{"A/A pairs vary about zero", []float64{0.1, 0.1}, nil, 0.1, 2},
		{"pairs vary about their mean", nil, []float64{1, 1.2}, root(0.02), 1},
		{"both", []float64{0.1, -0.2}, []float64{1, 1.2}, root((0.01 + 0.04 + 0.02) / 3), 3},
	} {
		got := PairNoise(test.calibration, test.differences)
		if got.Freedom != test.freedom || math.Abs(float64(got.SD)-test.sd) > 1e-12 {
			t.Errorf("%s: %+v", test.name, got)
		}
		if got.Freedom == 0 && !math.IsInf(got.Detectable(6), 1) {
			t.Errorf("%s: detects %g", test.name, got.Detectable(6))
		}
	}
	noise := PairNoise(normal(5, 8, 0, 0.01), nil)
	if !math.IsInf(noise.Detectable(fewestPairs-1), 1) {
		t.Error("fewer pairs than can be significant detect something")
	}
	if six, twenty := noise.Detectable(6), noise.Detectable(20); !(noise.Critical(6) < six && twenty < six) {
		t.Errorf("critical %g, detectable %g with 6 pairs and %g with 20", noise.Critical(6), six, twenty)
	}
}

func TestWinsorized(t *testing.T) {
	flat := repeat(1, 45)
	stumbled := slices.Clone(flat)
	stumbled[7], stumbled[20], stumbled[33] = 90, 12, 7
	loader := repeat(1, 45) // one slow step in eight
	for i := 7; i < len(loader); i += 8 {
		loader[i] = 9
	}
	for _, test := range []struct {
		name   string
		values []float64
		want   float64
	}{
		{"nothing", nil, nan},
		{"one", []float64{3}, 3},
		{"few are taken as they are", []float64{1, 1, 1, 1, 9}, 2.6},
		{"a few stumbles", stumbled, 1},
		{"a slow step in every eight", loader, (40 + 5*9) / 45.0},
		{"not numbers", []float64{nan, 2, inf, 4}, 3},
	} {
		if got := Winsorized(test.values); math.Abs(got-test.want) > 1e-12 || math.IsNaN(got) != math.IsNaN(test.want) {
			t.Errorf("%s: %g, want %g", test.name, got, test.want)
		}
	}
}

func TestPairsNeeded(t *testing.T) {
	if few, many := PairsNeeded(0.05, 0.01), PairsNeeded(0.005, 0.01); few != 6 || many < 30 || many > 40 {
		t.Errorf("%d and %d pairs", few, many)
	}
	for n := fewestPairs; n < 80; n++ {
		if got := PairsNeeded(1.0001*detectable(0.01, n), 0.01); got != n {
			t.Errorf("%d pairs, want %d", got, n)
		}
	}
	for _, never := range [][2]float64{{0, 1}, {nan, 1}, {1, nan}, {1e-9, 1}, {1, -1}} {
		if got := PairsNeeded(never[0], never[1]); got != 0 {
			t.Errorf("%v: %d", never, got)
		}
	}
}
