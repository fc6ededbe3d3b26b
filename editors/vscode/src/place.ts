// Places in texts. The program counts Unicode characters from 1; the editor counts UTF-16 units from 0.

export interface Span {
  line: number;
  start: number;
  end: number;
}

/** The index in UTF-16 units of a column that counts Unicode characters from 1. */
export function indexOfColumn(line: string, column: number): number {
  let index = 0;
  for (let left = column - 1; left > 0 && index < line.length; left -= 1) {
    index += (line.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
  }
  return index;
}

const STRING = /^"(?:[^"\\]|\\.)*"?/u;
const WORD = /^[^\s",:{}[\]|()]+/u;

/** What is meant by a place: a whole string, a word, or one sign. */
export function spanAt(text: string, line: number, column: number): Span {
  const content = text.split(/\r\n|\r|\n/u)[line - 1] ?? "";
  const start = indexOfColumn(content, column);
  const rest = content.slice(start);
  const meant = STRING.exec(rest)?.[0] ?? WORD.exec(rest)?.[0] ?? rest.slice(0, 1);
  return { line: line - 1, start, end: start + meant.length };
}

/**
 * The texts that stand in place of a marked one when a suggestion is taken: a whole string in its quotes, a
 * word without, or a part of a string where the message names that part alone. Nothing where something
 * else is marked, which the suggestion can't be meant for.
 */
export function replacement(marked: string, suggestion: string, message: string): string | undefined {
  const quoted = JSON.stringify(suggestion);
  if (/^[^\s",:{}[\]]+$/u.test(marked)) {
    return quoted.slice(1, -1);
  }
  if (!/^"(?:[^"\\]|\\.)*"$/u.test(marked)) {
    return undefined;
  }
  // `"run_shel" matches no known tool` is said of one alternative of a matcher; the others stay.
  const named: string[] = message.match(/"(?:[^"\\]|\\.)*"/gu) ?? [];
  const inner = marked.slice(1, -1);
  const part = named.map((it) => it.slice(1, -1)).find((it) => it !== "" && it !== inner && inner.split(it).length === 2);
  if (named.includes(marked) || part === undefined) {
    return quoted;
  }
  return `"${inner.replace(part, () => quoted.slice(1, -1))}"`;
}
