import { keyIdOf, tenantOption, withKeys } from '#bin/api-keys.ts';
import { type Command, CommandError, textOf } from '#bin/command.ts';
import { rotateApiKey } from '#src/identity/api-keys/api-keys.service.ts';

export const command: Command = {
  usage: '<id> --tenant <tenant> [options]',
  options: {
    ...tenantOption,
    'overlap-hours': { type: 'string', about: 'Hours for which the old key stays good, 0 to 168; 24 by default.' },
  },
  async run(values, positionals, io) {
    const id = keyIdOf(positionals, 'rotate');
    const overlapHours = Number(textOf(values, 'overlap-hours') ?? 24);
    if (!Number.isInteger(overlapHours)) {
      throw new CommandError('--overlap-hours takes whole hours, 0 to 168.', { exitCode: 2 });
    }
    const { apiKey, secret } = await withKeys(values, io, (deps, actor) =>
      rotateApiKey(deps, actor, id, { overlapHours }),
    );
    io.out(
      values.json === true
        ? `${JSON.stringify({ id: Number(apiKey.id), name: apiKey.name, key: secret })}\n`
        : `${secret}\n`,
    );
    return 0;
  },
};
