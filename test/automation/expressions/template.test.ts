import jsonata from 'jsonata';
import { describe, expect, test } from 'vitest';
import type { ExpressionError } from '#src/automation/expressions/expression-error.ts';
import type { ExpressionScope } from '#src/automation/expressions/scope.ts';
import { checkTemplate, compileTemplate } from '#src/automation/expressions/template.ts';

const order = {
  id: 'A-1',
  lines: [
    { sku: 'x', qty: 2, price: 1.5, tags: ['a', 'b'] },
    { sku: 'y', qty: 1, price: 10, tags: [] },
    { sku: 'z', qty: 5, price: 0.1, tags: ['a'] },
  ],
  buyer: { name: 'Ann', note: null },
  flags: { paid: true, zero: 0 },
  single: { sku: 'only' },
  'odd key': 7,
};

const scope = (more: Partial<ExpressionScope> = {}): ExpressionScope => ({
  trigger: { payload: { order }, type: 'webhook', handle: 'h-1' },
  nodes: { map: { outputs: { items: [{ sku: 'x' }], total: 3 } }, 'fetch-1': { outputs: { total: 4 } } },
  run: { id: 12, started_at: '2026-01-02T03:04:05.000Z' },
  secrets: (key) => ({ TOKEN: 's3cret', OTHER: 'o' })[key],
  ...more,
});

const evaluate = async (config: unknown, more: Partial<ExpressionScope> = {}): Promise<unknown> =>
  compileTemplate(config).evaluate(scope(more));

const catchFault = (action: () => unknown): ExpressionError => {
  try {
    action();
  } catch (error) {
    return error as ExpressionError;
  }
  throw new Error('Nothing was thrown.');
};

describe('a string that is one expression yields the value itself', () => {
  test.each([
    ['{{ trigger.payload.order.id }}', 'A-1'],
    ['{{trigger.payload.order.lines[0].qty}}', 2],
    ['{{ trigger.payload.order.lines[-1].sku }}', 'z'],
    ['{{ trigger.payload.order.buyer }}', { name: 'Ann', note: null }],
    ['{{ trigger.payload.order.buyer.note }}', null],
    ['{{ trigger.payload.order.flags.zero }}', 0],
    ['{{ trigger.payload.order.nothing.here }}', undefined],
    ['{{ trigger.type }}', 'webhook'],
    ['{{ trigger.handle }}', 'h-1'],
    ['{{ run.id }}', 12],
    ['{{ nodes.map.outputs.items[0].sku }}', 'x'],
    ['{{ nodes.fetch-1.outputs.total }}', 4],
    ['{{ nodes.fetch-1.outputs.total - nodes.map.outputs.total }}', 1],
    ['{{ trigger.payload.order.`odd key` }}', 7],
    ['{{ trigger.payload.order.lines.sku }}', ['x', 'y', 'z']],
    ['{{ trigger.payload.order.single[0].sku }}', 'only'],
    ['{{ trigger.payload.order.id[0] }}', 'A-1'],
    ['{{ $sum(trigger.payload.order.lines.(qty * price)) }}', 13.5],
    [
      '{{ trigger.payload.order.lines[qty > 1].{"sku": sku, "order": $trigger.payload.order.id} }}',
      [
        { sku: 'x', order: 'A-1' },
        { sku: 'z', order: 'A-1' },
      ],
    ],
    ['{{ {"a": {"b": "}}"}} }}', { a: { b: '}}' } }],
    ['{{ \'}}\' & "{{" /* }} */ }}', '}}{{'],
    ['{{ $match("a}}b", /\\}\\}/).match }}', '}}'],
    ['{{ 6 / 3 / 2 }}', 1],
    ['{{ secrets.TOKEN }}', 's3cret'],
    ['{{ "Bearer " & secrets.TOKEN }}', 'Bearer s3cret'],
    ['{{ trigger.payload.order.lines.("k" & $secrets.OTHER) }}', ['ko', 'ko', 'ko']],
  ])('%s', async (template, expected) => {
    expect(await evaluate(template)).toEqual(expected);
  });
});

