package prompt

import (
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/problem"
)

// unfilledPlaceholder is the code of a Problem with an agent's instructions.
const unfilledPlaceholder problem.Code = "unfilled_placeholder"

// placeholder matches {name}, and what is none: ${name}, which is a shell's, and
// {{name}}, which stands for {name} itself.
var placeholder = lazyregexp.MustCompile(`\$\{[^{}\n]*\}|\{\{([a-z][a-z0-9_]*)\}\}|\{([a-z][a-z0-9_]*)\}`)

// fill puts the values in the places of the placeholders, once: braces in a value
// stay.
func fill(text string, values map[string]string) (string, error) {
	var missing []string
	filled := placeholder.ReplaceAllStringFunc(text, func(found string) string {
		m := placeholder.FindStringSubmatch(found)
		switch {
		case m[1] != "":
			return "{" + m[1] + "}"
		case m[2] == "":
			return found
		case values[m[2]] != "":
			return values[m[2]]
		case !slices.Contains(missing, found):
			missing = append(missing, found)
		}
		return found
	})
	if len(missing) > 0 {
		return "", problem.New(unfilledPlaceholder, "prompt.agent_instructions_hold_which_nothing",
			strings.Join(missing, ", ")).
			Or("prompt.take_out_agent_file_write")
	}
	return filled, nil
}
