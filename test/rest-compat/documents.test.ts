import { expect, test } from 'vitest';
import { compileOperation } from '#rest/execute.ts';
import { everyPlatformRoute, everyRoute } from '#test/rest-compat/rest.ts';
import { schema } from '#test/setup/schema.ts';

test('the document of every route fits the graph', () => {
  const faults = [...everyRoute, ...everyPlatformRoute].flatMap(({ name, row }) => {
    if (!('operation' in row)) return [];
    try {
      row.operation.prepare();
      return [];
    } catch (error) {
      return [`${name}: ${(error as Error).message}`];
    }
  });
  expect(faults).toEqual([]);
});

test('a document that does not fit is reported with its fault', () => {
  expect(() => compileOperation(schema, '{ workflow(id: 1) { colour } }').prepare()).toThrow(
    /"colour" on type "Workflow"/,
  );
  expect(() => compileOperation(schema, '{ workflo { id } }')).toThrow('The root field workflo is not of the schema.');
});
