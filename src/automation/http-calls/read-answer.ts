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
 * JSON when its content type says so and it nests no deeper than core:parse reads, otherwise text, or base64 when it is not text.
 * An empty body is null.
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

/** The fields of a form, or the body. */
const readContent = async (answer: Answer): Promise<unknown> =>
  (await parseForm(contentType(answer), answer.body)) ?? readBody(answer);

/** The outputs of a node that received this answer. */
export const readAnswer = async (answer: Answer) => ({
  status: answer.status,
  headers: { ...answer.headers },
  body: await readContent(answer),
});
