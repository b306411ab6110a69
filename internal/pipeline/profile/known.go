package profile

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"codeintel/internal/files"
	"codeintel/internal/text"
)

// readers is the table of what dependencies tell. It names what shapes the code
// that one writes, not everything that one may use.
var readers = []reader{
	{[]string{"package.json"}, jsonKeys("dependencies", "devDependencies", "peerDependencies"), map[string]string{
		"react": "React", "react-native": "React Native", "expo": "Expo", "next": "Next.js", "gatsby": "Gatsby", "@remix-run/*": "Remix",
		"vue": "Vue", "nuxt": "Nuxt", "svelte": "Svelte", "@sveltejs/kit": "SvelteKit", "@angular/core": "Angular", "solid-js": "Solid",
		"astro": "Astro", "preact": "Preact", "lit": "Lit", "jquery": "jQuery", "electron": "Electron", "@tauri-apps/api": "Tauri",
		"express": "Express", "fastify": "Fastify", "koa": "Koa", "hono": "Hono", "@nestjs/core": "NestJS", "@hapi/hapi": "hapi",
		"@trpc/server": "tRPC", "graphql": "GraphQL", "@prisma/client": "Prisma", "typeorm": "TypeORM", "drizzle-orm": "Drizzle",
		"sequelize": "Sequelize", "mongoose": "Mongoose", "redux": "Redux", "@reduxjs/toolkit": "Redux", "tailwindcss": "Tailwind CSS",
		"vite": "Vite", "webpack": "webpack", "storybook": "Storybook", "three": "three.js",
		"jest": "Jest", "vitest": "Vitest", "mocha": "Mocha", "cypress": "Cypress", "@playwright/test": "Playwright", "@testing-library/*": "Testing Library",
		"eslint": "!ESLint", "prettier": "!Prettier", "@biomejs/biome": "!Biome", "stylelint": "!Stylelint", "oxlint": "!Oxlint", "xo": "!XO", "standard": "!StandardJS",
	}},
	{[]string{"go.mod"}, modules, map[string]string{
		"github.com/gin-gonic/gin": "Gin", "github.com/labstack/echo": "Echo", "github.com/gofiber/fiber": "Fiber", "github.com/go-chi/chi": "chi",
		"github.com/gorilla/mux": "gorilla/mux", "google.golang.org/grpc": "gRPC", "connectrpc.com/connect": "Connect", "github.com/spf13/cobra": "Cobra",
		"github.com/urfave/cli": "urfave/cli", "github.com/charmbracelet/bubbletea": "Bubble Tea", "gorm.io/gorm": "GORM", "entgo.io/ent": "ent",
		"github.com/jmoiron/sqlx": "sqlx", "github.com/jackc/pgx": "pgx", "github.com/99designs/gqlgen": "gqlgen", "go.uber.org/fx": "Fx",
		"github.com/modelcontextprotocol/go-sdk": "MCP Go SDK", "github.com/stretchr/testify": "testify", "github.com/onsi/ginkgo": "Ginkgo",
		"sigs.k8s.io/controller-runtime": "controller-runtime", "k8s.io/client-go": "client-go", "github.com/aws/aws-lambda-go": "AWS Lambda",
		"honnef.co/go/tools": "!Staticcheck",
	}},
	{[]string{"Cargo.toml"}, crates, map[string]string{
		"actix-web": "Actix Web", "axum": "axum", "rocket": "Rocket", "warp": "warp", "hyper": "hyper", "tonic": "tonic", "tokio": "Tokio", "async-std": "async-std",
		"serde": "Serde", "clap": "clap", "ratatui": "Ratatui", "bevy": "Bevy", "tauri": "Tauri", "leptos": "Leptos", "yew": "Yew", "dioxus": "Dioxus",
		"diesel": "Diesel", "sqlx": "SQLx", "sea-orm": "SeaORM", "proptest": "proptest", "criterion": "Criterion", "pyo3": "PyO3", "wasm-bindgen": "wasm-bindgen",
	}},
	{[]string{"pyproject.toml", "requirements*.txt", "setup.py", "setup.cfg", "Pipfile", "tox.ini"}, requirements, map[string]string{
		"django": "Django", "djangorestframework": "Django REST framework", "flask": "Flask", "fastapi": "FastAPI", "starlette": "Starlette", "tornado": "Tornado",
		"aiohttp": "aiohttp", "sqlalchemy": "SQLAlchemy", "pydantic": "Pydantic", "celery": "Celery", "click": "Click", "typer": "Typer", "streamlit": "Streamlit",
		"numpy": "NumPy", "pandas": "pandas", "torch": "PyTorch", "tensorflow": "TensorFlow", "scikit-learn": "scikit-learn", "transformers": "Transformers",
		"pytest": "pytest", "hypothesis": "Hypothesis", "scrapy": "Scrapy", "airflow": "Airflow", "apache-airflow": "Airflow", "mcp": "MCP Python SDK",
		"ruff": "!Ruff", "black": "!Black", "flake8": "!Flake8", "pylint": "!Pylint", "isort": "!isort", "mypy": "!mypy", "pyright": "!Pyright", "bandit": "!Bandit",
	}},
	{[]string{"composer.json"}, jsonKeys("require", "require-dev"), map[string]string{
		"laravel/framework": "Laravel", "laravel/lumen-framework": "Lumen", "symfony/framework-bundle": "Symfony", "symfony/symfony": "Symfony", "slim/slim": "Slim",
		"cakephp/cakephp": "CakePHP", "codeigniter4/framework": "CodeIgniter", "yiisoft/yii2": "Yii", "laminas/laminas-mvc": "Laminas", "drupal/core*": "Drupal",
		"doctrine/orm": "Doctrine", "livewire/livewire": "Livewire", "filament/filament": "Filament", "phpunit/phpunit": "PHPUnit", "pestphp/pest": "Pest",
		"phpstan/phpstan": "!PHPStan", "larastan/larastan": "!PHPStan", "vimeo/psalm": "!Psalm", "squizlabs/php_codesniffer": "!PHP_CodeSniffer",
		"friendsofphp/php-cs-fixer": "!PHP CS Fixer", "laravel/pint": "!Pint", "rector/rector": "!Rector",
	}},
	{[]string{"Gemfile", "*.gemspec"}, matches(`(?m)^\s*(?:gem|\w+\.add_(?:development_)?dependency)[ \t(]*["']([\w-]+)["']`), map[string]string{
		"rails": "Rails", "sinatra": "Sinatra", "hanami": "Hanami", "grape": "Grape", "sidekiq": "Sidekiq", "devise": "Devise", "turbo-rails": "Hotwire",
		"rspec": "RSpec", "rspec-rails": "RSpec", "minitest": "Minitest", "capybara": "Capybara", "jekyll": "Jekyll", "sequel": "Sequel",
		"rubocop*": "!RuboCop", "standard": "!Standard Ruby", "reek": "!Reek", "brakeman": "!Brakeman", "sorbet": "!Sorbet",
	}},
	{[]string{"pom.xml"}, matches(`<artifactId>\s*([\w.-]+)\s*</artifactId>`), jvm},
	{[]string{"build.gradle", "build.gradle.kts", "libs.versions.toml"}, gradleNames, jvm},
	{[]string{"*.csproj", "*.fsproj", "*.vbproj", "Directory.Packages.props", "Directory.Build.props"},
		matches(`(?:Include|Sdk)="([\w.]+)[^"]*"`), map[string]string{
			"Microsoft.NET.Sdk.Web": "ASP.NET Core", "Microsoft.AspNetCore.App": "ASP.NET Core", "Microsoft.NET.Sdk.BlazorWebAssembly": "Blazor",
			"Microsoft.NET.Sdk.Worker": "Worker Service", "Microsoft.Maui.Controls": ".NET MAUI", "Avalonia": "Avalonia", "Microsoft.EntityFrameworkCore*": "Entity Framework Core",
			"Dapper": "Dapper", "MediatR": "MediatR", "Grpc.AspNetCore": "gRPC", "xunit*": "xUnit", "NUnit": "NUnit", "MSTest*": "MSTest",
			"StyleCop.Analyzers": "!StyleCop", "SonarAnalyzer.CSharp": "!SonarAnalyzer", "Roslynator.Analyzers": "!Roslynator",
		}},
	{[]string{"CMakeLists.txt"}, matches(`(?i)(?:find_package|FetchContent_Declare)\s*\(\s*(\w+)`), map[string]string{
		"Qt5": "Qt", "Qt6": "Qt", "Boost": "Boost", "GTest": "GoogleTest", "googletest": "GoogleTest", "Catch2": "Catch2", "doctest": "doctest", "OpenCV": "OpenCV",
		"SDL2": "SDL", "SDL3": "SDL", "fmt": "fmt", "Eigen3": "Eigen", "CUDAToolkit": "CUDA", "Protobuf": "Protocol Buffers", "gRPC": "gRPC", "OpenGL": "OpenGL", "Vulkan": "Vulkan",
	}},
}

