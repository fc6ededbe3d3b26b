// A stand-in for the editor's API, for tests without an editor. It keeps what the extension registers and
// shows, answers questions from a list, and is strict: what the extension uses and this doesn't have fails.

import Module from "node:module";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

export class Position {
  constructor(
    readonly line: number,
    readonly character: number,
  ) {}
}

export class Range {
  readonly start: Position;
  readonly end: Position;
  constructor(a: number | Position, b: number | Position, c?: number, d?: number) {
    this.start = a instanceof Position ? a : new Position(a, b as number);
    this.end = b instanceof Position ? b : new Position(c ?? 0, d ?? 0);
  }
  intersection(other: Range): Range | undefined {
    const before = (a: Position, b: Position): boolean => a.line < b.line || (a.line === b.line && a.character < b.character);
    return before(this.end, other.start) || before(other.end, this.start) ? undefined : this;
  }
}

export class Uri {
  private constructor(
    readonly scheme: string,
    readonly path: string,
  ) {}
  static file(path: string): Uri {
    return new Uri("file", path);
  }
  static parse(text: string): Uri {
    const [scheme = "", path = ""] = text.split("://");
    return new Uri(scheme, decodeURI(path));
  }
  static from(parts: { scheme: string; path: string }): Uri {
    return new Uri(parts.scheme, parts.path);
  }
  static joinPath(base: Uri, ...parts: string[]): Uri {
    return new Uri(base.scheme, join(base.path, ...parts));
  }
  get fsPath(): string {
    return this.path;
  }
  toString(): string {
    return `${this.scheme}://${encodeURI(this.path)}`;
  }
}

export class Diagnostic {
  source: string | undefined;
  code: string | undefined;
  constructor(
    readonly range: Range,
    readonly message: string,
    readonly severity: number,
  ) {}
}

class Emitter<Event> {
  private readonly listeners = new Set<(event: Event) => unknown>();
  readonly on = (listener: (event: Event) => unknown): { dispose: () => void } => {
    this.listeners.add(listener);
    return { dispose: () => void this.listeners.delete(listener) };
  };
  fire(event: Event): void {
    this.listeners.forEach((it) => it(event));
  }
}

export interface FakeDocument {
  uri: Uri;
  fileName: string;
  languageId: string;
  isDirty: boolean;
  getText: (range?: Range) => string;
}

export function documentOf(uri: Uri, text: string, isDirty = false): FakeDocument {
  const getText = (range?: Range): string => {
    const line = text.split("\n")[range?.start.line ?? 0] ?? "";
    return range ? line.slice(range.start.character, range.end.character) : text;
  };
  return { uri, fileName: uri.fsPath, languageId: "jsonc", isDirty, getText };
}

interface Task {
  name: string;
  execution: { process: string; args: string[]; options: { cwd: string } };
}

