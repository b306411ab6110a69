package question

import (
	"math"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/text/terms"
)

// A report is a long question: an issue, perhaps with code, output and a stack trace.
// What identifies a place counts more in it than what surrounds it.
const (
	reportRunes     = 600 // from so many characters on a text is a report,
	reportLineRunes = 200 // or from so many if it has several lines
	reportTerms     = 160 // those that weigh most are asked for
	reportPaths     = 80
	reportNames     = 80
	titleRunes      = 200
	longestFrame    = 1000 // bytes of a line
)

// What the parts of a report weigh, relative to plain sentences.
const (
	titleWeight  = 2.5
	quotedWeight = 1.5 // what is in backticks, quoted errors, last words of a traceback
	plainWeight  = 1.0
	codeWeight   = 0.4 // code to reproduce something, output
	frameWeight  = 0.3
	repeated     = 0.25 // for each doubling of how often a term occurs
)

// How sure a name in a report is one that it is about.
const (
	quotedName = 1.0
	plainName  = 0.8 // in a sentence
	codeName   = 0.3
	frameName  = 0.9 // of the innermost frame
	minFrame   = 0.3
	nextFrame  = 0.85 // of what the one within it counts
)

// Lines of reports. What a frame of a stack trace looks like, language by language: the
// groups are named path, line and name.
var (
	frames = []*lazyregexp.Regexp{
		lazyregexp.MustCompile(`^\s*File "(?P<path>[^"]+)", line (?P<line>\d+)(?:, in (?P<name>[\w.<>]+))?`),                                   // Python
		lazyregexp.MustCompile(`^\s*(?:at\s+)?(?P<name>[\w$.<>/]+)\((?P<path>[\w$-]+\.(?:java|kt|kts|scala|groovy|clj)):(?P<line>\d+)\)`),      // JVM
		lazyregexp.MustCompile(`^\s*at (?:async )?(?:new )?(?P<name>[^(\s][^(]*?) \((?:file://)?(?P<path>[^()]+?):(?P<line>\d+)(?::\d+)?\)`),   // JavaScript
		lazyregexp.MustCompile(`^\s*at (?:async )?(?:file://)?(?P<path>[^()\s]+?):(?P<line>\d+):\d+\s*$`),                                      // JavaScript, Rust
		lazyregexp.MustCompile(`^\s*at (?P<name>[\w.<>+\x60\[\], ]+)\(.*\) in (?P<path>.+):(?:line )?(?P<line>\d+)`),                           // .NET
		lazyregexp.MustCompile(`^\s*#\d+ (?P<path>/?[^():]+\.php)\((?P<line>\d+)\): (?P<name>[\w\\]+(?:(?:->|::)[\w{}]+)?)`),                   // PHP
		lazyregexp.MustCompile(`^\s*(?:from )?(?P<path>[^\s:]+\.(?:rb|rake|erb)):(?P<line>\d+):in [\x60'](?:.* in )?(?P<name>[\w:.#?!=]+)'`),   // Ruby
		lazyregexp.MustCompile(`^\s*#\d+\s+(?:0x[0-9a-f]+ in )?(?P<name>[\w:~<>]+)\s*\(?.*?(?: at |\s)(?P<path>[\w./+-]+\.\w+):(?P<line>\d+)`), // C and C++
		lazyregexp.MustCompile(`^\s+(?P<path>/?[^\s:]+\.go):(?P<line>\d+)(?: \+0x[0-9a-f]+)?\s*$`),                                             // Go, of the function above
		lazyregexp.MustCompile(`^\s*(?:\(\w+ [\d.]+\) )?(?P<path>(?:lib|src|test)/[\w./-]+\.exs?):(?P<line>\d+): (?P<name>[\w.]+)`),            // Elixir
		lazyregexp.MustCompile(`^(?P<path>[\w./\\-]+\.\w+):(?P<line>\d+): (?:in (?P<name>\w+)|[A-Z]\w*(?:Error|Exception)\b)`),                 // pytest
	}
	goFunction    = lazyregexp.MustCompile(`^(?:created by )?(?:[\w.~-]+/)*[\w-]+\.(?:\(\*?(\w+)\)\.)?(\w+)(?:[.\w\[\]]*)\(.*\)\s*$`)
	rustFunction  = lazyregexp.MustCompile(`^\s*\d+:\s+(?:0x[0-9a-f]+ - )?<?((?:\w+::)+\w+)`)
	innermostLast = lazyregexp.MustCompile(`(?i)most recent call last`)

	badTests  = lazyregexp.MustCompile(`(?i)\bflaky\b|\b(?:failing|broken|missing|unit|integration|add|fix) tests?\b|\btests? (?:fails?|failing|suite|cases?|hangs?|breaks?)\b|テストが(?:落ち|失敗|不安定|通らない)`)
	fence     = lazyregexp.MustCompile("^\\s*(?:```|~~~)")
	inTicks   = lazyregexp.MustCompile("`+([^`\n]{1,200})`+")
	inQuotes  = lazyregexp.MustCompile(`"([^"\n]{4,200})"|“([^”\n]{4,200})”|「([^」\n]{2,200})」`)
	errorLine = lazyregexp.MustCompile(`^\s*(?:E\s+)?(?:[\w.]*(?:Error|Exception|Warning|Failure)\b|panic:|fatal:|error:|Uncaught |Caused by:|thread '.*' panicked)`)
	qualified = lazyregexp.MustCompile(`\b[A-Za-z_]\w*(?:(?:\.|::|->|#)[A-Za-z_]\w*)+`)
	inRepo    = lazyregexp.MustCompile(`https?://[^\s/]+/[^\s/]+/[^\s/]+/(?:-/)?(?:blob|tree|raw)/[^\s/]+/([^\s#?)>\]]+)(?:#L(\d+))?`)
	address   = lazyregexp.MustCompile(`https?://\S+`)

	// Lines that say nothing of the code: forms, versions of what is installed, rulers.
	noise = lazyregexp.MustCompile(`(?i)^\s*(?:[-*] \[[ x]\] .*|_no response_|<!--.*-->|[-=*_#~.\s]*|[\w.-]+ *(?:==|@|\s|: ?)\s*v?\d+\.\d+[\w.+-]*(?:\s+\S*)?|(?:os|platform|python|python-bits|byteorder|lc_all|lang|locale|machine|processor|commit|node|npm|libhdf5|libnetcdf) ?[:=] .*|INSTALLED VERSIONS|[\w.-]+: None)\s*$`)
)

