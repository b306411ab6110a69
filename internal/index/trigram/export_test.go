package trigram

import "codeintel/internal/index/segment"

// Build returns the filter. The label is kept in it, see [Filter.Label].
func (b *Builder) Build(label string) ([]byte, error) {
	parts, err := b.sections(label)
	if err != nil {
		return nil, err
	}
	return segment.Encode(format, parts), nil
}

// Open reads a filter in b, which must not change while it is in use. The lists are
// verified when they are read.
func Open(b []byte) (*Filter, error) {
	file, err := segment.Open(b, format)
	if err != nil {
		return nil, err
	}
	return segment.Read(file, read)
}

// Unknown returns how many files it cannot leave out, see [Builder.AddUnknown].
func (f *Filter) Unknown() (n int) {
	for i := range f.files {
		if f.unknown.Has(i) {
			n++
		}
	}
	return n
}
