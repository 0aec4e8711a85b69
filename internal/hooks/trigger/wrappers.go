package trigger

import (
	"path"
	"slices"
	"strings"
)

// wrappers are programs that run another program, as in sudo psql or timeout 5 psql. The value is how many operands
// stand before the other program, such as 1 for timeout.
var wrappers = map[string]int{
	"sudo": 0, "doas": 0, "env": 0, "time": 0, "nice": 0, "ionice": 0, "nohup": 0, "setsid": 0, "stdbuf": 0, "unbuffer": 0,
	"command": 0, "exec": 0, "builtin": 0, "eval": 0, "xargs": 0, "parallel": 0, "timeout": 1, "watch": 0, "strace": 0, "taskset": 1,
	"flock": 1, "chroot": 1, "su": 1, "runuser": 1, "gosu": 1, "su-exec": 1, "nsenter": 0, "unshare": 0, "systemd-run": 0,
	"srun": 0, "mpirun": 0, "mpiexec": 0, "ssh": 1, "autossh": 1, "mosh": 1, "sshpass": 0, "wsl": 0, "hyperfine": 0,
	"npx": 0, "pnpx": 0, "bunx": 0, "uvx": 0, "pnpm": 0, "yarn": 0, "dotenv": 0,
	"python": 0, "python3": 0, "node": 0, "ruby": 0, "perl": 0, "php": 0, "tsx": 0, "ts-node": 0,
	"sh": 0, "bash": 0, "zsh": 0, "dash": 0, "ksh": 0, "fish": 0, "source": 0, ".": 0,
}

// runners are subcommands that run another program, as in kubectl exec pod -- psql, docker compose run web rails or
// poetry run pytest. One operand may stand before the other program.
var runners = strings.Fields("exec run x dlx rsh shell ssh develop")

// textRunners are programs, besides wrappers, that may run a quoted argument as a line of shell.
var textRunners = strings.Fields("ansible lftp salt tmux screen script gcloud fly flyctl pdsh pssh clush trap entr nodemon " +
	"concurrently pwsh powershell cmd vagrant find docker kubectl podman oc heroku lxc incus")

// runsText reports whether a program may run a text as a line of shell.
func runsText(program string) bool {
	program = programName(program)
	_, isWrapper := wrappers[program]
	return isWrapper || slices.Contains(textRunners, program)
}

// programName returns the name of a program in lower case, without its folder, .exe and .cmd.
func programName(word string) string {
	word = strings.ToLower(path.Base(strings.ReplaceAll(word, `\`, "/")))
	return strings.TrimSuffix(strings.TrimSuffix(word, ".exe"), ".cmd")
}

// starts returns the indexes of the words that may be programs: the first word, and each program that a wrapper runs.
func starts(args []string) []int {
	found := []int{0}
	for i := 0; i < len(found); i++ {
		for _, at := range wrapped(args, found[i]) {
			if !slices.Contains(found, at) && len(found) < maxStarts {
				found = append(found, at)
			}
		}
	}
	return found
}

// maxStarts bounds how many programs the function starts finds in one command.
const maxStarts = 12

// wrapped returns the indexes of the words that may be the program run by the wrapper args[at]. Flags and operands
// stand before the program. A word behind a flag may be the flag's value or the program, so wrapped returns it too.
func wrapped(args []string, at int) []int {
	operands, isWrapper := wrappers[programName(args[at])]
	next := at + 1
	if runner := runnerIn(args, at); !isWrapper && runner > 0 {
		operands, isWrapper, next = 1, true, runner+1
	}
	if !isWrapper {
		return afterMark(args, at)
	}
	var found []int
	plain := 0
	for i := next; i < len(args) && plain <= operands; i++ {
		isFlag := strings.HasPrefix(args[i], "-")
		switch {
		case args[i] == "--":
			return append(found, min(i+1, len(args)-1))
		case isFlag, isAssignment(args[i]):
		default:
			found = append(found, i)
			if i == next || !strings.HasPrefix(args[i-1], "-") {
				plain++
			}
		}
	}
	return append(found, afterMark(args, at)...)
}

// runnerIn returns the index of a runner, such as exec, among the first words behind the program args[at], or 0.
func runnerIn(args []string, at int) int {
	const deep = 2 // words before the runner, such as compose in docker compose exec
	plain := 0
	for i := at + 1; i < len(args) && plain <= deep; i++ {
		switch {
		case slices.Contains(runners, args[i]):
			return i
		case strings.HasPrefix(args[i], "-"):
		case i == at+1 || !strings.HasPrefix(args[i-1], "-"):
			plain++
		}
	}
	return 0
}

// afterMark returns the index of the word after find -exec or python -m, which is a program, or nil.
func afterMark(args []string, at int) []int {
	program := programName(args[at])
	for i := at + 1; i+1 < len(args); i++ {
		isMark := program == "find" && (strings.HasPrefix(args[i], "-exec") || strings.HasPrefix(args[i], "-ok")) ||
			strings.HasPrefix(program, "python") && args[i] == "-m"
		if isMark {
			return []int{i + 1}
		}
	}
	return nil
}

func isAssignment(word string) bool {
	name, _, found := strings.Cut(word, "=")
	return found && name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == ""
}
