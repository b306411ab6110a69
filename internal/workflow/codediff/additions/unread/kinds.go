package unread

import "codeintel/internal/platform/lazyregexp"

// A reach says where what is declared can be read.
type reach int

const (
	project reach = iota
	folder
	file
)

// A kind is a kind of names that files declare and others read.
type kind struct {
	files    *lazyregexp.Regexp // the paths of the files that declare them
	notIn    *lazyregexp.Regexp // paths of files that never do
	declares *lazyregexp.Regexp // a declaration; its groups are the names
	block    *lazyregexp.Regexp // or what opens a block, at whose first level
	keys     *lazyregexp.Regexp // these are
	newFile  bool               // or the name is that of a file, or of its folder, that was not there
	parts    string             // a name is written in parts, between these
	but      *lazyregexp.Regexp // names that others read
	foreign  *lazyregexp.Regexp // declarations that others read
	only     *lazyregexp.Regexp // what the file has to contain
	unless   *lazyregexp.Regexp // what in the file hands on all of them, or says that others read them
	where    reach
	before   *lazyregexp.Regexp // what precedes the name where it is read; nil for anything
	after    *lazyregexp.Regexp // and behind it
	never    *lazyregexp.Regexp // what precedes it where it is not read
	readers  *lazyregexp.Regexp // the paths of the files that may read it; nil for any but documents
	blind    *lazyregexp.Regexp // the paths of files that contain such names and do not read them
	joined   bool               // words joined in another way are the same name
	alike    bool               // only where most names of this kind that were there are read like this
	asked    bool               // a request that contains the name explains it
	claim    bool               // a document says that the program has it
}

// ofLibraries are classes that no file of a project names: transitions are named by their stem.
var ofLibraries = lazyregexp.MustCompile(`-(?:enter|leave|appear|exit|move)(?:-(?:from|to|active|done))?$|^router-link|^(?:ql|swiper|leaflet|mapboxgl|maplibregl|ag|fc|hljs|Mui\w*|ant|el|v|p|mat|mdc|ng|cdk|select2|flatpickr|tippy|Toastify\w*|slick|ProseMirror|CodeMirror|cm|monaco)(?:-|$)`)

const sheets = `\.(?:css|scss|sass|less|styl)$`

