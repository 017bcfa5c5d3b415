package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// tokenisation is a call that turns text into tokens.
type tokenisation struct {
	Call
	// sure is the confidence that it does.
	sure float64
	// batch tells that the method takes many texts at once: encode_batch.
	batch bool
	// tokenizer is the object, as far as it is known.
	tokenizer Value
}

const tokenizerBase = "transformers.PreTrainedTokenizerBase"

// encoders are the methods of tokenizers that tokenise, true for those that take a batch.
var encoders = map[string]bool{
	"encode": false, "encode_plus": false, "tokenize": false, "encode_ordinary": false, "EncodeAsIds": false, "EncodeAsPieces": false,
	"apply_chat_template": false,
	"batch_encode_plus":   true, "encode_batch": true, "encode_ordinary_batch": true, "encode_batch_fast": true,
}

// tokenizerLibraries are objects of other libraries with such methods.
var tokenizerLibraries = []string{
	"tokenizers.Tokenizer", "tokenizers.ByteLevelBPETokenizer", "tokenizers.BertWordPieceTokenizer", "tokenizers.SentencePieceBPETokenizer",
	"sentencepiece.SentencePieceProcessor",
}

// makers are the first words of functions that give a tokenizer, or do something with one, and
// tokenise nothing: get_tokenizer.
var makers = []string{
	"get", "load", "build", "make", "create", "init", "initialize", "setup", "prepare", "train", "save", "add",
	"update", "resize", "set", "check", "smart",
}

// Tokenisations returns the calls of this module that tokenise text with a
// tokenizer of a library. A tokenizer that the source does not show is known by
// its name alone, and then the confidence is lower.
func (p *SourcePass) Tokenisations() []tokenisation {
	if p.shared.tokenisations == nil {
		p.shared.tokenisations = p.findTokenisations()
	}
	return p.shared.tokenisations
}

func (p *SourcePass) findTokenisations() []tokenisation {
	list := []tokenisation{}
	for _, s := range p.Module.Sites {
		if len(s.Node.Args)+len(s.Node.Keywords) == 0 {
			continue
		}
		t, ok := p.tokenises(Call{s, p})
		if !ok {
			continue
		}
		if own := p.Class(s); own != nil && own.Derives(tokenizerBase) {
			continue // a part of the tokenizer itself: who calls that is reported
		}
		list = append(list, t)
	}
	return list
}

func (p *SourcePass) tokenises(c Call) (tokenisation, bool) {
	method := c.Method()
	batch, encodes := encoders[method]
	if !encodes {
		if c.Calls.Kind == project.Instance && c.Calls.IsInstance(tokenizerBase) {
			return tokenisation{Call: c, sure: c.Calls.Sure, tokenizer: *c.Calls}, true
		}
		if c.Calls.Kind == project.Unknown && len(c.Calls.Either) == 0 && takesTokenizerArguments(c) {
			return tokenisation{Call: c, sure: likely}, true // tok(texts, truncation=True, max_length=512)
		}
		if name := lastName(c.Node.Func); !project.HasWord(name, "tokenizer") || project.HasWord(name, makers...) ||
			c.Calls.Func != nil || c.Calls.Class != nil ||
			c.Calls.Kind == project.Type || c.Calls.Kind == project.Callable && !c.Calls.Unknown() || !p.looksLikeTokenizer(c) {
			return tokenisation{}, false
		}
		return tokenisation{Call: c, sure: likely}, true // self.tokenizer(text), processor.tokenizer(text)
	}
	if method == "apply_chat_template" && !c.tokenizes() {
		return tokenisation{}, false
	}
	receiver := p.Eval(c.Receiver())
	switch {
	case ofLibrary(receiver):
		return tokenisation{c, receiver.Sure, batch, receiver}, true
	case len(receiver.Either) > 0 && !slices.ContainsFunc(receiver.Either, func(v Value) bool { return !ofLibrary(v) }):
		return tokenisation{c, likely, batch, receiver.Either[0]}, true // read from a file, or made where there is none
	case receiver.Kind == project.Unknown && project.HasWord(lastName(c.Receiver()), "tokenizer") &&
		p.looksLikeTokenizer(c):
		return tokenisation{c, likely, batch, receiver}, true
	}
	return tokenisation{}, false
}

