package redact

import (
	"bytes"
	"strings"
	"testing"
)

// Keys are made here, so that no file contains one.
var (
	line = strings.Repeat("MIIEpAIB0aKC+QEA", 4)
	pem  = "-----BEGIN RSA " + "PRIVATE KEY-----\n" + line + "\n" + line + "\nabcdEFGH1234abcd==\n-----END RSA " + "PRIVATE KEY-----\n"
)

func TestKeys(t *testing.T) {
	random := strings.Repeat("a1B2c3D4", 10)
	quoted := func(s string) string { return strings.ReplaceAll(s, "\n", `\n`) }
	for _, text := range []string{
		pem, "key:\n  " + strings.ReplaceAll(pem, "\n", "\n  "), `{"key": "` + quoted(pem) + `"}`, strings.ReplaceAll(pem, "\n", "\r\n"),
		"const k = \"" + strings.ReplaceAll(strings.TrimSuffix(pem, "\n"), "\n", "\\n\" +\n\t\"") + "\"\n",
		"12: " + strings.ReplaceAll(pem, "\n", "\n13: "), "+" + strings.ReplaceAll(pem, "\n", "\n+"),
		strings.Replace(pem, "\n", "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,1F\n\n", 1),
		strings.Replace(pem, "RSA PRIVATE KEY", "PGP PRIVATE KEY BLOCK", 2),
		strings.Join([]string{"gh", "p_" + random[:36]}, ""), "x = 'github" + "_pat_" + random[:60] + "'", "xox" + "b-123456-" + random[:20],
		"sk" + "_live_" + random[:24], "rk" + "_live_" + random[:24], "AIza" + random[:35], "glpat" + "-" + random[:20], "npm" + "_" + random[:36],
		"sk-" + "ant-api03-" + random, "sk-" + "proj-" + random, "pypi-" + "AgE" + random, "dop" + "_v1_" + strings.Repeat("0af1", 16),
		"https://hooks.slack.com/" + "services/T0001/B0001/" + random[:24],
		"AGE-SECRET-KEY-" + strings.Repeat("1QPZ", 12), "aws_secret_" + "access_key = " + random[:40], "AWS_SECRET_" + "ACCESS_KEY: \"" + random[:40] + "\"",
		"AKI" + "A" + strings.Repeat("Q2W3", 4), strings.ReplaceAll(pem, "\n", " "), strings.ReplaceAll(pem, "\n", "<br>\n"),
		"echo \"" + strings.ReplaceAll(pem, "\n", "\" >> k\necho \""), strings.Replace(pem, "abcdEFGH1234abcd==", "abcdEFGH", 1),
		"x_" + "gh" + "p_" + random[:36], `{"text": "one\n` + "gh" + "p_" + random[:36] + `"}`, `\t` + "sk-" + "ant-api03-" + random,
		`[{"kty": "RSA", "n": "0vx7", "e": "AQAB", "d": "` + random + `", "dp":"` + random + `"}, {"kty":"oct"}]`,
		`{"d":"` + random + `","crv":"P-256","kty":"EC","x":"f83OJ3D2"}`, "jwk = {'kty': 'oct', 'k': '" + random + "'}", `key := "{\"kty\":\"OKP\",\"d\":\"` + random + `\"}"`,
		"const key = {\n\tkty: 'EC',\n\td: '" + random + "',\n}\n",
		"```\nPuTTY-User-Key-File-3: ssh-rsa\nPrivate-" + "Lines: 2\n" + line + "\n" + line[:20] + "\nPrivate-MAC: 5ca1ab1e\n```\n",
	} {
		shown := string(Keys([]byte(text)))
		if len(shown) != len(text) || strings.Count(shown, "\n") != strings.Count(text, "\n") {
			t.Errorf("the places of %q move: %q", text, shown)
		}
		for _, part := range []string{line[:16], random[8:20], "abcdEFGH", "0af10af1", "1QPZ1QPZ", "Q2W3Q2W3"} {
			if strings.Contains(shown, part) {
				t.Errorf("%q is shown of %q: %q", part, text, shown)
			}
		}
		if !strings.Contains(shown, "CONCEALED") || !ContainsKey([]byte(text)) || ContainsKey([]byte(shown)) {
			t.Errorf("not concealed, or twice: %q", shown)
		}
	}
}

// What merely speaks of keys stays as it is.
func TestOtherTexts(t *testing.T) {
	begin, end := "-----BEGIN PRIVATE "+"KEY-----", "-----END PRIVATE "+"KEY-----"
	for _, text := range []string{
		"", "func main() {}\n", `{"kty":"RSA","n":"` + line + `","e":"AQAB"}`, `{"d":"` + line + `"}`, "Private-Lines: two", "the prefix ghp_ begins a token", "ghp_short", "AKIA", "npm_config_registry=x", "xoxb-",
		"const begin = \"" + begin + "\"\nconst end = \"" + end + "\"\n",
		"if strings.Contains(s, \"" + begin + "\") {\n\treturn parsePrivateKeyOfTheUser2()\n}\n\nfunc x() {}\n",
		"a := \"" + begin + "\"\n)\n\nsomeFunctionWithALongName()\n", begin + "\n" + end + "\n",
		"if s == \"" + begin + "\" {\n\tparsePrivateKeyOfTheUser2(s[:16])\n} // \"" + end + "\"\n",
		"sk_live_ and sk_test_4eC39HqLyjWDarjtT1zdp7dc", "AIzaShort", "-----BEGIN CERTIFICATE-----\n" + line + "\n-----END CERTIFICATE-----\n",
	} {
		if shown := String(text); shown != text {
			t.Errorf("%q becomes %q", text, shown)
		}
	}
}

// FuzzKeys wants a text to keep its length and its lines, and to hold no more keys when it is
// looked at again.
func FuzzKeys(f *testing.F) {
	f.Add([]byte("a " + "gh" + "p_" + strings.Repeat("a1", 20) + "\n-----BEGIN RSA " + "PRIVATE KEY-----\nMII\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		before := bytes.Clone(text)
		covered := Keys(text)
		if !bytes.Equal(text, before) {
			t.Errorf("%q was written to", before)
		}
		if len(covered) != len(text) || bytes.Count(covered, []byte("\n")) != bytes.Count(text, []byte("\n")) {
			t.Errorf("%q became %q", text, covered)
		}
		if again := Keys(covered); !bytes.Equal(again, covered) {
			t.Errorf("%q became %q", covered, again)
		}
	})
}
