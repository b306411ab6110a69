package toolchain

import "strings"

func goBuild(f folder) (string, []string) {
	return f.first("go.mod", "go.work"), append([]string{"go", "build"}, goPackages(f)...)
}

func cargoBuild(f folder) (string, []string) {
	return f.first("Cargo.toml"), []string{"cargo", "build"}
}

// pythonBuild has something to say only where a package is made.
func pythonBuild(f folder) (string, []string) {
	text := f.text("pyproject.toml")
	switch {
	case !strings.Contains(text, "[build-system]"):
		return "", nil
	case f.isLocked("uv.lock"):
		return "pyproject.toml", []string{"uv", "build"}
	case f.isLocked("poetry.lock") || strings.Contains(text, "[tool.poetry]"):
		return "pyproject.toml", []string{"poetry", "build"}
	}
	return "pyproject.toml", []string{"python3", "-m", "build"}
}

func nodeBuild(f folder) (string, []string) { return nodeScript(f, "build") }

func phpBuild(f folder) (string, []string) {
	if f.composer().Scripts["build"] == nil {
		return "", nil
	}
	return "composer.json", []string{"composer", "run-script", "build"}
}

func gradleBuild(f folder) (string, []string) {
	because, argv := gradleTest(f)
	return because, []string{argv[0], "assemble"}
}

func mavenBuild(f folder) (string, []string) {
	because, argv := mavenTest(f)
	return because, []string{argv[0], "-q", "package", "-DskipTests"}
}

func dotnetBuild(f folder) (string, []string) {
	because, _ := dotnetTest(f)
	return because, []string{"dotnet", "build"}
}

func cmakeBuild(f folder) (string, []string) {
	return f.first("CMakeLists.txt"), []string{"cmake", "--build", "build"}
}

func makeBuild(f folder) (string, []string) {
	name, targets := f.targets()
	for _, t := range targets {
		if t == "build" || t == "all" {
			return name, []string{"make", t}
		}
	}
	return "", nil
}

func justBuild(f folder) (string, []string) { return justRecipe(f, "build") }

func taskBuild(f folder) (string, []string) { return taskOf(f, "build") }
