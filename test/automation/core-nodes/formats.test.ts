import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { measureCpuTime } from '#test/setup/cpu-time.ts';
import { run } from './context.ts';

const parse = async (format: string, text: string, options?: object): Promise<unknown> => {
  const { outputs } = await run('core:parse', { format, text: '{{ trigger.payload }}', options }, { payload: text });
  return outputs.data;
};

const render = async (format: string, data: unknown, options?: object): Promise<string> => {
  const { outputs } = await run('core:render', { format, data: '{{ trigger.payload }}', options }, { payload: data });
  return outputs.text as string;
};

describe('reading', () => {
  test.each([
    [
      'csv',
      'sku,qty\na,1\n"b,c","2 ""x"""\n',
      undefined,
      [
        { sku: 'a', qty: '1' },
        { sku: 'b,c', qty: '2 "x"' },
      ],
    ],
    ['csv', '\uFEFFsku;qty\r\n007;1e5\r\n', { delimiter: ';' }, [{ sku: '007', qty: '1e5' }]],
    [
      'csv',
      'a,b\nc,d',
      { header: false },
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['csv', 'a,b\n', undefined, []],
    ['csv', '', undefined, []],
    ['json', '{"a":[1,null]}', undefined, { a: [1, null] }],
    ['json', '7', undefined, 7],
    ['xml', '<o id="7"><l>1</l><l>02</l><n/></o>', undefined, { o: { '@id': '7', l: ['1', '02'], n: '' } }],
    ['xml', '<?xml version="1.0"?><!-- c --><a>&lt;&amp;#65;&#65;<![CDATA[<b>]]></a>', undefined, { a: '<&#65;A<b>' }],
    ['xml', '<o><l>1</l><m>2</m></o>', { lists: ['l', 'm'] }, { o: { l: ['1'], m: ['2'] } }],
    ['xml', '<o><l>1</l><m><l>2</l></m></o>', { lists: 'o.m.l' }, { o: { l: '1', m: { l: ['2'] } } }],
    ['xml', '<o l="1"><l/></o>', { lists: ['l', '@l'] }, { o: { '@l': '1', l: [''] } }],
    ['xml', '<o><l>a<b>c</b></l></o>', { lists: ['l', 'o.l.b'] }, { o: { l: [{ b: ['c'], '#text': 'ac' }] } }],
    // Text beside elements is all text in the element, in the order of the document.
    ['xml', '<a x="&quot;">t<b>u</b></a>', undefined, { a: { '@x': '"', b: 'u', '#text': 'tu' } }],
    [
      'xml',
      '<a><b>New:</b> now in <i>blue</i>, <b>2 kg</b>\n</a>',
      undefined,
      { a: { b: ['New:', '2 kg'], i: 'blue', '#text': 'New: now in blue, 2 kg' } },
    ],
    [
      'xml',
      '<a><t>Line 1<br/>Line 2<BR></BR>3</t><u l="de">1<br/>2</u></a>',
      undefined,
      { a: { t: 'Line 1\nLine 2\n3', u: { '@l': 'de', '#text': '1\n2' } } },
    ],
    [
      'xml',
      '<a>\n <b> x </b>\n <c>\n</c><d><br>y</br></d><![CDATA[ z ]]> </a>',
      undefined,
      { a: { b: 'x', c: '', d: { br: 'y' }, '#text': 'x \n \n\ny z ' } },
    ],
    ['xml', '<a><b/><b/><b><c/></b></a>', undefined, { a: { b: ['', '', { c: '' }] } }],
    [
      'xml',
      '<!DOCTYPE cXML SYSTEM "http://127.0.0.1:1/cXML.dtd">\n<cXML id=" 7 "/>',
      undefined,
      { cXML: { '@id': '7' } },
    ],
  ])('%s %j', async (format, text, options, data) => {
    expect(await parse(format, text, options)).toEqual(data);
  });

  test.each([
    ['csv', 'a,b\n1\n', 'UNREADABLE'],
    ['csv', 'a,a\n1,2\n', 'UNREADABLE'],
    ['csv', 'a,b\n"1,2\n', 'UNREADABLE'],
    ['csv', `a\n${'1\n'.repeat(100_001)}`, 'TOO_LARGE'],
    ['csv', `${'a,'.repeat(1000)}\n`.repeat(1100), 'TOO_LARGE'],
    ['csv', `a\n${'"b,",'.repeat(16_383)}c`, 'UNREADABLE'],
    ['csv', `a\n${'"b,",'.repeat(16_384)}c`, 'TOO_LARGE'],
    ['json', '{', 'UNREADABLE'],
    ['json', '', 'UNREADABLE'],
    ['json', `${'['.repeat(200)}${']'.repeat(200)}`, 'TOO_LARGE'],
    ['json', `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`, undefined],
    ['json', '"'.padEnd(9_000_000, 'x'), 'TOO_LARGE'],
    ['xml', '<a>', 'UNREADABLE'],
    ['xml', '<a></b>', 'UNREADABLE'],
    ['xml', '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>', 'UNREADABLE'],
    ['xml', '<a b="1" b="2"/>', 'UNREADABLE'],
    ['xml', '<a b="<"/>', 'UNREADABLE'],
    ['xml', '<a>]]></a>', 'UNREADABLE'],
    ['xml', '<a/><a/>', 'UNREADABLE'],
    ['xml', '<a>\u0001</a>', 'UNREADABLE'],
    ['xml', '', 'UNREADABLE'],
    ['xml', '<a>&xxe;</a>', 'UNREADABLE'],
    ['xml', '<!DOCTYPE a SYSTEM "http://127.0.0.1:1/"><a>&xxe;</a>', 'UNREADABLE'],
    ['xml', '<a><!ENTITY x SYSTEM "file:///etc/passwd"></a>', 'UNREADABLE'],
    ['xml', '<!-- --><!DOCTYPE a SYSTEM "http://x/" [<!ENTITY x "y">]><a/>', 'UNREADABLE'],
    ['xml', `${'<a>x'.repeat(90)}${'y'.repeat(1_000_000)}${'</a>'.repeat(90)}`, 'TOO_LARGE'],
    ['xml', `<a>x${' '.repeat(1_000_000)}<b/>${' '.repeat(1_000_000)}y</a></a>`, 'UNREADABLE'],
    ['xml', '<a>'.repeat(500) + '</a>'.repeat(500), 'UNREADABLE'],
  ])('%s refuses %.60s', async (format, text, code) => {
    const refused = () =>
      expect(parse(format, text)).rejects.toMatchObject(code === undefined ? { name: 'NodeError' } : { code });
    expect(await measureCpuTime(refused)).toBeLessThan(5000);
  });

  test('names such as __proto__ become members, never prototypes', async () => {
    const [row] = (await parse('csv', '__proto__,a\nx,1\n')) as object[];
    expect(Object.hasOwn(row ?? {}, '__proto__')).toBe(true);
    const element = await parse('xml', '<__proto__><polluted>1</polluted></__proto__>').catch(() => null);
    expect(Object.getPrototypeOf(element ?? {})).toBe(Object.prototype);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

describe('writing', () => {
  test.each([
    [
      'csv',
      [
        { a: 1, b: 'x,"y"' },
        { b: null, c: [1] },
      ],
      undefined,
      'a,b,c\n1,"x,""y""",\n,,[1]\n',
    ],
    ['csv', [{ a: 1 }], { header: false, delimiter: ';' }, '1\n'],
    [
      'csv',
      [
        ['a', 1],
        [true, { x: 1 }],
      ],
      undefined,
      'a,1\ntrue,"{""x"":1}"\n',
    ],
    ['csv', { a: 1 }, undefined, 'a\n1\n'],
    ['csv', [], undefined, ''],
    ['csv', undefined, undefined, ''],
    ['csv', null, undefined, ''],
    ['json', { a: [1, null] }, undefined, '{"a":[1,null]}'],
    ['json', 'x', undefined, '"x"'],
    ['xml', { o: { '@id': 7, l: [1, 2], n: null } }, undefined, '<o id="7"><l>1</l><l>2</l><n/></o>'],
    ['xml', { a: 1, b: '<&>' }, { root: 'r' }, '<r><a>1</a><b>&lt;&amp;&gt;</b></r>'],
    ['xml', [1, 2], undefined, '<root><item>1</item><item>2</item></root>'],
    ['xml', { a: { '@x': '"', '#text': 't' } }, undefined, '<a x="&quot;">t</a>'],
  ])('%s %j', async (format, data, options, text) => {
    const head = format === 'xml' ? '<?xml version="1.0" encoding="UTF-8"?>\n' : '';
    expect(await render(format, data, options)).toBe(head + text);
  });

  test.each([
    ['csv', 'text'],
    ['csv', [1, 2]],
    ['csv', [{ a: 1 }, [2]]],
    ['xml', { 'a><b': 1 }],
    ['xml', { a: { 'x y': 1 } }],
    ['xml', { a: { '@x="1" y': 1 } }],
    ['xml', { a: { '@x': { b: 1 } } }],
    ['xml', { a: [[1]] }],
    ['xml', { a: '\u0000' }],
    ['xml', { '?xml': 1, a: 1 }],
  ])('%s refuses %j', async (format, data) => {
    await expect(render(format, data)).rejects.toMatchObject({ code: 'UNWRITABLE' });
  });

  test('a root element whose name is invalid is refused', async () => {
    await expect(render('xml', [1], { root: 'a b' })).rejects.toMatchObject({ code: 'UNWRITABLE' });
  });
});

const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/);
const text = fc.string({ unit: 'grapheme', maxLength: 20 });

test('CSV reads back as it was written', async () => {
  const tables = fc
    .uniqueArray(name, { minLength: 1, maxLength: 5 })
    .chain((columns) =>
      fc.array(fc.record(Object.fromEntries(columns.map((column) => [column, text]))), { minLength: 1, maxLength: 10 }),
    );
  await fc.assert(
    fc.asyncProperty(tables, fc.constantFrom(',', ';', '\t'), async (rows, delimiter) => {
      // A row whose only cell is empty cannot be told from an empty line.
      fc.pre(rows.every((row) => Object.values(row).some((value) => value !== '')));
      expect(await parse('csv', await render('csv', rows, { delimiter }), { delimiter })).toEqual(rows);
    }),
  );
});

test('XML reads back as it was written', async () => {
  const word = text
    .map((value) => value.replaceAll(/[\p{Cc}\uFFFE\uFFFF]/gu, '').trim())
    .filter((value) => value !== '');
  const { element } = fc.letrec((tie) => ({
    element: fc.oneof({ depthSize: 'small' }, word, fc.dictionary(name, tie('element'), { minKeys: 1, maxKeys: 3 })),
  }));
  await fc.assert(
    fc.asyncProperty(name, element, async (root, value) => {
      expect(await parse('xml', await render('xml', { [root]: value }))).toEqual({ [root]: value });
    }),
  );
});