// isReport reports whether a text is so long that its parts are distinguished.
func isReport(text string) bool {
	n := utf8.RuneCountInString(text)
	return n >= reportRunes || n >= reportLineRunes && strings.Contains(strings.TrimSpace(text), "\n")
}

// A mention is a file that a text names.
type mention struct {
	path       string  // in lower case, with "/"
	confidence float64 // from 0 to 1
	frame      bool    // of a stack trace: its first folders are those of another machine
}

// A report under way.
type report struct {
	q      *Question
	weight map[string]float64 // of each term, the most that a part gives it
	often  map[string]int
	names  map[string]float64
	order  []string // of names
	trace  []frame  // of the stack trace that is being read, as it stands
	last   bool     // the innermost of its frames is the last
	above  string   // the function that the line above names, where it is apart from its file
}

type frame struct{ path, name string }

// readReport fills in what a long text asks for.
func (q *Question) readReport(text string) {
	r := report{q: q, weight: map[string]float64{}, often: map[string]int{}, names: map[string]float64{}}
	title, fenced, comment := true, false, false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.TrimSpace(line) == "":
			continue
		case fence.MatchString(line):
			fenced = !fenced
			continue
		case strings.HasPrefix(strings.TrimSpace(line), "<!--"), comment:
			comment = !strings.Contains(line, "-->")
			continue
		}
		if title && utf8.RuneCountInString(line) <= titleRunes {
			q.aboutReport(line)
			r.prose(line, titleWeight)
			title = false
			continue
		}
		title = false
		r.line(line, fenced)
	}
	r.endTrace()
	r.finish(text)
}

// aboutReport notes what a report is about by its title: most are about the product,
// and have words such as "test" and "config" by chance.
func (q *Question) aboutReport(title string) {
	q.noteSubjects(title)
	q.Tests = q.Tests && badTests.MatchString(title)
}

// line reads one line after the title.
func (r *report) line(line string, fenced bool) {
	if innermostLast.MatchString(line) {
		r.endTrace()
		r.last = true
		return
	}
	if r.frame(line) {
		return
	}
	code := fenced || strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t") || strings.HasPrefix(line, ">>>")
	switch {
	case noise.MatchString(line):
	case errorLine.MatchString(line):
		r.endTrace()
		r.add(line, quotedWeight, quotedName*plainName)
		r.q.readExact(line)
		r.paths(line)
	case code:
		weight, confidence := codeWeight, codeName
		if len(r.trace) > 0 {
			weight = frameWeight // the source of a frame
		}
		r.add(line, weight, confidence)
		r.paths(line)
	default:
		r.endTrace()
		r.prose(line, plainWeight)
	}
}

// prose reads a line of sentences.
func (r *report) prose(line string, weight float64) {
	for _, m := range inRepo.FindAllStringSubmatch(line, -1) {
		r.q.mention(m[1], 1, false)
	}
	line = address.ReplaceAllString(line, " ")
	for _, m := range inTicks.FindAllStringSubmatch(line, -1) {
		r.add(m[1], max(weight, quotedWeight), quotedName)
	}
	for _, m := range inQuotes.FindAllStringSubmatch(line, -1) {
		r.add(m[1]+m[2]+m[3], max(weight, quotedWeight), codeName)
	}
	r.add(line, weight, plainName)
	r.q.readExact(line)
	r.paths(line)
}

