// Package e2e holds no code of the program. Its tests play agents against the
// whole server, over its protocol and on a real git repository: dishonest ones,
// who must fail, honest ones of many habits, who must hardly notice, and unlucky
// ones, whose server dies under them.
//
//	stage_test.go   the repository, and the server over it
//	agent_test.go   an honest agent: it does what each answer says
//	work_test.go    what there is to do
//	cheats_test.go  an agent that lies once, and what becomes of it
//	mutate_test.go  each rule taken out: exactly its own cheats get through
//	server_test.go  the server as a process of its own, which can be killed
//	kill_test.go    an agent whose server dies, again and again
//	plights_test.go what it is doing meanwhile
//	soak_test.go    all that for hours, and what came of it
//
// The rooms served, page and mutation hold what the suite of pipelines needs, too.
package e2e
