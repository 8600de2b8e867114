import { z } from 'zod';
import { fileReference, type FileReference } from '#src/automation/node-api/file-reference.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import type { NodeLogLine } from '#src/automation/node-api/node-runtime.ts';
import { EgressError } from '#src/infra/egress/errors.ts';
import { AppError } from '#src/infra/errors.ts';
import { isWithinDepth } from '#src/infra/json.ts';
import type { CallMethod } from './call-methods.ts';
import { type FileCalls, maxPartBytes } from './file-calls.ts';

/** `body` is sent unchanged when it is a string, otherwise as JSON. `timeoutMs` is the node's request; it is clamped. */
export type HttpRequest = z.infer<typeof httpRequestSchema>;
export type HttpResponse = { status: number; headers: Record<string, string>; body: unknown; file?: FileReference };

/** `version` counts writes of one key; pass it as `expectedVersion` to write only if nobody else has. */
export type StateEntry = { value: unknown; version: number };
/** `expectedVersion` null: only if the key does not exist; absent: unconditionally. */
export type StateWrite = { expectedVersion?: number | null; ttlSeconds?: number };

/**
 * The parent's side of what a node can do, for one execution, already bound to its tenant and rights. An AppError's
 * message and code reach the node; any other failure reaches it masked. The signal is aborted when the execution ends.
 */
export type Broker = {
  http(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse>;
  state: {
    get(namespace: string, key: string, signal: AbortSignal): Promise<StateEntry | null>;
    set(
      namespace: string,
      key: string,
      value: unknown,
      write: StateWrite,
      signal: AbortSignal,
    ): Promise<{ version: number }>;
    delete(namespace: string, key: string, write: StateWrite, signal: AbortSignal): Promise<void>;
  };
  /**
   * `reference` is what the node named: a config field holding a credential reference, or the reference itself. The
   * value is treated as secret from then on.
   */
  credential(reference: string, field: string | undefined, signal: AbortSignal): Promise<unknown>;
  /** The files of the run; their streams end with the execution. */
  files: FileCalls;
  /** Receives each line once, as it is written; secrets that the broker handed out are removed. */
  log(line: NodeLogLine): void;
};

const name = z.string().min(1).max(255);
const expectedVersion = z.number().int().nonnegative().nullish();
const headerValue = z.union([z.string().max(8192), z.number(), z.boolean()]).transform(String);
const queryValue = z.union([z.string().max(8192), z.number(), z.boolean()]).transform(String);

const httpRequestSchema = z.object({
  method: z
    .string()
    .regex(/^[A-Za-z]{1,16}$/)
    .transform((method) => method.toUpperCase())
    .default('GET'),
  url: z.string().min(1).max(8192),
  headers: z.record(z.string().min(1).max(256), headerValue).default({}),
  query: z.record(z.string().max(256), z.union([queryValue, z.array(queryValue).max(1000)])).default({}),
  body: z.unknown().optional(),
  file: fileReference.optional(),
  answer: z.enum(['content', 'file', 'auto']).default('content'),
  timeoutMs: z.number().int().positive().optional(),
});
const stateKeySchema = z.object({ namespace: name, key: z.string().min(1).max(512) });
const stateSetSchema = stateKeySchema.extend({
  value: z.unknown().optional(),
  expectedVersion,
  ttlSeconds: z.number().int().positive().optional(),
});
const stateDeleteSchema = stateKeySchema.extend({ expectedVersion });
const partChars = Math.ceil(maxPartBytes / 3) * 4;
const writer = z.string().max(16);
const fileReadSchema = z.object({
  file: z.string().max(64),
  offset: z.number().int().nonnegative().default(0),
  length: z.number().int().min(1).max(maxPartBytes),
});
const fileCreateSchema = z.object({ name: name.optional(), type: name.optional() });
const fileWriteSchema = z.object({ writer, part: z.base64().max(partChars) });
const fileWriterSchema = z.object({ writer });
const credentialSchema = z.object({ reference: name, field: name.optional() });

/** Deeper than a value of the state store may be, so that such a value gets the store's own error. */
const maxArgumentDepth = 256;

type Handler = (broker: Broker, argument: unknown, signal: AbortSignal) => Promise<unknown>;

const handlers: Record<CallMethod, Handler> = {
  'http.request': (broker, argument, signal) => broker.http(httpRequestSchema.parse(argument), signal),
  'state.get': (broker, argument, signal) => {
    const { namespace, key } = stateKeySchema.parse(argument);
    return broker.state.get(namespace, key, signal);
  },
  'state.set': (broker, argument, signal) => {
    const { namespace, key, value, ...write } = stateSetSchema.parse(argument);
    return broker.state.set(namespace, key, value, write, signal);
  },
  'state.delete': (broker, argument, signal) => {
    const { namespace, key, ...write } = stateDeleteSchema.parse(argument);
    return broker.state.delete(namespace, key, write, signal);
  },
  'credentials.get': (broker, argument, signal) => {
    const { reference, field } = credentialSchema.parse(argument);
    return broker.credential(reference, field, signal);
  },
  'files.read': (broker, argument, signal) => {
    const { file, offset, length } = fileReadSchema.parse(argument);
    return broker.files.read(file, offset, length, signal);
  },
  'files.create': (broker, argument, signal) => broker.files.create(fileCreateSchema.parse(argument), signal),
  'files.write': (broker, argument) => {
    const { writer, part } = fileWriteSchema.parse(argument);
    return broker.files.write(writer, part);
  },
  'files.end': (broker, argument) => broker.files.end(fileWriterSchema.parse(argument).writer),
  'files.drop': async (broker, argument) => broker.files.drop(fileWriterSchema.parse(argument).writer),
};

export async function callBroker(
  broker: Broker,
  method: CallMethod,
  argumentJson: string,
  signal: AbortSignal,
): Promise<unknown> {
  const argument: unknown = JSON.parse(argumentJson);
  if (!isWithinDepth(argument, maxArgumentDepth)) {
    throw new NodeError('INVALID_ARGUMENT', `The call's argument nests more than ${maxArgumentDepth} levels.`);
  }
  return handlers[method](broker, argument, signal);
}

/**
 * The description of a failed call for the node: an expected failure unchanged, the code of a system error, otherwise
 * no details.
 */
export function describeCallError(error: unknown): { message: string; code?: string } {
  if (error instanceof AppError || error instanceof NodeError) return { message: error.message, code: error.code };
  // The same codes as those of core:http-request.
  if (error instanceof EgressError) return { message: error.message, code: `HTTP_${error.code.toUpperCase()}` };
  if (error instanceof z.ZodError) {
    const [issue] = error.issues;
    const path = issue?.path.join('.') ?? '';
    return {
      message: `The call's argument is invalid${path === '' ? '' : ` at ${path}`}: ${issue?.message ?? ''}`,
      code: 'INVALID_ARGUMENT',
    };
  }
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  if (typeof code === 'string' && /^E[A-Z]{2,30}$/.test(code)) return { message: `The call failed: ${code}.`, code };
  return { message: 'The call failed.', code: 'CALL_FAILED' };
}
