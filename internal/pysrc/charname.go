package pysrc

import (
	"strconv"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/runenames"
)

// runeByName finds the character of \N{name}. The table is made on first use,
// as few programs have one.
func runeByName(name string) (rune, bool) {
	name = strings.ToUpper(name)
	if r, ok := hangulByName(name); ok {
		return r, true
	}
	for prefix, script := range ideographs {
		if hex, ok := strings.CutPrefix(name, prefix); ok {
			n, err := strconv.ParseUint(hex, 16, 32)
			if err == nil && len(hex) >= 4 && hex[0] != '+' && script(rune(n)) {
				return rune(n), true
			}
		}
	}
	r, ok := runeNames()[name]
	return r, ok
}

var ideographs = map[string]func(rune) bool{
	"CJK UNIFIED IDEOGRAPH-": func(r rune) bool { return unicode.Is(unicode.Unified_Ideograph, r) },
}

var runeNames = sync.OnceValue(func() map[string]rune {
	names := make(map[string]rune, 40000)
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if name := runenames.Name(r); name != "" && name[0] != '<' {
			names[name] = r
		}
	}
	for name, r := range runeAliases {
		names[name] = r
	}
	return names
})

// The parts of the names of Hangul syllables, in the order of their code.
var (
	hangulLead  = strings.Split("G GG N D DD R M B BB S SS  J JJ C K T P H", " ")
	hangulVowel = strings.Split("A AE YA YAE EO E YEO YE O WA WAE OE YO U WEO WE WI YU EU YI I", " ")
	hangulTail  = strings.Split(" G GG GS N NJ NH D L LG LM LB LS LT LP LH M B BS S SS NG J C K T P H", " ")
)

func hangulByName(name string) (rune, bool) {
	syllable, ok := strings.CutPrefix(name, "HANGUL SYLLABLE ")
	if !ok {
		return 0, false
	}
	for l, lead := range hangulLead {
		rest, ok := strings.CutPrefix(syllable, lead)
		if !ok {
			continue
		}
		for v, vowel := range hangulVowel {
			last, ok := strings.CutPrefix(rest, vowel)
			if !ok {
				continue
			}
			for t, tail := range hangulTail {
				if last == tail {
					return 0xAC00 + rune((l*len(hangulVowel)+v)*len(hangulTail)+t), true
				}
			}
		}
	}
	return 0, false
}
