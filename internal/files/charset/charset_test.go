package charset

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"
)

const java = `/**
 * ユーザー情報を取得する。
 * 表示用の名前（ソート済み）を返す。十分に長い説明文をここに書く。
 */
public class UserService {
	// 初期化処理
	private String name = "株式会社テスト";

	/* 予約語との衝突を避けるため、能力表は別に持つ */
	public int count() { return 42; }
}
`

var encodings = map[Charset]encoding.Encoding{
	ShiftJIS:  japanese.ShiftJIS,
	EUCJP:     japanese.EUCJP,
	ISO2022JP: japanese.ISO2022JP,
	UTF16LE:   unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM),
	UTF16BE:   unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM),
	Latin1:    charmap.Windows1252,
	UTF8:      encoding.Nop,
}

func TestDecode(t *testing.T) {
	long := strings.Repeat("func f() { return }\n", 50)
	for _, tt := range []struct {
		text string
		as   []Charset
	}{
		{java, []Charset{UTF8, ShiftJIS, EUCJP, ISO2022JP, UTF16LE, UTF16BE}},
		{strings.ReplaceAll(java, "\n", "\r\n"), []Charset{UTF8, ShiftJIS, EUCJP, ISO2022JP, UTF16LE, UTF16BE}},
		{long + "# 初期化\n", []Charset{UTF8, ShiftJIS, EUCJP, ISO2022JP, UTF16LE}},
		{"# 表示\nx = 1\n", []Charset{UTF8, ShiftJIS, EUCJP, ISO2022JP}},
		{"' コメント\r\nDim x\r\n", []Charset{ShiftJIS, EUCJP, ISO2022JP}},
		{"/* ソース */ /* 機能 */", []Charset{ShiftJIS, EUCJP}},
		{"// Größe des Fensters: für Müller\n", []Charset{UTF8, Latin1, UTF16LE}},
		{"# café, naïve, été, ça et là; déjà vu\n", []Charset{UTF8, Latin1}},
		{"(* Señor Ñandú: ¿qué? *)", []Charset{UTF8, Latin1}},
		{long + "caf\u00e9", []Charset{UTF8, Latin1}},
		{"x © 2004\n", []Charset{UTF8, Latin1}},
		{"price “10 €” – ok\n", []Charset{UTF8, Latin1}},
		{"plain ASCII\n", []Charset{UTF8, UTF16LE, UTF16BE}},
		{"\x1b$reset\x1b[0m\n", []Charset{UTF8}}, // a terminal, not Japan
		{"", []Charset{UTF8}},
	} {
		for _, cs := range tt.as {
			raw, err := encodings[cs].NewEncoder().Bytes([]byte(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			text, got := Decode(raw)
			if got != cs || string(text) != tt.text {
				t.Errorf("%.40q in %s: %s, %.120q", tt.text, cs, got, text)
			}
		}
	}
}

func TestByteOrderMark(t *testing.T) {
	for raw, want := range map[string]Charset{
		"\xef\xbb\xbfa\n":               UTF8,
		"\xff\xfea\x00\n\x00":           UTF16LE,
		"\xfe\xff\x00a\x00\n":           UTF16BE,
		"\xff\xfeB0D0\n\x00":            UTF16LE, // Japanese only: no zero but in the line feed
		"\xff\xfe\x00\x00a\x00\x00\x00": Binary,
	} {
		text, got := Decode([]byte(raw))
		if got != want {
			t.Errorf("%q: %s, want %s", raw, got, want)
		}
		if want != Binary && (bytes.HasPrefix(text, []byte(bom)) || !bytes.HasSuffix(text, []byte("\n"))) {
			t.Errorf("%q: text %q", raw, text)
		}
	}
}

func TestBinary(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 4096)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	for name, raw := range map[string]string{
		"noise":            string(noise),
		"program":          "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x03\x00\x3e\x00\x01\x00\x00\x00",
		"picture":          "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x01\x00",
		"noise, no zeros":  strings.ReplaceAll(string(noise), "\x00", "\x01"),
		"one zero in text": "hello\x00world, this is a text with one zero in it\n",
	} {
		if text, cs := Decode([]byte(raw)); cs != Binary || text != nil {
			t.Errorf("%s: %s", name, cs)
		}
	}
}

// The head of a file gives the same answer as the file, wherever it is cut.
func TestDetectHead(t *testing.T) {
	for cs, e := range encodings {
		if cs == Latin1 {
			continue
		}
		raw, err := e.NewEncoder().Bytes([]byte(java))
		if err != nil {
			t.Fatal(err)
		}
		for cut := 40; cut < len(raw); cut++ {
			if got := Detect(raw[:cut]); got != cs {
				t.Errorf("%s cut at %d of %d: %s", cs, cut, len(raw), got)
				break
			}
		}
	}
}

// Half a character at the end of a line does not take the line feed along.
func TestLinesStay(t *testing.T) {
	kana := func(e encoding.Encoding) []byte {
		b, err := e.NewEncoder().Bytes([]byte(strings.Repeat("初期化の処理をここに書く。\n", 20)))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for _, tt := range []struct {
		cs  Charset
		raw []byte
	}{
		{ShiftJIS, append(kana(japanese.ShiftJIS), "x\x82\ny\x93\x0a"...)},
		{EUCJP, append(kana(japanese.EUCJP), "x\xa4\ny\x8f\xb0\n\x8e\n"...)},
		{ISO2022JP, append(kana(japanese.ISO2022JP), "\x1b$B$\n$3$l\x1b(B\n"...)},
		{UTF16LE, []byte("\xff\xfe\x00\xd8\n\x00a\x00\x00\xdc\n\x00\n")},
		{UTF8, append([]byte(strings.Repeat("初期化\n", 20)), "x\xe3\x81\ny\xff\n"...)},
	} {
		text, cs := Decode(tt.raw)
		want := bytes.Count(tt.raw, []byte("\n"))
		if tt.cs == UTF16LE {
			want = 2
		}
		if cs != tt.cs || bytes.Count(text, []byte("\n")) != want {
			t.Errorf("%s: %s with %d line feeds, want %d: %q", tt.cs, cs, bytes.Count(text, []byte("\n")), want, text)
		}
	}
}

// ISO-2022-JP that leaves the line in the Japanese state is read on in it.
func TestISO2022JPState(t *testing.T) {
	text, cs := Decode([]byte("\x1b$B$3$l\n$O\x1b(B ok\nplain\n"))
	if want := "これ\nは ok\nplain\n"; cs != ISO2022JP || string(text) != want {
		t.Errorf("%s %q, want %q", cs, text, want)
	}
}

func TestSharesMemory(t *testing.T) {
	raw := []byte("ascii and 日本語\n")
	if text, _ := Decode(raw); &text[0] != &raw[0] {
		t.Error("valid UTF-8 was copied")
	}
}

func FuzzDecode(f *testing.F) {
	for _, e := range encodings {
		if raw, err := e.NewEncoder().Bytes([]byte(java)); err == nil {
			f.Add(raw)
		}
	}
	for _, seed := range []string{"", "\x1b$B", "\x1b$B\n", "\xff\xfe", "\xff\xfe\n", "\x00", "a\x00\n\x00", "\x82\n", "\x8f\n", "caf\xe9"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		text, cs := Decode(raw)
		if !utf8.Valid(text) {
			t.Fatalf("%s: not UTF-8: %q", cs, text)
		}
		want := bytes.Count(raw, []byte("\n"))
		switch cs {
		case Binary:
			return
		case UTF16LE, UTF16BE:
			want = 0
			for i := 0; i+1 < len(raw); i += 2 {
				if unit(raw[i:], cs) == '\n' {
					want++
				}
			}
		}
		if got := bytes.Count(text, []byte("\n")); got != want {
			t.Fatalf("%s: %d line feeds became %d", cs, want, got)
		}
	})
}

func BenchmarkDecodeShiftJIS(b *testing.B) {
	raw, err := japanese.ShiftJIS.NewEncoder().Bytes([]byte(strings.Repeat(java, 20)))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		Decode(raw)
	}
}
