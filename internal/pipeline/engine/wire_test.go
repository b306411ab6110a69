package engine

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"codeintel/internal/platform/msg"
)

var update = flag.Bool("update", false, "write the golden files anew")

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
	golden := filepath.Join("testdata", "state.json")
	if *update {
		if err := os.WriteFile(golden, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if string(got)+"\n" != string(want) {
		t.Errorf("state.json is written as\n%s\nwant\n%s", got, want)
	}
	again := new(State)
	if err := json.Unmarshal(want, again); err != nil {
		t.Fatal(err)
	}
	if data, err := json.MarshalIndent(again, "", " "); err != nil || string(data)+"\n" != string(want) {
		t.Errorf("read and written again, it is\n%s\nwant\n%s (%v)", data, want, err)
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