// tokenizes reports a chat template that gives ids, which is its default, and not text.
func (c Call) tokenizes() bool {
	as := c.Arg("tokenize")
	return as.Missing() || as.IsTrue()
}

// ofLibrary reports a tokenizer that a library made.
func ofLibrary(v Value) bool {
	return v.IsInstance(tokenizerBase) || v.IsInstance(tokenizerLibraries...) ||
		strings.HasPrefix(v.Name, "tokenizers.Tokenizer.") || v.Name == "tiktoken.get_encoding()" ||
		v.Name == "tiktoken.encoding_for_model()" || v.Name == "whisper.tokenizer.get_tokenizer()"
}

// takesTokenizerArguments reports a call with arguments that only tokenizers of transformers take together.
func takesTokenizerArguments(c Call) bool {
	given := func(name string) bool { return c.Node.Keyword(name) != nil }
	return given("truncation") && (given("max_length") || given("padding")) || given("padding") && given("max_length") && given("return_tensors")
}

// looksLikeTokenizer reports whether a tokenizer that is known by its name alone is
// a library's: the module imports one, or the call has arguments that theirs have.
func (p *SourcePass) looksLikeTokenizer(c Call) bool {
	if strings.HasPrefix(c.Calls.Name, "transformers.") { // processor.tokenizer
		return true
	}
	for _, library := range [...]string{"transformers", "tokenizers", "sentencepiece", "tiktoken", "whisper"} {
		if p.Imports(library) {
			return true
		}
	}
	for _, name := range [...]string{"return_tensors", "truncation", "padding", "max_length", "add_special_tokens"} {
		if c.Node.Keyword(name) != nil {
			return true
		}
	}
	return false
}

// many reports whether the call is given many texts: a list that is written out or
// a method that takes a batch.
func (t tokenisation) many() bool {
	if t.batch {
		return true
	}
	if t.Method() == "apply_chat_template" {
		return false // a list holds the messages of one text
	}
	if len(t.Node.Args) == 0 {
		return false
	}
	switch v := t.ArgAt(0); v.Expr.(type) {
	case *pysrc.ListComp, *pysrc.GeneratorExp:
		return true
	case *pysrc.List:
		return true
	}
	return false
}

// fast tells which implementation the tokenizer has, in words, or nothing.
func (t tokenisation) fast() string {
	name := t.tokenizer.Name
	switch made := t.tokenizer.Made; {
	case name == "":
		return ""
	case made != nil && (Call{made, t.pass}).Arg("use_fast").IsFalse():
		return "a slow Python tokenizer"
	case name == "transformers.PreTrainedTokenizerFast" || name == "transformers.AutoTokenizer" ||
		len(name) > 4 && name[len(name)-4:] == "Fast":
		return "a fast Rust tokenizer"
	case hasFastTwin[name]:
		return "a slow Python tokenizer"
	}
	return ""
}

// singly reports whether a call on the path of a sample is given one text.
func (p *SourcePass) singly(t tokenisation, path project.Path) bool {
	return (path.Kind == project.DataSet || p.InLoop(t)) && !t.many()
}

// hasFastTwin are the tokenizers of transformers 4 for which there is a class with Fast behind its name.
var hasFastTwin = func() map[string]bool {
	set := map[string]bool{}
	for _, name := range []string{
		"Albert", "Bart", "Barthez", "Bert", "BigBird", "Blenderbot", "Bloom", "CamemBERT", "Camembert", "CLIP", "CodeGen",
		"Cohere", "ConvBert", "Deberta",
		"DebertaV2", "DistilBert", "DPRQuestionEncoder", "Electra", "FNet", "Funnel", "Gemma", "GPT2", "GPTNeoX",
		"Herbert", "LayoutLM", "LED", "Llama",
		"Longformer", "Lxmert", "MBart", "MBart50", "MobileBert", "MPNet", "MT5", "MVP", "Nllb", "OpenAIGPT", "Pegasus",
		"Qwen2", "Reformer", "RemBert",
		"RetriBert", "Roberta", "RoFormer", "SeamlessM4T", "Splinter", "SqueezeBert", "T5", "Whisper", "XGLM",
		"XLMRoberta", "XLNet",
	} {
		set["transformers."+name+"Tokenizer"] = true
	}
	return set
}()