describe('text around an expression makes the value a string', () => {
  test.each([
    ['Order {{ trigger.payload.order.id }}!', 'Order A-1!'],
    ['{{ trigger.type }}/{{ run.id }}', 'webhook/12'],
    ['[{{ trigger.payload.none }}|{{ trigger.payload.order.buyer.note }}]', '[|]'],
    ['{{ trigger.payload.order.flags }} ', '{"paid":true,"zero":0} '],
    ['{{ 1 + 1 }} and {{ secrets.TOKEN }}', '2 and s3cret'],
    ['no braces', 'no braces'],
    ['\\{{ literal }}', '{{ literal }}'],
    ['\\{{ {{ run.id }} }}', '{{ 12 }}'],
    ['a }} b', 'a }} b'],
    ['', ''],
  ])('%s', async (template, expected) => {
    expect(await evaluate(template)).toBe(expected);
  });
});

describe('a config', () => {
  test('is evaluated completely, keeps its order, and shares the parts without expressions', async () => {
    const fixed = { deep: [1, 2] };
    const config = { b: '{{ 1 + 1 }}', a: ['{{ run.id }}', { c: '{{ trigger.type }}' }], fixed, n: 1, x: null };
    const value = await evaluate(config);
    expect(JSON.stringify(value)).toBe('{"b":2,"a":[12,{"c":"webhook"}],"fixed":{"deep":[1,2]},"n":1,"x":null}');
    expect((value as typeof config).fixed).toBe(fixed);
  });

  test('drops members that evaluate to undefined, and keeps array positions', async () => {
    expect(
      await evaluate({ a: '{{ trigger.none }}', b: '{{ $none }}', c: ['{{ trigger.none }}', '{{ $none }}'] }),
    ).toEqual({
      c: [null, null],
    });
  });

  test('is evaluated synchronously when it only reads properties', () => {
    expect(compileTemplate({ a: ['{{ run.id }}', 'x{{ secrets.TOKEN }}'] }).evaluate(scope())).toEqual({
      a: [12, 'xs3cret'],
    });
  });

  test('waits for secrets that must be fetched', async () => {
    const secrets = async (key: string) => `value of ${key}`;
    expect(await evaluate({ a: '{{ secrets.TOKEN }}', b: '<{{ secrets.TOKEN }}>' }, { secrets })).toEqual({
      a: 'value of TOKEN',
      b: '<value of TOKEN>',
    });
  });

  test('names exactly the secrets that it reads', () => {
    const template = compileTemplate({
      a: '{{ secrets.TOKEN }}',
      b: '{{ $length($$.secrets.OTHER) }}',
      c: '{{ run.id }}',
    });
    expect(template.secrets).toEqual(['TOKEN', 'OTHER']);
    expect(template.isStatic).toBe(false);
    expect(compileTemplate({ a: 1 }).isStatic).toBe(true);
  });

  test('is compiled once', () => {
    const config = { a: '{{ run.id }}' };
    expect(compileTemplate(config)).toBe(compileTemplate(config));
    expect(compileTemplate(config, { deferred: ['a'] })).not.toBe(compileTemplate(config));
  });

  test('leaves deferred members as they are, to be evaluated repeatedly', async () => {
    const config = { items: '{{ nodes.map.outputs.items }}', condition: '{{ item.qty > 1 }}', bare: 'index + 1' };
    const template = compileTemplate(config, { deferred: ['condition', 'bare'] });
    expect(await template.evaluate(scope())).toEqual({ ...config, items: [{ sku: 'x' }] });
    const condition = template.deferred('condition');
    expect(await condition.evaluate(scope({ item: { qty: 2 } }))).toBe(true);
    expect(await condition.evaluate(scope({ item: { qty: 1 } }))).toBe(false);
    expect(await template.deferred('bare').evaluate(scope({ index: 4 }))).toBe(5);
    expect(template.deferred('condition')).toBe(condition);
  });

  test('supports concurrent evaluations, each with its own scope', async () => {
    const template = compileTemplate('{{ $sum($map([1..200], function($n) { $n * $$.index })) & secrets.TOKEN }}');
    const values = await Promise.all(
      Array.from({ length: 30 }, (_, index) => template.evaluate(scope({ index, secrets: async () => `-${index}` }))),
    );
    expect(values).toEqual(Array.from({ length: 30 }, (_, index) => `${20_100 * index}-${index}`));
  });

  test('is not changed by what its expressions do', async () => {
    const before = JSON.stringify(order);
    await evaluate({ a: '{{ $sort(trigger.payload.order.lines.qty) }}', b: '{{ trigger.payload.order.lines[].sku }}' });
    expect(JSON.stringify(order)).toBe(before);
  });
});

