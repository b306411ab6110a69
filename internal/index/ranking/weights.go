package ranking

import "codeintel/internal/text/question"

// Weights are the numbers of ranking, all of them but those of BM25F.
type Weights struct {
	Signals [Signals][question.Kinds]float64

	// Boosts add a share of the best sum, times how well they apply, from 0 to
	// about 1.
	Coherence  float64                 // the best piece of a file, for what the others of it have
	Definition [question.Kinds]float64 // it declares a name that the question names
	Mention    [question.Kinds]float64 // the question names the file

	Penalty    [marks]float64          // multiplies
	Saturation [question.Kinds]float64 // multiplies each further piece of a file, once more for each before it
}

// Standard are the weights in use. They come from a study over some seventy
// public repositories and were tuned by coordinate ascent on a development set;
// docs/design/ranking.md has what the same gives on repositories not tuned on. Change one only with a measurement
// over all kinds of questions: what helps one kind hurts another.
var Standard = Weights{
	Signals: [Signals][question.Kinds]float64{
		//           prose  sentence  symbolic  cjk  report
		Text:        {0.64, 1.18, 0.80, 0.18, 1.18},
		Name:        {0.10, 0.10, 0.30, 0.19, 0.10},
		Path:        {0.20, 0.05, 0.20, 0.25, 0.05},
		Stem:        {0.10, 0, 0, 0, 0},
		Scope:       {0.20, 0.20, 0, 0.10, 0.20},
		Comment:     {0.05, 0, 0, 0, 0},
		File:        {0.10, 0, 0.30, 0.16, 0.60},
		Related:     {0.135, 0.135, 0.05, 0.40, 0.135},
		RelatedName: {0.05, 0.05, 0.05, 0.30, 0.05},
		Topic:       {0.10, 0.10, 0.10, 0.10, 0.10},
		FileTopic:   {0.10, 0.10, 0, 0, 0.10},
		Similar:     {0.30, 0.30, 0.10, 0.40, 0.30},
	},
	Coherence:  0.2,
	Definition: [question.Kinds]float64{0.05, 0.05, 3, 0, 0.5},
	Mention:    [question.Kinds]float64{0.4, 0.4, 0.4, 0.4, 0.8},
	Penalty: [marks]float64{
		test: 0.3, example: 0.3, document: 0.5, data: 0.5,
		generated: 0.5, vendored: 0.7, minified: 0.5,
	},
	Saturation: [question.Kinds]float64{0.75, 0.95, 0.95, 0.95, 0.95},
}

var signalNames = [Signals]string{
	Text: "text", Name: "name", Path: "path", Stem: "path", Scope: "scope", Comment: "comment", File: "file",
	Related: "related words", RelatedName: "related name", Topic: "topic", FileTopic: "topic", Similar: "meaning",
}
