import { describe, expect, test } from 'vitest';
import { defaultsOf, pickerColour, readNumber, withValue } from '#console/themes/block-settings.ts';
import type { Block } from '#console/themes/manifest.ts';
import { previewDocument } from '#console/themes/preview-document.ts';
import { previousVersion } from '#console/themes/previous-version.ts';

describe('the settings of a preview', () => {
  const block: Block = {
    id: 'stars',
    title: 'Stars',
    enabledOn: ['page'],
    settings: {
      names: { type: 'checkbox', label: 'Names', default: false },
      heading: { type: 'text', label: 'Heading' },
      most: { type: 'number', label: 'Most', default: 0 },
    },
  };

  test('begin with the defaults, also those that are false or 0', () => {
    expect(defaultsOf(block)).toEqual({ names: false, most: 0 });
    expect(defaultsOf({ ...block, settings: {} })).toEqual({});
  });

  test('leave an emptied value out', () => {
    expect(withValue({ heading: 'Mine', most: 1 }, 'heading', undefined)).toEqual({ most: 1 });
    expect(withValue({ most: 1 }, 'most', 2)).toEqual({ most: 2 });
  });

  test('send what is no number as it was typed', () => {
    expect([' ', '1.5', '-2', 'many', 'Infinity'].map(readNumber)).toEqual([undefined, 1.5, -2, 'many', 'Infinity']);
  });

  test('show a colour of three digits in a picker, which takes six', () => {
    expect(['#fa0', '#Ffaa00', 'red', undefined].map(pickerColour)).toEqual([
      '#ffaa00',
      '#Ffaa00',
      '#000000',
      '#000000',
    ]);
  });
});

test('a stylesheet cannot end its element in the document of a preview', () => {
  const text = previewDocument({ html: '<p>Stars</p>', stylesheet: `a::after { content: '</STYLE><h1>' }` }, 'n0nce');
  expect(text).toContain(String.raw`a::after { content: '<\/STYLE><h1>' }`);
  expect(text.match(/<\/style/gi)).toHaveLength(2);
  expect(text).toContain('<style nonce="n0nce">');
  expect(previewDocument({ html: '', stylesheet: null }, '').match(/<style/g)).toHaveLength(1);
});

test('style attributes, which the policy of the page forbids, become rules', () => {
  const html =
    '<p class="a" style="color:red">a style="b"</p><img style="content:&quot;&lt;/style&gt; &amp;lt;&quot;" alt="" /><b title=" style=1">c</b>';
  const text = previewDocument({ html, stylesheet: 'p { color: blue }' }, '');
  expect(text).toContain(
    '<p class="a" data-preview-style="0">a style="b"</p><img data-preview-style="1" alt="" /><b title=" style=1">c</b>',
  );
  expect(text).toMatch(/\[data-preview-style="0"\]\S+ \{ color:red \}/);
  expect(text).toContain(String.raw`{ content:"<\/style> &lt;" }`);
});

test('the version before is the newest older one that tenants could install', () => {
  const at = (databaseId: number, status: string) => ({ id: String(databaseId), databaseId, status });
  const versions = [at(9, 'PUBLISHED'), at(7, 'DRAFT'), at(6, 'REJECTED'), at(5, 'WITHDRAWN'), at(3, 'PUBLISHED')];
  expect(previousVersion(at(8, 'DRAFT'), versions)?.id).toBe('5');
  expect(previousVersion(at(4, 'DRAFT'), versions)?.id).toBe('3');
  expect(previousVersion(at(2, 'DRAFT'), versions)).toBeUndefined();
});
