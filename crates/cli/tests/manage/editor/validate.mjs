// Reads {schema, documents} and prints what the JSON language service of VS Code finds in each document:
// pairs of the text that is marked and the message.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const { getLanguageService, TextDocument } = createRequire(import.meta.url)("vscode-json-languageservice");
const { schema, documents } = JSON.parse(readFileSync(0, "utf8"));
const service = getLanguageService({});
service.configure({ schemas: [{ uri: schema.$id, fileMatch: ["*"], schema }] });
const all = [];
for (const value of documents) {
  const document = TextDocument.create("file:///settings.json", "json", 1, JSON.stringify(value));
  const found = await service.doValidation(document, service.parseJSONDocument(document));
  all.push(found.map((it) => [document.getText(it.range), it.message]));
}
console.log(JSON.stringify(all));
