import type {
  ApiDescription,
  ApiMessage,
  ApiOperation,
  SkippedOperation,
} from '#src/automation/connectors/descriptions/api-description.ts';
import {
  assertOperationCount,
  type DescriptionSource,
} from '#src/automation/connectors/descriptions/description-source.ts';
import { nameOperations } from '#src/automation/connectors/descriptions/names.ts';
import { plainSentences, plainText } from '#src/automation/connectors/descriptions/plain-text.ts';
import { orReason } from '#src/automation/connectors/descriptions/unsupported.ts';
import {
  isTrue,
  listMember,
  objectMember,
  textMember,
  type JsonObject,
} from '#src/automation/connectors/descriptions/untrusted-json.ts';
import { readAnswers } from './answers.ts';
import { readBody, readOldBody } from './bodies.ts';
import type { OpenApiContext, OpenApiVersion } from './context.ts';
import { Definitions } from './definitions.ts';
import { listOperations, listOwnParameters, type WrittenOperation } from './operations.ts';
import { listParameters, readParameters } from './parameters.ts';
import { referencesWithin } from './references.ts';
import { readSecurity, readSecuritySchemes } from './security.ts';
import { readApiServers, readServers } from './servers.ts';
import { listWebhooks, readWebhook } from './webhooks.ts';

const maxTags = 20;

interface ReadOperation {
  operation: ApiOperation;
  /** Names of the definitions that the operation refers to. */
  refs: Set<string>;
}

/** Reads OpenAPI 2.0 (Swagger), 3.0 and 3.1. The result follows the rules of 3.1. */
export function readOpenApi(document: JsonObject, { hash, from }: DescriptionSource): ApiDescription {
  const version = openApiVersion(document);
  const references = referencesWithin(document);
  const definitions = new Definitions(document, references, version);
  const context: OpenApiContext = { document, version, references, definitions, from };
  const servers = readApiServers(context);
  const schemes = readSecuritySchemes(context, servers[0]?.url ?? from);

  const written = [...listOperations(objectMember(document, 'paths'), references)];
  const webhooks = listWebhooks(document);
  assertOperationCount(written.length + webhooks.length);
  const named = written.filter(({ fault }) => fault === undefined);
  const names = nameOperations(
    named.map(({ method, path, operation }) => ({ id: textMember(operation, 'operationId'), method, path })),
  );
  const titles = new Map(named.map((one, index) => [one, names[index] ?? '']));
  const read = written.map((one) =>
    one.fault === undefined
      ? orReason(() => readOperation(one, titles.get(one) ?? '', context, schemes))
      : { reason: one.fault },
  );

  const sent = webhooks.map((webhook) => {
    const refs = new Set<string>();
    return { webhook, refs, result: orReason(() => readWebhook(webhook, { ...context, refs })) };
  });

  const faults = definitions.settle();
  const kept: ReadOperation[] = [];
  const skipped: SkippedOperation[] = [];
  for (const [index, result] of read.entries()) {
    const reason = 'reason' in result ? result.reason : firstFault(result.value.refs, faults);
    if (reason !== undefined) skipped.push({ operation: label(written[index]), reason });
    else if ('value' in result) kept.push(result.value);
  }
  const received: { message: Omit<ApiMessage, 'name'>; refs: Set<string>; key: string }[] = [];
  for (const { webhook, refs, result } of sent) {
    const reason = 'reason' in result ? result.reason : firstFault(refs, faults);
    if (reason !== undefined) skipped.push({ operation: plainText(webhook.name, 100), reason });
    else if ('value' in result) received.push({ message: result.value, refs, key: webhook.name });
  }
  const messageNames = nameOperations(received.map(({ key }) => ({ id: key, method: '', path: key })));

  const operations = kept.map(({ operation }) => operation);
  const used = new Set(operations.flatMap(({ security }) => security.flat()));
  const info = objectMember(document, 'info');
  return {
    kind: 'openapi',
    title: plainText(textMember(info, 'title'), 80),
    version: plainText(textMember(info, 'version'), 40),
    hash,
    servers,
    security: Object.fromEntries(Object.entries(schemes).filter(([name]) => used.has(name))),
    operations,
    ...(received.length > 0 && {
      messages: received.map(({ message }, index) => ({ ...message, name: messageNames[index] ?? '' })),
    }),
    definitions: definitions.reached([...kept, ...received].flatMap(({ refs }) => [...refs])),
    skipped,
  };
}

export const openApiVersion = (document: JsonObject): OpenApiVersion => {
  if (textMember(document, 'swagger') !== '') return '2.0';
  return /^3\.0(?:\D|$)/.test(textMember(document, 'openapi')) ? '3.0' : '3.1';
};

function readOperation(
  { method, path, operation, item }: WrittenOperation,
  name: string,
  context: OpenApiContext,
  schemes: ApiDescription['security'],
): ReadOperation {
  const refs = new Set<string>();
  const own = { ...context, refs };
  const parameters = listParameters(listOwnParameters(operation), listOwnParameters(item), own);
  // A fragment only distinguishes operations of the same path, and is not sent.
  const sentPath = path.replace(/#.*$/, '');
  const body = context.version === '2.0' ? readOldBody(operation, parameters, own) : readBody(operation, own);
  const servers = readServers(operation, context.from) ?? readServers(item, context.from);
  return {
    refs,
    operation: {
      name,
      ...readTexts(operation, `${method} ${path}`),
      tags: listMember(operation, 'tags')
        .slice(0, maxTags)
        .flatMap((tag) => (typeof tag === 'string' ? [plainText(tag, 64)] : [])),
      deprecated: isTrue(operation, 'deprecated'),
      method,
      path: sentPath,
      ...(servers !== undefined && { servers }),
      parameters: readParameters(parameters, sentPath, own),
      ...(body !== undefined && { body }),
      answers: readAnswers(operation, own),
      security: readSecurity(operation, context.document, schemes),
    },
  };
}

function readTexts(operation: JsonObject, fallback: string): Pick<ApiOperation, 'title' | 'summary'> {
  const summary = textMember(operation, 'summary');
  const description = textMember(operation, 'description');
  const title =
    plainText(summary, 80) || plainText(textMember(operation, 'operationId'), 80) || plainText(fallback, 80);
  const sentences = plainSentences(description, 200) || plainSentences(summary, 200);
  return { title, summary: sentences === title ? '' : sentences };
}

function firstFault(refs: Iterable<string>, faults: ReadonlyMap<string, string>): string | undefined {
  for (const name of refs) if (faults.has(name)) return faults.get(name);
  return undefined;
}

const label = (written: WrittenOperation | undefined): string => {
  const text = `${written?.method ?? ''} ${written?.path ?? ''}`.trim();
  // A path is not Markdown, so its underscores and asterisks stay.
  return text.replaceAll(/[\p{Cc}\p{Cf}<>]+/gu, ' ').slice(0, 200);
};
