import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JsonOutline, type JsonRow, pathOf } from '#console/ui/json/json-outline.ts';

/** What the rows of an outline stand for. */
function read(outline: JsonOutline, row: JsonRow = outline.root): unknown {
  const source = outline.source(row);
  if (!outline.hasMembers(row)) return JSON.parse(source);
  const members = outline.members(row).map((member) => [member.key, read(outline, member)] as const);
  return source.startsWith('[') ? members.map(([, value]) => value) : Object.fromEntries(members);
}

const paths = (outline: JsonOutline): string[] => outline.rows().map((row) => pathOf(row, '$'));

describe('a JSON text as rows', () => {
  test('has the same members as the parsed value, with and without spaces', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(read(new JsonOutline(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  test('keeps the digits of numbers that a double would round', () => {
    const outline = new JsonOutline('{"id": 12345678901234567890.10, "n": -1e400}');
    expect(outline.members(outline.root).map(outline.source)).toEqual(['12345678901234567890.10', '-1e400']);
  });

  test('shows a small text with every level open, and of a large one two', () => {
    expect(paths(new JsonOutline('{"a":{"b":[1,{"order no":2}]}}'))).toEqual([
      '$',
      '$.a',
      '$.a.b',
      '$.a.b[0]',
      '$.a.b[1]',
      '$.a.b[1].`order no`',
    ]);
    const items = Array.from({ length: 300 }, (_, id) => ({ id, name: `Article ${id}` }));
    expect(new JsonOutline(JSON.stringify({ items })).rows()).toHaveLength(2 + 300);
  });

  test('opens and closes a level', () => {
    const outline = new JsonOutline('{"a":[1,2],"b":3}');
    const [, a] = outline.rows() as [JsonRow, JsonRow];
    outline.setOpen(a, false);
    expect(paths(outline)).toEqual(['$', '$.a', '$.b']);
    outline.closeAll();
    outline.openAll();
    expect(paths(outline)).toEqual(['$', '$.a', '$.a[0]', '$.a[1]', '$.b']);
  });

  test('reveals the row of each match, in a name and in a value', () => {
    const items = Array.from({ length: 300 }, (_, id) => ({ id, nested: { Needle: id === 7 ? 'a "needle"' : null } }));
    const outline = new JsonOutline(JSON.stringify({ items }));
    const found = outline.find('"NEEDLE"');
    expect(found).toHaveLength(1);
    const row = outline.reveal(found[0] as number);
    expect(pathOf(row, 'nodes.x.outputs')).toBe('nodes.x.outputs.items[7].nested.Needle');
    expect(outline.value(row)).toBe('a "needle"');
    expect(outline.rows()).toContain(row);
    const [first] = outline.find('needle') as [number];
    expect(pathOf(outline.reveal(first), '$')).toBe('$.items[0].nested.Needle');
  });

  test('reveals a row for every position of a text', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        const text = JSON.stringify(value, null, 1);
        const outline = new JsonOutline(text);
        outline.closeAll();
        for (let position = 0; position < text.length; position++) {
          const row = outline.reveal(position);
          expect(outline.rows()).toContain(row);
        }
      }),
      { numRuns: 30 },
    );
  });
});
