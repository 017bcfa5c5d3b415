package verify

import (
	"math/rand/v2"
	"strings"
)

// slot is a block that is to be run.
type slot struct {
	calibration bool
	order       [2]int // which of the two runs first: 0 is before, 1 is after (or before again)
	seed        uint64 // for {seed} in the command: both runs of a block get the same
}

// schedule lays the order of all runs down from the seed. A/A blocks lie at random places among the
// others, so that both see the same weather. As many blocks begin with the one as with the other, at
// random: a machine that gets slower by and by then favours neither, and the test, which
// takes each order for a coin toss, errs to the careful side.
func schedule(p Plan) []slot {
	random := rand.New(rand.NewPCG(p.Seed, 0x5a7a7e))
	slots := append(balanced(random, p.Pairs, false), balanced(random, p.Calibration, true)...)
	random.Shuffle(len(slots), func(i, j int) { slots[i], slots[j] = slots[j], slots[i] })
	for i := range slots {
		slots[i].seed = p.Seed + uint64(i)
	}
	return slots
}

func balanced(random *rand.Rand, n int, calibration bool) []slot {
	slots := make([]slot, n)
	odd := random.IntN(2)
	for i := range slots {
		first := (i + odd) % 2
		slots[i] = slot{calibration: calibration, order: [2]int{first, 1 - first}}
	}
	random.Shuffle(n, func(i, j int) { slots[i], slots[j] = slots[j], slots[i] })
	return slots
}

// fill puts a value in the place of a word in braces.
func fill(command []string, word, value string) []string {
	out := make([]string, len(command))
	for i, arg := range command {
		out[i] = strings.ReplaceAll(arg, word, value)
	}
	return out
}
