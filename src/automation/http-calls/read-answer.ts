import { formatLimits } from '#src/automation/formats/formats.ts';
import type { HttpPort } from '#src/automation/node-api/ports.ts';
import { isWithinDepth } from '#src/infra/json.ts';
import { declaredText } from '#src/infra/text/declared-charset.ts';
import { parseExact } from '#src/infra/text/exact-numbers.ts';
import { parseForm } from './forms.ts';

export type Answer = Awaited<ReturnType<HttpPort['request']>>;

const first = (value: string | string[] | undefined): string =>
  Array.isArray(value) ? (value[0] ?? '') : (value ?? '');

/** The content type of an answer with its parameters; empty if it names none. */
export const contentType = ({ headers }: Pick<Answer, 'headers'>): string => first(headers['content-type']);

/**
 * Reads the body of an answer: as JSON if its content type says so and it is not nested deeper than core:parse allows, otherwise as text,
 * or as base64 if it is not text. An empty body gives null.
 */
function readBody(answer: Answer): unknown {
  const { body } = answer;
  if (body.byteLength === 0) return null;
  const type = contentType(answer);
  const text = declaredText(body, type);
  if (text === undefined) return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('base64');
  if (!/^application\/([a-z0-9.+-]+\+)?json\s*(;|$)/i.test(type)) return text;
  try {
    const value = parseExact(text);
    return isWithinDepth(value, formatLimits.depth) ? value : text;
  } catch {
    return text;
  }
}

/** Returns the fields of a form, or the body. */
const readContent = async (answer: Answer): Promise<unknown> =>
  (await parseForm(contentType(answer), answer.body)) ?? readBody(answer);

/** Returns the outputs of a node that received this answer. */
export const readAnswer = async (answer: Answer) => ({
  status: answer.status,
  headers: { ...answer.headers },
  body: await readContent(answer),
});
