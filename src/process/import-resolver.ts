import { existsSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

/**
 * Tells Node where the product's own modules are, so that it does not look for a package.json in every folder above each file that imports
 * them (docs/decisions/own-imports-resolved.md). Loaded with `--import`; without it Node comes to the same files.
 */
const root = new URL('../../', import.meta.url).href;
const { imports } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  imports: Record<string, string>;
};
/** `#src/` and its like, with their folders. */
const folders = new Map(
  Object.entries(imports).map(([pattern, target]) => [
    pattern.replace('*', ''),
    new URL(target.replace('*', ''), root).href,
  ]),
);
const own = [...folders.values()];

/** Files that are there, so that each is looked for once. */
const found = new Set<string>();

registerHooks({
  resolve(specifier, context, next) {
    const isImport = specifier.endsWith('.ts') && context.conditions.includes('import');
    const url = isImport ? ownModule(specifier, context.parentURL) : undefined;
    return url === undefined ? next(specifier, context) : { url, format: 'module-typescript', shortCircuit: true };
  },
});

/** Undefined where Node is to answer: imports of others, and files that are missing, of which it says who imports them. */
function ownModule(specifier: string, parent = ''): string | undefined {
  if (!parent.startsWith(root) || parent.includes('/node_modules/')) return undefined;
  const url = specifier.startsWith('.') ? new URL(specifier, parent).href : byFolder(specifier);
  if (url === undefined || found.has(url)) return url;
  if (!isOwn(url) || !existsSync(new URL(url))) return undefined;
  found.add(url);
  return url;
}

const isOwn = (url: string): boolean => own.some((folder) => url.startsWith(folder));

function byFolder(specifier: string): string | undefined {
  const afterPrefix = specifier.indexOf('/') + 1;
  const folder = folders.get(specifier.slice(0, afterPrefix));
  return folder && new URL(specifier.slice(afterPrefix), folder).href;
}
