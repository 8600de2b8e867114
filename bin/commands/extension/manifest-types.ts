import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const typesFile = 'theme-extensions.d.json.ts';

/**
 * A declaration for `theme-extensions.json`. TypeScript widens the types of a JSON file, so that `"text"` becomes `string`; this file
 * beside it keeps the literals, from which the types of the props are derived. JSON is valid as a type.
 */
export const manifestTypes = (manifest: unknown): string =>
  `// Written by "causeway extension" from theme-extensions.json.
declare const manifest: ${JSON.stringify(manifest, undefined, 2)};
export = manifest;
`;

/** Updates the declaration of a folder. An extension that is not in TypeScript has none. */
export async function writeManifestTypes(folder: string, manifest: unknown): Promise<void> {
  const path = join(folder, typesFile);
  const present = await readFile(path, 'utf8').catch(() => null);
  const types = manifestTypes(manifest);
  if (present !== null && present !== types) await writeFile(path, types);
}
