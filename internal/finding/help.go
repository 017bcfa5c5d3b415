package finding

import "strings"

// Help is a rule's documentation in one text, for tools that show it beside a finding.
type Help struct {
	Text     string // plain
	Markdown string
}

// Help tells what a rule looks for, why, when it is all right, and what to do.
func (r Rule) Help() Help {
	var plain, marked []string
	add := func(label, text string) {
		if text != "" {
			plain = append(plain, label+": "+text)
			marked = append(marked, "**"+label+":** "+text)
		}
	}
	add("What", r.What)
	add("Why", r.Why)
	add("All right", r.Fine)
	add("What to do", r.Advice)
	if r.Bad != "" && r.Good != "" {
		plain = append(plain, "Instead of\n"+indented(r.Bad)+"\nwrite\n"+indented(r.Good))
		marked = append(marked, "Instead of\n\n```python\n"+r.Bad+"\n```\n\nwrite\n\n```python\n"+r.Good+"\n```")
	}
	command := "saturate rule " + r.Code
	plain = append(plain, "`"+command+"` prints this page.")
	marked = append(marked, "`"+command+"` prints this page.")
	return Help{strings.Join(plain, "\n\n"), strings.Join(marked, "\n\n")}
}

func indented(code string) string { return "    " + strings.ReplaceAll(code, "\n", "\n    ") }

// Tags are words that a rule is filed under.
func (r Rule) Tags() []string {
	tags := []string{"performance"}
	if r.Subject != "" {
		tags = append(tags, strings.ReplaceAll(string(r.Subject), " ", "-"))
	}
	return tags
}

// HelpURI is the address of the library's own documentation of what the rule is about.
func (r Rule) HelpURI() string {
	if strings.HasPrefix(r.Code, "SAT8") {
		return "https://docs.jax.dev/en/latest/jit-compilation.html"
	}
	if page, ok := pages[r.Subject]; ok {
		return page
	}
	return "https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html"
}

// pages are where libraries document a subject; the tuning guide of PyTorch treats the others.
var pages = map[Subject]string{
	Loading:   "https://docs.pytorch.org/docs/stable/data.html",
	Copies:    "https://docs.pytorch.org/tutorials/intermediate/pinmem_nonblock.html",
	Waits:     "https://docs.pytorch.org/docs/stable/notes/cuda.html",
	Memory:    "https://docs.pytorch.org/docs/stable/checkpoint.html",
	Precision: "https://docs.pytorch.org/docs/stable/amp.html",
	Attention: "https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html",
	Optimizer: "https://docs.pytorch.org/docs/stable/optim.html",
	Compiling: "https://docs.pytorch.org/docs/stable/torch.compiler.html",
	Ranks:     "https://docs.pytorch.org/docs/stable/notes/ddp.html",
	Recording: "https://docs.pytorch.org/docs/stable/profiler.html",
	Settings:  "https://huggingface.co/docs/transformers/main_classes/trainer",
	Padding:   "https://huggingface.co/docs/transformers/pad_truncation",
}
