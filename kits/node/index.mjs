/**
 * Hooks for AI coding agents, in JavaScript: one file, a command hook anywhere and a worker in
 * Hookloop. See README.md.
 */
import { readFileSync, realpathSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const EVENTS = {
  PreToolUse: "BeforeTool",
  PostToolUse: "AfterTool",
  UserPromptSubmit: "BeforeAgent",
  Stop: "AfterAgent",
  SubagentStop: "AfterAgent",
  PreCompact: "PreCompress",
};
const OUR_EVENTS = [
  "SessionStart", "SessionEnd", "BeforeAgent", "AfterAgent", "BeforeModel", "BeforeToolSelection",
  "AfterModel", "BeforeTool", "AfterTool", "PreCompress", "Notification",
];
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

/** An event that is merely misspelt never comes, so its function would never be asked. */
function knownEvent(event) {
  const known = [...OUR_EVENTS, ...Object.keys(EVENTS)];
  if (known.includes(event)) return EVENTS[event] ?? event;
  const plain = (name) => String(name).toLowerCase().replace(/[_-]/g, "");
  const near = known.find((name) => isNear(plain(name), plain(event)));
  if (near) throw new RangeError(`there is no event ${JSON.stringify(event)}: ${JSON.stringify(near)} is meant`);
  // Other agents have events that have no name here.
  return event;
}

/** Whether two words differ by two edits at most. */
function isNear(one, other) {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const kept = row[j - 1] + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(kept, row[j] + 1, next[j - 1] + 1));
    }
    row = next;
  }
  return row[other.length] <= 2;
}

const functions = [];
let isMain = false;
const on = (event) => {
  const known = knownEvent(event);
  return (handler) => {
    if (!isMain && isInMainFile(new Error().stack)) {
      isMain = true;
      keepStandardOutput();
    }
    functions.push([known, handler]);
    return handler;
  };
};

/** Whether something is done by the file that was started, and not by one that it imports. */
function isInMainFile(stack) {
  try {
    return String(stack).includes(pathToFileURL(realpathSync(process.argv[1])).href);
  } catch {
    return false;
  }
}

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

// What the language and its tools look for in any object.
const LOOKED_FOR = ["toJSON", "then", "inspect", "nodeType", "$$typeof", "asymmetricMatch"];

// A field that a call doesn't have would be `undefined`, and whatever tests it would let everything pass.
const withoutGaps = {
  get(call, name) {
    if (typeof name === "string" && !(name in call) && !LOOKED_FOR.includes(name)) {
      const known = Object.keys(call).join(", ");
      throw new TypeError(`a call has no field "${name}": its fields are ${known}; all others are in call.payload`);
    }
    return Reflect.get(call, name);
  },
};

