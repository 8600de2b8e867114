import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Command, CommandError, textOption } from '#bin/command.ts';
import { withDatabase } from '#bin/reach-database.ts';
import { readSettings } from '#bin/settings.ts';
import { exportPerson } from '#src/commerce/personal-data/export-person.service.ts';
import { findOrg, noContact, personOptions, readPerson } from './reach-person.ts';

export const command: Command = {
  usage: '<tenant> <contact> [options]',
  options: { ...personOptions, out: { type: 'string', about: 'The file to write; left out: the standard output.' } },
  async run(values, positionals, io) {
    const wanted = readPerson(values, positionals, 'customer export');
    const file = textOption(values, 'out');
    const about = await withDatabase(readSettings(io), async (database) => {
      await findOrg(database, wanted.tenantId);
      const progress = (table: string) => io.isTerminal === true && io.err(`Searching ${table}\n`);
      const found = await exportPerson(database, wanted.tenantId, wanted, progress);
      if (!found) throw noContact(wanted);
      return found;
    });
    const text = `${JSON.stringify(about, null, values.json === true ? 0 : 2)}\n`;
    if (file === undefined) io.out(text);
    else {
      await writePrivate(resolve(io.cwd, file), text).catch((error: unknown) => {
        throw new CommandError(`The file ${file} cannot be written: ${(error as Error).message}`);
      });
    }
    const { contacts, orders, found } = about;
    io.err(`Contacts: ${contacts.length}, orders: ${orders.length}, found in other records: ${found.length}.\n`);
    return contacts.length + orders.length + found.length > 0 ? 0 : 1;
  },
};

/** Writes a file that only its owner may read, also one that others could read until now. */
async function writePrivate(path: string, text: string): Promise<void> {
  await using file = await open(path, 'w', 0o600);
  // A device, such as /dev/stdout, keeps its mode.
  if ((await file.stat()).isFile()) await file.chmod(0o600);
  await file.writeFile(text);
}
