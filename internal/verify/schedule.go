package verify

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// slot is a block that is to be run.
type slot struct {
	calibration bool
	order       [2]int // which of the two runs first: 0 is before, 1 is after (or before again)
	seed        uint64 // for {seed} in the command: both runs of a block get the same
}

// schedule lays the order of all runs down from the seed. A/A blocks lie at random places among the
// others, so that both see the same weather. Of every two blocks of a kind one begins with the one side and one with
// the other, at random: wherever the measurement ends, a machine that gets slower by and by, or on which the second run
// of a block is always slower, favors neither. The test takes each order for a coin toss and so errs to the careful
// side.
func schedule(p Plan) []slot {
	random := rand.New(rand.NewPCG(p.Seed, 0x5a7a7e))
	kinds := slices.Concat(make([]bool, p.Pairs), slices.Repeat([]bool{true}, p.Calibration))
	random.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	slots := make([]slot, len(kinds))
	coin := map[bool]*toss{false: {}, true: {}}
	for i, calibration := range kinds {
		first := coin[calibration].next(random)
		slots[i] = slot{calibration: calibration, order: [2]int{first, 1 - first}, seed: p.Seed + uint64(i)}
	}
	return slots
}

// toss is a coin whose every second throw shows the other side than the one before.
type toss struct{ thrown, side int }

func (t *toss) next(random *rand.Rand) int {
	if t.thrown%2 == 0 {
		t.side = random.IntN(2)
	} else {
		t.side = 1 - t.side
	}
	t.thrown++
	return t.side
}

// fill puts a value in the place of a word in braces.
func fill(command []string, word, value string) []string {
	out := make([]string, len(command))
	for i, arg := range command {
		out[i] = strings.ReplaceAll(arg, word, value)
	}
	return out
}
