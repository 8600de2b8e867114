import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCauseway } from '#bin/causeway.ts';
import { compileSchema } from '#src/infra/json-schema/compile-schema.ts';
import { sha384 } from '#test/themes/extension-site.ts';

let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'extension-commands-'));
});
afterAll(() => rm(scratch, { recursive: true }));

async function causeway(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const outcome = { code: 0, out: '', err: '' };
  outcome.code = await runCauseway(['extension', ...argv], {
    out: (text) => void (outcome.out += text),
    err: (text) => void (outcome.err += text),
    env: {},
    cwd: scratch,
  });
  return outcome;
}

test('each command has help and --json', async () => {
  for (const name of ['init', 'validate', 'dev', 'hash', 'register']) {
    const { code, out } = await causeway(name, '--help');
    expect([code, out]).toEqual([0, expect.stringMatching(new RegExp(`causeway extension ${name} [^]*--json`))]);
  }
});

describe('a new extension', () => {
  test('is valid, prints its hashes, and is not overwritten', async () => {
    expect(await causeway('init', 'reviews', '--vendor', 'opinio')).toMatchObject({
      code: 0,
      out: expect.stringContaining('Now: causeway extension dev reviews\n'),
    });
    expect((await causeway('validate', 'reviews')).out).toMatch(
      /^ext__opinio__reviews__greeting {2}rendered by Greeting\n[^]* is valid: opinio\/reviews 0\.1\.0 for acme\/starter >=1\.0\.0\.\n$/,
    );
    const { out } = await causeway('hash', 'reviews', '--json');
    const css = await readFile(join(scratch, 'reviews/assets/reviews.css'), 'utf8');
    expect(JSON.parse(out)).toMatchObject({ '/assets/reviews.css': sha384(css) });
    expect(await causeway('init', 'reviews')).toMatchObject({ code: 1, err: expect.stringContaining('not empty') });
  });

  test('has the schema that its manifest names, so that editors need no server', async () => {
    await causeway('init', 'described');
    const manifest = JSON.parse(await readFile(join(scratch, 'described/theme-extensions.json'), 'utf8')) as Draft;
    const schema = await readFile(join(scratch, 'described', String(manifest['$schema'])), 'utf8');
    expect(compileSchema({ ...(JSON.parse(schema) as object), $id: 'described' })(manifest).ok).toBe(true);
  });

  test.each([
    ['a vendor that elements cannot begin with', ['new', '--vendor', 'Acme_'], '--vendor'],
    ['a name of one letter', ['x'], '--name'],
    ['no theme', ['new', '--theme', 'starter'], '--theme'],
    ['no folder', [], 'Name the folder'],
  ])('needs more than %s', async (_what, argv, told) => {
    expect(await causeway('init', ...argv)).toMatchObject({ code: 2, err: expect.stringContaining(told) });
  });

  test('keeps the types of its manifest up to date', async () => {
    await causeway('init', 'typed');
    await change('typed', (manifest) => ({ ...manifest, title: 'Another' }));
    await causeway('validate', 'typed');
    expect(await readFile(join(scratch, 'typed/theme-extensions.d.json.ts'), 'utf8')).toContain('"title": "Another"');
  });
});

interface Draft {
  [member: string]: unknown;
  blocks: { [member: string]: unknown; settings: Record<string, object> }[];
}

async function change(folder: string, edit: (manifest: Draft) => object): Promise<void> {
  const path = join(scratch, folder, 'theme-extensions.json');
  await writeFile(path, JSON.stringify(edit(JSON.parse(await readFile(path, 'utf8')) as Draft)));
}

describe('a fault is reported with its JSON pointer and a sentence:', () => {
  beforeAll(() => causeway('init', 'faulty'));
  const block = ({ blocks: [first] }: Draft, settings: object) => [{ ...first, settings }];

  test.each<[string, (manifest: Draft) => object, string, RegExp]>([
    ['an unknown member', (manifest) => ({ ...manifest, colour: 1 }), '/colour', /no member "colour"/],
    ['a missing member', ({ title: _title, ...rest }) => rest, '/title', /is missing/],
    [
      'a block twice',
      ({ blocks, ...rest }) => ({ ...rest, blocks: [...blocks, ...blocks] }),
      '/blocks/1/id',
      /repeats that of \/blocks\/0/,
    ],
    [
      'a default that is not an option',
      (manifest) => ({
        ...manifest,
        blocks: block(manifest, {
          tone: { type: 'radios', label: 'Tone', options: { calm: 'Calm' }, default: 'loud' },
        }),
      }),
      '/blocks/0/settings/tone/default',
      /must be a key of options/,
    ],
    [
      'a module that is not declared',
      ({ assets: _assets, ...rest }) => rest,
      '/blocks/0/javascript',
      /needs assets\.javascript/,
    ],
    [
      'a stylesheet that is not there',
      ({ assets, ...rest }) => ({ ...rest, assets: { ...(assets as object), stylesheet: '/assets/none.css' } }),
      '/assets/stylesheet',
      /names \/assets\/none\.css, but the extension has no such file/,
    ],
    [
      'an icon that is not there',
      (manifest) => ({ ...manifest, icon: 'icon.svg' }),
      '/icon',
      /names icon\.svg, but the extension has no such file/,
    ],
  ])('%s', async (_what, edit, pointer, sentence) => {
    const path = join(scratch, 'faulty/theme-extensions.json');
    const before = await readFile(path);
    await change('faulty', edit);
    const [text, json] = [await causeway('validate', 'faulty'), await causeway('validate', 'faulty', '--json')];
    await writeFile(path, before);
    expect([text.code, text.err]).toEqual([1, expect.stringContaining(`  ${pointer} `)]);
    const { error } = JSON.parse(json.out) as { error: { errors: { pointer: string; message: string }[] } };
    const fault = error.errors.find((each) => each.pointer === pointer);
    expect(fault?.message).toMatch(sentence);
  });

  test('an element of another vendor', async () => {
    await writeFile(join(scratch, 'faulty/assets/faulty.js'), "customElements.define('other-stars', class {});\n");
    expect((await causeway('validate', 'faulty')).err).toMatch(
      /\/assets\/javascript defines the custom element other-stars; .* begin with acme-/,
    );
  });

  test('a file that is missing or not JSON', async () => {
    await writeFile(join(scratch, 'faulty/theme-extensions.json'), '{,');
    expect((await causeway('hash', 'faulty')).err).toContain('theme-extensions.json is not JSON');
    expect((await causeway('validate', 'nowhere')).err).toContain('"extension init" creates one');
  });
});

test('registering asks for missing options', async () => {
  expect(await causeway('register')).toMatchObject({ code: 2, err: expect.stringContaining('Name the address') });
  expect(await causeway('register', 'https://a.example')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--tenant'),
  });
  expect(await causeway('register', 'https://a.example', '--tenant', 'demo')).toMatchObject({
    code: 2,
    err: expect.stringContaining('CAUSEWAY_TOKEN'),
  });
});
