import { once } from 'node:events';
import { type Command, CommandError, type CommandValues, textOption } from '#bin/command.ts';
import { type Heard, listenForDeliveries } from './delivery-listener.ts';

export const command: Command = {
  usage: '[options]',
  options: {
    port: { type: 'string', about: 'Where it listens; 4400 by default, 0 for a free port.' },
    host: {
      type: 'string',
      about: 'The address it listens at; 127.0.0.1 by default, which other machines do not reach.',
    },
    secret: {
      type: 'string',
      about: 'The secret of the destination; else WEBHOOK_SECRET, which process lists do not show.',
    },
    status: { type: 'string', about: 'Answer every delivery so; by default 200, and 401 to what does not verify.' },
    count: { type: 'string', about: 'End after so many deliveries; by default on Ctrl-C.' },
  },
  async run(values, positionals, io) {
    if (positionals.length > 0)
      throw new CommandError('webhooks listen takes options alone; see --help.', { exitCode: 2 });
    const count = wholeOption(values, 'count', 1, 1_000_000);
    const secret = textOption(values, 'secret') ?? (io.env['WEBHOOK_SECRET'] || undefined);
    const ended = new AbortController();
    const host = textOption(values, 'host') ?? '127.0.0.1';
    let heard = 0;
    let refused = 0;
    const listener = await listenForDeliveries({
      host,
      port: wholeOption(values, 'port', 0, 65_535) ?? 4400,
      secret,
      status: wholeOption(values, 'status', 200, 599),
      onDelivery(delivery) {
        io.out(values.json === true ? `${JSON.stringify(delivery)}\n` : textFor(delivery));
        heard += 1;
        if (delivery.verified === false) refused += 1;
        if (heard === count) ended.abort();
      },
    });
    io.err(`Listening on http://${host}:${listener.port}${secret === undefined ? unverified : ''}\n`);
    await untilEnded(ended.signal);
    await listener.close();
    return refused === 0 ? 0 : 1;
  },
};

const unverified = '. Nothing is verified without --secret or WEBHOOK_SECRET.';

function textFor({ at, topic, id, verified, fault, status, body }: Heard): string {
  const verdict = verified === null ? 'not verified' : verified ? 'verified' : `REFUSED ${fault}`;
  return `${at}  ${topic ?? 'no topic'}  ${id ?? 'no id'}  ${verdict}  answered ${status}\n${JSON.stringify(body, null, 2)}\n\n`;
}

function wholeOption(values: CommandValues, name: string, least: number, most: number): number | undefined {
  const text = textOption(values, name);
  if (text === undefined) return undefined;
  const number = /^\d{1,7}$/.test(text) ? Number(text) : -1;
  if (number >= least && number <= most) return number;
  throw new CommandError(`--${name} takes a whole number from ${least} to ${most}.`, { exitCode: 2 });
}

/** Resolves on Ctrl-C, and when `signal` aborts. */
async function untilEnded(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const ended = new AbortController();
  const end = () => ended.abort();
  for (const name of ['SIGINT', 'SIGTERM']) process.on(name, end);
  await once(AbortSignal.any([signal, ended.signal]), 'abort');
  for (const name of ['SIGINT', 'SIGTERM']) process.off(name, end);
}
