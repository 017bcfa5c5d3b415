package dataset

import (
	"fmt"

	"saturate/internal/human"
	"saturate/internal/rows"
)

// metadata gives the audio of a folder, which are the items from first on, the columns that its lists have, as in
// Hugging Face's audiofolder. A list that is something else is noted: the audio is there without it.
func (f *finder) metadata(lists []string, first int) error {
	at := map[string]int{}
	for i := first; i < len(f.list.Items); i++ {
		at[f.list.Items[i].Path] = i
	}
	for _, list := range lists {
		taken, twice, elsewhere, where := map[int]bool{}, 0, 0, ""
		err := f.rows(list, func(e rows.Row) error {
			row, err := f.item(list, e)
			if err != nil {
				return err
			}
			i, ok := at[row.Path]
			switch {
			case !ok:
				if elsewhere++; elsewhere == 1 {
					where = e.Place
				}
			case taken[i]:
				twice++
			default:
				taken[i] = true
				it := &f.list.Items[i]
				it.Start, it.Span, it.values = row.Start, row.Span, row.values
				if it.Bad == "" {
					it.Bad = row.Bad
				}
			}
			return nil
		})
		note := func(what string, args ...any) {
			f.list.Notes = append(f.list.Notes, list+" "+fmt.Sprintf(what, args...))
		}
		switch {
		case f.ctx.Err() != nil:
			return f.ctx.Err()
		case err != nil:
			note("is beside the audio but cannot be read as a list: %v", err)
		case elsewhere > 0:
			note("lists %s that do not exist in the folder, the first in %s", human.Plural(elsewhere, "file"), where)
		}
		if twice > 0 {
			note("lists files more than once; only the first row of each is used. Pass the list itself to use all rows")
		}
	}
	return nil
}
