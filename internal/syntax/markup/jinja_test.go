package markup

import "testing"

// A template that is cut or run together anywhere keeps its length, and costs no panic.
func TestPlainSQLOfAnything(t *testing.T) {
	const whole = "select {{ ref('orders') }}, '{{1,2}}' {# a #} {% if x %} from {{ a.b(\"c\") }} {% endif %}"
	check := func(text string) {
		if plain, ok := PlainSQL([]byte(text)); ok && len(plain) != len(text) {
			t.Errorf("%q: %d bytes, want %d", text, len(plain), len(text))
		}
	}
	for _, text := range []string{"{#}", "{#}#}", "{%}", "{{}", "{{}}", "{%%}", "{##}", "{# {{ #}", "{"} {
		check(text)
	}
	for i := range whole {
		for j := i; j <= len(whole); j++ {
			check(whole[:i] + whole[j:])
		}
	}
}
