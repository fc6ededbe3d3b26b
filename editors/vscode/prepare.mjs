// Takes what the repository holds once into the extension's folder: the schema of settings, which is
// generated from the program's types, and the licence.
import { copyFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
copyFileSync(here("../../schemas/settings.schema.json"), here("schemas/settings.schema.json"));
copyFileSync(here("../../LICENSE"), here("LICENSE"));
