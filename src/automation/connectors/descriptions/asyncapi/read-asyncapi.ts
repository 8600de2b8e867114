import type {
  ApiDescription,
  ApiMessage,
  SkippedOperation,
} from '#src/automation/connectors/descriptions/api-description.ts';
import {
  assertOperationCount,
  type DescriptionSource,
} from '#src/automation/connectors/descriptions/description-source.ts';
import { nameOperations } from '#src/automation/connectors/descriptions/names.ts';
import { Definitions } from '#src/automation/connectors/descriptions/openapi/definitions.ts';
import { type References, referencesWithin } from '#src/automation/connectors/descriptions/openapi/references.ts';
import { readHeaders } from '#src/automation/connectors/descriptions/openapi/webhooks.ts';
import { plainSentences, plainText } from '#src/automation/connectors/descriptions/plain-text.ts';
import { orReason, Unsupported } from '#src/automation/connectors/descriptions/unsupported.ts';
import {
  isObject,
  listMember,
  member,
  objectMember,
  textMember,
  type JsonObject,
} from '#src/automation/connectors/descriptions/untrusted-json.ts';

interface Read {
  message: Omit<ApiMessage, 'name'>;
  refs: Set<string>;
}

/**
 * Reads the messages of an AsyncAPI 3 description. Their protocol does not matter, because a bridge can pass them on by HTTP. Operations do
 * not become nodes.
 */
export function readAsyncApi(document: JsonObject, { hash }: DescriptionSource): ApiDescription {
  const references = referencesWithin(document);
  const definitions = new Definitions(document, references, '3.1');
  const found = listMessages(document, references);
  const operations = Object.entries(objectMember(document, 'operations'));
  assertOperationCount(found.length + operations.length);
  const read = found.map(({ key, written, protocol }) =>
    orReason((): Read => {
      const refs = new Set<string>();
      return {
        refs,
        message: readMessage(key, references.follow(written), { protocol, references, definitions, refs }),
      };
    }),
  );
  const faults = definitions.settle();
  const skipped: SkippedOperation[] = [];
  const kept: (Read & { key: string; channel: string })[] = [];
  for (const [index, result] of read.entries()) {
    const { key = '', channel = '' } = found[index] ?? {};
    const reason =
      'reason' in result
        ? result.reason
        : [...result.value.refs].map((name) => faults.get(name)).find((fault) => fault !== undefined);
    if (reason !== undefined) skipped.push({ operation: plainText(`message ${key}`, 200), reason });
    else if ('value' in result) kept.push({ ...result.value, key, channel });
  }
  for (const [name, operation] of operations) {
    const reason = whySkipped(operation, document, references);
    if (reason !== undefined) skipped.push({ operation: plainText(name, 200), reason });
  }
  const names = nameOperations(kept.map(({ key, channel }) => ({ id: key, method: '', path: channel })));
  const info = objectMember(document, 'info');
  return {
    kind: 'asyncapi',
    title: plainText(textMember(info, 'title'), 80),
    version: plainText(textMember(info, 'version'), 40),
    hash,
    servers: [],
    security: {},
    operations: [],
    messages: kept.map(({ message }, index) => ({ ...message, name: names[index] ?? '' })),
    definitions: definitions.reached(kept.flatMap(({ refs }) => [...refs])),
    skipped,
  };
}

interface Found {
  key: string;
  channel: string;
  written: unknown;
  protocol: string;
}

function listMessages(document: JsonObject, references: References): Found[] {
  const operations = Object.values(objectMember(document, 'operations'));
  return Object.entries(objectMember(document, 'channels')).flatMap(([channel, given]): Found[] => {
    const result = orReason(() => references.follow(given));
    if ('reason' in result) return [];
    const pointer = `#/channels/${channel.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const own = operations.filter((operation) => textMember(member(operation, 'channel'), '$ref') === pointer);
    const protocol = findProtocol([result.value, ...own], document);
    return Object.entries(objectMember(result.value, 'messages')).map(([key, written]) => ({
      key,
      channel,
      written,
      protocol,
    }));
  });
}

/** The protocol of the binding, or else of the servers; empty if neither names one. */
function findProtocol(owners: readonly unknown[], document: JsonObject): string {
  const bound = owners.flatMap((owner) => Object.keys(objectMember(owner, 'bindings')));
  const servers = Object.values(objectMember(document, 'servers')).map((server) => textMember(server, 'protocol'));
  return [...bound, ...servers].find((protocol) => protocol !== '' && !protocol.startsWith('x-'))?.toLowerCase() ?? '';
}

const isHttp = (protocol: string): boolean => /^https?$/.test(protocol);

interface MessageContext {
  protocol: string;
  references: References;
  definitions: Definitions;
  refs: Set<string>;
}

function readMessage(key: string, written: JsonObject, context: MessageContext): Omit<ApiMessage, 'name'> {
  const { references, definitions, refs, protocol } = context;
  const traits = listMember(written, 'traits').map((trait) => references.follow(trait));
  const own = Object.assign({}, ...traits, written) as JsonObject;
  const given = own['payload'];
  if (!isObject(given)) throw new Unsupported('It is a message without a payload.');
  const format = textMember(given, 'schemaFormat');
  if (format !== '' && !/json|openapi|asyncapi/i.test(format))
    throw new Unsupported(`Its payload is described in another language, ${plainText(format, 100)}.`);
  const headers = isObject(own['headers']) ? references.follow(own['headers']) : {};
  const title = plainText(textMember(own, 'title'), 80) || plainText(textMember(own, 'name'), 80) || plainText(key, 80);
  const text = plainSentences(textMember(own, 'summary') || textMember(own, 'description'), 200);
  const way =
    protocol === '' || isHttp(protocol) ? '' : `Sent by ${plainText(protocol, 30)}; a bridge passes it on by HTTP.`;
  return {
    title,
    summary: [text === title ? '' : text, way].filter((part) => part !== '').join(' '),
    ...readHeaders(Object.keys(objectMember(headers, 'properties'))),
    schema: definitions.read(format === '' ? given : given['schema'], refs),
  };
}

/** Why an operation is skipped; undefined if the package has its messages instead. */
function whySkipped(operation: unknown, document: JsonObject, references: References): string | undefined {
  const result = orReason(() => references.follow(operation));
  if ('reason' in result) return result.reason;
  const channel = orReason(() => references.follow(member(result.value, 'channel')));
  const protocol = findProtocol([result.value, 'value' in channel ? channel.value : {}], document);
  const isSent = textMember(result.value, 'action') === 'send';
  if (isSent && (protocol === '' || isHttp(protocol))) return undefined;
  if (protocol === '' || isHttp(protocol))
    return 'The API receives its messages, and AsyncAPI does not say how such a request is answered.';
  return `Its channel uses ${plainText(protocol, 30)}, which Causeway does not speak. Its messages can be received by HTTP from a bridge.`;
}
