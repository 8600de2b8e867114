import type { Command } from '#bin/command.ts';
import { generateKey } from '#src/infra/vault/key-ring.ts';

export const command: Command = {
  usage: '[options]',
  options: {},
  run(values, _positionals, io) {
    const key = generateKey();
    io.out(values.json === true ? `${JSON.stringify({ key })}\n` : `${key}\n`);
    return Promise.resolve(0);
  },
};
