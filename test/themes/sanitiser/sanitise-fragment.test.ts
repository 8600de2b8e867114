import { describe, expect, test } from 'vitest';
import { sanitiseFragment } from '#src/themes/sanitiser/sanitise-fragment.ts';
import { TooDeepError } from '#src/themes/sanitiser/too-deep-error.ts';
import { readable } from './corpus.ts';

const site = { vendor: 'acme', origin: 'https://shop.example' };
const sanitise = (html: string): string => sanitiseFragment(html, site);

describe('a fragment keeps', () => {
  test.each([
    '<section class="reviews"><h2>Reviews</h2><ul><li>Great &amp; cheap</li></ul></section>',
    '<table><caption>Sizes</caption><tbody><tr><th scope="row">S</th><td colspan="2">36</td></tr></tbody></table>',
    '<a href="https://elsewhere.example/?a=1&amp;b=2" target="_blank" rel="nofollow">More</a>',
    '<a href="mailto:shop@shop.example">Write</a><a href="tel:+49301234">Call</a><a href="../terms#returns">Terms</a>',
    '<img src="/_ext/acme/reviews/1.0.0/star.png" srcset="/a.png 1x, /b.png 2x" alt="A star" width="16" height="16" loading="lazy" />',
    '<svg viewBox="0 0 10 10" aria-hidden="true"><path d="M0 0L10 10" fill="currentColor"></path><use href="#acme-star"></use></svg>',
    '<acme-stars rating="4" config="{&quot;max&quot;:5}" data-sku="A-1"><b>4 of 5</b></acme-stars>',
    '<details open><summary>More</summary><p lang="de">Mehr</p></details>',
    '<label for="acme-text">Yours</label><textarea id="acme-text" name="text" rows="3">&lt;b&gt;</textarea>',
    '<form action="/reviews" method="post"><input type="number" name="rating" min="1" max="5" required /></form>',
    '<p style="color: var(--ink, #333); margin: 0 calc(1em + 2px)">Text</p>',
    '<div style="background: url(&quot;/_ext/acme/reviews/1.0.0/paper.png&quot;) no-repeat">x</div>',
    '<video controls poster="/v.jpg"><source src="/v.mp4" type="video/mp4" /><track src="/v.vtt" kind="captions" /></video>',
    '<svg viewBox="0 0 24 24"><defs><linearGradient id="acme-g" gradientUnits="userSpaceOnUse"><stop offset="0" stop-color="red"></stop></linearGradient><radialGradient id="acme-r" spreadMethod="pad"></radialGradient><clipPath id="acme-c" clipPathUnits="userSpaceOnUse"><rect width="9" height="9"></rect></clipPath></defs><path d="M1 1h9v9z" fill="url(&quot;#acme-g&quot;)" clip-path="url(&quot;#acme-c&quot;)"></path></svg>',
    'Text with 1 &lt; 2, ünïcödé and 日本語',
  ])('%s', (html) => {
    expect(sanitise(html)).toBe(html);
  });
});

