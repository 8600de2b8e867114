import type { ApiMessage } from '#src/automation/connectors/descriptions/api-description.ts';
import { essence } from '#src/automation/connectors/descriptions/media-types.ts';
import { plainSentences, plainText } from '#src/automation/connectors/descriptions/plain-text.ts';
import { Unsupported } from '#src/automation/connectors/descriptions/unsupported.ts';
import { isObject, textMember, type JsonObject } from '#src/automation/connectors/descriptions/untrusted-json.ts';
import { readBody } from './bodies.ts';
import type { OperationContext } from './context.ts';
import { listOwnParameters } from './operations.ts';
import { listParameters } from './parameters.ts';

/** A webhook as the description writes it. */
export interface WrittenWebhook {
  name: string;
  item: unknown;
}

/** Lists the requests that the API sends and a trigger receives. Descriptions in OpenAPI 3.0 have them in Redoc's `x-webhooks`. */
export const listWebhooks = (document: JsonObject): WrittenWebhook[] =>
  ['webhooks', 'x-webhooks'].flatMap((key) =>
    isObject(document[key]) ? Object.entries(document[key]).map(([name, item]) => ({ name, item })) : [],
  );

/** Reads the message that a webhook sends. Throws Unsupported for a webhook without a JSON body. */
export function readWebhook({ name, item }: WrittenWebhook, context: OperationContext): Omit<ApiMessage, 'name'> {
  const path = context.references.follow(item);
  const [method, operation] =
    Object.entries(path).find(([, value]) => isObject(value) && Object.hasOwn(value, 'requestBody')) ?? [];
  if (method === undefined || !isObject(operation)) throw new Unsupported('It is a webhook without a body.');
  const content = readBody(operation, context)?.content.find(({ mediaType }) =>
    /^application\/([\w.+-]+\+)?json$/i.test(essence(mediaType)),
  );
  if (!content) throw new Unsupported('It is a webhook whose body is not JSON.');
  const parameters = listParameters(listOwnParameters(operation), listOwnParameters(path), context);
  const headers = parameters
    .filter((parameter) => parameter['in'] === 'header')
    .map((parameter) => textMember(parameter, 'name'));
  const title = plainText(textMember(operation, 'summary'), 80) || plainText(name, 80);
  const summary = plainSentences(textMember(operation, 'description'), 300);
  return { title, summary: summary === title ? '' : summary, ...readHeaders(headers), schema: content.schema };
}

/** The headers with names that are safe to show, and the one that seems to hold a signature. */
export function readHeaders(names: readonly string[]): Pick<ApiMessage, 'headers' | 'signatureHeader'> {
  const headers = [...new Set(names)].filter((name) => /^[\w!#$%&'*+.^`|~-]{1,100}$/.test(name)).slice(0, 50);
  const signatureHeader = headers.find((name) => /signature|hmac/i.test(name));
  return { headers, ...(signatureHeader !== undefined && { signatureHeader }) };
}
