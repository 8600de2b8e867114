import { type Command, CommandError } from '#bin/command.ts';
import { withDatabase } from '#bin/reach-database.ts';
import { readSettings } from '#bin/settings.ts';
import { type Erasure, erasePerson, maxForeign } from '#src/commerce/personal-data/erase-person.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { AppError } from '#src/infra/errors.ts';
import { openStorage } from '#src/process/open-storage.ts';
import { findOrg, noContact, personOptions, readPerson } from './reach-person.ts';

/** What no erasure reaches. */
const beyond = [
  'Amounts, positions, order numbers, the stock ledger, payments and statistics stay: accounts and taxes need them.',
  'Countries of addresses stay, for taxes.',
  'Other systems keep what they were sent. Tell them: the event contact.updated names the contact by its id.',
  'Backups and replicas that are behind keep what they hold until they are replaced.',
];

/** Remaining records that are printed; the rest is only counted. */
const printedAtMost = 1_000;

export const command: Command = {
  usage: '<tenant> <contact> (--yes | --dry-run) [options]  (exit code 1 where something remains)',
  options: {
    ...personOptions,
    'dry-run': { type: 'boolean', about: 'Say what would be erased and what would remain, and change nothing.' },
    yes: { type: 'boolean', about: 'Erase. It cannot be undone.' },
    common: {
      type: 'boolean',
      about: `Erase also by a text of --also that is in more than ${maxForeign} records that do not name the person in another way.`,
    },
  },
  async run(values, positionals, io) {
    const wanted = readPerson(values, positionals, 'customer erase');
    const isRehearsal = values['dry-run'] === true;
    if (isRehearsal === (values['yes'] === true)) {
      throw new CommandError('An erasure cannot be undone. See what it does with --dry-run, then erase with --yes.', {
        exitCode: 2,
      });
    }
    const settings = readSettings(io);
    const done = await withDatabase(settings, async (database) => {
      const actor = systemActor(await findOrg(database, wanted.tenantId), wanted.tenantId);
      const storage = await openStorage(settings, {
        warn: (_details: object, message?: string) => io.err(`${message}\n`),
      });
      const options = {
        isRehearsal,
        allowsCommon: values['common'] === true,
        onProgress: (table: string) => void (io.isTerminal === true && io.err(`Searching ${table}\n`)),
      };
      const erasure = await erasePerson({ database, storage, actor }, wanted, options).catch(explain);
      if (!erasure) throw noContact(wanted);
      return erasure;
    });
    io.out(
      values.json === true
        ? `${JSON.stringify({ ...done, dry_run: isRehearsal, beyond })}\n`
        : toText(done, isRehearsal),
    );
    return done.remaining.length > 0 ? 1 : 0;
  },
};

function explain(error: unknown): never {
  throw error instanceof AppError ? new CommandError(error.message, { details: { code: error.code } }) : error;
}

function toText({ erased, remaining, common }: Erasure, isRehearsal: boolean): string {
  const counts = Object.entries(erased).map(([table, rows]) => `  ${table.padEnd(22)}  ${rows}\n`);
  const left = remaining
    .slice(0, printedAtMost)
    .map(
      ({ table, key, columns, reason }) =>
        `  ${table} ${Object.values(key).join('/')} (${columns.join(', ')}): ${reason}\n`,
    );
  const more = remaining.length > printedAtMost ? [`  and ${remaining.length - printedAtMost} more\n`] : [];
  return [
    counts.length === 0 ? 'Nothing to erase was found.\n' : `${isRehearsal ? 'Would be erased' : 'Erased'}:\n`,
    ...counts,
    ...common.map(
      ({ text, records }) =>
        `"${text}" is in ${records} records that name the person by nothing else${isRehearsal ? ': to erase these, add --common' : ''}.\n`,
    ),
    ...(left.length > 0 ? [isRehearsal ? 'Would remain:\n' : 'Remains:\n', ...left, ...more] : []),
    'Beyond an erasure:\n',
    ...beyond.map((line) => `  ${line}\n`),
  ].join('');
}
