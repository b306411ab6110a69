#if defined(__unix__) || defined(__APPLE__)

#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#if !defined(MAP_ANONYMOUS)
#define MAP_ANONYMOUS MAP_ANON
#endif

static unsigned long count;
static uintptr_t page_size;

unsigned long mapped_faults(void) { return __atomic_load_n(&count, __ATOMIC_SEQ_CST); }

/* SQLite read a page of the -shm file that is no longer there. It gets an empty page, with
 * which it can end what it is at, and the fault is counted: whoever opened a database then
 * no longer believes it. */
static void give_page(int sig, siginfo_t *info, void *context) {
	(void)context;
	void *page = (void *)((uintptr_t)info->si_addr & ~(page_size - 1));
	if (info->si_code == BUS_ADRERR &&
	    mmap(page, page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED) {
		__atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST);
		return;
	}
	signal(sig, SIG_DFL); /* the instruction runs again, and ends the process */
}

/* Before the Go runtime starts: it passes on faults that do not happen in Go code to the
 * handler that it found. */
__attribute__((constructor)) static void catch_faults(void) {
	struct sigaction action = {0};
	page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
	action.sa_sigaction = give_page;
	action.sa_flags = SA_SIGINFO | SA_ONSTACK;
	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, NULL);
}

#else

unsigned long mapped_faults(void) { return 0; }

#endif
