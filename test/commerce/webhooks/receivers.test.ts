import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, chmod, constants, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, expect } from 'vitest';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import { inheritedEnv } from '#test/setup/child-env.ts';
import { startsProcesses } from '#test/setup/timeouts.ts';
import { createHooks, startWorker } from './hooks.ts';

interface Vector {
  name: string;
  secrets: string[];
  headers: Record<string, string>;
  body: string;
  now: number;
  tolerance_seconds: number;
  valid: boolean;
}

const root = fileURLToPath(new URL('../../../', import.meta.url));
const page = await readFile(join(root, 'docs/receiving-webhooks.md'), 'utf8');
const programs = new Map(
  [...page.matchAll(/^```\w+ (\S+)\n([\s\S]*?)^```$/gm)].map(([, name = '', source = '']) => [name, source]),
);
const { vectors } = JSON.parse(await readFile(join(root, 'packages/webhook-kit/vectors.json'), 'utf8')) as {
  vectors: Vector[];
};
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

const scratch = await mkdtemp(join(tmpdir(), 'receivers-'));
afterAll(() => rm(scratch, { recursive: true }));
for (const [name, source] of programs) await writeFile(join(scratch, name), source);
await writeFile(join(scratch, 'package.json'), '{"type":"module"}');
await symlink(join(root, 'node_modules'), join(scratch, 'node_modules'));

// Its start is not part of a test's time.
test.beforeAll(({ api }) => void api);

/** Programs that the machine lacks are not tested. */
const has = async (program: string): Promise<boolean> => {
  const folders = (inheritedEnv['PATH'] ?? '').split(delimiter);
  const found = await Promise.all(
    folders.map((folder) =>
      access(join(folder, program), constants.X_OK).then(
        () => true,
        () => false,
      ),
    ),
  );
  return found.includes(true);
};

interface Running {
  url: string;
  stop: () => Promise<void>;
}
type Start = (port: number, env: Record<string, string>) => Promise<Running>;

/** A receiver that listens by itself. */
const program =
  (command: string, ...args: string[]): Start =>
  async (port, env) => {
    const given = args.map((arg) => arg.replace('<port>', String(port)));
    const child = spawn(command, given, { cwd: scratch, env: { ...env, PORT: String(port) }, stdio: 'ignore' });
    const exited = once(child, 'exit');
    await expect.poll(() => isOpen(port), { timeout: 60_000 }).toBe(true);
    return {
      url: `http://127.0.0.1:${port}/`,
      async stop() {
        child.kill('SIGKILL');
        await exited;
      },
    };
  };

