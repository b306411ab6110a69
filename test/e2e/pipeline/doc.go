// Package pipeline holds no code of the program. Its tests play orchestrators of
// /forge against the whole server, over its protocol and on real git repositories:
// dishonest ones, which must not get a step further, and honest ones with various
// habits, which must reach the end.
//
//	fixture_test.go       the repository, the server, and gh
//	orchestrator_test.go  an orchestrator that does what each action says
//	work_test.go          what its agents write
//	adversarial_test.go   an orchestrator that lies once, and the result
//	positive_test.go      honest orchestrators, at each effort
//	defects_test.go       what older pipelines got wrong
//	contract_test.go      the examples of the data contract
//	page_test.go          the list of attacks in docs/design/attacks.md
package pipeline