describe('errors', () => {
  test('in syntax name the config path and the position', () => {
    const fault = catchFault(() => compileTemplate({ values: { list: ['ok', 'x {{ 1 + }}'] } }));
    expect(fault).toMatchObject({ kind: 'syntax', place: { path: 'values.list.1' } });
    expect(fault.place.position).toBeGreaterThanOrEqual(7);
    expect(fault.message).toMatch(/^values\.list\.1: /);
  });

  test.each([
    ['{{ }}', 'empty'],
    ['{{ trigger.payload', 'does not end'],
    ['{{ "unclosed }}', 'does not end'],
    ['{{ secrets.lower }}', 'capitals'],
    ['{{ secrets.lower & "x" }}', 'capitals'],
    ['{{ $eval("1") }}', '$eval is not available'],
    ['{{ trigger.payload ~> |$|{"a":1}| }}', 'transform operator'],
    ['{{ $match("a", /(?=a)/) }}', 'RE2'],
    ['{{ $match("a", /(a)\\1/) }}', 'RE2'],
    [`{{ "${'x'.repeat(17_000)}" }}`, 'at most 16384 characters'],
  ])('%s is refused', (template, reason) => {
    expect(catchFault(() => compileTemplate({ a: template })).message).toContain(reason);
  });

  test('are all listed together for a form', () => {
    const faults = checkTemplate({ a: '{{ 1 + }}', b: 'fine {{ 1 }}', c: ['{{'] }, { path: 'config' });
    expect(faults.map(({ place }) => place.path)).toEqual(['config.a', 'config.c.0']);
  });

  test('in evaluation name the config path', async () => {
    await expect(evaluate({ a: { b: '{{ "x" * 2 }}' } })).rejects.toMatchObject({
      kind: 'failed',
      message:
        'a.b: The left side of the "*" operator must evaluate to a number. Make a number of a text by $number(…).',
    });
    for (const compared of ['"1887.74" > 1000', '2 * "3"', 'true > 1'])
      await expect(evaluate({ a: `{{ ${compared} }}` })).rejects.toThrow('by $number(…).');
    await expect(evaluate({ a: '{{ $error("stop here") }}' })).rejects.toThrow('a: stop here');
    await expect(evaluate({ a: '{{ secrets.MISSING }}' })).rejects.toThrow('a: There is no secret MISSING');
    await expect(evaluate({ a: '{{ $length(secrets.MISSING) }}' })).rejects.toThrow('There is no secret MISSING');
    await expect(evaluate({ a: '{{ $sum }}' })).rejects.toThrow('yields a function');
    await expect(evaluate({ a: '{{ $sum([1e308, 1e308]) }}' })).rejects.toThrow('a number that JSON does not have');
    await expect(evaluate({ a: '{{ {"b": [1 / 0]} }}' })).rejects.toThrow('a number that JSON does not have');
  });
});