function callOf(payload) {
  const event = payload.hook_event_name ?? "";
  const tool = payload.tool_name ?? "";
  const isObject = typeof payload.tool_input === "object" && payload.tool_input !== null;
  const call = {
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
  return new Proxy(call, withoutGaps);
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
  const isRefusal = reply?.stopReason !== undefined || ["deny", "ask"].includes(reply?.decision);
  if (refusalsMade > 0 && !isRefusal) {
    throw new TypeError("a hook made deny(…), ask(…) or stop(…) and didn't return it");
  }
  if (reply !== undefined && !(reply instanceof Reply)) {
    const why = "a hook returns deny(…), ask(…) and the like, or nothing";
    const refusal = refusalIn(reply);
    if (refusal === undefined) throw new TypeError(why);
    console.error(`hookloop: ${why}; the refusal in the object counts`);
    return refusal;
  }
  return reply;
}

/** Reads a refusal in the words of a reply: who wrote it as an object meant it no less. */
function refusalIn(said) {
  if (typeof said !== "object") return undefined;
  const places = [said, said.hookSpecificOutput ?? {}];
  const reason = wordsOf(places.map((it) => it.reason || it.permissionDecisionReason).find(Boolean));
  if (places.some((it) => it.continue === false)) return new Reply({ stopReason: wordsOf(said.stopReason) || reason });
  const words = places.flatMap((it) => [it.decision, it.permissionDecision]).map((it) => String(it).toLowerCase());
  if (words.includes("deny") || words.includes("block")) return new Reply({ decision: "deny", reason });
  return words.includes("ask") ? new Reply({ decision: "ask", reason }) : undefined;
}

/** What a function raises that ends the process, which would leave the other functions unasked. */
class Left extends Error {
  constructor(code) {
    super(`a function ended the process with exit code ${code}`);
    this.code = code;
  }
}

// The replies of the event that is being answered; nothing between two events.
let unfinished;
let hasRun = false;
const exit = process.exit.bind(process);
/** The exit code of a program that refuses. */
const REFUSED = 2;

/** Keeps functions from ending the process before the others were asked. */
function stay(code = process.exitCode ?? 0) {
  const left = Number(code);
  if (left === REFUSED && unfinished) unfinished.isLeft = true;
  throw new Left(left);
}

/** Says at the end of the process what would be lost with it. */
process.on("exit", (code) => {
  if (unfinished !== undefined) {
    // It ended on the way: a promise that nobody settles, an error in a callback, a function that left.
    const { decision, reason, stopReason } = combine(unfinished);
    const isRefused = decision === "deny" || decision === "ask" || stopReason !== undefined;
    if (code === REFUSED || unfinished.isLeft) {
      process.exitCode = REFUSED;
    } else if (isRefused) {
      finish(inWords(unfinished.payload, { decision, reason, stopReason }));
      process.exitCode = 0;
    } else {
      console.error("hookloop: the hook ended before its functions had answered (a promise that is never settled?)");
      process.exitCode = code || 1;
    }
  } else if (!hasRun && isMain && code === 0) {
    console.error("hookloop: the file never calls run(), so none of its functions was asked: end it with await run()");
    process.exitCode = 1;
  }
});

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
  const waiting = functions.filter(([event]) => event === call.event);
  if (waiting.length === 0) {
    throw new RangeError(`no function of this hook waits for ${call.event || "an event without a name"}`);
  }
  const replies = Object.assign([], { payload });
  const failures = [];
  unfinished = replies;
  process.exit = stay;
  for (const [, handler] of waiting) {
    try {
      const reply = await asked(handler, call);
      if (reply) replies.push(reply);
    } catch (error) {
      // The others are asked all the same. Who leaves with 0 has no opinion.
      if (!(error instanceof Left && error.code === 0)) failures.push(error);
    }
  }
  process.exit = exit;
  unfinished = undefined;
  let reply = combine(replies);
  if (failures.length > 0) {
    // A failure takes no refusal back; who fails may refuse, and change nothing.
    const { decision, reason, stopReason, message } = reply;
    // Exit code 2 refuses, which is more than a question.
    const left = failures.find((error) => error instanceof Left && error.code === REFUSED);
    const isRefused = decision === "deny" || stopReason !== undefined || (decision === "ask" && !left);
    if (!isRefused) throw left ?? failures[0];
    failures.forEach((error) => console.error(error));
    reply = { decision, reason, stopReason, message };
  }
  return inWords(payload, reply);
}

function inWords(payload, reply) {
  const call = callOf(payload);
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

/** Keeps standard output for the answers: what anybody prints must not get between them. */
function keepStandardOutput() {
  const print = (...words) => console.error(...words);
  Object.assign(console, { log: print, info: print, debug: print });
  process.stdout.write = process.stderr.write.bind(process.stderr);
}

// The id of the event that a worker is asked about.
let asking;

/** Writes the answer to an event. */
function finish(said) {
  if (asking !== undefined) say({ id: asking, reply: said });
  else if (Object.keys(said).length > 0) say(said);
}

/** Runs the hook: as a worker where Hookloop asks for one, else for one event. */
export async function run() {
  hasRun = true;
  keepStandardOutput();
  if (process.env.HOOKLOOP_WORKER !== "1") {
    const payload = JSON.parse(readFileSync(0, "utf8") || "{}");
    try {
      finish(await answer(payload));
    } catch (error) {
      // Who left says no by the code alone.
      if (!(error instanceof Left)) throw error;
      console.error(error.message);
      exit(error.code);
    }
    return;
  }
  say({ hookloop: 1 });
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    if (line.trim() === "") continue;
    const question = JSON.parse(line);
    // One event after another: what is cancelled was answered before it is read.
    if (!("payload" in question)) continue;
    asking = question.id;
    try {
      finish(await answer(question.payload));
    } catch (error) {
      console.error(error);
      if (error instanceof Left && error.code === REFUSED) say({ id: question.id, refuse: error.message });
      else say({ id: question.id, error: String(error) });
    }
  }
}
