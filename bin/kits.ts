import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const kits = ['node-kit', 'extension-kit', 'webhook-kit'] as const;

/** The folder of a kit for authors of packages. It stands beside the product, so no install has to link it. */
export const kitFolder = (kit: (typeof kits)[number]): string =>
  join(fileURLToPath(new URL('../packages/', import.meta.url)), kit);

/** The URL of what is imported under a name such as `@causeway/node-kit/http`; undefined if that is no kit's. */
export function kitEntry(specifier: string): string | undefined {
  const kit = kits.find((name) => `${specifier}/`.startsWith(`@causeway/${name}/`));
  if (kit === undefined) return undefined;
  const folder = kitFolder(kit);
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    exports: Readonly<Record<string, string | { default: string } | undefined>>;
  };
  const entry = exports[`.${specifier.slice(`@causeway/${kit}`.length)}`];
  const file = typeof entry === 'object' ? entry.default : entry;
  return file === undefined ? undefined : pathToFileURL(join(folder, file)).href;
}
