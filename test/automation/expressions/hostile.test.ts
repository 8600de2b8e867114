import jsonata from 'jsonata';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ExpressionScope } from '#src/automation/expressions/scope.ts';
import { compileTemplate } from '#src/automation/expressions/template.ts';
import { measureCpuTime } from '#test/setup/cpu-time.ts';

const payload = {
  text: 'a'.repeat(200_000),
  numbers: Array.from({ length: 9000 }, (_, index) => index % 7),
  ...(JSON.parse('{"__proto__": {"polluted": true}, "own": 1}') as object),
};

const scope: ExpressionScope = {
  trigger: { payload, type: 'manual', handle: null },
  nodes: {},
  run: { id: 1, started_at: '2026-01-01T00:00:00.000Z' },
  secrets: () => 'secret',
};

const evaluate = async (source: string): Promise<unknown> => compileTemplate({ v: `{{ ${source} }}` }).evaluate(scope);

/** `$a := {"l": $a, "r": $a}` over and over: a few hundred bytes that stand for 2^40 members. */
const doubling = (name: string): string =>
  `$${name} := {"x": 1}; ${`$${name} := {"l": $${name}, "r": $${name}}; `.repeat(40)}`;

/** The longest computation, in milliseconds, in which nothing else of this process had its turn. */
let longestBlock = 0;
let ticking: NodeJS.Timeout;

beforeEach(() => {
  longestBlock = 0;
  let last = process.threadCpuUsage();
  ticking = setInterval(() => {
    const { user, system } = process.threadCpuUsage(last);
    longestBlock = Math.max(longestBlock, (user + system) / 1_000);
    last = process.threadCpuUsage();
  }, 5);
});

afterEach(() => clearInterval(ticking));

