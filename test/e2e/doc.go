// Package e2e holds no code of the program. Its tests play agents against the
// whole server, over its protocol and on a real git repository: dishonest agents,
// which must fail; honest agents with many habits, which the rules must hardly slow
// down; and agents whose server dies again and again.
//
//	fixture_test.go          the repository, and the server over it
//	agent_test.go            an honest agent: it does what each answer says
//	work_test.go             what there is to do
//	adversarial_test.go      an agent that lies once, and the result
//	positive_test.go         honest agents, and how many turns the rules cost them
//	tricks_test.go           command lines that try to get around the hooks
//	mutate_test.go           each rule taken out: exactly its own attacks get through
//	server_test.go           the server as a separate process, which can be killed
//	kill_test.go             an agent whose server dies, again and again
//	crash_scenarios_test.go  what it is doing meanwhile
//	soak_test.go             all that for hours, and the results
//
// The packages harness, page and mutation are shared with the suite of pipelines.
package e2e