/** A new editor, in which nothing is open. */
export function newEditor() {
  const trust = new Emitter<void>();
  const folders = new Emitter<void>();
  const configured = new Emitter<{ affectsConfiguration: (name: string) => boolean }>();
  const touched = new Emitter<Uri>();
  const state = {
    isTrusted: true,
    workspaceFolders: undefined as { uri: Uri; name: string; index: number }[] | undefined,
    settings: new Map<string, unknown>(),
    /** Answers to the next questions: a label, or a text. */
    answers: [] as (string | undefined)[],
    asked: [] as { title: string; labels: string[]; details: string[] }[],
    commands: new Map<string, () => Promise<void>>(),
    problems: new Map<string, Diagnostic[]>(),
    errors: [] as string[],
    warnings: [] as string[],
    notes: [] as string[],
    shown: [] as { uri: Uri; text: string; line: number | undefined }[],
    tasks: [] as Task[],
    output: [] as string[],
    status: undefined as { text: string; tooltip: unknown; command: string; visible: boolean; backgroundColor: unknown } | undefined,
    provider: undefined as { provideCodeActions: (document: FakeDocument, range: Range) => CodeAction[] } | undefined,
    providers: new Map<string, { provideTextDocumentContent: (uri: Uri) => string }>(),
    activeTextEditor: undefined as { document: FakeDocument } | undefined,
  };
  const later = <Value>(value: Value): Promise<Value> => Promise.resolve(value);
  const api = {
    Position,
    Range,
    Uri,
    Diagnostic,
    CodeAction,
    WorkspaceEdit,
    MarkdownString,
    ThemeColor: class {
      constructor(readonly id: string) {}
    },
    RelativePattern: class {
      constructor(
        readonly base: { uri: Uri },
        readonly pattern: string,
      ) {}
    },
    ProcessExecution: class {
      constructor(
        readonly process: string,
        readonly args: string[],
        readonly options: { cwd: string },
      ) {}
    },
    Task: class {
      presentationOptions = {};
      constructor(
        readonly definition: unknown,
        readonly scope: unknown,
        readonly name: string,
        readonly source: string,
        readonly execution: Task["execution"],
      ) {}
    },
    DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 },
    CodeActionKind: { QuickFix: "quickfix" },
    StatusBarAlignment: { Left: 1, Right: 2 },
    TaskRevealKind: { Always: 1 },
    ProgressLocation: { Notification: 15 },
    workspace: {
      get isTrusted() {
        return state.isTrusted;
      },
      get workspaceFolders() {
        return state.workspaceFolders;
      },
      getConfiguration: (section: string) => ({
        get: (key: string, otherwise: unknown) => state.settings.get(`${section}.${key}`) ?? otherwise,
      }),
      getWorkspaceFolder: (uri: Uri) => state.workspaceFolders?.find((it) => uri.path.startsWith(`${it.uri.path}/`)),
      asRelativePath: (uri: Uri) => relative(state.workspaceFolders?.[0]?.uri.path ?? "/", uri.path),
      findFiles: (pattern: { base: { uri: Uri } }) =>
        later(existsSync(pattern.base.uri.path) ? payloads(pattern.base.uri.path) : []),
      fs: { readFile: async (uri: Uri) => readFileSync(uri.path) },
      openTextDocument: async (uri: Uri) => {
        const text = state.providers.get(uri.scheme)?.provideTextDocumentContent(uri) ?? readFileSync(uri.path, "utf8");
        return documentOf(uri, text);
      },
      registerTextDocumentContentProvider: (scheme: string, provider: { provideTextDocumentContent: (uri: Uri) => string }) => {
        state.providers.set(scheme, provider);
        return { dispose: () => undefined };
      },
      createFileSystemWatcher: () => ({
        onDidChange: touched.on,
        onDidCreate: touched.on,
        onDidDelete: touched.on,
        dispose: () => undefined,
      }),
      onDidGrantWorkspaceTrust: trust.on,
      onDidChangeWorkspaceFolders: folders.on,
      onDidChangeConfiguration: configured.on,
    },
    languages: {
      createDiagnosticCollection: () => ({
        clear: () => state.problems.clear(),
        set: (entries: [Uri, Diagnostic[]][]) => entries.forEach(([uri, found]) => state.problems.set(uri.path, found)),
        get: (uri: Uri) => state.problems.get(uri.path),
        dispose: () => state.problems.clear(),
      }),
      registerCodeActionsProvider: (_: unknown, provider: NonNullable<typeof state.provider>) => {
        state.provider = provider;
        return { dispose: () => undefined };
      },
    },
    window: {
      get activeTextEditor() {
        return state.activeTextEditor;
      },
      createStatusBarItem: () => {
        const item = { text: "", tooltip: undefined as unknown, command: "", visible: false, backgroundColor: undefined as unknown };
        state.status = item;
        return Object.assign(item, {
          show: () => (item.visible = true),
          hide: () => (item.visible = false),
          dispose: () => undefined,
        });
      },
      createOutputChannel: () => ({
        appendLine: (line: string) => state.output.push(line),
        show: () => undefined,
        dispose: () => undefined,
      }),
      showQuickPick: (items: { label: string; detail?: string }[], options: { title: string }) => {
        state.asked.push({ title: options.title, labels: items.map((it) => it.label), details: items.map((it) => it.detail ?? "") });
        const answer = state.answers.shift();
        const picked = items.find((it) => it.label === answer);
        if (answer !== undefined && !picked) {
          throw new Error(`no choice "${answer}" among ${items.map((it) => it.label).join(", ")}`);
        }
        return later(picked);
      },
      showInputBox: () => later(state.answers.shift()),
      showOpenDialog: () => later([Uri.file(state.answers.shift() ?? "")]),
      showErrorMessage: (text: string) => later(void state.errors.push(text)),
      showWarningMessage: (text: string) => later(void state.warnings.push(text)),
      showInformationMessage: (text: string) => later(void state.notes.push(text)),
      showTextDocument: (document: FakeDocument, options?: { selection?: Range }) =>
        later(void state.shown.push({ uri: document.uri, text: document.getText(), line: options?.selection?.start.line })),
      withProgress: <Value>(_: unknown, work: (progress: unknown, token: unknown) => Promise<Value>) =>
        work({}, { onCancellationRequested: () => undefined }),
    },
    commands: {
      registerCommand: (name: string, work: () => Promise<void>) => {
        state.commands.set(name, work);
        return { dispose: () => undefined };
      },
      executeCommand: () => later(undefined),
    },
    tasks: { executeTask: (task: Task) => later(void state.tasks.push(task)) },
  };
  const events = {
    grantTrust: () => {
      state.isTrusted = true;
      trust.fire();
    },
    configure: (name: string, value: unknown) => {
      state.settings.set(name, value);
      configured.fire({ affectsConfiguration: (section) => name.startsWith(section) });
    },
    touch: (path: string) => touched.fire(Uri.file(path)),
  };
  return { api: strict(api), state, events };
}

