import { type Command, CommandError } from '#bin/command.ts';
import { readSettings } from '#bin/settings.ts';
import { checkDatabase, type CheckedFeature } from '#src/infra/database-check/check-database.ts';
import { readPoolers } from '#src/process/env.ts';

const marks: Readonly<Record<CheckedFeature['outcome'], string>> = { present: 'ok', risk: 'RISK', missing: 'MISSING' };
const width = Math.max(...Object.values(marks).map(({ length }) => length));

export const command: Command = {
  usage: '[url] [options]',
  options: {},
  async run(values, [given], io) {
    const settings = given === undefined ? readSettings(io) : undefined;
    const url = given ?? settings?.DATABASE_URL;
    if (url === undefined)
      throw new CommandError('Name a database: postgres://owner:password@host/database, or set DATABASE_URL.', {
        exitCode: 2,
      });
    const checked: CheckedFeature[] = [];
    try {
      for await (const feature of checkDatabase(url, settings && readPoolers(settings).poolers)) {
        checked.push(feature);
        if (values.json !== true) io.out(toLines(feature));
      }
    } catch (error) {
      throw new CommandError(
        error instanceof Error && error.message !== '' ? error.message : 'The database cannot be reached.',
      );
    }
    const count = (outcome: CheckedFeature['outcome']) => checked.filter((each) => each.outcome === outcome).length;
    const missing = count('missing');
    if (values.json === true) io.out(`${JSON.stringify({ fits: missing === 0, features: checked })}\n`);
    else io.out(`\n${conclude(missing, count('risk'))}\n`);
    return missing === 0 ? 0 : 1;
  },
};

function toLines({ name, breaks, outcome, instead }: CheckedFeature): string {
  const indent = ' '.repeat(width + 2);
  const why = instead === undefined ? '' : `${indent}${instead}\n${indent}${breaks}\n`;
  return `${marks[outcome].padEnd(width)}  ${name}\n${why}`;
}

function conclude(missing: number, risks: number): string {
  if (missing > 0) return `Causeway cannot run on this database: ${missing} of its needs are missing.`;
  return risks > 0 ? `Causeway runs on this database; risks: ${risks}.` : 'Causeway runs on this database.';
}
