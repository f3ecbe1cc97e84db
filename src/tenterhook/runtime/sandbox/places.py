"""Paths that matter, as data: where secrets are, what decides what runs later, where tools keep caches.

Names are relative to the project or to the user's home; `/**` means everything in a folder, one * stands for a part of
a name.
"""

from __future__ import annotations

# Hook config and agents' settings in a project: a process that can write them decides what agents run.
SETTINGS = (
    *(".claude/settings*.json", ".claude/hooks/**"),
    *(".llxprt/settings*.json", ".llxprt/hooks/**", ".llxprt/extensions/**"),
    *(".gemini/settings*.json", ".gemini/hooks/**"),
    *(".qwen/settings*.json", ".qwen/hooks/**"),
    *(".wave/settings*.json", ".wave/hooks/**"),
    ".moai/hooks/**",
    *(".amcp/hooks.*", ".amcp/hooks/**"),
    ".massgen/hooks/**",
    *(".cursor/hooks.json", ".cursor/hooks/**"),
    *(".github/hooks/**", ".github/copilot/settings*.json"),
    ".codex/**",
    *(".tenterhook/**", "tenterhook.toml", "bin/tenter"),
)
# Other files of a project that agents and editors obey.
CONFIG = ("massgen.yaml", ".massgen/config.yaml", ".mcp.json")
MORE_CONFIG = (
    *(".claude/agents/**", ".claude/commands/**", ".claude/skills/**", ".claude-plugin/**"),
    *(".gemini/extensions/**", ".gemini/commands/**", ".qwen/extensions/**", ".qwen/agents/**", ".qwen/skills/**"),
    *(".cursor/mcp.json", ".windsurf/hooks.json", ".kiro/hooks/**", ".kiro/settings/**", ".augment/settings*.json"),
    *(".factory/hooks/**", ".factory/settings*.json", ".clinerules/hooks/**", ".agents/hooks/**"),
    *("opencode.json", "opencode.jsonc", ".opencode/plugin/**", ".opencode/plugins/**", ".opencode/opencode.json"),
    *(".vscode/tasks.json", ".vscode/settings.json", ".vscode/mcp.json"),
    *(".husky/**", "lefthook.yml", ".lefthook.yml", ".pre-commit-config.yaml"),
)
# What git runs by itself, in its own folder; the last one would move all of that to another place.
GIT = ("hooks", "config", "config.worktree", "commondir")

