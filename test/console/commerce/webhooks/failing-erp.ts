import { createHooks, type Delivery, startWorker } from '#test/commerce/webhooks/hooks.ts';
import { type Receiver, startReceiver } from '#test/commerce/webhooks/receiver.ts';
import type { TestConsole } from '#test/setup/console.ts';

/** An ERP that answers 500, the server that sends to it, and the worker of that server. */
export interface FailingErp {
  receiver: Receiver;
  /** The deliveries to it as the server has them. */
  deliveries: () => Promise<Delivery[]>;
  /** It answers 200 from now on. */
  repair: () => void;
  /** One more delivery to it. */
  sendAnother: () => Promise<unknown>;
  /** Ends the server with its worker and starts both again; `whileDown` runs in between. */
  restartServer: (whileDown: () => Promise<void>) => Promise<void>;
  stop: () => Promise<void>;
}

/** What the ERP answers while it is broken. */
export const complaint = 'disk full on erp-db-2';

/** Makes a destination to which `count` deliveries were given up, 20 minutes after the first of them failed. */
export async function startFailingErp(running: TestConsole, name: string, count: number): Promise<FailingErp> {
  const receiver = await startReceiver();
  receiver.answer = (_arrived, response) => void response.writeHead(500).end(complaint);
  const startSender = () => {
    running.api.egressAllow.add(receiver.address);
    return startWorker(running.api);
  };
  let worker = await startSender();
  const topic = `${name.toLowerCase()}.booked`;
  const hooks = () => createHooks(running.api);
  const { id } = await hooks().create({ name, url: `${receiver.url}/hook`, topics: [topic] });
  for (let order = 1; order <= count; order += 1) await hooks().publish(topic, { order });
  await hooks().until(id, (found) => found.length === count && found.every(({ attempts }) => attempts.length === 1));
  await giveUp(running, id);
  await hooks().until(id, (found) => found.every(({ status }) => status === 'failed'));
  return {
    receiver,
    deliveries: () => hooks().deliveries(id),
    repair() {
      receiver.answer = (_arrived, response) => void response.writeHead(200).end('booked');
    },
    sendAnother: () => hooks().publish(topic, { order: count + 1 }),
    async restartServer(whileDown) {
      await worker.stop();
      await running.restart(whileDown);
      worker = await startSender();
    },
    async stop() {
      await worker.stop();
      await receiver.close();
    },
  };
}

/** Lets the four days pass in which a delivery is tried ten times, so that the next failure is the last. */
async function giveUp({ api }: TestConsole, destinationId: number): Promise<void> {
  const { system } = api.database;
  await system.query(
    `UPDATE webhook_deliveries SET tries = 9, next_attempt_at = now(), created_at = created_at - interval '20 minutes'
     WHERE destination_id = $1`,
    [destinationId],
  );
  await system.query(
    `UPDATE webhook_queues SET due_at = now(), failing_since = failing_since - interval '20 minutes' WHERE destination_id = $1`,
    [destinationId],
  );
}
