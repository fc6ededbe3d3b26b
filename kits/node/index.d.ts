/** What a hook reads of an event. Fields that the event doesn't have are empty. */
export interface Call {
  readonly payload: Readonly<Record<string, unknown>>;
  /** The event by our name, such as `BeforeTool`. */
  readonly event: string;
  /** The tool by our name, such as `run_shell_command`. */
  readonly toolName: string;
  readonly toolInput: Readonly<Record<string, unknown>>;
  readonly toolResponse: unknown;
  readonly prompt: string;
  readonly promptResponse: string;
  readonly cwd: string;
  readonly sessionId: string;
}

/** What a hook says; made by `deny`, `ask` and the like. */
export interface Reply {
  readonly decision?: "allow" | "ask" | "deny";
}

export type Answer = Reply | undefined | null | void;
export type Handler = (call: Call) => Answer | Promise<Answer>;

export function deny(reason?: unknown): Reply;
export function ask(reason?: unknown): Reply;
export function allow(reason?: string): Reply;
export function stop(reason?: unknown): Reply;
export function rewrite(toolInput: Record<string, unknown>): Reply;
export function context(text: string): Reply;
export function message(text: string): Reply;
/** Says fields of `hookSpecificOutput` that there is no word for here, such as `llm_request`. */
export function output(fields: Record<string, unknown>): Reply;

export const hook: {
  on(event: string): (handler: Handler) => Handler;
  sessionStart(handler: Handler): Handler;
  sessionEnd(handler: Handler): Handler;
  beforeAgent(handler: Handler): Handler;
  afterAgent(handler: Handler): Handler;
  beforeModel(handler: Handler): Handler;
  afterModel(handler: Handler): Handler;
  beforeToolSelection(handler: Handler): Handler;
  beforeTool(handler: Handler): Handler;
  afterTool(handler: Handler): Handler;
  preCompress(handler: Handler): Handler;
  notification(handler: Handler): Handler;
};

/** Runs the hook: as a worker where Hookloop asks for one, else for one event. */
export function run(): Promise<void>;
