package project

import "testing"

// A method of something unknown is that of the objects that a project makes, in the order of its sources.
func TestMadeInPrograms(t *testing.T) {
	files := map[string]string{
		"fields.py": "class Field:\n    def process(self, batch, device):\n        return batch\n\n\nclass Text(Field):\n    def process(self, batch, device):\n        return batch\n\n\n" +
			"class Image(Field):\n    def process(self, batch, device):\n        return batch\n\n\nclass Never(Field):\n    pass\n",
		"train.py": "from fields import Field, Image, Text\n\nfields = load([Text(), Image(), Field(), Text()])\n\n\ndef batches(loader, device):\n    for batch in loader:\n        yield fields.pick().process(batch, device)\n",
	}
	for range 20 {
		p := loadText(t, files)
		var made []string
		for _, c := range p.madeInPrograms() {
			made = append(made, c.Def.Name)
		}
		if len(made) != 3 || made[0] != "Text" || made[1] != "Image" || made[2] != "Field" {
			t.Fatalf("made %v, want Text, Image and Field in the order of the source", made)
		}
	}
}
