package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Contents returns the texts of files in a tree or commit, by one call of git. What is
// not there, or is larger than most bytes, is left out.
func (r *Repo) Contents(ctx context.Context, tree string, paths []string, most int64) (map[string][]byte, error) {
	found := make(map[string][]byte, len(paths))
	var ask strings.Builder
	var asked []string
	for _, p := range paths {
		if strings.Contains(p, "\n") { // the one name that a line cannot hold
			if text, err := r.Content(ctx, tree, p, most+1); err != nil {
				return nil, err
			} else if text != nil && int64(len(text)) <= most {
				found[p] = text
			}
			continue
		}
		asked = append(asked, p)
		fmt.Fprintf(&ask, "%s:%s\n", tree, p)
	}
	if len(asked) == 0 {
		return found, nil
	}
	c := Command{Args: []string{"cat-file", "--batch"}, Stdin: strings.NewReader(ask.String())}
	err := r.pipe(ctx, c, func(out io.Reader) error {
		in := bufio.NewReader(out)
		for _, p := range asked {
			text, err := blob(in, most)
			if err != nil {
				return err
			}
			if text != nil {
				found[p] = text
			}
		}
		return nil
	})
	return found, err
}

// blob reads one answer of cat-file --batch: "<id> <type> <size>", the content and the
// end of a line, or "… missing".
func blob(in *bufio.Reader, most int64) ([]byte, error) {
	head, err := in.ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	var id, kind string
	var size int64
	if n, _ := fmt.Sscanf(head, "%s %s %d\n", &id, &kind, &size); n != 3 || strings.HasSuffix(head, " missing\n") {
		return nil, nil
	}
	body := io.LimitReader(in, size+1)
	if kind != "blob" || size > most {
		_, err := io.Copy(io.Discard, body)
		return nil, err
	}
	text, err := io.ReadAll(body)
	if err != nil || int64(len(text)) != size+1 {
		return nil, errors.Join(err, errors.New("git cat-file: the answer is cut short"))
	}
	return text[:size], nil
}
