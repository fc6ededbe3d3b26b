// Reads {schema, documents, cursors} and prints what the JSON language service of VS Code makes of them:
// `found`, for each document pairs of the text that is marked and the message; `offered`, for each cursor (the
// sign | in a text) the labels of the completions; `keys`, how many keys the schema has; and `unexplained`, those of
// them where the pointer doesn't show the description of the key.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const { getLanguageService, TextDocument } = createRequire(import.meta.url)("vscode-json-languageservice");
const { schema, documents, cursors } = JSON.parse(readFileSync(0, "utf8"));
const service = getLanguageService({});
service.configure({ schemas: [{ uri: schema.$id, fileMatch: ["*"], schema }] });
const read = (text) => {
  const document = TextDocument.create("file:///settings.json", "json", 1, text);
  return [document, service.parseJSONDocument(document)];
};

const found = [];
for (const value of documents) {
  const [document, json] = read(JSON.stringify(value));
  const problems = await service.doValidation(document, json);
  found.push(problems.map((it) => [document.getText(it.range), it.message]));
}

const offered = [];
for (const cursor of cursors) {
  const [document, json] = read(cursor.replace("|", ""));
  const list = await service.doComplete(document, document.positionAt(cursor.indexOf("|")), json);
  offered.push((list?.items ?? []).map((it) => it.label));
}

// Every key, with the path of keys and list items (0) that leads to it.
function* keysOf(part, path, above) {
  if (part.$ref) {
    if (!above.includes(part.$ref)) {
      yield* keysOf(schema.definitions[part.$ref.split("/").at(-1)], path, [...above, part.$ref]);
    }
    return;
  }
  for (const [key, inner] of Object.entries(part.properties ?? {})) {
    yield { path: [...path, key], description: inner.description };
    yield* keysOf(inner, [...path, key], above);
  }
  for (const inner of [...(part.allOf ?? []), ...(part.anyOf ?? [])]) {
    yield* keysOf(inner, path, above);
  }
  if (part.items) {
    yield* keysOf(part.items, [...path, 0], above);
  }
  if (typeof part.additionalProperties === "object") {
    yield* keysOf(part.additionalProperties, [...path, "any"], above);
  }
}

const squeezed = (text) => text.replace(/[^\p{L}\p{N}]+/gu, " ").trim();
const unexplained = [];
let keys = 0;
for (const { path, description } of keysOf(schema, [], [])) {
  keys += 1;
  const value = path.reduceRight((inner, key) => (key === 0 ? [inner] : { [key]: inner }), null);
  const text = JSON.stringify(value);
  const [document, json] = read(text);
  const hover = await service.doHover(document, document.positionAt(text.lastIndexOf('"') - 1), json);
  const shown = [hover?.contents ?? []].flat().map((it) => it.value ?? it).join(" ");
  if (!description || !squeezed(shown).includes(squeezed(description))) {
    unexplained.push(`${path.join(".")}: ${shown}`);
  }
}
console.log(JSON.stringify({ found, offered, keys, unexplained }));