/** A web server for the CGI script, which is started for each request. */
const cgi: Start = async (port, env) => {
  const server = createServer((request, response) => {
    void buffer(request).then(async (body) => response.writeHead(await runCgi(request.headers, body, env)).end());
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${port}/`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

/** Answers the status. */
function runCgi(
  headers: Record<string, string | string[] | undefined>,
  body: Buffer,
  env: Record<string, string>,
): Promise<number> {
  const meta = Object.entries(headers).map(([name, value]) => [
    `HTTP_${name.toUpperCase().replaceAll('-', '_')}`,
    String(value),
  ]);
  return new Promise((resolve, reject) => {
    const child = execFile(
      'sh',
      ['receive.cgi'],
      { cwd: scratch, env: { ...Object.fromEntries(meta), ...env, CONTENT_LENGTH: String(body.length) } },
      (error, stdout) =>
        error ? reject(new Error(error.message)) : resolve(Number(/^Status: (\d+)/.exec(stdout)?.[1])),
    );
    // It may answer without having read the body.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(body);
  });
}

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

test.for<[string, string[], Start]>([
  ['TypeScript', [], program(process.execPath, 'receiver.ts')],
  ['Python', ['python3'], program('python3', 'receiver.py')],
  ['PHP', ['php'], program('php', '-S', '127.0.0.1:<port>', 'receive.php')],
  ['shell', ['sh', 'openssl'], cgi],
])(
  'the receiver in %s keeps a delivery once, byte for byte, and refuses what another secret signed',
  async ([language, needs, start], { api, onTestFinished, skip }) => {
    for (const needed of needs) if (!(await has(needed))) skip(`There is no ${needed} here.`);
    const inbox = join(scratch, `inbox-${language}`);
    await mkdir(inbox);
    const port = await freePort();
    const running = await start(port, { ...inheritedEnv, WEBHOOK_SECRET: secret, INBOX: inbox });
    const worker = await startWorker(api);
    onTestFinished(async () => {
      await worker.stop();
      await running.stop();
    });
    api.egressAllow.add(`127.0.0.1:${port}`);
    const hooks = createHooks(api);
    const topic = `receiver.${language.toLowerCase()}`;
    const { id } = await hooks.create({ url: running.url, topics: [topic], secret });
    const eventId = await hooks.publish(topic, { note: 'Größe L, "grün" ✓\u2028', list: [1, 2.5, null] });
    const [delivery] = await hooks.until(id, (found) => (found[0]?.attempts.length ?? 0) > 0);
    expect(delivery?.attempts).toMatchObject([{ status: 'delivered', http_code: 202 }]);

    await callPlatform(api, 'POST', `/webhooks/deliveries/${delivery?.id}/resend`);
    const [again] = await hooks.until(id, (found) => found[0]?.attempts.length === 2);
    expect(again?.attempts[1]).toMatchObject({ status: 'delivered', http_code: 200 });
    expect(await readdir(inbox)).toEqual([`${eventId}.json`]);
    const { body: sent } = await callPlatform(api, 'GET', `/webhooks/deliveries/${delivery?.id}`);
    expect(await readFile(join(inbox, `${eventId}.json`), 'utf8')).toBe(sent['payload']);

    const other = await hooks.create({ url: running.url, topics: [topic], secret: 'another-secret-of-the-shop' });
    await callPlatform(api, 'POST', `/webhooks/destinations/${other.id}/ping`);
    const [refused] = await hooks.until(other.id, (found) => (found[0]?.attempts.length ?? 0) > 0);
    expect(refused?.attempts).toMatchObject([{ status: 'failed', http_code: 401 }]);
    expect(await readdir(inbox)).toHaveLength(1);
  },
);

/** These receivers read the signature of Standard Webhooks alone: a delivery without it is not signed. */
const expected = vectors.map(({ name, valid, headers }) => [name, valid && 'webhook-signature' in headers]);
const cases = vectors.flatMap((vector) => vector.secrets.map((one) => ({ ...vector, secret: one })));
const verdicts = (answers: boolean[]): unknown[] =>
  vectors.map(({ name }) => [name, cases.some((one, index) => one.name === name && answers[index])]);

/** Runs a program that reads the cases as JSON and answers a list of booleans. */
async function judge(command: string, file: string, source: string): Promise<boolean[]> {
  await writeFile(join(scratch, file), source);
  const child = spawn(command, [file], { cwd: scratch, env: inheritedEnv, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(cases));
  return JSON.parse(await text(child.stdout)) as boolean[];
}

const python = `import json, sys
from receiver import verify
lower = lambda headers: {name.lower(): value for name, value in headers.items()}
print(json.dumps([verify(c["secret"], lower(c["headers"]), c["body"].encode(), c["now"]) for c in json.load(sys.stdin)]))
`;
const php = `<?php
require 'verify.php';
$judge = fn($c) => verify($c['secret'], array_change_key_case($c['headers']), $c['body'], $c['now']);
echo json_encode(array_map($judge, json_decode(file_get_contents('php://stdin'), true)));
`;

test.for<[string, string[], () => Promise<boolean[]>]>([
  ['Python', ['python3'], () => judge('python3', 'judge.py', python)],
  ['PHP', ['php'], () => judge('php', 'judge.php', php)],
  ['shell', ['sh', 'openssl'], judgeByShell],
])(
  'the receiver in %s believes the vectors that it must, and no other',
  startsProcesses,
  async ([, needs, run], { skip }) => {
    for (const needed of needs) if (!(await has(needed))) skip(`There is no ${needed} here.`);
    expect(verdicts(await run())).toEqual(expected);
  },
);

/** The script asks `date` for the time, so a `date` that answers the vector's goes before the machine's. */
async function judgeByShell(): Promise<boolean[]> {
  const clock = join(scratch, 'clock');
  await mkdir(clock);
  await writeFile(join(clock, 'date'), '#!/bin/sh\necho "$NOW"\n');
  await chmod(join(clock, 'date'), 0o755);
  const answers: boolean[] = [];
  for (const [index, { secret: key, headers, body, now }] of cases.entries()) {
    const env = {
      PATH: `${clock}${delimiter}${inheritedEnv['PATH']}`,
      NOW: String(now),
      WEBHOOK_SECRET: key,
      INBOX: join(scratch, `judged-${index}`),
    };
    answers.push((await runCgi(headers, Buffer.from(body), env)) === 202);
  }
  return answers;
}
