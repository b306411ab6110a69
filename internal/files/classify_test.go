package files

import (
	"strings"
	"testing"
)

func TestClassify(t *testing.T) {
	long := strings.Repeat("var a=function(b){return b+1};", 300)
	for _, tt := range []struct {
		path, head string
		want       Class
	}{
		{"main.go", "package main\n", Source},
		{"a/b/Main.java", "", Source},
		{"README.md", strings.Repeat("One long paragraph of prose on one line. ", 100), Source},
		{"no_extension", "#!/bin/sh\n", Source},
		{"video.ts", "export const a = 1\n", Source},
		{"utf16.cs", "\xff\xfeu\x00s\x00i\x00n\x00g\x00", Source},
		{"sjis.c", "/* \x8f\x89\x8a\xfa\x89\xbb */\n", Source},

		{".env", "", Secret},
		{"deploy/.env.production", "", Secret},
		{"prod.env", "", Secret},
		{".env.example", "", Source},
		{".env.dist", "", Source},
		{"environment.go", "", Source},
		{"keys.go", "package keys\n", Source},
		{"server.key", "", Secret},
		{"certs/ca.pem", "", Secret},
		{"home/.ssh/id_ed25519", "", Secret},
		{"id_rsa.pub", "", Source},
		{"id_rsa_test.go", "package x", Source},
		{".aws/credentials", "", Secret},
		{"docs/credentials", "", Source},
		{"infra/terraform.tfstate", "", Secret},
		{"config/master.key", "", Secret},
		{"deployed", "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl", Secret},
		{"crypto_test.go", "package x\nconst k = `-----BEGIN RSA PRIVATE KEY-----`", Source},
		{"gcp.json", `{"type": "service_account", "private_key": "-----BEGIN PRIVATE KEY-----\n`, Secret},
		{"gcp.json", `{"type":"service_account","private_key":"-----BEGIN PRIVATE KEY-----\n`, Secret},
		{"home/.bash_history", "ls\n", Secret},
		{".zsh_history", "", Secret},
		{"kubeconfig", "", Secret},
		{"prod.kubeconfig", "", Secret},
		{"kubeconfig.yaml", "", Secret},
		{"kubeconfig.go", "package a\n", Source},
		{"admin.conf", "apiVersion: v1\nkind: Config\nusers:\n- name: a\n  user:\n    client-key-data: LS0t\n", Secret},
		{"cluster.yaml", "apiVersion: v1\nkind: Config\nusers:\n- name: a\n  user:\n    exec: {}\n", Source},
		{".env-prod", "", Secret},
		{".env_backup", "", Secret},
		{".env ", "", Secret},
		{".flaskenv", "", Secret},
		{"deploy/env.production", "", Secret},
		{"prod.ENV", "", Secret},
		{".envs/.production/.django", "", Secret},
		{".envs/.production/.django.example", "", Source},
		{"env.go", "package env\n", Source},
		{".environment.md", "", Source},
		{"local.settings.json", "", Secret},
		{"android/key.properties", "", Secret},
		{"home/.config/gh/hosts.yml", "", Secret},
		{"ansible/hosts.yml", "", Source},
		{".yarnrc.yml", "npmAuthToken: x\n", Secret},
		{".yarnrc.yml", "nodeLinker: node-modules\n", Source},
		{"auth.json", `{"http-basic": {}}`, Secret},
		{"auth.json", `{"users": []}`, Source},
		{"x", "PuTTY-User-Key-File-3: ssh-rsa\n", Secret},
		{"key.txt", "# created: 2024-01-01\n# public key: age1x\nAGE-SECRET-KEY-1X\n", Secret},
		{"a_test.go", "package a\n\nconst k = \"AGE-SECRET-KEY-1X\"\n", Source},
		{".env~", "", Secret},
		{".env.bak", "", Secret},
		{"..env.swp", "", Secret},
		{".netrc.orig", "", Secret},
		{"#.env#", "", Secret},
		{"id_ed25519~", "", Secret},
		{".env.example~", "", Source},
		{"~", "", Source},
		{"#", "", Source},
		{"main.go~", "package main\n", Source},
		{"history.go", "package a\n", Source},
		{"src/appsettings.Production.json", "{}", Secret},
		{"appsettings.json", "{}", Source},
		{"appsettings.Development.json", "{}", Source},
		{"wp-config.php", "<?php\n", Secret},
		{"wp-config-prod.php", "<?php\n", Secret},
		{"wp-config-sample.php", "<?php\n", Source},
		{"home/.hgrc", "", Secret},
		{".hg/hgrc", "", Secret},
		{"terraform.tfstate.1700000000.backup", "", Secret},
		{"prod.auto.tfvars.json", `{"db": {"admin_password": "x"}}`, Secret},
		{"terraform.tfvars.prod", "api_token = \"x\"\n", Secret},
		{"a.tfvars", "users = {\n  a = { password = \"x\" }\n}\n", Secret},
		{"a.tfvars", "db = \"postgres://me:x@db\"\n", Secret},
		{"a.tfvars", "key = <<EOT\n-----BEGIN RSA PRIVATE KEY-----\nEOT\n", Secret},
		{"a.tfvars", strings.Repeat("a = \"b\"\n", 1024), Secret},
		{"a.tfvars", "region = \"x\"\nsecret_name = \"db\"\ntoken_ttl = \"1h\"\ncreate_secret = true\npassword = \"\"\n", Source},
		{"prod.auto.tfvars.json", `{"region": "x"}`, Source},
		{"terraform.tfvars.example", "", Source},
		{".NETRC", "", Secret},
		{".netrc-work.old", "", Secret},
		{"netrc.go", "package netrc\n", Source},
		{".pypirc.ci", "", Secret},
		{"secrets.production.yml", "", Secret},
		{"credentials-prod.json", "", Secret},
		{"home/work.go", "package home\n", Source},
		{"deploy-prod.yml", "a: b\n", Source},
		{"client_secret_1-x.apps.googleusercontent.com.json", "", Secret},
		{"app/.npmrc.ci", "//r/:_authToken=x\n", Secret},
		{"docker/config.json", `{"auths": {"r": {"auth": "eDp5"}}}`, Secret},
		{"config.json", `{"a": 1}`, Source},
		{".dockerconfigjson", "", Secret},
		{"settings.xml", "<settings><server><password>x</password></server></settings>", Secret},
		{".dev.vars", "", Secret},
		{".npmrc", "//registry.npmjs.org/:_authToken=abc", Secret},
		{".npmrc", "save-exact=true\n", Source},
		{".git/config", "", Secret},
		{"sub/.git/config", "", Secret},
		{".github/workflows/ci.yml", "", Source},

		{"home/.duckdb_history", "", Secret},
		{"home/.zsh_sessions/1.history", "", Secret},
		{"PSReadLine/ConsoleHost_history.txt", "", Secret},
		{"docs/release_history", "", Source},
		{"home/.ssh/work", "", Secret},
		{"home/.ssh/work.pub", "", Source},
		{"home/.ssh/known_hosts", "", Source},
		{"home/.config/gcloud/legacy_credentials/me/adc.json", "{}", Secret},
		{"home/.aws/sso/cache/1.json", "{}", Secret},
		{".aws/task-definition.json", "{}", Source},
		{"pull.json", `{"auths": {"r": {"auth": "eDp5"}}}`, Secret},
		{"pull.yaml", "kind: Secret\ndata:\n  .dockerconfigjson: eDp5\n", Secret},
		{"kube.json", `{"kind": "Config", "users": [{"user": {"token": "x"}}]}`, Secret},
		{"k3s.yaml", "kind: Config\nusers:\n- user:\n    token: x\n", Secret},
		{"kustomization.json", `{"kind": "Config", "token": ""}`, Source},
		{"src/kubeconfig.py", "def load(): pass\n", Source},
		{"kubeconfig.cluster1", "", Secret},
		{"wallets/UTC--2026-01-01T00-00-00Z--ab", `{"crypto": {"ciphertext": "ab", "kdf": "scrypt"}}`, Secret},
		{"a.json", `{"crypto": {"ciphertext": "ab", "kdf": "scrypt"}}`, Secret},
		{"wallet.json", `{"privateKey": "0x` + strings.Repeat("ab", 32) + `"}`, Secret},
		{"id.json", "[" + strings.Repeat("7, ", 63) + "7]", Secret},
		{"primes.json", "[2, 3, 5, 7]", Source},
		{"wg0.conf", "[Interface]\nPrivateKey = x\n", Secret},
		{"nginx.conf", "server {}\n", Source},
		{"pip.conf", "[global]\nindex-url = https://me:x1@pypi.example/simple\n", Secret},
		{"pip.conf", "[global]\nindex-url = https://pypi.example/simple\n", Source},
		{"home/.wgetrc", "password=correct1horse\n", Secret},
		{"home/.gitconfig", "[user]\n\tname = me\n", Source},
		{"gradle.properties", "ossrhPassword=correct1horse\n", Secret},
		{"gradle.properties", "org.gradle.jvmargs=-Xmx2048m\nossrhPassword=${env.PASSWORD1}\n", Source},
		{"aws/credentials", "[default]\naws_secret_access_key = wJalrXUtnFEMI1K7\n", Secret},
		{"home/.config/glab-cli/config.yml", "hosts:\n  gitlab.com:\n    token: glx1234567890\n", Secret},
		{".github/config.yml", "blank_issues_enabled: false\n", Source},
		{"config.yml", "token: glx1234567890\n", Source},
		{"token.txt", "ab12\n", Secret},
		{"docs/passwords.txt", "123456\npassword\nqwerty\nabc123\n", Source},
		{"cookies.txt", "# Netscape HTTP Cookie File\n", Secret},
		{"etc/shadow", "root:$6$ab$cd:1:0:99999:7:::\n", Secret},
		{"shadow", "box-shadow: 1px\n", Source},
		{"netrc.txt", "machine x login y password z\n", Secret},
		{"requirements.txt", "flask\n", Source},

		{"logo.PNG", "", Binary},
		{"prog", "\x7fELF\x02\x01\x01\x00\x00\x00", Binary},
		{"video2.ts", "\x47\x40\x11\x10\x00\x42\xf0\x25\x00\x01\xc1\x00\x00\xff\x01\xff\x00\x01\xfc\x80\x14\x48\x12", Binary},
		{"icon.svg", "<svg></svg>", Source},

		{"jquery.min.js", "", Minified},
		{"a-min.css", "", Minified},
		{"app.js", long, Minified},
		{"data.json", "{" + long + "}", Minified},
		{"app.js", strings.ReplaceAll(long, ";", ";\n"), Source},
		{"vendor/x/app.min.js", "", Minified},

		{"vendor/github.com/x/y.go", "", Vendored},
		{"web/Node_Modules/x/index.js", "", Vendored},
		{"third_party/zlib/zlib.h", "", Vendored},
		{"static/jquery-3.7.1.js", "", Vendored},
		{"vendor.go", "", Source},
		{"shop/vendors/prices.go", "", Source},
		{"vendor/api.pb.go", "", Vendored},

		{"api.pb.go", "", Generated},
		{"x_pb2.py", "", Generated},
		{"package-lock.json", "", Generated},
		{"go.sum", "", Generated},
		{"ops_string.go", "// Code generated by \"stringer -type=op\"; DO NOT EDIT.\n\npackage ops\n", Generated},
		{"a.go", "// Copyright\n\n// Code generated by hand. DO EDIT.\npackage a\n", Source},
		{"gen.go", "package gen\n\nfmt.Fprintln(w, `// Code generated by gen; DO NOT EDIT.`)\n", Source},
		{"A.cs", "//------\n// <auto-generated>\n//     This code was generated by a tool.\n", Generated},
		{"x.php", "<?php\n/**\n * @generated SignedSource<<abc>>\n */\n", Generated},
		{"x.py", "# This file was automatically generated by SWIG\n", Generated},
		{"x.py", "# Generated by Django 4.2\n# do not edit\n", Source}, // two lines, no signature
		{"y.sql", "-- Autogenerated by sqlc\n", Generated},
		{"b.go", "// Package b knows what was generated, and how.\npackage b\n", Source},
	} {
		head := []byte(tt.head)
		if tt.head == "" {
			head = nil
		}
		if got := classify(tt.path, head, 100, 1<<20); got != tt.want {
			t.Errorf("%s %.40q: %s, want %s", tt.path, tt.head, got, tt.want)
		}
	}
	if got := classify("big.go", nil, 1<<20+1, 1<<20); got != TooLarge {
		t.Errorf("big: %s", got)
	}
}

// Only what cannot or must not be shown stays out of the index.
func TestIndexed(t *testing.T) {
	for c, want := range map[Class]bool{
		Source: true, Generated: true, Vendored: true, Minified: true, Binary: false, TooLarge: false, Secret: false,
	} {
		if c.Indexed() != want {
			t.Errorf("%s: %v", c, !want)
		}
	}
}
