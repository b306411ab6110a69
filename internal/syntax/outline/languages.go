package outline

import "codeintel/internal/syntax/engine"

// rows is the table of the languages that have no grammar here. Where a
// suffix belongs to two of them, Detect tells them apart.
var rows = []*outlineRow{
	{language: "ada", files: "adb ads ada gpr", comment: "--", quotes: `"`, letters: ".", joins: ".", extent: ofEnd, rules: `
		import:list (?i)(?:limited\s+|private\s+)*with\s+([\w.]+)\s*(?:[,;]|$)
		module (?i)\s*package\s+(?:body\s+)?([\w.]+)\s*(?:\s(?:is|with)\b|$)
		function (?i)\s*(?:overriding\s+|not\s+overriding\s+)?(?:procedure|function)\s+([\w.]+|"[^"]+")
		class (?i)\s*(?:protected|task)\s+(?:body\s+|type\s+)?([\w.]+)
		struct (?i)\s*type\s+(\w+)(?:\s*\([^)]*\))?\s+is\s+(?:(?:abstract|tagged|limited|new\s.*\bwith)\s+)*(?:record\b|$)
		type:line (?i)\s*(?:sub)?type\s+(\w+)
		constant:line (?i)\s*(\w+)\s*:\s*constant\b
		field:line (?i)\s+(?:when\s.*=>\s*)?(\w+)\s*(?:,[\w\s,]*)?:\s*[^=;:]+(?:;|:=.*)\s*$
		field:line (?i)\s+(\w+)\s*(?:,[\w\s,]*)?:\s*[^=;:()\n]+\n\s*:=.*$`},
	{language: "apex", title: "Apex (Salesforce)", aliases: "salesforce", testClasses: true, disputed: apexOr, files: "cls trigger apex", comment: "//", block: "/* */", quotes: `'`, members: ",", extent: ofBraces, private: "private", rules: `
		class (?i)\s*(?:(?:public|private|global|protected|static|virtual|abstract|override|final|transient|testmethod|webservice|with|without|inherited|sharing)\s+|@\w+(?:\([^)]*\))?\s+)*class\s+(\w+)
		interface (?i)\s*(?:(?:public|private|global|protected|static|virtual|abstract|override|final|transient|testmethod|webservice|with|without|inherited|sharing)\s+|@\w+(?:\([^)]*\))?\s+)*interface\s+(\w+)
		enum (?i)\s*(?:(?:public|private|global|protected|static|virtual|abstract|override|final|transient|testmethod|webservice|with|without|inherited|sharing)\s+|@\w+(?:\([^)]*\))?\s+)*enum\s+(\w+)
		function (?i)\s*trigger\s+(\w+)\s+on\b
		constructor (?i)\s+(?:(?:public|private|global|protected|static|virtual|abstract|override|final|transient|testmethod|webservice|with|without|inherited|sharing)\s+|@\w+(?:\([^)]*\))?\s+)+(\w+)\s*\(
		function (?i)\s+(?:(?:public|private|global|protected|static|virtual|abstract|override|final|transient|testmethod|webservice|with|without|inherited|sharing)\s+|@\w+(?:\([^)]*\))?\s+)+[\w.]+(?:\s*<[^()=;]*>)?(?:\[\])*\s+(\w+)\s*\(
		function \s+(?:void|[A-Z][\w.]*(?:\s*<[^()=;]*>)?(?:\[\])*)\s+(\w+)\s*\([^=]*\)\s*;
		field:line (?i)\s+(?:(?:public|private|global|protected|static|virtual|abstract|override|final|transient|testmethod|webservice|with|without|inherited|sharing)\s+|@\w+(?:\([^)]*\))?\s+)+[\w.]+(?:\s*<[^()=;]*>)?(?:\[\])*\s+(\w+)\s*[=;]
		property (?i)\s+(?:(?:public|private|global|protected|static|virtual|abstract|override|final|transient|testmethod|webservice|with|without|inherited|sharing)\s+|@\w+(?:\([^)]*\))?\s+)+[\w.]+(?:\s*<[^()=;]*>)?(?:\[\])*\s+(\w+)\s*(?:\{|$)`},
	{language: "asm", title: "Assembly", aliases: "assembly", files: "asm s nasm", comment: "; # //", block: "/* */", quotes: `"`, letters: ".$@", extent: ofNext, rules: `
		macro:end (?i)\s*(?:%macro|\.macro)\s+(\w+)
		function TEXT\s+[^·\s]*·(\w+)
		function ([A-Za-z_$][\w.$@]*):
		function (?i)([A-Za-z_]\w*)\s+proc\b
		constant:line (?i)\s*(?:%define|\.set|\.equ)\s+(\w+)
		constant:line (?i)([A-Za-z_]\w*)\s+equ\b`},
	{language: "awk", title: "AWK", files: "awk gawk", programs: "awk gawk mawk", comment: "#", quotes: `"`, extent: ofBraces, rules: `
		function \s*func(?:tion)?\s+(\w+)\s*\(`},
	{language: "batch", files: "bat cmd", comment: "~:: ~rem ~REM ~Rem ~@rem ~@REM", extent: ofNext, rules: `
		function :([\w.-]+)
		variable:line (?i)\s*@?set\s+(?:/[ap]\s+)?"?(\w+)=`},
	{language: "bicep", files: "bicep bicepparam", comment: "//", block: "/* */", quotes: `'`, extent: ofLine, rules: `
		variable \s*(?:param|var|output)\s+(\w+)
		element \s*(?:resource|module)\s+(\w+)
		function \s*func\s+(\w+)
		type \s*type\s+(\w+)`},
	{language: "capnp", title: "Cap'n Proto", files: "capnp", comment: "#", quotes: `"`, extent: ofBraces, rules: `
		struct \s*struct\s+(\w+)
		enum \s*enum\s+(\w+)
		interface \s*interface\s+(\w+)
		constant:line \s*const\s+(\w+)
		field:line \s+(\w+)\s*@\d+`},
	{language: "clojure", files: "clj cljs cljc edn bb", programs: "bb clojure", comment: ";", quotes: `"`, letters: "-.*+!?<>=/':&%$", joins: "/", extent: ofBrackets, private: "defn- private", rules: `
		import:line \s*(?:\(:(?:require|use|require-macros)\s*)?\[([\w.*+!-]+)\s+:(?:as|refer)\s+([\w.*+!-]+)?
		namespace:line \s*\(ns\s+(?:\^\S+\s+)*([^\s()]+)
		function \s*\((?:defn-?|defmulti|defmethod|deftest|defspec)\s+(?:\^\S+\s+)*([^\s()\[\]]+)
		macro \s*\(defmacro\s+([^\s()\[\]]+)
		interface \s*\(def(?:protocol|interface)\s+([^\s()]+)
		class \s*\(def(?:record|type)\s+([^\s()\[\]]+)
		variable \s*\(def(?:once)?\s+(?:\^\S+\s+)*([^\s()]+)
		variable \((?:[\w.-]+/)?def[\w-]*\*?\s+(?:\^\S+\s+)*([^\s()\[\]{}":]+)`},
	{language: "cmake", title: "CMake", prose: true, files: "cmake =CMakeLists.txt", comment: "#", quotes: `"`, letters: "-", extent: ofEnd, rules: `
		import:line (?i)\s*(?:include|find_package|add_subdirectory)\s*\(\s*([^\s()]+)
		function (?i)\s*function\s*\(\s*([\w-]+)
		macro (?i)\s*macro\s*\(\s*([\w-]+)
		target:line (?i)\s*(?:add_(?:executable|library|custom_target|test)|project)\s*\(\s*(?:NAME\s+)?([^\s()$]+)
		variable:line (?i)\s*(?:set|option)\s*\(\s*(\w+)`},
	{language: "cobol", title: "COBOL", files: "cob cbl cpy cobol", comment: "*> ~*", block: "", quotes: `"'`, letters: "-", extent: ofNext, rules: `
		import:line (?i)\s*COPY\s+["']?([\w-]+)
		module:line (?i)\s*PROGRAM-ID\.\s+([\w-]+)
		namespace (?i)\s*([\w-]+)\s+DIVISION\b
		class (?i)\s*([\w-]+)\s+SECTION\b
		function (?i) {6,10}([A-Z0-9][\w-]*)\.\s*$
		struct (?i)\s*(?:0?1|77)\s+([A-Z][\w-]*)
		constant:line (?i)\s*88\s+([A-Z][\w-]*)
		field:line (?i)\s*(?:0?[2-9]|[1-4]\d)\s+((?:[A-EG-Z]|F[A-HJ-Z\d-]|FI[A-KM-Z\d-]|FIL[A-KM-Z\d-])[\w-]*|F|FI)\s*(?:\.|$|PIC|OCCURS|REDEFINES|COMP|VALUE|USAGE|INDEXED|BINARY|POINTER|SIGN)`},
	{language: "crystal", files: "cr ecr", programs: "crystal", comment: "#", quotes: `"`, holes: "#{", letters: "?!@", extent: ofEnd, private: "private protected", rules: `
		import:line \s*require\s+"([^"]+)"
		class \s*(?:private\s+)?(?:abstract\s+)?class\s+([\w:]+)
		struct \s*(?:private\s+)?(?:abstract\s+)?struct\s+([\w:]+)
		module \s*(?:private\s+)?(?:module|lib)\s+([\w:]+)
		enum \s*(?:private\s+)?enum\s+([\w:]+)
		macro \s*(?:private\s+)?macro\s+([\w?!]+)
		function \s*(?:private\s+|protected\s+)?(?:abstract\s+)?def\s+(?:self\.)?([\w?!=]+|[^\s\w(]+)
		property:line \s*(?:class_)?(?:getter|setter|property)[?!]?\s+(\w+)
		constant:line \s*([A-Z][A-Z0-9_]+)\s*=`},
	{language: "d", disputed: notDependencies, files: "d di", comment: "//", block: "/* */ /+ +/", quotes: "\"`", extent: ofBraces, private: "private", members: ",", rules: `
		import:line \s*(?:public\s+|static\s+)?import\s+([\w.]+)
		module:line \s*(?:deprecated(?:\s*\([^()]*\))?\s+)?module\s+([\w.]+)
		class \s*(?:(?:@?\w+(?:\s*\([^()]*\))?|"[^"]*")\s+)*class\s+(\w+)
		struct \s*(?:(?:@?\w+(?:\s*\([^()]*\))?|"[^"]*")\s+)*(?:struct|union)\s+(\w+)
		interface \s*(?:(?:@?\w+(?:\s*\([^()]*\))?|"[^"]*")\s+)*interface\s+(\w+)
		enum \s*(?:(?:@?\w+(?:\s*\([^()]*\))?|"[^"]*")\s+)*enum\s+(\w+)\s*(?::|\{|$)
		constant:line \s*(?:(?:@?\w+(?:\s*\([^()]*\))?|"[^"]*")\s+)*enum\s+(?:\w+\s+)?(\w+)\s*=
		type:line \s*(?:(?:@?\w+(?:\s*\([^()]*\))?|"[^"]*")\s+)*alias\s+(\w+)
		macro \s*(?:(?:@?\w+(?:\s*\([^()]*\))?|"[^"]*")\s+)*(?:mixin\s+)?template\s+(\w+)
		constructor \s*(?:(?:@?\w+(?:\s*\([^()]*\))?|"[^"]*")\s+)*(~?this)\s*\(
		function \s*(?:(?:@?\w+(?:\s*\([^()]*\))?|"[^"]*")\s+)*(?:[\w!.@]+(?:!?\([^()]*\))?(?:\[[^\]]*\])*(?:\s*(?:delegate|function)\s*\((?:[^()]|\([^()]*\))*\))?[\s*]+)+(\w+)\s*\([^;]*(?:\{|$)`},
	{language: "dart", testClasses: true, files: "dart", programs: "dart", comment: "//", block: `/* */ """ """ ''' '''`, quotes: `"'`, holes: "${ $", letters: "$", members: ",", extent: ofBraces, rules: `
		import:line \s*(?:import|export|part)\s+['"]([^'"]+)['"](?:\s+as\s+(\w+))?
		class \s*(?:(?:abstract|base|final|sealed|interface)\s+)*(?:mixin\s+)?class\s+(\w+)
		trait \s*(?:base\s+)?mixin\s+(\w+)
		impl \s*extension\s+on\s+(\w+)
		impl \s*extension\s+(?:type\s+(?:const\s+)?)?(\w+)
		enum \s*enum\s+(\w+)
		type:line \s*typedef\s+(?:[\w<>?., ]+\s+)?(\w+)\s*(?:<[^=]*>)?\s*(?:=|\()
		property \s*(?:(?:static|external|@\w+)\s+)*(?:[\w<>?.,]+(?:<[^()=]*>\??)?\s+)?(?:get|set)\s+(\w+)
		constructor \s+(?:const\s+|factory\s+)*([A-Z]\w*(?:\.\w+)?)\s*\([^;]*(?:[{:;,]|$)
		function \s*(?:(?:static|external|late|final|const|abstract)\s+)*(?:[A-Za-z_][\w<>?.,]*(?:\s*<[^()=]*>)?\??\s+)+(\w+)\s*(?:<[^()=]*>)?\s*\([^=]*(?:\{|=>|$|;|,)
		constant:line (?:final|const)\s+(?:[\w<>?., ]+\s+)?(\w+)\s*=
		field:line \s+(?:(?:static|late|final|const|var)\s+)+(?:[\w<>?., ]+\s+)?(\w+)\s*(?:=|;)
		variable:line (?:late\s+)?(?:var|[A-Z][\w<>?, ]*)\s+(\w+)\s*(?:=|;)`},
	{language: "dockerfile", title: "Dockerfile", aliases: "docker", prose: true, files: "dockerfile containerfile =Dockerfile =Dockerfile.* =Containerfile", comment: "~#", quotes: `"`, letters: "-", extent: ofLine, rules: `
		target:next (?i)\s*FROM\s+(?:--\S+\s+)*(?:\S+\s+AS\s+)?([\w.:/@-]+)
		variable (?i)\s*(?:ARG|ENV)\s+(\w+)`},
	{language: "elm", files: "elm", comment: "--", block: `{- -} """ """`, quotes: `"`, letters: "'", members: "|", extent: ofIndent, rules: `
		import:line import\s+([\w.]+)(?:\s+as\s+(\w+))?
		module:line (?:port\s+|effect\s+)?module\s+([\w.]+)
		type type\s+alias\s+(\w+)
		enum type\s+(\w+)
		function:line port\s+(\w+)\s*:
		function ([a-z]\w*)\s+[^:=]*=\s*$
		function ([a-z]\w*)\s*=`},
	{language: "erlang", files: "erl hrl escript", programs: "escript", comment: "%", quotes: `"`, letters: "@", extent: ofIndent, rules: `
		import:line -include(?:_lib)?\(\s*"([^"]+)"
		module:line -module\(\s*(\w+)
		macro:line -define\(\s*(\w+)
		struct:line -record\(\s*(\w+)
		type:line -(?:type|opaque)\s+(\w+)\(
		method:line -callback\s+(\w+)\(
		function ([a-z]\w*)\(.*(?:->|$)`},
	{language: "fennel", files: "fnl", comment: ";", quotes: `"`, letters: "-.*+!?<>=/:", joins: ".:", extent: ofBrackets, rules: `
		function \s*\((?:fn|lambda|λ|macro)\s+([^\s()\[\]]+)
		variable \s*\((?:local|var|global)\s+([^\s()\[\]{}]+)`},
	{language: "fish", files: "fish", programs: "fish", comment: "#", quotes: `"'`, letters: "-", extent: ofEnd, rules: `
		function \s*function\s+([\w.-]+)
		variable:line set\s+(?:-\w+\s+|--\w+\s+)*(\w+)`},
	{language: "fortran", files: "f f77 f90 f95 f03 f08 for ftn", comment: "! ^C ^c ^*", goesOn: "&", quotes: `"'`, extent: ofEnd, rules: `
		import:line (?i)\s*use(?:\s*,\s*\w+\s*::)?\s+(\w+)
		module (?i)\s*(?:module|program|submodule\s*\([^)]*\))\s+(\w+)\s*$
		interface (?i)\s*(?:abstract\s+)?interface\s+(?:operator\s*\(\s*([^)]+?)\s*\)|(\w+))
		struct (?i)\s*type(?:\s*,[^:]*::\s*|\s*::\s*|\s+)(\w+)\s*$
		function (?i)\s*(?:(?:pure|elemental|recursive|impure|module)\s+)*subroutine\s+(\w+)
		function (?i)\s*(?:(?:pure|elemental|recursive|impure|module|integer|real|logical|complex|character|double\s+precision|type)(?:\s*\([^)]*\))?\s+)*function\s+(\w+)
		constant:line (?i)\s*\w+(?:\([^)]*\))?\s*,\s*parameter\b.*::\s*(\w+)
		enum_member:line (?i)\s*enumerator\s*(?:::)?\s*(?:&\s*\n\s*)?(\w+)
		method:line (?i)\s*(?:procedure(?:\s*\([^)]*\))?\s*,[^:]*deferred[^:]*|(?:procedure|generic)(?:\s*,[^:]*)?|final)\s*::\s*(?:operator\s*\(\s*([^)]+?)\s*\)|(\w+))
		field:line (?i)\s*(?:integer|real|logical|complex|character|double\s+precision|type|class|procedure)\b.*?::\s*(\w+)`},
	{language: "fsharp", title: "F#", aliases: "f#", locals: true, files: "fs fsi fsx", comment: "//", block: `(* *) """ """`, quotes: `"`, letters: "'", members: "|", extent: ofIndent, private: "private internal", rules: `
		import:line \s*open\s+([\w.]+)
		namespace:next namespace\s+(?:rec\s+)?([\w.]+)
		module:next module\s+(?:rec\s+|private\s+|internal\s+)*([\w.]+)\s*$
		module \s*module\s+(?:rec\s+|private\s+|internal\s+)*(\w+)\s*=
		type \s*(?:type|and)\s+(?:private\s+|internal\s+)?(\w+)
		method \s*(?:static\s+)?(?:member|override|abstract|default)\s+(?:(?:private|internal|public|inline|val|member)\s+)*(?:\w+\.)?(\w+)
		function \s*(?:let|and)\s+(?:(?:rec|inline|private|internal|public|mutable)\s+)*(?:\(\s*\|?([^\s()|]+)[^()]*\)|(\w+'?))(?:<.*>)?\s+[^=:\s]
		variable \s*let\s+(?:(?:private|internal|public|mutable)\s+)*(\w+'?)\s*[:=]`},
	{language: "gdscript", title: "GDScript", files: "gd", comment: "#", block: `""" """`, quotes: `"'`, members: ",", extent: ofIndent, rules: `
		import:line \s*(?:extends|preload)\s+"?([\w./:]+)
		class:line class_name\s+(\w+)
		class \s*class\s+(\w+)
		enum \s*enum\s+(\w+)
		function \s*(?:static\s+|remote\s+)*func\s+(\w+)
		method:line \s*signal\s+(\w+)
		constant:line \s*const\s+(\w+)
		field:line (?:@\w+(?:\([^)]*\))?\s+|export(?:\([^)]*\))?\s+|onready\s+|static\s+)*var\s+(\w+)`},
	{language: "gleam", files: "gleam", comment: "//", quotes: `"`, extent: ofBraces, rules: `
		import:line import\s+([\w/]+)(?:.*\s+as\s+(\w+))?
		function (?:pub\s+)?fn\s+(\w+)
		type (?:pub\s+)?(?:opaque\s+)?type\s+(\w+)
		constant:line (?:pub\s+)?const\s+(\w+)`},
	{language: "glsl", title: "GLSL", files: "glsl vert frag geom comp tesc tese hlsl hlsli metal cginc shader fx", comment: "//", block: "/* */", quotes: `"`, extent: ofBraces, rules: `
		import:line \s*#include\s+[<"]([^>"]+)
		macro:line \s*#define\s+(\w+)
		struct \s*(?:struct|cbuffer)\s+(\w+)
		variable:line \s*(?:layout\s*\([^)]*\)\s*)?(?:uniform|in|out|varying|attribute|const)\s+(?:\w+\s+)*(\w+)\s*(?:\[[^\]]*\])?\s*[;=]
		function (?:\w+\s+)+(\w+)\s*\([^;]*(?:\{|$)`},
	{language: "graphql", title: "GraphQL", files: "graphql gql graphqls", comment: "#", quotes: `"`, members: " \n", extent: ofBraces, rules: `
		type \s*(?:extend\s+)?(?:type|input)\s+(\w+)
		interface \s*(?:extend\s+)?interface\s+(\w+)
		enum \s*(?:extend\s+)?enum\s+(\w+)
		type:line \s*(?:extend\s+)?(?:union|scalar)\s+(\w+)
		macro:line \s*directive\s+@(\w+)
		function \s*(?:query|mutation|subscription)\s+(\w+)
		function \s*fragment\s+(\w+)
		field:line \s+(\w+)\s*(?:\([^)]*\))?\s*:`},
	{language: "groovy", aliases: "gradle", testClasses: true, groups: "jvm", files: "groovy gvy gradle gsh =Jenkinsfile =Jenkinsfile.*", programs: "groovy", comment: "//", block: `/* */ """ """ ''' '''`, quotes: `"'`, holes: "${", letters: "$", members: ",", extent: ofBraces, private: "private", rules: `
		import:line \s*import\s+(?:static\s+)?([\w.*]+)(?:\s+as\s+(\w+))?
		namespace:line \s*package\s+([\w.]+)
		class \s*(?:@\w+\s+|\w+\s+)*class\s+(\w+)
		interface \s*(?:\w+\s+)*interface\s+(\w+)
		trait \s*(?:\w+\s+)*trait\s+(\w+)
		enum \s*(?:\w+\s+)*enum\s+(\w+)
		target \s*task\s+(\w+)
		target \s*tasks\.(?:register|create)\s*\(?\s*['"]([^'"]+)
		function \s*(?:(?:public|private|protected|static|final|synchronized|def|void|[A-Za-z_][\w.]*(?:<[^()]*>)?[\[\]]*)\s+)+([A-Za-z_]\w*)\s*\([^)]*\)?[^;=]*(?:\{|,\s*$|$)
		function \s*(?:def|void)\s+(?:"((?:[^"\\]|\\.)+)"|'((?:[^'\\]|\\.)+)')\s*\(
		variable:line (?:static\s+|final\s+|def\s+)+(?:\w+\s+)?(\w+)\s*=`},
	{language: "haxe", files: "hx", comment: "//", block: "/* */", quotes: `"'`, members: ";", extent: ofBraces, private: "private", rules: `
		import:line \s*(?:import|using)\s+([\w.*]+)
		namespace:line \s*package\s+([\w.]+)
		class \s*(?:\w+\s+)*class\s+(\w+)
		interface \s*(?:\w+\s+)*interface\s+(\w+)
		enum \s*(?:\w+\s+)*enum\s+(?:abstract\s+)?(\w+)
		type \s*(?:\w+\s+)*(?:typedef|abstract)\s+(\w+)
		function \s*(?:@:?\w+\s+)*(?:\w+\s+)*function\s+(\w+)
		field:line \s*(?:\w+\s+)*(?:var|final)\s+(\w+)`},
	{language: "hcl", title: "HCL", aliases: "terraform tf", files: "tf tfvars hcl nomad", comment: "# //", block: "/* */", quotes: `"`, holes: "${ %{", letters: "-.", joins: ".", extent: ofBraces, imports: engine.ImportsFolder, rules: `
		import:line \s*source\s*=\s*"(\.{1,2}(?:/[^"]*)?)"
		element \s*resource\s+"(?P<in>[\w-]+)"\s+"([\w-]+)"
		element \s*(?P<in>data)\s+"(?P<in2>[\w-]+)"\s+"([\w-]+)"
		variable \s*(?P<in>var)iable\s+"([\w-]+)"
		variable \s*(?P<in>output)\s+"([\w-]+)"
		module \s*(?P<in>module)\s+"([\w-]+)"
		element \s*(?:provider|job|group|task|source|build|check|action)\s+"([\w-]+)"
		namespace \s*(local)s\s*\{
		namespace \s*(terraform|moved|import)\s*\{
		key:line \s*([\w-]+)\s*=[^=]`},
	{language: "ini", title: "INI", prose: true, files: "ini cfg conf properties desktop service timer socket reg editorconfig =.editorconfig =.gitconfig =.npmrc =.flake8 =.pylintrc",
		comment: "~; ~# ~!", letters: "-.", extent: ofLine, rules: `
		namespace:next \s*\[([^\]]+)\]
		key \s*([\w.@/-]+)\s*[=:]`},
	{language: "jsonnet", files: "jsonnet libsonnet", comment: "// #", block: "/* */", quotes: `"'`, extent: ofLine, rules: `
		import:line .*\bimport(?:str)?\s+['"]([^'"]+)
		function \s*local\s+(\w+)\s*\(
		variable \s*local\s+(\w+)\s*=
		key \s*['"]?([\w-]+)['"]?\s*(?:\([^)]*\))?\s*\+?:{1,3}`},
	{language: "julia", files: "jl", programs: "julia", comment: "#", block: `#= =# """ """`, quotes: `"`, holes: "$( $", letters: "!", extent: ofEnd, rules: `
		import:line \s*(?:using|import)\s+([\w.]+)
		module:next \s*(?:bare)?module\s+(\w+)
		struct \s*(?:(?:\w+\.)*@[\w.]+(?:\([^)]*\))?\s+)*(?:mutable\s+)?struct\s+(\w+)
		type:line \s*(?:abstract|primitive)\s+type\s+(\w+)
		macro \s*macro\s+(\w+)
		function \s*(?:(?:\w+\.)*@[\w.]+(?:\([^)]*\))?\s+)*function\s+(?:\(\w*::)?(?:\w+\.)*(?::?\(([^\w\s()]+)\)|:?([\w!]+|[^\w\s()]+))
		function:assigned \s*(?:(?:\w+\.)*@[\w.]+(?:\([^)]*\))?\s+)*(?:\w+\.)*(?::?\(([^\w\s()]+)\)|:?([\w!]+|[^\w\s()@=\[\]{},;"'.]+))(?:\{[^}]*\})?\(
		constant:line \s*const\s+(\w+)`},
	{language: "latex", title: "LaTeX", prose: true, files: "tex sty ltx", comment: "%", letters: "@", extent: ofNext, rules: `
		import:line \s*\\(?:usepackage|input|include|RequirePackage)(?:\[[^\]]*\])?\{([^}]+)
		heading \s*\\(?:part|chapter)\*?(?:\[[^\]]*\])?\{([^}]+)
		heading \s*\\section\*?(?:\[[^\]]*\])?\{([^}]+)
		heading \s*\\subsection\*?(?:\[[^\]]*\])?\{([^}]+)
		heading \s*\\subsubsection\*?(?:\[[^\]]*\])?\{([^}]+)
		macro:line \s*\\(?:re)?newcommand\*?\{?\\(\w+)
		macro:line \s*\\def\\(\w+)
		macro:line \s*\\newenvironment\{(\w+)
		target:line .*\\label\{([^}]+)`},
	{language: "lisp", aliases: "elisp", disputed: openCL, files: "lisp lsp cl asd el emacs", programs: "sbcl clisp emacs", comment: ";", block: "#| |#", quotes: `"`, letters: "-.*+!?<>=/:&%$", joins: ":", extent: ofBrackets, rules: `
		import:line \s*\((?:require|use-package|asdf:load-system|ql:quickload)\s+[':"]*([\w./-]+)
		namespace:line \s*\((?:defpackage|in-package|provide|define-package)\s+[#':"]*([^\s()"]+)
		function \s*\((?:cl-)?(?:defun|defgeneric|defmethod|defsubst|define-minor-mode|define-derived-mode|ert-deftest|deftest)\*?\s+\(?(?:setf\s+)?([^\s()]+)
		macro \s*\((?:cl-)?(?:defmacro|define-compiler-macro|define-modify-macro)\*?\s+([^\s()]+)
		class \s*\((?:cl-)?(?:defclass|defstruct|define-condition)\s+\(?([^\s()]+)
		type \s*\(deftype\s+([^\s()]+)
		constant \s*\((?:defconstant|defconst|define-constant)\s+([^\s()]+)
		variable \s*\((?:defvar(?:-local)?|defparameter|defcustom|defface|defgroup)\s+([^\s()]+)
		function \((?:[\w.+/-]*[-/])?def(?:ine)?(?:-[\w-]+)?\*?\s+\(?'?([^\s()'"]+)`},
	{language: "make", title: "Makefile", aliases: "makefile", prose: true, files: "mk mak make =Makefile =Makefile.* =makefile =GNUmakefile =BSDmakefile", comment: "#", letters: "-.", extent: ofLine, rules: `
		import -?include\s+(\S+)
		macro:end \s*define\s+([\w.-]+)
		variable (?:export\s+|override\s+)*([A-Za-z_][\w.-]*)\s*(?:[:+?!]|::)?=
		target:indent ([A-Za-z0-9_/%-][\w./%$(){}-]*)(?:\s+[\w./%$(){}-]+)*\s*::?(?:[^=]|$)`},
	{language: "matlab", title: "MATLAB", files: "mlx octave", programs: "octave", comment: "%", quotes: `"`, extent: ofEnd, rules: `
		class \s*classdef\s+(?:\([^)]*\)\s*)?(\w+)
		function \s*function\s+(?:[^=(]*=\s*)?([\w.]+)
		namespace \s*(properties|methods|events)\b`},
	{language: "meson", title: "Meson", prose: true, files: "=meson.build =meson_options.txt", comment: "#", quotes: `'`, extent: ofLine, rules: `
		variable (\w+)\s*\+?=[^=]
		target \s*(?:executable|library|shared_library|static_library|project|test)\s*\(\s*'([^']+)`},
	{language: "nim", files: "nim nims nimble", programs: "nim", comment: "#", block: `#[ ]# """ """`, quotes: `"`, extent: ofIndent, rules: `
		import:list \s*(?:import|include)(?:\s+|\s*\n\s*)([\w/.]+)
		import:line \s*from\s+([\w/.]+)\s+import
		function \s*(?:proc|func|iterator|converter)\s+` + "`?([^\\s*(\\[`]+)" + `
		method \s*method\s+(\w+)
		macro \s*(?:template|macro)\s+(\w+)
		type \s*type\s+(\w+)
		type  +(\w+)\*?(?:\[[^\]]*\])?\s*(?:\{\.[^}]*\})?\s*=\s*(?:ref\s+|ptr\s+)?(?:object|enum|tuple|distinct|concept)
		variable:line (?:const|let|var)\s+(\w+)`},
	{language: "nix", files: "nix", comment: "#", block: "/* */ '' ''", quotes: `"`, holes: "${", letters: "-'", extent: ofLine, rules: `
		import:line .*\bimport\s+(\./[\w./-]+|<[^>]+>)
		key \s*([A-Za-z_][\w'.-]*)\s*=[^=]`},
	{language: "objective-c", title: "Objective-C", aliases: "objc", groups: "c", messages: true, disputed: matlabOr, files: "m mm", comment: "//", block: "/* */", quotes: `"`, members: ",", extent: ofEnd, rules: `
		import:line \s*[#@](?:import|include)\s*[<"]?([^>";]+)
		interface:until=@end @protocol\s+(\w+)(?:[^;]*$)
		class:until=@end @interface\s+(\w+)
		impl:until=@end @implementation\s+(\w+)
		method:braces [-+]\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\s*(\w+)
		property:line @property\s*(?:\([^)]*\))?\s*[^;]*\(\s*\^\s*(?:\w+\s+)*(\w+)\s*\)
		property:line @property\s*(?:\([^)]*\))?\s*.*?(\w+)\s*;
		enum:braces \s*typedef\s+NS_(?:ENUM|OPTIONS)\s*\([^,]*,\s*(\w+)
		macro:line \s*#define\s+(\w+)
		type:line typedef\s+[^;]*\(\s*[\^*]\s*(\w+)\s*\)
		type:line typedef\s+.*?(\w+)\s*;
		type:back \}\s*(\w+)\s*;
		function:braces (?:[A-Za-z_]\w*(?:<[^<>()]*>)?[\s*]+)+(\w+)\s*\([^;]*(?:;\s*$|\{|$)`},
	{language: "ocaml", title: "OCaml", files: "ml mli mll mly", programs: "ocaml", comment: "", block: "(* *) {| |}", quotes: `"`, letters: "'", members: "|", extent: ofIndent, locals: true, rules: `
		import:line \s*(?:let\s+)?(?:open!?|include)\s+([\w.]+)
		module:end \s*(?:let\s+)?module\s+(?:type\s+|rec\s+)?([\w']+)
		class \s*class\s+(?:type\s+)?(?:virtual\s+)?(?:\[[^\]]*\]\s*)?([\w']+)
		class \s*(?:end\s+)?and\s+(?:virtual\s+)?([\w']+)\s*=\s*object\b
		type \s*(?:type|and)\s+(?:nonrec\s+)?(?:\([^)]*\)\s+|[+-]?(?:'\w+|_)\s+)?([a-z_][\w']*)\s*(?:=|:=|\+=|$|\[@)
		type:line \s*exception\s+([\w']+)
		method \s*method\s+(?:private\s+|virtual\s+|!\s*)*([\w']+)
		variable \s*(?:let|and)\s+([a-z_][\w']*)\s*(?::[^=]*)?=
		function \s*(?:let|and)\s+(?:rec\s+)?(?:\(\s*([^\w\s()]+)\s*\)|([a-z_][\w']*))
		function:line \s*(?:val|external)\s+(?:\(\s*([^\w\s()]+)\s*\)|([a-z_][\w']*))`},
	{language: "odin", files: "odin", comment: "//", block: "/* */", quotes: "\"`", members: ",", extent: ofBraces, rules: `
		import:line \s*import\s+(?:\w+\s+)?"([^"]+)"
		namespace:line package\s+(\w+)
		function \s*(\w+)\s*::\s*(?:#\w+\s+)*proc\b
		struct \s*(\w+)\s*::\s*(?:struct|union|bit_field)\b
		enum \s*(\w+)\s*::\s*(?:enum|bit_set)\b
		constant:line \s*(\w+)\s*::\s*\S
		variable:line (\w+)\s*:\s*[^:=]+=`},
	{language: "pascal", aliases: "delphi", files: "pas dpr lpr", comment: "//", block: "{ } (* *)", quotes: `'`, letters: ".", joins: ".", extent: ofEnd, rules: `
		import:list (?i)\s*uses(?:\s+|\s*\n\s*)([\w.]+)\s*(?:[,;]|(?m:$)|in\b)
		module:next (?i)\s*(?:unit|program|library)\s+([\w.]+)
		class (?i)\s*(\w+)(?:<[^>]*>)?\s*=\s*(?:packed\s+)?(?:class|object)\b(?:[^;]*$|\s*\()
		struct (?i)\s*(\w+)\s*=\s*(?:packed\s+)?record\b
		interface (?i)\s*(\w+)\s*=\s*(?:disp)?interface\b
		enum:line (?i)\s*(\w+)\s*=\s*\(
		type:line (?i)\s*(\w+)\s*=\s*(?:class\s+of|set\s+of|array|\^|procedure|function|type)\b
		constructor (?i)\s*(?:class\s+)?(?:constructor|destructor)\s+([\w.]+)
		function (?i)\s*(?:class\s+)?(?:procedure|function|operator)\s+([\w.]+)
		property:line (?i)\s*property\s+(\w+)`},
	{language: "perl", aliases: "pl", disputed: prologOr, files: "pl pm t psgi cgi", programs: "perl", comment: "#", block: "^= ^=cut", quotes: `"'`, quoting: "qmsyt$", letters: "'", extent: ofBraces, rules: `
		import:line \s*(?:use|require)\s+([A-Za-z][\w:]*)
		module:next \s*package\s+([\w:]+)\s*;
		module \s*package\s+([\w:]+)[^;{]*\{
		class \s*class\s+([\w:]+)
		function \s*(?:my\s+|async\s+)?(?:sub|method)\s+([\w:']+)
		constant:line \s*use\s+constant\s+(\w+)
		property:line has\s+['"]?\+?(\w+)
		variable:line (?:our|my)\s+[$@%](\w+)`},
	{language: "powershell", title: "PowerShell", aliases: "ps1", files: "ps1 psm1 psd1", programs: "pwsh powershell", comment: "#", block: `<# #> @" "@ @' '@`, quotes: `"'`, letters: "-", members: "\n", extent: ofBraces, rules: `
		import:line (?i)\s*(?:Import-Module|using\s+module)\s+([\w./\\-]+)
		function (?i)\s*(?:\w+\s*\{\s*)?(?:function|filter|workflow|configuration)\s+(?:global:|script:)?([\w-]+)
		class (?i)\s*class\s+(\w+)
		enum (?i)\s*enum\s+(\w+)
		method  +(?:static\s+|hidden\s+)*(?:\[[\w.\[\]]+\]\s*)?(\w+)\s*\([^)]*\)\s*\{
		property:line  +(?:static\s+|hidden\s+)*\[[\w.\[\]]+\]\s*\$(\w+)
		variable:line \$(?:global:|script:)?(\w+)\s*=`},
	{language: "prisma", files: "prisma", comment: "//", quotes: `"`, members: " \n", extent: ofBraces, rules: `
		struct \s*(?:model|type|view)\s+(\w+)
		enum \s*enum\s+(\w+)
		element \s*(?:datasource|generator)\s+(\w+)
		field:line \s+(\w+)\s+\w+[\[\]?]*`},
	{language: "prolog", disputed: notQt, files: "pro prolog plt", programs: "swipl gprolog", comment: "%", block: "/* */", quotes: `"'`, extent: ofIndent, rules: `
		import:line :-\s*use_module\(\s*(?:library\()?['"]?([\w/]+)
		module:line :-\s*module\(\s*(\w+)
		function ([a-z]\w*)\s*(?:\(.*)?(?::-|-->|\.\s*$)`},
	{language: "protobuf", title: "Protocol Buffers", aliases: "proto", files: "proto", comment: "//", block: "/* */", quotes: `"`, extent: ofBraces, rules: `
		import:line \s*import\s+(?:public\s+|weak\s+)?"([^"]+)"
		namespace:line \s*package\s+([\w.]+)
		struct \s*message\s+(\w+)
		enum \s*enum\s+(\w+)
		interface \s*service\s+(\w+)
		method \s*rpc\s+(\w+)
		struct \s*(?:oneof|extend)\s+([\w.]+)
		field:line \s+(?:repeated\s+|optional\s+|required\s+)?(?:map\s*<[^>]*>|[\w.]+)\s+(\w+)\s*=\s*\d+
		enum_member:line \s+(\w+)\s*=\s*-?\d+`},
	{language: "puppet", disputed: pascalOr, files: "pp", comment: "#", quotes: `"'`, letters: ":", joins: ":", extent: ofBraces, rules: `
		class \s*class\s+([\w:]+)
		function \s*(?:define|function|plan)\s+([\w:]+)
		target \s*node\s+['"]?([\w.-]+)
		import:line \s*include\s+([\w:]+)`},
	{language: "r", files: "r rmd rprofile", programs: "Rscript", comment: "#", quotes: "\"'`", letters: ".", extent: ofBraces, rules: `
		import:line \s*(?:library|require|requireNamespace|source)\(\s*["']?([\w./]+)
		function \s*["'` + "`" + `]?([A-Za-z.\[$][^\s"'` + "`" + `(]*?)["'` + "`" + `]?\s*(?:<<?-|=)\s*(?:function\b|\\\()
		class:line \s*(?:setClass|setRefClass|R6Class)\(\s*["'](\w+)
		class:line ([A-Za-z.][\w.]*)\s*<-\s*(?:R6::)?(?:R6Class|setRefClass|setClass|new_class)\(
		method:line \s*(?:setMethod|setGeneric|setValidity)\(\s*["']([^"']+)
		variable:line ([A-Za-z.][\w.]*)\s*(?:<<?-|=)[^=]`},
	{language: "racket", files: "rkt rktl", programs: "racket", comment: ";", block: "#| |#", quotes: `"`, letters: "-.*+!?<>=/:&%$", extent: ofBrackets, rules: `
		import:line \s*\(require\s+"?([\w./-]+)
		function \s*\(define(?:/contract)?\s+\(+([^\s()]+)
		macro \s*\(define-syntax(?:-rule|-parser)?\s+\(?([^\s()]+)
		struct \s*\((?:struct|define-struct)\s+\(?([^\s()]+)
		variable \s*\(define\s+([^\s()]+)
		function \(define-[\w-]+\*?\s+\(*([^\s()"]+)`},
	{language: "rego", files: "rego", comment: "#", quotes: `"`, extent: ofBraces, rules: `
		namespace:line package\s+([\w.]+)
		import:line import\s+([\w.]+)(?:\s+as\s+(\w+))?
		function (?:default\s+)?(\w+)(?:\([^)]*\))?(?:\s+contains\b.*|\s+if\b.*|\s*:?=.*|\s*\[.*|\s*)\{?`},
	{language: "scheme", files: "scm ss sld sls", programs: "guile csi chibi-scheme", comment: ";", block: "#| |#", quotes: `"`, letters: "-.*+!?<>=/:&%$", extent: ofBrackets, rules: `
		function \s*\(define\s+\(+([^\s()]+)
		macro \s*\(define-syntax(?:-rule)?\s+\(?([^\s()]+)
		struct \s*\(define-record-type\s+\(?([^\s()]+)
		module \s*\((?:define-library|define-module|library)\s+\(?([^()]+?)\)?\s*$
		variable \s*\(define\s+([^\s()]+)
		function \(define-[\w-]+\*?\s+\(*([^\s()"]+)`},
	{language: "smithy", files: "smithy", comment: "//", quotes: `"`, members: "\n", extent: ofBraces, rules: `
		namespace:line namespace\s+([\w.]+)
		interface (?:service|resource)\s+(\w+)
		function operation\s+(\w+)
		struct (?:structure|union|list|map)\s+(\w+)
		enum (?:enum|intEnum)\s+(\w+)
		type:line (?:string|integer|long|boolean|blob|timestamp|double)\s+(\w+)`},
	{language: "solidity", files: "sol", comment: "//", block: "/* */", quotes: `"'`, members: ",", extent: ofBraces, private: "private internal", rules: `
		import:line \s*import\s+(?:.*\bfrom\s+)?["']([^"']+)
		class \s*(?:abstract\s+)?contract\s+(\w+)
		interface \s*interface\s+(\w+)
		module \s*library\s+(\w+)
		struct \s*struct\s+(\w+)
		enum \s*enum\s+(\w+)
		function \s*function\s+(\w+)
		constructor \s*(constructor|receive|fallback)\s*\(
		macro \s*modifier\s+(\w+)
		type:line \s*(?:event|error)\s+(\w+)
		field:line  +(?:mapping\s*\(.*\)|[\w.]+(?:\[\w*\])*)\s+(?:(?:public|private|internal|constant|immutable|transient|override)\s+)*(\w+)\s*[;=]`},
	{language: "starlark", aliases: "bazel skylark", files: "bzl bazel star sky =BUILD =WORKSPACE =BUCK =Tiltfile", comment: "#", block: `""" """ ''' '''`, quotes: `"'`, extent: ofIndent, rules: `
		import \s*load\((?:\s*|\s*\n\s*)["']([^"']+)
		function \s*def\s+(\w+)
		target:line \s+name\s*=\s*["']([^"']+)
		variable:line (\w+)\s*=[^=]`},
	{language: "tcl", files: "tcl tk itcl exp", programs: "tclsh wish expect", comment: "~#", quotes: `"`, letters: ":", joins: ":", extent: ofBraces, rules: `
		import:line \s*(?:package\s+require|source)\s+(\S+)
		namespace \s*namespace\s+eval\s+(\S+)
		class \s*(?:oo::class\s+create|itcl::class|snit::type)\s+(\S+)
		function \s*(?:proc|method)\s+([^\s{}]+)(?:\s+(?:\{(?:[^{}]|\{[^{}]*\})*\}))?
		variable:line (?:set|variable)\s+([\w:]+)`},
	{language: "thrift", files: "thrift", comment: "// #", block: "/* */", quotes: `"'`, extent: ofBraces, rules: `
		import:line include\s+"([^"]+)"
		namespace:line namespace\s+\S+\s+([\w.]+)
		struct \s*(?:struct|union|exception)\s+(\w+)
		enum \s*enum\s+(\w+)
		interface \s*service\s+(\w+)
		type:line \s*typedef\s+.*\s(\w+)\s*$
		constant:line \s*const\s+\S+\s+(\w+)
		field:line \s+\d+\s*:\s*(?:required\s+|optional\s+)?[\w.<>, ]+\s+(\w+)
		method:line  +(?:oneway\s+)?[\w.<>, ]+\s+(\w+)\s*\(`},
	{language: "toml", title: "TOML", prose: true, files: "toml =Cargo.lock =poetry.lock =Pipfile =uv.lock", comment: "#", quotes: `"'`, letters: "-", extent: ofLine, rules: `
		namespace:next \s*\[\[?([^\]]+)\]
		key \s*["']?([\w.-]+)["']?\s*=`},
	{language: "vala", files: "vala vapi", comment: "//", block: `/* */ """ """`, quotes: `"`, members: ",", extent: ofBraces, private: "private", rules: `
		import:line \s*using\s+([\w.]+)
		namespace \s*namespace\s+([\w.]+)
		class \s*(?:\w+\s+)*class\s+([\w.]+)
		struct \s*(?:\w+\s+)*struct\s+(\w+)
		interface \s*(?:\w+\s+)*interface\s+(\w+)
		enum \s*(?:\w+\s+)*(?:enum|errordomain)\s+(\w+)
		function \s*(?:(?:public|private|protected|internal|static|async|override|virtual|abstract|[\w.<>?]+[\[\]]*)\s+)+([\w.]+)\s*\([^;]*(?:\{|$)`},
	{language: "vb", title: "Visual Basic", files: "vb vbs bas frm", comment: "' ~Rem ~REM", quotes: `"`, extent: ofEnd, private: "Private private", rules: `
		import:line (?i)\s*Imports\s+([\w.]+)
		namespace (?i)\s*Namespace\s+([\w.]+)
		class (?i)\s*(?:(?:Public|Private|Friend|Protected|Partial|MustInherit|NotInheritable|Shared)\s+)*Class\s+(\w+)
		module (?i)\s*(?:(?:Public|Friend)\s+)*Module\s+(\w+)
		struct (?i)\s*(?:(?:Public|Private|Friend)\s+)*(?:Structure|Type)\s+(\w+)
		interface (?i)\s*(?:(?:Public|Friend)\s+)*Interface\s+(\w+)
		enum (?i)\s*(?:(?:Public|Private|Friend)\s+)*Enum\s+(\w+)
		function (?i)\s*(?:(?:Public|Private|Friend|Protected|Shared|Overrides|Overridable|Overloads|MustOverride|Async|Static|Declare)\s+)*(?:Sub|Function)\s+(\w+)
		property (?i)\s*(?:(?:Public|Private|Friend|Protected|Shared|Overrides|Overridable|ReadOnly|WriteOnly|Default)\s+)*Property\s+(?:Get\s+|Let\s+|Set\s+)?(\w+)
		constant:line (?i)\s*(?:(?:Public|Private|Friend)\s+)*Const\s+(\w+)`},
	{language: "verilog", aliases: "systemverilog", disputed: vlangOr, files: "v vh sv svh", comment: "//", block: "/* */", quotes: `"`, letters: "$", members: ",", extent: ofEnd, rules: "\n" +
		"import:line \\s*(?:`include\\s+\"([^\"]+)|import\\s+(\\w+))\n" +
		"macro:line \\s*`define\\s+(\\w+)\n" + `
		module:until=endmodule \s*(?:module|macromodule)\s+(?:automatic\s+|static\s+)?(\w+)
		module:until=endpackage \s*package\s+(\w+)
		interface:until=endinterface \s*interface\s+(\w+)
		class:until=endclass \s*(?:virtual\s+)?class\s+(\w+)
		function \s*(?:(?:virtual|static|protected|local|extern|pure|import\s+"DPI-C"|export\s+"DPI-C"|context)\s+)*(?:function|task)\s+(?:[^()=;]*[\s\]])?\n?\s*([\w:]+)\s*[(;]
		constant:line \s*(?:local)?param(?:eter)?\s+(?:[\w\[\]:\s]+\s+)?(\w+)\s*=
		type:line \s*typedef\s+(?:[^;{}]*[\s\])]|[^{}]*\{.*\}\s*)(\w+)\s*(?:\[[^\]]*\]\s*)*;
		type:back [^{]*\}\s*(\w+)\s*(?:\[[^\]]*\]\s*)*;
		type:back \s*(?:\)|\..*\)\))\s*(\w+)\s*;
		field:line \s*(?:input|output|inout)\s+(?:wire\s+|reg\s+|logic\s+)?(?:signed\s+)?(?:\[[^\]]*\]\s*)*(\w+)`},
	{language: "vhdl", title: "VHDL", files: "vhd vhdl", comment: "--", block: "/* */", quotes: `"`, extent: ofEnd, rules: `
		import:line (?i)\s*use\s+([\w.]+)
		interface (?i)\s*entity\s+(\w+)\s+is
		impl (?i)\s*architecture\s+(\w+)\s+of
		module (?i)\s*package\s+(?:body\s+)?(\w+)\s+is
		interface (?i)\s*component\s+(\w+)
		function (?i)\s*(?:pure\s+|impure\s+)?(?:function|procedure)\s+(?:"([^"]+)"|(\w+))
		function (?i)\s*(\w+)\s*:\s*(?:postponed\s+)?process\b
		struct (?i)\s*type\s+(\w+)\s+is\s+record\b
		type:line (?i)\s*(?:sub)?type\s+(\w+)\s+is
		field:line (?i)\s+(\w+)\s*(?:,[\w\s,]*)?:\s*(?:(?:in|out|inout|buffer|linkage)\s.*|[\w.]+\s*(?:\(.*|range\b.*|:=.*)?;\s*)$
		variable:line (?i)\s*(?:signal|constant|shared\s+variable)\s+(\w+)`},
	{language: "vim", title: "Vim Script", aliases: "vimscript", files: "vim vimrc =.vimrc =_vimrc", comment: `~"`, quotes: `'`, letters: ":#", extent: ofEnd, rules: `
		import:line \s*(?:source|runtime)!?\s+(\S+)
		function \s*(?:export\s+)?(?:fu|func|function|def)!?\s+([\w:#.]+)
		macro:line \s*com(?:mand)?!?\s+(?:-\S+\s+)*(\w+)
		namespace \s*aug(?:roup)?\s+(\w+)
		variable:line let\s+([gsbwt]:\w+|\w+)`},
	{language: "vlang", title: "V", files: "vv vsh", comment: "//", block: "/* */", quotes: `"'`, members: "\n", extent: ofBraces, rules: `
		import:line import\s+([\w.]+)
		module:line module\s+(\w+)
		function (?:pub\s+)?fn\s+(?:\([^)]*\)\s*)?(\w+)
		struct (?:pub\s+)?(?:struct|union)\s+(\w+)
		enum (?:pub\s+)?enum\s+(\w+)
		interface (?:pub\s+)?interface\s+(\w+)
		constant:line (?:pub\s+)?const\s+(\w+)`},
	{language: "wat", title: "WebAssembly", files: "wat wast", comment: ";;", block: "(; ;)", quotes: `"`, letters: "$.", extent: ofBrackets, rules: `
		module \s*\(module\s+(\$[\w.]+)
		function \s*\(func\s+(\$[\w.]+)
		variable \s*\((?:global|memory|table|type)\s+(\$[\w.]+)`},
	{language: "wgsl", title: "WGSL", files: "wgsl", comment: "//", block: "/* */", extent: ofBraces, rules: `
		struct \s*struct\s+(\w+)
		function \s*(?:@\w+(?:\([^)]*\))?\s+)*fn\s+(\w+)
		type:line \s*alias\s+(\w+)
		variable:line \s*(?:@\w+(?:\([^)]*\))?\s*)*(?:var(?:<[^>]*>)?|const|override|let)\s+(\w+)`},
}
