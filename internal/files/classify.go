package files

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"codeintel/internal/files/charset"
	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/text/redact"
)

// A Class says how a search treats a file.
type Class string

// The classes. Secret, Binary and TooLarge files are never indexed, nor is a Pointer, which
// is the pointer to a file that Git LFS keeps elsewhere; Generated, Vendored and Minified ones are,
// and rank low.
const (
	Source    Class = "source"
	Generated Class = "generated"
	Vendored  Class = "vendored"
	Minified  Class = "minified"
	Binary    Class = "binary"
	TooLarge  Class = "too_large"
	Secret    Class = "secret"
	Pointer   Class = "lfs_pointer"
)

// Indexed reports whether files of class c are indexed.
func (c Class) Indexed() bool { return c != Binary && c != TooLarge && c != Secret && c != Pointer }

// Head is how many of its first bytes tell the class of a file.
const Head = 8 << 10

// IsSecret reports whether a file with this name, which begins with head, is [Secret].
func IsSecret(name string, head []byte) bool {
	base := strings.ToLower(name[strings.LastIndexByte(name, '/')+1:])
	return isSecret(name, base, path.Ext(base), head)
}

// classify says what the file of that name is. Head is its first bytes, as many as the
// constant [Head] says, or nil if only name and size are to be judged.
func classify(name string, head []byte, size, limit int64) Class {
	c := classifyAlone(name, head, size, limit)
	if (c == Source || c == Generated) && vendoredFolder(path.Dir(name)) {
		return Vendored
	}
	return c
}

// classifyAlone is [classify] but for the folders above the file.
func classifyAlone(name string, head []byte, size, limit int64) Class {
	base := strings.ToLower(name[strings.LastIndexByte(name, '/')+1:])
	ext := path.Ext(base)
	switch {
	case isSecret(name, base, ext, head):
		return Secret
	case binaryExtensions[ext]:
		return Binary
	case size > limit:
		return TooLarge
	case head != nil && charset.Detect(head) == charset.Binary:
		return Binary
	case size < maxOfPointer && bytes.HasPrefix(head, []byte("version https://git-lfs.github.com/spec/")):
		return Pointer
	case isMinified(base, ext, head):
		return Minified
	case vendoredNames[base], strings.HasPrefix(base, "jquery-") && ext == ".js":
		return Vendored
	case isGenerated(base, ext, head):
		return Generated
	}
	return Source
}

// maxOfPointer is how many bytes the specification of Git LFS lets a pointer have.
const maxOfPointer = 1024

// isSecret errs on the safe side: a file that is taken for a secret can still be
// read by its owner, a key in an index cannot be taken back.
func isSecret(name, base, ext string, head []byte) bool {
	if original := originalOf(base); original != base &&
		isSecret(path.Join(path.Dir(name), original), original, path.Ext(original), head) {
		return true
	}
	hidden := inHidden(name)
	switch {
	case secretNames[base], secretExtensions[ext], strings.Contains(base, ".tfstate."):
		return ext != ".go" && ext != ".md"
	case (strings.HasPrefix(base, "kubeconfig.") || strings.HasPrefix(base, "kubeconfig-")) && !codeExtensions[ext]:
		return true
	case isEnvironment(name, base, ext, hidden):
		return !strings.Contains(base, "example") && !strings.Contains(base, "sample") &&
			!strings.Contains(base, "template") && ext != ".dist"
	case strings.HasPrefix(base, "id_rsa") || strings.HasPrefix(base, "id_ed25519") ||
		strings.HasPrefix(base, "id_ecdsa") || strings.HasPrefix(base, "id_dsa"):
		return ext == "" || ext == ".old" || ext == ".bak"
	case ext == ".json" && keyOfService.MatchString(base):
		return true
	case base == "fish_history", hidden && (strings.Contains("/"+name, "/.git/") ||
		isHistory(base, ext) || inSecretFolder(name, base, ext)):
		return true
	}
	if secretInFolder[base] {
		folder := strings.ToLower(path.Base(path.Dir(name)))
		if secretPaths[folder+"/"+base] {
			return true
		}
	}
	return head != nil && holdsSecret(name, base, ext, head)
}