describe('base64 encodes UTF-8', () => {
  test.each([
    ['{{ $base64encode("Käse für 5 €") }}', Buffer.from('Käse für 5 €').toString('base64')],
    ['{{ $base64decode("S8Okc2UgZsO8ciA1IOKCrA==") }}', 'Käse für 5 €'],
    ['{{ $base64decode($base64encode("🧀 a")) }}', '🧀 a'],
    ['{{ $base64encode("user:pass") }}', 'dXNlcjpwYXNz'],
    ['{{ $base64encode(trigger.none) }}', undefined],
    ['{{ trigger.payload.order.id.$base64encode() }}', 'QS0x'],
  ])('%s', async (template, expected) => {
    expect(await evaluate(template)).toEqual(expected);
  });

  test('and other bytes fail', async () => {
    await expect(evaluate('{{ $base64decode("5Q==") }}')).rejects.toThrow('UTF-8');
  });
});

describe("bounded replacements of functions return what jsonata's own return", () => {
  const data = { trigger: { payload: { order } } };
  test.each([
    'trigger.payload.order.lines^(price).sku',
    'trigger.payload.order.lines^(>price).sku',
    'trigger.payload.order.lines^(>qty, sku)[0]',
    'trigger.payload.order.lines^($count(tags), >sku).sku',
    'trigger.payload.order.lines^(nothing).sku',
    'trigger.payload.order.(lines^(qty)).sku',
    'trigger.payload.order.lines^(qty)[price > 1]^(>sku).sku',
    'trigger.payload.order.single^(sku).sku',
    '$sort([3, 1, 2])',
    '$sort(["b", "a"])',
    '$sort(trigger.payload.order.lines, function($l, $r) { $l.price > $r.price }).sku',
    '$distinct([1, "1", 1, {"a": 1}, {"a": 1}, [1], [1], null, null])',
    '$distinct(trigger.payload.order.lines.tags)',
    '{"a": 1, "b": [1]} = {"b": [1], "a": 1}',
    '[1, 2] = [2, 1]',
    'trigger.none = 1',
    'trigger.none != 1',
    '1 & true & null & trigger.none & [1, "2"] & {"a": 1.0000000000000001}',
    '$map([1, 2, 3], $power(?, 2))',
    '$map(["a", "b"], $uppercase)',
    '$map([1, 2], function($v, $i) { $v * $i })',
    '$reduce([1, 2, 3], function($a, $b) { $a + $b })',
    '$zip([1, 2], ["a", "b", "c"])',
    '$join(["a", "b"], "-")',
    '$pad("x", -3, "ab")',
    '$string({"a": [1, 2]})',
    '$spread([{"a": 1, "b": 2}])',
    '$merge([{"a": 1}, {"b": 2}])',
    '$each({"a": 1}, function($v, $k) { $k & $v })',
    '$replace("265USD", /([0-9]+)USD/, "$$$1")',
    '$replace("a1b22", /[0-9]+/, function($m) { "<" & $m.match & $m.start & ">" })',
    '$match("ababb", /a(b+)/)',
    '$match("ababb", /a(b+)/, 1)',
    '$match("AbC", /[a-c]/i).match',
    '$split("a, b ,c", /\\s*,\\s*/)',
    '$contains("abracadabra", /a.*a/)',
    '$match("line\\nnext", /^n.*$/m).match',
    '$match("äöü€x", /[^a]x/)',
    '[1..5]',
    '[1..3, 7]',
    '$fromMillis(0, "[Y0001]-[M01]-[D01] [H01]:[m01]")',
    '$toMillis("2026-01-02", "[Y0001]-[M01]-[D01]")',
    '$formatNumber(12345.6, "#,###.00")',
    'trigger.payload.order.lines{sku: qty}',
    '(  $f := function($n) { $n <= 1 ? 1 : $n * $f($n - 1) }; $f(10) )',
    '$clone({"a": [1]})',
    'trigger.payload.order.lines#$i.{"n": $i, "sku": sku}',
    'trigger.payload.order.lines.tags.%.sku',
  ])('%s', async (source) => {
    const bare: unknown = await jsonata(source).evaluate(data);
    expect(await evaluate(`{{ ${source} }}`)).toEqual(bare === undefined ? bare : JSON.parse(JSON.stringify(bare)));
  });
});
