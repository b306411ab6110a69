package engine

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"testing"

	"codeintel/internal/platform/msg"
	"codeintel/test/golden"
)

// TestStateFormat holds the format of state.json: every field, its name and its
// place. Programs of other versions, and people, read the file.
func TestStateFormat(t *testing.T) {
	st := new(State)
	n := 0
	fill(reflect.ValueOf(st).Elem(), &n)
	got, err := json.MarshalIndent(st, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	golden.Hold(t, filepath.Join("testdata", "state.json"), string(got)+"\n")
	again := new(State)
	if err := json.Unmarshal(got, again); err != nil {
		t.Fatal(err)
	}
	if data, err := json.MarshalIndent(again, "", " "); err != nil || string(data) != string(got) {
		t.Errorf("read and written again, it is\n%s\nwant\n%s (%v)", data, got, err)
	}
}

// fill gives every field under v a value that no other field has.
func fill(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Struct:
		if m, ok := v.Addr().Interface().(*msg.Message); ok {
			*m = msg.Literal(fmt.Sprintf("value %d", *n))
			return
		}
		*n--
		for i := range v.NumField() {
			fill(v.Field(i), n)
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes(fmt.Appendf(nil, "%d", *n))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), n)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, n)
		fill(value, n)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.String:
		v.SetString(fmt.Sprintf("value %d", *n))
	case reflect.Int:
		v.SetInt(int64(*n))
	case reflect.Bool:
		v.SetBool(true)
	default:
		panic("a field of kind " + v.Kind().String())
	}
}