// holdsSecret reports whether a file that begins with head is a secret by what it holds.
func holdsSecret(name, base, ext string, head []byte) bool {
	if ext == ".tfvars" || strings.HasSuffix(base, ".tfvars.json") { // settings, mostly
		return len(head) >= Head || givesAway(head)
	}
	holds := func(word string) bool { return bytes.Contains(head, []byte(word)) }
	switch start := bytes.TrimLeft(head[:min(len(head), 512)], "\ufeff \t\r\n"); {
	case slices.ContainsFunc(tokenWords[base], holds):
		return true
	case settingsOfUsers[base] && (inHidden(name) || !everywhere[base]):
		return len(head) >= Head || secretValue.Match(head) || addressWithPassword.Match(head)
	case (ext == "" || ext == base) && secretTitles[strings.TrimPrefix(base, ".")]:
		return bytes.Count(bytes.TrimSpace(head), []byte("\n")) < 2 && len(bytes.Fields(head)) > 0
	case ext == ".json" && jsonHoldsKey(start, head, holds):
		return true
	case ext == ".conf" && holds("[Interface]") && holds("PrivateKey"), // of WireGuard
		settingsExtensions[ext] && holds(".dockerconfigjson:") && holds("kind: Secret"):
		return true
	default:
		// Only where the file is nothing but a key: tests hold keys in strings.
		return bytes.HasPrefix(start, []byte("-----BEGIN ")) && bytes.Contains(start, []byte("PRIVATE KEY")) ||
			bytes.HasPrefix(start, []byte("PuTTY-User-Key-File-")) || bytes.HasPrefix(start, []byte("AGE-SECRET-KEY-1")) ||
			bytes.HasPrefix(start, []byte("# created: ")) && holds("\nAGE-SECRET-KEY-1") ||
			bytes.HasPrefix(start, []byte("# Netscape HTTP Cookie File")) ||
			strings.HasPrefix(base, "utc--") && holds(`"ciphertext"`) ||
			bytes.HasPrefix(start, []byte(`{`)) && bytes.Contains(head, []byte("-----BEGIN")) && serviceAccount.Match(head) ||
			holds("kind: Config") && (ext == "" || settingsExtensions[ext]) &&
				clusterConfig.Match(head) && clusterKey.Match(head)
	}
}

// jsonHoldsKey reports whether a JSON text lets its reader into a cloud, a registry or a cluster,
// or is a wallet.
func jsonHoldsKey(start, head []byte, holds func(string) bool) bool {
	if bytes.HasPrefix(start, []byte("[")) {
		return bytes.Count(head, []byte(",")) == 63 && keyNumbers.Match(head)
	}
	return bytes.HasPrefix(start, []byte("{")) && (holds(`"auths"`) && holds(`"auth"`) || holds(`"ciphertext"`) && holds(`"kdf"`) ||
		holds("rivate") && walletKey.Match(head) || holds(`"Config"`) && clusterJSON.Match(head))
}

// isHistory reports whether a hidden file is the history of a shell or another program.
func isHistory(base, ext string) bool {
	return strings.HasSuffix(base, ".history") || strings.HasSuffix(base, "_history") || strings.HasSuffix(base, "-history") ||
		ext == base && strings.HasSuffix(base, "history")
}

// inSecretFolder reports whether a hidden file lies where only keys and tokens do.
func inSecretFolder(name, base, ext string) bool {
	if publicNames[base] || ext == ".pub" || ext == ".go" {
		return false
	}
	dir := strings.ToLower(path.Dir(name))
	folders := strings.Split(dir, "/")
	last := folders[len(folders)-1]
	return slices.ContainsFunc(folders, func(f string) bool { return secretFolders[f] }) ||
		slices.Contains(folders, ".aws") && (last == "cache" || base == "config") ||
		last == "wallets" || last == ".cloudflared" && ext == ".json"
}

