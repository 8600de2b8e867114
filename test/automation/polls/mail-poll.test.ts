import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createCredential } from '#src/automation/credentials/credentials.service.ts';
import { pollConfig } from '#src/automation/polls/polls.inputs.ts';
import { previewPoll } from '#src/automation/polls/preview-poll.service.ts';
import { rewindTrigger } from '#src/automation/triggers/poll-triggers.service.ts';
import { createTrigger } from '#src/automation/triggers/triggers.service.ts';
import { startCuttingProxy } from '#test/infra/imap/cutting-proxy.ts';
import { imapSuffix, type ImapServer, lacksImap, startImapServer, user } from '#test/infra/imap/imap-server.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { readyWorkflow, untilRun } from '#test/setup/engine.ts';
import { actor, firedPayloads, makePoll, type MadePoll, poll } from './polled-api.ts';

const mail = (subject: string): string =>
  `From: a@example.com\r\nMessage-ID: <${subject}@example.com>\r\nSubject: ${subject}\r\n\r\ntext\r\n`;

let server: ImapServer;

/** A poll of a mailbox of its own, two mails a page, over a connection that a test can cut. */
async function startMailPoll(api: TestApp, onTestFinished: (done: () => Promise<void>) => void) {
  const mailbox = `orders-${randomUUID()}`;
  await server.manage('mailbox create', mailbox);
  const proxy = await startCuttingProxy({ host: server.host, port: server.plainPort });
  onTestFinished(() => proxy.close());
  api.egressAllow.add(`127.0.0.1:${proxy.port}`);
  const { id } = await createCredential(api.deps, actor, {
    credentialTypeSlug: 'core:imap',
    name: mailbox,
    config: { ...user, host: '127.0.0.1', port: proxy.port, tls: 'none' },
  });
  const config = {
    node: { slug: 'core:list-mails' },
    config: { credential: Number(id), mailbox, limit: 2 },
    items: 'mails',
    key: 'id',
    distinct_by: 'key',
    watermark: { by: 'cursor', field: 'position', param: 'after' },
    cron: '0 0 1 1 *',
  };
  const deliver = async (...subjects: string[]) => {
    for (const subject of subjects) await server.deliver(mail(subject), mailbox);
  };
  return { proxy, config, mailbox, deliver };
}

const page = await readFile(new URL('../../../docs/protocols.md', import.meta.url), 'utf8');

/** An example of the documentation, with the credential and the mailbox of a test. */
function inDocs(name: string, { credential, mailbox }: { credential: number; mailbox: string }): unknown {
  const text = new RegExp(`^\`\`\`json mailbox-${name}\\n([^\`]*)\`\`\``, 'm').exec(page)?.[1] ?? '';
  return JSON.parse(
    text.replaceAll('"credential": 1', `"credential": ${credential}`).replaceAll('"INBOX"', `"${mailbox}"`),
  );
}

const firedSubjects = async (api: TestApp, made: MadePoll): Promise<unknown[]> =>
  (await firedPayloads(api, made)).map(({ record }) => record?.['subject']);

