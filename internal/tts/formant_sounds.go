package tts

// phoneme is how the vocal tract stands while a sound lasts.
type phoneme struct {
	formants [3]float64 // Hz
	voice    float64    // loudness of the vocal folds
	breath   float64    // of air through the mouth
	friction float64    // of a narrow place
	centre   float64    // Hz, of the friction
	ms       float64
}

// phonemes of English, roughly. Stops are a closure, written with a capital, and a burst.
var phonemes = map[string]phoneme{
	"a":  {[3]float64{730, 1090, 2440}, 1, 0, 0, 0, 110},
	"ae": {[3]float64{660, 1720, 2410}, 1, 0, 0, 0, 110},
	"e":  {[3]float64{530, 1840, 2480}, 1, 0, 0, 0, 85},
	"er": {[3]float64{490, 1350, 1690}, 0.9, 0, 0, 0, 110},
	"i":  {[3]float64{390, 1990, 2550}, 0.9, 0, 0, 0, 75},
	"ii": {[3]float64{270, 2290, 3010}, 0.9, 0, 0, 0, 120},
	"o":  {[3]float64{570, 840, 2410}, 1, 0, 0, 0, 100},
	"oo": {[3]float64{440, 1020, 2240}, 0.9, 0, 0, 0, 80},
	"u":  {[3]float64{640, 1190, 2390}, 1, 0, 0, 0, 80},
	"uu": {[3]float64{300, 870, 2240}, 0.9, 0, 0, 0, 120},
	"l":  {[3]float64{360, 1300, 2600}, 0.6, 0, 0, 0, 60},
	"r":  {[3]float64{420, 1300, 1600}, 0.6, 0, 0, 0, 60},
	"w":  {[3]float64{290, 610, 2150}, 0.6, 0, 0, 0, 60},
	"y":  {[3]float64{260, 2070, 3020}, 0.6, 0, 0, 0, 55},
	"m":  {[3]float64{280, 900, 2200}, 0.45, 0, 0, 0, 70},
	"n":  {[3]float64{280, 1700, 2600}, 0.45, 0, 0, 0, 65},
	"ng": {[3]float64{280, 2300, 2750}, 0.45, 0, 0, 0, 80},
	"h":  {[3]float64{500, 1500, 2500}, 0, 0.35, 0, 0, 60},
	"f":  {[3]float64{340, 1100, 2080}, 0, 0, 0.12, 6500, 100},
	"v":  {[3]float64{220, 1100, 2080}, 0.4, 0, 0.06, 6500, 60},
	"th": {[3]float64{320, 1290, 2540}, 0, 0, 0.08, 6000, 90},
	"dh": {[3]float64{270, 1290, 2540}, 0.4, 0, 0.04, 6000, 45},
	"s":  {[3]float64{320, 1390, 2530}, 0, 0, 0.45, 5800, 100},
	"z":  {[3]float64{240, 1390, 2530}, 0.35, 0, 0.25, 5800, 75},
	"sh": {[3]float64{300, 1840, 2750}, 0, 0, 0.45, 3200, 110},
	"zh": {[3]float64{300, 1840, 2750}, 0.35, 0, 0.25, 3200, 75},
	"P":  {[3]float64{400, 1100, 2150}, 0, 0, 0, 0, 65},
	"p":  {[3]float64{400, 1100, 2150}, 0, 0.25, 0.15, 1200, 25},
	"B":  {[3]float64{200, 1100, 2150}, 0.15, 0, 0, 0, 55},
	"b":  {[3]float64{200, 1100, 2150}, 0.3, 0.05, 0.08, 1200, 12},
	"T":  {[3]float64{400, 1600, 2600}, 0, 0, 0, 0, 55},
	"t":  {[3]float64{400, 1600, 2600}, 0, 0.2, 0.4, 4500, 30},
	"D":  {[3]float64{200, 1600, 2600}, 0.15, 0, 0, 0, 45},
	"d":  {[3]float64{200, 1600, 2600}, 0.3, 0.05, 0.2, 4500, 14},
	"K":  {[3]float64{300, 1990, 2850}, 0, 0, 0, 0, 60},
	"k":  {[3]float64{300, 1990, 2850}, 0, 0.25, 0.3, 2200, 35},
	"G":  {[3]float64{200, 1990, 2850}, 0.15, 0, 0, 0, 50},
	"g":  {[3]float64{200, 1990, 2850}, 0.3, 0.05, 0.15, 2200, 20},
	",":  {[3]float64{500, 1500, 2500}, 0, 0, 0, 0, 180},
	".":  {[3]float64{500, 1500, 2500}, 0, 0, 0, 0, 250},
}

// spelling is how English letters mostly sound; longer ones are tried first.
var spelling = map[string]string{
	"ough": "o uu", "eigh": "e i", "igh": "a i", "tch": "T t sh", "dge": "D d zh", "air": "e er",
	"ear": "i er", "eer": "i er", "our": "a uu er", "tion": "sh u n", "sion": "zh u n", "ture": "T t sh er",
	"th": "th", "sh": "sh", "ch": "T t sh", "ph": "f", "wh": "w", "ck": "K k",
	"qu": "K k w", "ng": "ng", "kn": "n", "wr": "r", "gh": "", "ee": "ii",
	"ea": "ii", "ie": "ii", "ei": "e i", "ai": "e i", "ay": "e i", "oa": "o uu",
	"oo": "uu", "ou": "a uu", "ow": "o uu", "oi": "o i", "oy": "o i", "au": "o",
	"aw": "o", "ew": "y uu", "ue": "uu", "ar": "a r", "er": "er", "ir": "er",
	"or": "o r", "ur": "er", "ll": "l", "ss": "s", "tt": "T t", "pp": "P p",
	"ff": "f", "mm": "m", "nn": "n", "rr": "r", "dd": "D d", "bb": "B b",
	"gg": "G g", "zz": "z", "cc": "K k", "ce": "s", "ci": "s i", "cy": "s ii",
	"ge": "D d zh", "a": "ae", "b": "B b", "c": "K k", "d": "D d", "e": "e",
	"f": "f", "g": "G g", "h": "h", "i": "i", "j": "D d zh", "k": "K k",
	"l": "l", "m": "m", "n": "n", "o": "o", "p": "P p", "q": "K k",
	"r": "r", "s": "s", "t": "T t", "u": "u", "v": "v", "w": "w",
	"x": "K k s", "y": "ii", "z": "z",
}

// wholeWords are spelt otherwise than they sound.
var wholeWords = map[string]string{
	"the": "dh u", "a": "u", "of": "o v", "to": "T t uu", "is": "i z",
	"was": "w o z", "i": "a i", "you": "y uu", "they": "dh e i", "there": "dh e er",
	"this": "dh i s", "that": "dh ae T t", "he": "h ii", "she": "sh ii", "we": "w ii",
	"have": "h ae v", "are": "a r", "one": "w u n", "two": "T t uu", "who": "h uu",
	"what": "w o T t", "were": "w er", "said": "s e D d", "do": "D d uu", "some": "s u m",
	"come": "K k u m", "done": "D d u n", "your": "y o r", "could": "K k oo D d", "would": "w oo D d",
	"should": "sh oo D d", "people": "P p ii P p l", "been": "B b i n", "any": "e n ii", "many": "m e n ii",
	"very": "v e r ii", "from": "f r o m", "their": "dh e er", "be": "B b ii", "me": "m ii",
	"no": "n o uu", "so": "s o uu", "go": "G g o uu", "by": "B b a i", "my": "m a i",
	"why": "w a i", "with": "w i th",
}