var (
	terraform  = lazyregexp.MustCompile(`\.(?:tf|tofu)$`)
	workflows  = lazyregexp.MustCompile(`(?:^|/)\.(?:github|gitea|forgejo)/workflows/[^/]+\.ya?ml$`)
	gitlab     = lazyregexp.MustCompile(`(?:^|/)(?:[\w.-]*\.?gitlab-ci[^/]*|\.gitlab/.*)\.ya?ml$`)
	containers = lazyregexp.MustCompile(`(?:^|/)(?:[\w-]+\.)?(?:Docker|Container)file(?:\.[\w.-]+)?$`)
	makefiles  = lazyregexp.MustCompile(`(?:^|/)(?:GNUm|[Mm])akefile$|\.mk$`)
	stylesheet = lazyregexp.MustCompile(sheets)
	styled     = lazyregexp.MustCompile(`\.(?:css|scss|sass|less|styl|vue|svelte|astro)$`)
	vue        = lazyregexp.MustCompile(`\.vue$`)
	svelte     = lazyregexp.MustCompile(`\.svelte$`)
	sql        = lazyregexp.MustCompile(`\.(?:sql|pgsql|psql)$`)
	shell      = lazyregexp.MustCompile(`(?:\.(?:sh|bash|zsh|ksh)|(?:^|/)[\w-]+)$`)
	documents  = lazyregexp.MustCompile(`(?i)(?:\.(?:md|mdx|markdown|rst|adoc|asciidoc|txt|org|pod|rdoc)|(?:^|/)(?:README|CHANGELOG|CHANGES|NEWS|LICENSE|AUTHORS|CODEOWNERS)[^/]*)$`)
	inTests    = lazyregexp.MustCompile(`(?i)(?:^|/)(?:tests?|specs?|__tests__|testing|t)/|[._-](?:tests?|specs?)\.\w+$|(?:Test|Tests|Spec)\.\w+$|(?:^|/)test_[^/]*$|\.(?:bats|tftest\.hcl)$`)
	locks      = lazyregexp.MustCompile(`(?:^|/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|Cargo\.lock|composer\.lock|Gemfile\.lock|poetry\.lock|package\.json)$`)
	settings   = lazyregexp.MustCompile(`(?:^|/)(?:settings|config|conf|constants)(?:/\w+)?\.py$`)
	texts      = lazyregexp.MustCompile(texted)
	generated  = lazyregexp.MustCompile(`(?i)(?:^|/)(?:generated|gen|dist|build|vendor|node_modules|third_party)/|[._](?:pb|g|gen|generated|min)\.\w+$`)
	// found are places in which a framework finds what is declared by where it lies, or by its name.
	found = lazyregexp.MustCompile(`(?i)(?:^|/)(?:(?:app/)?(?:controllers?|helpers|channels|mailers|validators?|event_?subscribers?|twig|spiders)|db|migrations?|migrate|commands?|fixtures|seeds?|seeders|factories` +
		`|admin|tasks|plugins?|providers|policies|observers|listeners|subscribers|serializers|resolvers|handlers|pages|routes|views|layouts|stories|middlewares?` +
		`|entities|models|examples?|samples|benches|benchmarks|third_party|vendor)/|(?:^|/)(?:index|main|mod|lib|__init__|conftest|setup|build|apps|[\w-]+-image)\.\w+$|[^/]*\.(?:config|stories|d)\.\w+$|(?:^|/)app/(?:.*/)?(?:page|layout|route|loading|error|default|template)\.\w+$`)
)

// histories tell what a program had, too.
var histories = lazyregexp.MustCompile(`(?i)(?:^|/)(?:CHANGE(?:LOG|S)?|NEWS|HISTORY|RELEASES?|UPGRAD\w*|MIGRAT\w*)[^/]*(?:/|$)`)

// foreign are variables that libraries and other programs read.
var foreign = lazyregexp.MustCompile(`^(?:PG[A-Z]+|(?:AWS|AZURE|ARM|GOOGLE|GCLOUD|CLOUDSDK|GITHUB|GH|CI|SENTRY|NEW_RELIC|DD|OTEL|NODE|NPM|NEXT|NUXT|VITE|PYTHON|PIP|DJANGO|FLASK|RAILS|BUNDLE|RUST|CARGO|JAVA|SPRING|MYSQL|MARIADB|POSTGRES|REDIS|MONGO\w*|RABBITMQ|MINIO|DOCKER|COMPOSE|KUBE\w*|TF|SSL|HTTPS?|NO)_\w+)$`)

