package syntax

// readSvelte reads a Svelte component.
func readSvelte(src []byte) *File {
	return readMarkup("svelte", src, func(m *markup) { m.elements(nil) })
}
