import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { CodeChecker } from '#console/automation/editor/form/code/types/code-checker.ts';
import { nodeKitFile, productDir } from '#src/console/build-inputs.ts';

const folder = dirname(createRequire(import.meta.url).resolve('typescript'));

/** The checker of the worker, in this process. */
export const makeChecker = (): CodeChecker =>
  new CodeChecker({
    ts,
    libraries: Object.fromEntries(
      readdirSync(folder)
        .filter((name) => /^lib\..*d\.ts$/.test(name))
        .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
    ),
    nodeKit: readFileSync(join(productDir, nodeKitFile), 'utf8'),
  });