// jvm is what names of artifacts and of plugins tell, in Maven and in Gradle.
var jvm = map[string]string{
	"spring-boot*": "Spring Boot", "org.springframework.boot": "Spring Boot", "spring-webmvc": "Spring MVC", "quarkus-*": "Quarkus", "io.quarkus": "Quarkus",
	"micronaut-*": "Micronaut", "io.micronaut*": "Micronaut", "ktor-*": "Ktor", "io.ktor*": "Ktor", "javalin": "Javalin", "jakarta.jakartaee-api": "Jakarta EE",
	"hibernate-core": "Hibernate", "jooq": "jOOQ", "lombok": "Lombok", "com.android.application": "Android", "com.android.library": "Android", "compose-bom": "Jetpack Compose",
	"junit": "JUnit 4", "junit-jupiter*": "JUnit 5", "kotest-*": "Kotest", "spock-core": "Spock", "mockito-*": "Mockito", "testcontainers": "Testcontainers",
	"maven-checkstyle-plugin": "!Checkstyle", "checkstyle": "!Checkstyle", "spotless-maven-plugin": "!Spotless", "com.diffplug.spotless": "!Spotless",
	"spotbugs-maven-plugin": "!SpotBugs", "com.github.spotbugs": "!SpotBugs", "maven-pmd-plugin": "!PMD", "pmd": "!PMD",
	"io.gitlab.arturbosch.detekt": "!detekt", "org.jlleitschuh.gradle.ktlint": "!ktlint", "com.google.devtools.ksp": "KSP",
}

