/** The counting side of a subscription bench: many graphql-transport-ws sockets, as cheap as they can be. */
import { createHash, randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { FrameReader, clientFrame, opcodes } from './ws-framing.ts';
import type { Frame } from './ws-framing.ts';
import type { Deliveries, SubscribersCommand, SubscribersPlan } from './ws-load.ts';

const next = Buffer.from('"type":"next"');
const errors = Buffer.from('"errors":');
const acknowledged = Buffer.from('"type":"connection_ack"');
const ended = [Buffer.from('"type":"error"'), Buffer.from('"type":"complete"')];
const openAtOnce = 50;

const counts: number[] = [];
let delivered = 0;
let failed = 0;
let lastAt = 0;
let sample: Buffer | undefined;
/** Why a socket was lost; without all of them, the figure cannot be measured. */
let broken: Error | undefined;
let cpu = process.cpuUsage();

function text(message: unknown): Buffer {
  return clientFrame(opcodes.text, Buffer.from(JSON.stringify(message)));
}

/** One buffer for all sockets: reads are consumed before the next, and a buffer a read costs more than the rest. */
const shared = Buffer.alloc(256 * 1024);

/** Resolves when the subscription has been sent and a ping after it was answered. */
function subscribe(plan: SubscribersPlan, index: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const frames = new FrameReader();
  const key = randomBytes(16).toString('base64');
  let head: Buffer | undefined = Buffer.alloc(0);
  // Once the subscription is open nobody awaits the promise any more.
  const lost = (error: Error): void => {
    broken ??= error;
    reject(error);
  };
  const take = (frame: Frame): void => {
    if (frame.opcode === opcodes.pong) resolve();
    else if (frame.opcode === opcodes.ping) socket.write(clientFrame(opcodes.pong, frame.payload));
    else if (frame.opcode === opcodes.close)
      lost(new Error(`The server closed a socket: ${frame.payload.toString('utf8', 2)}`));
    else if (frame.payload.includes(next)) count(index, frame.payload);
    else if (frame.payload.includes(acknowledged)) start(socket, plan);
    else if (ended.some((mark) => frame.payload.includes(mark))) failed += 1;
  };
  const read = (length: number, into: Uint8Array): boolean => {
    const bytes = Buffer.from(into.buffer, into.byteOffset, length);
    if (head === undefined) frames.push(bytes, take);
    else {
      head = Buffer.concat([head, bytes]);
      const rest = upgraded(head, key);
      if (rest === undefined) return true;
      head = undefined;
      socket.write(text({ type: 'connection_init', payload: plan.connectionParams ?? {} }));
      frames.push(rest, take);
    }
    return true;
  };
  const socket = connect({
    port: plan.port,
    host: '127.0.0.1',
    noDelay: true,
    onread: { buffer: shared, callback: read },
  });
  socket.once('error', lost);
  socket.once('close', () => lost(new Error('The server ended a connection.')));
  socket.write(
    `GET ${plan.path} HTTP/1.1\r\nhost: 127.0.0.1:${plan.port}\r\nconnection: Upgrade\r\nupgrade: websocket\r\n` +
      `sec-websocket-version: 13\r\nsec-websocket-protocol: graphql-transport-ws\r\nsec-websocket-key: ${key}\r\n\r\n`,
  );
  return promise;
}

/** The bytes after the head of an accepted upgrade; undefined while the head is incomplete. A refusal throws. */
function upgraded(input: Buffer, key: string): Buffer | undefined {
  const end = input.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const said = input.toString('latin1', 0, end);
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  if (!said.startsWith('HTTP/1.1 101') || !said.includes(accept))
    throw new Error(`The server refused the upgrade: ${said.split('\r\n')[0]}`);
  return input.subarray(end + 4);
}

function start(socket: Socket, plan: SubscribersPlan): void {
  const payload = { query: plan.query, variables: plan.variables ?? {} };
  socket.write(
    Buffer.concat([text({ id: '1', type: 'subscribe', payload }), clientFrame(opcodes.ping, Buffer.alloc(0))]),
  );
}

function count(index: number, payload: Buffer): void {
  counts[index] = (counts[index] ?? 0) + 1;
  delivered += 1;
  lastAt = Date.now();
  if (payload.includes(errors)) failed += 1;
  sample ??= Buffer.from(payload);
}

async function subscribeAll(plan: SubscribersPlan): Promise<void> {
  counts.push(...Array.from({ length: plan.sockets }, () => 0));
  for (let from = 0; from < plan.sockets; from += openAtOnce) {
    const many = Math.min(openAtOnce, plan.sockets - from);
    await Promise.all(Array.from({ length: many }, (_, offset) => subscribe(plan, from + offset)));
  }
}

async function report(each: number, limitMs: number): Promise<Deliveries> {
  const end = Date.now() + limitMs;
  while (delivered < each * counts.length && Date.now() < end) {
    if (broken) throw broken;
    await sleep(5);
  }
  const used = process.cpuUsage(cpu);
  return {
    delivered,
    fewest: Math.min(...counts),
    most: Math.max(...counts),
    errors: failed,
    lastAt,
    sample: sample?.toString('utf8') ?? '',
    cpuMs: (used.user + used.system) / 1000,
  };
}

async function reset(quietMs: number): Promise<void> {
  for (let seen = -1; seen !== delivered; await sleep(quietMs)) seen = delivered;
  counts.fill(0);
  delivered = 0;
  failed = 0;
  sample = undefined;
  cpu = process.cpuUsage();
}

process.on('message', (message) => {
  const command = message as SubscribersCommand;
  const work =
    command.kind === 'subscribe'
      ? subscribeAll(command.plan)
      : command.kind === 'reset'
        ? reset(command.quietMs)
        : report(command.each, command.limitMs);
  work.then(
    (answer) => process.send?.(answer ?? null),
    (error: unknown) => {
      throw error;
    },
  );
});