export type Editor = ReturnType<typeof newEditor>;

function payloads(folder: string): Uri[] {
  const names = readdirSync(folder, { recursive: true }) as string[];
  return names.filter((it) => /payload[^/]*\.json$/.test(it)).map((it) => Uri.file(join(folder, it)));
}

export class CodeAction {
  edit: WorkspaceEdit | undefined;
  command: { title: string; command: string } | undefined;
  diagnostics: Diagnostic[] = [];
  isPreferred = false;
  constructor(
    readonly title: string,
    readonly kind: string,
  ) {}
}

export class WorkspaceEdit {
  readonly edits: { uri: Uri; range: Range; text: string }[] = [];
  replace(uri: Uri, range: Range, text: string): void {
    this.edits.push({ uri, range, text });
  }
}

export class MarkdownString {
  value = "";
  appendText(text: string): this {
    this.value += text.replace(/[\\`*_{}[\]()#+\-!~<>|&]/g, "\\$&");
    return this;
  }
  appendMarkdown(text: string): this {
    this.value += text;
    return this;
  }
}

/** Fails where something is used that isn't there, on every level. */
function strict<Value extends object>(value: Value, path = "vscode"): Value {
  return new Proxy(value, {
    get(target, key, receiver) {
      if (typeof key === "string" && !(key in target)) {
        throw new Error(`the fake editor has no ${path}.${key}`);
      }
      const found: unknown = Reflect.get(target, key, receiver);
      const plain = typeof found === "object" && found !== null && ["workspace", "window", "languages", "commands", "tasks"].includes(String(key));
      return plain ? strict(found, `${path}.${String(key)}`) : found;
    },
  });
}

let current: Editor | undefined;
const loader = Module as unknown as { _load: (name: string, ...rest: unknown[]) => unknown };
const load = loader._load;
loader._load = (name, ...rest) => (name === "vscode" ? live : load.call(loader, name, ...rest));
/** What `require("vscode")` gives: always the editor of the running test. */
const live = new Proxy({}, { get: (_, key) => key === "__esModule" || (Reflect.get(current?.api ?? {}, key) as unknown) });

export function use(editor: Editor): void {
  current = editor;
}
use(newEditor());
