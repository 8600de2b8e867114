import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { lightenClient } from './lighten-client.ts';
import { installTools, toolEnvironment } from './tools.ts';

const root = join(import.meta.dirname, '..');
export const clientDir = join(root, 'prisma/generated');

/** Calls `use` with a temporary folder that has the client generated from the current prisma/schema. */
export async function withGeneratedClient<T>(use: (dir: string) => Promise<T>): Promise<T> {
  await installTools();
  const scratch = await mkdtemp(join(tmpdir(), 'causeway-client-'));
  try {
    // The client is written beside the folder of the schema, and contains no path.
    const schema = join(scratch, 'schema');
    await cp(join(root, 'prisma/schema'), schema, { recursive: true });
    generate(schema);
    const client = join(scratch, 'generated');
    await lightenClient(client);
    return await use(client);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function generate(schema: string): void {
  // Generating needs no schema engine, but Prisma would download one first; any program will do.
  const anyProgram = ['/bin/true', '/usr/bin/true'].find((path) => existsSync(path));
  const { status, stdout, stderr } = spawnSync('prisma', ['generate', '--no-hints', '--schema', schema], {
    cwd: root,
    encoding: 'utf8',
    env: toolEnvironment({
      CHECKPOINT_DISABLE: '1',
      ...(anyProgram !== undefined && { PRISMA_SCHEMA_ENGINE_BINARY: anyProgram }),
    }),
  });
  if (status !== 0) throw new Error(`prisma generate failed.\n${stdout}${stderr}`);
}

/** The files that two folders do not have in common, or that differ, sorted. */
export async function differingFiles(one: string, other: string): Promise<string[]> {
  const names = new Set([...(await filesIn(one)), ...(await filesIn(other))]);
  const content = (dir: string, name: string) => readFile(join(dir, name), 'utf8').catch(() => undefined);
  const differing = await Promise.all(
    [...names].map(async (name) => ((await content(one, name)) === (await content(other, name)) ? [] : [name])),
  );
  return differing.flat().toSorted();
}

async function filesIn(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => relative(dir, join(parentPath, name)));
}
