package plainjson

import "testing"

func TestEncode(t *testing.T) {
	if data, err := Encode(map[string]string{"a": "<b> & c"}); err != nil || string(data) != `{"a":"<b> & c"}` {
		t.Errorf("got %s, %v", data, err)
	}
	if _, err := Encode(func() {}); err == nil {
		t.Error("a function is encoded")
	}
}
