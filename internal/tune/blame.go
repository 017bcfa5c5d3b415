package tune

import (
	"sort"

	"saturate/internal/tune/setting"
)

// blame finds settings without which a program works. It works with none; works tells how it fares with some of them.
// Nobody is blamed while it works with all of them. Each culprit is found by halving: the shortest beginning of the set
// that fails ends with one. Then the rest is tried, for there may be another. An error ends the search; what was found
// so far is returned.
func blame(set []setting.Choice, works func([]setting.Choice) (bool, error)) (culprits []string, err error) {
	for len(set) > 0 {
		if ok, err := works(set); err != nil || ok {
			return culprits, err
		}
		var failed error
		at := sort.Search(len(set)-1, func(i int) bool {
			if failed != nil {
				return true
			}
			ok, err := works(set[:i+1])
			failed = err
			return !ok
		})
		if failed != nil {
			return culprits, failed
		}
		culprits = append(culprits, set[at].Name)
		set = without(set, set[at].Name)
	}
	return culprits, nil
}
