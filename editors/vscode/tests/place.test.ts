import assert from "node:assert/strict";
import { test } from "node:test";
import { indexOfColumn, replacement, spanAt } from "../src/place";

test("a column counts characters, also those of two UTF-16 units", () => {
  assert.equal(indexOfColumn("a😀b", 1), 0);
  assert.equal(indexOfColumn("a😀b", 2), 1);
  assert.equal(indexOfColumn("a😀b", 3), 3);
  assert.equal(indexOfColumn("ab", 9), 2);
});

test("a string, a word or a sign is marked", () => {
  const text = '{\r\n  "😀": {"a \\" b": [true, "x|run_shel"]}\r\n}';
  const marked = (line: number, column: number): string => {
    const span = spanAt(text, line, column);
    return (text.split("\r\n")[span.line] ?? "").slice(span.start, span.end);
  };
  assert.equal(marked(2, 3), '"😀"');
  assert.equal(marked(2, 8), "{");
  assert.equal(marked(2, 9), '"a \\" b"');
  assert.equal(marked(2, 20), "true");
  assert.equal(marked(2, 29), "run_shel");
  assert.equal(marked(9, 9), "");
});

test("a suggestion takes the place of a string or a word, and of nothing else", () => {
  assert.equal(replacement('"beforeTool"', "BeforeTool", '"beforeTool" isn\'t an event'), '"BeforeTool"');
  assert.equal(replacement('"x"', "30s", "no quotes here"), '"30s"');
  assert.equal(replacement("run_shel", 'a"b', ""), 'a\\"b');
  for (const marked of ["{", "", '"cut']) {
    assert.equal(replacement(marked, "x", ""), undefined, marked);
  }
});

test("where a message names a part of a string, the rest of it stays", () => {
  const says = '"run_shel" matches no known tool';
  assert.equal(replacement('"glob|run_shel"', "run_shell_command", says), '"glob|run_shell_command"');
  assert.equal(replacement('"run_shel"', "run_shell_command", says), '"run_shell_command"');
});
