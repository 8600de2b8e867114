import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { expectSame, type Feature, Missing, readValue, within } from './feature.ts';

const noticeMs = 5_000;
const backend = 'SELECT pg_backend_pid()';

/** What a pooler or a proxy between the product and the server may take away. */
export const sessionFeatures: readonly Feature[] = [
  {
    name: 'start-up options of a connection',
    breaks:
      'Connections begin as one of two roles by such an option. Without it no process starts: it would read all tenants.',
    async ask({ open }) {
      const client = await open('-c statement_timeout=4321');
      expectSame(await readValue(client, 'SHOW statement_timeout'), '4321ms', 'The option was dropped');
    },
  },
  {
    name: 'a session for each connection',
    breaks:
      'Locks, notices, prepared statements and settings would be those of another connection from one statement to the next.',
    async ask({ first, second }) {
      const before = await readValue(first, backend);
      await within(second, async () => {
        expectSame(await readValue(first, backend), before, 'Statements of one connection reach several sessions');
        if ((await readValue(second, backend)) === before) throw new Missing('Two connections share one session.');
      });
    },
  },
  {
    name: 'named prepared statements',
    breaks: 'Nearly every statement is prepared once and then called by its name.',
    async ask({ first, second }) {
      const ask = async () => (await first.query({ name: 'causeway-check', text: 'SELECT 1' })).rowCount;
      await ask();
      await within(second, ask);
    },
  },
  {
    name: 'LISTEN and NOTIFY',
    breaks: 'Set WAKE_UP=poll: live pages, subscriptions and workers then learn of a change by asking each second.',
    isOptional: true,
    async ask({ first, second, schema }) {
      const { promise, resolve } = Promise.withResolvers<string>();
      const hear = ({ payload = '' }: pg.Notification) => resolve(payload);
      first.on('notification', hear);
      try {
        await first.query(`LISTEN ${schema}`);
        await second.query('SELECT pg_notify($1, $2)', [schema, 'heard']);
        const heard = await Promise.race([promise, sleep(noticeMs, 'nothing', { ref: false })]);
        expectSame(heard, 'heard', 'A notice did not arrive within five seconds');
      } finally {
        first.off('notification', hear);
        await first.query(`UNLISTEN ${schema}`);
      }
    },
  },
  {
    name: 'advisory locks',
    breaks: 'Migrations, schedules and exports of which only one may run at a time would run twice.',
    async ask({ first, second, schema }) {
      // Each check uses its own key, because a pooler may still hold the lock of an earlier check.
      const key = `hashtext('${schema}')`;
      await first.query(`SELECT pg_advisory_lock(${key})`);
      const meanwhile = await readValue(second, `SELECT pg_try_advisory_lock(${key})`);
      if (meanwhile === true) await second.query(`SELECT pg_advisory_unlock(${key})`);
      expectSame(await readValue(first, `SELECT pg_advisory_unlock(${key})`), true, 'The lock was lost');
      expectSame(meanwhile, false, 'Two sessions hold the same lock');
      expectSame(await readValue(second, `SELECT pg_try_advisory_lock(${key})`), true, 'The lock was not given back');
      await second.query(`SELECT pg_advisory_unlock(${key})`);
    },
  },
  {
    name: 'FOR UPDATE SKIP LOCKED',
    breaks: 'Workers claim runs, deliveries and jobs with it, and would wait for each other.',
    async ask({ first, second, schema }) {
      await first.query(`CREATE TABLE ${schema}.claims (id int); INSERT INTO ${schema}.claims VALUES (1), (2)`);
      const claim = `SELECT id FROM ${schema}.claims ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED`;
      await within(first, async () => {
        expectSame(await readValue(first, claim), 1, 'The first row was not claimed');
        expectSame(await within(second, () => readValue(second, claim)), 2, 'A claimed row was not skipped');
      });
    },
  },
  {
    name: 'the oldest transaction in progress (pg_snapshot_xmin)',
    breaks:
      'Call causeway event-order sequence: each event is then written twice, to give it a number. Tenants cannot be moved from this server.',
    isOptional: true,
    async ask({ first, second }) {
      await within(first, async () => {
        const own = await readValue(first, 'SELECT pg_current_xact_id()::text');
        const oldest = await readValue(second, 'SELECT pg_snapshot_xmin(pg_current_snapshot())::text');
        if (BigInt(String(oldest)) > BigInt(String(own)))
          throw new Missing('A transaction in progress is not seen by another session.');
      });
    },
  },
];
