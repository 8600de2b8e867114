const token = String.raw`[\w!#$&^.+-]+`;
const mediaType = new RegExp(String.raw`^${token}/${token}(?:\s*;\s*[\w-]+=(?:"[^"\r\n]{0,60}"|${token}))*$`);

/** A body cannot have a wildcard as its type. */
const wildcards = new Set(['*/*', 'application/*', 'application/*+json']);

/** Reads a media type with its parameters. Repairs it if the meaning is clear (`application\/json`, `json`, wildcards); else undefined. */
export function readMediaType(written: string): string | undefined {
  const text = written.slice(0, 200).replaceAll('\\', '').trim();
  if (wildcards.has(text.toLowerCase()) || /^(?:x-)?json$/i.test(text)) return 'application/json';
  if (/^xml$/i.test(text)) return 'application/xml';
  return mediaType.test(text) ? text : undefined;
}

/** Returns `application/json` for `Application/JSON; charset=utf-8`. */
export const essence = (mediaType: string): string => (mediaType.split(';', 1)[0] ?? '').trim().toLowerCase();

export const isJson = (mediaType: string): boolean =>
  /^(?:application|text)\/(?:[\w.+-]+\+)?json$/.test(essence(mediaType));

/** True for bytes: everything except text, JSON, XML and forms, whose structure a schema can describe. */
export const isBinary = (mediaType: string): boolean =>
  !isJson(mediaType) &&
  !/^text\/|^application\/(?:[\w.+-]+\+)?(?:xml|yaml)$|^multipart\/|^application\/x-www-form-urlencoded$/.test(
    essence(mediaType),
  );
