/* Package forms has one of each form that Go has. */
package forms // and a comment behind the clause

import "fmt"
import (
	raw "strings"

	"example.com/v2/shape"
	// A comment among imports.
	. "math"
)

// A comment that belongs to nothing.

const single, double = 1, 2 // two
const (
	a, b = iota, iota * len("x")
	_, _
	c = 'c' + 1.5i
)

var (
	// lone is documented within its group.
	lone = func(n int) int { return n }(1)
)

var x, y struct {
	in, out chan<- <-chan int
	nested  *struct {
		deep [3][single + 1]map[string][]func(int) (int, error)
	}
	_ int
	*shape.Box
	fmt.Stringer `json:"-"`
	Pair[int, string]
} /* behind */

type (
	Pair[K comparable, V any] struct {
		Key   K
		Value V
	}
	Number interface {
		~int | ~float64 | shape.Unit
		comparable
		Add(a, b int) (sum int)
		fmt.Stringer
	}
	Old    = Pair[string, []int]
	Matrix [2][]float64
	nest   (int)
)

type lonely int

type Tree[T interface{ ~[]E }, E any] struct{ left, right *Tree[T, E] }

func external(p *byte, n uintptr) (r int32)

//go:noinline
func (Pair[K, _]) Anonymous() {}

func (*lonely) Pointer(int, string, ...any) {}

func generic[T, U any](f func(T) U, in []T) (out []U) {
	for range in {
		out = append(out, *new(U))
	}
	return
}

func statements(in chan int, values ...interface{}) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	go raw.ToUpper("x")
	var local, other = 1, "two"
	const fixed = 3
	type inner struct{ field int }
	v := inner{field: local}
	v.field, local = local, v.field
	v.field++
	local--
	local <<= 2
	p := &v.field
	*p += 1
	in <- local + len(other)<<fixed
	_ = <-in
	switch n := len(values); {
	case n > 1, n < 0:
		fallthrough
	default:
		// nothing
	}
	switch other {
	case "one", raw.ToLower("TWO"):
		goto end
		// behind the last statement
	}
	switch t := values[0].(type) {
	case int, *inner, []string, func(), map[string]int:
		_ = t
	case shape.Box:
	}
	switch values[0].(type) {
	}
	select {
	case in <- 1:
	case n := <-in:
		_ = n
	case local, ok := <-in:
		_, _ = local, ok
	case v.field = <-in:
	case <-in:
	default:
	}
	select {}
outer:
	for i, j := 0, 1; i < j; i, j = j, i+1 {
		continue outer
	}
	for local < 3 {
		break
	}
	for {
		break outer
	}
	for i := range 10 {
		_ = i
	}
	for v.field = range []int{1} {
	}
	for k, e := range map[string]int{"a": local, other: 2} {
		_, _ = k, e
	}
	if err != nil {
		return err
	} else if s, ok := values[1].(fmt.Stringer); ok && s != nil {
		return fmt.Errorf(s.String())
	} else {
		{
			local := local
			_ = local
		}
	}
end:
	return
}

func expressions(s []int, m map[string]func(int) int, i, j int) {
	_ = s[i:j:cap(s)]
	_ = s[:]
	_ = m["a"](i) + (i-j)*-i ^ ^j&^i
	_ = []byte("x")
	_ = (func())(nil)
	_ = map[string]Pair[int, int]{"k": {Key: 1, Value: 2}}
	_ = [...]struct{ n int }{{n: i}, 5: {2}}
	_ = &Pair[string, int]{Key: "k"}
	_ = shape.Box{Width: i, shape.Key: j}
	_ = [single]int{single - 1: j}
	_ = Matrix{{1, 2}, {3}}
	_ = make(chan struct{}, i)
	_ = make([]*shape.Box, i, j)
	_ = new(shape.Box)
	_ = interface{ M() }(nil)
	_ = fmt.Sprint(append(s, s...), single, Pi)
	_ = m["b"](func(a, b int) (c int) { c = a; return }(1, 2))
	_ = "a" + "b" +
		// between operands
		"c" + fmt.Sprint()
	_ = func() (func(int), error) { return nil, nil }
	_ = (*lonely).Pointer
	_ = (*shape.Box)(nil)
	x.nested.deep[0][1]["k"][2](i)
	fmt.Println( /* first */ i /* after */, j)
}

func 世界(größe int) { 世界(größe) }

func _() {}

// The last comment.
