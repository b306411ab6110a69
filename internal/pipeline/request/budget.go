package request

import (
	"math"
	"strconv"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/msg"
)

// A Budget is what the agents of a pipeline may take together: tokens or minutes of work.
// Zero is any amount.
type Budget struct{ Tokens, Minutes int }

var (
	amount = lazyregexp.MustCompile(`^([0-9]{1,12}(?:\.[0-9]{1,6})?)\s*([\p{L}]*)$`)
	tokens = map[string]float64{"k": 1e3, "tokens": 1, "token": 1, "tok": 1, "ktokens": 1e3, "トークン": 1}
	times  = map[string]float64{"m": 1, "min": 1, "mins": 1, "minute": 1, "minutes": 1, "分": 1,
		"h": 60, "hr": 60, "hour": 60, "hours": 60, "時間": 60}
)

// minTokens is the smallest number without a unit that is taken for tokens, and the
// smallest budget of them: what a single agent takes is more.
const minTokens = 1000

// ParseBudget reads 200k, 200000, 90min or 2h. A number that may be meant as either is an
// error, and so is a capital M, which stands for minutes as well as for millions.
func ParseBudget(value string) (b Budget, err error) {
	said := strings.TrimSpace(plainWord(value))
	m := amount.FindStringSubmatch(strings.NewReplacer(",", "", "_", "").Replace(said))
	if m == nil || m[2] == "M" {
		return b, msg.Err("request.budget_not_read", value)
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return b, msg.Err("request.budget_not_read", value)
	}
	unit := strings.ToLower(m[2])
	switch {
	case unit == "" && n >= minTokens:
		b.Tokens = int(n)
	case tokens[unit] > 0:
		b.Tokens = int(math.Min(n*tokens[unit], math.MaxInt32))
	case times[unit] > 0:
		b.Minutes = int(math.Ceil(math.Min(n*times[unit], math.MaxInt32/60_000)))
	}
	if b.Tokens < minTokens && b.Minutes < 1 {
		return Budget{}, msg.Err("request.budget_not_read", value)
	}
	return b, nil
}
