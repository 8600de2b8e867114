import { AppError, ValidationError } from '#src/infra/errors.ts';
import { isMigrated } from '#src/infra/migrations/is-migrated.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import { calledAs, CommandError, type CommandIo, type CommandValues, textOf } from './command.ts';
import { withDatabase } from './reach-database.ts';
import { postToServer, serverOptions, tokenOf } from './reach-server.ts';
import { settingsOf } from './settings.ts';

/** Options of the commands that create an organisation or a tenant. */
export const creationOptions = {
  name: { type: 'string', about: 'Name that people see.' },
  token: {
    type: 'string',
    about: 'Token with the role operator; else CAUSEWAY_TOKEN. With one, the running server is called.',
  },
  url: serverOptions.url,
} as const;

export interface Creation {
  /** The REST route that creates it. */
  path: string;
  id: string;
  create: (database: Database, input: { id: string; name: string }) => Promise<unknown>;
  /** What to do if what it belongs to is missing. */
  missing: string;
}

/**
 * Creates an organisation or a tenant: through the running server with a token, else in the database, which needs none. Answers
 * the name.
 */
export async function createTenancy(values: CommandValues, io: CommandIo, creation: Creation): Promise<string> {
  const { path, id, missing } = creation;
  const name = textOf(values, 'name');
  if (name === undefined) throw new CommandError('Give it a name that people see, with --name.', { exitCode: 2 });
  const token = tokenOf(values, io);
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
  await withDatabase(settingsOf(io), async (database, url) => {
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