# What runs whenever a shell, a session or a program starts, relative to the user's home.
STARTUP = (
    *(".bashrc", ".bash_profile", ".bash_login", ".profile", ".zshrc", ".zprofile", ".zshenv", ".zlogin", ".kshrc"),
    *(".config/fish/config.fish", ".gitconfig"),
)
MORE_STARTUP = (
    *(".bash_logout", ".bash_aliases", ".zlogout", ".cshrc", ".tcshrc", ".login", ".inputrc", ".xprofile", ".xinitrc"),
    *(".xsession", ".xsessionrc", ".pam_environment", ".config/fish/**", ".config/git/**", ".config/environment.d/**"),
    *(".config/autostart/**", ".config/systemd/user/**", ".local/share/systemd/user/**", ".config/nushell/**"),
    *(".oh-my-zsh/**", ".zsh/**", ".vimrc", ".vim/**", ".config/nvim/**", ".emacs", ".emacs.d/**", ".tmux.conf"),
    *(".pdbrc", ".pythonrc.py", ".ipython/**", ".irbrc", ".Rprofile", ".gdbinit", ".lldbinit", ".npmrc", ".yarnrc"),
    *(".config/pip/pip.conf", ".pip/pip.conf", ".cargo/config.toml", ".cargo/config", ".cargo/env", ".cargo/bin/**"),
    *(".direnvrc", ".config/direnv/**", ".ssh/**", ".local/bin/**", "bin/**"),
)
# Agents' own folders in the user's home: settings, hooks, plugins.
AGENTS = (
    *(".claude/**", ".claude.json", ".codex/**", ".gemini/**", ".llxprt/**", ".qwen/**", ".wave/**", ".moai/**"),
    *(".massgen/**", ".cursor/**", ".windsurf/**", ".codeium/**", ".kiro/**"),
    *(".factory/**", ".augment/**", ".aider.conf.yml"),
    *(".config/amcp/**", ".config/opencode/**", ".config/goose/**", ".config/amp/**", ".config/github-copilot/**"),
    *(".copilot/**", ".continue/**", ".vscode/**", ".config/Code/User/**", ".config/Cursor/User/**"),
)
OURS = (".config/tenterhook", ".local/state/tenterhook")
# For hooks that may write outside of the project.
SYSTEM = (
    *("/etc/crontab", "/etc/cron.d", "/etc/cron.daily", "/etc/cron.hourly", "/etc/cron.weekly", "/etc/cron.monthly"),
    *("/var/spool/cron", "/etc/profile", "/etc/profile.d", "/etc/bash.bashrc", "/etc/zsh", "/etc/environment"),
    *("/etc/ld.so.preload", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/passwd", "/etc/group", "/etc/sudoers"),
    *("/etc/sudoers.d", "/etc/pam.d", "/etc/ssh", "/etc/systemd", "/etc/init.d", "/etc/rc.local", "/etc/gitconfig"),
    *("/etc/tenterhook", "/etc/llxprt-code", "/etc/claude-code", "/etc/codex", "/etc/gemini-cli", "/etc/qwen-code"),
    *(f"/Library/Application Support/{agent}" for agent in ("GeminiCli", "QwenCode")),
)

# Keys, cloud credentials, registry tokens, browsers, wallets: relative to the user's home.
SECRETS = (
    *(".ssh", ".gnupg", ".pki", ".age", ".config/age", ".config/sops", ".password-store", ".local/share/keyrings"),
    *(".local/share/kwalletd", ".config/op", ".config/1Password", ".config/Bitwarden"),
    *(".config/keepassxc", ".vault-token"),
    *(".aws", ".azure", ".config/gcloud", ".boto", ".s3cfg", ".oci"),
    *(".kube", ".config/doctl", ".fly", ".config/rclone"),
    *(".terraform.d/credentials.tfrc.json", ".terraformrc", ".databrickscfg", ".snowflake"),
    *(".config/hcloud", ".minikube"),
    *(".docker/config.json", ".config/containers/auth.json", ".config/gh", ".config/glab-cli", ".config/hub"),
    *(".netrc", "_netrc", ".npmrc", ".yarnrc.yml", ".pypirc", ".git-credentials", ".config/git/credentials"),
    *(".config/pypoetry/auth.toml", ".cargo/credentials", ".cargo/credentials.toml"),
    *(".gem/credentials", ".composer/auth.json"),
    *(".config/composer/auth.json", ".m2/settings.xml", ".m2/settings-security.xml", ".gradle/gradle.properties"),
    *(".pgpass", ".my.cnf", ".mylogin.cnf", ".bash_history", ".zsh_history", ".local/share/fish/fish_history"),
    *(".mozilla", ".librewolf", ".zen", ".thunderbird", ".config/google-chrome", ".config/chromium", ".config/vivaldi"),
    *(".config/BraveSoftware", ".config/microsoft-edge", ".config/opera", "snap/firefox", "snap/chromium"),
    *(".var/app/org.mozilla.firefox", ".var/app/com.google.Chrome", ".var/app/org.chromium.Chromium"),
    *(".bitcoin", ".ethereum", ".electrum", ".monero", ".config/solana", ".config/Exodus", ".config/Ledger Live"),
)
# Credentials of agents.
AGENT_SECRETS = (
    *(".claude/.credentials.json", ".claude.json", ".codex/auth.json", ".gemini/oauth_creds.json", ".gemini/.env"),
    *(".gemini/google_accounts.json", ".qwen/oauth_creds.json", ".qwen/.env", ".llxprt/oauth", ".llxprt/keys"),
    *(".massgen/.env", ".factory/auth.json", ".config/github-copilot", ".copilot/config.json", ".codeium/config.json"),
    *(".local/share/opencode/auth.json", ".local/share/amp/secrets.json", ".config/goose/secrets.yaml"),
    *(".config/Code/User/globalStorage", ".config/Cursor/User/globalStorage", ".config/Windsurf/User/globalStorage"),
    *(".config/openai", ".config/anthropic", ".config/io.datasette.llm/keys.json", ".cache/huggingface/token"),
    *(".huggingface/token", ".aider.conf.yml", ".continue/.env", ".continue/config.json"),
)
SYSTEM_SECRETS = (
    *("/etc/shadow", "/etc/gshadow", "/etc/shadow-", "/etc/gshadow-", "/etc/ssl/private", "/etc/krb5.keytab"),
    *("/etc/ssh/ssh_host_*_key", "/run/secrets", "/etc/kubernetes", "/etc/rancher", "/var/lib/kubelet"),
)
# A process that can connect there has the rights of the server: start containers, type into terminals, use keys.
SOCKETS = (
    *("/run/docker.sock", "/run/docker", "/run/podman", "/run/containerd", "/run/crio", "/run/libvirt", "/run/lxd"),
    *("/run/dbus", "/run/systemd/private", "/run/snapd.socket", "/run/snapd-snap.socket", "/run/screen", "/run/tmux"),
    *("/run/user/{uid}", "/tmp/tmux-{uid}", "/tmp/.X11-unix", "/tmp/.ICE-unix", "/var/lib/lxd/unix.socket"),
)
SOCKET_VARIABLES = ("SSH_AUTH_SOCK", "DOCKER_HOST", "CONTAINER_HOST", "DBUS_SESSION_BUS_ADDRESS", "TMUX", "STY")

TEMPORARY = ("/tmp", "/var/tmp", "/dev/shm")
# What can be downloaded or built again, relative to the user's home.
CACHES = (
    *(".cache", ".npm", ".yarn/cache", ".yarn/berry", ".pnpm-store", ".local/share/pnpm/store", ".bun/install/cache"),
    *(".cargo/registry", ".cargo/git", "go/pkg", ".gradle/caches", ".gradle/daemon", ".m2/repository", ".ivy2/cache"),
    *(".nuget/packages", ".composer/cache", ".bundle/cache", ".ccache", ".hex/cache"),
    *(".deno", ".node-gyp", ".sbt/boot"),
)
