// Package relevancescale maps similarity scores to a scale that means the same in every repository and for every
// model.
//
// A raw similarity says little: what is close for one model is what any two texts have for
// another, and what is rare in one repository is everywhere in the next. So a [Scale] is
// built from the similarities that a random sample of the repository's own symbols reaches.
// On it, 0.5 is what a random symbol reaches in 1 of 100 cases. The package is pure and
// deterministic.
package relevancescale

import (
	"math"
	"slices"
)

// A Band says how a phrase and a symbol belong together.
type Band string

// The bands, and the least score of the upper two.
const (
	High   Band = "high"   // the symbol is what the phrase means
	Medium Band = "medium" // it may be, and the work needs care
	Low    Band = "low"    // it is hardly

	LeastHigh   = 0.6
	LeastMedium = 0.3
)

// BandOf returns the band of a calibrated score.
func BandOf(score float64) Band {
	switch {
	case score >= LeastHigh:
		return High
	case score >= LeastMedium:
		return Medium
	}
	return Low
}

// A Scale turns raw similarities, from 0 to 1, into calibrated ones. The zero
// Scale is the identity.
type Scale struct{ rare float64 } // what 1 of 100 reaches; 0 if unknown

// Limits of a Scale.
const (
	rareShare = 0.99
	// Fewer values than this hold no 1-in-100 case; of those it is estimated.
	fewest = 100
	// normal99 is the 0.99 quantile of the standard normal distribution.
	normal99 = 2.3263
	// minRare and maxRare keep both halves of the scale open: where next to no
	// symbol has anything in common with a text, the least thing in common would
	// otherwise be worth 0.5, and where all are alike, nothing could rise above.
	minRare = 0.02
	maxRare = 0.999
	unknown = 0.5
)

// NewScale makes a Scale of the similarities of a random sample. Of a sample too
// small to hold a 1-in-100 case the quantile is that of a normal distribution
// with its mean and deviation; without a sample the scale is the identity.
func NewScale(sample []float64) Scale {
	if len(sample) == 0 {
		return Scale{}
	}
	var rare float64
	if len(sample) < fewest {
		rare = normalQuantile(sample)
	} else {
		sorted := slices.Sorted(slices.Values(sample))
		at := rareShare * float64(len(sorted)-1)
		below := int(at)
		above := min(below+1, len(sorted)-1)
		rare = sorted[below] + (at-float64(below))*(sorted[above]-sorted[below])
	}
	return Scale{rare: min(max(rare, minRare), maxRare)}
}

func normalQuantile(sample []float64) float64 {
	n := float64(len(sample))
	var sum, squares float64
	for _, v := range sample {
		sum += v
	}
	mean := sum / n
	for _, v := range sample {
		squares += (v - mean) * (v - mean)
	}
	return mean + normal99*math.Sqrt(squares/n)
}

// Of returns the calibrated value of a raw similarity: 0 for 0, 0.5 for what 1
// of 100 random symbols reaches, 1 for 1, and straight lines between them.
func (s Scale) Of(raw float64) float64 {
	rare := s.rare
	if rare == 0 {
		rare = unknown
	}
	switch {
	case !(raw > 0): // NaN, too
		return 0
	case raw >= 1:
		return 1
	case raw <= rare:
		return 0.5 * raw / rare
	}
	return 0.5 + 0.5*(raw-rare)/(1-rare)
}
