package claude

import (
	"strings"

	"keva/agent/event"
)

// toolKind maps the engine's tools to Keva's words. The sub-agent tool is listed as Task but called as Agent.
func toolKind(name string) event.Tool {
	switch name {
	case "Bash":
		return event.ToolCommand
	case "Read":
		return event.ToolRead
	case "Glob", "Grep", "LS":
		return event.ToolSearch
	case "Edit", "Write", "MultiEdit", "NotebookEdit":
		return event.ToolEdit
	case "WebSearch", "WebFetch":
		return event.ToolWeb
	case "Agent", "Task", "SendMessage":
		return event.ToolAgent
	case "TodoWrite", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet", "EnterPlanMode", "ExitPlanMode":
		return event.ToolPlan
	case "AskUserQuestion":
		return event.ToolQuestion
	}
	if strings.HasPrefix(name, "mcp__") {
		return event.ToolMCP
	}
	return event.ToolOther
}

// toolTitle is one line that says what the call is about.
func toolTitle(name string, in toolInput) string {
	switch toolKind(name) {
	case event.ToolCommand:
		return orName(firstLine(in.Command), name)
	case event.ToolRead, event.ToolEdit:
		return orName(firstLine(pathOf(in)), name)
	case event.ToolSearch:
		return orName(firstLine(in.Pattern), name)
	case event.ToolWeb:
		return orName(firstLine(in.Query+in.URL), name)
	case event.ToolAgent:
		return orName(firstLine(in.Description+in.Summary), name)
	case event.ToolPlan:
		return planTitle(name, in)
	case event.ToolQuestion:
		if len(in.Questions) > 0 {
			return orName(firstLine(in.Questions[0].Question), name)
		}
	case event.ToolMCP:
		server, tool, ok := strings.Cut(strings.TrimPrefix(name, "mcp__"), "__")
		if ok {
			return server + ": " + tool
		}
	case event.ToolImage, event.ToolOther:
		return orName(firstLine(in.Description+in.Skill+in.TaskID), name)
	}
	return name
}

func planTitle(name string, in toolInput) string {
	switch name {
	case "ExitPlanMode":
		return "Plan is ready"
	case "EnterPlanMode":
		return "Plan first"
	case "TaskCreate":
		return orName(firstLine(in.Subject), name)
	case "TaskUpdate":
		return strings.TrimSpace("Step " + in.TodoID + " " + strings.ReplaceAll(in.Status, "_", " "))
	}
	return "Plan"
}

func pathOf(in toolInput) string {
	for _, p := range []string{in.FilePath, in.NotebookPath, in.Path} {
		if p != "" {
			return p
		}
	}
	return ""
}

// maxTitle is the longest title, in bytes; what will run is shown whole elsewhere.
const maxTitle = 300

// firstLine cuts text to its first line, and says that there is more.
func firstLine(text string) string {
	line, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
	line = strings.TrimSpace(line)
	if len(line) > maxTitle {
		line, rest = strings.ToValidUTF8(line[:maxTitle], ""), "…"
	}
	if strings.TrimSpace(rest) != "" {
		line += " …"
	}
	return line
}

func orName(title, name string) string {
	if title == "" {
		return name
	}
	return title
}
