import { type Command, CommandError, calledAs } from '#bin/command.ts';
import { createTenancy, creationOptions } from '#bin/create-tenancy.ts';
import { createTenant } from '#src/identity/tenants.service.ts';

export const command: Command = {
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
