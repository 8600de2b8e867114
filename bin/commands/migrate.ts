import { CommandError } from '#bin/command.ts';
import type { Command } from '#bin/command.ts';
import { readSettings } from '#bin/settings.ts';
import { declarations } from '#src/domains/domains.ts';
import { createLogger } from '#src/infra/logs/logger.ts';
import { migrate } from '#src/infra/migrations/migrate.ts';
import { openOwnDatabase } from '#src/process/embedded-database.ts';

export const command: Command = {
  usage: '[options]',
  options: {},
  async run(values, _positionals, io) {
    const env = readSettings(io);
    const log = createLogger({ level: 'silent' });
    const own =
      env.DATABASE_URL === undefined ? await openOwnDatabase({ dataDir: env.DATA_DIR, log }).catch(fail) : undefined;
    const tell = (_details: object, message: string) => io.err(`${message}\n`);
    try {
      const url = env.DATABASE_URL ?? own?.url ?? '';
      const applied = await migrate(url, declarations.jobs, {
        log: { warn: tell, error: tell },
        installation: env.INSTALLATION,
      }).catch(fail);
      if (values.json === true) io.out(`${JSON.stringify({ applied })}\n`);
      else io.out(applied.length === 0 ? 'The database is up to date.\n' : `Applied ${applied.join(', ')}.\n`);
    } finally {
      await own?.stop();
    }
    return 0;
  },
};

function fail(error: unknown): never {
  throw new CommandError(
    error instanceof Error && error.message !== '' ? error.message : 'The database cannot be reached.',
  );
}
