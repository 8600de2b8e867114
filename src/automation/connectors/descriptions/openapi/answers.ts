import type { ApiAnswer } from '#src/automation/connectors/descriptions/api-description.ts';
import { plainText } from '#src/automation/connectors/descriptions/plain-text.ts';
import {
  listMember,
  member,
  objectMember,
  textMember,
  type JsonObject,
} from '#src/automation/connectors/descriptions/untrusted-json.ts';
import { bytesSchema, readOwnContent, readContent } from './content.ts';
import type { OperationContext } from './context.ts';

const maxHeaders = 50;

/** Reads the answers of an operation, in the order of the description. */
export function readAnswers(operation: JsonObject, context: OperationContext): ApiAnswer[] {
  const answers = new Map<string, ApiAnswer>();
  for (const [written, value] of Object.entries(objectMember(operation, 'responses'))) {
    const status = readStatus(written);
    if (status === undefined || answers.has(status)) continue;
    const answer = context.references.follow(value);
    answers.set(status, {
      status,
      description: plainText(textMember(answer, 'description'), 200),
      content: context.version === '2.0' ? readOldContent(answer, operation, context) : readContent(answer, context),
      headers: Object.keys(objectMember(answer, 'headers'))
        .slice(0, maxHeaders)
        .filter((name) => /^[\w!#$%&'*+.^`|~-]{1,100}$/.test(name))
        .map((name) => name.toLowerCase()),
    });
  }
  return [...answers.values()];
}

function readStatus(written: string): string | undefined {
  const status = written.trim();
  if (/^default$/i.test(status)) return 'default';
  return /^[1-5](?:\d\d|xx)$/i.test(status) ? status.toUpperCase() : undefined;
}

function readOldContent(answer: JsonObject, operation: JsonObject, context: OperationContext): ApiAnswer['content'] {
  if (!Object.hasOwn(answer, 'schema')) return [];
  const schema = context.definitions.read(member(answer, 'schema'), context.refs);
  const own = listMember(operation, 'produces');
  const produces = Object.hasOwn(operation, 'produces') ? own : listMember(context.document, 'produces');
  const isFile = schema['format'] === 'binary';
  const content = readOwnContent(produces, isFile ? bytesSchema : schema);
  if (content.length > 0) return content;
  return readOwnContent([isFile ? 'application/octet-stream' : 'application/json'], schema);
}
