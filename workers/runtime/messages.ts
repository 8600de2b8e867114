import { z } from 'zod';
import type { NodeCall, NodeCallFailure } from '#src/automation/node-api/node-runtime.ts';
import { callMethods } from './call-methods.ts';
import type { RealmLimits } from './sandbox/realm/host.ts';

/** The options that a child starts with. */
export type ChildOptions = {
  realm: RealmLimits;
  memoryMiB: number;
  maxCpuMs: number;
  cancelGraceMs: number;
  maxFrameBytes: number;
  maxIdleIsolates: number;
  idleIsolateMs: number;
  maxExecutionsPerIsolate: number;
};

/** Parent to child. Bodies: the input; the source of the code; the JSON of a reply. */
export type ParentMessage =
  | { type: 'execute'; id: string; hash: string; entry: NodeCall['entry']; timeoutMs: number }
  | { type: 'code'; id: string; found: boolean }
  | { type: 'reply'; id: string; call: string; outcome: 'ok' | 'error' }
  | { type: 'cancel'; id: string };

const id = z.string().min(1).max(64);

/**
 * Child to parent. The child runs hostile code, which may compromise it, so its messages are trusted no further than this
 * schema checks. Bodies: a log line's text; a call's argument, a result or an error as JSON.
 */
export const childMessageSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('ready') }),
  // The child takes no more work until it is ready again, or exits.
  z.strictObject({ type: z.literal('paused') }),
  z.strictObject({ type: z.literal('code'), id }),
  z.strictObject({ type: z.literal('log'), id, level: z.enum(['debug', 'info', 'warn', 'error']) }),
  z.strictObject({ type: z.literal('call'), id, call: z.string().regex(/^\d{1,9}$/), method: z.enum(callMethods) }),
  z.strictObject({ type: z.literal('done'), id }),
  z.strictObject({
    type: z.literal('failed'),
    id,
    kind: z.enum([
      'threw',
      'timeout',
      'memory',
      'cancelled',
      'crashed',
      'unavailable',
      'invalid_result',
      'output_too_large',
    ] satisfies NodeCallFailure[]),
  }),
]);

export type ChildMessage = z.infer<typeof childMessageSchema>;

export const nodeErrorSchema = z.object({
  message: z.string(),
  code: z.string().max(100).optional(),
  stack: z.string().optional(),
});
