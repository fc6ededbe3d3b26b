// The events, and what tells one of them from another of its kind.

export interface EventChoice {
  name: string;
  detail: string;
  /** What `--tool` or `--trigger` takes; a tool may also be another one, such as an MCP server's. */
  subject?: { option: "--tool" | "--trigger"; values: readonly string[] };
}

export const TOOLS: readonly string[] = [
  "read_file", "read_many_files", "write_file", "replace", "list_directory", "glob", "search_file_content",
  "run_shell_command", "web_fetch", "google_web_search", "write_todos", "save_memory", "delegate_to_agent",
  "activate_skill", "ask_user", "enter_plan_mode", "exit_plan_mode",
];

const tools = { option: "--tool", values: TOOLS } as const;
const triggers = (...values: string[]) => ({ option: "--trigger", values }) as const;

export const EVENTS: readonly EventChoice[] = [
  { name: "BeforeTool", detail: "a tool is about to run", subject: tools },
  { name: "AfterTool", detail: "a tool ran", subject: tools },
  { name: "BeforeAgent", detail: "a prompt was submitted" },
  { name: "AfterAgent", detail: "the turn has its final response" },
  { name: "BeforeModel", detail: "a request is about to go to the model" },
  { name: "BeforeToolSelection", detail: "the tools of a request are about to be fixed" },
  { name: "AfterModel", detail: "a piece of the response arrived" },
  { name: "SessionStart", detail: "a session starts", subject: triggers("startup", "resume", "clear") },
  {
    name: "SessionEnd",
    detail: "a session ends",
    subject: triggers("exit", "clear", "logout", "prompt_input_exit", "other"),
  },
  { name: "PreCompress", detail: "the history is about to be compressed", subject: triggers("auto", "manual") },
  { name: "Notification", detail: "the agent wants attention", subject: triggers("ToolPermission") },
];