// kinds are all of them, the most specific first.
var kinds = []kind{
	// Terraform: outputs, resources and modules are what a plan begins with.
	{files: terraform, declares: lazyregexp.MustCompile(`(?m)^\s*variable\s+"([\w-]+)"`), where: folder, before: lazyregexp.MustCompile(`\bvar\.$`)},
	{files: terraform, block: lazyregexp.MustCompile(`(?m)^\s*locals\s*\{`), keys: lazyregexp.MustCompile(`^([\w-]+)\s*=[^=]`),
		where: folder, before: lazyregexp.MustCompile(`\blocal\.$`)},
	{files: lazyregexp.MustCompile(`(?:^|/)modules/[^/]+/[^/]+\.(?:tf|tofu)$`), newFile: true, readers: lazyregexp.MustCompile(`\.(?:tf|tofu|hcl)$`),
		before: lazyregexp.MustCompile(`source\s*=\s*"[^"\n]*$`)},

	// Pipelines: jobs are what a server begins with.
	{files: workflows, block: lazyregexp.MustCompile(`(?m)^ {4}outputs:[ \t]*$`), keys: lazyregexp.MustCompile(`^([\w-]+):[ \t]*[^\s#]`),
		before: lazyregexp.MustCompile(`\boutputs(?:\.|\[['"])$`), where: file, unless: lazyregexp.MustCompile(`toJSON\((?:needs|jobs)`)},
	{files: lazyregexp.MustCompile(workflowOrAction), block: lazyregexp.MustCompile(`(?m)^ *inputs:[ \t]*$`), keys: lazyregexp.MustCompile(`^([\w-]+):`),
		before: lazyregexp.MustCompile(`(?:\binputs(?:\.|\[['"])|[gG]et(?:Boolean|Multiline)?Input\(\s*['"]|get_\w*input\(\s*['"]|INPUT_)$`), joined: true, unless: lazyregexp.MustCompile(`toJSON\((?:inputs|github)`)},
	{files: workflows, block: lazyregexp.MustCompile(`(?m)^ *matrix:[ \t]*$`), keys: lazyregexp.MustCompile(`^([\w-]+):`), where: file,
		before: lazyregexp.MustCompile(`\bmatrix(?:\.|\[['"])$`), but: lazyregexp.MustCompile(`^(?:include|exclude)$`), unless: lazyregexp.MustCompile(`toJSON\(matrix`)},
	{files: workflows, newFile: true, after: lazyregexp.MustCompile(`^\.ya?ml\b`), only: lazyregexp.MustCompile(`\bworkflow_call:`),
		unless: lazyregexp.MustCompile(`(?m)^\s+(?:push|pull_request\w*|schedule|workflow_dispatch|workflow_run|release|issues?|merge_group|repository_dispatch|\w+_comment)\s*:|^(?:on|"on"|'on'):[ \t]*[\w\[]`)},
	{files: gitlab, declares: lazyregexp.MustCompile(`(?m)^(\.[\w-]+):[ \t]*(?:#.*)?$`), but: lazyregexp.MustCompile(`^\.(?:pre|post)$`)},
	{files: lazyregexp.MustCompile(`\.ya?ml$`), declares: lazyregexp.MustCompile(`(?m)(?::|^\s*-)\s+&([\w-]+)\s*$`), where: file, before: lazyregexp.MustCompile(`\*$`)},

	// Containers, builds, servers.
	{files: containers, declares: lazyregexp.MustCompile(`(?m)^ARG\s+(\w+)`),
		but: lazyregexp.MustCompile(`(?i)^(?:(?:https?|ftp|no|all)_proxy|BUILDKIT_\w+|SOURCE_DATE_EPOCH|(?:TARGET|BUILD)(?:PLATFORM|OS|ARCH|VARIANT)|DEBIAN_FRONTEND|GO[A-Z]+|(?:PIP|UV|POETRY|NPM|YARN|PNPM|NODE|CGO|CARGO|RUST\w*|COMPOSER|GEM|BUNDLE|RAILS|RACK|MAVEN|GRADLE|JAVA|DOTNET|NUGET|PYTHON|NEXT|VITE|SENTRY|AWS)_\w+)$`)},
	{files: containers, declares: lazyregexp.MustCompile(`(?ims)^FROM[ \t][^\n]*?[ \t]AS[ \t]+([\w.-]+)(?:.*?^FROM[ \t])`), never: lazyregexp.MustCompile(`(?i)\sas\s+$`)},
	{files: makefiles, declares: lazyregexp.MustCompile(`(?m)^([A-Za-z_]\w*)[ \t]*(?:[?+]|::?)?=`), unless: lazyregexp.MustCompile(`(?m)^(?:export|\.EXPORT_ALL_VARIABLES:)\s*$|\$[({][^)}\s]*\$[({]|^\s*[-s]?include\s[^\n]*\$\(`),
		but: lazyregexp.MustCompile(`^(?:CC|CXX|CPP|FC|LD|AR|AS|RM|YACC|LEX|(?:C|CXX|CPP|F|LD|AR|AS|Y|L|R|MAKE|M)FLAGS|LDLIBS|LOADLIBES|SHELL|MAKE\w*|V?PATH)$`)},
	{files: lazyregexp.MustCompile(`(?:^|/)values\.ya?ml$`), declares: lazyregexp.MustCompile(`(?m)^([A-Za-z]\w*):`), alike: true,
		before: lazyregexp.MustCompile(`(?:\.|index \.Values "|- name:[ \t]+["']?|condition:[ \t]+)$`), readers: lazyregexp.MustCompile(`(?:^|/)(?:templates/.*|Chart\.yaml|requirements\.yaml)$`)},
	{files: lazyregexp.MustCompile(`\.conf$`), declares: lazyregexp.MustCompile(`(?m)^\s*upstream\s+([\w.-]+)\s*\{`)},

	// Style sheets.
	{files: stylesheet, declares: lazyregexp.MustCompile(`(?m)^\s*([$@][\w-]+)\s*:`), but: lazyregexp.MustCompile(`^@page$`),
		unless: lazyregexp.MustCompile(`!default|\bwith\s*\(|@import\s+(?:\([^)]*\)\s*)?['"](?:~|@?\w[\w.-]*/)`)},
	{files: styled, declares: lazyregexp.MustCompile(`@mixin\s+([\w-]+)`), before: lazyregexp.MustCompile(`@include\s+(?:[\w-]+\.)?$`)},
	{files: styled, declares: lazyregexp.MustCompile(`@function\s+([\w-]+)`), after: lazyregexp.MustCompile(`^\(`)},
	{files: styled, declares: lazyregexp.MustCompile(`(?m)^\s*(%[\w-]+)\s*\{`), before: lazyregexp.MustCompile(`@extend\s+$`)},
	{files: styled, declares: lazyregexp.MustCompile(`@keyframes\s+([\w-]+)`)},
	{files: styled, declares: lazyregexp.MustCompile(`(?m)(?:^|[{;])\s*(--[\w-]+)\s*:`), alike: true,
		but: lazyregexp.MustCompile(`^--(?:swiper|bs|ion|ifm|vp|mdc?|mat|toastify|radix|tw|p|el|ant|q|v|fa|sl)-`)},
	{files: styled, declares: lazyregexp.MustCompile(`(?m)^[a-z]*\.([A-Za-z_][\w-]*)(?:[^\s{},;]*(?:[ \t]*[+~>]?[ \t]*[&:][^{},;]*)?[ \t]*[{,][ \t]*$)`), alike: true, joined: true,
		blind: stylesheet, parts: "-_", but: ofLibraries},
	{files: styled, declares: lazyregexp.MustCompile(`(?m)^[a-z]*\.[A-Za-z_][\w-]*\.([A-Za-z_][\w-]*)(?:[^\s{},;]*[ \t]*[{,][ \t]*$)`), alike: true, joined: true,
		blind: stylesheet, parts: "-_", but: ofLibraries},
	{files: lazyregexp.MustCompile(`(?:^|/)_[^/]+\.s[ac]ss$`), newFile: true, before: lazyregexp.MustCompile(`['"/_]$`), alike: true},

	// Components.
	{files: vue, block: lazyregexp.MustCompile(`defineProps(?:<|\(\s*)\{|interface Props\s*\{|export default[^\n]*\{(?:[^{}]|\{[^{}]*\})*?\bprops:\s*\{`), keys: lazyregexp.MustCompile(`^(?:readonly )?['"]?([\w-]+)['"]?\??\s*:`),
		where: file, joined: true, unless: lazyregexp.MustCompile(`v-bind="\$?props"|\.\.\.props\b|\$props\b|[(,]\s*props\s*[,)]`)},
	{files: vue, declares: lazyregexp.MustCompile(`defineEmits(?:<[^>]*>)?\(\s*\[\s*['"]([\w:-]+)['"](?:\s*,\s*['"]([\w:-]+)['"])?(?:\s*,\s*['"]([\w:-]+)['"])?(?:\s*,\s*['"]([\w:-]+)['"])?`),
		where: file, before: lazyregexp.MustCompile(`emit\w*\(\s*['"` + "`" + `]$`), joined: true, unless: lazyregexp.MustCompile(`emit\w*\(\s*[^'"\s` + "`" + `]|[(,]\s*emits?\s*[,)]`)},
	{files: vue, block: lazyregexp.MustCompile(`defineEmits<\{`), keys: lazyregexp.MustCompile(`^(?:\(\s*\w+:\s*)?['"]?([\w:-]+)['"]?\s*[:,)]`),
		where: file, before: lazyregexp.MustCompile(`emit\w*\(\s*['"` + "`" + `]$`), joined: true, unless: lazyregexp.MustCompile(`emit\w*\(\s*[^'"\s` + "`" + `]|[(,]\s*emits?\s*[,)]`)},
	{files: svelte, declares: lazyregexp.MustCompile(`(?m)^\s*export let (\w+)`), where: file, unless: lazyregexp.MustCompile(`\$\$(?:rest)?[pP]rops`)},
	{files: lazyregexp.MustCompile(`\.(?:vue|svelte)$`), newFile: true, joined: true, alike: true, notIn: found},

	// Databases. A migration is found by where it lies.
	{files: sql, declares: lazyregexp.MustCompile(`(?im)^\s*create\s+(?:or\s+replace\s+)?(?:function|procedure)\s+(?:"?\w+"?\.)?"?(\w+)`),
		never: lazyregexp.MustCompile(`(?i)(?:drop\s+(?:function|procedure)\s+(?:if\s+exists\s+)?|\bon\s+(?:function|procedure)\s+|alter\s+(?:function|procedure)\s+)(?:"?\w+"?\.)?"?$`), asked: true},
	{files: sql, declares: lazyregexp.MustCompile(`(?i)add\s+column\s+(?:if\s+not\s+exists\s+)?["` + "`" + `\[]?(\w+)`), joined: true, asked: true,
		never: lazyregexp.MustCompile(`(?i)(?:drop\s+column\s+(?:if\s+exists\s+)?|\bon\s+column\s+[\w.]*)["` + "`" + `\[]?$`)},
	{files: sql, newFile: true, alike: true, notIn: found},

	// Settings and texts.
	{files: settings, declares: lazyregexp.MustCompile(`(?m)^([A-Z][A-Z0-9_]+)\s*(?::[^=\n]+)?=`), alike: true},
	{files: lazyregexp.MustCompile(`(?:^|/)config/\w+\.exs$`), declares: lazyregexp.MustCompile(`(?m)^config\s+:\w+,\s*:?([a-z]\w*)(?::|,)`), alike: true},
	{files: lazyregexp.MustCompile(`(?:^|/)(?:[\w.-]*\.)?env(?:\.\w+)*$`), declares: lazyregexp.MustCompile(`(?m)^(?:export )?([A-Z]\w+)=`), alike: true, but: foreign,
		blind: lazyregexp.MustCompile(`(?:^|/)(?:[\w.-]*\.)?env(?:\.\w+)*$`)},
	{files: lazyregexp.MustCompile(`\.properties$`), declares: lazyregexp.MustCompile(`(?m)^(?:[\w-]+\.)*([\w-]+)[ \t]*[=:]`), alike: true, joined: true,
		foreign: lazyregexp.MustCompile(`^(?:spring|server|management|logging|quarkus|micronaut|camel|hibernate|log4j\d?|eureka|resilience4j|springdoc|org|com|io|net)\.`),
		blind:   lazyregexp.MustCompile(`\.properties$`)},
	{files: lazyregexp.MustCompile(`(?:^|/)(?:application|appsettings|config|settings|defaults?)[\w.-]*\.(?:ya?ml|json|toml|ini)$`), notIn: lazyregexp.MustCompile(texted + `|(?:^|/)\.[\w-]+/`),
		declares: lazyregexp.MustCompile(`(?m)^\s*"?([A-Za-z][\w-]*)"?\s*[:=][ \t]*[^\s{]`), alike: true, joined: true,
		blind: lazyregexp.MustCompile(`\.(?:ya?ml|json|toml|ini)$`)},
	{files: texts, declares: lazyregexp.MustCompile(`(?m)^\s*"?([A-Za-z][\w.-]*)"?\s*:[ \t]*["'\w]`), alike: true, blind: texts, parts: "_-.",
		but: lazyregexp.MustCompile(`(?:^|_)(?:zero|one|two|few|many|other|plural|male|female|\d+)$`)},
	{files: lazyregexp.MustCompile(`(?:^|/)package\.json$`), block: lazyregexp.MustCompile(`"dependencies"\s*:\s*\{`), keys: lazyregexp.MustCompile(`^"([@\w./-]+)"\s*:`),
		but: lazyregexp.MustCompile(`^@types/`), blind: locks, asked: true},
	{files: lazyregexp.MustCompile(`\.[cm]?[jt]sx?$`), block: lazyregexp.MustCompile(`(?m)^(?:export )?(?:const|let) (\w*(?:[dD]efaults?|[cC]onfig|[sS]ettings|[oO]ptions)\w*)\s*(?::[^=\n]+)?=\s*\{`),
		keys: lazyregexp.MustCompile(`^['"]?([A-Za-z_$][\w$]*)['"]?\s*:`), alike: true, notIn: found},
	{files: lazyregexp.MustCompile(`\.exs?$`), declares: lazyregexp.MustCompile(`(?m)^\s*@([a-z]\w*)[ \t]+[^\s|:=]`), where: file, before: lazyregexp.MustCompile(`@$`),
		unless: lazyregexp.MustCompile(`register_attribute|__info__|get_attribute`),
		but: lazyregexp.MustCompile(`^(?:(?:module|type|short)?doc|specs?|behaviou?r|impl|typep?|opaque|(?:macro)?callback|optional_callbacks|derive|enforce_keys|primary_key` +
			`|foreign_key_type|schema_prefix|timestamps_opts|(?:module|describe)?tag|dialyzer|compile|external_resource|(?:before|after)_compile|after_verify|on_(?:load|definition)|vsn` +
			`|deprecated|since|requirements|recursive|preferred_cli_env|protocol|fallback_to_any|disable_\w+|nifs)$`)},

	// Shell.
	{files: shell, declares: lazyregexp.MustCompile(`(?m)(?:^|[;)&|]|\b(?:then|do|else))[ \t]*(?:(?:local|readonly|declare|typeset)[ \t]+(?:-[a-zA-Z]+[ \t]+)*)?([A-Za-z_]\w*)=(?:"[^"\n]*"|'[^'\n]*'|[^\s;|&()]*|\$\([^()\n]*\))[ \t]*(?:;.*|#.*)?$`),
		only: lazyregexp.MustCompile(`\A#!.*\b(?:ba|z|k|da)?sh\b`), unless: lazyregexp.MustCompile(`(?m)^\s*set (?:-\w*a|-o allexport)|\$\{!`),
		but: lazyregexp.MustCompile(`^(?:PATH|IFS|PS\d|TIMEFORMAT|TZ|COLUMNS|LINES|LANG|LC_\w+|CDPATH|TMPDIR|HOME|OPT(?:IND|ERR)|REPLY|COMPREPLY|SECONDS|RANDOM|HIST\w+|BASH_\w+|EDITOR|PAGER|TERM|_|[A-Z]+FLAGS)$`)},

	// Constants, and types that no annotation marks.
	{files: lazyregexp.MustCompile(`\.kts?$`), declares: lazyregexp.MustCompile(`(?m)^\s*(?:(?:private|internal|public) )?const val (\w+)`), asked: true},
	{files: lazyregexp.MustCompile(`\.swift$`), declares: lazyregexp.MustCompile(`(?m)^\s*(?:(?:private|fileprivate|internal|public) )?static let (\w+)`), asked: true},
	{files: lazyregexp.MustCompile(`\.java$`), declares: lazyregexp.MustCompile(`(?m)^\s*(?:(?:private|protected|public) )?(?:static final|final static) [\w.<>\[\], ]+ ([A-Z]\w*)\s*=`), but: lazyregexp.MustCompile(`^(?:CREATOR|INSTANCE)$`), asked: true},
	{files: lazyregexp.MustCompile(`\.cs$`), declares: lazyregexp.MustCompile(`(?m)^\s*(?:(?:private|protected|public|internal) )?(?:const|static readonly) [\w.<>\[\], ]+ (\w+)\s*=`), asked: true},
	{files: lazyregexp.MustCompile(`\.go$`), declares: lazyregexp.MustCompile(`(?m)^(?:const|var) (\w{3,})\b`), asked: true},
	{files: lazyregexp.MustCompile(`\.rs$`), declares: lazyregexp.MustCompile(`(?m)^(?:\s*pub(?:\([\w ]+\))? )?(?:const|static) ([A-Z][A-Z0-9_]+)\s*:`), asked: true},
	{files: lazyregexp.MustCompile(`\.py$`), notIn: settings, declares: lazyregexp.MustCompile(`(?m)^([A-Z][A-Z0-9_]{2,})\s*(?::[^=\n]+)?=[^=]`),
		but: lazyregexp.MustCompile(`^(?:DOCUMENTATION|EXAMPLES|RETURN|ANSIBLE_METADATA|PARALLEL_UPDATES|SCAN_INTERVAL|(?:PLATFORM|CONFIG)_SCHEMA)$`), asked: true},
	{files: lazyregexp.MustCompile(`\.(?:rb|php)$`), declares: lazyregexp.MustCompile(`(?m)^\s*(?:(?:private|protected|public) )?(?:const )?([A-Z][A-Z0-9_]{2,})\s*=[^=~]`), but: lazyregexp.MustCompile(`^(?:VERSION|(?:CREATED|UPDATED|DELETED)_AT)$`), asked: true},
	{files: lazyregexp.MustCompile(`\.dart$`), declares: lazyregexp.MustCompile(`(?m)^(?:const|final) (?:[\w<>?, ]+ )?(\w+)\s*=`), asked: true},
	{files: lazyregexp.MustCompile(`\.lua$`), declares: lazyregexp.MustCompile(`(?m)^M\.([a-z]\w*)\s*=\s*[^\s=f]`), before: lazyregexp.MustCompile(`[.\["']$`), asked: true},
	{files: lazyregexp.MustCompile(`\.[cm]?[jt]sx?$`), notIn: found, declares: lazyregexp.MustCompile(`(?m)^export (?:const (?:enum )?|let |enum )(\w+)`), asked: true},
	{files: lazyregexp.MustCompile(`\.[cm]?[jt]sx?$`), notIn: found, declares: lazyregexp.MustCompile(`(?m)(?:\A|^[^@)\n][^\n]*\n|^\n)export (?:abstract )?class (\w+)`), asked: true},
	{files: lazyregexp.MustCompile(`\.(?:kt|swift|dart|py|rb|php|scala)$`), notIn: found, joined: true, asked: true,
		declares: lazyregexp.MustCompile(`(?m)(?:\A|^[^@#)\n][^\n]*\n|^\n)(?:(?:public|internal|final|open|abstract|sealed|data|case|private|fileprivate|base) )*(?:class|struct|module|object|actor|trait|mixin) ([A-Z]\w+)`)},
	{files: lazyregexp.MustCompile(`\.exs?$`), notIn: found, declares: lazyregexp.MustCompile(`(?m)^defmodule (?:\w+\.)*(\w+) do`),
		unless: lazyregexp.MustCompile(`use (?:Mix\.|Application|ExUnit|Ecto\.Migration)|defimpl|Phoenix\.(?:Endpoint|Controller|LiveView)|, :(?:controller|live_view|channel|html|view)`), asked: true},
	{files: lazyregexp.MustCompile(`\.kts?$`), declares: lazyregexp.MustCompile(`(?m)^(?:(?:internal|private|public|inline|suspend|infix) )*fun (?:<[^>\n]+> )?[\w<>?.]+\.(\w+)\(`), asked: true},
	{files: lazyregexp.MustCompile(`\.swift$`), block: lazyregexp.MustCompile(`(?m)^(?:(?:public|internal|fileprivate|private) )?extension [\w.<>]+\s*\{`),
		keys: lazyregexp.MustCompile(`^(?:(?:public|internal|fileprivate|private|static|mutating) )*(?:var|func) (\w+)`), asked: true},
	{files: lazyregexp.MustCompile(`\.p[lm]$`), declares: lazyregexp.MustCompile(`(?m)^sub ([a-z]\w+)`), unless: lazyregexp.MustCompile(`(?m)^package\b`), asked: true},
	{files: lazyregexp.MustCompile(`(?:^|/)[^/]+\.[rR]$`), declares: lazyregexp.MustCompile(`(?m)^([a-z][\w.]+)\s*(?:<-|=)\s*function\b`),
		but: lazyregexp.MustCompile(`^(?:print|format|summary|plot|predict|update|as|is|length|dim|levels|mean|median|c|sort|unique|toString|str|head|tail|merge|all|rep|rev|seq|split|subset|t|with|within|coef|residuals|fitted|logLik|vcov|anova|nobs|tidy|glance|augment|autoplot|knit_print)\.`), asked: true},
	{files: lazyregexp.MustCompile(`\.proto$`), declares: lazyregexp.MustCompile(`(?m)^(?:message|enum) (\w+)`), asked: true},
	{files: lazyregexp.MustCompile(`\.(?:graphqls?|gql)$`), declares: lazyregexp.MustCompile(`(?m)^(?:type|input|enum|interface|union) (\w+)`),
		but: lazyregexp.MustCompile(`^(?:Query|Mutation|Subscription)$`), asked: true},

	// Fields that methods of Python give their objects, and texts that a type of TypeScript allows.
	{files: lazyregexp.MustCompile(`\.py$`),
		declares: lazyregexp.MustCompile(`(?m)^[ \t]+self\.([A-Za-z_]\w*)(?:\s*:[^=\n]+)?[ \t]*=[^=\n]`),
		// what handlers of errors, and the classes of libraries, read
		but: lazyregexp.MustCompile(`^(?:args|code|status\w*|errno|reason|message|msg|details?|errors?|response|request` +
			`|headers|body|path|line|column|filename|lineno|daemon|name|max[dD]iff|help\w*|queryset|initial|widget)$`),
		before: lazyregexp.MustCompile(`\.$`), alike: true},
	{files: lazyregexp.MustCompile(`\.[cm]?tsx?$`), declares: lazyregexp.MustCompile(`[^|]\|\s*'([a-z][\w:-]*)'`),
		before: lazyregexp.MustCompile(`['"` + "`" + `]$`), alike: true},

	// What documents say that the program has.
	{files: documents, declares: lazyregexp.MustCompile("`--(?:no-)?([a-z][\\w-]+)(?:[= ][<\\[A-Z][^`]*)?`"), alike: true, joined: true, claim: true, notIn: histories},
	{files: documents, declares: lazyregexp.MustCompile("`([A-Z][A-Z0-9]*_[A-Z0-9_]+)(?:=[^`]*)?`"), alike: true, claim: true, but: foreign, notIn: histories},
	{files: documents, declares: lazyregexp.MustCompile("`(?:GET|POST|PUT|PATCH|DELETE) /(?:[^`\\s]*/)?([A-Za-z][\\w-]*)(?:/[:{<][^`\\s]*)?`"), alike: true, claim: true, notIn: histories},
}

const texted = `(?:^|/)(?:locales?|i18n|lang|langs|translations?|messages|l10n)/(?:.*/)?[^/]+\.(?:json|ya?ml)$`

const workflowOrAction = `(?:^|/)(?:\.(?:github|gitea|forgejo)/workflows/[^/]+|action)\.ya?ml$`
