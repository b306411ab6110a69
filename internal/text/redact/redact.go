// Package redact blanks out secrets in texts: private keys in their usual blocks, and tokens of services that
// have a recognisable form.
package redact

import (
	"bytes"
	"io"
	"slices"
	"sync"

	"codeintel/internal/platform/lazyregexp"
)

// begins opens the block of a private key; the second form is that of PuTTY.
var begins = lazyregexp.MustCompile(`-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|\bPrivate-Lines: *\d+`)

// A key in JSON (RFC 7517) says its kind among its members; some of these are private.
var (
	kindOfKey = lazyregexp.MustCompile(`\bkty\\?["']?\s*[:=]\s*\\?["'](?:RSA|EC|OKP|oct)\\?["']`)
	members   = lazyregexp.MustCompile(`\b(?:d|p|q|dp|dq|qi|k)\\?["']?\s*[:=]\s*\\?["']([A-Za-z0-9_-]{16,}={0,2})`)
)

// tokens have the part that is kept, and says what they are, in their first group. A token may
// come after a line end as it is written in a string, or be part of a name.
var tokens = lazyregexp.MustCompile(`(?:\b|_|\\[nrt])(?:(AKIA)[0-9A-Z]{16}\b|(gh[pousr]_)[A-Za-z0-9]{36,}|(github_pat_)[A-Za-z0-9_]{50,}|` +
	`(xox[baprs]-)[A-Za-z0-9-]{10,}|((?:sk|rk)_live_)[A-Za-z0-9]{16,}|(AIza)[0-9A-Za-z_-]{35}\b|` +
	`(glpat-)[A-Za-z0-9_-]{20,}|(npm_)[A-Za-z0-9]{36}\b|(sk-ant-)[A-Za-z0-9_-]{32,}|(sk-proj-)[A-Za-z0-9_-]{40,}|` +
	`(pypi-AgE)[A-Za-z0-9_-]{50,}|(dop_v1_)[a-f0-9]{64}\b|` +
	`(hooks\.slack\.com/services/)T[A-Z0-9]+/B[A-Z0-9]+/[A-Za-z0-9]{16,}|(AGE-SECRET-KEY-1)[0-9A-Z]{40,}|` +
	`((?:aws_secret_access_key|AWS_SECRET_ACCESS_KEY)["']?[ \t]*[:=][ \t]*["']?)[A-Za-z0-9/+]{40}\b)`)

// Every text that an expression matches holds one of words: the first if it has the block
// of a private key, one of the others if it has a token or another key.
var words = []string{"--BEGIN ", "Private-Lines:", `"kty`, "'kty", " kty", "\tkty", "{kty", ",kty", "AKIA", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "hub_pat_", "xoxa-", "xoxb-", "xoxp-", "xoxr-", "xoxs-",
	"k_live_", "AIza", "glpat-", "npm_", "sk-ant-", "sk-proj-", "-AgE", "dop_v1_", "s.slack.com/", "AGE-SECRET-KEY-1", "aws_", "AWS_"}

// minWord is the length of the shortest of the words.
const minWord = 4

// marks says of two bytes where they are in the first bytes of the words: bit n is set if
// they are at n and n+1 of one.
var marks = sync.OnceValue(func() *[1 << 16]byte {
	var of [1 << 16]byte
	for _, w := range words {
		for n := range minWord - 1 {
			of[pair(w[n], w[n+1])] |= 1 << n
		}
	}
	return &of
})

func pair(a, b byte) int { return int(a)<<8 | int(b) }

// mayContainSecret reports whether a text contains one of the words.
func mayContainSecret(text []byte) bool { return wordIn(text, 0) >= 0 }

// wordIn returns where one of the words is in a text from some byte on, or -1. Nearly no
// text contains one, so it must be quick: it looks at two of every three bytes, of which every
// word has a pair among its first four.
func wordIn(text []byte, from int) int {
	of := marks()
	for i := from + 1; i < len(text); i += minWord - 1 {
		m := of[pair(text[i-1], text[i])]
		for n := 0; m != 0; n++ {
			if m&1 != 0 && i-1-n >= from && wordAt(of, text, i-1-n) {
				return i - 1 - n
			}
			m >>= 1
		}
	}
	return -1
}

// wordAt reports whether one of the words is at a place in a text.
func wordAt(of *[1 << 16]byte, text []byte, at int) bool {
	if at < 0 || at+minWord > len(text) || of[pair(text[at], text[at+1])]&1 == 0 ||
		of[pair(text[at+minWord-2], text[at+minWord-1])]>>(minWord-2) == 0 {
		return false
	}
	return slices.ContainsFunc(words, func(w string) bool { return bytes.HasPrefix(text[at:], []byte(w)) })
}

// ContainsKey reports whether a text contains a key.
func ContainsKey(text []byte) bool { return len(secretPlaces(text)) > 0 }

// Begins reports whether a text contains the first line of a private key, with or without what
// follows it.
func Begins(text []byte) bool { return mayContainSecret(text) && begins.Match(text) }

// Keys returns the text without its keys: the text itself where it holds none.
func Keys(text []byte) []byte {
	found := secretPlaces(text)
	if len(found) == 0 {
		return text
	}
	text = bytes.Clone(text)
	for _, p := range found {
		cover(text[p.from:p.to])
	}
	return text
}

// String is [Keys] of a string.
func String(text string) string {
	if found := Keys([]byte(text)); string(found) != text {
		return string(found)
	}
	return text
}

