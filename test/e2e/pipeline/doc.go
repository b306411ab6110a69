// Package pipeline holds no code of the program. Its tests play orchestrators of
// /forge against the whole server, over its protocol and on real git
// repositories: dishonest ones, who must not get a step further, and honest ones
// of many habits, who must reach the end.
//
//	stage_test.go         the repository, the server, and gh
//	orchestrator_test.go  one who does what each action says
//	work_test.go          what its agents write
//	cheats_test.go        one who lies once, and what becomes of it
//	defects_test.go       what older pipelines got wrong
//	contract_test.go      the examples of the data contract
//	honest_test.go        honest habits, at each effort
//	page_test.go          the table of cheats in docs/design/enforcement.md
package pipeline
