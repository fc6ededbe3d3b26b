/**
 * Hooks for AI coding agents, in JavaScript: one file, a command hook anywhere and a worker in
 * Hookloop. See README.md.
 */
import { readFileSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";

const EVENTS = {
  PreToolUse: "BeforeTool",
  PostToolUse: "AfterTool",
  UserPromptSubmit: "BeforeAgent",
  Stop: "AfterAgent",
  SubagentStop: "AfterAgent",
  PreCompact: "PreCompress",
};
const TOOLS = {
  Bash: "run_shell_command",
  Read: "read_file",
  Write: "write_file",
  Edit: "replace",
  Glob: "glob",
  Grep: "search_file_content",
  WebFetch: "web_fetch",
  WebSearch: "google_web_search",
};
const STRICTNESS = { allow: 1, ask: 2, deny: 3 };

class Reply {
  constructor(fields) {
    Object.assign(this, fields);
  }
}

// What a function made that refuses, to notice when it isn't returned.
let refusalsMade = 0;
const refusing = (fields) => {
  refusalsMade += 1;
  return new Reply(fields);
};
// A reason that isn't a text, such as an error, is no reason to lose a refusal.
const wordsOf = (reason) => (reason === undefined || reason === null ? "" : String(reason));

/** Refuses; the model reads the reason. */
export const deny = (reason) => refusing({ decision: "deny", reason: wordsOf(reason) });
/** Asks the person; where nobody can be asked, it is a refusal. */
export const ask = (reason) => refusing({ decision: "ask", reason: wordsOf(reason) });
/** Says in so many words that nothing speaks against it. */
export const allow = (reason) => new Reply({ decision: "allow", reason });
/** Ends the agent's loop; the person reads the reason. */
export const stop = (reason) => refusing({ stopReason: wordsOf(reason) });
/** Changes arguments of the call; those that aren't named stay. */
export const rewrite = (toolInput) => new Reply({ toolInput });
/** Tells the model something. */
export const context = (text) => new Reply({ context: text });
/** Tells the person something. */
export const message = (text) => new Reply({ message: text });
/** Says fields of `hookSpecificOutput` that there is no word for here, such as `llm_request`. */
export const output = (fields) => new Reply({ output: fields });

const functions = [];
const on = (event) => (handler) => {
  functions.push([event, handler]);
  return handler;
};

/** Says which event a function waits for. */
export const hook = {
  on,
  sessionStart: on("SessionStart"),
  sessionEnd: on("SessionEnd"),
  beforeAgent: on("BeforeAgent"),
  afterAgent: on("AfterAgent"),
  beforeModel: on("BeforeModel"),
  afterModel: on("AfterModel"),
  beforeToolSelection: on("BeforeToolSelection"),
  beforeTool: on("BeforeTool"),
  afterTool: on("AfterTool"),
  preCompress: on("PreCompress"),
  notification: on("Notification"),
};

function callOf(payload) {
  const event = payload.hook_event_name ?? "";
  const tool = payload.tool_name ?? "";
  const isObject = typeof payload.tool_input === "object" && payload.tool_input !== null;
  return {
    payload,
    event: EVENTS[event] ?? event,
    toolName: TOOLS[tool] ?? tool,
    toolInput: isObject ? payload.tool_input : {},
    toolResponse: payload.tool_response,
    prompt: payload.prompt ?? "",
    promptResponse: payload.prompt_response ?? "",
    cwd: payload.cwd ?? "",
    sessionId: payload.session_id ?? "",
  };
}

const strictness = (decision) => STRICTNESS[decision] ?? 0;

/** Lays fields over others; of two decisions the stricter stays. */
function stricterOf(one, other) {
  const whole = { ...one, ...other };
  for (const name of ["decision", "permissionDecision"]) {
    if (strictness(one[name]) > strictness(other[name])) whole[name] = one[name];
  }
  return whole;
}

/** Asks a function, and notices what it forgets to return. */
async function asked(handler, call) {
  refusalsMade = 0;
  const reply = (await handler(call)) ?? undefined;
  if (reply === undefined && refusalsMade > 0) {
    throw new TypeError("a hook made deny(…), ask(…) or stop(…) and didn't return it");
  }
  if (reply !== undefined && !(reply instanceof Reply)) {
    throw new TypeError("a hook returns deny(…), ask(…) and the like, or nothing");
  }
  return reply;
}

function combine(replies) {
  const whole = {};
  for (const reply of replies) {
    if (strictness(reply.decision) > strictness(whole.decision)) {
      whole.decision = reply.decision;
      whole.reason = reply.reason;
    }
    if (reply.stopReason !== undefined) whole.stopReason ||= reply.stopReason;
    if (reply.toolInput) whole.toolInput = { ...whole.toolInput, ...reply.toolInput };
    if (reply.output) whole.output = stricterOf(whole.output ?? {}, reply.output);
    for (const name of ["context", "message"]) {
      if (reply[name]) whole[name] = [whole[name], reply[name]].filter(Boolean).join("\n\n");
    }
  }
  return whole;
}

async function answer(payload) {
  const call = callOf(payload);
  const replies = [];
  const failures = [];
  for (const [event, handler] of functions) {
    if (event !== call.event) continue;
    try {
      const reply = await asked(handler, call);
      if (reply) replies.push(reply);
    } catch (error) {
      // The others are asked all the same.
      failures.push(error);
    }
  }
  let reply = combine(replies);
  if (failures.length > 0) {
    // A failure takes no refusal back; who fails may refuse, and change nothing.
    const { decision, reason, stopReason, message } = reply;
    if (decision !== "deny" && decision !== "ask" && stopReason === undefined) throw failures[0];
    failures.forEach((error) => console.error(error));
    reply = { decision, reason, stopReason, message };
  }
  const name = payload.hook_event_name;
  return name in EVENTS ? inWordsOfClaudeCode(name, call, reply) : inOurWords(call, reply);
}

function inOurWords(call, reply) {
  const said = {};
  if (reply.decision) said.decision = reply.decision;
  if (reply.reason) said.reason = reply.reason;
  if (reply.stopReason !== undefined) Object.assign(said, { continue: false, stopReason: reply.stopReason });
  if (reply.message) said.systemMessage = reply.message;
  const specific = { ...reply.output };
  if (reply.toolInput) specific.tool_input = reply.toolInput;
  if (reply.context) specific.additionalContext = reply.context;
  if (Object.keys(specific).length > 0) {
    said.hookSpecificOutput = { hookEventName: call.event, ...specific };
  }
  return said;
}

function inWordsOfClaudeCode(name, call, reply) {
  const said = {};
  const specific = { ...reply.output };
  if (name === "PreToolUse") {
    if (reply.decision && strictness(reply.decision) >= strictness(specific.permissionDecision)) {
      specific.permissionDecision = reply.decision;
      specific.permissionDecisionReason = reply.reason ?? "";
    }
    if (reply.toolInput) {
      // It takes the whole input, and no change without a decision.
      specific.updatedInput = { ...call.toolInput, ...reply.toolInput };
      specific.permissionDecision ??= "allow";
    }
  } else if (reply.decision === "deny" || reply.decision === "ask") {
    Object.assign(said, { decision: "block", reason: reply.reason ?? "" });
  }
  if (reply.context) specific.additionalContext = reply.context;
  if (Object.keys(specific).length > 0) said.hookSpecificOutput = { hookEventName: name, ...specific };
  if (reply.stopReason !== undefined) Object.assign(said, { continue: false, stopReason: reply.stopReason });
  if (reply.message) said.systemMessage = reply.message;
  return said;
}

/** Writes a whole line to standard output, however often a full pipe says "later". */
function say(object) {
  let bytes = Buffer.from(JSON.stringify(object) + "\n");
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(1, bytes));
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

/** Runs the hook: as a worker where Hookloop asks for one, else for one event. */
export async function run() {
  // What anybody prints must not get between the answers.
  const print = (...words) => console.error(...words);
  Object.assign(console, { log: print, info: print, debug: print });
  process.stdout.write = process.stderr.write.bind(process.stderr);
  if (process.env.HOOKLOOP_WORKER !== "1") {
    const said = await answer(JSON.parse(readFileSync(0, "utf8") || "{}"));
    if (Object.keys(said).length > 0) say(said);
    return;
  }
  say({ hookloop: 1 });
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    if (line.trim() === "") continue;
    const question = JSON.parse(line);
    // One event after another: what is cancelled was answered before it is read.
    if (!("payload" in question)) continue;
    try {
      say({ id: question.id, reply: await answer(question.payload) });
    } catch (error) {
      console.error(error);
      say({ id: question.id, error: String(error) });
    }
  }
}