describe('a fragment loses', () => {
  test.each([
    ['a custom element of another vendor, but not its content', '<other-stars><b>4</b></other-stars>', '<b>4</b>'],
    ['an unknown element, but not its content', '<blink>now</blink>', 'now'],
    ['a script with its content', 'a<script>alert(1)</script>b', 'ab'],
    [
      'a document inside of it',
      'a<iframe src="/x"><b>c</b></iframe><object data="/x">d</object><embed src="/x">b',
      'ab',
    ],
    ['what speaks for the whole page', '<base href="/x"><meta charset="x"><link rel="stylesheet" href="/x.css">a', 'a'],
    ['event handlers', '<b onclick="x()" ONFOCUS=y>a</b><acme-x onload="x()"></acme-x>', '<b>a</b><acme-x></acme-x>'],
    ['links that run or carry content', '<a href="java&#10;script:x">a</a><a href="data:,x">b</a>', '<a>a</a><a>b</a>'],
    [
      'such URLs wherever they are',
      '<acme-x next="vbscript:x" c=\'{"a":"javascript:x"}\'></acme-x>',
      '<acme-x></acme-x>',
    ],
    [
      'what a button does to its form, wherever it is',
      '<acme-x formaction="//evil.example">a</acme-x>',
      '<acme-x>a</acme-x>',
    ],
    ['images of other origins', '<img src="https://evil.example/i.png" alt="a">', '<img alt="a" />'],
    ['paths that lead to another origin', '<img src="/.//evil.example"><img src="/\\evil.example">', '<img /><img />'],
    ['candidates of other origins', '<img srcset="//evil.example/1.png 1x, /2.png 2x">', '<img srcset="/2.png 2x" />'],
    [
      'declarations that load from elsewhere',
      '<p style="color: red; background: url(//evil.example)">a</p>',
      '<p style="color: red">a</p>',
    ],
    ['styles that hide what they say', '<p style="background: u\\72l(//evil.example)">a</p>', '<p>a</p>'],
    [
      'a comment in a style, and no declaration',
      '<p style="color:red; /* note; it\'s &quot; */ margin:0; /* open; width: 1px">a</p>',
      '<p style="color: red; margin: 0">a</p>',
    ],
    [
      'a declaration with a backslash, and no other',
      '<p style="color:red; width:10px\\9; \\63olor: blue; margin: \\; 1px; padding:0">a</p>',
      '<p style="color: red; padding: 0">a</p>',
    ],
    [
      'a declaration that hides another in a comment, a string or an escape',
      "<p style=\"background:u/**/rl(//evil.example); a: &quot;/*&quot;; color: red; b: url(//evil.example/*); c: '\\'; d: url(//evil.example)'; margin: 0\">a</p>",
      '<p style="color: red">a</p>',
    ],
    [
      'fields for what no extension may have, which are no fields for text either',
      'a<input type="password" name="x"><input type=FILE><input type=" Image " src="/x.png"><input type="passw&#10;ord">b<input type="unknown">',
      'ab<input />',
    ],
    [
      'forms to elsewhere',
      '<form action="https://evil.example"><button formaction="/x">a</button></form>',
      '<form><button>a</button></form>',
    ],
    [
      'ids and names that are not its own',
      '<p id="location">a</p><img name="cookie"><input name="submit">',
      '<p>a</p><img /><input />',
    ],
    [
      'names of radios that are not its own, which would join those of the page',
      '<input type="RADIO" name="shipping" checked><input type="radio" name="acme-size">',
      '<input type="RADIO" checked /><input type="radio" name="acme-size" />',
    ],
    ['parts of the forms of the page', '<input form="checkout" name="price">', '<input name="price" />'],
    [
      'labels and owners of what is not its own',
      '<label for="terms">a</label><ul aria-owns="acme-x cart">b</ul><p aria-describedby="acme-x acme-y">c</p>',
      '<label>a</label><ul>b</ul><p aria-describedby="acme-x acme-y">c</p>',
    ],
    [
      'what would lie over the page',
      '<a href="/x" style="POSITION: fixed; inset: 0">a</a><p style="--p: fixed; position: var(--p)">b</p>',
      '<a href="/x" style="inset: 0">a</a><p style="--p: fixed">b</p>',
    ],
    [
      'what browsers do with any element, on its own elements too',
      '<acme-x accesskey="s" contenteditable popover="auto" itemref="cart" rating="4"></acme-x>',
      '<acme-x rating="4"></acme-x>',
    ],
    ['control characters, written as references too', 'a\u001b(J&#27;b&#1;\u007f\0c\td', 'a(Jbc\td'],
    ['formulae', '<math><mi>x</mi></math>a', 'a'],
    ['what would close the elements around it', '</div></main></body>a', 'a'],
    ['comments and declarations', '<!-- a --><!DOCTYPE html><?php x ?><![CDATA[y]]>b', 'b'],
  ])('%s', (_what, html, expected) => {
    expect(sanitise(html)).toBe(expected);
  });
});

test('URLs of our own origin are written as paths, so that they work under any of its host names', () => {
  expect(sanitise('<img src="https://shop.example/a.png?b#c">')).toBe('<img src="/a.png?b#c" />');
});

test('sanitising again changes nothing', () => {
  const unwrapped = [
    '<rp><x><rp>a',
    '<option><x><optgroup>a',
    '<optgroup><x><select>a',
    '<p><x><p>a',
    `${'<b>'.repeat(140)}<li><li>a`,
    `<li>${'<b>'.repeat(127)}<li>a`,
    `<table><tr><td>${'<i>'.repeat(126)}<td>a`,
  ];
  for (const attack of [...readable, ...unwrapped]) {
    const once = sanitise(attack);
    expect(sanitise(once)).toBe(once);
  }
});

test('a fragment that is nested too deeply is refused before it takes long', () => {
  const started = process.cpuUsage();
  expect(() => sanitise('<b>'.repeat(80_000))).toThrow(TooDeepError);
  // It would take seconds; this is a tenth of one on a slow machine.
  expect(process.cpuUsage(started).user).toBeLessThan(1_000_000);
});

test.each([
  ['a long word in a style', `<p style="color:${'a'.repeat(65_536)}">`],
  ['hyphens in a style', `<p style="color:${'-'.repeat(65_536)}">`],
  ['commas in a srcset', `<img srcset="a${','.repeat(65_536)}b,">`],
  ['unclosed functions', `<p style="background:${'url('.repeat(16_384)}">`],
  ['unclosed data URLs', `<p data-x="${' data:'.repeat(10_000)}">`],
])('%s take time in proportion to their length', (_what, html) => {
  const started = process.cpuUsage();
  sanitise(html);
  // By patterns that read the rest again from each character, it would take eight seconds.
  expect(process.cpuUsage(started).user).toBeLessThan(3_000_000);
});
