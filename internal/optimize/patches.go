package optimize

import (
	"fmt"
	"os"
	"strings"

	"saturate/internal/files"
	"saturate/internal/human"
	"saturate/internal/patch"
	"saturate/internal/stat"
)

// Piece is a kept repair as a separate patch, to be applied after those before it.
type Piece struct {
	ID      string      `json:"id"`      // of the candidate
	Title   string      `json:"title"`   // what the repair does
	Message string      `json:"message"` // of a commit
	File    string      `json:"file"`    // the patch file
	Ratio   stat.Number `json:"ratio"`   // of the times, as it was measured
}

// pieces writes each kept repair as a separate patch; together they are optimize.patch.
func (p *protocol) pieces(best tree) error {
	list, err := p.chain(best.name)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(p.path("patches")); err != nil {
		return err
	}
	for i, l := range list {
		if len(l.Changes) == 0 {
			continue // the command alone
		}
		piece := Piece{ID: l.ID, Title: l.Title, Message: p.message(l)}
		for _, r := range p.state.Rungs {
			if r.Tree == l.Tree {
				piece.Ratio = r.Ratio
			}
		}
		name := fmt.Sprintf("%02d-%s.patch", i+1, strings.ReplaceAll(l.ID, "/", "-"))
		piece.File = p.path("patches", name)
		if err := os.MkdirAll(p.path("patches"), 0o755); err != nil {
			return err
		}
		if err := files.Write(piece.File, patch.Diff(l.patch())); err != nil {
			return err
		}
		p.result.Pieces = append(p.result.Pieces, piece)
	}
	return nil
}

// message is a commit message: what the repair does, and its gain.
func (p *protocol) message(l link) string {
	title, _, _ := strings.Cut(l.Title, ";")
	text := strings.ToUpper(title[:1]) + title[1:] + "\n"
	for _, r := range p.state.Rungs {
		if r.Tree == l.Tree && r.Pairs > 0 && r.Ratio > 0 {
			text += fmt.Sprintf("\n%s faster in %s of runs: %s/it to %s/it.\nFix: %s.\n",
				human.Times(1/float64(r.Ratio)), pairsOf(r.Pairs), human.Seconds(float64(r.Before)), human.Seconds(float64(r.After)), l.ID)
		}
	}
	return text
}
