import { noFile, receiveFile } from '#src/automation/http-calls/answer-files.ts';
import type { NodeCall, NodeCredentials, NodeLogLine, NodeState } from '#src/automation/node-api/node-runtime.ts';
import type { FilesPort } from '#src/automation/node-api/ports.ts';
import { sendRenewing } from '#src/automation/node-api/send-renewing.ts';
import { type CallLog, sendNoted } from '#src/automation/node-api/sent-calls.ts';
import type { Egress } from '#src/infra/egress/egress.ts';
import { AppError } from '#src/infra/errors.ts';
import { declaredText } from '#src/infra/text/declared-charset.ts';
import { parseExact } from '#src/infra/text/exact-numbers.ts';
import type { Broker, HttpRequest, StateWrite } from './broker.ts';
import { createFileCalls } from './file-calls.ts';

const defaultTimeoutMs = 15_000;
const maxTimeoutMs = 60_000;

const unavailable = (what: string) => (): Promise<never> =>
  Promise.reject(new AppError('NOT_FOUND', `This node has no ${what} it may use.`));

/**
 * The broker for one execution of a package's node: HTTP through the egress module, lines to the run's log, and the state,
 * files and credentials that it is given.
 */
export function createBroker(options: {
  egress: Egress;
  onLog?: ((line: NodeLogLine) => void) | undefined;
  callLog?: CallLog | undefined;
  state?: NodeState | undefined;
  files?: FilesPort | undefined;
  credential?: NodeCredentials | undefined;
  holdsSecret?: NodeCall['holdsSecret'] | undefined;
}): Broker {
  const { credential, files = noFilesPort, callLog = { calls: [] } } = options;
  return {
    async http({ timeoutMs = defaultTimeoutMs, method, url, query, headers: given, answer, ...content }, signal) {
      const { text, type, file } = await readContent(content, files);
      const headers: Record<string, string> = { ...(type !== undefined && { 'content-type': type }), ...given };
      const { receive, received } = answer === 'content' ? noFile : receiveFile(files, answer);
      const send = async (headers: Record<string, string>) => {
        await credential?.takeTurn?.(signal);
        return sendNoted(options.egress, callLog, {
          method,
          url,
          query,
          headers,
          timeoutMs: Math.min(timeoutMs, maxTimeoutMs),
          signal,
          secure: options.holdsSecret?.([url, query, headers, text ?? '']) ?? false,
          body: file ? { bytes: file.size, open: file.stream } : (text ?? null),
          receive,
        });
      };
      const response = await sendRenewing(credential, headers, send);
      await credential?.noteAnswer?.(response);
      return {
        status: response.status,
        headers: flatten(response.headers),
        body: received?.file ? null : readBody(response.headers, response.body),
        ...(received?.file && { file: received.file }),
      };
    },
    files: createFileCalls(files),
    state: options.state ? createState(options.state) : noState,
    credential: credential ? (reference, field) => credential.field(reference, field) : unavailable('credential'),
    log: options.onLog ?? (() => undefined),
  };
}

/** The body of a request: text, or a file as a stream. An object is sent as JSON. */
async function readContent({ body, file }: Pick<HttpRequest, 'body' | 'file'>, files: FilesPort) {
  if (file !== undefined) {
    if (body !== undefined && body !== null)
      throw new AppError('BAD_REQUEST', 'Give the request a body or a file, not both.');
    const opened = await files.open(file);
    return { file: opened, type: opened.type };
  }
  if (body === undefined || body === null) return {};
  return typeof body === 'string' ? { text: body } : { text: JSON.stringify(body), type: 'application/json' };
}

/** The broker for code that may reach nothing. It refuses even a child that hostile code has taken over. */
export const createOfflineBroker = (onLog: ((line: NodeLogLine) => void) | undefined): Broker => ({
  http: unavailable('network'),
  files: createFileCalls(noFilesPort),
  state: noState,
  credential: unavailable('credential'),
  log: onLog ?? (() => undefined),
});

const noFilesPort: FilesPort = { open: unavailable('files'), create: unavailable('files') };

const noState: Broker['state'] = {
  get: unavailable('state'),
  set: unavailable('state'),
  delete: unavailable('state'),
};

/** A node passes null for a key that must not exist yet; the store calls that version 0. */
const toVersion = ({ expectedVersion: version }: StateWrite) =>
  version === undefined ? {} : { version: version ?? 0 };

const createState = (store: NodeState): Broker['state'] => ({
  get: async (namespace, key) => (await store.get(namespace, key)) ?? null,
  set: (namespace, key, value, write) =>
    store.set({
      namespace,
      key,
      value,
      ...toVersion(write),
      ...(write.ttlSeconds !== undefined && { ttlSeconds: write.ttlSeconds }),
    }),
  delete: (namespace, key, write) => store.delete({ namespace, key, ...toVersion(write) }),
});

const flatten = (headers: Record<string, string | string[]>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );

/** Parses a body whose content type is JSON; any other stays text. */
function readBody(headers: Record<string, string | string[]>, body: Uint8Array): unknown {
  const type = String(headers['content-type'] ?? '');
  // Bytes of no known charset stay text, whose letters are then replaced.
  const text = declaredText(body, type) ?? Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
  if (!/^application\/([a-z0-9.+-]+\+)?json\s*(;|$)/i.test(type)) return text;
  try {
    return parseExact(text);
  } catch {
    return text;
  }
}
