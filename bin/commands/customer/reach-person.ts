import { CommandError, type CommandOption, type CommandValues } from '#bin/command.ts';
import type { Wanted } from '#src/commerce/personal-data/find-person.service.ts';
import { faultOfText } from '#src/commerce/personal-data/person.rules.ts';
import type { Database } from '#src/infra/postgres/database.ts';

export const personOptions = {
  also: {
    type: 'string',
    multiple: true,
    about: 'A further text that names this person alone: a phone number, a full name.',
  },
} as const satisfies Record<string, CommandOption>;

/** Reads the tenant and the person that a command names. */
export function readPerson(
  values: CommandValues,
  [tenantId, contact, ...more]: readonly string[],
  command: string,
): Wanted & { tenantId: string } {
  if (
    tenantId === undefined ||
    contact === undefined ||
    more.length > 0 ||
    !/^(\d{1,18}|[^\s@]+@[^\s@]+)$/.test(contact)
  ) {
    throw new CommandError(
      `Name the tenant and a contact, by its id or e-mail address: ${command} acme-shop ann@example.com`,
      {
        exitCode: 2,
      },
    );
  }
  const also = Array.isArray(values['also']) ? values['also'].map((text) => String(text).trim()) : [];
  const fault = also.map(faultOfText).find((each) => each !== undefined);
  if (fault !== undefined) throw new CommandError(fault, { exitCode: 2 });
  return { tenantId, contact, also };
}

/** The organisation of the tenant. */
export async function findOrg(database: Database, tenantId: string): Promise<string> {
  const tenant = await database.global.tenant.findUnique({ where: { id: tenantId } });
  if (!tenant) throw new CommandError(`There is no tenant ${tenantId}.`);
  return tenant.orgId;
}

export const noContact = ({ tenantId, contact }: { tenantId: string; contact: string }): CommandError =>
  new CommandError(`Tenant ${tenantId} has no contact ${contact}.`);
