import fc from 'fast-check';

const words = (text: string): string[] => text.trim().split(/\s+/);

const names =
  words(`p div span b i a li ul ol table tr td th tbody thead col caption svg path g use image lineargradient clipPath
  foreignObject title desc math mi mtext img br hr input select option optgroup textarea form button label script style noscript
  iframe template xmp plaintext noembed noframes object embed base meta link body html animate h1 h2 dd dt rt rp summary
  acme-x acme-stars other-x font-face svg:path`);
const attributes =
  words(`id class style href src srcset action data cite poster usemap name type value for xlink:href fill title alt
  data-x aria-label onclick ONERROR itemid longdesc ping x-srcset imagesrcset target width checked 1 __proto__ constructor`);
const values = [
  '',
  'x',
  'acme-1',
  'radio',
  '#acme-x',
  'a"b\'c<d>e&f',
  '&lt;&amp;&#60;&quot;',
  '&#0;&#27;',
  'color: red; top: url(/a)',
  '/a.png',
  '//evil/x',
  'https://a.example/?a=1&b=2',
  'tel:1',
  'ftp://x',
  'x:y',
  'foo<!-- -->:bar',
  '<!<!-- -->-- x -->va:y',
  'javascript:x',
  'jav\tascript:x',
  '\u0001javascript:x',
  'data&colon;text/html,x',
  '/a.png 1x, /b.png 2x',
  '/a 0w',
  '/a 016w,/b 1.50x',
  '/a 0x, /b 3h',
  '/a 1.x',
  '/a .5x',
  '/a, /b 2x',
];
const texts = [
  'text',
  '<',
  '</',
  '</>',
  '< p>',
  '<a',
  '"',
  '\n',
  'a < b & c > d',
  'ünï',
  '&lt;b&gt;',
  '&amp;lt;',
  '&notit;',
  '&#x1b;',
  '\u0000',
  '<!-- c -->',
  '<!--><img src=x>-->',
  '<!doctype html>',
  '<?php x ?>',
  '<![CDATA[x<b>]]>',
  '</p>',
  '</br>',
  '</noscript >',
  '</NOSCRIPT\n>',
  '</noscript',
  '</iframe>',
  '</textarea/>',
  '</title>',
  '</xmp>',
];

const attribute = fc
  .tuple(fc.constantFrom(...attributes), fc.constantFrom(...values), fc.constantFrom('"', "'", '', null))
  .map(([name, value, quote]) => (quote === null ? ` ${name}` : ` ${name}=${quote}${value}${quote}`));
const tag = fc
  .tuple(fc.constantFrom(...names), fc.array(attribute, { maxLength: 3 }), fc.constantFrom('>', '>', '/>', ''))
  .map(([name, all, end]) => `<${name}${all.join('')}${end}`);
const endTag = fc
  .tuple(fc.constantFrom(...names), fc.constantFrom('>', '>', ' >', '/>', ''))
  .map(([name, end]) => `</${name}${end}`);

/** HTML as nobody writes it: elements in each other's way, cut tags, raw text, and values that are meant to pass as others. */
export const oddFragments: fc.Arbitrary<string> = fc
  .array(fc.oneof({ weight: 4, arbitrary: tag }, { weight: 3, arbitrary: endTag }, fc.constantFrom(...texts)), {
    maxLength: 30,
  })
  .map((pieces) => pieces.join(''));
