package syntax

import (
	"bytes"
	"path"
	"strings"

	"codeintel/internal/syntax/engine"
)

// Detect names the language of a file by its name and, where the name says
// nothing or too little, by the beginning of its text. It returns Unknown for
// any other. The path may be of any form that uses slashes; text may be nil.
func Detect(file string, text []byte) Language {
	r, name := registered(), path.Base(file)
	if s := r.files[name]; s != nil {
		return s.Name
	}
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		if stem, _, _ := strings.Cut(name, "."); r.stems[stem] != nil {
			return r.stems[stem].Name
		}
		ext := strings.ToLower(name[dot+1:])
		if before := strings.LastIndexByte(name[:dot], '.'); before >= 0 {
			if s := r.extensions[strings.ToLower(name[before+1:])]; s != nil {
				return s.Name
			}
		}
		if s := r.extensions[ext]; s != nil {
			if s.Disputed != nil {
				return s.Disputed(ext, text)
			}
			return s.Name
		}
	}
	return shebang(text[:min(len(text), engine.HeadBytes)])
}

// shebang names the language of a script by its first line.
func shebang(head []byte) Language {
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	line, ok := bytes.CutPrefix(head, []byte("#!"))
	if !ok {
		if bytes.HasPrefix(head, []byte("<?php")) {
			return PHP
		}
		return Unknown
	}
	line, _, _ = bytes.Cut(line, []byte("\n"))
	words := strings.Fields(string(line))
	for i, word := range words {
		program := path.Base(word)
		if i > 0 && (strings.HasPrefix(word, "-") || strings.Contains(word, "=")) {
			continue // an option or a variable for env
		}
		if program == "env" && i == 0 {
			continue
		}
		programs := registered().programs
		if s := programs[program]; s != nil {
			return s.Name
		}
		if s := programs[strings.TrimRight(program, "0123456789.")]; s != nil { // python3.12
			return s.Name
		}
		return Unknown
	}
	return Unknown
}
