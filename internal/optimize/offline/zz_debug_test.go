package offline

import ("testing";"os";"fmt";"saturate/internal/patch";"strings")

func TestDebug(t *testing.T) {
	dir := os.Getenv("DEBUG_DIR")
	if dir == "" { t.Skip() }
	var cmd []string
	if c := os.Getenv("DEBUG_CMD"); c != "" { cmd = strings.Fields(c) }
	r, refused := repaired(t, dir, cmd...)
	ch, err := patch.Changes(".", []patch.Patch{r.Patch}, nil)
	if err != nil { t.Fatal(err) }
	fmt.Println(r.Title)
	fmt.Println(string(patch.Diff(ch)))
	for _, k := range r.Kept { fmt.Printf("KEPT %s %v drawn %v\n", k.Place, k.Inputs, k.Drawn) }
	for _, f := range r.NewFiles { fmt.Println("NEW", f.Path, len(f.Text)) ; if i := strings.Index(f.Text, "PLACES = {"); i>=0 { fmt.Println(f.Text[i:i+min(1400,len(f.Text)-i)][:strings.Index(f.Text[i:], "\n}")+2]) } }
	for _, c := range r.Prepare { fmt.Println("RUN", c.Words) }
	for _, n := range r.Notes { fmt.Println("NOTE", n) }
	for _, n := range r.Instructions { fmt.Println("DO", n) }
	for _, x := range refused { fmt.Println("REFUSED", x.Finding.Code, x.Finding.Where.Path, x.Finding.Where.Line, x.Reason); for _, l := range x.Instructions { fmt.Println("   ", l) } }
	if os.Getenv("DEBUG_APPLY") != "" { apply(t, r) }
}