describe.skipIf(lacksImap)(`a poll of a mailbox${imapSuffix}`, () => {
  beforeAll(async () => {
    server = await startImapServer({ hasTls: false });
  });
  afterAll(() => server.close());

  test('fires each mail once, and shows the first ones before', async ({ api, onTestFinished }) => {
    const { config, deliver } = await startMailPoll(api, onTestFinished);
    await deliver('1', '2', '3', '4', '5');
    const preview = await previewPoll(api.deps, 'acme-shop', pollConfig.parse(config));
    expect(preview).toMatchObject({ fault: null, count: 2, records: [{ value: { subject: '1' } }, {}] });
    const made = await makePoll(api, config);
    expect(await poll(api, made)).toMatchObject({ last_error: null, records_fired: 5, sweep: null });
    await deliver('6');
    expect(await poll(api, made)).toMatchObject({ last_error: null, watermark: expect.stringMatching(/^\d+:6$/) });
    await poll(api, made);
    expect(await firedSubjects(api, made)).toEqual(['1', '2', '3', '4', '5', '6']);
  });

  test('loses and repeats nothing when the connection ends in the middle of an answer', async ({
    api,
    onTestFinished,
  }) => {
    const { proxy, config, deliver } = await startMailPoll(api, onTestFinished);
    await deliver('1', '2', '3', '4', '5');
    const made = await makePoll(api, config);
    // Four attempts to read the second page, in whose middle the connection ends.
    proxy.cuts.push(...Array.from({ length: 4 }, () => '* 4 FETCH'));
    const failed = await poll(api, made);
    expect(failed).toMatchObject({ failures: 1, records_fired: 2, last_error: expect.stringContaining('closed') });
    expect(proxy.cuts).toEqual([]);
    // One attempt that finds the list, and one that logs in.
    proxy.cuts.push('* SEARCH', 'OK [CAPABILITY');
    expect(await poll(api, made)).toMatchObject({ failures: 0, last_error: null });
    expect(proxy.cuts).toEqual([]);
    expect(await firedSubjects(api, made)).toEqual(['1', '2', '3', '4', '5']);
  });

  test('reads all mails again after the server has renumbered them, and fires only new ones', async ({
    api,
    onTestFinished,
  }) => {
    const { mailbox, config, deliver } = await startMailPoll(api, onTestFinished);
    await deliver('1', '2', '3');
    const made = await makePoll(api, config);
    await poll(api, made);
    await deliver('4');
    await server.manage('mailbox update', '--uid-validity', '1234', mailbox);
    expect(await poll(api, made)).toMatchObject({ last_error: null, watermark: '1234:4', records_fired: 4 });
    expect(await firedSubjects(api, made)).toEqual(['1', '2', '3', '4']);
  });

  test('fires mails that nothing but their place tells apart', async ({ api, onTestFinished }) => {
    const { config, mailbox } = await startMailPoll(api, onTestFinished);
    for (const time of [1, 2]) await server.deliver(`Subject: Scan\r\n\r\npage ${time}\r\n`, mailbox);
    const made = await makePoll(api, config);
    await poll(api, made);
    expect(await firedSubjects(api, made)).toEqual(['Scan', 'Scan']);
  });

  test('can be rewound to a position, and forget what it has fired', async ({ api, onTestFinished }) => {
    const { config, deliver } = await startMailPoll(api, onTestFinished);
    await deliver('1', '2', '3');
    const made = await makePoll(api, config);
    const { watermark } = await poll(api, made);
    await rewindTrigger(api.deps, actor, BigInt(made.triggerId), {
      to: watermark?.replace(/:3$/, ':1') ?? '',
      forget: true,
    });
    await poll(api, made);
    expect(await firedSubjects(api, made)).toEqual(['1', '2', '3', '2', '3']);
  });

  test('starts the workflow of the documentation, which reads the mail and moves it', async ({
    api,
    onTestFinished,
    startEngine,
  }) => {
    const { credential, mailbox } = (await startMailPoll(api, onTestFinished)).config.config;
    const example = async (name: string) => inDocs(name, { credential, mailbox });
    await server.manage('mailbox create', 'Done');
    const attachment = ['Content-Type: text/csv', 'Content-Disposition: attachment', '', 'sku,qty', 'A,2'];
    await server.deliver(
      [
        'Subject: Order',
        'MIME-Version: 1.0',
        'Content-Type: multipart/mixed; boundary=x',
        '',
        '--x',
        ...attachment,
        '--x--',
      ].join('\r\n'),
      mailbox,
    );
    const { workflowId } = await readyWorkflow(api, (await example('blob')) as Parameters<typeof readyWorkflow>[1]);
    const { id } = await createTrigger(api.deps, actor, BigInt(workflowId), {
      type: 'poll',
      name: 'Mails',
      config: await example('trigger'),
    });
    await startEngine({ allow: [...api.egressAllow].join() });
    await poll(api, { workflowId, triggerId: Number(id), handle: '' });
    const [run] = await api.database.tenantQuery<{ id: number }>('acme-shop', {
      text: 'SELECT id FROM runs WHERE workflow_id = $1',
      values: [workflowId],
    });
    expect(await untilRun(api, Number(run?.id))).toMatchObject({ status: 'succeeded' });
    expect(await server.manage('mailbox status', 'messages', 'Done')).toContain('messages=1');
  });

  test('says what is wrong with the login, the mailbox or the config', async ({ api, onTestFinished }) => {
    const { proxy, config } = await startMailPoll(api, onTestFinished);
    const say = async (given: object) => {
      const { fault } = await previewPoll(api.deps, 'acme-shop', pollConfig.parse({ ...config, ...given }));
      return fault;
    };
    const { credential } = config.config;
    expect(await say({ config: { credential, mailbox: 'Nowhere' } })).toMatch(/has no mailbox Nowhere/);
    expect(await say({ config: { credential: 99 } })).toMatch(/There is no credential 99/);
    expect(await say({ config: { credential, limit: 1_000 } })).toMatch(/config\.limit/);
    expect(await say({ watermark: { ...config.watermark, param: 'credential' } })).toMatch(/cannot take the watermark/);
    expect(await say({ node: { slug: 'core:get-mail' } })).toMatch(/core:list-mails/);
    proxy.cuts.push('* OK');
    expect(await say({})).toMatch(/closed the connection/);
  });
});
