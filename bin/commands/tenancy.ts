import { calledAs, CommandError, type CommandIo, type CommandValues, textOption, type Command } from '#bin/command.ts';
import { withDatabase } from '#bin/reach-database.ts';
import { postToServer, serverOptions, readToken } from '#bin/reach-server.ts';
import { readSettings } from '#bin/settings.ts';
import { createOrg, createTenant } from '#src/identity/tenants.service.ts';
import { AppError, ValidationError } from '#src/infra/errors.ts';
import { isMigrated } from '#src/infra/migrations/is-migrated.ts';
import type { Database } from '#src/infra/postgres/database.ts';

/** Options of the commands that create an organisation or a tenant. */
const creationOptions = {
  name: { type: 'string', about: 'Name that people see.' },
  token: {
    type: 'string',
    about: 'Token with the role operator; else CAUSEWAY_TOKEN. With one, the running server is called.',
  },
  url: serverOptions.url,
} as const;

interface Creation {
  /** The REST route that creates it. */
  path: string;
  id: string;
  create: (database: Database, input: { id: string; name: string }) => Promise<unknown>;
  /** Advice if the parent does not exist. */
  missing: string;
}

/** Creates an organisation or a tenant: through the running server if a token is given, else directly in the database. Returns the name. */
async function createTenancy(values: CommandValues, io: CommandIo, creation: Creation): Promise<string> {
  const { path, id, missing } = creation;
  const name = textOption(values, 'name');
  if (name === undefined) throw new CommandError('Give it a name that people see, with --name.', { exitCode: 2 });
  const token = readToken(values, io);
  if (token === undefined) {
    await createInDatabase(io, creation, { id, name });
  } else {
    const body = JSON.stringify({ id, name });
    await postToServer(values, io, { path, token, type: 'application/json', body, expected: [201], missing });
  }
  return name;
}

async function createInDatabase(
  io: CommandIo,
  { create, missing }: Creation,
  input: { id: string; name: string },
): Promise<void> {
  await withDatabase(readSettings(io), async (database, url) => {
    if (!(await isMigrated(url))) {
      throw new CommandError(`The database lacks tables. Run ${calledAs(io)} migrate, or start the server once.`);
    }
    try {
      await create(database, input);
    } catch (error) {
      if (error instanceof ValidationError) {
        const lines = Object.values(error.fields).flat();
        throw new CommandError([error.message, ...lines.map((line) => `  ${line}`)].join('\n'), {
          details: { errors: error.fields },
        });
      }
      if (error instanceof AppError) {
        throw new CommandError(error.code === 'NOT_FOUND' ? missing : error.message, { details: { code: error.code } });
      }
      throw error;
    }
  });
}

export const orgCreate: Command = {
  usage: '<id> --name <name> [options]',
  options: creationOptions,
  async run(values, [id, ...more], io) {
    if (id === undefined || more.length > 0) {
      throw new CommandError('Name one organisation by its id, for example: org create acme --name "Acme Ltd"', {
        exitCode: 2,
      });
    }
    const name = await createTenancy(values, io, {
      path: '/api/v1/admin/orgs',
      id,
      create: createOrg,
      missing: 'There is no Causeway server at this address.',
    });
    if (values.json === true) io.out(`${JSON.stringify({ org: { id, name } })}\n`);
    else io.out(`Created organisation ${id}. Tokens that name it act in its tenants: create one with tenant create.\n`);
    return 0;
  },
};

export const tenantCreate: Command = {
  usage: '<org>/<id> --name <name> [options]',
  options: creationOptions,
  async run(values, [place = '', ...more], io) {
    const [org = '', id = '', ...rest] = place.split('/');
    if (org === '' || id === '' || rest.length > 0 || more.length > 0) {
      throw new CommandError(
        'Name one tenant as <org>/<id>, for example: tenant create acme/acme-shop --name "Acme shop"',
        { exitCode: 2 },
      );
    }
    const name = await createTenancy(values, io, {
      path: `/api/v1/admin/orgs/${encodeURIComponent(org)}/tenants`,
      id,
      create: (database, input) => createTenant(database, org, input),
      missing: `There is no organisation ${org}. Create it first: ${calledAs(io)} org create ${org} --name <name>`,
    });
    if (values.json === true) io.out(`${JSON.stringify({ tenant: { id, org_id: org, name } })}\n`);
    else io.out(`Created tenant ${id} of ${org}. Requests choose it with the header X-Tenant-Id: ${id}\n`);
    return 0;
  },
};
