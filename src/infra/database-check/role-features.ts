import type pg from 'pg';
import { expectSame, type Feature, Missing, readValue, within } from './feature.ts';

/** The roles as which the product acts, whose names it does not choose on a server that has them already. */
const roles = ['causeway_app', 'causeway_system'] as const;

/** Creates a role that the owner may assume, which the end of the transaction takes back; or assumes one that is there. */
async function assumeRole(client: pg.Client, { schema, also }: { schema: string; also: (role: string) => string }) {
  const [known] = roles;
  const isKnown = await readValue(client, 'SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)', [known]);
  const role = isKnown === true ? known : schema;
  if (isKnown !== true) await client.query(`CREATE ROLE ${role} NOLOGIN; GRANT ${role} TO CURRENT_USER`);
  await client.query(also(role));
  await client.query(`SET LOCAL ROLE ${role}`);
}

/** What keeps tenants apart. */
export const roleFeatures: readonly Feature[] = [
  {
    name: 'the roles causeway_app and causeway_system',
    breaks: 'Every process acts as one of them. Create them, or let the owner do it, as docs/database.md says.',
    async ask({ first }) {
      const text = `SELECT NOT EXISTS (SELECT FROM unnest($1::text[]) AS name
          LEFT JOIN pg_roles r ON r.rolname = name WHERE r.oid IS NULL OR NOT pg_has_role(r.oid, 'MEMBER'))
        OR (SELECT rolcreaterole OR rolsuper FROM pg_roles WHERE rolname = current_user)`;
      if ((await readValue(first, text, [roles])) !== true)
        throw new Missing('They are not there, or the owner may not assume them, and it may not create roles.');
    },
  },
  {
    name: 'SET ROLE',
    breaks: 'The owner of the tables could not step back to a role for which row-level security holds.',
    ask: ({ first, schema }) =>
      within(first, async () => {
        await assumeRole(first, { schema, also: () => '' });
        const acts = await readValue(first, 'SELECT current_user <> session_user');
        expectSame(acts, true, 'The session acts as the same user as before');
      }),
  },
  {
    name: 'forced row-level security',
    breaks: 'It keeps the rows of tenants apart, whatever a statement forgets.',
    ask: ({ first, schema }) =>
      within(first, async () => {
        await first.query(`CREATE TABLE ${schema}.owned (tenant text);
          ALTER TABLE ${schema}.owned ENABLE ROW LEVEL SECURITY; ALTER TABLE ${schema}.owned FORCE ROW LEVEL SECURITY;
          CREATE POLICY own ON ${schema}.owned USING (tenant = current_setting('causeway.check', true))`);
        await assumeRole(first, {
          schema,
          also: (role) =>
            `GRANT USAGE ON SCHEMA ${schema} TO ${role}; GRANT SELECT, INSERT ON ${schema}.owned TO ${role}`,
        });
        for (const tenant of ['a', 'b'])
          await first.query(`SELECT set_config('causeway.check', '${tenant}', true);
            INSERT INTO ${schema}.owned VALUES ('${tenant}')`);
        expectSame(
          await readValue(first, `SELECT string_agg(tenant, ' ') FROM ${schema}.owned`),
          'b',
          'A role reads what is not its own',
        );
        await first.query('SAVEPOINT refused');
        const refused = await first.query(`INSERT INTO ${schema}.owned VALUES ('a')`).then(
          () => false,
          () => true,
        );
        if (!refused) throw new Missing('A role writes what is not its own.');
        await first.query('ROLLBACK TO refused');
      }),
  },
  {
    name: 'functions that act as their owner (SECURITY DEFINER)',
    breaks: 'Retention, schedules and partitions are kept by functions that may do more than the roles that call them.',
    ask: ({ first, schema }) =>
      within(first, async () => {
        await first.query(`CREATE FUNCTION ${schema}.acts_as() RETURNS name LANGUAGE sql SECURITY DEFINER
          SET search_path = pg_catalog AS 'SELECT current_user'`);
        const owner = await readValue(first, 'SELECT current_user');
        await assumeRole(first, { schema, also: (role) => `GRANT USAGE ON SCHEMA ${schema} TO ${role}` });
        expectSame(await readValue(first, `SELECT ${schema}.acts_as()`), owner, 'The function acts as its caller');
      }),
  },
];
