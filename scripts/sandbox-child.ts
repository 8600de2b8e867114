import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export const sandboxChildFile = new URL('../workers/runtime/generated/sandbox-child.mjs', import.meta.url);

/** workers/runtime/sandbox as the one module that a child of the node runtime runs. */
export async function sandboxChild(): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: fileURLToPath(new URL('..', import.meta.url)),
    entryPoints: ['workers/runtime/sandbox/child.ts'],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'esnext',
    charset: 'utf8',
    external: ['isolated-vm'],
    banner: { js: '// Written by `npm run generate` from workers/runtime/sandbox.' },
  });
  return outputFiles[0]?.text ?? '';
}

/** True if the committed file is up to date with its sources. */
export const isSandboxChildCurrent = async (): Promise<boolean> =>
  (await sandboxChild()) === (await readFile(sandboxChildFile, 'utf8').catch(() => ''));
