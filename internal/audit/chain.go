package audit

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"

	"codeintel/internal/platform/msg"
)

// A line of the file is an entry as JSON, with the MAC as its last member:
//
//	{"seq":7,"time":"…","session":"…","kind":"tool",…,"mac":"<64 hex digits>"}
//
// The MAC is an HMAC-SHA256 over the MAC of the line before, a line break, and
// the bytes of this line up to `,"mac":"`. It holds the bytes and not what they
// mean, so a member that a later version adds is covered, and so is one that
// somebody slips in. Before the first line is the file's name instead, so
// that the ledger of one session cannot pass for that of another.
const (
	macMember = `,"mac":"`
	macEnd    = `"}`
	macDigits = 2 * sha256.Size
)

func (l *Ledger) seal(previous string, e Entry) (line []byte, mac string, err error) {
	e.MAC = ""
	data, err := json.Marshal(e)
	if err != nil {
		return nil, "", fmt.Errorf("ledger: %w", err)
	}
	body, ok := bytes.CutSuffix(data, []byte(macMember+macEnd))
	if !ok {
		return nil, "", fmt.Errorf("ledger: the MAC is not the last member of an entry")
	}
	mac = l.mac(previous, body)
	return append(bytes.Clone(body), macMember+mac+macEnd...), mac, nil
}

// verifyLine returns the MAC of a line if it follows from the one before it.
func (l *Ledger) verifyLine(previous string, line []byte) (mac string, why msg.Message) {
	if mac = macOf(line); mac == "" {
		return "", msg.New("audit.no_line_ledger")
	}
	at := len(line) - len(macMember) - macDigits - len(macEnd)
	if !hmac.Equal([]byte(mac), []byte(l.mac(previous, line[:at]))) {
		return "", msg.New("audit.not_what_server_wrote")
	}
	return mac, why
}

// macOf returns the MAC that a line says it has, "" if it is not a line of a ledger.
func macOf(line []byte) string {
	at := len(line) - len(macMember) - macDigits - len(macEnd)
	if at < 0 || string(line[at:at+len(macMember)]) != macMember || string(line[len(line)-len(macEnd):]) != macEnd {
		return ""
	}
	return string(line[at+len(macMember) : len(line)-len(macEnd)])
}

func (l *Ledger) mac(previous string, body []byte) string {
	h := hmac.New(sha256.New, l.key)
	h.Write([]byte(previous))
	h.Write([]byte{'\n'})
	h.Write(body)
	return hex.EncodeToString(h.Sum(nil))
}

// anchor is what is before the first line.
func (l *Ledger) anchor() string { return filepath.Base(l.path) }
