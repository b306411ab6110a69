package request

import "testing"

func TestParseBudget(t *testing.T) {
	for value, want := range map[string]Budget{
		"200k": {Tokens: 200_000}, "200000": {Tokens: 200_000}, "1,500 tokens": {Tokens: 1500}, "1.5K": {Tokens: 1500}, "２００ｋ": {Tokens: 200_000},
		"90min": {Minutes: 90}, "90m": {Minutes: 90}, "2h": {Minutes: 120}, "0.5h": {Minutes: 30}, "30分": {Minutes: 30}, "1.2 minutes": {Minutes: 2},
		"": {}, "30": {}, "30M": {}, "2M": {}, "-5k": {}, "k": {}, "10 apples": {}, "0min": {}, "500 tokens": {}, "1e9": {}, "999999999999999h": {}, "5$": {},
	} {
		got, err := ParseBudget(value)
		if got != want || (err == nil) != (want != Budget{}) {
			t.Errorf("%q: %+v, %v", value, got, err)
		}
	}
	if b, err := ParseBudget("999999999999h"); err != nil || b.Minutes <= 0 || b.Minutes > 1<<31/60_000 {
		t.Errorf("a long time: %+v, %v", b, err)
	}
}

func TestBudgetFlag(t *testing.T) {
	for typed, want := range map[string]string{
		"--budget=200k greet people": "200k", "greet people --budget 90min": "90min", "--budget 2h --auto greet": "2h", "greet people": "",
	} {
		if r, errs := Parse(typed, Options{}); errs != nil || r.Flags.Budget != want {
			t.Errorf("%q: %q, %v", typed, r.Flags.Budget, errs)
		}
	}
	for _, typed := range []string{"--budget greet", "--budget= greet people", "--budget=30 greet people", "--budget=1h --budget=2h greet people"} {
		if _, errs := Parse(typed, Options{}); errs == nil {
			t.Errorf("%q is taken", typed)
		}
	}
}
