import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CompiledDocs, compileDocs } from './compile-docs.ts';
import { listPageFiles } from './page-names.ts';

/** Compiles the pages below a root, and checks `others` with them. */
export async function readDocs(root: string, others: readonly string[] = []): Promise<CompiledDocs> {
  const files = [...listPageFiles(root), ...others];
  const texts = await Promise.all(files.map(async (file) => [file, await readFile(join(root, file), 'utf8')] as const));
  return compileDocs(new Map(texts), (path) => existsSync(join(root, path)));
}
