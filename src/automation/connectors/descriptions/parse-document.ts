import { CORE_SCHEMA, load, mergeTag, YAMLException } from 'js-yaml';
import { AppError } from '#src/infra/errors.ts';
import { isWithinDepth } from '#src/infra/json.ts';
import { declaredText } from '#src/infra/text/declared-charset.ts';
import { expandedSize } from './expanded-size.ts';

const mib = 2 ** 20;
const maxBytes = 50 * 1_000_000;
/** The YAML parser takes about 1 s and 50 MiB of memory for 1 MB; JSON is parsed fifty times as fast. */
const maxYamlBytes = 10 * 1_000_000;
const maxDepth = 200;
/** Aliases can expand a document of 1 kB to 1 TB. A document of 10 MB without aliases has fewer values than this. */
const maxValues = 4_000_000;
const maxAliases = 100_000;

const refuse = (message: string): never => {
  throw new AppError('UNPROCESSABLE', message);
};

/** Decodes the text of a description. */
export function descriptionText(bytes: Uint8Array): string {
  if (bytes.byteLength === 0) refuse('The description is empty. Give the file that describes the API.');
  if (bytes.byteLength > maxBytes) {
    refuse(
      `The description has ${(bytes.byteLength / mib).toFixed(0)} MiB. Use one of at most 50 MB, such as one without examples.`,
    );
  }
  return (
    declaredText(bytes, 'text/plain')?.replace(/^\ufeff/, '') ??
    refuse('The description is not text. Save it as UTF-8 and try again.')
  );
}

/** Parses a document in JSON or YAML. Throws UNPROCESSABLE with the place of the fault. */
export function parseDocument(text: string): unknown {
  const document = /^[{[]/.test(text.trimStart().slice(0, 1)) ? parseJson(text) : parseYaml(text);
  if (!isWithinDepth(document, maxDepth)) {
    refuse(`The description is nested deeper than ${maxDepth} levels. Use one with less nesting.`);
  }
  return document;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const reason = error instanceof Error ? error.message.replaceAll(/\s+/g, ' ').slice(0, 200) : '';
    return refuse(`The description is not valid JSON: ${reason}. Correct it and try again.`);
  }
}

function parseYaml(text: string): unknown {
  if (text.length > maxYamlBytes) {
    refuse('The description has more than 10 MB of YAML. Convert it to JSON, of which up to 50 MB are read.');
  }
  const document = loadYaml(text);
  if (expandedSize(document) > maxValues) {
    refuse(`The aliases of the description stand for more than ${maxValues} values. Write out what they stand for.`);
  }
  return document;
}

function loadYaml(text: string): unknown {
  try {
    return load(text, { schema: CORE_SCHEMA.withTags(mergeTag), json: true, maxAliases });
  } catch (error) {
    if (!(error instanceof YAMLException) && !(error instanceof RangeError)) throw error;
    const reason = (error.message.split('\n', 1)[0] ?? '').slice(0, 200);
    return refuse(`The description is not valid YAML: ${reason}. Correct it and try again.`);
  }
}
