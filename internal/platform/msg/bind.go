package msg

import "reflect"

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

// bind returns v with its messages bound, and whether that is another value.
func bind(v reflect.Value, p Printer) (reflect.Value, bool) {
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
	switch v.Type().Elem().Kind() {
	case reflect.String, reflect.Bool, reflect.Int, reflect.Int64, reflect.Uint8, reflect.Float32, reflect.Float64:
		return v, false
	}
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
