package shellcheck

import (
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/text"
)

// snippets are the languages of which the table of readers allows what only asks for something:
// each reports whether a program or statement does no more. What they do not know, does more.
var snippets = map[string]func(string) bool{
	"@sql":    func(s string) bool { return !strings.Contains(s, "\n") && sqlAsks(s) },
	"@psql":   func(s string) bool { return psqlDescribes.MatchString(s) || sqlAsks(s) },
	"@perl":   perlPrints,
	"@split":  perlSplits.MatchString,
	"@node":   nodeShows.MatchString,
	"@python": pythonShows.MatchString,
}

var (
	sqlBegins    = lazyregexp.MustCompile(`(?i)^\s*(?:explain\s+)?(?:select|show|describe|desc|table|values|with)\b`)
	sqlText      = lazyregexp.MustCompile(`'[^']*'`)
	sqlUnclear   = lazyregexp.MustCompile("[\\\\$#]|--|/\\*|;\\s*\\S|[\"`]\\s*\\(")
	sqlChanges   = lazyregexp.MustCompile(`(?i)\b(?:into|insert|update|delete|merge|truncate|create|alter|drop|grant|copy|call)\b`)
	sqlCalls     = lazyregexp.MustCompile(`([\w.]+)\s*\(`)
	sqlFunctions = text.WordSet(`all and any array array_agg array_length as avg between bool_and bool_or by
		cast ceil char_length coalesce concat count cume_dist current_setting date date_part
		date_trunc datediff dense_rank else except exists extract filter first_value floor
		format format_bytes format_type from generate_series greatest group_concat having if
		ifnull in interval json_agg json_array_elements json_extract json_object_keys
		jsonb_agg jsonb_array_elements jsonb_array_length jsonb_object_keys jsonb_typeof lag
		last_value lead least left length like limit lower ltrim max min mod not now ntile
		nullif numeric on or over partition percentile_cont pg_column_size pg_database_size
		pg_get_constraintdef pg_get_functiondef pg_get_indexdef pg_get_viewdef pg_indexes_size
		pg_relation_size pg_size_pretty pg_table_size pg_total_relation_size position rank
		read_csv read_csv_auto read_json read_json_auto read_parquet regexp_matches
		regexp_replace replace right round row_number rtrim select split_part string_agg
		strpos substr substring sum then to_char to_date to_timestamp trim union upper using
		values varchar version when where within year`)
	psqlDescribes = lazyregexp.MustCompile(`^\s*\\(?:d[a-zA-Z]*\+?|l\+?|z|sf\+?|sv\+?|conninfo|encoding)(?:\s+[\w.*?%]+)*\s*$`)
)

// sqlAsks reports whether a statement is one question, which calls only functions that change
// nothing.
func sqlAsks(statement string) bool {
	bare := sqlText.ReplaceAllString(statement, "0")
	if !sqlBegins.MatchString(bare) || sqlUnclear.MatchString(bare) || strings.Contains(statement, `\`) ||
		strings.Contains(bare, "'") || sqlChanges.MatchString(bare) {
		return false
	}
	for _, m := range sqlCalls.FindAllStringSubmatch(bare, -1) {
		if !sqlFunctions[strings.ToLower(m[1])] {
			return false
		}
	}
	return true
}

// What perl -n and -p do with each line: print some of it, or replace text in it.
const (
	perlPattern = `/(?:[^/\\\n$@]|\\.|\$[)|])*\$?/[gimsx]*`
	perlValue   = `(?:"(?:[^"\\$@]|\\[nt"\\]|\$[_.&1-9]|\$ARGV|\$F)*"|\$[_.&1-9]|\$ARGV|\$F)`
	perlWhere   = `(?:m?` + perlPattern + `|!?\s*\d+|eof|\$\.\s*[<>=]=?\s*\d+)`
)

var (
	perlLine = lazyregexp.MustCompile(`^\s*(?:(?:print|say)(?:\s+` + perlValue + `(?:\s*[.,]\s*` + perlValue + `)*)?` +
		`(?:\s+(?:if|unless)\s+` + perlWhere + `(?:\s*(?:\.\.\.?|&&|\|\||and|or)\s*` + perlWhere + `)*)?` +
		`|s/(?:[^/\\\n$@]|\\.|\$[)|])*\$?/(?:[^/\\\n$@]|\\[nt/\\.]|\$[_&1-9])*/[gimsx]*)\s*;?\s*$`)
	// perlSplits finds what perl -F may split lines at: it is a pattern, in which perl code can be.
	perlSplits = lazyregexp.MustCompile(`^/?(?:[^/\\$@(){}]|\\[^\n])+/?$`)
	perlField  = lazyregexp.MustCompile(`\$F\[-?\d+\]`)
	perlRuns   = lazyregexp.MustCompile(`\$[\w.&]+\s*(?:\[|\{|->)|\(\?+\??\{|\(\*`)
)

func perlPrints(program string) bool {
	program = perlField.ReplaceAllString(program, "$$F")
	return perlLine.MatchString(program) && !perlRuns.MatchString(program)
}

// isPerlMagic reports whether perl takes a file name for a command to run, or for a file to write.
func isPerlMagic(a word) bool {
	name := strings.TrimSpace(a.text)
	return name != "" && strings.ContainsAny(name[:1], "><|+") || strings.HasSuffix(name, "|")
}

var (
	nodeShows = lazyregexp.MustCompile(`^\s*(?:console\.log\(|JSON\.stringify\(|Object\.keys\()*` +
		`(?:require\((?:'[\w./@-]+\.json'|"[\w./@-]+\.json")\)|process\.(?:version|versions|platform|arch|execPath|env|cwd\(\)))` +
		`(?:\.[A-Za-z_]\w*|\[(?:'[^'\\]*'|"[^"\\]*"|\d+)\])*(?:\)|\s*,\s*null\s*,\s*\d\s*\))*\s*;?\s*$`)
	pythonShows = lazyregexp.MustCompile(`^\s*import (?:sys|os|platform|site|sysconfig|json)(?:, ?(?:sys|os|platform|site|sysconfig|json))*` +
		`\s*[;\n]\s*print\((?:(?:sys|os|platform|site|sysconfig)(?:\.[A-Za-z]\w*)+|platform\.[a-z_]+\(\)|(?:sys|os|site|sysconfig)\.(?:get\w+|cpu_count)\(\)|` +
		`json\.load\(open\((?:'[^'\\]*'|"[^"\\]*")\)\))(?:\[(?:'[^'\\]*'|"[^"\\]*"|\d+)\])*\)\s*;?\s*$`)
)

// nodeTools are tools that npx finds in a project, and the table of readers knows.
var nodeTools = text.WordSet(`biome eslint lerna markdownlint nx prettier stylelint tsc turbo`)

// started returns the command that a package manager runs in the environment of the project,
// nil where the call is something else.
func started(name string, args []word) []word {
	verb := ""
	if len(args) > 0 {
		verb = args[0].text
	}
	switch {
	case name == "npx" && (verb == "--no-install" || verb == "--no") && len(args) > 1:
		verb, args = args[1].text, args[1:]
		fallthrough
	case name == "npx" && nodeTools[verb]:
		if nodeTools[verb] {
			return args
		}
	case len(args) > 1 && !strings.HasPrefix(args[1].text, "-") &&
		(verb == "exec" && (name == "bundle" || name == "pnpm") || verb == "run" && (name == "poetry" || name == "pipenv")):
		return args[1:]
	}
	return nil
}