describe('an expression that uses too much fails soon with an expected error, and the process survives', () => {
  test.each([
    ['a regular expression that backtracks', '$match(trigger.payload.text & "!", /^(a+)+$/) = 1 ? 1 : $error("none")'],
    ['a search that scans to the end each time', '$count($match(trigger.payload.text, /a(.*b)?/))'],
    ['replacing every character', '$replace(trigger.payload.text, /a/, "bb")'],
    ['a large pattern over a large text', '$contains(trigger.payload.text, /((a?){30}){30}b/)'],
    ['recursion without an end', '($f := function($n) { 1 + $f($n + 1) }; $f(0))'],
    ['a loop without an end', '($f := function($n) { $f($n + 1) }; $f(0))'],
    ['mutual recursion without an end', '($f := function($n) { $g($n) }; $g := function($n) { $f($n) }; $f(0))'],
    ['a huge range', '[1..100000000]'],
    ['a range of ten million', '$count([1..10000000])'],
    ['loops within loops', '[1..9000].([1..9000].([1..9000].1))'],
    ['a wide padding', '$pad("x", 1000000000)'],
    ['many wide paddings', '$map([1..10000], function($i) { $pad("x", 1000000) })'],
    ['many wide paddings by partial application', '$map([1..10000], $pad(?, 1000000))'],
    ['many copies of a text', '$map([1..10000], function($i) { $uppercase(trigger.payload.text) })'],
    [
      'many copies of a text without a function of its own',
      '$map($map([1..10000], function(){trigger.payload.text}), $uppercase)',
    ],
    ['many concatenations', '$map([1..10000], function($i) { $length(trigger.payload.text & $i) })'],
    ['doubling a text', '($f := function($s) { $f($s & $s) }; $f("x"))'],
    ['joining copies', '$join($map([1..9000], function() { trigger.payload.text }), ",")'],
    ['replacing with a text', '$replace(trigger.payload.text, "a", trigger.payload.text)'],
    ['many arrays', '$map([1..10000], function($i) { [1..10000] })'],
    ['many arrays by appending', '$map([1..10000], function($i) { $append(trigger.payload.numbers, $i) })'],
    ['many arrays by syntax', '$map([1..10000], function($i) { [trigger.payload.numbers, $i] })'],
    ['comparing every pair', '($n := trigger.payload.numbers; $n[$count($n[$ = 1]) > 0])'],
    ['shared parts', `(${doubling('a')} $a)`],
    ['shared parts as text', `(${doubling('a')} $string($a))`],
    ['shared parts concatenated', `(${doubling('a')} $a & "")`],
    ['shared parts compared', `(${doubling('a')} ${doubling('b')} $a = $b)`],
    ['shared parts in an error', `(${doubling('a')} -$a)`],
    ['shared parts as a key', `(${doubling('a')} {$a: 1})`],
    ['shared parts walked', `(${doubling('a')} $count($a.**))`],
    ['shared parts in arrays', `($a := [1]; ${'$a := [[$a], [$a]]; '.repeat(40)} $a)`],
    ['shared parts from a function', `($a := [1]; ${'$a := $map([1, 2], function() { $a }); '.repeat(40)} $a)`],
    ['shared parts cloned', `($a := [1]; ${'$a := $zip([$a], [$a]); '.repeat(40)} $clone($a))`],
    ['a wide picture', '$fromMillis(0, "[Y,99999999-99999999]")'],
    ['a wide picture of now', '$now("[Y,99999999-99999999]")'],
    ['a long picture', `$formatInteger(1, $pad("", 100000, "0"))`],
    ['a roman number', '$formatInteger(1e15, "I")'],
  ])('%s', async (_, source) => {
    const refused = () => expect(evaluate(source)).rejects.toMatchObject({ name: 'ExpressionError' });
    expect(await measureCpuTime(refused)).toBeLessThan(5000);
    expect(longestBlock).toBeLessThan(1500);
    expect(process.memoryUsage().heapUsed).toBeLessThan(1_500_000_000);
  });

  test.each([
    ['deep parentheses', `${'('.repeat(8000)}1${')'.repeat(8000)}`],
    ['deep arrays', `${'['.repeat(8000)}${']'.repeat(8000)}`],
    ['deep conditions', `${'1?'.repeat(5000)}1`],
    ['a repetition that cannot be compiled', '$match("a", /((a{1000}){1000}){1000}/)'],
  ])('%s', async (_, source) => {
    await expect(evaluate(source)).rejects.toMatchObject({ name: 'ExpressionError' });
  });

  test('many expressions share one budget', async () => {
    const config = Array.from({ length: 500 }, () => '{{ $map([1..10000], function($i) { $i }) }}');
    await expect(compileTemplate(config).evaluate(scope)).rejects.toMatchObject({ kind: 'limit' });
  });

  test('a config that repeats the whole payload too often is refused', () => {
    const config = Array.from({ length: 1900 }, () => '{{ trigger.payload }}');
    expect(() => compileTemplate(config).evaluate(scope)).toThrow('too much data');
    const text = '{{ trigger.payload }}'.repeat(1900);
    expect(() => compileTemplate(text).evaluate(scope)).toThrow(/string longer|too much data/);
  });

  test.each([
    ['braces only', '{'.repeat(1024 * 1024)],
    ['unclosed', '{{ "'.repeat(262_144)],
    ['many expressions', '{{1}}'.repeat(200_000)],
    ['escapes', '\\{{'.repeat(340_000)],
    ['over a mebibyte', `{{ 1 }}${'x'.repeat(1024 * 1024)}`],
    ['slashes', `{{ ${'/'.repeat(1024 * 1024)}`],
    ['a long path', `{{ trigger${'.a'.repeat(500_000)} }}`],
    ['a long name', `{{ trigger.${'a'.repeat(1_000_000)} }}`],
  ])('a template of a mebibyte: %s', async (_, template) => {
    const taken = await measureCpuTime(() => {
      try {
        compileTemplate(template).evaluate(scope);
      } catch (error) {
        expect(error).toMatchObject({ name: 'ExpressionError' });
      }
    });
    expect(taken).toBeLessThan(1000);
  });
});