// givesAway reports whether settings hold a secret: a key, a password in an address, or a value
// for what is called one. Names of secrets, and how long one lasts, are none.
func givesAway(settings []byte) bool {
	return redact.ContainsKey(settings) || redact.Begins(settings) || addressWithPassword.Match(settings) ||
		slices.ContainsFunc(secretSetting.FindAllSubmatchIndex(settings, -1), func(m []int) bool {
			return !aboutSecret.Match(settings[m[2]:m[3]])
		})
}

// isEnvironment reports whether a file sets variables of the environment, by the names that
// people give such files: .env.local, .env-prod, .flaskenv, prod.env, env.production.
func isEnvironment(name, base, ext string, hidden bool) bool {
	base = strings.TrimSpace(base)
	if rest, ok := strings.CutPrefix(base, ".env"); ok && (rest == "" || rest == "rc" || strings.ContainsRune(".-_", rune(rest[0]))) {
		return true
	}
	return strings.TrimSpace(ext) == ".env" || base == ".flaskenv" ||
		hidden && strings.Contains("/"+strings.ToLower(name), "/.envs/") ||
		base == "env.prod" || base == "env.production" || base == "env.staging" || base == "env.local"
}

// inHidden reports whether a file, or a folder that it is in, has a name with a dot in front.
func inHidden(name string) bool { return strings.HasPrefix(name, ".") || strings.Contains(name, "/.") }

// What files hold that let their reader into a cloud or a cluster.
var (
	keyOfService        = lazyregexp.MustCompile(`^(?:service[-_]account|client_secret_|appsettings\.(?:prod|production|staging|local|secrets?)\.json$)`)
	serviceAccount      = lazyregexp.MustCompile(`"private_key"\s*:\s*"-----BEGIN`)
	clusterConfig       = lazyregexp.MustCompile(`(?m)^kind: Config\s*$`)
	addressWithPassword = lazyregexp.MustCompile(`://[^/\s:@"]+:[^/\s@"]+@`)
	secretSetting       = lazyregexp.MustCompile(`(?i)([\w.-]*(?:passw(?:or)?d|passphrase|secret|token|private_?key|access_?key|api_?key|credential|connection_?string)[\w.-]*)"?\s*[=:]\s*(?:"[^"]|<<|\[\s*"[^"])`)
	secretValue         = lazyregexp.MustCompile(`(?im)^[^#;\n]*(?:(?:passw(?:or)?d|passphrase|secret|token|auth|pass|pwd|_key|"key|api_?key)[\w.-]*["']?[ \t]*(?:[=:>]+|"[ \t]+")[ \t]*["']?(?:[^\s"'${<\[%\d](?:[^\s"']{5,}\d|[^\s"']*\d[^\s"']{5,})|\d[^\s"']{7,})|\buser[ \t]*=[ \t]*"?[^\s:"]+:[^\s"]+)`)
	walletKey           = lazyregexp.MustCompile(`(?i)"private_?key"\s*:\s*"(?:0x)?[\w+/=]{32,}"`)
	keyNumbers          = lazyregexp.MustCompile(`^\s*\[\s*\d{1,3}(?:\s*,\s*\d{1,3}){63}\s*\]\s*$`) // of Solana
	clusterJSON         = lazyregexp.MustCompile(`"kind"\s*:\s*"Config"[\s\S]*"(?:client-key-data|token|password)"\s*:\s*"[^"]`)
	aboutSecret         = lazyregexp.MustCompile(`(?i)_(?:names?|arns?|path|ttl|length|type|version|expiry)$`)
	clusterKey          = lazyregexp.MustCompile(`(?m)^\s+(?:- )?(?:client-key-data|token|password): \S`)
)

