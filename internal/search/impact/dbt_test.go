package impact

import "testing"

// TestDBT asks for a model, which others refer to by its name, and for a macro, also where a
// line of the template is no SQL.
func TestDBT(t *testing.T) {
	a := open(t, map[string]string{
		"models/staging/stg_orders.sql": "select {{ cents('price') }} as price from raw\n",
		"models/marts/orders.sql":       "select * from {{ ref('stg_orders') }}\n",
		"models/marts/items.sql":        "{% set all = shop.cents(from=ref('stg_orders')) %}\nselect {{ all }}\n",
		"macros/cents.sql":              "{% macro cents(column) -%}\n  {{ column }} / 100\n{%- endmacro %}\n",
	})
	for _, c := range []struct{ target, must, should string }{
		{"models/staging/stg_orders.sql", "models/marts/items.sql:1 models/marts/orders.sql:1", ""},
		{"cents", "", "models/marts/items.sql:1 models/staging/stg_orders.sql:1"},
	} {
		answer, err := a.Analyze(t.Context(), Query{Targets: []string{c.target}})
		if err != nil {
			t.Fatal(err)
		}
		if must, should := places(answer.MustVerify), places(answer.ShouldVerify); must != c.must || should != c.should {
			t.Errorf("%s: must %q, want %q; should %q, want %q", c.target, must, c.must, should, c.should)
		}
	}
}