// A Writer writes texts without their keys, each whole.
type Writer struct{ To io.Writer }

func (w Writer) Write(text []byte) (int, error) { return w.To.Write(Keys(text)) }

// cover writes over a key. The word is at its beginning, where there is space for it.
func cover(key []byte) {
	const word = "CONCEALED"
	for i := range key {
		key[i] = '*'
	}
	if len(key) > len(word) {
		copy(key, word)
	}
}

// A place is where the secret part of a key is in a text.
type place struct{ from, to int }

func secretPlaces(text []byte) (found []place) {
	at := wordIn(text, 0)
	kinds := at >= 0 && bytes.Contains(text, []byte("kty"))
	var heads []int // where the first lines of private keys end
	// Expressions take long, and match within a line: only lines with a word are looked at.
	for at >= 0 {
		from, to := bytes.LastIndexByte(text[:at], '\n')+1, len(text)
		if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
			to = at + n
		}
		line := text[from:to]
		for _, m := range tokens.FindAllSubmatchIndex(line, -1) {
			for g := 2; g < len(m); g += 2 {
				if m[g] >= 0 {
					found = append(found, place{from + m[g+1], from + m[1]})
				}
			}
		}
		for _, m := range begins.FindAllSubmatchIndex(line, -1) {
			heads = append(heads, from+m[1])
		}
		at = wordIn(text, to)
	}
	if kinds { // this one matches over several lines
		for _, m := range kindOfKey.FindAllSubmatchIndex(text, -1) {
			found = inObject(found, text, m[0], m[1])
		}
	}
	for _, head := range heads {
		found = restOfKey(block(found, text, head), text, head)
	}
	return found
}

// inObject adds the private members of the key whose kind is at a place.
func inObject(found []place, text []byte, from, to int) []place {
	begin, end := max(0, from-maxKey), min(len(text), to+maxKey)
	begin += bytes.LastIndexByte(text[begin:from], '{') + 1
	if i := bytes.IndexByte(text[to:end], '}'); i >= 0 {
		end = to + i
	}
	for _, m := range members.FindAllSubmatchIndex(text[begin:end], -1) {
		found = append(found, place{begin + m[2], begin + m[3]})
	}
	return found
}

// How long a line of a key is as programs write it, and how long a whole key is.
const (
	usualLine = 40
	maxKey    = 16 << 10
)

var ends = lazyregexp.MustCompile(`-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|\bPrivate-(?:MAC|Hash): `)

// restOfKey adds what a private key with a last line holds beside the lines that [block] knows: runs
// with anything between them, and the last one, which may be short.
func restOfKey(found []place, text []byte, at int) []place {
	m := ends.FindIndex(text[at:min(len(text), at+maxKey)])
	if m == nil {
		return found
	}
	end := at + m[0]
	for i := at; i < end; i++ {
		from := i
		for i < end && inKey(text[i]) {
			i++
		}
		if i-from >= usualLine && bytes.ContainsAny(text[from:i], "0123456789+") {
			found = append(found, place{from, i})
		}
	}
	last := at
	for _, p := range found {
		if p.from >= at && p.to > last {
			last = p.to
		}
	}
	if run, other := longestRun(text, last, end); last > at && run.to > run.from && (!other || text[run.to-1] == '=') {
		found = append(found, run)
	}
	return found
}

// block adds the lines of a private key that follow its first line. A line of it may be a
// string of a program, a line of a difference or one that has its number before it; between
// two of them may be a line feed or the way that one is written in a string.
func block(found []place, text []byte, at int) []place {
	for at < len(text) {
		end, next := lineEnd(text, at)
		run, other := longestRun(text, at, end)
		switch line := text[run.from:run.to]; {
		case other && header.Match(text[at:end]), !other && countLetters(line) == 0: // nothing but the number of a line
		case other || len(line) < minKey || !bytes.ContainsAny(line, "0123456789+/="):
			return found // the line that ends it, or something else
		default:
			found = append(found, run)
		}
		at = next
	}
	return found
}

// header matches the lines that say how a key is encrypted.
var header = lazyregexp.MustCompile(`(?:Proc-Type|DEK-Info|Version|Comment): `)

// minKey is how long a line of a key is at the least; the last one may be shorter.
const minKey = 16

// lineEnd returns where a line of a key ends and the next one begins.
func lineEnd(text []byte, at int) (end, next int) {
	for i := at; i < len(text); i++ {
		switch {
		case text[i] == '\n':
			return i, i + 1
		case text[i] == '\\' && i+1 < len(text) && text[i+1] == 'n':
			return i, i + 2
		}
	}
	return len(text), len(text)
}

// longestRun returns the longest run of characters of keys in a line, and whether there are
// letters beside it.
func longestRun(text []byte, at, end int) (longest place, other bool) {
	letters := 0
	for i := at; i < end; {
		if text[i] == '\\' { // a return, a tab
			i += 2
			continue
		}
		from := i
		for i < end && inKey(text[i]) {
			i++
		}
		if i == from {
			i++
			continue
		}
		letters += countLetters(text[from:i])
		if i-from > longest.to-longest.from {
			longest = place{from, i}
		}
	}
	return longest, letters > countLetters(text[longest.from:longest.to])
}

func inKey(c byte) bool {
	return isLetter(c) || '0' <= c && c <= '9' || c == '+' || c == '/' || c == '='
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func countLetters(text []byte) (n int) {
	for _, c := range text {
		if isLetter(c) {
			n++
		}
	}
	return n
}