// originalOf returns the name of the file that the one of that name is a copy of, or
// another one of for some stage; or the name itself: .netrc of .netrc-work.old, secrets.yml of
// secrets.production.yml.
func originalOf(base string) string {
	for {
		before := base
		base = withoutStage(base)
		for _, suffix := range copySuffixes {
			if stem := strings.TrimSuffix(base, suffix); len(stem) > 1 {
				base = stem
			}
		}
		base = strings.TrimPrefix(base, "#")
		if strings.HasPrefix(base, "..") && len(base) > 2 { // .NAME.swp of .NAME
			base = base[1:]
		}
		if base == before || base == "" {
			return before
		}
	}
}

// withoutStage returns a name without the part, at its end or before its extension, that
// says for which of several stages or places the file is.
func withoutStage(base string) string {
	ext := path.Ext(base)
	for _, end := range []string{"", ext} {
		stem := strings.TrimSuffix(base, end)
		at := len(stem) - 1
		for at > 1 && stem[at] != '-' && stem[at] != '.' && stem[at] != '_' {
			at--
		}
		if at > 1 && stages[stem[at+1:]] {
			return stem[:at] + end
		}
	}
	return base
}

func isMinified(base, ext string, head []byte) bool {
	stem := strings.TrimSuffix(base, ext)
	if strings.HasSuffix(stem, ".min") || strings.HasSuffix(stem, "-min") && (ext == ".js" || ext == ".css") {
		return true
	}
	if len(head) < 2<<10 || proseExtensions[ext] {
		return false
	}
	return len(head)/(1+bytes.Count(head, []byte("\n"))) > longLine
}

// longLine is a mean length of lines, in bytes, that is never written by hand.
const longLine = 400

// vendoredFolder reports whether a folder, or one above it, holds other people's code.
func vendoredFolder(dir string) bool {
	for name := range strings.SplitSeq(dir, "/") {
		if vendoredDirs[strings.ToLower(name)] {
			return true
		}
	}
	return false
}

func isGenerated(base, ext string, head []byte) bool {
	if generatedNames[base] || strings.HasPrefix(base, "zz_generated") {
		return true
	}
	for _, suffix := range generatedSuffixes[ext] {
		if strings.HasSuffix(base, suffix) {
			return true
		}
	}
	// Whoever generates a file says so at its top.
	start := head[:min(len(head), 2<<10)]
	return bytes.Contains(start, []byte("enerated")) && (generatedByGo(start) || hasGeneratedMark(start))
}

// hasGeneratedMark reports whether [generatedMark] matches a line. It asks of no others than
// those with the word that every match has, for the expression takes long.
func hasGeneratedMark(head []byte) bool {
	for line := range bytes.Lines(head) {
		if bytes.Contains(bytes.ToLower(line), []byte("generated")) && generatedMark.Match(line) {
			return true
		}
	}
	return false
}

// generatedByGo reports whether a line is the one that generators of Go write. It
// spares most generated files the regular expression.
func generatedByGo(head []byte) bool {
	for line := range bytes.Lines(head) {
		if rest, ok := bytes.CutPrefix(line, []byte("// Code generated ")); ok &&
			bytes.HasSuffix(bytes.TrimRight(rest, "\r\n"), []byte(" DO NOT EDIT.")) {
			return true
		}
	}
	return false
}

// generatedMark matches the lines by which generators sign. Go's own has a fixed
// form; of the others some words must be together in a comment.
var generatedMark = lazyregexp.MustCompile(`(?m)` +
	`^// Code generated .* DO NOT EDIT\.\r?$` +
	`|^[ \t]*(?://|/?\*+|#|--|;|<!--|%|'|\(\*).*` +
	`(?:@generated\b|<auto-generated|(?i:do not (?:edit|modify|change)).*(?i:generated)|(?i:generated).*(?i:do not (?:edit|modify|change))` +
	`|(?i:(?:this|the) (?:file|code|class|module|source) (?:is|was|has been) (?:auto-?|automatically |machine )generated)` +
	`|(?i:auto-?generated by|automatically generated by|generated by the protocol buffer compiler))`)
