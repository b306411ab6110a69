package msg

import (
	"reflect"
	"sync"
)

var (
	messageType = reflect.TypeFor[Message]()
	printerType = reflect.TypeFor[Printer]()
)

// Bind returns v with every Message in it bound to the reader of p: from then on it
// marshals and prints as its text. Fields of type Printer are set to p. Lists, maps
// and structs that hold messages are copied, so that v itself stays as it is.
// Unexported fields are not looked into.
func Bind[T any](v T, p Printer) T {
	r := reflect.ValueOf(&v).Elem()
	bound, _ := bind(r, p)
	r.Set(bound)
	return v
}

// plain holds the types that were found to hold no message, whatever their value.
var plain sync.Map // reflect.Type -> bool

// mayHold reports whether a value of type t can hold a message.
func mayHold(t reflect.Type) bool {
	if known, ok := plain.Load(t); ok {
		return !known.(bool)
	}
	holds := search(t, make(map[reflect.Type]bool))
	plain.Store(t, !holds)
	return holds
}

// search looks for a message below t, but not below the types on the way to t.
func search(t reflect.Type, above map[reflect.Type]bool) bool {
	if t == messageType || t == printerType || t.Kind() == reflect.Interface {
		return true
	}
	if above[t] {
		return false
	}
	above[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return search(t.Elem(), above)
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.IsExported() && search(f.Type, above) {
				return true
			}
		}
	}
	return false
}

// bind returns v with its messages bound, and whether that is another value.
func bind(v reflect.Value, p Printer) (reflect.Value, bool) {
	if !mayHold(v.Type()) {
		return v, false
	}
	switch v.Type() {
	case messageType:
		m := v.Interface().(Message)
		if m.fixed || m.IsZero() {
			return v, false
		}
		return reflect.ValueOf(Message{key: m.key, bound: p.Text(m), fixed: true}), true
	case printerType:
		return reflect.ValueOf(p), true
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return v, false
		}
		if to, changed := bind(v.Elem(), p); changed {
			c := reflect.New(v.Type().Elem())
			c.Elem().Set(to)
			return c, true
		}
	case reflect.Interface:
		if v.IsNil() {
			return v, false
		}
		return bind(v.Elem(), p)
	case reflect.Struct:
		return bindStruct(v, p)
	case reflect.Slice, reflect.Array:
		return bindList(v, p)
	case reflect.Map:
		return bindMap(v, p)
	}
	return v, false
}

func bindStruct(v reflect.Value, p Printer) (reflect.Value, bool) {
	c, changed := v, false
	for i := range v.NumField() {
		if !v.Type().Field(i).IsExported() {
			continue
		}
		if to, other := bind(v.Field(i), p); other {
			if !changed {
				c, changed = reflect.New(v.Type()).Elem(), true
				c.Set(v)
			}
			c.Field(i).Set(to)
		}
	}
	return c, changed
}

func bindList(v reflect.Value, p Printer) (reflect.Value, bool) {
	c, changed := v, false
	for i := range v.Len() {
		if to, other := bind(v.Index(i), p); other {
			if !changed {
				c, changed = reflect.New(v.Type()).Elem(), true
				if v.Kind() == reflect.Slice {
					c.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
				}
				reflect.Copy(c, v)
			}
			c.Index(i).Set(to)
		}
	}
	return c, changed
}

func bindMap(v reflect.Value, p Printer) (reflect.Value, bool) {
	c, changed := v, false
	for _, key := range v.MapKeys() {
		if to, other := bind(v.MapIndex(key), p); other {
			if !changed {
				c, changed = reflect.MakeMapWithSize(v.Type(), v.Len()), true
				for _, k := range v.MapKeys() {
					c.SetMapIndex(k, v.MapIndex(k))
				}
			}
			c.SetMapIndex(key, to)
		}
	}
	return c, changed
}
