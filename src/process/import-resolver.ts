import { readFileSync } from 'node:fs';
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

registerHooks({
  resolve(specifier, context, next) {
    const url = specifier.endsWith('.ts') ? ownModule(specifier, context.parentURL) : undefined;
    return url === undefined ? next(specifier, context) : { url, format: 'module-typescript', shortCircuit: true };
  },
});

function ownModule(specifier: string, parent = ''): string | undefined {
  if (!parent.startsWith(root) || parent.includes('/node_modules/')) return undefined;
  if (specifier.startsWith('.')) return new URL(specifier, parent).href;
  const afterPrefix = specifier.indexOf('/') + 1;
  const folder = folders.get(specifier.slice(0, afterPrefix));
  return folder && folder + specifier.slice(afterPrefix);
}
