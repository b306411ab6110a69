package unread

import (
	"path"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestOrdinary has ordinary changes of ordinary projects accuse nobody.
func TestOrdinary(t *testing.T) {
	open := []string{"appsettings serilog", "app intent", "config.exs", "doc other tool"} // what no table can tell
	for _, c := range []struct{ name, change string }{
		{"prisma migration", "-- prisma/migrations/20240101_add_paid/migration.sql --\nALTER TABLE \"a\" ADD COLUMN \"paidAt\" TIMESTAMP;\n-- rest prisma/schema.prisma --\nmodel A { paidAt DateTime }\n-- rest src/a.ts --\nx.paidAt\n"},
		{"diesel migration", "-- migrations/2024-01-01-000000_posts/up.sql --\nCREATE TABLE a (b int);\n-- migrations/2024-01-01-000000_posts/down.sql --\nDROP TABLE a;\n-- rest src/schema.rs --\na\n"},
		{"dbt mart", "-- models/fct_orders.sql --\nselect * from {{ ref('stg_orders') }}\n-- rest models/stg_orders.sql --\nselect 1\n-- rest models/dim_a.sql --\nselect * from {{ ref('stg_orders') }}\n"},
		{"docker GOPROXY", "-- Dockerfile --\nFROM golang\nARG GOPROXY=https://proxy.golang.org\nRUN go build ./...\n"},
		{"docker PIP_INDEX_URL", "-- Dockerfile --\nFROM python\nARG PIP_INDEX_URL\nRUN pip install -r r.txt\n"},
		{"docker NODE_ENV", "-- Dockerfile --\nFROM node\nARG NODE_ENV=production\nRUN npm ci\n"},
		{"make computed", "-- Makefile --\nMODE ?= debug\nFLAGS_debug := -g\nFLAGS_release := -O2\nall:\n\tcc $(FLAGS_$(MODE)) a.c\n"},
		{"make pgxs", "-- Makefile --\nEXTENSION = shop\nDATA = shop--1.0.sql\nREGRESS = shop\nPG_CONFIG = pg_config\nPGXS := $(shell $(PG_CONFIG) --pgxs)\ninclude $(PGXS)\n"},
		{"bootstrap override", "-- was src/a.scss --\n@import \"bootstrap/scss/bootstrap\";\n-- src/a.scss --\n$primary: #123;\n$enable-shadows: true;\n@import \"bootstrap/scss/bootstrap\";\n"},
		{"use with", "-- a.scss --\n@use \"bulma/sass\" with (\n  $family-primary: 'Inter',\n  $radius-large: 8px\n);\n"},
		{"page first", "-- a.css --\n@page :first {\n  margin: 0;\n}\n"},
		{"library custom prop", "-- was a.css --\n:root {\n  --gap: 1px;\n}\na { margin: var(--gap); }\n-- a.css --\n:root {\n  --gap: 1px;\n  --swiper-theme-color: red;\n}\na { margin: var(--gap); }\n"},
		{"vue transition", "-- was A.vue --\n<template><p class=\"card\" /></template>\n<style>\n.card {\n}\n</style>\n-- A.vue --\n<template><Transition name=\"fade\"><p class=\"card\" /></Transition></template>\n<style>\n.card {\n}\n.fade-enter-active,\n.fade-leave-active {\n  transition: opacity 1s;\n}\n</style>\n"},
		{"library class", "-- was a.css --\n.card {\n}\n-- a.css --\n.card {\n}\n.ql-editor {\n}\n-- rest a.html --\n<p class=\"card\">\n"},
		{"svelte single brace", "-- was a.css --\n.card {\n}\n-- a.css --\n.card {\n}\n.badge-warn {\n}\n-- rest a.svelte --\n<p class=\"card badge-{level}\">\n"},
		{"php dot", "-- was a.css --\n.card {\n}\n-- a.css --\n.card {\n}\n.badge-warn {\n}\n-- rest a.php --\n<p class=\"card <?= 'badge-' . $level ?>\">\n"},
		{"python f", "-- was a.css --\n.card {\n}\n-- a.css --\n.card {\n}\n.badge-warn {\n}\n-- rest a.py --\nx = f'card badge-{level}'\n"},
		{"vue props handed on", "-- A.vue --\n<script setup lang=\"ts\">\nconst props = defineProps<{ sideOffset?: number }>()\nconst emits = defineEmits<{ close: [] }>()\nconst forwarded = useForwardPropsEmits(props, emits)\n</script>\n<template><B v-bind=\"forwarded\" /></template>\n"},
		{"vue props multi", "-- A.vue --\n<script setup lang=\"ts\">\nconst props = defineProps<{\n  sideOffset?: number\n}>()\nconst forwarded = useForwardProps(props)\n</script>\n<template><B v-bind=\"forwarded\" /></template>\n"},
		{"useVModel", "-- A.vue --\n<script setup>\nconst props = defineProps({ modelValue: String })\nconst emit = defineEmits(['update:modelValue'])\nconst value = useVModel(props, 'modelValue', emit)\n</script>\n"},
		{"primevue dialog", "-- A.vue --\n<script setup>\nfunction show() {\n  dialog.open(B, {\n    props: {\n      header: 'Edit',\n      modal: true,\n    },\n  })\n}\n</script>\n"},
		{"getBooleanInput", "-- action.yml --\ninputs:\n  dry-run:\n    default: 'false'\nruns:\n  using: node20\n-- rest src/main.ts --\nconst d = core.getBooleanInput('dry-run')\n"},
		{"gitlab anchor", "-- .gitlab-ci.yml --\n.defaults: &defaults\n  image: x\njob:\n  <<: *defaults\n"},
		{"terragrunt", "-- modules/alarm/main.tf --\nresource \"a\" \"b\" {}\n-- rest live/prod/terragrunt.hcl --\nterraform {\n  source = \"../../modules/alarm\"\n}\n"},
		{"helm subchart", "-- was values.yaml --\nimage: a\n-- values.yaml --\nimage: a\nredis:\n  enabled: true\n-- Chart.yaml --\nname: a\ndependencies:\n  - name: redis\n    condition: redis.enabled\n-- rest templates/a.yaml --\nx: {{ .Values.image }}\n"},
		{"nginx map", "-- a.conf --\nupstream app_blue { server a; }\nupstream app_green { server b; }\nmap $cookie_c $pool {\n  default app_blue;\n  green app_green;\n}\nserver { location / { proxy_pass http://$pool; } }\n"},
		{"env library", "-- was .env.example --\nDATABASE_URL=x\n-- .env.example --\nDATABASE_URL=x\nAWS_REGION=eu\nSENTRY_AUTH_TOKEN=\n-- rest a.ts --\nprocess.env.DATABASE_URL\n"},
		{"spring properties", "-- was src/main/resources/application.properties --\nspring.datasource.url=a\nspring.datasource.password=b\nserver.port=1\n-- src/main/resources/application.properties --\nspring.datasource.url=a\nspring.datasource.password=b\nserver.port=1\nspring.jpa.open-in-view=false\n-- rest A.java --\nString url; String password; int port;\n"},
		{"circleci", "-- was .circleci/config.yml --\nversion: 2.1\njobs:\n  test:\n    docker:\n      - image: a\n    steps:\n      - run:\n          name: x\n          command: y\n-- .circleci/config.yml --\nversion: 2.1\njobs:\n  test:\n    parallelism: 4\n    resource_class: large\n    docker:\n      - image: a\n    steps:\n      - run:\n          name: x\n          command: y\n-- rest a.ts --\nversion; name; command;\n"},
		{"appsettings serilog", "-- was appsettings.json --\n{\n  \"Jwt\": {\n    \"Issuer\": \"a\",\n    \"Audience\": \"b\"\n  }\n}\n-- appsettings.json --\n{\n  \"Serilog\": {\n    \"MinimumLevel\": \"Information\"\n  },\n  \"Jwt\": {\n    \"Issuer\": \"a\",\n    \"Audience\": \"b\"\n  }\n}\n-- rest A.cs --\nc[\"Jwt:Issuer\"]; c[\"Jwt:Audience\"];\n"},
		{"i18n plural", "-- was locales/en.json --\n{\n  \"hello\": \"A\"\n}\n-- locales/en.json --\n{\n  \"hello\": \"A\",\n  \"items_one\": \"{{count}} item\",\n  \"items_other\": \"{{count}} items\"\n}\n-- rest a.ts --\nt('hello'); t('items', { count })\n"},
		{"i18n dynamic", "-- was locales/en.json --\n{\n  \"hello\": \"A\"\n}\n-- locales/en.json --\n{\n  \"hello\": \"A\",\n  \"error_E12\": \"No\"\n}\n-- rest a.ts --\nt('hello'); t(`error_${code}`)\n"},
		{"ts options of library", "-- was a.ts --\nconst fetchOptions = {\n  method: 'GET',\n}\nfetch(u, fetchOptions)\n-- a.ts --\nconst fetchOptions = {\n  method: 'GET',\n  credentials: 'include',\n}\nfetch(u, fetchOptions)\n-- rest b.ts --\nreq.method\n"},
		{"heredoc", "-- install --\n#!/bin/sh\nbin=/usr/bin/app\ncat > /etc/systemd/system/app.service <<EOF\n[Service]\nExecStart=$bin\nRestart=always\n[Install]\nWantedBy=multi-user.target\nEOF\n"},
		{"continued", "-- build.sh --\n#!/bin/sh\nmake \\\n  PREFIX=/usr \\\n  CROSS_COMPILE=arm-\n"},
		{"TIMEFORMAT", "-- build.sh --\n#!/bin/bash\nTIMEFORMAT=%R\ntime make\n"},
		{"shell indirect", "-- build.sh --\n#!/bin/bash\nHOST_dev=a\nHOST_prod=b\nv=\"HOST_$1\"\nssh \"${!v}\"\n"},
		{"django apps", "-- shop/apps.py --\nfrom django.apps import AppConfig\n\n\nclass ShopConfig(AppConfig):\n    name = 'shop'\n-- rest config/settings.py --\nINSTALLED_APPS = ['shop']\n"},
		{"django tests", "-- shop/tests.py --\nfrom django.test import TestCase\n\n\nclass CartTests(TestCase):\n    pass\n"},
		{"laravel command", "-- app/Console/Commands/SendReport.php --\n<?php\n\nnamespace App\\Console\\Commands;\n\nclass SendReport extends Command\n{\n    protected $signature = 'report:send';\n}\n-- rest routes/console.php --\nSchedule::command('report:send');\n"},
		{"symfony controller", "-- src/Controller/CartController.php --\n<?php\n\nnamespace App\\Controller;\n\nclass CartController extends AbstractController\n{\n    #[Route('/cart')]\n    public function show() {}\n}\n"},
		{"eloquent UPDATED_AT", "-- app/Models/Log.php --\n<?php\n\nclass Log extends Model\n{\n    const UPDATED_AT = null;\n}\n-- rest a.php --\nLog::all();\n"},
		{"kotlin long annotation", "-- a.kt --\nimport x\n\n@Entity\n@Table(\n    name = \"orders\",\n)\nclass OrderEntity\n"},
		{"lit", "-- src/my-counter.ts --\nimport { LitElement } from 'lit'\n\n@customElement('my-counter')\nexport class MyCounter extends LitElement {}\n-- rest index.html --\n<my-counter></my-counter>\n"},
		{"ansible", "-- plugins/modules/shop.py --\nDOCUMENTATION = r'''\n'''\nEXAMPLES = r'''\n'''\nRETURN = r'''\n'''\n"},
		{"R s3", "-- R/order.R --\nprint.order <- function(x, ...) cat(1)\n-- rest NAMESPACE --\nS3method(print,order)\n"},
		{"rust trait const", "-- src/a.rs --\nimpl Plugin for Gain {\n    const VENDOR: &'static str = \"me\";\n}\n"},
		{"changelog removed", "-- was CHANGELOG.md --\n- Add `--verbose`\n-- CHANGELOG.md --\n- Remove `--legacy`\n- Add `--verbose`\n-- rest a.go --\nflag.Bool(\"verbose\")\n"},
		{"no- flag", "-- was R.md --\n`--verbose`\n-- R.md --\n`--verbose` `--no-cache`\n-- rest a.py --\np.add_argument('--verbose'); p.add_argument('--cache', action=BooleanOptionalAction)\n"},
		{"doc other tool", "-- was R.md --\n`--verbose`\n-- R.md --\n`--verbose`, give docker `--build-arg`\n-- rest a.go --\nflag.Bool(\"verbose\")\n"},
		{"doc env of library", "-- was R.md --\n`SHOP_PORT`\n-- R.md --\n`SHOP_PORT`, credentials come from `AWS_PROFILE`\n-- rest a.go --\nos.Getenv(\"SHOP_PORT\")\n"},
		{"moved", "-- was a.go --\npackage a\n\nconst DefaultTimeout = 5\n-- a.go --\npackage a\n-- b.go --\npackage a\n\nconst DefaultTimeout = 5\n"},
		{"moved tf", "-- was main.tf --\nvariable \"tags\" {}\n-- main.tf --\nresource \"a\" \"b\" {}\n-- variables.tf --\nvariable \"tags\" {}\n"},
		{"rails validator", "-- app/validators/email_validator.rb --\n# x\n\nclass EmailValidator < ActiveModel::EachValidator\nend\n-- rest app/models/user.rb --\nvalidates :email, email: true\n"},
		{"app intent", "-- A.swift --\nstruct OpenIntent: AppIntent {\n    static let openAppWhenRun: Bool = true\n}\n"},
		{"next og", "-- app/opengraph-image.tsx --\nexport const contentType = 'image/png'\nexport default function I() {}\n"},
		{"config.exs", "-- was config/config.exs --\nconfig :shop, page_size: 1\n-- config/config.exs --\nconfig :shop, page_size: 1\nconfig :phoenix, json_library: Jason\n-- rest a.ex --\nApplication.get_env(:shop, :page_size)\n"},
	} {
		var files []File
		now, was, rest := map[string][]byte{}, map[string][]byte{}, map[string][]byte{}
		for _, f := range txtar.Parse([]byte(c.change)).Files {
			switch {
			case strings.HasPrefix(f.Name, "was "):
				was[f.Name[4:]] = f.Data
			case strings.HasPrefix(f.Name, "rest "):
				rest[f.Name[5:]] = f.Data
			default:
				now[f.Name] = f.Data
			}
		}
		for name, text := range now {
			files = append(files, File{Path: name, Base: was[name], New: text})
		}
		var got []string
		for _, n := range Names(files, Project{
			Containing: func([]string) (map[string][]byte, bool) { return rest, true },
			InFolder: func(folder string) (beside []string) {
				for name := range rest {
					if path.Dir(name) == folder {
						beside = append(beside, name)
					}
				}
				return beside
			},
		}) {
			got = append(got, n.Name)
		}
		if len(got) > 0 && !slices.Contains(open, c.name) {
			t.Errorf("%s: accused of %q", c.name, got)
		}
	}
	for _, r := range [][2]string{{"Add a function total that sums the lines", "total"}, {"Add a method count to Cart", "count"}, {"Add the column note to orders", "note"}, {"Install the sharp package", "sharp"}, {"Add the dependency sharp", "sharp"}, {"Add a const limit", "limit"}, {"add function total", "total"}} {
		if !MentionsAsCode(r[0], r[1]) {
			t.Errorf("%q does not speak of %q", r[0], r[1])
		}
	}
}

// TestStrangeNames has names without a letter neither stop nor end the search.
func TestStrangeNames(t *testing.T) {
	rest := Project{
		Containing: func([]string) (map[string][]byte, bool) {
			return map[string][]byte{"a.ts": []byte("// x\nabc def"), "b.yml": []byte("\nabc")}, true
		},
		InFolder: func(string) []string { return []string{"c/A.vue", "c/A.svelte"} },
	}
	for name, text := range map[string]string{
		"c/_.vue": "<p/>", "c/-.svelte": "<p/>", "c/..vue": "<p/>", "a.css": ".__ {\n}\n",
		"action.yml": "\ninputs:\n  __:\n    default: x\n",
	} {
		Names([]File{{Path: name, New: []byte(text)}}, rest)
	}
}

// TestCommonWord has a name that everything holds leave the others to be looked for.
func TestCommonWord(t *testing.T) {
	got := Names([]File{{Path: "Dockerfile", New: []byte("ARG id\nARG UNREAD_THING\nRUN x\n")}}, Project{
		Containing: func(words []string) (map[string][]byte, bool) { return nil, !slices.Contains(words, "id") },
	})
	if len(got) != 1 || got[0].Name != "UNREAD_THING" {
		t.Errorf("%+v", got)
	}
}
