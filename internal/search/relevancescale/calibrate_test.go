package relevancescale

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// Of a large sample, 1 of 100 values is above 0.5, whatever they are distributed
// like: that is what the scale promises for every model.
func TestOneOfAHundred(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	models := map[string]func() float64{
		"mostly nothing in common": func() float64 { return math.Max(0, r.NormFloat64()*0.1) },
		"all alike":                func() float64 { return 0.7 + 0.1*r.Float64() },
		"even":                     r.Float64,
	}
	for name, draw := range models {
		sample := make([]float64, 5000)
		for i := range sample {
			sample[i] = min(draw(), 1)
		}
		s := NewScale(sample)
		above := 0
		for range 20000 {
			if s.Of(min(draw(), 1)) > 0.5 {
				above++
			}
		}
		if share := float64(above) / 20000; share < 0.006 || share > 0.014 {
			t.Errorf("%s: %.4f of random symbols are above 0.5, want about 0.01", name, share)
		}
	}
}

func TestScaleRisesFromZeroToOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := NewScale(rapid.SliceOfN(rapid.Float64Range(0, 1), 0, 300).Draw(t, "sample"))
		a := rapid.Float64Range(0, 1).Draw(t, "a")
		b := rapid.Float64Range(0, 1).Draw(t, "b")
		if x, y := s.Of(min(a, b)), s.Of(max(a, b)); x > y || a != b && x == y && math.Abs(a-b) > 1e-9 {
			t.Fatalf("Of(%v) = %v, Of(%v) = %v", min(a, b), x, max(a, b), y)
		}
		if s.Of(0) != 0 || s.Of(1) != 1 {
			t.Fatalf("ends: %v, %v", s.Of(0), s.Of(1))
		}
	})
}

// A handful of symbols is no distribution, but the score must not call the best
// of seven rare for being the best.
func TestSmallSamples(t *testing.T) {
	s := NewScale([]float64{0, 0, 0, 0.2, 0, 0.1})
	if got := s.Of(0.1); got >= 0.5 {
		t.Errorf("what two of six reach is %v, want below 0.5", got)
	}
	if got := s.Of(0.8); got < LeastHigh {
		t.Errorf("what none comes near to is %v, want high", got)
	}
	if got := NewScale(nil).Of(0.3); got != 0.3 {
		t.Errorf("without a sample 0.3 is %v, want itself", got)
	}
	if got := NewScale([]float64{0, 0}).Of(math.NaN()); got != 0 {
		t.Errorf("no number is %v, want 0", got)
	}
}

func TestBandOf(t *testing.T) {
	for score, want := range map[float64]Band{0: Low, 0.29: Low, 0.3: Medium, 0.59: Medium, 0.6: High, 1: High} {
		if got := BandOf(score); got != want {
			t.Errorf("BandOf(%v) = %s, want %s", score, got, want)
		}
	}
}
