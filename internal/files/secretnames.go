package files

import (
	"path"

	"codeintel/internal/text"
)

// All names are in lower case.
var (
	secretNames = text.WordSet(`.netrc _netrc .pgpass .my.cnf .htpasswd .pypirc .git-credentials .dockercfg .s3cfg .boto
		netrc pgpass.conf .vault-token .vault_pass .vault-pass vault_pass.txt .msmtprc .fetchmailrc .dev.vars .renviron .dockerconfigjson
		wp-config.php .hgrc mercurial.ini sftp-config.json .ftpconfig .clasprc.json proftpdpasswd .terraformrc credentials.json client_secret.json secrets.yml secrets.yaml secrets.json secrets.toml
		master.key .npmrc.local .yarnrc.secret kubeconfig .secrets .databricks.cfg rclone.conf .rclone.conf credentials.tfrc.json
		application_default_credentials.json local.settings.json keystore.properties key.properties
		.histfile .dbshell .lesshst .viminfo .octave_hist consolehost_history.txt
		.authinfo .mylogin.cnf .cvspass .smbcredentials smbpasswd .passwd-s3fs passwd-s3fs pgpass .git-credential-store
		.erlang.cookie .xauthority .iceauthority settings-security.xml accesstokens.json msal_token_cache.json
		.electrum wallet.dat default_wallet .mbsyncrc .lftprc .remote-sync.json`)
	secretExtensions = text.WordSet(`.htpasswd .kubeconfig .pem .key .p12 .pfx .jks .keystore .kdbx .kdb .ppk .gpg .pgp .p8 .ovpn .tfstate .keytab`)
	secretPaths      = text.WordSet(`.aws/credentials .docker/config.json .kube/config .ssh/config .gem/credentials .cargo/credentials .cargo/credentials.toml
		.composer/auth.json composer/auth.json gh/hosts.yml .snowsql/config .snowflake/connections.toml .hg/hgrc .vscode/sftp.json
		.huggingface/token heroku/credentials op/config lftp/bookmarks .circleci/cli.yml .vercel/auth.json configstore/firebase-tools.json
		.weechat/sec.conf .dbeaver/credentials-config.json .bluemix/config.json .netlify/config.json .snowflake/config.toml .anthropic/key`)

	// Folders in a home that hold keys and tokens, and what else may be in them.
	secretFolders = text.WordSet(`.ssh .gnupg .password-store .secrets .electrum .bitcoin .ethereum .zsh_sessions svn.simple legacy_credentials`)
	publicNames   = text.WordSet(`authorized_keys known_hosts readme readme.md .gitignore .gitkeep`)

	// Files that hold a secret if something is set in them that is called one.
	settingsOfUsers = text.WordSet(`pip.conf pip.ini .condarc .wgetrc .curlrc _curlrc .gitconfig .yarnrc .gemrc gradle.properties my.cnf .muttrc
		.offlineimaprc .sentryclirc .bunfig.toml ngrok.yml terraform.rc .databrickscfg credentials credentials.toml kaggle.json
		jupyter_server_config.json winscp.ini .pg_service.conf snowflake.toml config hub profiles.yml config.yml config.yaml accounts.xml`)
	everywhere = text.WordSet(`config hub profiles.yml config.yml config.yaml accounts.xml`) // settings of users only in a hidden folder

	// A file of one value whose name says that this is a secret.
	secretTitles = text.WordSet(`token secret api_key api-key apikey password passwd passphrase private_key private-key privatekey secret_key
		secret-key mnemonic seed_phrase seed-phrase vault_password vault-password vault-pass vault_pass ansible-vault-pass access_token access-token openai`)

	// Files that contain a secret if one of the words occurs in them.
	tokenWords = map[string][]string{
		".npmrc":      {"_auth"},
		".yarnrc.yml": {"npmAuthToken:", "npmAuthIdent:"},
		"auth.json":   {`"http-basic"`, `"github-oauth"`, `"gitlab-token"`, `"bearer"`},
		"npmrc":       {"_auth"},
		"pypirc":      {"password"},
		"config.json": {`"auths"`}, // of Docker
		"token.json":  {`"refresh_token"`},
		"logins.json": {`"encryptedPassword"`}, // of Firefox
		"shadow":      {":$"},
		"htpasswd":    {"$apr1$", "{SHA}", "$2y$"},

		"wpa_supplicant.conf": {"psk="},
		"sitemanager.xml":     {"<Pass"}, // of FileZilla
		"recentservers.xml":   {"<Pass"},
		"filezilla.xml":       {"<Pass"},
		"localsettings.php":   {"$wgDBpassword", "$wgSecretKey"},
		"configuration.php":   {"public $password", "public $secret"}, // of Joomla

		"settings.xml":      {"<password>", "<passphrase>"}, // of Maven
		"nuget.config":      {"ClearTextPassword"},
		"gradle.properties": {"signing.password", "storePassword", "keyPassword"},
	}

	codeExtensions = text.WordSet(`.go .md .py .pyc .js .mjs .ts .tsx .jsx .rs .java .kt .cs .rb .php .swift .scala .c .h .cc .cpp .hpp .sh .tf .tpl .tmpl .html .vue`)

	settingsExtensions = text.WordSet(`.yaml .yml .conf .json`) // of files that may let their reader into a cluster

	// What editors and people append to, or put before, the name of a file that they copy.
	copySuffixes = []string{"~", ".bak", ".backup", ".old", ".orig", ".save", ".copy", ".swp", ".swo", "#", ".txt"}

	stages = text.WordSet(`prod production stage staging dev develop development local live ci work home private`)

	secretInFolder = func() map[string]bool { // the names in secretPaths
		names := make(map[string]bool)
		for p := range secretPaths {
			names[path.Base(p)] = true
		}
		return names
	}()

	binaryExtensions = text.WordSet(`.png .jpg .jpeg .gif .bmp .ico .icns .webp .avif .heic .tif .tiff .psd .ai .eps .xcf .sketch .fig
		.mp3 .mp4 .m4a .m4v .mov .avi .mkv .webm .wav .flac .ogg .oga .ogv .aac .wma .wmv .mid .midi
		.zip .gz .tgz .bz2 .tbz2 .xz .txz .zst .lz4 .lzma .7z .rar .tar .cab .iso .dmg .deb .rpm .apk .aab .ipa .msi .pkg .jar .war .ear .whl .egg .nupkg .gem .crx .xpi .vsix
		.exe .dll .so .dylib .a .o .obj .lib .pdb .class .pyc .pyo .pyd .wasm .node .elc .beam .ko .syso .rlib .rmeta .hi .dex .bin .img .rom
		.pdf .doc .docx .xls .xlsx .ppt .pptx .odt .ods .odp .rtf .epub .mobi .djvu .chm
		.ttf .otf .woff .woff2 .eot .pfb .pcf .db .sqlite .sqlite3 .mdb .accdb .dbf .rdb .ldb
		.npy .npz .pkl .pickle .h5 .hdf5 .parquet .feather .arrow .avro .orc .onnx .pth .ckpt .safetensors .gguf .tflite .pb .rds .rdata
		.blend .fbx .glb .3ds .dwg .stl .unitypackage .uasset .umap .swf .fla .der .p7b .mo .gmo .qm .snk .resources .nib .keychain .suo .lockb`)

	proseExtensions = text.WordSet(`.md .markdown .mdx .txt .rst .adoc .asciidoc .org .tex .csv .tsv .po .ipynb`)

	vendoredDirs = text.WordSet(`vendor third_party third-party thirdparty 3rdparty node_modules bower_components jspm_packages
		pods carthage godeps _vendor site-packages .yarn .pnp .bundle .venv venv virtualenv .tox .nox`)
	vendoredNames = text.WordSet(`gradlew gradlew.bat mvnw mvnw.cmd jquery.js jquery-ui.js bootstrap.js bootstrap.css normalize.css modernizr.js
		.pnp.cjs .pnp.loader.mjs`)

	generatedNames = text.WordSet(`package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock deno.lock go.sum go.work.sum cargo.lock
		composer.lock gemfile.lock poetry.lock pipfile.lock uv.lock pdm.lock mix.lock podfile.lock packages.lock.json flake.lock
		pubspec.lock package.resolved gradle.lockfile`)
	generatedSuffixes = func() map[string][]string { // by what path.Ext says of them
		by := make(map[string][]string)
		for suffix := range text.WordSet(`.pb.go .pb.gw.go .pb.cc .pb.h _pb2.py _pb2.pyi _pb2_grpc.py _pb.js _pb.ts _pb.d.ts _grpc.pb.go .pb.dart
			.g.dart .freezed.dart .g.cs .g.i.cs .designer.cs .generated.cs .generated.ts .gen.go .gen.ts _generated.go
			.js.map .css.map .mjs.map .cjs.map .ts.map .snap .tsbuildinfo`) {
			by[path.Ext(suffix)] = append(by[path.Ext(suffix)], suffix)
		}
		return by
	}()
)
