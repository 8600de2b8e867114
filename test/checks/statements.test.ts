import { glob, readFile } from 'node:fs/promises';
import ts from 'typescript';
import { expect, test } from 'vitest';

/** A service with more SQL statements must move them to the .store.ts or .reads.ts beside it. */
const maxStatements = 2;

const statement = /^\s*(SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH|LOCK TABLE)\s+[\w"$(*]/;

/** How many texts of a source file are statements of SQL. */
function statementsIn(text: string): number {
  let found = 0;
  const visit = (node: ts.Node): void => {
    const written = ts.isTemplateExpression(node) ? node.head.text : ts.isStringLiteralLike(node) ? node.text : '';
    if (statement.test(written)) found += 1;
    else ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest));
  return found;
}

test('a service holds at most two statements; more are in its store', async () => {
  const tooMany: string[] = [];
  for await (const file of glob('src/**/*.service.ts')) {
    const found = statementsIn(await readFile(file, 'utf8'));
    if (found > maxStatements) tooMany.push(`${file}: move its ${found} statements to a .store.ts or .reads.ts`);
  }
  expect(tooMany).toEqual([]);
});

test('statements are found in templates and strings, and similar words are ignored', () => {
  const source = [
    'tx.query(`UPDATE runs SET status = ${status} WHERE id = $1`);',
    "tx.query('SELECT now()');",
    'const text = `\n  WITH page AS (SELECT 1) SELECT FROM page`;',
    "throw new Error('Select a version.');",
  ].join('\n');
  expect(statementsIn(source)).toBe(3);
});
