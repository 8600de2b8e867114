import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { BuildOptions } from 'esbuild';

export const sandboxChildFile = new URL('../workers/runtime/generated/sandbox-child.mjs', import.meta.url);

const root = fileURLToPath(new URL('..', import.meta.url));

/** Bundles an entry of workers/runtime/sandbox into one text. */
async function bundle(entry: string, options: BuildOptions): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [`workers/runtime/sandbox/${entry}`],
    bundle: true,
    write: false,
    target: 'esnext',
    charset: 'utf8',
    ...options,
  });
  return outputFiles?.[0]?.text ?? '';
}

/** The module that a child of the node runtime runs. It holds the realm's modules as a text, which each context runs. */
export async function sandboxChild(): Promise<string> {
  const realm = await bundle('realm/realm.ts', { format: 'iife', globalName: 'realm', platform: 'neutral' });
  return bundle('child.ts', {
    format: 'esm',
    platform: 'node',
    external: ['isolated-vm'],
    define: { realmSource: JSON.stringify(realm) },
    banner: { js: '// Written by `npm run generate` from workers/runtime/sandbox.' },
  });
}

/** True if the committed file is up to date with its sources. */
export const isSandboxChildCurrent = async (): Promise<boolean> =>
  (await sandboxChild()) === (await readFile(sandboxChildFile, 'utf8').catch(() => ''));
