import { type Command, CommandError } from '#bin/command.ts';
import { createTenancy, creationOptions } from '#bin/create-tenancy.ts';
import { createOrg } from '#src/identity/tenants.service.ts';

export const command: Command = {
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
