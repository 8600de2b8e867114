import { withValueAt } from '#src/automation/http-calls/json-path.ts';
import type { Place } from '#src/automation/http-calls/next-place.ts';
import type { ApiCall, CallBody } from '#src/automation/node-api/api-call.ts';
import { isFileReference } from '#src/automation/node-api/file-reference.ts';
import type { ConfigField } from '#src/automation/node-api/manifest.ts';
import type { FilesPort } from '#src/automation/node-api/ports.ts';
import type { StreamedBody } from '#src/infra/egress/request.ts';
import type { Carried } from './carry-credential.ts';
import { inCharset } from './charset.ts';
import { writeForm, writeMultipart } from './forms.ts';
import { inFieldOrder } from './member-order.ts';
import { merge } from './merge.ts';
import { invalid, readValue, type Values } from './values.ts';
import { writeXml } from './xml.ts';

export interface BuiltBody {
  content: string | Uint8Array | StreamedBody;
  mediaType: string;
  /** Headers that belong to the body. */
  headers?: Record<string, string>;
}

/** Everything besides the config that a body depends on. */
interface BodySource {
  /** The config fields. */
  fields?: readonly ConfigField[];
  /** The page to ask for, in calls whose body names the page. */
  place?: Place;
  usernameToken?: Carried['usernameToken'];
  files: FilesPort;
}

type Members = Readonly<Record<string, unknown>>;

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Builds the body of a call as it is sent; undefined if the call has no body. */
export async function buildBody(
  call: ApiCall,
  values: Values,
  { fields = [], place = {}, usernameToken, files }: BodySource,
): Promise<BuiltBody | undefined> {
  if (call.soap) {
    // Loaded on first use, because few workers call SOAP services.
    const { writeEnvelope } = await import('./soap/write-envelope.ts');
    return writeEnvelope(call, call.soap, values, usernameToken);
  }
  const { body = call.fixed_body && fixedBody, fixed_body: fixed } = call;
  if (!body) return undefined;
  const field = body.as === 'xml' ? fields.find(({ key }) => key === body.field) : undefined;
  const given = readValue(values, body.field);
  const value = atPlace(call, withFixed(body, field ? inFieldOrder(field, given) : given, fixed), place);
  if (value === undefined) return undefined;
  return { mediaType: body.media_type, ...(await writers[body.as](value, body, files)) };
}

/** The body of a call that has only the members that are always sent. */
const fixedBody: CallBody = { field: '', media_type: 'application/json', as: 'json' };

function withFixed({ field }: CallBody, value: unknown, fixed: Members | undefined): unknown {
  if (!fixed) return value;
  if (value !== undefined && !isMembers(value)) throw invalid(field, 'must be an object.');
  return merge(value ?? {}, fixed);
}

function atPlace({ paging, body }: ApiCall, value: unknown, place: Place): unknown {
  if (place.value === undefined || !paging || paging.by === 'next_link' || paging.in !== 'body') return value;
  if (value !== undefined && !isMembers(value))
    throw invalid(body?.field ?? '', 'must be an object, as pages are asked for in it.');
  return withValueAt(value ?? {}, paging.param, place.value);
}

type Writer = (
  value: unknown,
  body: CallBody,
  files: FilesPort,
) => Promise<Partial<BuiltBody> & Pick<BuiltBody, 'content'>>;

function needText(value: unknown, { field }: CallBody, rule: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw invalid(field, rule);
}

function needMembers(value: unknown, { field }: CallBody): Members {
  if (isMembers(value)) return value;
  throw invalid(field, 'must be an object.');
}

const writers: Readonly<Record<CallBody['as'], Writer>> = {
  json: async (value) => ({ content: JSON.stringify(value) }),
  form: async (value, body) => ({ content: writeForm(needMembers(value, body), body) }),
  multipart: (value, body, files) => writeMultipart(needMembers(value, body), body, files),
  xml: async (value, body) => ({ content: inCharset(await writeXml(value, body), body) }),
  change_set: async (value, { field }) =>
    (await import('./change-sets/write-change-set.ts')).writeChangeSet(value, field),
  text: async (value, body) => ({ content: inCharset(needText(value, body, 'must be text.'), body) }),
  bytes: async (value, body, files) => {
    if (isFileReference(value)) {
      const { size, stream } = await files.open(value);
      return { content: { bytes: size, open: stream } };
    }
    const text = needText(value, body, 'must be a file reference or base64 text.');
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) throw invalid(body.field, 'must be a file reference or base64 text.');
    return { content: Buffer.from(text, 'base64') };
  },
};