// add counts the terms of a part, and the names in it.
func (r *report) add(part string, weight, confidence float64) {
	for _, t := range terms.Query(part) {
		r.weight[t] = max(r.weight[t], weight)
		r.often[t]++
	}
	for _, w := range qualified.FindAllString(part, -1) {
		if parts := separators.Split(w, -1); confidence >= plainName || compound.MatchString(w) {
			r.name(parts[len(parts)-1], confidence)
			r.name(parts[len(parts)-2], confidence*calledName)
		}
	}
	for _, w := range identifier.FindAllString(part, -1) {
		if len(w) > 3 && compound.MatchString(w) || confidence == quotedName && len(part) == len(w) {
			r.name(w, confidence)
		}
	}
	for _, c := range called.FindAllString(part, -1) {
		r.name(strings.TrimSuffix(c, "("), confidence*calledName)
	}
}

func (r *report) name(name string, confidence float64) {
	if len(name) < 3 {
		return
	}
	had, ok := r.names[name]
	if !ok {
		r.order = append(r.order, name)
	}
	r.names[name] = max(had, confidence)
}

// paths notes the files that a part names.
func (r *report) paths(part string) {
	for _, m := range mentioned.FindAllString(part, -1) {
		r.q.mention(m, 1, strings.HasPrefix(m, "/") && strings.Count(m, "/") > 2)
	}
}

// frame reads a line of a stack trace, and reports whether it is one.
func (r *report) frame(line string) bool {
	if len(line) > longestFrame {
		return false
	}
	for _, form := range frames {
		m := form.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		f := frame{}
		for i, group := range form.SubexpNames() {
			switch group {
			case "path":
				f.path = m[i]
			case "name":
				f.name = m[i]
			}
		}
		if f.name == "" {
			f.name = r.above
		}
		f.path = jvmPath(f)
		r.trace, r.above = append(r.trace, f), ""
		return true
	}
	if m := goFunction.FindStringSubmatch(line); m != nil && (len(r.trace) > 0 || strings.Contains(line, "(0x") ||
		strings.HasSuffix(line, "(...)")) {
		r.above = m[2]
		return true
	}
	if m := rustFunction.FindStringSubmatch(line); m != nil {
		r.above = m[1]
		return true
	}
	return false
}

// jvmPath returns the path of a frame. Those of the JVM name folders by the package.
func jvmPath(f frame) string {
	parts := strings.Split(f.name, ".")
	if strings.ContainsAny(f.path, `/\`) || len(parts) < 3 || strings.Contains(f.name, "::") {
		return f.path
	}
	folders := parts[:len(parts)-2]
	folders[0] = folders[0][strings.LastIndexByte(folders[0], '/')+1:] // a loader or module before it
	return path.Join(append(slices.Clone(folders), f.path)...)
}

// endTrace notes what the frames of a trace name: the more, the nearer to where it ends.
func (r *report) endTrace() {
	if r.last {
		slices.Reverse(r.trace)
	}
	confidence := frameName
	for _, f := range r.trace {
		r.q.mention(f.path, confidence, true)
		parts := separators.Split(strings.TrimSpace(f.name), -1)
		name := strings.Trim(parts[len(parts)-1], "<>{}?!=")
		if f.name != "" && name != "module" && name != "closure" && name != "anonymous" {
			r.name(name, confidence)
		}
		for _, t := range terms.Query(name + " " + path.Base(f.path)) {
			r.weight[t] = max(r.weight[t], frameWeight)
			r.often[t]++
		}
		confidence = max(minFrame, confidence*nextFrame)
	}
	r.trace, r.last, r.above = r.trace[:0], false, ""
}

// finish gives the question what weighs most.
func (r *report) finish(text string) {
	q := r.q
	list := slices.DeleteFunc(terms.Query(text), func(t string) bool { return r.weight[t] == 0 })
	for t, w := range r.weight {
		r.weight[t] = w * (1 + repeated*math.Log2(float64(r.often[t])))
	}
	if len(list) > reportTerms {
		by := slices.Clone(list)
		slices.SortStableFunc(by, func(a, b string) int {
			switch d := r.weight[b] - r.weight[a]; {
			case d > 0:
				return 1
			case d < 0:
				return -1
			}
			return 0
		})
		least := r.weight[by[reportTerms-1]]
		list = slices.DeleteFunc(list, func(t string) bool { return r.weight[t] < least })
		list = list[:min(len(list), 2*reportTerms)]
	}
	if len(list) > 0 {
		q.Terms, q.Weights = list, make([]float64, len(list))
		for i, t := range list {
			q.Weights[i] = r.weight[t]
		}
	}
	slices.SortStableFunc(r.order, func(a, b string) int {
		switch d := r.names[b] - r.names[a]; {
		case d > 0:
			return 1
		case d < 0:
			return -1
		}
		return 0
	})
	for _, n := range r.order[:min(len(r.order), reportNames)] {
		q.Names = append(q.Names, Named{n, r.names[n]})
	}
}
