import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { productDir } from '#src/console/build-inputs.ts';

/** A script of its own beside those of the console. */
export interface Script {
  name: string;
  content: Buffer;
}

/** TypeScript for the browser, and its messages in German. */
export interface Compiler {
  typescript: Script;
  german: Script;
}

const typescriptDir = join(productDir, 'node_modules/typescript/lib');

const made = new Map<boolean, Promise<Compiler>>();

/**
 * Bundles the compiler once in a process, because it takes a second of processor time and changes only with its package. A watched console is
 * built again without it.
 */
export function bundleCompiler(minify: boolean, target: string[]): Promise<Compiler> {
  const bundled = made.get(minify) ?? bundle(minify, target);
  made.set(minify, bundled);
  bundled.catch(() => made.delete(minify));
  return bundled;
}

/** How a script for the browser is bundled into memory. */
export const scriptOptions = (minify: boolean, target: string[]) =>
  ({ bundle: true, minify, format: 'esm', platform: 'browser', target, write: false, logLevel: 'silent' }) as const;

async function bundle(minify: boolean, target: string[]): Promise<Compiler> {
  const { outputFiles } = await build({
    stdin: {
      contents: `export { default as ts } from 'typescript';\nexport const libraries = ${JSON.stringify(readLibraries())};`,
      resolveDir: productDir,
    },
    ...scriptOptions(minify, target),
  });
  const german = readFileSync(join(typescriptDir, 'de/diagnosticMessages.generated.json'), 'utf8');
  return {
    typescript: toScript('typescript', outputFiles[0]?.text ?? ''),
    german: toScript('typescript-de', `export const messages = ${JSON.stringify(german)};`),
  };
}

function toScript(name: string, text: string): Script {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 8);
  return { name: `${name}-${hash}.js`, content: Buffer.from(text) };
}

/** The declarations of the language by file name, without comments, which take two thirds of their size. */
function readLibraries(): Record<string, string> {
  const files = readdirSync(typescriptDir).filter((file) =>
    /^lib\.(?:es\d+(?:\.\w+)*|decorators.*)\.d\.ts$/.test(file),
  );
  return Object.fromEntries(
    files
      .filter((file) => !file.endsWith('.full.d.ts'))
      .map((file) => [file, readFileSync(join(typescriptDir, file), 'utf8').replace(/\/\*[\s\S]*?\*\/\s*/g, '')]),
  );
}
