package cli

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"codeintel/internal/mcp"
	"codeintel/internal/platform/memlimit"
	"codeintel/internal/problem"
	"codeintel/internal/project"
)

// serveOptions is what the flags of mcp say.
type serveOptions struct {
	address     string
	toolsets    []string
	remote      bool
	noToken     bool
	tokenFile   string
	hosts       []string
	origins     []string
	environment func(string) string
}

// tokenVariable may hold the bearer token, so that it need not be in a file.
const tokenVariable = "CODE_INTEL_TOKEN"

func (a *app) mcp() *cobra.Command {
	s := serveOptions{environment: os.Getenv}
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve the Model Context Protocol",
		Long: strings.TrimSpace(`
Serve the Model Context Protocol to a coding agent: on standard input and output,
or with --http as streamable HTTP at /mcp. Over HTTP a client must send a bearer
token: the one in --token-file or in ` + tokenVariable + `, otherwise a new one, which is
printed to standard error.

Besides tools there are resources (code-intel://session, code-intel://pipeline/ID,
code-intel://file-outline/PATH) and the skills code, forge and outcome as prompts.
--toolsets limits all three. Every revision of the protocol up to 2026-07-28 is
supported, with and without sessions.`),
		Example: "  claude mcp add code-intel -- code-intel mcp\n  code-intel mcp --http 127.0.0.1:8137\n  code-intel mcp --toolsets search",
		Args:    checkArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := s.overHTTP(cmd); err != nil {
				return err
			}
			return a.serve(cmd.Context(), &s)
		},
	}
	f := cmd.Flags()
	f.StringVar(&s.address, "http", "", "serve HTTP at this `address`, such as 127.0.0.1:8137, instead of standard input")
	f.StringSliceVar(&s.toolsets, "toolsets", nil,
		"offer only these `sets` of tools: search, code (brings search), forge (default: all)")
	f.BoolVar(&s.remote, "allow-remote", false, "allow an --http address that other machines can reach")
	f.StringVar(&s.tokenFile, "token-file", "", "read the bearer token from this `file`")
	f.BoolVar(&s.noToken, "no-token", false, "let every program on this machine connect")
	f.StringSliceVar(&s.hosts, "allow-host", nil, "also answer to these host `names`")
	f.StringSliceVar(&s.origins, "allow-origin", nil, "allow requests from web pages of these `origins`")
	cmd.MarkFlagsMutuallyExclusive("no-token", "token-file")
	cmd.MarkFlagsMutuallyExclusive("no-token", "allow-remote")
	return cmd
}

// overHTTP refuses an address that is none, and flags that mean nothing without one.
func (s *serveOptions) overHTTP(cmd *cobra.Command) error {
	if cmd.Flags().Changed("http") {
		if _, _, err := net.SplitHostPort(s.address); err != nil {
			return problem.New(problem.InvalidArgument, "cli.http_address_not_valid", s.address).Or("cli.give_host_and_port")
		}
		return nil
	}
	for _, name := range []string{"allow-remote", "token-file", "no-token", "allow-host", "allow-origin"} {
		if cmd.Flags().Changed(name) {
			return problem.New(problem.InvalidArgument, "cli.about_http_server_would_speak", name).
				Or("cli.add_http_address_leave_out")
		}
	}
	return nil
}

func (a *app) serve(ctx context.Context, s *serveOptions) (err error) {
	root, err := project.Find(a.dir())
	if err != nil {
		return environment{err}
	}
	// The first answer reads much and throws away little of it.
	usual := memlimit.Garbage(gcPercent)
	defer usual()
	options := mcp.Options{Root: root, Version: versionOf().Version, Log: a.log, Begun: usual}
	for _, t := range s.toolsets {
		options.Toolsets = append(options.Toolsets, mcp.Toolset(t))
	}
	server, err := mcp.New(options)
	if err != nil {
		return err
	}
	defer func() {
		if closing := server.Close(); err == nil {
			err = closing
		}
	}()
	if s.address == "" {
		return server.ServeStdio(ctx, a.in, a.out)
	}
	return a.serveHTTP(ctx, server, s)
}

func (a *app) serveHTTP(ctx context.Context, server *mcp.Server, s *serveOptions) error {
	token, origin, err := s.token()
	if err != nil {
		return err
	}
	exposure := mcp.Local
	if s.remote {
		exposure = mcp.Remote
	}
	l, err := mcp.Listen(ctx, s.address, exposure)
	if problem.Of(err) != nil {
		return err
	}
	if err != nil {
		return environment{err}
	}
	fmt.Fprintf(a.err, "serving http://%s/mcp\n", l.Addr())
	switch {
	case token == "":
		fmt.Fprintln(a.err, "no token is required")
	case origin == "":
		fmt.Fprintf(a.err, "Authorization: Bearer %s\n", token)
	default:
		fmt.Fprintf(a.err, "the bearer token comes from %s\n", origin)
	}
	return server.ServeHTTP(ctx, l, mcp.HTTPOptions{Token: token, AllowedHosts: s.hosts, AllowedOrigins: s.origins})
}

// token returns the bearer token and where it is from, "" if it is new.
func (s *serveOptions) token() (token, origin string, err error) {
	if s.noToken {
		return "", "", nil
	}
	if s.tokenFile != "" {
		data, err := os.ReadFile(s.tokenFile)
		if err != nil {
			return "", "", environment{fmt.Errorf("token: %w", err)}
		}
		if token = strings.TrimSpace(string(data)); token == "" {
			return "", "", environment{problem.New(problem.InvalidArgument, "cli.holds_no_token", s.tokenFile).Or("cli.write_a_token")}
		}
		return token, filepath.Clean(s.tokenFile), nil
	}
	if token = strings.TrimSpace(s.environment(tokenVariable)); token != "" {
		return token, tokenVariable, nil
	}
	return mcp.NewToken(), "", nil
}
