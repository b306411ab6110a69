package cli

import (
	"context"
	"errors"
	"fmt"
	"html"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"codeintel/internal/dashboard"
	"codeintel/internal/doctor"
	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/searchpath"
	"codeintel/internal/problem"
	"codeintel/internal/project"
)

// dashboardFlags are the flags of the command dashboard.
type dashboardFlags struct {
	host string
	port int
	open bool
}

func (a *app) dashboard() *cobra.Command {
	var o dashboardFlags
	cmd := &cobra.Command{
		Use:   "dashboard",
		Short: "Show sessions, pipelines, the index and outcomes on a local web page",
		Long: strings.TrimSpace(`
Serve a local web page about the project: the current session as it progresses,
pipelines, the index, and what past work teaches. The address is printed; it contains a
token that is new each time. Press Ctrl-C to stop.

Where a session waits for your decision, you can make it on the page, if the command was
started on a terminal, and not on one that the agent opened.`),
		Example: "  code-intel dashboard\n  code-intel dashboard --port 8138 --open",
		Args:    checkArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.showPage(cmd.Context(), &o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.host, "host", "127.0.0.1",
		"listen on this `address`; anything but loopback lets other machines in, without encryption")
	f.IntVar(&o.port, "port", 0, "listen on this `port` (default: any free one)")
	f.BoolVar(&o.open, "open", false, "open the page in a browser")
	return a.withJSON(cmd)
}

// pageAddress is the address of a dashboard.
type pageAddress struct {
	URL  string `json:"url"`
	Root string `json:"root"`

	remote bool
	only   string // why nothing can be decided there; empty: it can
}

func (p *pageAddress) Text() string {
	text := "dashboard  " + p.URL + "\nproject    " + p.Root
	if p.only != "" {
		text += "\ndecisions  only in a terminal: " + p.only
	}
	if p.remote {
		text += "\nwarning    other machines can reach it, and what goes there is not encrypted"
	}
	return text + "\nPress Ctrl-C to stop."
}

func (a *app) showPage(ctx context.Context, o *dashboardFlags) error {
	if o.port < 0 || o.port > 65535 {
		return problem.New(problem.InvalidArgument, "cli.port_out_of_range", o.port).Or("cli.name_port_from_any_free")
	}
	if o.host == "" { // which would be every address there is
		return problem.New(problem.InvalidArgument, "cli.host_empty").
			Or("cli.leave_out_name_address")
	}
	root, err := project.Find(a.dir())
	if err != nil {
		return environment{err}
	}
	alone := a.checkNoAgent()
	d, err := dashboard.New(dashboard.Options{
		Root: root, Version: versionOf().Version, Log: a.log, Now: time.Now,
		Person: func(holder string) error {
			if alone != nil {
				return alone
			}
			return outsideAgent(holder, msg.New("cli.start_dashboard_in_terminal"))
		},
		Examine: func(ctx context.Context) *doctor.Report {
			return doctor.Examine(ctx, root, exec.LookPath, a.installPlaces(), a.log)
		},
	})
	if err != nil {
		return err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(o.host, strconv.Itoa(o.port)))
	if err != nil {
		return environment{fmt.Errorf("listen: %w", err)}
	}
	p := address(d, l, o.host, root)
	if alone != nil {
		p.only = problem.Of(alone).Message.String()
	}
	if err := a.print(p); err != nil {
		return errors.Join(err, l.Close())
	}
	if o.open {
		shut, err := openPage(root, p.URL)
		if err != nil {
			a.note("the browser cannot be opened: %v\n", err)
		}
		defer shut()
	}
	return d.Serve(ctx, l, o.host)
}

// address is where a browser of this machine finds a dashboard.
func address(d *dashboard.Server, l net.Listener, host, root string) *pageAddress {
	p := &pageAddress{Root: root}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		port = "" // TCP addresses have one
	}
	ip := net.ParseIP(host)
	switch {
	case ip != nil && ip.IsUnspecified():
		host, p.remote = "127.0.0.1", true
	case ip != nil:
		p.remote = !ip.IsLoopback()
	default:
		p.remote = !strings.EqualFold(host, "localhost")
	}
	p.URL = d.URL(net.JoinHostPort(host, port))
	return p
}

// checkNoAgent returns a Problem unless a person may have started the command: on a
// terminal that no agent opened.
func (a *app) checkNoAgent() error {
	way := msg.New("cli.start_dashboard_in_terminal")
	if !a.onTerminal() {
		return problem.New(notAPerson, "cli.dashboard_not_started_terminal").OrSay(way)
	}
	return outsideAgent("", way)
}

// openPage has the system's browser open an address. It passes the address in a file that
// only the user can read, because everybody can see the arguments of a program. shut removes
// the file.
func openPage(root, url string) (shut func(), err error) {
	shut = func() {}
	dir, err := atomicfile.UserDir()
	if err != nil {
		return shut, err
	}
	file := filepath.Join(dir, "dashboard", fmt.Sprintf("%d.html", os.Getpid()))
	text := fmt.Sprintf("<!doctype html><meta charset=\"utf-8\"><meta name=\"referrer\" content=\"no-referrer\"><meta http-equiv=\"refresh\" content=\"0;url=%s\"><title>code-intel</title>\n", html.EscapeString(url))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return shut, err
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return shut, err
	}
	shut = func() { _ = os.Remove(file) } // the address is worth nothing any more
	var cmd *exec.Cmd
	switch runtime.GOOS {
	case "darwin":
		cmd = searchpath.Command(context.Background(), root, "open", file)
	case "windows":
		cmd = searchpath.Command(context.Background(), root, "rundll32", "url.dll,FileProtocolHandler", file)
	default:
		cmd = searchpath.Command(context.Background(), root, "xdg-open", file)
	}
	if err := cmd.Start(); err != nil {
		return shut, err
	}
	go func() { _ = cmd.Wait() }() // how the browser fares is its own affair
	return shut, nil
}