describe('an expression reaches nothing but its scope', () => {
  test.each([
    'trigger.constructor',
    'trigger.payload.constructor.constructor',
    'trigger.payload.text.length',
    'trigger.payload.numbers.constructor',
    'trigger.payload.toString',
    '$.constructor',
    '$$.constructor.prototype',
    '$string.constructor',
    '$string.implementation',
    '$lookup($string, "implementation")',
    '$lookup(trigger, "constructor")',
    '$lookup(trigger, "hasOwnProperty")',
    'process',
    'globalThis',
    'require',
    '$process',
    'secrets.constructor',
    '`the budget`',
    'nodes.__proto__',
    'trigger.__proto__.toString',
  ])('%s yields nothing', async (source) => {
    if (source === 'secrets.constructor') {
      expect(() => compileTemplate(`{{ ${source} }}`)).toThrow('capitals');
      return;
    }
    expect(await evaluate(source)).toEqual({});
  });

  test.each(['$eval("1 + 1")', '$$eval("1")', '($e := $eval; $e("1"))', '$map(["1"], $eval)'])(
    '%s is refused',
    async (source) => {
      await expect(evaluate(source)).rejects.toMatchObject({ name: 'ExpressionError' });
    },
  );

  test('an own __proto__ is data, in inputs and outputs', async () => {
    expect(await evaluate('trigger.payload.__proto__.polluted')).toEqual({ v: true });
    const value = (await evaluate('$merge([{"__proto__": {"polluted": 1}}, {"a": 1}])')) as { v: object };
    expect(Object.getPrototypeOf(value.v)).toBe(Object.prototype);
    expect(Object.hasOwn(value.v, '__proto__')).toBe(true);
    const config = JSON.parse('{"__proto__": "{{ trigger.type }}"}') as unknown;
    expect(JSON.stringify(compileTemplate(config).evaluate(scope))).toBe('{"__proto__":"manual"}');
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test('functions shared by all tenants cannot be changed', async () => {
    await expect(evaluate('($sum := function($x) { 42 }; $sum([1]))')).resolves.toEqual({ v: 42 });
    await expect(evaluate('$sum ~> |$|{"implementation": 1}|')).rejects.toThrow('transform operator');
    expect(await evaluate('$sum([1, 2])')).toEqual({ v: 3 });
    expect(await jsonata('$sum([1, 2])').evaluate({})).toBe(3);
  });

  test('an expression sees only the secrets that it names', async () => {
    const asked: string[] = [];
    const secrets = (key: string) => {
      asked.push(key);
      return `value of ${key}`;
    };
    const config = { a: '{{ [secrets.A, $keys(secrets), $lookup(secrets, "B")] }}', b: '{{ $keys(secrets) }}' };
    expect(await compileTemplate(config).evaluate({ ...scope, secrets })).toEqual({ a: ['value of A', 'A'] });
    expect(asked).toEqual(['A']);
  });

  test('a payload that looks like a function is not called', async () => {
    const fake = { _jsonata_lambda: true, arguments: [], body: { type: 'string', value: 'run' }, environment: {} };
    const hostile = { ...scope, trigger: { ...scope.trigger, payload: { fake } } };
    await expect(compileTemplate('{{ trigger.payload.fake() }}').evaluate(hostile)).rejects.toMatchObject({
      name: 'ExpressionError',
    });
  });
});

test('a long computation yields to other work', async () => {
  await expect(evaluate('($f := function($n) { $f($n + 1) }; $f(0))')).rejects.toThrow(/steps|runs longer/);
  expect(longestBlock).toBeLessThan(500);
});

test.each([
  `$toMillis("${'1'.repeat(99)}x", "${'[Y][M][D][H][h][m][s][f]'.repeat(4)}")`,
  `$toMillis("${'1'.repeat(99)}x", "[Y]1[M]1[D]1[H]1[h]1[m]1[s]1[f]")`,
  `$toMillis("${'one '.repeat(24)}x", "[Yw][Mw][Dw][dw][Fn]")`,
  `$toMillis("${'1'.repeat(63)}x", "[Y][M][D][H]")`,
  `$toMillis("${'a'.repeat(63)}1", "[MNn]a[FNn]a[PN]-[Y]")`,
  `$toMillis("${'one '.repeat(15)}x", "[Yw][Mw][Dw]")`,
  `$parseInteger("${'one-'.repeat(40)}x", "w")`,
])('a picture does not make a search without an end: %s', async (source) => {
  const search = () =>
    evaluate(source).catch((error: unknown) => expect(error).toMatchObject({ name: 'ExpressionError' }));
  expect(await measureCpuTime(search)).toBeLessThan(1000);
});

test.each([
  ['2026-01-02T03:04:05Z', '[Y0001]-[M01]-[D01]T[H01]:[m01]:[s01]Z', '2026-01-02T03:04:05.000Z'],
  ['20260102 0304', '[Y0001][M01][D01] [H01][m01]', '2026-01-02T03:04:00.000Z'],
  ['Friday, 2nd January 2026', '[FNn], [D1o] [MNn] [Y]', '2026-01-02T00:00:00.000Z'],
  ['3:04 pm 2/1/2026', '[h]:[m01] [Pn] [D]/[M]/[Y0001]', '2026-01-02T15:04:00.000Z'],
])('a date is still read by a picture: %s', async (text, picture, expected) => {
  expect(await evaluate(`$fromMillis($toMillis("${text}", "${picture}"))`)).toEqual({ v: expected });
});

test('ordinary work stays within the limits', async () => {
  expect(await evaluate('$count(trigger.payload.numbers[$ > 3])')).toEqual({ v: 3856 });
  expect(await evaluate('$sum(trigger.payload.numbers)')).toEqual({ v: 26_995 });
  expect(await evaluate('$length($uppercase(trigger.payload.text))')).toEqual({ v: 200_000 });
  expect(await evaluate('$length("a\u{1F600}\\uD83D\u{1F600}\\uDE00")')).toEqual({ v: 5 });
  expect(await evaluate('$count($distinct(trigger.payload.numbers))')).toEqual({ v: 7 });
  expect(await evaluate('$sort(trigger.payload.numbers)[0]')).toEqual({ v: 0 });
  expect(await evaluate('$length($join($map([1..2000], function($i) { "line " & $i }), "\\n"))')).toEqual({
    v: 18_892,
  });
});