var gradleQuoted = matches(`["']([\w.:-]+)["']`)

// gradleNames returns the names in the coordinates, plugins and catalogues of Gradle.
func gradleNames(text string) (all []string) {
	for _, quoted := range gradleQuoted(text) {
		all = append(all, strings.Split(quoted, ":")...)
	}
	return all
}

// settings are the files in which linters and formatters are set.
var settings = []struct{ name, pattern string }{
	{"golangci-lint", ".golangci.y*ml"}, {"golangci-lint", ".golangci.toml"}, {"golangci-lint", ".golangci.json"}, {"Staticcheck", "staticcheck.conf"},
	{"ESLint", ".eslintrc*"}, {"ESLint", "eslint.config.*"}, {"Prettier", ".prettierrc*"}, {"Prettier", "prettier.config.*"},
	{"Biome", "biome.json*"}, {"Stylelint", ".stylelintrc*"}, {"Stylelint", "stylelint.config.*"}, {"Oxlint", ".oxlintrc.json"}, {"markdownlint", ".markdownlint*"},
	{"Ruff", "ruff.toml"}, {"Ruff", ".ruff.toml"}, {"Flake8", ".flake8"}, {"Pylint", ".pylintrc"}, {"mypy", "mypy.ini"}, {"mypy", ".mypy.ini"}, {"Pyright", "pyrightconfig.json"},
	{"rustfmt", "rustfmt.toml"}, {"rustfmt", ".rustfmt.toml"}, {"Clippy", "clippy.toml"}, {"Clippy", ".clippy.toml"},
	{"RuboCop", ".rubocop.yml"}, {"Standard Ruby", ".standard.yml"}, {"PHPStan", "phpstan*.neon*"}, {"Psalm", "psalm.xml*"}, {"PHP_CodeSniffer", "phpcs.xml*"},
	{"PHP_CodeSniffer", ".phpcs.xml*"}, {"PHP CS Fixer", ".php-cs-fixer*.php"}, {"Pint", "pint.json"}, {"Checkstyle", "checkstyle*.xml"}, {"detekt", "detekt*.yml"}, {"SpotBugs", "spotbugs*.xml"},
	{"clang-format", ".clang-format"}, {"clang-tidy", ".clang-tidy"}, {"ktlint", ".ktlint*"}, {"SwiftLint", ".swiftlint.yml"}, {"ShellCheck", ".shellcheckrc"},
	{"hadolint", ".hadolint.y*ml"}, {"yamllint", ".yamllint*"}, {"pre-commit", ".pre-commit-config.yaml"}, {"Lefthook", "lefthook.y*ml"}, {"StyleCop", "stylecop.json"},
	{"SQLFluff", ".sqlfluff"}, {"Credo", ".credo.exs"}, {"Scalafmt", ".scalafmt.conf"}, {"Buf", "buf.yaml"},
}

