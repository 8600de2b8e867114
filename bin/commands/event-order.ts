import { type Command, CommandError } from '#bin/command.ts';
import { withDatabase } from '#bin/reach-database.ts';
import { readSettings } from '#bin/settings.ts';
import { changeEventOrder, eventOrders, readEventOrder } from '#src/infra/migrations/event-order.ts';
import { connectToMigrate } from '#src/infra/migrations/is-migrated.ts';
import { lockLimits } from '#src/infra/migrations/lock-waits.ts';

export const command: Command = {
  usage: '[snapshot|sequence] [options]',
  options: {},
  async run(values, [given], io) {
    const to = eventOrders.find((order) => order === given);
    if (given !== undefined && to === undefined)
      throw new CommandError(`Name an order: ${eventOrders.join(' or ')}. Without one, the present order is printed.`, {
        exitCode: 2,
      });
    const { was, now } = await withDatabase(readSettings(io), async (_database, url) => {
      const client = await connectToMigrate(url);
      try {
        if (to === undefined) {
          const order = await readEventOrder(client);
          return { was: order, now: order };
        }
        const say = (message: string) => io.err(`${message}\n`);
        return { was: await changeEventOrder({ client, url, limits: lockLimits, say }, to), now: to };
      } finally {
        await client.end();
      }
    });
    if (values.json === true) io.out(`${JSON.stringify({ order: now, was })}\n`);
    else io.out(was === now ? `The order of events is ${now}.\n` : `The order of events is ${now}; it was ${was}.\n`);
    return 0;
  },
};
