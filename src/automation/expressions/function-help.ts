/** What an editor shows of a function. A test evaluates `example` and compares its value with `yields`. */
export interface FunctionHelp {
  name: string;
  signature: string;
  description: string;
  example: string;
  yields: unknown;
}

type Row = readonly [signature: string, description: string, example: string, yields: unknown];

/** By name, without the `$`. A test compares the names with the functions that expressions have. */
const rows: Readonly<Record<string, Row>> = {
  // Texts
  string: ['$string(value, prettify?)', 'The value as text; JSON for objects and lists.', '$string(5)', '5'],
  length: ['$length(text)', 'The number of characters.', '$length("Käse")', 4],
  substring: ['$substring(text, start, length?)', 'A part of a text, from 0.', '$substring("MUG-1", 0, 3)', 'MUG'],
  substringBefore: [
    '$substringBefore(text, mark)',
    'The text before the first mark; all of it where there is none.',
    '$substringBefore("MUG-1", "-")',
    'MUG',
  ],
  substringAfter: [
    '$substringAfter(text, mark)',
    'The text after the first mark; all of it where there is none.',
    '$substringAfter("MUG-1", "-")',
    '1',
  ],
  lowercase: ['$lowercase(text)', 'The text in small letters.', '$lowercase("MUG")', 'mug'],
  uppercase: ['$uppercase(text)', 'The text in capitals.', '$uppercase("mug")', 'MUG'],
  trim: ['$trim(text)', 'Without spaces around it, and with single ones inside.', '$trim("  a   b ")', 'a b'],
  pad: [
    '$pad(text, width, char?)',
    'Filled up to a width; a negative width fills at the left.',
    '$pad("7", -3, "0")',
    '007',
  ],
  contains: [
    '$contains(text, pattern)',
    'True if the text or regular expression occurs.',
    '$contains("MUG-1", /\\d/)',
    true,
  ],
  match: [
    '$match(text, pattern, limit?)',
    'What a regular expression finds: match, index and groups of each.',
    '$match("A1 B2", /[A-Z](\\d)/).groups',
    ['1', '2'],
  ],
  replace: [
    '$replace(text, pattern, replacement, limit?)',
    'The text with what a text or regular expression finds replaced; $1 is the first group.',
    '$replace("02.03.2026", /(\\d+)\\.(\\d+)\\.(\\d+)/, "$3-$2-$1")',
    '2026-03-02',
  ],
  split: ['$split(text, separator, limit?)', 'The parts between separators.', '$split("a;b;c", ";")', ['a', 'b', 'c']],
  join: ['$join(texts, separator?)', 'Texts in one, with a separator between them.', '$join(["a", "b"], ", ")', 'a, b'],
  base64encode: ['$base64encode(text)', 'Base64 of the text in UTF-8.', '$base64encode("Käse")', 'S8Okc2U='],
  base64decode: ['$base64decode(text)', 'The text of base64, in UTF-8.', '$base64decode("S8Okc2U=")', 'Käse'],
  encodeUrlComponent: [
    '$encodeUrlComponent(text)',
    'A text as part of a URL, such as the value of a parameter.',
    '$encodeUrlComponent("a b&c")',
    'a%20b%26c',
  ],
  encodeUrl: [
    '$encodeUrl(text)',
    'A whole URL with what URLs may not hold encoded.',
    '$encodeUrl("https://a.example/a b")',
    'https://a.example/a%20b',
  ],
  decodeUrlComponent: [
    '$decodeUrlComponent(text)',
    'Undoes $encodeUrlComponent.',
    '$decodeUrlComponent("a%20b%26c")',
    'a b&c',
  ],
  decodeUrl: [
    '$decodeUrl(text)',
    'Undoes $encodeUrl.',
    '$decodeUrl("https://a.example/a%20b")',
    'https://a.example/a b',
  ],

  // Numbers
  number: ['$number(value)', 'The number that a text or boolean stands for.', '$number("12.5")', 12.5],
  abs: ['$abs(number)', 'Without its sign.', '$abs(-3)', 3],
  floor: ['$floor(number)', 'Rounded down.', '$floor(2.7)', 2],
  ceil: ['$ceil(number)', 'Rounded up.', '$ceil(2.1)', 3],
  round: [
    '$round(number, digits?)',
    'Rounded, halves to the even digit; $decimalRound rounds amounts.',
    '$round(2.347, 2)',
    2.35,
  ],
  power: ['$power(base, exponent)', 'A power.', '$power(2, 10)', 1024],
  sqrt: ['$sqrt(number)', 'The square root.', '$sqrt(9)', 3],
  random: ['$random()', 'A random number from 0, below 1.', '$random() < 1', true],
  formatNumber: [
    '$formatNumber(number, picture, options?)',
    'A number as text, by a picture of XPath.',
    '$formatNumber(12345.6, "#,##0.00")',
    '12,345.60',
  ],
  formatBase: [
    '$formatBase(number, base?)',
    'A whole number as text to a base from 2 to 36.',
    '$formatBase(255, 16)',
    'ff',
  ],
  formatInteger: [
    '$formatInteger(number, picture)',
    'A whole number as text, by a picture of XPath.',
    '$formatInteger(7, "000")',
    '007',
  ],
  parseInteger: ['$parseInteger(text, picture)', 'Undoes $formatInteger.', '$parseInteger("007", "000")', 7],
  sum: ['$sum(numbers)', 'The total; $decimalSum totals amounts.', '$sum([1, 2, 3])', 6],
  max: ['$max(numbers)', 'The largest.', '$max([1, 3, 2])', 3],
  min: ['$min(numbers)', 'The smallest.', '$min([1, 3, 2])', 1],
  average: ['$average(numbers)', 'The mean.', '$average([1, 2, 3])', 2],

  // Exact decimals
  decimalAdd: ['$decimalAdd(a, b)', 'The exact sum of two decimals, as text.', '$decimalAdd("0.1", "0.2")', '0.3'],
  decimalSubtract: [
    '$decimalSubtract(a, b)',
    'The exact difference, as text.',
    '$decimalSubtract("10.10", "0.1")',
    '10.00',
  ],
  decimalMultiply: ['$decimalMultiply(a, b)', 'The exact product, as text.', '$decimalMultiply("19.90", 3)', '59.70'],
  decimalDivide: [
    '$decimalDivide(a, b, digits)',
    'The quotient with so many digits after the point, halves away from zero, as text.',
    '$decimalDivide(100, 3, 2)',
    '33.33',
  ],
  decimalRound: [
    '$decimalRound(a, digits)',
    'Rounded to so many digits after the point, halves away from zero, as text.',
    '$decimalRound("1.005", 2)',
    '1.01',
  ],
  decimalSum: [
    '$decimalSum(decimals)',
    'The exact total of a list, as text.',
    '$decimalSum(["19.90", "5.10"])',
    '25.00',
  ],
  decimalCompare: [
    '$decimalCompare(a, b)',
    '-1, 0 or 1: whether a is less, the same or more.',
    '$decimalCompare("10.10", 10.1)',
    0,
  ],

  // Lists
  count: ['$count(list)', 'The number of members; 0 for nothing, 1 for a single value.', '$count([1, 2, 3])', 3],
  append: ['$append(list, more)', 'Both lists in one.', '$append([1], [2, 3])', [1, 2, 3]],
  sort: [
    '$sort(list, function?)',
    'In order; the function says whether two members are to be swapped.',
    '$sort([3, 1, 2], function($a, $b) { $a < $b })',
    [3, 2, 1],
  ],
  reverse: ['$reverse(list)', 'In the opposite order.', '$reverse([1, 2, 3])', [3, 2, 1]],
  shuffle: ['$shuffle(list)', 'In random order.', '$count($shuffle([1, 2, 3]))', 3],
  distinct: ['$distinct(list)', 'Each value once.', '$distinct(["a", "b", "a"])', ['a', 'b']],
  zip: [
    '$zip(list, list, ...)',
    'Lists of the first members, of the second ones, and so on.',
    '$zip([1, 2], ["a", "b"])',
    [
      [1, 'a'],
      [2, 'b'],
    ],
  ],
  map: [
    '$map(list, function)',
    'What the function yields for each member.',
    '$map([1, 2], function($v) { $v * 10 })',
    [10, 20],
  ],
  filter: [
    '$filter(list, function)',
    'The members for which the function yields true.',
    '$filter([1, 5, 9], function($v) { $v > 3 })',
    [5, 9],
  ],
  single: [
    '$single(list, function?)',
    'The only member for which the function yields true; fails unless there is exactly one.',
    '$single([1, 5, 9], function($v) { $v = 5 })',
    5,
  ],
  reduce: [
    '$reduce(list, function, start?)',
    'One value of all members: the function takes what there is so far and the next one.',
    '$reduce([1, 2, 3], function($sum, $v) { $sum + $v }, 0)',
    6,
  ],

  // Objects
  keys: ['$keys(object)', 'The names of its members.', '$keys({"a": 1, "b": 2})', ['a', 'b']],
  lookup: ['$lookup(object, key)', 'The member of that name.', '$lookup({"MUG-1": 3}, "MUG-1")', 3],
  merge: [
    '$merge(objects)',
    'One object of several; later ones win.',
    '$merge([{"a": 1}, {"a": 2, "b": 3}])',
    { a: 2, b: 3 },
  ],
  spread: [
    '$spread(object)',
    'A list of objects with one member each.',
    '$spread({"a": 1, "b": 2})',
    [{ a: 1 }, { b: 2 }],
  ],
  sift: [
    '$sift(object, function)',
    'The members for which the function yields true.',
    '$sift({"a": 1, "b": 5}, function($v) { $v > 3 })',
    { b: 5 },
  ],
  each: [
    '$each(object, function)',
    'What the function yields for each member.',
    '$each({"a": 1, "b": 2}, function($v, $k) { $k & $v })',
    ['a1', 'b2'],
  ],
  clone: ['$clone(value)', 'A copy.', '$clone({"a": 1})', { a: 1 }],

  // Conditions
  boolean: ['$boolean(value)', 'False for nothing, 0, empty texts, lists and objects.', '$boolean("")', false],
  not: ['$not(value)', 'The opposite of $boolean.', '$not(false)', true],
  exists: ['$exists(value)', 'True if a path finds something.', '$exists({"a": 1}.b)', false],
  type: ['$type(value)', 'The name of its type.', '$type([1])', 'array'],
  error: ['$error(message?)', 'Fails with this message.', 'true ? "in stock" : $error("No stock.")', 'in stock'],
  assert: [
    '$assert(condition, message?)',
    'Fails with this message if the condition is false.',
    '($assert(2 > 1, "No stock."); "in stock")',
    'in stock',
  ],

  // Dates
  now: ['$now(picture?, offset?)', 'The time of the evaluation, in UTC.', '$length($now())', 24],
  millis: ['$millis()', 'The time of the evaluation, in milliseconds since 1970.', '$millis() > 1700000000000', true],
  toMillis: [
    '$toMillis(text, picture?)',
    'The milliseconds since 1970 of a date in ISO 8601, or by a picture of XPath.',
    '$toMillis("02.03.2026", "[D01].[M01].[Y0001]")',
    1_772_409_600_000,
  ],
  fromMillis: [
    '$fromMillis(number, picture?, offset?)',
    'The date of milliseconds since 1970, in ISO 8601 or by a picture of XPath.',
    '$fromMillis(1772409600000, "[Y0001]-[M01]-[D01]")',
    '2026-03-02',
  ],
};

/** Every function that an expression may call, by subject. */
export const functionHelp: readonly FunctionHelp[] = Object.entries(rows).map(
  ([name, [signature, description, example, yields]]) => ({ name, signature, description, example, yields }),
);