// settingsOf returns the linter that a file of this name sets, or "".
func settingsOf(base string) string {
	for _, s := range settings {
		if ok, _ := path.Match(s.pattern, base); ok {
			return s.name
		}
	}
	return ""
}

// ciFiles are where a repository says what runs on its pushes.
var ciFiles = []struct{ name, pattern string }{
	{"GitHub Actions", ".github/workflows/*.y*ml"}, {"GitLab CI", ".gitlab-ci.yml"}, {"CircleCI", ".circleci/config.yml"}, {"Jenkins", "Jenkinsfile*"},
	{"Azure Pipelines", "azure-pipelines*.yml"}, {"Azure Pipelines", ".azure-pipelines/*.yml"}, {"Travis CI", ".travis.yml"}, {"Bitbucket Pipelines", "bitbucket-pipelines.yml"},
	{"Buildkite", ".buildkite/*.y*ml"}, {"Drone", ".drone.yml"}, {"Woodpecker", ".woodpecker.y*ml"}, {"Woodpecker", ".woodpecker/*.y*ml"}, {"AppVeyor", "appveyor.yml"},
	{"AppVeyor", ".appveyor.yml"}, {"Cirrus CI", ".cirrus.yml"}, {"Google Cloud Build", "cloudbuild.y*ml"}, {"Semaphore", ".semaphore/*.yml"},
	{"TeamCity", ".teamcity/*"}, {"Forgejo Actions", ".forgejo/workflows/*.y*ml"}, {"Gitea Actions", ".gitea/workflows/*.y*ml"},
}

// ciOf returns the continuous integration that the repository uses, with the names
// of the files where there are several.
func ciOf(entries []files.Entry) []string {
	found := make(map[string][]string)
	for _, e := range entries {
		for _, c := range ciFiles {
			if ok, _ := path.Match(c.pattern, e.Path); ok {
				found[c.name] = append(found[c.name], path.Base(e.Path))
			}
		}
	}
	var all []string
	for name, in := range found {
		if strings.Contains(name, "Actions") {
			slices.SortStableFunc(in, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
			name += " (" + text.ListFirst(in, 6) + ")"
		}
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// checks matches the names of files that check what is pushed; others label issues
// or release.
var checks = regexp.MustCompile(`(?i)test|ci\b|build|lint|check|main`)

func rank(name string) int {
	if checks.MatchString(name) {
		return 0
	}
	return 1
}
