import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Egress } from '#src/infra/egress/egress.ts';
import { run } from './context.ts';
import { egressToReceivers, type Receiver, startReceiver } from './receiver.ts';

let server: Receiver;
let egress: Egress;
const seen: { type: string | undefined; body: Buffer }[] = [];
let answer: { type: string; body: string | Buffer } | undefined;

beforeAll(async () => {
  server = await startReceiver((request, body, response) => {
    seen.push({ type: request.headers['content-type'], body });
    response.writeHead(200, answer ? { 'content-type': answer.type } : {}).end(answer?.body);
  });
  egress = egressToReceivers(server);
});
afterAll(async () => {
  await egress.close();
  await server.close();
});

const send = (config: object) =>
  run('core:http-request', { method: 'POST', url: `${server.url}/`, ...config }, { ports: { http: egress } });
const sent = async (config: object) => {
  await send(config);
  return { type: seen.at(-1)?.type, body: String(seen.at(-1)?.body) };
};
/** The fields that a standard parser finds in a multipart body. */
async function formSent(config: object): Promise<FormData> {
  await send({ ...config, body_type: 'multipart' });
  const { type = '', body } = seen.at(-1) ?? {};
  return new Response(new Uint8Array(body ?? []), { headers: { 'content-type': type } }).formData();
}

describe('a form', () => {
  const form = 'application/x-www-form-urlencoded';

  test('is sent encoded, with the name repeated for a list, and without null members', async () => {
    const body = { grant: 'a b&c=d', 'address[city]': 'Köln', n: 1, yes: true, tag: ['x', 'y'], none: null };
    expect(await sent({ body_type: 'form', body })).toEqual({
      type: form,
      body: 'grant=a+b%26c%3Dd&address%5Bcity%5D=K%C3%B6ln&n=1&yes=true&tag=x&tag=y',
    });
  });

  test('is the encoding of an object if the content type says so, and text is sent unchanged', async () => {
    const headers = { 'Content-Type': `${form}; charset=utf-8` };
    expect(await sent({ headers, body: { a: '1 2' } })).toEqual({ type: `${form}; charset=utf-8`, body: 'a=1+2' });
    expect(await sent({ body_type: 'form', body: 'a=1%202' })).toEqual({ type: form, body: 'a=1%202' });
  });

  test.each([[{ a: { b: 1 } }], [{ a: [[1]] }], [['a']], [3]])('cannot be made of %j', async (body) => {
    await expect(send({ body_type: 'form', body })).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringMatching(/^config\.body/),
    });
  });

  test('in a response becomes an object, with a list for a repeated name', async () => {
    answer = { type: `${form}; charset=UTF-8`, body: 'ok=1&note=a+b&tag=x&tag=y&__proto__=z' };
    const { outputs } = await send({ body: null });
    expect(JSON.stringify(outputs['body'])).toBe('{"ok":"1","note":"a b","tag":["x","y"],"__proto__":"z"}');
    answer = undefined;
  });
});

describe('a multipart form', () => {
  test('carries fields and files of text and bytes', async () => {
    const bytes = Buffer.from([0, 255, 13, 10, 45, 45]);
    const form = await formSent({
      body: {
        name: 'Ä "quoted"\r\nX: y',
        lines: { filename: 'a"b\r\n.csv', content_type: 'text/csv', content: 'sku;qty\r\nA;1' },
        scans: [{ filename: '1.bin', content_base64: bytes.toString('base64') }, 'none'],
        left: null,
      },
    });
    expect([...form.keys()]).toEqual(['name', 'lines', 'scans', 'scans']);
    expect(form.get('name')).toBe('Ä "quoted"\r\nX: y');
    const [lines, scan] = [form.get('lines') as File, form.getAll('scans')[0] as File];
    expect([lines.type, await lines.text()]).toEqual(['text/csv', 'sku;qty\r\nA;1']);
    expect(Buffer.from(await scan.arrayBuffer())).toEqual(bytes);
    // No name can end its header.
    expect(String(seen.at(-1)?.body)).toContain('filename="a%22b%0D%0A.csv"');
  });

  test('has a generated boundary, whatever content type the config names', async () => {
    const headers = { 'content-type': 'multipart/form-data' };
    const [first, second] = [await sent({ headers, body: { a: 1 } }), await sent({ headers, body: { a: 1 } })];
    expect(first.type).toMatch(/^multipart\/form-data; boundary=causeway-[0-9a-f]{36}$/);
    expect(second.type).not.toBe(first.type);
  });

  test.each([
    [{ a: { filename: 'x' } }],
    [{ a: { content: 'x', content_base64: 'eA==' } }],
    [{ a: { content_base64: 'no base64!' } }],
    [{ a: { content: 'x', content_type: 'text/csv\r\nX: y' } }],
    ['text'],
  ])('cannot be made of %j', async (body) => {
    await expect(send({ body_type: 'multipart', body })).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
  });

  test('in a response becomes its fields and files', async () => {
    const form = new FormData();
    form.append('status', 'done');
    form.append('label', new Blob([Buffer.from([0xff, 0xfe])], { type: 'application/pdf' }), 'label.pdf');
    form.append('log', new Blob(['größe'], { type: 'text/plain' }), 'log.txt');
    const encoded = new Response(form);
    answer = {
      type: encoded.headers.get('content-type') ?? '',
      body: Buffer.from(await encoded.arrayBuffer()),
    };
    expect((await send({ body: null })).outputs['body']).toEqual({
      status: 'done',
      label: { filename: 'label.pdf', content_type: 'application/pdf', content_base64: '//4=' },
      log: { filename: 'log.txt', content_type: 'text/plain', content: 'größe' },
    });
    answer = { type: 'multipart/form-data; boundary=x', body: 'no form' };
    expect((await send({ body: null })).outputs['body']).toBe('no form');
    answer = undefined;
  });
});
