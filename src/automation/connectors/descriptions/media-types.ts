const token = String.raw`[\w!#$&^.+-]+`;
const mediaType = new RegExp(String.raw`^${token}/${token}(?:\s*;\s*[\w-]+=(?:"[^"\r\n]{0,60}"|${token}))*$`);

/** Wildcards are no type of a body. */
const wildcards = new Set(['*/*', 'application/*', 'application/*+json']);

/** A media type with its parameters, mended where what was meant is plain (`application\/json`, `json`, wildcards); undefined if it is not. */
export function readMediaType(written: string): string | undefined {
  const text = written.slice(0, 200).replaceAll('\\', '').trim();
  if (wildcards.has(text.toLowerCase()) || /^(?:x-)?json$/i.test(text)) return 'application/json';
  if (/^xml$/i.test(text)) return 'application/xml';
  return mediaType.test(text) ? text : undefined;
}

/** `application/json` of `Application/JSON; charset=utf-8`. */
export const essence = (mediaType: string): string => (mediaType.split(';', 1)[0] ?? '').trim().toLowerCase();

export const isJson = (mediaType: string): boolean =>
  /^(?:application|text)\/(?:[\w.+-]+\+)?json$/.test(essence(mediaType));

/** Text, JSON, XML and forms have a structure that a schema can tell; everything else is bytes. */
export const isBinary = (mediaType: string): boolean =>
  !isJson(mediaType) &&
  !/^text\/|^application\/(?:[\w.+-]+\+)?(?:xml|yaml)$|^multipart\/|^application\/x-www-form-urlencoded$/.test(
    essence(mediaType),
  );
