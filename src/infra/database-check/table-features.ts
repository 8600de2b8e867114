import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from } from 'pg-copy-streams';
import { type AskedServer, expectSame, type Feature, Missing, readValue, within } from './feature.ts';

/** Statements that the server must take; the schema is the first in their search path. */
const takes =
  (text: string) =>
  ({ first, schema }: AskedServer): Promise<void> =>
    within(first, async () => {
      await first.query(`SET LOCAL search_path = ${schema}, public; ${text}`);
    });

/** What tables, indexes and their upkeep are made of. */
export const tableFeatures: readonly Feature[] = [
  {
    name: 'partitions of tables',
    breaks: 'Runs, steps and log lines are kept in partitions of five million ids, which retention drops whole.',
    ask: takes(`CREATE TABLE days (at date) PARTITION BY RANGE (at);
      CREATE TABLE day PARTITION OF days FOR VALUES FROM ('2026-01-01') TO ('2026-01-02');
      CREATE INDEX ON days (at); INSERT INTO days VALUES ('2026-01-01');
      ALTER TABLE days DETACH PARTITION day; DROP TABLE day`),
  },
  {
    name: 'triggers, also on all rows of a statement',
    breaks: 'Balances of stock, sums of runs and entries of the audit log follow changes by triggers.',
    ask: ({ first, schema }) =>
      within(first, async () => {
        await first.query(`SET LOCAL search_path = ${schema}, public;
          CREATE TABLE moved (n int); CREATE TABLE sums (total bigint);
          CREATE FUNCTION add_up() RETURNS trigger LANGUAGE plpgsql AS
            'BEGIN INSERT INTO sums SELECT sum(n) FROM added; RETURN NULL; END';
          CREATE TRIGGER add_up AFTER INSERT ON moved REFERENCING NEW TABLE AS added
            FOR EACH STATEMENT EXECUTE FUNCTION add_up();
          INSERT INTO moved VALUES (40), (2)`);
        expectSame(await readValue(first, 'SELECT total::int FROM sums'), 42, 'The trigger did not see all rows');
      }),
  },
  {
    name: 'COPY from the client',
    breaks: 'Imports send their rows with it, many times faster than by INSERT.',
    ask: ({ first, schema }) =>
      within(first, async () => {
        await first.query(`CREATE TABLE ${schema}.copied (n int)`);
        await pipeline(Readable.from(['1\n2\n']), first.query(from(`COPY ${schema}.copied FROM STDIN`)));
        expectSame(await readValue(first, `SELECT sum(n)::int FROM ${schema}.copied`), 3, 'Rows are missing');
      }),
  },
  {
    name: 'unlogged tables',
    breaks: 'Rows of imports are compared in them, and rate limits counted, without a trace in the write-ahead log.',
    ask: ({ first, schema }) =>
      within(first, async () => {
        await first.query(`CREATE UNLOGGED TABLE ${schema}.passing (n int)`);
        const kind = await readValue(
          first,
          `SELECT relpersistence::text FROM pg_class WHERE oid = '${schema}.passing'::regclass`,
        );
        expectSame(kind, 'u', 'The table became another kind');
      }),
  },
  {
    name: 'unique indexes in which nulls are equal (NULLS NOT DISTINCT)',
    breaks: 'Prices without a customer or a quantity could be there twice.',
    ask: ({ first, schema }) =>
      within(first, async () => {
        await first.query(`CREATE TABLE ${schema}.prices (customer int, UNIQUE NULLS NOT DISTINCT (customer));
          INSERT INTO ${schema}.prices VALUES (NULL); INSERT INTO ${schema}.prices VALUES (NULL) ON CONFLICT DO NOTHING`);
        const count = await readValue(first, `SELECT count(*)::int FROM ${schema}.prices`);
        expectSame(count, 1, 'A null is there twice');
      }),
  },
  {
    name: 'indexes on JSON (GIN) and by block (BRIN)',
    breaks: 'Attributes are searched by the one, old rows of large tables found by the other.',
    ask: takes(`CREATE TABLE indexed (attributes jsonb, at timestamptz);
      CREATE INDEX ON indexed USING gin (attributes jsonb_path_ops); CREATE INDEX ON indexed USING brin (at)`),
  },
  {
    name: 'indexes built without locking writes out (CREATE INDEX CONCURRENTLY)',
    breaks: 'An upgrade would stop writes while it builds an index of a large table.',
    async ask({ first, schema }) {
      await first.query(`CREATE TABLE ${schema}.large (n int)`);
      await first.query(`CREATE INDEX CONCURRENTLY large_n ON ${schema}.large (n)`);
      const isValid = await readValue(
        first,
        `SELECT indisvalid FROM pg_index WHERE indexrelid = '${schema}.large_n'::regclass`,
      );
      expectSame(isValid, true, 'The index is not valid');
    },
  },
  {
    name: 'the extensions pg_trgm and btree_gin',
    breaks: 'Without them search finds only what begins with a text.',
    isOptional: true,
    async ask({ first }) {
      const text = `SELECT string_agg(wanted, ', ') FROM unnest(ARRAY['pg_trgm', 'btree_gin']) AS wanted
        WHERE NOT EXISTS (SELECT FROM pg_available_extensions WHERE name = wanted)`;
      const lacking = await readValue(first, text);
      if (lacking !== null) throw new Missing(`The server does not offer ${String(lacking)}.`);
    },
  },
];
