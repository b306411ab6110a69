package ignore

import "strings"

// special are the characters with a meaning in a pattern.
const special = `*?[\`

// A token is one element of a compiled glob.
type token struct {
	op  op
	ch  byte       // of literal
	set *[4]uint64 // of class: one bit for each byte it matches
}

type op uint8

const (
	literal op = iota // the byte ch
	one               // any byte but "/"
	class             // a byte in set
	star              // any bytes but "/"
	stars             // any bytes
	dirs              // nothing, or any bytes and a "/"
)

// compile returns the tokens of a glob, or false if it is malformed and therefore
// matches nothing. Like git, it works on bytes: "?" is not a whole character
// of a name that is not ASCII.
func compile(glob string, s scope) ([]token, bool) {
	var tokens []token
	for i := 0; i < len(glob); i++ {
		switch glob[i] {
		case '\\':
			if i++; i == len(glob) {
				return nil, false
			}
			tokens = append(tokens, token{op: literal, ch: glob[i]})
		case '?':
			tokens = append(tokens, token{op: one})
		case '[':
			set, n, ok := compileClass(glob[i:])
			if !ok {
				return nil, false
			}
			set['/'>>6] &^= 1 << ('/' & 63)
			tokens = append(tokens, token{op: class, set: set})
			i += n - 1
		case '*':
			n := len(glob[i:]) - len(strings.TrimLeft(glob[i:], "*"))
			next := glob[i+n:]
			t := token{op: star}
			if n > 1 && s == full && (i == 0 || glob[i-1] == '/') {
				switch {
				case next == "" || strings.HasPrefix(next, `\/`):
					t.op = stars
				case next[0] == '/':
					t.op = dirs
					n++
				}
			}
			tokens = append(tokens, t)
			i += n - 1
		default:
			tokens = append(tokens, token{op: literal, ch: glob[i]})
		}
	}
	return tokens, true
}

// match reports whether tokens match all of s. When a token fails, only the last
// star need take more, and once that cannot (it would cross a "/"), the last of
// those that cross: whatever came before it fits as well where it is, because
// the later one can take up the difference. So the time is bounded by the product
// of the lengths.
func match(tokens []token, s string) bool {
	none := retry{at: -1}
	inner, outer := none, none // last star; last stars or dirs
	i, t := 0, 0
	for {
		switch {
		case t == len(tokens):
			if i == len(s) {
				return true
			}
		case tokens[t].op == star:
			inner = retry{at: i, token: t + 1}
			t++
			continue
		case tokens[t].op == stars || tokens[t].op == dirs:
			outer, inner = retry{at: i, token: t + 1}, none
			t++
			continue
		case i < len(s) && tokens[t].matchesByte(s[i]):
			i++
			t++
			continue
		}
		switch {
		case inner.at >= 0 && inner.at < len(s) && s[inner.at] != '/':
			inner.at++
			i, t = inner.at, inner.token
		case outer.at >= 0 && outer.at < len(s):
			inner = none
			outer.at++
			if tokens[outer.token-1].op == dirs {
				slash := strings.IndexByte(s[outer.at-1:], '/')
				if slash < 0 {
					return false
				}
				outer.at += slash
			}
			i, t = outer.at, outer.token
		default:
			return false
		}
	}
}

// A retry is where a star has got to, and what follows it.
type retry struct{ at, token int }

func (t *token) matchesByte(c byte) bool {
	switch t.op {
	case literal:
		return c == t.ch
	case one:
		return c != '/'
	case class:
		return t.set[c>>6]&(1<<(c&63)) != 0
	}
	return false
}

// compileClass reads a bracket expression at the beginning of glob and returns
// its set and length, or false if it is malformed.
func compileClass(glob string) (set *[4]uint64, n int, ok bool) {
	set = new([4]uint64)
	add := func(from, to byte) {
		for c := int(from); c <= int(to); c++ {
			set[c>>6] |= 1 << (c & 63)
		}
	}
	i := 1
	negated := i < len(glob) && (glob[i] == '!' || glob[i] == '^')
	if negated {
		i++
	}
	previous := -1 // the byte a range may begin with
	for first := true; ; first = false {
		if i >= len(glob) {
			return nil, 0, false
		}
		c := glob[i]
		switch {
		case c == ']' && !first:
			if negated {
				set = &[4]uint64{^set[0], ^set[1], ^set[2], ^set[3]}
			}
			return set, i + 1, true
		case c == '-' && previous >= 0 && i+1 < len(glob) && glob[i+1] != ']':
			i++
			if glob[i] == '\\' {
				if i++; i == len(glob) {
					return nil, 0, false
				}
			}
			add(byte(previous), glob[i])
			previous = -1
		case c == '\\':
			if i++; i == len(glob) {
				return nil, 0, false
			}
			add(glob[i], glob[i])
			previous = int(glob[i])
		case c == '[' && strings.HasPrefix(glob[i:], "[:"):
			inner, _, ends := strings.Cut(glob[i+2:], "]")
			named, found := strings.CutSuffix(inner, ":")
			switch {
			case !ends || found && !addNamed(named, add):
				return nil, 0, false
			case found:
				i += len("[:") + len(inner)
				previous = -1
			default:
				add('[', '[')
				previous = '['
			}
		default:
			add(c, c)
			previous = int(c)
		}
		i++
	}
}

// addNamed adds a class such as alpha, of ASCII as everything in git's patterns.
func addNamed(named string, add func(from, to byte)) bool {
	ranges, ok := classes[named]
	for i := 0; i < len(ranges); i += 2 {
		add(ranges[i], ranges[i+1])
	}
	return ok
}

// classes are the named classes, as pairs of first and last byte.
var classes = map[string]string{
	"alnum":  "09AZaz",
	"alpha":  "AZaz",
	"blank":  "\t\t  ",
	"cntrl":  "\x00\x1f\x7f\x7f",
	"digit":  "09",
	"graph":  "!~",
	"lower":  "az",
	"print":  " ~",
	"punct":  "!/:@[`{~",
	"space":  "\t\r  ",
	"upper":  "AZ",
	"xdigit": "09AFaf",
}
